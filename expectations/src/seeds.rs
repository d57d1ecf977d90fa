//! The trace table: each sentence and example line of the seed pages, and the requirements it became.

use std::collections::BTreeSet;

use serde::Deserialize;
use toml::Spanned;

use crate::{
    catalogue::Catalogue,
    clause::Passage,
    load::{FileError, from_toml, place},
    predicate::suggestion,
};

/// The table that ships with the suite.
pub const SEEDS: &str = include_str!("../seeds.toml");
/// Where it lies, for messages.
pub const SEEDS_PATH: &str = "expectations/seeds.toml";
/// How many seed pages there are.
pub const SEED_PAGES: u8 = 5;

/// Lines of seed pages that belong together, and what became of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedLine {
    /// The pages they stand in.
    pub seeds: Vec<u8>,
    /// Hashes of the passages, see [`crate::clause::hash`].
    pub hashes: Vec<String>,
    /// A few words of our own on what they say.
    pub what: String,
    /// What became of them.
    pub fate: Fate,
}

/// What became of a line of a seed page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Requirements of the catalogue.
    Requirements(Vec<String>),
    /// Nothing, for this reason.
    NotNormative(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSeeds {
    line: Vec<RawLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawLine {
    seeds: Vec<Spanned<u8>>,
    hashes: Vec<Spanned<String>>,
    what: Spanned<String>,
    #[serde(default)]
    requirements: Vec<Spanned<String>>,
    not_normative: Option<String>,
}

/// Read a trace table whose requirements are those of `catalogue`.
pub fn load_seeds(
    path: &str,
    text: &str,
    catalogue: &Catalogue,
) -> Result<Vec<SeedLine>, FileError> {
    let raw: RawSeeds = from_toml(path, text)?;
    let known: Vec<&str> = catalogue.ids.iter().map(String::as_str).collect();
    let mut seen = BTreeSet::new();
    let mut lines = Vec::new();
    for line in raw.line {
        let refuse = |offset: usize, message: String| Err(place(path, text, offset, message));
        for id in &line.requirements {
            if !known.contains(&id.get_ref().as_str()) {
                let hint = suggestion(id.get_ref(), &known);
                return refuse(
                    id.span().start,
                    format!("`{}` is no requirement{hint}", id.get_ref()),
                );
            }
        }
        for seed in &line.seeds {
            if *seed.get_ref() >= SEED_PAGES {
                return refuse(
                    seed.span().start,
                    format!("the seed pages are 0 to {}", SEED_PAGES - 1),
                );
            }
            for hash in &line.hashes {
                if !seen.insert((*seed.get_ref(), hash.get_ref().clone())) {
                    let message = format!(
                        "`{}` of seed page {} is listed twice",
                        hash.get_ref(),
                        seed.get_ref()
                    );
                    return refuse(hash.span().start, message);
                }
            }
        }
        let fate = match (line.requirements.is_empty(), line.not_normative) {
            (false, None) => {
                Fate::Requirements(line.requirements.into_iter().map(Spanned::into_inner).collect())
            }
            (true, Some(reason)) if !reason.trim().is_empty() => Fate::NotNormative(reason),
            _ => {
                let message = "name the `requirements` it became, or say why it is `not-normative`";
                return refuse(line.what.span().start, message.to_owned());
            }
        };
        lines.push(SeedLine {
            seeds: line.seeds.into_iter().map(Spanned::into_inner).collect(),
            hashes: line.hashes.into_iter().map(Spanned::into_inner).collect(),
            what: line.what.into_inner(),
            fate,
        });
    }
    Ok(lines)
}

/// What a copy of a seed page and the table do not agree on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Untraced<'a> {
    /// Passages of the page that no line of the table names.
    pub missing: Vec<&'a Passage>,
    /// Hashes of the table that the page does not have.
    pub stale: Vec<&'a str>,
}

/// Hold the passages of page `seed` against the table.
pub fn untraced<'a>(lines: &'a [SeedLine], seed: u8, passages: &'a [Passage]) -> Untraced<'a> {
    let of_page =
        || lines.iter().filter(|line| line.seeds.contains(&seed)).flat_map(|line| &line.hashes);
    let traced: BTreeSet<&str> = of_page().map(String::as_str).collect();
    let present: BTreeSet<&str> = passages.iter().map(|passage| passage.hash.as_str()).collect();
    Untraced {
        missing: passages
            .iter()
            .filter(|passage| !traced.contains(passage.hash.as_str()))
            .collect(),
        stale: of_page().map(String::as_str).filter(|hash| !present.contains(hash)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalogue::{CATALOGUE, CATALOGUE_PATH, load_catalogue},
        clause::passages,
    };

    const GOOD: &str = "[[line]]\nseeds = [0]\nhashes = [\"ab\"]\nwhat = \"spaces\"\nrequirements = [\"qual.position\"]\n";

    fn load(text: &str) -> Result<Vec<SeedLine>, FileError> {
        load_seeds("s.toml", text, &load_catalogue(CATALOGUE_PATH, CATALOGUE).unwrap())
    }

    #[test]
    fn the_table_that_ships_is_read() {
        let lines = load(SEEDS).unwrap_or_else(|error| panic!("{error}"));
        for seed in 0..SEED_PAGES {
            assert!(lines.iter().any(|line| line.seeds.contains(&seed)));
        }
    }

    #[test]
    fn a_page_is_held_against_the_table() {
        let page = passages("One is. Two are.\n");
        let text = GOOD.replace("\"ab\"", &format!("\"{}\", \"0123\"", page[0].hash));
        let lines = load(&text).unwrap();
        let expected = Untraced { missing: vec![&page[1]], stale: vec!["0123"] };
        assert_eq!(untraced(&lines, 0, &page), expected);
    }

    #[test]
    fn bad_tables_are_refused() {
        for (from, to, expected) in [
            (
                "qual.position",
                "qual.positon",
                "5:17: `qual.positon` is no requirement; did you mean `qual.position`?",
            ),
            ("[0]", "[5]", "2:10: the seed pages are 0 to 4"),
            ("[0]", "[0, 0]", "3:11: `ab` of seed page 0 is listed twice"),
            (
                "requirements = [\"qual.position\"]\n",
                "",
                "4:8: name the `requirements` it became, or say why it is `not-normative`",
            ),
            ("what", "wat", "4:1: unknown key `wat`; did you mean `what`?"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let error = load(&GOOD.replacen(from, to, 1)).unwrap_err();
            assert_eq!(error.to_string(), format!("s.toml:{expected}"));
        }
    }
}
