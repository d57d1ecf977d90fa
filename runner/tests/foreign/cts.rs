//! The layout of Khronos' OpenCL-CTS, compiled, and executed where there is an implementation. The harness of the CTS
//! is not here; `cts/` declares what is used of it, as it is there, and has a small one to execute with.

use std::path::{Path, PathBuf};

use libtest_mimic::Failed;

use crate::support::{CXX, HEADERS, POCL, Test, ensure, foreign, run, runner_says};

pub(crate) const TESTS: [Test; 2] = [
    Test { name: "cts_sources_compile", needs: &[CXX, HEADERS], run: cts_sources_compile },
    Test {
        name: "cts_tests_pass_on_pocl_and_judge",
        needs: &[CXX, HEADERS, POCL],
        run: cts_tests_pass_on_pocl_and_judge,
    },
];

/// As the CTS compiles its own, with warnings as errors. It leaves parameters unused itself.
const OPTIONS: [&str; 6] = [
    "-std=c++11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-DCL_TARGET_OPENCL_VERSION=300",
];

/// Export a selection; gives the folder.
fn exported(folder: &Path, selection: &[&str]) -> Result<PathBuf, Failed> {
    let into = folder.join("address_spaces");
    let shown = into.display().to_string();
    runner_says(&[&["dev", "export", shown.as_str(), "--layout", "cts"], selection].concat(), 0)?;
    Ok(into)
}

/// The sources of the folder that `CMake` builds.
fn sources(folder: &Path) -> Vec<String> {
    let list = std::fs::read_to_string(folder.join("CMakeLists.txt")).unwrap();
    let names = list.lines().filter_map(|line| line.trim().strip_suffix(".cpp"));
    names.map(|name| folder.join(format!("{name}.cpp")).display().to_string()).collect()
}

fn compiler(folder: &Path, arguments: &[&str]) -> Result<String, Failed> {
    let harness = format!("-I{}", foreign("cts").display());
    let own = format!("-I{}", folder.display());
    run("g++", &[&OPTIONS[..], &[&harness, &own], arguments].concat(), 0)
}

/// Of every dialect, with features and optional parts, with values of every type, and with nothing to execute.
fn cts_sources_compile() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let rules = ["execution/atomic-types", "execution/local-argument", "type/*", "feature/*"];
    let selection: Vec<&str> = rules.iter().flat_map(|rule| ["--rule", rule]).collect();
    let into = exported(folder.path(), &selection)?;
    let sources = sources(&into);
    ensure(sources.len() == 5, || format!("{sources:?}"))?;
    for source in sources {
        compiler(&into, &["-fsyntax-only", &source])?;
    }
    Ok(())
}

fn cts_tests_pass_on_pocl_and_judge() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let rules = ["--rule", "execution/barrier", "--rule", "string-literal/address"];
    let dialects = ["--dialect", "cl12", "--dialect", "cl20"];
    let into = exported(folder.path(), &[&rules[..], &dialects].concat())?;
    let program = into.join("tests").display().to_string();
    let stand_in = foreign("cts/stand_in.cpp").display().to_string();
    let executed = |status| {
        let sources = sources(&into);
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
        let linked = [stand_in.as_str(), "-o", &program, "-lOpenCL"];
        compiler(&into, &[&sources[..], &linked].concat())?;
        let command = format!("OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd {program}");
        run("sh", &["-c", &command], status)
    };
    let said = executed(0)?;
    for expected in ["execution_barrier passed", "string_literal_address passed", " 0 failed"] {
        ensure(said.contains(expected), || format!("{expected}\n{said}"))?;
    }
    ensure(said.contains("skipped, it needs OpenCL C 2.0"), || said.clone())?;
    // Another value, and a malformed program.
    let change = |name: &str, from: &str, to: &str| {
        let path = into.join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        ensure(text.contains(from), || format!("no {from} in {name}"))?;
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        Ok::<_, Failed>(())
    };
    change("test_execution.cpp", "data_1, data_2 }", "data_1, data_1 }")?;
    change("test_string_literal.cpp", "kernel void", "kernel int")?;
    let said = executed(1)?;
    for expected in ["execution_barrier FAILED", "string_literal_address FAILED", " 1 failed"] {
        ensure(said.contains(expected), || format!("{expected}\n{said}"))?;
    }
    ensure(said.matches("FAILED execution/barrier/").count() == 1, || said.clone())
}
