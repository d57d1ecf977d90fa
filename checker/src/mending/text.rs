//! The text of a program before macros are expanded, as tokens.

use std::collections::BTreeSet;

use crate::{
    lex::{Flags, Lexer, PpKind, PpToken},
    source::{FileId, SourceMap},
    span::Span,
    symbol::{Interner, Symbol},
    token::Punct,
};

/// Names of the directives that change the meaning of words.
const DEFINING: [&str; 3] = ["define", "undef", "include"];

/// The tokens of every file.
pub(super) struct Text<'s> {
    pub(super) sources: &'s SourceMap,
    interner: Interner,
    /// Tokens outside directives, in order.
    code: Vec<PpToken>,
    /// Tokens of directives, in order.
    directives: Vec<PpToken>,
}

impl<'s> Text<'s> {
    /// Reads the tokens of every file.
    pub(super) fn new(sources: &'s SourceMap) -> Self {
        let mut text = Self {
            sources,
            interner: Interner::default(),
            code: Vec::new(),
            directives: Vec::new(),
        };
        for file in 0..sources.file_count() {
            text.read(FileId(file as u32));
        }
        text
    }

    fn read(&mut self, file: FileId) {
        let mut lexer = Lexer::new(self.sources.range(file));
        let mut is_directive = false;
        loop {
            let token = lexer.next(self.sources.bytes(), &mut self.interner);
            if token.kind == PpKind::End {
                return;
            }
            if token.has(Flags::LINE_START) {
                is_directive = token.is(Punct::Hash);
            }
            let tokens = if is_directive { &mut self.directives } else { &mut self.code };
            tokens.push(token);
        }
    }

    /// Returns the name at `span`.
    pub(super) fn symbol(&self, span: Span) -> Option<Symbol> {
        self.interner.get(str::from_utf8(self.sources.slice(span)).ok()?)
    }

    /// Returns the text at `span`.
    pub(super) fn slice(&self, span: Span) -> Option<&'s str> {
        str::from_utf8(self.sources.slice(span)).ok()
    }

    /// Returns the tokens outside directives within `span`.
    pub(super) fn within(&self, span: Span) -> &[PpToken] {
        let from = self.code.partition_point(|token| token.span.start < span.start);
        let to = self.code.partition_point(|token| token.span.start < span.end);
        self.code.get(from..to).unwrap_or_default()
    }

    /// Returns the token before `place`.
    pub(super) fn before(&self, place: u32) -> Option<PpToken> {
        self.within(Span::new(0, place)).last().copied()
    }

    /// Returns the tokens from `place` on.
    pub(super) fn from(&self, place: u32) -> &[PpToken] {
        self.within(Span::new(place, u32::MAX))
    }

    /// Returns the places of a name outside directives.
    pub(super) fn occurrences(&self, name: Symbol, within: Span) -> impl Iterator<Item = Span> {
        let tokens = self.within(within).iter();
        tokens.filter(move |token| is_name(token, name)).map(|token| token.span)
    }

    /// Whether `name` occurs at places beyond `known`, or in a directive.
    pub(super) fn occurs_beyond(&self, name: Symbol, known: &BTreeSet<Span>) -> bool {
        let everywhere = Span::new(0, u32::MAX);
        self.is_in_directive(name)
            || self.occurrences(name, everywhere).any(|place| !known.contains(&place))
    }

    /// Whether a directive has `name`.
    pub(super) fn is_in_directive(&self, name: Symbol) -> bool {
        self.directives.iter().any(|token| is_name(token, name))
    }

    /// Whether `text` may have another meaning at a further place of `range`: it calls a macro, and a directive between
    /// the places defines macros.
    pub(super) fn may_differ(&self, text: Span, range: Span) -> bool {
        let defines = self.directives.windows(2).any(|pair| {
            let is_within = range.start <= pair[0].span.start && pair[0].span.start < range.end;
            is_within && pair[0].is(Punct::Hash) && self.is_defining(&pair[1])
        });
        defines && self.sources.is_in_macro_call(text)
    }

    fn is_defining(&self, token: &PpToken) -> bool {
        token.kind == PpKind::Identifier && DEFINING.contains(&self.interner.text(token.symbol))
    }

    /// Returns the place of the bracket that closes what is open at `place`.
    pub(super) fn closing(&self, place: u32) -> Option<Span> {
        let mut depth = 0_u32;
        for token in self.from(place) {
            match bracket(token) {
                Some(Bracket::Open) => depth += 1,
                Some(Bracket::Close) if depth == 0 => return Some(token.span),
                Some(Bracket::Close) => depth -= 1,
                None => {}
            }
        }
        None
    }

    /// Returns the semicolon that ends the declaration or statement in which `place` is.
    pub(super) fn semicolon(&self, place: u32) -> Option<Span> {
        let mut depth = 0_u32;
        for token in self.from(place) {
            match bracket(token) {
                Some(Bracket::Open) => depth += 1,
                Some(Bracket::Close) => depth = depth.checked_sub(1)?,
                None if depth == 0 && token.is(Punct::Semi) => return Some(token.span),
                None => {}
            }
        }
        None
    }

    /// Returns the place within the parentheses behind `name`.
    pub(super) fn list_behind(&self, name: Span) -> Option<Span> {
        let open = self.from(name.end).first().filter(|token| token.is(Punct::LParen))?;
        let close = self.closing(open.span.end)?;
        Some(Span::new(open.span.end, close.start))
    }
}

enum Bracket {
    Open,
    Close,
}

fn bracket(token: &PpToken) -> Option<Bracket> {
    match token.kind {
        PpKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => Some(Bracket::Open),
        PpKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => Some(Bracket::Close),
        _ => None,
    }
}

fn is_name(token: &PpToken, name: Symbol) -> bool {
    token.kind == PpKind::Identifier && token.symbol == name
}
