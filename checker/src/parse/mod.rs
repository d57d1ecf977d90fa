//! The grammar. It reads tokens and calls an action at each construct ([`actions::Actions`]).

pub(crate) mod actions;
mod attributes;
mod blocks;
mod cursor;
mod declarations;
mod declarators;
mod expressions;
mod initializers;
mod postfix;
mod recovery;
mod specifiers;
mod statements;
pub(crate) mod syntax;
mod tags;

use crate::{
    dialect::Dialect,
    parse::{actions::Actions, expressions::PendingOperator, recovery::Recovery, syntax::Level},
    span::Span,
    symbol::{Interner, Symbol},
    token::{Token, TokenKind},
    types::{Member, Parameter},
};

/// An error after which the construct is not read on; it was reported.
#[derive(Clone, Copy, Debug)]
struct Stop;

type ParseResult<T> = Result<T, Stop>;

/// The lists that are being read, as stacks: a list within another lies above it.
#[derive(Debug)]
pub(crate) struct Stacks<O> {
    /// Levels of declarators.
    levels: Vec<Level>,
    parameters: Vec<Parameter>,
    members: Vec<Member>,
    arguments: Vec<O>,
    /// Binary operators whose right operand is being read.
    pending: Vec<PendingOperator<O>>,
}

impl<O> Stacks<O> {
    fn clear(&mut self) {
        self.levels.clear();
        self.parameters.clear();
        self.members.clear();
        self.arguments.clear();
        self.pending.clear();
    }
}

impl<O> Default for Stacks<O> {
    fn default() -> Self {
        Self {
            levels: Vec::new(),
            parameters: Vec::new(),
            members: Vec::new(),
            arguments: Vec::new(),
            pending: Vec::new(),
        }
    }
}

/// Reads a preprocessed program to its end and calls `actions`. Returns whether it was read to its end.
///
/// `tokens` end in [`TokenKind::End`]; their symbols belong to `interner`. `stacks` is memory that many programs use.
pub(crate) fn parse<A: Actions>(
    tokens: &[Token],
    interner: &Interner,
    dialect: Dialect,
    stacks: &mut Stacks<A::Operand>,
    actions: &mut A,
) -> bool {
    stacks.clear();
    Parser::new(tokens, interner, dialect, stacks, actions).translation_unit().is_ok()
}

/// The position in a program, and the actions to call.
struct Parser<'a, A: Actions> {
    tokens: &'a [Token],
    at: usize,
    current: Token,
    previous: Span,
    depth: u32,
    interner: &'a Interner,
    dialect: Dialect,
    /// Whether the program names something `generic`. Before 2.0, it then means that name everywhere.
    generic_is_a_name: bool,
    /// Whether a body follows the parameter list that is being read, once this was determined.
    list_is_of_definition: Option<bool>,
    recovery: Recovery,
    stacks: &'a mut Stacks<A::Operand>,
    actions: &'a mut A,
}

impl<'a, A: Actions> Parser<'a, A> {
    fn new(
        tokens: &'a [Token],
        interner: &'a Interner,
        dialect: Dialect,
        stacks: &'a mut Stacks<A::Operand>,
        actions: &'a mut A,
    ) -> Self {
        let end = tokens.last().map_or(0, |token| token.span.end);
        let end = Token { kind: TokenKind::End, symbol: Symbol::EMPTY, span: Span::new(end, end) };
        let mut parser = Self {
            tokens,
            at: 0,
            current: tokens.first().copied().unwrap_or(end),
            previous: Span::default(),
            depth: 0,
            interner,
            dialect,
            generic_is_a_name: false,
            list_is_of_definition: None,
            recovery: Recovery::default(),
            stacks,
            actions,
        };
        parser.skip_pragmas();
        parser
    }
}
