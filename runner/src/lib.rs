//! Runs cases on devices: drivers live in worker processes, many cases share a build, and results arrive as events.

/// Name of the program in every text that shows what to type, as Cargo installs it (`[[bin]]` in `Cargo.toml`).
pub const PROGRAM: &str = "address-spaces";

pub mod cli;
pub mod commands;
pub mod device;
pub mod engine;
pub mod exit;
pub mod findings;
pub mod interrupts;
pub mod output;
pub mod overlay;
pub mod reduce;
pub mod run;
pub mod specification;
pub mod submit;

pub use ::worker;
