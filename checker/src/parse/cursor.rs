//! Moving through the tokens.

use crate::{
    dialect::Version,
    parse::{ParseResult, Parser, Stop, actions::Actions},
    space::Space,
    span::Span,
    symbol::Symbol,
    token::{Keyword, Punct, Token, TokenKind},
};

/// Most parentheses, statements, declarators and initializers within each other.
const DEPTH_LIMIT: u32 = 256;

impl<A: Actions> Parser<'_, A> {
    /// Steps over the current token and returns it.
    pub(crate) fn bump(&mut self) -> Token {
        let token = self.current;
        self.previous = token.span;
        if token.kind != TokenKind::End {
            self.at += 1;
            self.load();
        }
        token
    }

    pub(super) fn load(&mut self) {
        if let Some(&token) = self.tokens.get(self.at) {
            self.current = token;
            if token.kind == TokenKind::Pragma {
                self.skip_pragmas();
            }
            if self.current.kind == TokenKind::Keyword(Keyword::Generic) {
                self.take_generic_as_name();
            }
        } else {
            let end = Span::new(self.previous.end, self.previous.end);
            self.current = Token { kind: TokenKind::End, symbol: Symbol::EMPTY, span: end };
        }
    }

    /// Takes `generic` as a name where it cannot be a qualifier: before 2.0 it is disputed whether the word is
    /// reserved.
    fn take_generic_as_name(&mut self) {
        if self.dialect.version >= Version::V2_0 {
            return;
        }
        let is_name = match self.peek(1) {
            TokenKind::Punct(punct) => !matches!(punct, Punct::Star | Punct::Caret),
            _ => false,
        };
        if !is_name && !self.generic_is_a_name {
            return;
        }
        self.current.kind = TokenKind::Identifier;
        if !self.generic_is_a_name {
            self.generic_is_a_name = true;
            self.actions.generic_as_name(self.current.span);
        }
    }

    pub(crate) fn skip_pragmas(&mut self) {
        while self.current.kind == TokenKind::Pragma {
            let text = self.interner.text(self.current.symbol);
            self.actions.pragma(text, self.current.span);
            self.at += 1;
            match self.tokens.get(self.at) {
                Some(&token) => self.current = token,
                None => self.current = Token { kind: TokenKind::End, ..self.current },
            }
        }
    }

    /// Returns the kind of the token `distance` after the current one.
    pub(crate) fn peek(&self, distance: usize) -> TokenKind {
        self.peek_token(distance).map_or(TokenKind::End, |token| token.kind)
    }

    pub(crate) fn peek_token(&self, distance: usize) -> Option<Token> {
        let rest = self.tokens.get(self.at..)?;
        let mut rest = rest.iter().filter(|token| token.kind != TokenKind::Pragma);
        rest.nth(distance).copied()
    }

    /// Whether the token before the current one is `punct`.
    pub(crate) fn is_behind(&self, punct: Punct) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.is_some_and(|token| token.kind == TokenKind::Punct(punct))
    }

    pub(crate) fn is(&self, punct: Punct) -> bool {
        self.current.kind == TokenKind::Punct(punct)
    }

    pub(crate) fn is_keyword(&self, keyword: Keyword) -> bool {
        self.current.kind == TokenKind::Keyword(keyword)
    }

    pub(crate) fn eat(&mut self, punct: Punct) -> bool {
        let found = self.is(punct);
        if found {
            self.bump();
        }
        found
    }

    pub(crate) fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.bump();
        }
        found
    }

    pub(crate) fn expect(&mut self, punct: Punct, place: &str) -> ParseResult<Token> {
        if self.is(punct) {
            return Ok(self.bump());
        }
        self.unexpected(&format!("`{}` {place}", punct.text()))
    }

    /// Reports that `wanted` was expected instead of the current token.
    pub(crate) fn unexpected<T>(&mut self, wanted: &str) -> ParseResult<T> {
        let found = self.current_text();
        self.fatal(self.current.span, format!("expected {wanted}, found {found}"))
    }

    fn current_text(&self) -> String {
        match self.current.kind {
            TokenKind::Punct(punct) => format!("`{}`", punct.text()),
            TokenKind::End => "the end of the program".to_owned(),
            TokenKind::Keyword(keyword) => format!("keyword `{}`", keyword_text(keyword)),
            _ => format!("`{}`", self.interner.text(self.current.symbol)),
        }
    }

    /// Reports that the program is not understood at `span`; reading may continue after it.
    pub(crate) fn fatal<T>(&mut self, span: Span, message: impl Into<String>) -> ParseResult<T> {
        if self.recovery.count_mistake(self.at) {
            self.actions.not_understood(span, message.into());
        }
        Err(Stop)
    }

    /// Reports that the program is not understood from `span` on.
    pub(crate) fn give_up_at<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
    ) -> ParseResult<T> {
        let stop = self.fatal(span, message);
        self.recovery.give_up();
        stop
    }

    /// Goes one level deeper; [`Parser::leave`] is the counterpart.
    pub(crate) fn enter(&mut self) -> ParseResult<()> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return self.give_up_at(
                self.current.span,
                format!("constructs are nested more than {DEPTH_LIMIT} levels deep here"),
            );
        }
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Returns the space that the current token names; `generic` counts.
    pub(crate) fn space_word(&self) -> Option<Space> {
        space_of(self.current.kind)
    }

    /// Reads the name of a space that is used as an ordinary name, and reports it.
    pub(crate) fn reserved_name(&mut self) -> Token {
        let token = self.bump();
        if let Some(space) = space_of(token.kind) {
            self.actions.reserved_name(space, token.span);
        }
        token
    }

    /// Reads an identifier. Returns `None` for a reserved name, which it reports.
    pub(crate) fn name(&mut self, what: &str) -> ParseResult<Option<Symbol>> {
        if self.current.kind == TokenKind::Identifier {
            return Ok(Some(self.bump().symbol));
        }
        if self.space_word().is_some() {
            self.reserved_name();
            return Ok(None);
        }
        self.unexpected(what)
    }

    /// Whether a type or declaration may start with the token `distance` after the current one.
    pub(crate) fn starts_type(&self, distance: usize) -> bool {
        let token = if distance == 0 { Some(self.current) } else { self.peek_token(distance) };
        let Some(token) = token else { return false };
        match token.kind {
            TokenKind::Identifier => self.actions.named_type(token.symbol).is_some(),
            TokenKind::Keyword(keyword) if keyword.names_type() => true,
            TokenKind::Keyword(keyword) => matches!(
                keyword,
                Keyword::Typeof
                    | Keyword::Const
                    | Keyword::Volatile
                    | Keyword::Restrict
                    | Keyword::Complex
                    | Keyword::Imaginary
                    | Keyword::Atomic
                    | Keyword::Global
                    | Keyword::Local
                    | Keyword::Constant
                    | Keyword::Private
                    | Keyword::Generic
                    | Keyword::ReadOnly
                    | Keyword::WriteOnly
                    | Keyword::ReadWrite
                    | Keyword::Pipe
                    | Keyword::Attribute
            ),
            _ => false,
        }
    }
}

pub(super) fn space_of(kind: TokenKind) -> Option<Space> {
    match kind {
        TokenKind::Keyword(Keyword::Global) => Some(Space::Global),
        TokenKind::Keyword(Keyword::Local) => Some(Space::Local),
        TokenKind::Keyword(Keyword::Constant) => Some(Space::Constant),
        TokenKind::Keyword(Keyword::Private) => Some(Space::Private),
        TokenKind::Keyword(Keyword::Generic) => Some(Space::Generic),
        _ => None,
    }
}

fn keyword_text(keyword: Keyword) -> &'static str {
    let spellings = Keyword::SPELLINGS.iter();
    spellings.copied().find(|&(_, known)| known == keyword).map_or("?", |(text, _)| text)
}
