//! The clauses of a rule on a page: their sections in words, with the sentences that are at hand, and their hashes.

use expectations::{copies::CitedSection, rule::Rule};
use serde::Serialize;
use tera::Context;

use super::model::Site;

/// A section that a rule cites, for the template `clauses`.
#[derive(Serialize)]
struct Section {
    document: String,
    words: String,
    link: Option<String>,
    sentences: Vec<String>,
}

/// The hashes of a section's sentences, for the template `hashes`.
#[derive(Serialize)]
struct Hashes {
    document: String,
    anchor: String,
    sentences: Vec<String>,
}

/// Inserts the clauses of a rule.
pub(super) fn insert(context: &mut Context, site: &Site<'_>, rule: &Rule) {
    let cited = site.copies.cited(rule);
    let are_absent =
        cited.iter().flat_map(|section| &section.sentences).any(|sentence| sentence.text.is_none());
    context.insert("sentences_are_absent", &are_absent);
    context.insert("clauses", &cited.iter().map(section).collect::<Vec<_>>());
    let hashed = cited.into_iter().filter(|section| !section.sentences.is_empty());
    context.insert("hashes", &hashed.map(hashes).collect::<Vec<_>>());
}

fn section(cited: &CitedSection) -> Section {
    let sentences = cited.sentences.iter().filter_map(|sentence| sentence.text.clone());
    Section {
        document: cited.title().to_owned(),
        words: in_words(&cited.anchor),
        link: cited.link.clone(),
        sentences: sentences.collect(),
    }
}

fn hashes(cited: CitedSection) -> Hashes {
    let CitedSection { document, anchor, sentences, .. } = cited;
    let sentences = sentences.into_iter().map(|sentence| sentence.hash).collect();
    Hashes { document, anchor, sentences }
}

/// Returns the words of an anchor: `addr-spaces-conversions` is "address spaces conversions". Numbers stay.
fn in_words(anchor: &str) -> String {
    let words = anchor.split(['-', '_']).filter(|word| !word.is_empty());
    let words: Vec<&str> =
        words.map(|word| if word == "addr" { "address" } else { word }).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use expectations::copies::Sentence;

    use super::*;

    #[test]
    fn sentences_stand_apart_from_their_hashes() {
        let sentence = |text: Option<&str>| Sentence {
            hash: "0123456789abcdef".to_owned(),
            text: text.map(str::to_owned),
        };
        let cited = CitedSection {
            document: "C99".to_owned(),
            anchor: "6.7".to_owned(),
            link: None,
            sentences: vec![sentence(Some("Types agree.")), sentence(None)],
        };
        let shown = section(&cited);
        assert_eq!(shown.sentences, ["Types agree."]);
        assert!(shown.document.starts_with("ISO/IEC 9899:1999"), "{}", shown.document);
        assert_eq!(hashes(cited).sentences.len(), 2);
    }

    #[test]
    fn anchors_read_as_words() {
        for (anchor, words) in [
            ("addr-spaces-conversions", "address spaces conversions"),
            ("global-or-global", "global or global"),
            ("_address_spaces", "address spaces"),
            ("6.7.2.1", "6.7.2.1"),
            ("top", "top"),
        ] {
            assert_eq!(in_words(anchor), words);
        }
    }
}
