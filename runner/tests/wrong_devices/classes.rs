//! Classes of drivers and compilers that misbehave, each with the verdict that it gets: none is green, and no case is
//! judged by what does not concern it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::LazyLock,
};

use expectations::case_id::CaseId;
use libtest_mimic::{Completion, Failed, Trial};
use serde_json::Value;

use crate::{compiler::Bench, faults::records, memory::Shim};

const CASES: [&str; 4] = ["--rule", "conversion/implicit", "--dialect", "cl12"];

/// The findings that a class must lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ends {
    /// This finding for every invalid case, and a pass for the others.
    Invalid(&'static str, &'static str),
}

/// A class, in a driver: the action of the shim, its message, and the result.
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

/// A compiler: the status that it rejects with, its message then, and the findings of the invalid cases.
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

/// A driver whose fault takes more than one build: what the shim does, how many valid cases it concerns, and options of
/// the runs it is seen in.
struct Fault {
    name: &'static str,
    kind: &'static str,
    cases: usize,
    runs: &'static [&'static [&'static str]],
    ends: FaultEnds,
}

/// The required report on it.
enum FaultEnds {
    /// Every verdict is as without the fault, and it is reported once, with this many programs of this many cases.
    Told { what: &'static str, programs: usize, cases: usize },
    /// Cases that it concerns are flaky, or have the outcome of each further try; and no others.
    Flaky(&'static str),
}

const TOGETHER: &[&str] = &[];
const ALONE: &[&str] = &["--isolate"];

const FAULTS: [Fault; 6] = [
    Fault {
        name: "driver/loses_its_context",
        kind: "loses its context",
        cases: 0,
        runs: &[TOGETHER],
        ends: FaultEnds::Told {
            what: "known-good program is no longer built",
            programs: 1,
            cases: 2,
        },
    },
    Fault {
        name: "driver/dies_of_two",
        kind: "dies of two",
        cases: 2,
        runs: &[TOGETHER],
        ends: FaultEnds::Told { what: "SIGABRT", programs: 1, cases: 2 },
    },
    Fault {
        name: "driver/accepts_everything_afterwards",
        kind: "accepts everything afterwards",
        cases: 1,
        runs: &[TOGETHER, ALONE],
        ends: FaultEnds::Told { what: "known-bad program is accepted", programs: 1, cases: 1 },
    },
    Fault {
        name: "driver/dies_at_the_fourth_build",
        kind: "dies at the fourth build",
        cases: 0,
        // The generation of code builds once more.
        runs: &[&["--depth", "build"], &["--depth", "build", "--isolate"]],
        ends: FaultEnds::Told { what: "SIGABRT", programs: 4, cases: 0 },
    },
    Fault {
        name: "driver/dies_now_and_then",
        kind: "dies now and then",
        cases: 6,
        runs: &[TOGETHER, ALONE],
        ends: FaultEnds::Flaky("crash"),
    },
    Fault {
        name: "driver/hangs_now_and_then",
        kind: "hangs now and then",
        cases: 6,
        runs: &[&["--timeout", "3"], &["--timeout", "3", "--isolate"]],
        ends: FaultEnds::Flaky("timeout"),
    },
];

/// Valid cases that are rejected by a bug that has nothing to do with the fault.
const DISLIKED: usize = 3;

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
    let faults = FAULTS.iter().map(|fault| {
        Trial::ignorable_test(format!("classes/{}", fault.name), || check_fault(fault))
    });
    drivers.chain(compilers).chain(faults)
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
            .args([&["--device", "pocl", "--test-threads", "1"][..], &CASES, options].concat())
            .args(["--results", results])
            .envs(self.shim.iter().map(|(name, value)| (name, value)))
            .envs(settings.iter().copied())
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The host file of the pack shows the fault under the shim, and not without.
    fn pack_does_it_again(&self, settings: &[(&str, &str)], results: &str) {
        let packs = format!("packs-of-{results}");
        let written = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
            .args(["handover", results, "--unexpected", "--into", &packs])
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        assert_eq!(written.status.code(), Some(0), "{}", text(&written));
        let folder = self.path(&packs).join("pocl/interaction-1");
        let compiled = Command::new("cc")
            .args(["-Wall", "-Werror", "-o", "host", "host.c", "-lOpenCL"])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", text(&compiled));
        let host = |shim: &[(&'static str, PathBuf)]| {
            let platform = "Portable Computing Language";
            let mut command = Command::new(folder.join("host"));
            command.arg(platform).env("POCL_KERNEL_CACHE", "0");
            command.envs(shim.iter().map(|(name, value)| (name, value)));
            command.envs(settings.iter().copied()).output().unwrap()
        };
        let (with, without) = (host(&self.shim), host(&[]));
        assert_eq!(with.status.code(), Some(0), "{}", text(&with));
        assert_eq!(without.status.code(), Some(1), "{}", text(&without));
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

/// Kind and reason of every finding, by case.
fn findings(cases: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    cases.iter().map(|(id, case)| (id.clone(), case["finding"].clone())).collect()
}

/// The beginnings of the names in these cases.
fn prefixes(ids: &[String]) -> String {
    ids.iter().map(|id| CaseId::new(id).prefix()).collect::<Vec<_>>().join(" ")
}

/// Verdicts of a driver that has no fault, but another bug, which no fault may hide.
struct Undisturbed {
    /// The beginnings of the names in the cases that show the bug.
    disliked: String,
    /// Valid cases that are not controls.
    free: Vec<String>,
    findings: BTreeMap<String, Value>,
}

impl Undisturbed {
    /// Runs the cases; returns `None` if the device is not here.
    fn new() -> Option<Self> {
        let driver = Driver::new().unwrap();
        let output = driver.run(&[], &[], "honest");
        if text(&output).contains("--install") {
            return None;
        }
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let honest = cases(&driver.path("honest"));
        let controls: Vec<&str> =
            honest.values().filter_map(|case| case["control"].as_str()).collect();
        let is_free = |(id, case): &(&String, &Value)| {
            case["expectation"] == "accept" && !controls.contains(&id.as_str())
        };
        let free: Vec<String> = honest.iter().filter(is_free).map(|(id, _)| id.clone()).collect();
        let (disliked, free) = free.split_at(DISLIKED);
        let disliked = prefixes(disliked);
        driver.run(&[], &[("WRONG_DRIVER_DISLIKED", &disliked)], "undisturbed");
        let findings = findings(&cases(&driver.path("undisturbed")));
        let wrong = findings.values().filter(|finding| finding["kind"] != "pass").count();
        assert_eq!(wrong, DISLIKED);
        Some(Self { disliked, free: free.to_vec(), findings })
    }
}

static UNDISTURBED: LazyLock<Option<Undisturbed>> = LazyLock::new(Undisturbed::new);

fn check_fault(fault: &Fault) -> Result<Completion, Failed> {
    let Some(Undisturbed { disliked, free, findings: undisturbed }) = UNDISTURBED.as_ref() else {
        return Ok(Completion::ignored_with("needs the device pocl"));
    };
    let driver = Driver::new()?;
    let concerned = &free[..fault.cases];
    let names = prefixes(concerned);
    let state = driver.path("state").display().to_string();
    let settings = [
        ("WRONG_DRIVER", fault.kind),
        ("WRONG_DRIVER_CASES", &names),
        ("WRONG_DRIVER_DISLIKED", disliked),
        ("WRONG_DRIVER_STATE", &state),
    ];
    for (index, options) in fault.runs.iter().enumerate() {
        let results = format!("disturbed-{index}");
        let output = driver.run(options, &settings, &results);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let folder = driver.path(&results);
        let found = findings(&cases(&folder));
        let differ: Vec<(&String, &Value)> =
            found.iter().filter(|(id, finding)| undisturbed[*id] != **finding).collect();
        let told: Vec<Value> =
            records(&folder).into_iter().filter(|line| line["record"] == "interaction").collect();
        match fault.ends {
            FaultEnds::Told { what, programs, cases } => {
                assert_eq!(differ, [], "{said}");
                let [told] = &told[..] else { panic!("{told:?}\n{said}") };
                assert!(told["what"].as_str().unwrap().contains(what), "{told}");
                assert!(said.contains("1 fault of several programs"), "{said}");
                let smallest = told["programs"].as_array().unwrap();
                assert_eq!(smallest.len(), programs, "{told}");
                assert_eq!(smallest.last().unwrap().as_array().unwrap().len(), cases, "{told}");
                driver.pack_does_it_again(&settings, &results);
            }
            FaultEnds::Flaky(each_time) => {
                assert!(!differ.is_empty(), "{said}");
                for (id, finding) in differ {
                    assert!(concerned.contains(id), "{id} {finding}");
                    let kind = finding["kind"].as_str().unwrap();
                    assert!(["flaky", each_time].contains(&kind), "{id} {finding}");
                }
            }
        }
    }
    Ok(Completion::Completed)
}
