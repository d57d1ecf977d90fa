//! A run: the choice of cases and devices, the execution and the presentation.

pub mod alone;
pub mod changed;
pub mod confirming;
pub mod covering;
pub mod devices;
pub mod error;
pub mod execute;
pub mod failed_first;
mod forecast;
mod header;
pub mod interactions;
pub mod interrupted;
pub mod machine;
pub mod modules;
pub mod plan;
pub mod preparing;
pub mod present;
pub mod progress;
pub mod quick;
pub mod random;
pub mod select;
mod shared_check;
pub mod start;
mod times;
