//! Declarations in the text, and their deletion.

use crate::{fix::Edit, source::SourceMap, span::Span};

/// Returns the declaration from `start` to its semicolon, where it is on one line.
pub(super) fn declaration(start: u32, sources: &SourceMap) -> Option<Span> {
    let text = sources.slice(Span::new(start, u32::MAX));
    let end = text.iter().position(|byte| matches!(byte, b';' | b'\n'))?;
    (text[end] == b';').then(|| Span::new(start, start + end as u32 + 1))
}

/// Returns the number of blanks from `place` on.
fn blanks_behind(place: u32, sources: &SourceMap) -> u32 {
    let behind = sources.slice(Span::new(place, u32::MAX));
    behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count() as u32
}

/// Returns the edit that deletes a text and the blanks after it.
pub(super) fn deletion(span: Span, sources: &SourceMap) -> Edit {
    let span = Span::new(span.start, span.end + blanks_behind(span.end, sources));
    Edit { span, text: String::new() }
}
