//! Programs reduced while a device goes on saying of them what it says.

pub mod builds;
pub mod outcome_log;
mod progress;
pub mod random;
pub mod text;
pub mod wrong_values;
