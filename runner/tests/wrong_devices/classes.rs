//! Classes of drivers and compilers that misbehave, each with the verdict that it gets: none is green, and no case is
//! judged by what is no word on it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use libtest_mimic::{Completion, Failed, Trial};
use serde_json::Value;

use crate::{compiler::Bench, faults::records, memory::Shim};

const CASES: [&str; 4] = ["--rule", "conversion/implicit", "--dialect", "cl12"];

/// The findings that a class must lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ends {
    /// This finding for every case to be rejected, and a pass for the others.
    Invalid(&'static str, &'static str),
}

/// A class, in a driver: what the shim does, what it says, and how that ends.
struct DriverClass {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
    ends: Ends,
}

const fn says(name: &'static str, text: &'static str) -> DriverClass {
    DriverClass { name, kind: "says", text, ends: UNRELATED }
}

const UNRELATED: Ends = Ends::Invalid("inconclusive", "unrelated");

const DRIVERS: [DriverClass; 10] = [
    says("driver/llvm_error", "LLVM ERROR: Cannot select: t9: i32 = intrinsic llvm.x"),
    says("driver/internal_compiler_error", "internal compiler error: in convert_move"),
    says("driver/placed_error_of_the_back_end", "c00000:1:1: fatal error: error in backend: no"),
    says("driver/out_of_host_memory", "error: out of host memory"),
    says("driver/no_licence", "error: no licence for this compiler"),
    says("driver/too_many_open_files", "error: kernel.cl: Too many open files"),
    says("driver/line_before_the_first", "error: kernel.cl:-1:0: no"),
    says("driver/line_zero", "error: c00000:0:0: no"),
    says("driver/line_that_no_program_has", "c00000:99999999999999999999999:4294967296: error: no"),
    DriverClass {
        name: "driver/no_kernels",
        kind: "makes no kernels",
        text: "",
        ends: Ends::Invalid("fail", "accepts-invalid"),
    },
];

/// A compiler: the status that it rejects with, what it says then, and what is found of the cases to be rejected.
struct CompilerClass {
    name: &'static str,
    mood: &'static str,
    ends: Ends,
}

const COMPILERS: [CompilerClass; 4] = [
    CompilerClass {
        name: "compiler/error_in_the_back_end",
        mood: "fails 70 fatal error: error in backend: Cannot select: t9",
        ends: UNRELATED,
    },
    CompilerClass {
        name: "compiler/panic",
        mood: "fails 101 thread 'main' panicked at src/main.rs:7:7:",
        ends: UNRELATED,
    },
    CompilerClass {
        name: "compiler/no_licence",
        mood: "fails 1 error: license checkout failed",
        ends: UNRELATED,
    },
    CompilerClass {
        name: "compiler/something_else",
        mood: "fails 1 error: the server is gone",
        ends: UNRELATED,
    },
];

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let drivers = DRIVERS.iter().map(|class| {
        Trial::ignorable_test(format!("classes/{}", class.name), || check_driver(class))
    });
    let compilers = COMPILERS.iter().map(|class| {
        Trial::test(format!("classes/{}", class.name), || {
            check_compiler(class);
            Ok::<(), Failed>(())
        })
    });
    drivers.chain(compilers)
}

/// A run of the cases on the driver, under the shim if it is given one.
struct Driver {
    folder: tempfile::TempDir,
    shim: Vec<(&'static str, PathBuf)>,
}

impl Driver {
    fn new() -> Result<Self, Failed> {
        let folder = tempfile::tempdir()?;
        let shim = Shim::Layer("wrong_driver.c").environment(folder.path())?;
        Ok(Self { folder, shim })
    }

    fn run(&self, options: &[&str], settings: &[(&str, &str)], results: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_address-spaces"))
            .args([&["--device", "pocl", "--results", results][..], &CASES, options].concat())
            .envs(self.shim.iter().map(|(name, value)| (name, value)))
            .envs(settings.iter().copied())
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn text(output: &Output) -> String {
    let streams = [&output.stdout, &output.stderr];
    streams.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// The cases of a results folder, each once.
fn cases(folder: &Path) -> BTreeMap<String, Value> {
    let mut cases = BTreeMap::new();
    for line in records(folder).into_iter().filter(|line| line["record"] == "case") {
        let id = line["id"].as_str().unwrap().to_owned();
        assert!(cases.insert(id, line).is_none(), "a case has two results");
    }
    cases
}

fn check_ends(output: &Output, folder: &Path, ends: Ends) {
    assert_eq!(output.status.code(), Some(1), "{}", text(output));
    let cases = cases(folder);
    assert_eq!(cases.len(), 146);
    let Ends::Invalid(kind, reason) = ends;
    for case in cases.values() {
        let expected = match case["expectation"].as_str().unwrap() {
            "reject" => (kind, reason),
            _ => ("pass", "as-expected"),
        };
        let finding = &case["finding"];
        assert_eq!(
            (finding["kind"].as_str(), finding["reason"].as_str()),
            (Some(expected.0), Some(expected.1)),
            "{case}"
        );
    }
}

fn check_driver(class: &DriverClass) -> Result<Completion, Failed> {
    let driver = Driver::new()?;
    let settings = [("WRONG_DRIVER", class.kind), ("WRONG_DRIVER_TEXT", class.text)];
    for (options, results) in [(&[][..], "together"), (&["--isolate"][..], "alone")] {
        let output = driver.run(options, &settings, results);
        if text(&output).contains("--install") {
            return Ok(Completion::ignored_with("needs the device pocl"));
        }
        check_ends(&output, &driver.path(results), class.ends);
    }
    Ok(Completion::Completed)
}

fn check_compiler(class: &CompilerClass) {
    let bench = Bench::new();
    bench.install("clang-13", class.mood);
    let run = [&["--device", "clang-13", "--results", "out"][..], &CASES].concat();
    let output = bench.command(&run).output().unwrap();
    check_ends(&output, &bench.path("out"), class.ends);
}
