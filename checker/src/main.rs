//! The program: reads `OpenCL` C files and reports which address-space rules they break.

use std::process::ExitCode;

fn main() -> ExitCode {
    checker::cli::run(std::env::args_os())
}
