//! Programs made small while a device goes on saying of them what it says.

pub mod builds;
pub mod shrink;
pub mod text;
