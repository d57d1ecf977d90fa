//! An `OpenCL` C front end that decides, for one dialect, whether an address-space rule is broken.
//!
//! [`Checker`] is the way in; [`render`] turns what it finds into text, JSON and SARIF.

#![warn(missing_docs)]

mod access;
mod allow;
pub mod builtins;
pub mod check;
pub mod cli;
pub mod diagnostic;
pub mod dialect;
pub mod elsewhere;
pub mod explain;
pub mod fix;
mod keyword;
mod lex;
pub mod mending;
pub mod mention;
mod nearest;
pub mod objects;
mod parse;
pub mod preprocess;
pub mod render;
pub mod rule;
mod scalar;
mod sema;
pub mod source;
pub mod space;
pub mod span;
pub mod symbol;
pub mod token;
mod types;

pub use check::{Checker, Report, Verdict};
pub use dialect::{Dialect, Feature, Version, VersionError};
pub use rule::Rule;
