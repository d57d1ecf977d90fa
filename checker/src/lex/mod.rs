//! Bytes to preprocessing tokens, one at a time and on demand.

mod splices;

pub(crate) use splices::without_splices;
use splices::{peek_spliced, splice};

use crate::{
    span::Span,
    symbol::{Interner, Symbol},
    token::Punct,
};

/// The kind of a preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PpKind {
    /// A name; keywords are names here.
    Identifier,
    /// A preprocessing number.
    Number,
    /// A character constant, quotes included.
    Character,
    /// A string literal, quotes included.
    String,
    Punct(Punct),
    /// A byte that begins no token, or a quote without its partner; `symbol` is the text.
    Stray,
    /// The parameter of a macro in its body; `symbol` is its number.
    Parameter,
    /// The place of an empty argument of `##`.
    Placemarker,
    /// A pragma line, `symbol` is its text.
    Pragma,
    /// The end of the line, inside a directive only.
    EndOfLine,
    /// The end of the file, or of the text being expanded.
    End,
}

/// Properties of one occurrence of a token, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u8);

impl Flags {
    /// White space comes before it.
    pub(crate) const SPACE: Self = Self(1);
    /// First token of its line.
    pub(crate) const LINE_START: Self = Self(2);
    /// The name of a macro met inside its own expansion: never expanded again.
    pub(crate) const PAINTED: Self = Self(4);
    /// Whether `#` comes before the parameter, in a macro body.
    pub(crate) const STRINGIZE: Self = Self(8);
    /// Whether `##` comes after the token, in a macro body.
    pub(crate) const PASTE: Self = Self(16);
    /// Spelled as a digraph.
    pub(crate) const DIGRAPH: Self = Self(32);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A preprocessing token, 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PpToken {
    pub(crate) kind: PpKind,
    pub(crate) flags: Flags,
    pub(crate) symbol: Symbol,
    pub(crate) span: Span,
}

impl PpToken {
    pub(crate) const fn is(self, punct: Punct) -> bool {
        matches!(self.kind, PpKind::Punct(own) if own as u8 == punct as u8)
    }

    pub(crate) const fn has(self, flag: Flags) -> bool {
        self.flags.has(flag)
    }
}

/// A place in a file from which tokens are read; copying it saves the place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexer {
    pub(crate) position: u32,
    pub(crate) end: u32,
    /// The next token is the first of its line.
    pub(crate) at_line_start: bool,
    /// A block comment runs to the end of the file: where it begins.
    pub(crate) open_comment: Option<u32>,
}

const NAME: u8 = 1;
const DIGIT: u8 = 2;
const SPACE: u8 = 4;

/// The classes of each byte. Bytes from 128 on are letters; UTF-8 is checked later.
static CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        table[byte] = match character {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 128..=255 => NAME,
            b'0'..=b'9' => DIGIT,
            b' ' | b'\t' | b'\r' | 11 | 12 => SPACE,
            _ => 0,
        };
        byte += 1;
    }
    table
};

const fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

impl Lexer {
    pub(crate) const fn new(range: Span) -> Self {
        Self { position: range.start, end: range.end, at_line_start: true, open_comment: None }
    }

    /// Returns the next token of the file, across lines; [`PpKind::End`] each time at its end.
    pub(crate) fn next(&mut self, text: &[u8], interner: &mut Interner) -> PpToken {
        let mut flags = Flags::default();
        if self.skip_space(text) {
            flags = flags.with(Flags::SPACE);
        }
        while self.byte(text) == b'\n' && self.position < self.end {
            self.position += 1;
            self.at_line_start = true;
            self.skip_space(text);
        }
        if self.at_line_start {
            self.at_line_start = false;
            flags = flags.with(Flags::LINE_START).with(Flags::SPACE);
        }
        self.token(text, interner, flags)
    }

    /// Returns the next token of this line; [`PpKind::EndOfLine`] each time at its end.
    pub(crate) fn next_in_line(&mut self, text: &[u8], interner: &mut Interner) -> PpToken {
        let mut flags = Flags::default();
        if self.skip_space(text) {
            flags = flags.with(Flags::SPACE);
        }
        if self.position >= self.end || self.byte(text) == b'\n' {
            return PpToken {
                kind: PpKind::EndOfLine,
                flags,
                symbol: Symbol::EMPTY,
                span: Span::new(self.position, self.position),
            };
        }
        self.token(text, interner, flags)
    }

    /// Skips to the newline that ends this line, over strings and comments.
    pub(crate) fn skip_line(&mut self, text: &[u8]) {
        while self.position < self.end {
            match self.byte(text) {
                b'\n' => return,
                quote @ (b'"' | b'\'') => {
                    self.position = self.quoted_end(text, self.position, quote).0;
                }
                b'/' if matches!(self.peek(text, 1), b'/' | b'*') => {
                    self.skip_space(text);
                }
                b'\\' => {
                    self.position =
                        splice(text, self.position, self.end).unwrap_or(self.position + 1);
                }
                _ => self.position += 1,
            }
        }
    }

    /// Skips everything up to the next comment, reads that comment and returns it.
    pub(crate) fn next_comment(&mut self, text: &[u8]) -> Option<Span> {
        loop {
            let rest = &text[self.position as usize..self.end as usize];
            self.position += memchr::memchr3(b'"', b'\'', b'/', rest)? as u32;
            let start = self.position;
            match self.byte(text) {
                b'/' if self.skip_comment(text) => return Some(Span::new(start, self.position)),
                b'/' => self.position += 1,
                quote => self.position = self.quoted_end(text, start, quote).0,
            }
        }
    }

    /// Returns the rest of the line after white space, comments cut off at its end only by `<...>` parsing callers;
    /// used for header names: the bytes up to `close`, or `None` when the line ends first.
    pub(crate) fn header_name(&mut self, text: &[u8], close: u8) -> Option<Span> {
        let start = self.position;
        let rest = &text[start as usize..self.end as usize];
        let length = memchr::memchr2(close, b'\n', rest)?;
        if rest[length] != close {
            return None;
        }
        self.position = start + length as u32 + 1;
        Some(Span::new(start, start + length as u32))
    }

    /// Skips white space, splices and comments, newlines not. Returns whether there was any.
    pub(crate) fn skip_space(&mut self, text: &[u8]) -> bool {
        let before = self.position;
        while self.position < self.end {
            match self.byte(text) {
                b' ' | b'\t' | b'\r' | 11 | 12 => self.position += 1,
                b'/' if self.skip_comment(text) => {}
                b'\\' => match splice(text, self.position, self.end) {
                    Some(after) => self.position = after,
                    None => break,
                },
                _ => break,
            }
        }
        self.position != before
    }

    /// Skips the comment that begins at the `/` here, if one does.
    fn skip_comment(&mut self, text: &[u8]) -> bool {
        match self.peek(text, 1) {
            b'/' => self.skip_line_comment(text),
            b'*' => self.skip_block_comment(text),
            b'\\' => return self.spliced_comment(text),
            _ => return false,
        }
        true
    }

    fn skip_line_comment(&mut self, text: &[u8]) {
        loop {
            let rest = &text[self.position as usize..self.end as usize];
            match memchr::memchr2(b'\n', b'\\', rest) {
                None => {
                    self.position = self.end;
                    return;
                }
                Some(at) => {
                    self.position += at as u32;
                    if rest[at] == b'\n' {
                        return;
                    }
                    self.position =
                        splice(text, self.position, self.end).unwrap_or(self.position + 1);
                }
            }
        }
    }

    fn skip_block_comment(&mut self, text: &[u8]) {
        let start = self.position;
        let mut at = start + 2;
        loop {
            let rest = text.get(at as usize..self.end as usize).unwrap_or_default();
            let Some(star) = memchr::memchr(b'*', rest) else {
                self.open_comment = Some(start);
                self.position = self.end;
                return;
            };
            at += star as u32 + 1;
            let (next, after) = peek_spliced(text, at, self.end);
            if next == b'/' {
                self.position = after;
                return;
            }
        }
    }

    /// Skips a comment whose two opening characters are on two lines.
    fn spliced_comment(&mut self, text: &[u8]) -> bool {
        let (next, after) = peek_spliced(text, self.position + 1, self.end);
        match next {
            b'/' => self.skip_line_comment(text),
            b'*' => {
                let start = self.position;
                self.position = after - 2;
                self.skip_block_comment(text);
                if self.open_comment.is_some() {
                    self.open_comment = Some(start);
                }
            }
            _ => return false,
        }
        true
    }

    /// Reads the token that begins here.
    fn token(&mut self, text: &[u8], interner: &mut Interner, flags: Flags) -> PpToken {
        let start = self.position;
        if start >= self.end {
            return self.finish(PpKind::End, flags, Symbol::EMPTY, start, start);
        }
        let byte = self.byte(text);
        let digit_follows = || is(peek_spliced(text, start + 1, self.end).0, DIGIT);
        if is(byte, NAME) {
            self.name(text, interner, flags)
        } else if is(byte, DIGIT) || byte == b'.' && digit_follows() {
            self.number(text, interner, flags)
        } else if byte == b'"' || byte == b'\'' {
            self.quoted(text, interner, flags, start, byte)
        } else {
            self.punct(text, interner, flags)
        }
    }

    fn name(&mut self, text: &[u8], interner: &mut Interner, flags: Flags) -> PpToken {
        let start = self.position;
        let mut at = start as usize;
        let end = self.end as usize;
        while at < end && is(text[at], NAME | DIGIT) {
            at += 1;
        }
        if at < end && text[at] == b'\\' && splice(text, at as u32, self.end).is_some() {
            return self.spliced_word(text, interner, flags, PpKind::Identifier);
        }
        let name = &text[start as usize..at];
        if name == b"L" && at < end && matches!(text[at], b'"' | b'\'') {
            return self.quoted(text, interner, flags, at as u32, text[at]);
        }
        self.word(interner, flags, PpKind::Identifier, name, at as u32)
    }

    fn number(&mut self, text: &[u8], interner: &mut Interner, flags: Flags) -> PpToken {
        let start = self.position as usize;
        let mut at = start;
        let end = self.end as usize;
        while at < end {
            let byte = text[at];
            let exponent_sign =
                matches!(byte, b'+' | b'-') && matches!(text[at - 1], b'e' | b'E' | b'p' | b'P');
            if !is(byte, NAME | DIGIT) && byte != b'.' && !exponent_sign {
                break;
            }
            at += 1;
        }
        if at < end && text[at] == b'\\' && splice(text, at as u32, self.end).is_some() {
            return self.spliced_word(text, interner, flags, PpKind::Number);
        }
        self.word(interner, flags, PpKind::Number, &text[start..at], at as u32)
    }

    /// Reads a name or number with a line splice inside or after it.
    fn spliced_word(
        &mut self,
        text: &[u8],
        interner: &mut Interner,
        flags: Flags,
        kind: PpKind,
    ) -> PpToken {
        let mut word = Vec::new();
        let mut at = self.position;
        loop {
            let (byte, after) = peek_spliced(text, at, self.end);
            let goes_on = is(byte, NAME | DIGIT)
                || kind == PpKind::Number
                    && (byte == b'.'
                        || matches!(byte, b'+' | b'-')
                            && matches!(word.last(), Some(b'e' | b'E' | b'p' | b'P')));
            if !goes_on {
                break;
            }
            word.push(byte);
            at = after;
        }
        self.word(interner, flags, kind, &word, at)
    }

    fn word(
        &mut self,
        interner: &mut Interner,
        flags: Flags,
        kind: PpKind,
        text: &[u8],
        end: u32,
    ) -> PpToken {
        let start = self.position;
        if let Some(symbol) = interner.intern_bytes(text) {
            return self.finish(kind, flags, symbol, start, end);
        }
        let symbol = interner.intern(&escape_bytes(text));
        self.finish(PpKind::Stray, flags, symbol, start, end)
    }

    /// Reads a string or character constant whose quote is at `open`, after an optional prefix.
    fn quoted(
        &mut self,
        text: &[u8],
        interner: &mut Interner,
        flags: Flags,
        open: u32,
        quote: u8,
    ) -> PpToken {
        let start = self.position;
        let (end, closed) = self.quoted_end(text, open, quote);
        let kind = match quote {
            _ if !closed => PpKind::Stray,
            b'"' => PpKind::String,
            _ => PpKind::Character,
        };
        let bytes = &text[start as usize..end as usize];
        let symbol = match memchr::memchr2(b'\n', b'\r', bytes) {
            None => interner.intern_bytes(bytes),
            Some(_) => interner.intern_bytes(&without_splices(bytes)),
        };
        // Octal escapes keep bytes that are not UTF-8.
        let symbol =
            symbol.unwrap_or_else(|| interner.intern(&escape_bytes(&without_splices(bytes))));
        self.finish(kind, flags, symbol, start, end)
    }

    /// Returns the offset after the closing quote, or the end of the line, and whether there is a closing quote.
    fn quoted_end(&self, text: &[u8], open: u32, quote: u8) -> (u32, bool) {
        let mut at = open + 1;
        loop {
            let rest = &text[at as usize..self.end as usize];
            let Some(found) = memchr::memchr3(quote, b'\\', b'\n', rest) else {
                return (self.end, false);
            };
            at += found as u32;
            match rest[found] {
                b'\\' => {
                    at = splice(text, at, self.end).unwrap_or_else(|| {
                        let (_, after) = peek_spliced(text, at + 1, self.end);
                        // An escaped newline was a splice, so this is one byte, or none at the end.
                        after
                    });
                }
                b'\n' => return (at, false),
                _ => return (at + 1, true),
            }
        }
    }

    fn punct(&mut self, text: &[u8], interner: &mut Interner, flags: Flags) -> PpToken {
        let start = self.position;
        let mut bytes = [0; 4];
        let mut ends = [start, start + 1, start + 2, start + 3, start + 4];
        let rest = &text[start as usize..self.end as usize];
        let length = rest.len().min(4);
        bytes[..length].copy_from_slice(&rest[..length]);
        if bytes.contains(&b'\\') {
            for index in 0..4 {
                (bytes[index], ends[index + 1]) = peek_spliced(text, ends[index], self.end);
            }
        }
        if let Some((punct, length)) = punct_of(bytes) {
            let digraph =
                matches!(bytes[0], b'<' | b':' | b'%') && punct.text().as_bytes()[0] != bytes[0];
            let flags = if digraph { flags.with(Flags::DIGRAPH) } else { flags };
            return self.finish(PpKind::Punct(punct), flags, Symbol::EMPTY, start, ends[length]);
        }
        let symbol = interner.intern(&escape_bytes(&bytes[..1]));
        self.finish(PpKind::Stray, flags, symbol, start, start + 1)
    }

    fn finish(
        &mut self,
        kind: PpKind,
        flags: Flags,
        symbol: Symbol,
        start: u32,
        end: u32,
    ) -> PpToken {
        self.position = end;
        PpToken { kind, flags, symbol, span: Span::new(start, end) }
    }

    fn byte(&self, text: &[u8]) -> u8 {
        text.get(self.position as usize).copied().unwrap_or(0)
    }

    fn peek(&self, text: &[u8], distance: u32) -> u8 {
        let at = self.position + distance;
        if at < self.end { text[at as usize] } else { 0 }
    }
}

/// Returns the longest punctuator at the front of `bytes`, and its length.
fn punct_of(bytes: [u8; 4]) -> Option<(Punct, usize)> {
    use Punct as P;
    let [a, b, c, d] = bytes;
    Some(match (a, b, c) {
        (b'.', b'.', b'.') => (P::Ellipsis, 3),
        (b'<', b'<', b'=') => (P::ShlEq, 3),
        (b'>', b'>', b'=') => (P::ShrEq, 3),
        (b'%', b':', b'%') if d == b':' => (P::HashHash, 4),
        (b'-', b'>', _) => (P::Arrow, 2),
        (b'+', b'+', _) => (P::PlusPlus, 2),
        (b'-', b'-', _) => (P::MinusMinus, 2),
        (b'<', b'<', _) => (P::Shl, 2),
        (b'>', b'>', _) => (P::Shr, 2),
        (b'<', b'=', _) => (P::Le, 2),
        (b'>', b'=', _) => (P::Ge, 2),
        (b'=', b'=', _) => (P::EqEq, 2),
        (b'!', b'=', _) => (P::Ne, 2),
        (b'&', b'&', _) => (P::AmpAmp, 2),
        (b'|', b'|', _) => (P::PipePipe, 2),
        (b'*', b'=', _) => (P::StarEq, 2),
        (b'/', b'=', _) => (P::SlashEq, 2),
        (b'%', b'=', _) => (P::PercentEq, 2),
        (b'+', b'=', _) => (P::PlusEq, 2),
        (b'-', b'=', _) => (P::MinusEq, 2),
        (b'&', b'=', _) => (P::AmpEq, 2),
        (b'^', b'=', _) => (P::CaretEq, 2),
        (b'|', b'=', _) => (P::PipeEq, 2),
        (b'#', b'#', _) => (P::HashHash, 2),
        (b'<', b':', _) => (P::LBracket, 2),
        (b':', b'>', _) => (P::RBracket, 2),
        (b'<', b'%', _) => (P::LBrace, 2),
        (b'%', b'>', _) => (P::RBrace, 2),
        (b'%', b':', _) => (P::Hash, 2),
        (b'(', ..) => (P::LParen, 1),
        (b')', ..) => (P::RParen, 1),
        (b'[', ..) => (P::LBracket, 1),
        (b']', ..) => (P::RBracket, 1),
        (b'{', ..) => (P::LBrace, 1),
        (b'}', ..) => (P::RBrace, 1),
        (b'.', ..) => (P::Dot, 1),
        (b'&', ..) => (P::Amp, 1),
        (b'*', ..) => (P::Star, 1),
        (b'+', ..) => (P::Plus, 1),
        (b'-', ..) => (P::Minus, 1),
        (b'~', ..) => (P::Tilde, 1),
        (b'!', ..) => (P::Bang, 1),
        (b'/', ..) => (P::Slash, 1),
        (b'%', ..) => (P::Percent, 1),
        (b'<', ..) => (P::Lt, 1),
        (b'>', ..) => (P::Gt, 1),
        (b'^', ..) => (P::Caret, 1),
        (b'|', ..) => (P::Pipe, 1),
        (b'?', ..) => (P::Question, 1),
        (b':', ..) => (P::Colon, 1),
        (b';', ..) => (P::Semi, 1),
        (b'=', ..) => (P::Eq, 1),
        (b',', ..) => (P::Comma, 1),
        (b'#', ..) => (P::Hash, 1),
        (b'@', ..) => (P::At, 1),
        _ => return None,
    })
}

/// Returns the text with each byte that is not part of UTF-8 as an octal escape.
fn escape_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push('\\');
            for shift in [6, 3, 0] {
                text.push(char::from(b'0' + (byte >> shift & 7)));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests;
