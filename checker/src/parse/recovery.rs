//! Reading on behind what is not understood: what was left out is taken as written, or the item it is in is skipped.
//!
//! Of what follows from a mistake nothing is said: once something was skipped, a name without a declaration may have
//! had it there.

use crate::{
    parse::{Parsed, Parser, Stop, actions::Actions, syntax::Declarator},
    token::{Keyword, Punct, TokenKind},
};

/// Syntax errors after which a program is no program of this language.
const MAX_ERRORS: u32 = 20;

/// What mistakes were met so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Recovery {
    errors: u32,
    /// The token of the last one.
    last: Option<usize>,
    /// There is no reading on.
    is_over: bool,
    /// Something was not read.
    has_skipped: bool,
    /// The function definition at this token was met inside another function: a `}` is missing before it.
    definition: Option<usize>,
}

impl Recovery {
    /// Count a mistake at the token `at`; `false` where one was told already.
    pub(crate) fn is_news(&mut self, at: usize) -> bool {
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

/// How far everything was open where an item began.
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
    /// Read an item of a body; where it is not understood, go behind it.
    pub(super) fn recovering<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<Option<T>>,
    ) -> Parsed<Option<T>> {
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

    /// Read a declaration at program scope; where it is not understood, go behind it.
    pub(super) fn recovering_at_program_scope(&mut self) -> Parsed<()> {
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

    /// The `;` that ends an item. Where what follows can only be the next item, it is told and taken as written.
    pub(super) fn end_of_item(&mut self, place: &str) -> Parsed<()> {
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        let missing: Parsed<()> = self.unexpected(&format!("`;` {place}"));
        if !self.recovery.is_over && self.begins_item() { Ok(()) } else { missing }
    }

    /// Whether the current token begins an item, or ends the block, as far as it alone can tell.
    fn begins_item(&self) -> bool {
        match self.current.kind {
            TokenKind::Punct(Punct::RBrace) | TokenKind::Keyword(_) => true,
            TokenKind::Identifier => {
                self.actions.is_in_body() || self.actions.named_type(self.current.symbol).is_some()
            }
            _ => false,
        }
    }

    /// A function's declarator with neither `;` nor a body behind it, or with a body inside of another function.
    pub(super) fn headless_function(
        &mut self,
        declarator: &Declarator,
        start: usize,
    ) -> Parsed<()> {
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

    /// How many tokens behind the current one a `}` stands that no `{` opens.
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

    /// Close what was opened since.
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

    /// Go behind the item that began at the token `start` and is not understood at the current one.
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

    /// Go behind the `}` of the `{` here.
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

/// Whether a statement that begins so has another one as its body.
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
