//! The worker process: one device, told what to build over a pipe.

pub mod protocol;
mod serve;

pub use serve::{main, serve};
