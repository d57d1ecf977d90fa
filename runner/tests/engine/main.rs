//! The engine against real drivers, and against one that misbehaves.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    clippy::zombie_processes,
    clippy::format_push_string,
    reason = "a test program: a failure is a panic, and the driver in it prints on purpose"
)]

use std::process::ExitCode;

use libtest_mimic::Arguments;

mod faults;
mod misbehaving;
mod questions;
mod real;
mod running;
mod second_looks;
mod starts;
mod support;
mod through;

fn main() -> ExitCode {
    // The runner under test starts this very program as its worker.
    match std::env::args().nth(1).as_deref() {
        Some(support::WORKER) => {
            let words: Vec<String> = std::env::args().skip(2).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            // On a device elsewhere it starts another one there.
            let words = if words.is_empty() { &["serve"] } else { words.as_slice() };
            runner::worker::become_worker(&[support::WORKER], words)
        }
        Some(misbehaving::SUPERVISOR) => {
            let arguments = vec![misbehaving::WORKER.into()];
            let worker = runner::engine::WorkerCommand::this_program(arguments).unwrap();
            runner::worker::supervise(&worker)
        }
        Some(which @ (misbehaving::HANGING_RUNNER | misbehaving::RUNNER_OF_FORKS)) => {
            misbehaving::run_and_hang(which, &std::env::args().nth(2).unwrap());
            ExitCode::SUCCESS
        }
        Some(argument) if argument.starts_with(through::WORKER) => through::serve(argument),
        Some(argument) if argument.contains("worker") => misbehaving::serve(argument),
        _ => {
            let trials = misbehaving::trials().into_iter();
            let trials = trials
                .chain(running::trials())
                .chain(faults::trials())
                .chain(second_looks::trials())
                .chain(starts::trials())
                .chain(real::trials())
                .chain(questions::trials())
                .chain(through::trials())
                .collect();
            libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
        }
    }
}
