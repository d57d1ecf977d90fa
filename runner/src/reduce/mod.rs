//! Programs reduced while a device goes on saying of them what it says.

pub mod builds;
pub mod kinds;
mod progress;
pub mod random;
pub mod text;
