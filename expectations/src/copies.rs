//! Copies of the documents that rules cite: the sentences behind the hashes, and what no longer fits.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::{
    clause::{Passage, passages},
    document,
    predicate::nearest,
    rule::{Clause, Rule},
};

/// Copies of documents, which whoever runs the program has: the texts are not part of the suite.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    texts: BTreeMap<String, Vec<Passage>>,
}

/// A section that a rule cites, with the sentences that a copy has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CitedSection {
    pub document: String,
    /// Anchor of the section.
    pub anchor: String,
    /// Link to the section, if the document is public.
    pub link: Option<String>,
    pub sentences: Vec<Sentence>,
}

impl CitedSection {
    /// Returns the title of the document.
    pub fn title(&self) -> &str {
        document::find(&self.document).map_or(&self.document, |document| document.title)
    }
}

/// A sentence that a rule cites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sentence {
    pub hash: String,
    /// Words of the sentence, if a copy of the document has them.
    pub text: Option<String>,
}

/// Disagreement between a clause and the copy of its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseFault {
    /// The document has no such section.
    NoSection {
        /// The section with the nearest name.
        nearest: Option<String>,
    },
    /// The section has no sentence of that hash, and no other has.
    NoSentence,
    /// The sentence is in another section.
    Elsewhere {
        /// The anchor of that section.
        anchor: String,
    },
}

impl Copies {
    /// Adds a copy of a document; a later copy replaces an earlier one.
    pub fn add(&mut self, document: &str, text: &str) {
        self.texts.insert(document.to_owned(), passages(text));
    }

    /// Returns the documents that have a copy.
    pub fn documents(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// Returns the passages of a document in order; none if there is no copy.
    pub fn passages(&self, document: &str) -> &[Passage] {
        self.texts.get(document).map_or(&[], Vec::as_slice)
    }

    /// Returns the sentence with this hash.
    fn text(&self, document: &str, anchor: &str, hash: &str) -> Option<&str> {
        self.passages(document)
            .iter()
            .find(|passage| passage.hash.starts_with(hash) && passage.anchor == anchor)
            .map(|passage| passage.text.as_str())
    }

    /// Returns the sections that a rule cites.
    pub fn cited(&self, rule: &Rule) -> Vec<CitedSection> {
        let sections = rule.sections().into_iter().map(|section| CitedSection {
            document: section.document.to_owned(),
            anchor: section.anchor.to_owned(),
            link: document::find(section.document)
                .and_then(|document| document.link(section.anchor)),
            sentences: section
                .hashes
                .iter()
                .map(|hash| Sentence {
                    hash: (*hash).to_owned(),
                    text: self.text(section.document, section.anchor, hash).map(str::to_owned),
                })
                .collect(),
        });
        sections.collect()
    }

    /// Checks a clause against the copy of its document; `None` if there is no copy.
    pub fn check(&self, clause: &Clause) -> Option<Result<(), ClauseFault>> {
        let passages = self.texts.get(&clause.document)?;
        let has = |passage: &&Passage| {
            clause.hash.as_deref().is_none_or(|hash| passage.hash.starts_with(hash))
        };
        if passages.iter().filter(has).any(|passage| passage.anchor == clause.anchor) {
            return Some(Ok(()));
        }
        let anchors: BTreeSet<&str> =
            passages.iter().map(|passage| passage.anchor.as_str()).collect();
        let elsewhere =
            clause.hash.as_ref().and_then(|_| passages.iter().find(has)).map(|p| p.anchor.clone());
        Some(Err(match elsewhere {
            Some(anchor) => ClauseFault::Elsewhere { anchor },
            None if anchors.contains(clause.anchor.as_str()) => ClauseFault::NoSentence,
            None => ClauseFault::NoSection {
                nearest: nearest(&clause.anchor, anchors).map(str::to_owned),
            },
        }))
    }
}

/// Anchors of the sections of the specification on address spaces: some rule should cite each sentence of theirs.
pub const ON_ADDRESS_SPACES: (&str, [&str; 13]) = (
    "OpenCL_C",
    [
        "address-space-qualifiers",
        "global-or-global",
        "local-or-local",
        "constant-or-constant",
        "private-or-private",
        "the-generic-address-space",
        "usage-for-declaration-scopes-and-variable-types",
        "initialization",
        "addr-spaces-inference",
        "table-addr-spaces-summary",
        "addr-spaces-conversions",
        "address-space-qualifier-functions",
        "table-builtin-address-qualifier",
    ],
);

/// Returns the rules that cite each sentence of a document, by the sentence's anchor and hash.
pub fn citing<'r>(rules: &'r [Rule], document: &str) -> BTreeMap<(&'r str, &'r str), Vec<&'r str>> {
    let mut citing: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for rule in rules {
        for clause in rule.clauses.iter().filter(|clause| clause.document == document) {
            let hash = clause.hash.as_deref().unwrap_or_default();
            let known = citing.entry((clause.anchor.as_str(), hash)).or_default();
            if known.last() != Some(&rule.id.as_str()) {
                known.push(&rule.id);
            }
        }
    }
    citing
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "[[a]]\n== First\n\nOne is. Two are.\n\n[[second]]\n== Second\n\nThree were.\n";

    fn clause(anchor: &str, hash: Option<String>) -> Clause {
        Clause { document: "OpenCL_C".to_owned(), anchor: anchor.to_owned(), hash }
    }

    #[test]
    fn anchor_and_hash_both_count() {
        let mut copies = Copies::default();
        let one = Some(crate::clause::hash("One is."));
        assert_eq!(copies.check(&clause("a", one.clone())), None);
        copies.add("OpenCL_C", TEXT);
        for (anchor, hash, expected) in [
            ("a", one.clone(), Ok(())),
            ("a", None, Ok(())),
            ("second", one, Err(ClauseFault::Elsewhere { anchor: "a".to_owned() })),
            ("a", Some("0123456789abcdef".to_owned()), Err(ClauseFault::NoSentence)),
            ("secnd", None, Err(ClauseFault::NoSection { nearest: Some("second".to_owned()) })),
            (
                "secnd",
                Some("0123456789abcdef".to_owned()),
                Err(ClauseFault::NoSection { nearest: Some("second".to_owned()) }),
            ),
        ] {
            assert_eq!(copies.check(&clause(anchor, hash)), Some(expected), "{anchor}");
        }
    }
}
