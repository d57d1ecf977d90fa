//! Runs cases on devices: drivers in worker processes, many cases in one build, and what came of it as events.

pub mod device;
pub mod engine;
pub mod worker;
