//! Clauses with memory: a hash of the sentence that a rule cites, and the passages of a text to compare it with.

mod asciidoc;
mod markup;

use std::ops::Range;

use sha2::{Digest, Sha256};

/// Returns the hash of a passage: the first 16 hexadecimal digits of SHA-256 of its words joined by single spaces.
/// Re-wrapping the text changes nothing.
pub fn hash(passage: &str) -> String {
    let words: Vec<&str> = passage.split_whitespace().collect();
    let digest = Sha256::digest(words.join(" ").as_bytes());
    let digits = digest.iter().take(8).flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}

/// A sentence, a cell of a table or a line of code, which a clause can name by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Anchor of the section or table that contains it, or the heading as a slug; [`TOP`] before the first one.
    pub anchor: String,
    /// Line it begins on, from 1.
    pub line: usize,
    /// Words of the passage, joined by single spaces.
    pub text: String,
    /// [`hash`] of the text.
    pub hash: String,
}

/// Anchor of the text before the first heading.
pub const TOP: &str = "top";

/// Returns every passage of a document, in order. The document is `AsciiDoc` or plain text, HTML (also as a Markdown
/// table of its lines) or `DocBook`, recognised by its first tags. Any text is accepted.
pub fn passages(text: &str) -> Vec<Passage> {
    if markup::looks_like(text) { markup::passages(text) } else { asciidoc::passages(text) }
}

/// Collects passages: words are added to a paragraph, which is cut into sentences when it ends.
struct Collector {
    anchor: String,
    paragraph: String,
    /// Offset in the paragraph at which each line of the document begins.
    lines: Vec<(usize, usize)>,
    found: Vec<Passage>,
}

impl Collector {
    fn new() -> Self {
        Self {
            anchor: TOP.to_owned(),
            paragraph: String::new(),
            lines: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Adds text of line `line` to the open paragraph.
    fn add(&mut self, line: usize, text: &str) {
        if self.lines.last().is_none_or(|&(_, last)| last != line) {
            self.lines.push((self.paragraph.len(), line));
        }
        self.paragraph.push_str(text);
    }

    /// Ends the paragraph; each of its sentences becomes a passage.
    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        let lines = std::mem::take(&mut self.lines);
        for sentence in sentences(&paragraph) {
            let at = lines.partition_point(|&(start, _)| start <= sentence.start);
            let line = lines[at.saturating_sub(1)].1;
            self.push(line, &paragraph[sentence]);
        }
    }

    /// Ends the paragraph as one passage, because it is a line of code.
    fn end_code(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        if let Some(&(_, line)) = std::mem::take(&mut self.lines).first() {
            self.push(line, &paragraph);
        }
    }

    fn push(&mut self, line: usize, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            self.found.push(Passage { anchor: self.anchor.clone(), line, hash: hash(&text), text });
        }
    }
}

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: [&str; 6] = ["e.g.", "i.e.", "etc.", "vs.", "cf.", "resp."];

/// Returns the ranges of the sentences of a paragraph, without the white space around them.
fn sentences(paragraph: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    let mut word_start = 0;
    let mut ended = false;
    let mut previous_end = 0;
    for (at, character) in paragraph.char_indices() {
        if character.is_whitespace() {
            if !paragraph[..at].ends_with(char::is_whitespace) {
                ended = ends_sentence(&paragraph[word_start..at]);
                previous_end = at;
            }
            continue;
        }
        let begins_word = at == 0 || paragraph[..at].ends_with(char::is_whitespace);
        if begins_word {
            word_start = at;
            match start {
                Some(first) if ended && !character.is_lowercase() => {
                    found.push(first..previous_end);
                    start = Some(at);
                }
                None => start = Some(at),
                Some(_) => {}
            }
        }
    }
    found.extend(start.map(|first| first..paragraph.trim_end().len()));
    found
}

/// Whether a sentence may end with this word.
fn ends_sentence(word: &str) -> bool {
    let bare = word.trim_end_matches([')', '"', '\'', '*', '_', ']', '`']);
    let opened = word.trim_start_matches(['(', '"', '\'', '*', '_', '[', '`']);
    bare.ends_with(['.', '?', '!']) && !bare.ends_with("...") && !ABBREVIATIONS.contains(&opened)
}

/// Returns a heading as an anchor: lower-case words joined by hyphens.
fn slug(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let words =
        lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_does_not_matter() {
        assert_eq!(hash("a b\n  c "), hash("a b c"));
        assert_ne!(hash("a b c"), hash("a b d"));
        assert_eq!(hash("").len(), 16);
    }

    #[test]
    fn paragraphs_are_cut_into_sentences() {
        let cut = |text: &'static str| {
            sentences(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>()
        };
        assert_eq!(
            cut(" One is.  Two (is too.)\n`x` is. and so "),
            ["One is.", "Two (is too.)", "`x` is. and so"]
        );
        assert_eq!(cut("Spaces, i.e. `global`, are. Yes"), ["Spaces, i.e. `global`, are.", "Yes"]);
        assert_eq!(cut("void f(...) { } Is"), ["void f(...) { } Is"]);
        assert_eq!(cut("  "), [""; 0]);
    }

    #[test]
    fn headings_become_slugs() {
        assert_eq!(slug("`{global}` (or `global`)"), "global-or-global");
        assert_eq!(slug("__local"), "__local");
    }

    /// Checks `anchor:line:text` of every passage.
    pub(super) fn check(document: &str, expected: &[&str]) {
        let found: Vec<String> = passages(document)
            .into_iter()
            .map(|p| format!("{}:{}:{}", p.anchor, p.line, p.text))
            .collect();
        assert_eq!(found, expected);
    }

    quickcheck::quickcheck! {
        fn any_text_is_answered(text: String) -> bool {
            let lines = text.lines().count();
            passages(&text).into_iter().all(|p| p.line >= 1 && p.line <= lines && p.hash == hash(&p.text))
        }

        fn any_markup_is_answered(words: Vec<u8>) -> bool {
            const PIECES: [&str; 16] = [
                "<p>", "</p>", "<td>", "</td>", "<br/>", "<!--", "-->", "&lt;", "&#x", "<style>", "<h2>", "</h2>", "\n| ", "a. B", "<", "é",
            ];
            let text: String = words.iter().map(|&word| PIECES[usize::from(word) % PIECES.len()]).collect();
            markup::passages(&text).into_iter().all(|p| p.hash == hash(&p.text))
        }

        fn any_asciidoc_is_answered(words: Vec<u8>) -> bool {
            const PIECES: [&str; 16] = [
                "\n", "\n----\n", "\n|====\n", "|", "2+|", "[[a]]", "\n== ", "a. B", " ", "::", "\n* ", "\n+\n", "\n.T\n", "//", "[", "é",
            ];
            let text: String = words.iter().map(|&word| PIECES[usize::from(word) % PIECES.len()]).collect();
            asciidoc::passages(&text).into_iter().all(|p| p.hash == hash(&p.text))
        }
    }
}
