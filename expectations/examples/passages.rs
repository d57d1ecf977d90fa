//! Prints the passages of a text: anchor, hash, line and sentence, separated by tabs.
//! Usage: passages FILE

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use expectations::clause::passages;

fn main() -> std::process::ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: passages FILE");
        return std::process::ExitCode::from(2);
    };
    match std::fs::read(&path) {
        Ok(bytes) => {
            for passage in passages(&String::from_utf8_lossy(&bytes)) {
                println!(
                    "{}\t{}\t{}\t{}",
                    passage.anchor, passage.hash, passage.line, passage.text
                );
            }
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            std::process::ExitCode::from(2)
        }
    }
}
