//! Runs cases on devices: drivers in worker processes, many cases in one build, and what came of it as events.

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
pub mod results;
pub mod run;
pub mod specification;
pub mod submit;

pub use ::worker;
