//! Hostile text made harmless: it can neither steer a terminal nor reorder a line.

use std::ops::Range;

/// Returns `text` on one line, with control characters and direction marks escaped.
pub fn line(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || reorders(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Lines of source for display: newlines and tabs stay, other control characters become pictures of themselves, and
/// bytes that are not UTF-8 become U+FFFD.
#[derive(Clone, Debug, Default)]
pub struct DisplayText {
    /// The text for display.
    pub text: String,
    /// Each character's offset in the source and in `text`, and the two ends.
    boundaries: Vec<(usize, usize)>,
}

impl DisplayText {
    /// Returns `bytes` for display.
    pub fn new(bytes: &[u8]) -> Self {
        let mut shown = Self::default();
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            let mut characters = chunk.valid().chars().peekable();
            while let Some(character) = characters.next() {
                let replacement = match character {
                    '\r' if characters.peek() == Some(&'\n') => None,
                    '\n' | '\t' => Some(character),
                    '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(character)),
                    '\x7f' => Some('\u{2421}'),
                    _ if character.is_control() || reorders(character) => Some('\u{fffd}'),
                    _ => Some(character),
                };
                shown.push(at, replacement);
                at += character.len_utf8();
            }
            for _ in chunk.invalid() {
                shown.push(at, Some('\u{fffd}'));
                at += 1;
            }
        }
        shown.push(at, None);
        shown
    }

    /// Returns the range of the displayed text for the range `start..end` of the source, in whole characters.
    pub fn range(&self, start: usize, end: usize) -> Range<usize> {
        let after = self.boundaries.partition_point(|(at, _)| *at <= start);
        let first = self.boundaries.get(after.saturating_sub(1)).map_or(0, |(_, shown)| *shown);
        let last = self.boundaries.partition_point(|(at, _)| *at < end);
        let last = self.boundaries.get(last).map_or(self.text.len(), |(_, shown)| *shown);
        first..last.max(first)
    }

    fn push(&mut self, at: usize, replacement: Option<char>) {
        self.boundaries.push((at, self.text.len()));
        self.text.extend(replacement);
    }
}

/// Marks that change the direction of text, and separators of lines.
const fn reorders(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_get_through() {
        assert_eq!(line("a\u{1b}[31mb\nc\u{202e}d"), "a\\u{1b}[31mb\\u{a}c\\u{202e}d");
        let source = |bytes: &[u8]| DisplayText::new(bytes).text;
        assert_eq!(
            source(b"a\x1b[0m\r\n\tb\xff\x7f\r"),
            "a\u{241b}[0m\n\tb\u{fffd}\u{2421}\u{240d}"
        );
        assert_eq!(source("x\u{202e}y\u{9b}".as_bytes()), "x\u{fffd}y\u{fffd}");
    }

    #[test]
    fn ranges_are_whole_characters() {
        let shown = DisplayText::new(b"\xc3\x80\x80\x00z");
        assert_eq!(shown.text, "\u{c0}\u{fffd}\u{2400}z");
        assert_eq!(shown.range(0, 1), 0..2);
        assert_eq!(shown.range(1, 2), 0..2);
        assert_eq!(shown.range(2, 3), 2..5);
        assert_eq!(shown.range(4, 5), 8..9);
        assert_eq!(shown.range(5, 5), 9..9);
        assert_eq!(shown.range(7, 9), 9..9);
    }
}
