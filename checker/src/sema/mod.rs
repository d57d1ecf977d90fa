//! What the language says about each construct: types, spaces, conversions and the rules on declarations.

pub(crate) mod analyser;
pub(crate) mod calls;
pub(crate) mod constants;
pub(crate) mod conversions;
pub(crate) mod functions;
pub(crate) mod lvalues;
pub(crate) mod objects;
pub(crate) mod opaque;
pub(crate) mod operand;
pub(crate) mod operators;
pub(crate) mod report;
pub(crate) mod scopes;
