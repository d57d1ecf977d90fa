//! Drivers that use resources up: real ones, under a shim.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use libtest_mimic::{Completion, Failed, Trial};
use serde_json::Value;

use crate::memory::{Shim, text};

/// A driver that leaks may take this many times as long as one that does not.
const TIMES_AS_LONG: u32 = 3;

fn run(environment: &[(&str, PathBuf)], results: &Path) -> (Output, Duration) {
    let begun = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(["--device", "pocl", "--rule", "conversion/implicit", "--dialect", "cl12"])
        .args(["--isolate", "--results"])
        .arg(results)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    (output, begun.elapsed())
}

/// Returns the finding of each case.
fn findings(results: &Path) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(results.join("results.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let cases = lines.filter(|line| line["record"] == "case");
    cases.map(|case| (case["id"].as_str().unwrap().to_owned(), case["finding"].clone())).collect()
}

/// A driver that leaks a hundred descriptors a build is judged as one that does not, and soon.
fn descriptors_leak() -> Result<Completion, Failed> {
    let folder = tempfile::tempdir()?;
    let [honest, leaking] = ["honest", "leaking"].map(|name| folder.path().join(name));
    let (output, usual) = run(&[], &honest);
    if text(&output).contains("--install") {
        return Ok(Completion::ignored_with("needs the device pocl"));
    }
    let environment = Shim::Layer("leaked_descriptors.c").environment(folder.path())?;
    let (leaked, time) = run(&environment, &leaking);
    let said = text(&leaked);
    assert_eq!(output.status.code(), leaked.status.code(), "{said}");
    assert_eq!(findings(&honest), findings(&leaking));
    assert!(findings(&honest).len() >= 146);
    assert!(said.contains("open descriptors (the limit is 4096)"), "{said}");
    assert!(time <= usual * TIMES_AS_LONG, "{time:?} with the leak, {usual:?} without");
    Ok(Completion::Completed)
}

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [Trial::ignorable_test("limits/descriptors_leak", descriptors_leak)].into_iter()
}
