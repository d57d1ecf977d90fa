//! A compiler that is wrong on purpose: our own front end behind clang's command line.

use std::{env, fs, io::Write as _, path::Path, process::ExitCode};

use crate::{faults, logs};
use checker::{Checker, Dialect, Feature, Rule, Version, diagnostic::Severity};

/// The argument that makes this program a compiler; its mood and clang's arguments come after it.
pub(crate) const COMPILER: &str = "--compiler";

/// The argument that makes this program a child that outlives its compiler.
pub(crate) const STARTED_AGAIN: &str = "--outlive";

/// A folder to work in, and the compilers that there are.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        Self { folder }
    }

    /// The device `name`, whose command begins with its name, gets this mood; see [`compile`].
    pub(crate) fn install(&self, name: &str, mood: &str) {
        let program = env::current_exe().unwrap().display().to_string();
        let script = format!("#!/bin/sh\nexec '{program}' {COMPILER} '{mood}' \"$@\"\n");
        let path = self.path("bin").join(name);
        fs::write(&path, script).unwrap();
        let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

/// Compile as clang does, in the mood of the first argument: `honest`, `without RULE`, `rejects TEXT`, `dies on TEXT`,
/// `without version CL1.1`, `hangs on TEXT`, `says nothing of TEXT`, `faults FILE`, `fails STATUS TEXT` (of
/// a program that should be rejected, except for the known-bad one).
pub(crate) fn compile(arguments: &[String]) -> ExitCode {
    let [mood, arguments @ ..] = arguments else { return ExitCode::from(9) };
    if arguments.iter().any(|argument| argument == "--version") {
        if mood == "slow to start" {
            let script = env::var("PATH").unwrap();
            fs::write(Path::new(&script).with_file_name("started"), "").unwrap();
            std::thread::sleep(std::time::Duration::from_secs(1000));
        }
        println!("a compiler that is {mood}");
        return ExitCode::SUCCESS;
    }
    let file = arguments.last().unwrap();
    let source = fs::read_to_string(file).unwrap();
    let word = |mood_of: &str| {
        mood.strip_prefix(mood_of).filter(|text| source.contains(text)).map(str::to_owned)
    };
    let has_no = |version: &str| arguments.iter().any(|argument| argument.ends_with(version));
    if word("dies on ").is_some() || mood.strip_prefix("without version ").is_some_and(has_no) {
        std::process::abort();
    }
    if word("hangs on ").is_some() {
        std::thread::sleep(std::time::Duration::from_secs(1000));
    }
    let mut checker = Checker::new(dialect(arguments, &source));
    let without = mood.strip_prefix("without ").filter(|rule| rule.contains('/'));
    if let Some(rule) = without.or_else(|| logs::unknown_rule(mood)) {
        checker = checker.without(*Rule::ALL.iter().find(|known| known.id() == rule).unwrap());
    }
    let mut log = errors(&mut checker, file, &source);
    log = logs::printed(mood, &source, log);
    if let Some(text) = word("rejects ") {
        log += &complaints(file, &source, &text);
    }
    if let Some(list) = mood.strip_prefix("faults ") {
        match faults::act(list, file, &source, log) {
            Ok(left) => log = left,
            Err(status) => return status,
        }
    }
    if let Some((status, said)) = mood.strip_prefix("fails ").and_then(|mood| mood.split_once(' '))
        && !log.is_empty()
        && !source.contains("no_such_name")
    {
        std::io::stderr().write_all(said.as_bytes()).unwrap();
        return ExitCode::from(status.parse::<u8>().unwrap());
    }
    std::io::stderr().write_all(log.as_bytes()).unwrap();
    if !log.is_empty() {
        return ExitCode::FAILURE;
    }
    if let Some(at) = arguments.iter().position(|argument| argument == "-o") {
        fs::write(&arguments[at + 1], MODULE).unwrap();
    }
    ExitCode::SUCCESS
}

/// The module of every program: this is only a front end, so the module is for a target that no law knows.
const MODULE: &str = "; ModuleID = 'kernel.cl'\ntarget triple = \"front-end-alone\"\n";

/// An error on every line that has the text.
fn complaints(file: &str, source: &str, text: &str) -> String {
    let (mut log, mut name, mut number) = (String::new(), file, 0);
    for line in source.lines() {
        number += 1;
        if let Some(marked) = line.strip_prefix("#line 1 ") {
            (name, number) = (marked.trim_matches('"'), 0);
        } else if line.contains(text) {
            log += &format!("{name}:{number}:1: error: I do not like {text}\n");
        }
    }
    log
}

/// In clang's form.
fn errors(checker: &mut Checker, file: &str, source: &str) -> String {
    let report = checker.check(file, source);
    let mut log = String::new();
    for said in report.diagnostics.iter().filter(|said| said.severity >= Severity::Error) {
        let place = report.sources.position(said.span.start);
        log +=
            &format!("{}:{}:{}: error: {}\n", place.file, place.line, place.column, said.message);
    }
    log
}

fn dialect(arguments: &[String], source: &str) -> Dialect {
    let option = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name));
    let version = match option("-cl-std=").unwrap() {
        "CL1.0" => Version::V1_0,
        "CL1.1" => Version::V1_1,
        "CL1.2" => Version::V1_2,
        "CL2.0" => Version::V2_0,
        "CL3.1" => Version::V3_1,
        _ => Version::V3_0,
    };
    let mut dialect = Dialect::new(version).without_features().with(Feature::Int64);
    let switched_on = option("-cl-ext=").unwrap_or_default().split(",+").skip(1);
    for feature in switched_on.filter_map(Feature::from_name) {
        dialect = dialect.with(feature);
    }
    // Without an option in these versions, so known by what the program switches on.
    dialect.fp16 = source.contains("cl_khr_fp16");
    dialect
}

/// A program of `folder`, as our own front end, which is honest, sees it in `OpenCL` C 1.2.
pub(crate) fn truth_of(path: &Path) -> String {
    let source = fs::read_to_string(path).unwrap();
    let mut checker =
        Checker::new(Dialect::new(Version::V1_2).without_features().with(Feature::Int64));
    errors(&mut checker, "kernel.cl", &source)
}
