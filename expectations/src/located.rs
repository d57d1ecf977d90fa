//! Locations of the parts of a rule file, for errors that are found after the file was read.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::load::{FileError, RuleSource, place};

/// A part of a rule file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    Axis(&'a str),
    /// The key at the top of the file.
    Key(&'a str),
    /// This requirement of `covers`.
    Covered(&'a str),
    /// The first expectation that rejects.
    Rejection,
    /// The first of these words on a line that has both, else its first occurrence.
    Words([&'a str; 2]),
}

#[derive(Default, Deserialize)]
struct LocatedRule {
    #[serde(default)]
    axes: BTreeMap<Spanned<String>, toml::Value>,
    #[serde(default)]
    source: LocatedSource,
    #[serde(default)]
    expect: Vec<LocatedExpectation>,
}

#[derive(Default, Deserialize)]
struct LocatedSource {
    #[serde(default)]
    covers: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
struct LocatedExpectation {
    verdict: Spanned<String>,
}

/// Returns an error at a part of a rule file; at the beginning of the file where the part is not found.
pub fn error_at(source: &RuleSource, part: Part<'_>, message: String) -> FileError {
    place(&source.path, &source.text, offset(&source.text, part).unwrap_or(0), message)
}

pub(crate) fn offset(text: &str, part: Part<'_>) -> Option<usize> {
    let located = || toml::from_str::<LocatedRule>(text).ok();
    match part {
        Part::Axis(name) => {
            let axes = located()?.axes;
            axes.keys().find(|axis| axis.get_ref() == name).map(|axis| axis.span().start)
        }
        Part::Covered(id) => {
            let covers = located()?.source.covers;
            covers.iter().find(|covered| covered.get_ref() == id).map(|id| id.span().start)
        }
        Part::Rejection => {
            let expect = located()?.expect;
            let reject = expect.iter().find(|entry| entry.verdict.get_ref() == "reject");
            reject.map(|entry| entry.verdict.span().start)
        }
        Part::Key(key) => {
            let mut start = 0;
            for line in text.split_inclusive('\n') {
                let rest = line.strip_prefix(key).map(str::trim_start);
                if rest.is_some_and(|rest| rest.starts_with('=')) {
                    return Some(start);
                }
                start += line.len();
            }
            None
        }
        Part::Words([first, second]) => {
            let mut start = 0;
            for line in text.split_inclusive('\n') {
                if line.contains(second)
                    && let Some(at) = line.find(first)
                {
                    return Some(start + at);
                }
                start += line.len();
            }
            text.find(first)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found() {
        let text = "template = \"t\"\n[axes]\nfrom = [\"x\"]\nto = [\"y\"]\n\n[[expect]]\nverdict = \"accept\"\nwhen = \"from == x\"\n[[expect]]\nverdict = \"reject\"\n[source]\ncovers = [\"a.b\"]\n";
        let source =
            RuleSource { id: "f/n".to_owned(), path: "n.toml".to_owned(), text: text.to_owned() };
        for (part, expected) in [
            (Part::Axis("to"), "4:1"),
            (Part::Covered("a.b"), "12:11"),
            (Part::Rejection, "10:11"),
            (Part::Key("template"), "1:1"),
            (Part::Words(["y", "to"]), "4:8"),
            (Part::Axis("none"), "1:1"),
        ] {
            let error = error_at(&source, part, "x".to_owned());
            assert_eq!(error.to_string(), format!("n.toml:{expected}: x"), "{part:?}");
        }
    }
}
