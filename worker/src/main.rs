//! The program that loads a driver where the runner is not: it is copied there, and knows nothing of the suite.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

const HELP: &str =
    "Loads a driver for the runner, who starts this program through a command that carries standard
input and output (`via` in a device file), and ends it by closing them.

Usage: address-spaces-worker [--root DIR]

  --root DIR   run in this root folder, with chroot for root and bubblewrap otherwise
  --version    print the version, which must be the runner's
  --help       print this
";

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let text = match words.as_slice() {
        ["--help"] => HELP.to_owned(),
        ["--version"] => format!("address-spaces-worker {}\n", env!("CARGO_PKG_VERSION")),
        [] => return worker::become_worker(&[], &["supervise"]),
        ["--root", _] => {
            return worker::become_worker(&[], &[&["supervise"], words.as_slice()].concat());
        }
        words => return worker::become_worker(&[], words),
    };
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
