//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("worker") => runner::worker::main(),
        _ => ExitCode::from(2),
    }
}
