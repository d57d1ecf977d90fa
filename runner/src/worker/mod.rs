//! The worker process: one device, told what to build over a pipe.

use std::process::ExitCode;

/// Serve the runner on standard input and output until it closes them.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
