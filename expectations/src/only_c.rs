//! Rules of `OpenCL` C that are not rules of C++ for `OpenCL`, each with the reason.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::{
    dialect::Language,
    load::{FileError, from_toml, place},
    predicate::suggestion,
    rule::Rule,
};

/// The table that ships with the suite.
pub const ONLY_C: &str = include_str!("../only-c.toml");
/// Path of the table, for messages.
pub const ONLY_C_PATH: &str = "expectations/only-c.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    reason: Vec<Reason>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    why: String,
    rules: Vec<Spanned<String>>,
}

/// Reads the reason why each rule of only `OpenCL` C is not a rule of C++ for `OpenCL`, by the rule's id.
///
/// # Errors
///
/// A rule named twice, an unknown one, one that is a rule of both languages, and one of only `OpenCL` C that is not
/// named.
pub fn load_only_c(
    path: &str,
    text: &str,
    rules: &[Rule],
) -> Result<BTreeMap<String, String>, FileError> {
    let table: Table = from_toml(path, text)?;
    let is_only_c =
        |rule: &&Rule| rule.is_of(Language::OpenclC) && !rule.is_of(Language::CxxForOpencl);
    let known: Vec<&str> = rules.iter().filter(is_only_c).map(|rule| rule.id.as_str()).collect();
    let mut reasons = BTreeMap::new();
    for reason in &table.reason {
        for name in &reason.rules {
            let id = name.get_ref();
            let error = |message| place(path, text, name.span().start, message);
            if !known.contains(&id.as_str()) {
                let hint = suggestion(id, &known);
                return Err(error(format!("`{id}` is not a rule of OpenCL C only{hint}")));
            }
            if reasons.insert(id.clone(), reason.why.clone()).is_some() {
                return Err(error(format!("`{id}` already has a reason")));
            }
        }
    }
    match known.iter().find(|id| !reasons.contains_key(**id)) {
        None => Ok(reasons),
        Some(id) => {
            let message = format!(
                "say why `{id}` is not a rule of C++ for OpenCL, or write `languages = \
                 [\"opencl-c\", \"cxx-for-opencl\"]` in it"
            );
            Err(place(path, text, text.len(), message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predicate::Axes;

    #[test]
    fn every_rule_of_c_alone_has_one_reason() {
        let mut both = Rule::of_axes("a/both", Axes::default());
        both.languages.push(Language::CxxForOpencl);
        let mut module = Rule::of_axes("a/module", Axes::default());
        module.languages = vec![Language::Spirv];
        let rules = [Rule::of_axes("a/one", Axes::default()), both, module];
        let cases = [
            ("rules = [\"a/one\"]", Ok("blocks")),
            ("rules = []", Err("say why `a/one` is not a rule of C++ for OpenCL")),
            ("rules = [\"a/one\", \"a/one\"]", Err("3:19: `a/one` already has a reason")),
            ("rules = [\"a/both\"]", Err("3:10: `a/both` is not a rule of OpenCL C only")),
            ("rules = [\"a/on\"]", Err("did you mean `a/one`?")),
        ];
        for (text, expected) in cases {
            let text = format!("[[reason]]\nwhy = \"blocks\"\n{text}");
            let found = load_only_c("only-c.toml", &text, &rules);
            match (found, expected) {
                (Ok(found), Ok(why)) => assert_eq!(found["a/one"], why),
                (Err(error), Err(part)) => {
                    assert!(error.to_string().contains(part), "{error}");
                }
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }
}
