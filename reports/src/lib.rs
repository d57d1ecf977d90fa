//! Findings in, text out. Never prints: callers decide where text goes.

pub mod alike;
pub mod compare;
pub mod findings;
#[cfg(test)]
mod fixtures;
pub mod folding;
pub mod formats;
pub mod handover;
pub mod history;
mod host_run;
pub mod html;
pub mod interaction_pack;
pub mod issue;
pub mod laws;
pub mod manifest;
pub mod manual;
pub mod matrix;
pub mod module_commands;
pub mod probes;
pub mod questions;
pub mod reached;
pub mod statuses;
pub mod summary;
pub mod text;
pub mod upstream;
pub mod versions;
