//! The grammar: each construct is read here and handed to `sema` to be judged.

pub(crate) mod attributes;
mod blocks;
mod cursor;
mod declarations;
pub(crate) mod declarators;
pub(crate) mod expressions;
pub(crate) mod initializers;
mod postfix;
pub(crate) mod specifiers;
mod statements;
mod tags;
