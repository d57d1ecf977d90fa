//! The program: reads `OpenCL` C files and says which address-space rules they break.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(std::env::args_os())
}
