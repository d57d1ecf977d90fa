//! The rules of the language: types, spaces, conversions and declarations. `actions.rs` is what the grammar calls.

mod actions;
pub(crate) mod analyser;
pub(crate) mod call_graph;
mod calls;
mod constants;
mod conversions;
mod declarations;
mod declarators;
mod flow;
mod functions;
mod initializers;
pub(crate) mod inventory;
mod jumps;
mod listing;
mod lvalues;
mod mentions;
mod objects;
mod opaque;
mod operand;
mod operand_types;
mod operators;
mod placement;
mod pragmas;
mod proposals;
mod records;
mod recursion;
mod report;
pub(crate) mod scopes;
pub(crate) mod sites;
mod specifiers;

use crate::{
    diagnostic::Diagnostic,
    dialect::Dialect,
    mention::Mention,
    parse::{self, Stacks},
    rule::RuleSet,
    sema::{
        analyser::{Analyser, Arena},
        operand::Operand,
    },
    symbol::Interner,
    token::Token,
};

/// Memory that the analyses of many programs use.
#[derive(Debug)]
pub(crate) struct Memory {
    arena: Arena,
    stacks: Stacks<Operand>,
}

impl Memory {
    /// Interns the names of the language for good.
    pub(crate) fn new(interner: &mut Interner) -> Self {
        Self { arena: Arena::new(interner), stacks: Stacks::default() }
    }

    /// Notes every name from now on.
    pub(crate) fn note_mentions(&mut self) {
        self.arena.mentions = Some(Vec::new());
    }

    /// Returns the names of the last program.
    pub(crate) fn mentions(&self) -> &[Mention] {
        self.arena.mentions.as_deref().unwrap_or_default()
    }

    /// Returns what is known of the last program.
    pub(crate) fn arena(&self) -> &Arena {
        &self.arena
    }
}

/// Judges a preprocessed program.
///
/// `tokens` end in [`crate::token::TokenKind::End`]; their symbols belong to `interner`. `disabled` are the rules not
/// to enforce. Findings are appended to `diagnostics` in the order of discovery; one of
/// [`crate::diagnostic::Severity::Fatal`] means that the program was not understood.
pub(crate) fn analyse(
    tokens: &[Token],
    interner: &Interner,
    dialect: Dialect,
    disabled: RuleSet,
    memory: &mut Memory,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Memory { arena, stacks } = memory;
    arena.reset(dialect);
    let mut analyser = Analyser::new(interner, dialect, disabled, arena, diagnostics);
    if parse::parse(tokens, interner, dialect, stacks, &mut analyser) {
        analyser.finish();
    }
}
