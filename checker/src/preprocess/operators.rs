//! `#`, `##`, and the macros that the preprocessor answers itself.

use std::ops::Range;

use super::{KnownLine, Run, include, macros::Special};
use crate::{
    lex::{Flags, Lexer, PpKind, PpToken},
    span::Span,
    token::Punct,
};

/// The longest name or number that `##` may make, and the longest string that `#` may make.
const MAX_TEXT: usize = 1 << 20;

/// The attributes that real programs ask for with `__has_attribute`.
const ATTRIBUTES: &[&str] = &[
    "address_space",
    "aligned",
    "always_inline",
    "const",
    "convergent",
    "deprecated",
    "endian",
    "ext_vector_type",
    "flatten",
    "format",
    "intel_reqd_sub_group_size",
    "may_alias",
    "noduplicate",
    "noinline",
    "nosvm",
    "opencl_unroll_hint",
    "overloadable",
    "packed",
    "pure",
    "reqd_work_group_size",
    "unused",
    "used",
    "vec_type_hint",
    "vector_size",
    "weak",
    "work_group_size_hint",
];

impl Run<'_> {
    /// Returns the spelling of a token.
    pub(super) fn spelling(&self, token: PpToken) -> &str {
        match token.kind {
            PpKind::Punct(punct) if token.has(Flags::DIGRAPH) => match punct {
                Punct::LBracket => "<:",
                Punct::RBracket => ":>",
                Punct::LBrace => "<%",
                Punct::RBrace => "%>",
                Punct::Hash => "%:",
                _ => "%:%:",
            },
            PpKind::Punct(punct) => punct.text(),
            _ => self.interner.text(token.symbol),
        }
    }

    /// Returns the tokens in that range of the buffer of arguments as one string literal.
    pub(super) fn stringize(
        &mut self,
        name: PpToken,
        item: PpToken,
        argument: Range<usize>,
    ) -> PpToken {
        let mut text = std::mem::take(&mut self.buffers.text);
        text.clear();
        text.push('"');
        let mut last_backslashes = 0;
        for index in argument.clone() {
            let token = self.buffers.arguments[index];
            if token.has(Flags::SPACE) && index != argument.start {
                text.push(' ');
            }
            let escapes = matches!(token.kind, PpKind::String | PpKind::Character | PpKind::Stray);
            for character in self.spelling(token).chars() {
                if escapes && matches!(character, '"' | '\\') {
                    text.push('\\');
                }
                text.push(character);
                last_backslashes = if character == '\\' { last_backslashes + 1 } else { 0 };
            }
            if text.len() > MAX_TEXT {
                self.fatal(name.span, "`#` makes a string of more than a million characters");
                break;
            }
        }
        if last_backslashes % 2 == 1 {
            text.push('\\');
        }
        text.push('"');
        self.account(name, text.len() / 8);
        let symbol = self.interner.intern(&text);
        self.buffers.text = text;
        let flags = item.flags.without(Flags::STRINGIZE).without(Flags::PASTE);
        PpToken { kind: PpKind::String, flags, symbol, span: name.span }
    }

    /// Joins the token before `from` in the scratch buffer to the one at `from`.
    pub(super) fn paste(&mut self, name: PpToken, from: usize) {
        if from == 0 || from >= self.buffers.scratch.len() {
            return;
        }
        let left = self.buffers.scratch[from - 1];
        let right = self.buffers.scratch[from];
        let joined = if right.kind == PpKind::Placemarker {
            left
        } else if left.kind == PpKind::Placemarker {
            PpToken { flags: super::expand::spaced_like(right.flags, left.flags), ..right }
        } else {
            match self.join(name, left, right) {
                Some(joined) => joined,
                None => return,
            }
        };
        self.buffers.scratch[from - 1] = joined;
        self.buffers.scratch.remove(from);
    }

    fn join(&mut self, name: PpToken, left: PpToken, right: PpToken) -> Option<PpToken> {
        let mut text = std::mem::take(&mut self.buffers.text);
        text.clear();
        text.push_str(self.spelling(left));
        text.push_str(self.spelling(right));
        self.account(name, text.len() / 8);
        let range = Span::new(0, text.len() as u32);
        let mut lexer = Lexer { at_line_start: false, ..Lexer::new(range) };
        let joined = lexer.next(text.as_bytes(), self.interner);
        let is_token = text.len() <= MAX_TEXT
            && joined.span == range
            && !matches!(joined.kind, PpKind::Stray | PpKind::End);
        if !is_token {
            let shown: String = text.chars().take(40).collect();
            self.fatal(
                name.span,
                format!("`##` makes `{}`, which is not a token", shown.escape_debug()),
            );
        }
        self.buffers.text = text;
        let flags = left.flags.without(Flags::PAINTED);
        is_token.then_some(PpToken { flags, span: name.span, ..joined })
    }

    /// Expands a macro by code. Returns `false` where the name is not expanded.
    pub(super) fn special(&mut self, name: PpToken, special: Special) -> bool {
        let (kind, text) = match special {
            Special::Line => (PpKind::Number, self.presumed_line(name.span.start).to_string()),
            Special::File => (PpKind::String, quote(self.sources.position(name.span.start).file)),
            Special::BaseFile => {
                (PpKind::String, quote(self.sources.name(crate::source::FileId(0))))
            }
            Special::IncludeLevel => {
                (PpKind::Number, self.buffers.files.len().saturating_sub(1).to_string())
            }
            Special::Counter => {
                self.counter += 1;
                (PpKind::Number, (self.counter - 1).to_string())
            }
            Special::Pragma => return self.pragma_operator(name),
            Special::HasInclude | Special::HasAttribute | Special::HasNothing => {
                return self.has_operator(name, special);
            }
        };
        self.push_text(name, kind, &text);
        true
    }

    fn push_text(&mut self, name: PpToken, kind: PpKind, text: &str) {
        let symbol = self.interner.intern(text);
        self.push_made(name, PpToken { kind, flags: Flags::default(), symbol, span: name.span });
    }

    /// Returns the line of `offset` in the innermost file, as `#line` presents it.
    fn presumed_line(&mut self, offset: u32) -> u32 {
        let Some(file) = self.buffers.files.last_mut() else { return 1 };
        let line = match file.known_line {
            Some(known) if known.offset <= offset => {
                known.line.saturating_add(self.sources.count_lines(known.offset, offset))
            }
            _ => self.sources.position(offset).line,
        };
        file.known_line = Some(KnownLine { offset, line });
        line
    }

    /// Obeys `_Pragma("text")` like the line `#pragma text`.
    fn pragma_operator(&mut self, name: PpToken) -> bool {
        if !self.accept_paren() {
            return false;
        }
        let string = self.expanded();
        let close = self.expanded();
        if string.kind != PpKind::String || !close.is(Punct::RParen) {
            self.fatal(name.span, "`_Pragma` takes one string literal");
            return true;
        }
        let text = self.interner.text(string.symbol).trim_start_matches('L');
        let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        let mut line = String::with_capacity(inside.len());
        let mut characters = inside.chars();
        while let Some(character) = characters.next() {
            let character = match character {
                '\\' => characters.next().unwrap_or('\\'),
                character => character,
            };
            line.push(character);
        }
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        self.push_text(name, PpKind::Pragma, &line);
        true
    }

    /// Evaluates `__has_include(...)` and its like.
    fn has_operator(&mut self, name: PpToken, special: Special) -> bool {
        if !self.accept_paren() {
            return false;
        }
        let mut text = String::new();
        let mut depth = 0u32;
        loop {
            let token = if special == Special::HasInclude { self.expanded() } else { self.fetch() };
            match token.kind {
                PpKind::End => {
                    let message = format!("`{}` lacks its `)`", self.interner.text(name.symbol));
                    self.fatal(name.span, message);
                    return true;
                }
                PpKind::Punct(Punct::RParen) if depth == 0 => break,
                PpKind::Punct(Punct::RParen) => depth -= 1,
                PpKind::Punct(Punct::LParen) => depth += 1,
                _ => {}
            }
            text.push_str(self.spelling(token));
        }
        let holds = match special {
            Special::HasAttribute => {
                let plain = text.trim_start_matches("__").trim_end_matches("__");
                ATTRIBUTES.contains(&plain)
            }
            Special::HasInclude => self.has_include(&text, name.span),
            _ => false,
        };
        self.push_text(name, PpKind::Number, if holds { "1" } else { "0" });
        true
    }

    fn has_include(&mut self, spelled: &str, at: Span) -> bool {
        let (header, quoted) = match spelled.as_bytes() {
            [b'"', .., b'"'] => (&spelled[1..spelled.len() - 1], true),
            [b'<', .., b'>'] => (&spelled[1..spelled.len() - 1], false),
            _ => {
                self.fatal(at, "`__has_include` takes a header name");
                return false;
            }
        };
        let including = self.including_name().to_owned();
        include::candidates(header, quoted, &including, self.include_dirs)
            .any(|path| self.loader.load(&path).is_ok())
    }

    /// Returns the name of the innermost file.
    pub(super) fn including_name(&self) -> &str {
        self.buffers.files.last().map_or("", |file| self.sources.name(file.id))
    }
}

/// Returns `text` as a string literal.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}
