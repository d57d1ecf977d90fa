//! An `OpenCL` C front end that decides, for one dialect, whether an address-space rule is broken.

pub mod diagnostic;
pub mod dialect;
pub mod rule;
pub mod span;
pub mod symbol;
pub mod token;
