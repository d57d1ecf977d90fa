//! Places in a document as the protocol has them: lines from 0, and UTF-16 code units within a line.

use lsp_types::{Position, Range};

use crate::span::Span;

/// Returns the position of a byte.
pub(super) fn position(text: &str, offset: u32) -> Position {
    let mut offset = (offset as usize).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    let character = before[line_start..].encode_utf16().count();
    Position { line: line as u32, character: character as u32 }
}

/// Returns the byte at a position; the end of the line where the position is after it.
pub(super) fn offset(text: &str, position: Position) -> u32 {
    let mut start = 0;
    for _ in 0..position.line {
        match text[start..].find('\n') {
            Some(newline) => start += newline + 1,
            None => return text.len() as u32,
        }
    }
    let line = text[start..].split('\n').next().unwrap_or_default();
    let mut units = 0;
    for (at, character) in line.char_indices() {
        if units >= position.character {
            return (start + at) as u32;
        }
        units += character.len_utf16() as u32;
    }
    (start + line.len()) as u32
}

/// Returns the range of a span.
pub(super) fn range(text: &str, span: Span) -> Range {
    Range { start: position(text, span.start), end: position(text, span.end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_code_units() {
        let text = "a\u{e9}\u{1f600}b\nc";
        for (at, line, character) in
            [(0, 0, 0), (1, 0, 1), (3, 0, 2), (7, 0, 4), (9, 1, 0), (10, 1, 1)]
        {
            let found = Position { line, character };
            assert_eq!(position(text, at), found, "{at}");
            assert_eq!(offset(text, found), at, "{found:?}");
        }
        assert_eq!(offset(text, Position { line: 0, character: 99 }), 8);
        assert_eq!(offset(text, Position { line: 9, character: 0 }), 10);
    }
}
