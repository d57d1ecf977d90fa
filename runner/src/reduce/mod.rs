//! Reduction of programs while a device gives the same answer.

pub mod builds;
pub mod diagnoses;
pub mod outcome_log;
mod progress;
pub mod random;
pub mod text;
pub mod wrong_values;
