//! The trace table: each sentence and example line of the reference pages, and the requirements it became.

use std::collections::BTreeSet;

use serde::Deserialize;
use toml::Spanned;

use crate::{
    catalogue::Catalogue,
    clause::Passage,
    document::{DOCUMENTS, Document},
    load::{FileError, from_toml, place},
    predicate::suggestion,
};

/// The table that ships with the suite.
pub const REFERENCE_PAGES: &str = include_str!("../reference-pages.toml");
/// Path of the table, for messages.
pub const REFERENCE_PAGES_PATH: &str = "expectations/reference-pages.toml";

/// Lines of reference pages that belong together, and what became of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLine {
    /// Ids of the pages with the line, see [`crate::document::DOCUMENTS`].
    pub pages: Vec<String>,
    /// Hashes of the passages, see [`crate::clause::hash`].
    pub hashes: Vec<String>,
    /// A few words of our own on their content.
    pub what: String,
    /// Treatment of the line in the suite.
    pub fate: Fate,
}

/// Treatment of a line of a reference page in the suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Requirements of the catalogue.
    Requirements(Vec<String>),
    /// Nothing, for this reason.
    NotNormative(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTable {
    line: Vec<RawLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawLine {
    pages: Vec<Spanned<String>>,
    hashes: Vec<Spanned<String>>,
    what: Spanned<String>,
    #[serde(default)]
    requirements: Vec<Spanned<String>>,
    not_normative: Option<String>,
}

/// Returns the reference pages.
pub fn pages() -> impl Iterator<Item = &'static Document> {
    DOCUMENTS.iter().filter(|document| document.reference_page)
}

/// Reads a table whose requirements are those of `catalogue`.
pub fn load_reference_pages(
    path: &str,
    text: &str,
    catalogue: &Catalogue,
) -> Result<Vec<PageLine>, FileError> {
    let raw: RawTable = from_toml(path, text)?;
    let known: Vec<&str> = catalogue.ids.iter().map(String::as_str).collect();
    let pages: Vec<&str> = pages().map(|page| page.id).collect();
    let mut seen = BTreeSet::new();
    let mut lines = Vec::new();
    for line in raw.line {
        let reject = |offset: usize, message: String| Err(place(path, text, offset, message));
        for id in &line.requirements {
            if !known.contains(&id.get_ref().as_str()) {
                let hint = suggestion(id.get_ref(), &known);
                return reject(
                    id.span().start,
                    format!("`{}` is not a requirement{hint}", id.get_ref()),
                );
            }
        }
        for page in &line.pages {
            let id = page.get_ref();
            if !pages.contains(&id.as_str()) {
                let hint = suggestion(id, &pages);
                return reject(page.span().start, format!("`{id}` is not a reference page{hint}"));
            }
            for hash in &line.hashes {
                if !seen.insert((id.clone(), hash.get_ref().clone())) {
                    let message = format!("`{}` of {id} is listed twice", hash.get_ref());
                    return reject(hash.span().start, message);
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
                return reject(line.what.span().start, message.to_owned());
            }
        };
        lines.push(PageLine {
            pages: line.pages.into_iter().map(Spanned::into_inner).collect(),
            hashes: line.hashes.into_iter().map(Spanned::into_inner).collect(),
            what: line.what.into_inner(),
            fate,
        });
    }
    Ok(lines)
}

/// Disagreement between a copy of a reference page and the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceGaps<'a> {
    /// Passages of the page that no line of the table names.
    pub missing: Vec<&'a Passage>,
    /// Hashes of the table that the page does not have.
    pub stale: Vec<&'a str>,
}

/// Compares the passages of a page with the table.
pub fn untraced<'a>(lines: &'a [PageLine], page: &str, passages: &'a [Passage]) -> TraceGaps<'a> {
    let of_page = || {
        lines
            .iter()
            .filter(|line| line.pages.iter().any(|id| id == page))
            .flat_map(|line| &line.hashes)
    };
    let traced: BTreeSet<&str> = of_page().map(String::as_str).collect();
    let present: BTreeSet<&str> = passages.iter().map(|passage| passage.hash.as_str()).collect();
    TraceGaps {
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

    const GOOD: &str = "[[line]]\npages = [\"ref-1.2-local\"]\nhashes = [\"ab\"]\nwhat = \"spaces\"\nrequirements = [\"qual.position\"]\n";

    fn load(text: &str) -> Result<Vec<PageLine>, FileError> {
        load_reference_pages("s.toml", text, &load_catalogue(CATALOGUE_PATH, CATALOGUE).unwrap())
    }

    #[test]
    fn the_table_that_ships_is_read() {
        let lines = load(REFERENCE_PAGES).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(pages().count(), 5);
        for page in pages() {
            assert!(
                lines.iter().any(|line| line.pages.iter().any(|id| id == page.id)),
                "{}",
                page.id
            );
        }
    }

    #[test]
    fn a_page_is_held_against_the_table() {
        let page = passages("One is. Two are.\n");
        let text = GOOD.replace("\"ab\"", &format!("\"{}\", \"0123\"", page[0].hash));
        let lines = load(&text).unwrap();
        let expected = TraceGaps { missing: vec![&page[1]], stale: vec!["0123"] };
        assert_eq!(untraced(&lines, "ref-1.2-local", &page), expected);
    }

    #[test]
    fn bad_tables_are_rejected() {
        for (from, to, expected) in [
            (
                "qual.position",
                "qual.positon",
                "5:17: `qual.positon` is not a requirement; did you mean `qual.position`?",
            ),
            (
                "1.2-local",
                "1.2-locl",
                "2:10: `ref-1.2-locl` is not a reference page; did you mean `ref-1.2-local`?",
            ),
            ("\"ab\"", "\"ab\", \"ab\"", "3:17: `ab` of ref-1.2-local is listed twice"),
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
