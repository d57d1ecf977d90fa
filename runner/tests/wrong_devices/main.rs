//! Random programs, `reduce` and the corpus on compilers that are wrong in a known way, through the command line.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::format_push_string,
    reason = "a test program: a failure is a panic, and the compiler in it prints"
)]

use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

mod baselines;
mod classes;
mod compiler;
mod corpus;
mod faults;
mod limits;
mod logs;
mod memory;
mod printed;
mod random;
mod reduce;
mod steps;
mod surroundings;

use compiler::Bench;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // The device under test is this very program.
    if let [first, rest @ ..] = arguments.as_slice()
        && first == compiler::COMPILER
    {
        return compiler::compile(rest);
    }
    if arguments == [compiler::STARTED_AGAIN] {
        std::thread::sleep(std::time::Duration::from_secs(1000));
        return ExitCode::SUCCESS;
    }
    let tests = random::TESTS
        .iter()
        .chain(faults::TESTS)
        .chain(logs::TESTS)
        .chain(surroundings::TESTS)
        .chain(baselines::TESTS)
        .chain(steps::TESTS)
        .chain(corpus::TESTS)
        .chain(reduce::TESTS);
    let trials = tests.map(|&(name, test)| {
        Trial::test(name, move || {
            test();
            Ok::<(), Failed>(())
        })
    });
    // What takes longest comes first, so that no processor waits for it at the end.
    let long = limits::trials().chain(classes::trials()).chain(printed::trials());
    let trials = long.chain(memory::trials()).chain(trials);
    let mut arguments = Arguments::from_args();
    // They wait more than they compute.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads.get_or_insert(2 * processors);
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// A test by its name.
type Test = (&'static str, fn());

impl Bench {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
        command
            .args(arguments)
            // The machine's own compilers are out of reach.
            .env("PATH", self.path("bin"))
            // What they take is no time of a device.
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env(
                "TMPDIR",
                if self.path("tmp").exists() { self.path("tmp") } else { std::env::temp_dir() },
            )
            .current_dir(self.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Run to any end except a defect.
    fn run(&self, arguments: &[&str]) {
        let output = self.command(arguments).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}\n{stderr}", output.status);
    }

    /// Run and require an exit status; gives both streams.
    fn said(&self, arguments: &[&str], status: i32) -> (String, String) {
        let output = self.command(arguments).output().unwrap();
        let [stdout, stderr] = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{stdout}\n{stderr}");
        assert!(!stderr.contains("internal error"), "{arguments:?}\n{stderr}");
        (stdout, stderr)
    }
}
