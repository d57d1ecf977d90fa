//! Recovery from mistakes of syntax: a missing token is taken as written, or the item with the mistake is skipped.
//!
//! Consequences of a mistake are not reported: once a part was skipped, a name without a declaration may be declared
//! there.

use crate::{
    parse::{ParseResult, Parser, Stop, actions::Actions, syntax::Declarator},
    token::{Keyword, Punct, TokenKind},
};

/// Number of syntax errors after which reading ends.
const MAX_ERRORS: u32 = 20;

/// The mistakes of syntax met so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Recovery {
    errors: u32,
    /// Index of the token at the last mistake.
    last: Option<usize>,
    /// Whether reading is over.
    is_over: bool,
    /// Whether a part of the program was skipped.
    has_skipped: bool,
    /// Index of a function definition inside another function: a `}` is missing before it.
    definition: Option<usize>,
}

impl Recovery {
    /// Counts a mistake at the token `at`. Returns `false` where one was reported already.
    pub(crate) fn count_mistake(&mut self, at: usize) -> bool {
        if self.is_over || self.last == Some(at) {
            return false;
        }
        self.last = Some(at);
        self.errors += 1;
        self.is_over = self.errors >= MAX_ERRORS;
        true
    }

    pub(crate) fn give_up(&mut self) {
        self.is_over = true;
    }
}

/// The lists and scopes that were open where an item began.
struct Mark<M> {
    at: usize,
    depth: u32,
    actions: M,
    levels: usize,
    parameters: usize,
    members: usize,
    arguments: usize,
    pending: usize,
}

impl<A: Actions> Parser<'_, A> {
    /// Reads an item of a body, and skips it where it is not understood.
    pub(super) fn recovering<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> ParseResult<Option<T>>,
    ) -> ParseResult<Option<T>> {
        if self.recovery.has_skipped {
            // Its `if` may have been skipped; its own statement need not be.
            self.eat_keyword(Keyword::Else);
        }
        let mark = self.mark();
        match read(self) {
            Ok(value) => Ok(value),
            Err(Stop) if self.recovery.is_over || self.recovery.definition.is_some() => Err(Stop),
            Err(Stop) => {
                self.close_to(&mark);
                self.skip_item(mark.at);
                if self.current.kind == TokenKind::End { Err(Stop) } else { Ok(None) }
            }
        }
    }

    /// Reads a declaration at program scope, and skips it where it is not understood.
    pub(super) fn recovering_at_program_scope(&mut self) -> ParseResult<()> {
        let mark = self.mark();
        let Err(Stop) = self.declaration() else { return Ok(()) };
        if self.recovery.is_over {
            return Err(Stop);
        }
        self.close_to(&mark);
        if let Some(definition) = self.recovery.definition.take() {
            self.at = definition;
            self.load();
            return Ok(());
        }
        self.skip_item(mark.at);
        // No body is open here that it could close.
        self.eat(Punct::RBrace);
        Ok(())
    }

    /// Reads the `;` that ends an item. A missing one is reported, and taken as written where the next token can only
    /// begin an item.
    pub(super) fn end_of_item(&mut self, place: &str) -> ParseResult<()> {
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        let missing: ParseResult<()> = self.unexpected(&format!("`;` {place}"));
        if !self.recovery.is_over && self.begins_item() { Ok(()) } else { missing }
    }

    /// Whether the current token by itself shows that an item begins or the block ends here.
    fn begins_item(&self) -> bool {
        match self.current.kind {
            TokenKind::Punct(Punct::RBrace) | TokenKind::Keyword(_) => true,
            TokenKind::Identifier => {
                self.actions.is_in_body() || self.actions.named_type(self.current.symbol).is_some()
            }
            _ => false,
        }
    }

    /// Reports a function's declarator with neither `;` nor a body after it, or with a body inside another function.
    pub(super) fn function_without_body(
        &mut self,
        declarator: &Declarator,
        start: usize,
    ) -> ParseResult<()> {
        if self.is(Punct::LBrace) && self.actions.is_in_body() {
            let told = self.fatal(
                declarator.span,
                "a function cannot be defined inside another one: a `}` is missing before it",
            );
            self.recovery.definition = Some(start);
            return told;
        }
        let goes_on = [Punct::Semi, Punct::Comma, Punct::Eq, Punct::LBrace];
        if self.actions.is_in_body() || goes_on.into_iter().any(|punct| self.is(punct)) {
            return Ok(());
        }
        let Some(closing) = self.unopened_brace() else { return Ok(()) };
        let told = self.unexpected("`{` before a body");
        self.at += closing;
        self.load();
        told
    }

    /// Returns the distance of the next `}` that no `{` opens.
    fn unopened_brace(&self) -> Option<usize> {
        let mut open = 0_u32;
        let rest = self.tokens.get(self.at..)?;
        rest.iter().position(|token| {
            match token.kind {
                TokenKind::Punct(Punct::LBrace) => open += 1,
                TokenKind::Punct(Punct::RBrace) if open == 0 => return true,
                TokenKind::Punct(Punct::RBrace) => open -= 1,
                _ => {}
            }
            false
        })
    }

    fn mark(&self) -> Mark<A::Mark> {
        Mark {
            at: self.at,
            depth: self.depth,
            actions: self.actions.mark(),
            levels: self.stacks.levels.len(),
            parameters: self.stacks.parameters.len(),
            members: self.stacks.members.len(),
            arguments: self.stacks.arguments.len(),
            pending: self.stacks.pending.len(),
        }
    }

    /// Closes the lists and scopes that were opened since `mark`.
    fn close_to(&mut self, mark: &Mark<A::Mark>) {
        self.depth = mark.depth;
        self.actions.close_to(&mark.actions);
        self.stacks.levels.truncate(mark.levels);
        self.stacks.parameters.truncate(mark.parameters);
        self.stacks.members.truncate(mark.members);
        self.stacks.arguments.truncate(mark.arguments);
        self.stacks.pending.truncate(mark.pending);
        self.list_is_of_definition = None;
    }

    /// Skips the rest of the item that began at the token `start`.
    fn skip_item(&mut self, start: usize) {
        self.recovery.has_skipped = true;
        self.actions.skip_part();
        let read = self.tokens.get(start..self.at).unwrap_or_default();
        let is_for =
            read.first().is_some_and(|token| token.kind == TokenKind::Keyword(Keyword::For));
        let has_body = read.first().is_some_and(|token| controls(token.kind));
        if read.is_empty() && self.eat_keyword(Keyword::Else) {
            return;
        }
        let mut parens = 0_u32;
        for token in read {
            match token.kind {
                TokenKind::Punct(Punct::LParen) => parens += 1,
                TokenKind::Punct(Punct::RParen) => parens = parens.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.current.kind {
                TokenKind::End | TokenKind::Punct(Punct::RBrace) => return,
                TokenKind::Keyword(Keyword::Kernel) if self.at > start => return,
                TokenKind::Keyword(_) if self.at > start && controls(self.current.kind) => return,
                TokenKind::Punct(Punct::LBrace) if has_body => return,
                TokenKind::Punct(Punct::LBrace) => {
                    self.skip_braces();
                    if !self.is(Punct::Semi) && !self.is(Punct::Comma) {
                        return;
                    }
                    continue;
                }
                TokenKind::Punct(Punct::Semi) if parens == 0 || !is_for => {
                    self.bump();
                    return;
                }
                TokenKind::Punct(Punct::LParen) => parens += 1,
                TokenKind::Punct(Punct::RParen) => {
                    parens = parens.saturating_sub(1);
                    if parens == 0 && has_body {
                        self.bump();
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips past the `}` of the `{` here.
    fn skip_braces(&mut self) {
        let mut open = 0_u32;
        loop {
            match self.bump().kind {
                TokenKind::Punct(Punct::LBrace) => open += 1,
                TokenKind::Punct(Punct::RBrace) => open -= 1,
                TokenKind::End => return,
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }
}

/// Whether a statement that begins with this token has a statement as its body.
fn controls(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Keyword(
            Keyword::For
                | Keyword::If
                | Keyword::While
                | Keyword::Do
                | Keyword::Switch
                | Keyword::Else
        )
    )
}
