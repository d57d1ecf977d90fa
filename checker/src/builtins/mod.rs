//! Built-in functions, types, constants and macros of the language: what exists in which dialect, and which address
//! spaces the pointers given to a function may point into.
//!
//! [`find`] says whether a name is a built-in function; [`FunctionId::resolve`] judges one call of it. Neither
//! allocates. Vendors' functions are not in the table: the caller accepts a call of an unknown name.

mod gate;
mod macros;
mod names;
mod resolve;
mod rule_named;
mod shape;
mod table;

pub use gate::Gate;
pub use macros::macros;
pub use names::{Constant, NamedType, constants, types};
pub use resolve::Outcome;
pub use shape::{Access, Arg, ImageKind, Pointee, Scalar, Shape, Space, SpaceSet};

use crate::dialect::Dialect;
use rule_named::RuleNamed;
use table::Table;

/// A built-in function of some version of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionId(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Table(u16),
    RuleNamed(RuleNamed),
}

/// Returns the built-in function of that name in any version, extensions of Khronos included.
pub fn find(name: &str) -> Option<FunctionId> {
    if let Some(&function) = Table::get().by_name.get(name) {
        return Some(FunctionId(Kind::Table(function)));
    }
    rule_named::find(name).map(|rule| FunctionId(Kind::RuleNamed(rule)))
}

/// Returns every name in the table, that is without `convert_*` and `as_*`.
pub fn names() -> impl Iterator<Item = &'static str> {
    Table::get().functions.iter().map(|function| function.name)
}

impl FunctionId {
    /// Judges a call with arguments of the types `args` in `dialect`.
    pub fn resolve(self, args: &[Arg], dialect: Dialect) -> Outcome {
        match self.0 {
            Kind::Table(function) => resolve::resolve(Table::get(), function, args, dialect),
            Kind::RuleNamed(rule) => rule.resolve(args),
        }
    }

    /// Whether `dialect` has the function at all; otherwise what has it.
    pub fn available(self, dialect: Dialect) -> Result<(), Gate> {
        let Kind::Table(function) = self.0 else { return Ok(()) };
        let overloads = Table::get().overloads(function);
        if overloads.iter().any(|overload| overload.gate.admits(dialect)) {
            return Ok(());
        }
        Err(resolve::least_gate(overloads))
    }
}

#[cfg(test)]
mod tests;
