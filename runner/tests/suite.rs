//! The suite on the checker as a test target: a test per case, for every tool that drives Rust's tests.

use std::{io::Write as _, process::ExitCode};

use clap::Parser as _;
use libtest_mimic::Arguments;
use runner::{
    cli::{Cli, exit},
    commands::run::run,
};

fn main() -> ExitCode {
    let libtest = Arguments::from_args();
    // No case is ignored: what is not judged is decided by running it.
    if libtest.ignored {
        return ExitCode::SUCCESS;
    }
    let mut cli = Cli::parse_from(["runner"]);
    cli.run.libtest = libtest;
    match run(&cli.run) {
        Ok(status) => ExitCode::from(status),
        // A filter is given to every test target of a workspace, and most have nothing that matches.
        Err(error) if error.status() == exit::NOTHING_SELECTED => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.status())
        }
    }
}
