//! The catalogue: every requirement that must be covered by a rule, or have a reason why no build decides it.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::{
    load::{FileError, from_toml, place},
    predicate::suggestion,
    rule::Rule,
};

/// The catalogue that ships with the suite.
pub const CATALOGUE: &str = include_str!("../catalogue.toml");
/// Path of the catalogue, for messages.
pub const CATALOGUE_PATH: &str = "expectations/catalogue.toml";

/// The requirements, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// Their ids.
    pub ids: Vec<String>,
    /// A sentence on each, by its id.
    pub statements: BTreeMap<String, String>,
    /// Requirements that no build decides, each with the reason.
    pub not_by_building: BTreeMap<String, String>,
    /// Requirements whose programs are built by cases of a rule, but which only an execution decides in full and no
    /// probe executes yet; each with what has to be executed.
    pub also_by_running: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawCatalogue {
    requirements: BTreeMap<Spanned<String>, Spanned<String>>,
    #[serde(default)]
    not_by_building: BTreeMap<Spanned<String>, Spanned<String>>,
    #[serde(default)]
    also_by_running: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// Reads a catalogue.
pub fn load_catalogue(path: &str, text: &str) -> Result<Catalogue, FileError> {
    let raw: RawCatalogue = from_toml(path, text)?;
    let mut requirements: Vec<_> = raw.requirements.into_iter().collect();
    requirements.sort_by_key(|(id, _)| id.span().start);
    for (_, statement) in &requirements {
        if statement.get_ref().trim().is_empty() {
            let message = "the statement is empty: say in a sentence what is required";
            return Err(place(path, text, statement.span().start, message.to_owned()));
        }
    }
    let known: Vec<&str> = requirements.iter().map(|(id, _)| id.get_ref().as_str()).collect();
    for (id, reason) in raw.not_by_building.iter().chain(&raw.also_by_running) {
        if !known.contains(&id.get_ref().as_str()) {
            let message = format!(
                "`{}` is not a requirement{}",
                id.get_ref(),
                suggestion(id.get_ref(), &known)
            );
            return Err(place(path, text, id.span().start, message));
        }
        if reason.get_ref().trim().is_empty() {
            let message = "the reason is empty: say why no build decides the requirement";
            return Err(place(path, text, reason.span().start, message.to_owned()));
        }
    }
    let plain = |table: BTreeMap<Spanned<String>, Spanned<String>>| {
        table.into_iter().map(|(id, why)| (id.into_inner(), why.into_inner())).collect()
    };
    Ok(Catalogue {
        ids: known.into_iter().map(str::to_owned).collect(),
        statements: plain(requirements.into_iter().collect()),
        not_by_building: plain(raw.not_by_building),
        also_by_running: plain(raw.also_by_running),
    })
}

impl Catalogue {
    /// Returns the id and the sentence of each requirement that has a text, in lower case, in one of the two.
    pub fn with_text(&self, text: &str) -> impl Iterator<Item = (&str, &str)> {
        self.ids.iter().filter_map(move |id| {
            let statement = self.statements.get(id)?;
            let has = |one: &str| one.to_lowercase().contains(text);
            (has(id) || has(statement)).then_some((id.as_str(), statement.as_str()))
        })
    }

    /// Returns the ids of the rules that cover each requirement.
    pub fn covering<'r>(&self, rules: &'r [Rule]) -> BTreeMap<&str, Vec<&'r str>> {
        let mut covering: BTreeMap<&str, Vec<&str>> =
            self.ids.iter().map(|id| (id.as_str(), Vec::new())).collect();
        for rule in rules {
            for id in &rule.covers {
                if let Some(covered_by) = covering.get_mut(id.as_str()) {
                    covered_by.push(&rule.id);
                }
            }
        }
        covering
    }

    /// Returns the contradictions between rules and catalogue, one line each: ids that are neither covered nor excused,
    /// and ids that are both.
    pub fn problems(&self, rules: &[Rule]) -> Vec<String> {
        let mut problems = Vec::new();
        for rule in rules.iter().filter(|rule| rule.probe.is_some()) {
            for id in rule.covers.iter().filter(|id| self.also_by_running.contains_key(*id)) {
                problems.push(format!(
                    "{id}: {} runs it, but {CATALOGUE_PATH} says that nothing does",
                    rule.id
                ));
            }
        }
        let covering = self.covering(rules);
        for id in &self.ids {
            let covered_by = &covering[id.as_str()];
            match (covered_by.as_slice(), self.not_by_building.contains_key(id)) {
                ([], false) => {
                    problems.push(format!("{id}: no rule covers it, and no reason is given"));
                }
                ([rule, ..], true) => problems
                    .push(format!("{id}: covered by {rule}, and excused in {CATALOGUE_PATH}")),
                _ => {}
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[requirements]\n\"a.one\" = \"One.\"\n\"a.two\" = \"Two.\"\n\n[not-by-building]\n\"a.two\" = \"run it\"\n";

    #[test]
    fn the_catalogue_that_ships_is_read() {
        let catalogue = load_catalogue(CATALOGUE_PATH, CATALOGUE).unwrap();
        assert_eq!(catalogue.ids.len(), 436);
    }

    #[test]
    fn missing_requirements_are_named() {
        let catalogue = load_catalogue("c.toml", GOOD).unwrap();
        assert_eq!(catalogue.problems(&[]), ["a.one: no rule covers it, and no reason is given"]);
    }

    #[test]
    fn bad_files_are_rejected() {
        for (from, to, expected) in [
            ("a.two\" = \"Two", "a.one\" = \"Two", "c.toml:3:1: duplicate key"),
            (
                "\"Two.\"",
                "\"\"",
                "c.toml:3:11: the statement is empty: say in a sentence what is required",
            ),
            (
                "\"a.two\" = \"run",
                "\"a.tow\" = \"run",
                "c.toml:6:1: `a.tow` is not a requirement; did you mean `a.two`?",
            ),
            (
                "run it",
                " ",
                "c.toml:6:11: the reason is empty: say why no build decides the requirement",
            ),
            (
                "requirements",
                "requirement",
                "c.toml:1:2: unknown key `requirement`; did you mean `requirements`?",
            ),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let error = load_catalogue("c.toml", &GOOD.replacen(from, to, 1)).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
