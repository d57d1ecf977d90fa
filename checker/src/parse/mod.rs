//! The grammar: each construct is read here and handed to `sema` to be judged.

pub(crate) mod attributes;
mod blocks;
mod cursor;
mod declarations;
pub(crate) mod declarators;
pub(crate) mod expressions;
pub(crate) mod initializers;
mod postfix;
pub(crate) mod recovery;
pub(crate) mod specifiers;
mod statements;
mod tags;

use crate::{
    diagnostic::Diagnostic,
    dialect::Dialect,
    rule::RuleSet,
    sema::analyser::{Analyser, Arena},
    symbol::Interner,
    token::Token,
};

/// Judge a preprocessed program.
///
/// In: its tokens, closed by [`crate::token::TokenKind::End`]; the interner their symbols belong to; the dialect it is read as; the
/// rules not to enforce; memory to work in. Out: findings, appended to `diagnostics` in the order of discovery. A
/// finding of [`crate::diagnostic::Severity::Fatal`] means that the program was not understood.
pub(crate) fn analyse(
    tokens: &[Token],
    interner: &Interner,
    dialect: Dialect,
    disabled: RuleSet,
    arena: &mut Arena,
    diagnostics: &mut Vec<Diagnostic>,
) {
    arena.reset(dialect);
    let mut analyser = Analyser::new(tokens, interner, dialect, disabled, arena, diagnostics);
    if analyser.translation_unit().is_ok() {
        analyser.finish();
    }
}
