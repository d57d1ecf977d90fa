//! Surroundings that a run has to report clearly: devices that never start, limits, paths.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt as _,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Test, compiler::Bench};

pub(crate) const TESTS: &[Test] = &[
    ("surroundings/interrupted_while_a_device_starts", interrupted_while_a_device_starts),
    ("surroundings/temporary_folder_with_another_name", temporary_folder_with_another_name),
    ("surroundings/too_much_memory", too_much_memory),
    ("surroundings/dialects_that_are_mended", dialects_that_are_mended),
    ("surroundings/files_that_may_not_grow", files_that_may_not_grow),
];

const CASES: [&str; 4] = ["--rule", "conversion/implicit", "--dialect", "cl12"];

fn check(output: &Output, message: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains(message), "{stderr}");
}

fn interrupted_while_a_device_starts() {
    let bench = Bench::new();
    bench.install("clang-13", "slow to start");
    let mut child =
        bench.command(&[&["--device", "clang-13"][..], &CASES].concat()).spawn().unwrap();
    let started = bench.path("started");
    let begun = Instant::now();
    while !started.exists() && begun.elapsed() < Duration::from_mins(1) {
        thread::sleep(Duration::from_millis(10));
    }
    assert!(started.exists(), "{}", child.kill().is_ok());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let interrupted = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if interrupted.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    check(&output, "stopping");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("supports none"));
}

fn temporary_folder_with_another_name() {
    let bench = Bench::new();
    bench.install("clang-13", "honest");
    let folder = bench.path("tmp").into_os_string();
    let folder = [folder.as_encoded_bytes(), b"-\xff"].concat();
    let folder = OsStr::from_bytes(&folder);
    fs::create_dir(folder).unwrap();
    let mut command = bench.command(&[&["--device", "clang-13"][..], &CASES].concat());
    let output = command.env("TMPDIR", folder).output().unwrap();
    check(&output, "is not UTF-8: set TMPDIR to a folder whose path is");
}

/// A dialect that a file wrongly calls broken is reported, and costs no other dialect a case.
fn dialects_that_are_mended() {
    const FILE: &str = r#"what = "a compiler of ours"
own-front-end = "ours 1"

[device]
type = "command"
command = ["ours", "-cl-std={std}", "{file}"]
version = ["ours", "--version"]

[broken-dialects]
cl11 = "its headers do not build"
"#;
    let stale = "stale entry: [broken-dialects] in ./ours.toml says that nothing can be built in \
         cl11, but a known-good program was: remove cl11 there, and its cases are judged";
    for (mood, is_stale) in [("honest", true), ("without version CL1.1", false)] {
        let bench = Bench::new();
        bench.install("ours", mood);
        fs::write(bench.path("ours.toml"), FILE).unwrap();
        let device = ["--device", "./ours.toml", "--rule", "conversion/implicit"];
        let dialects = ["--dialect", "cl11", "--dialect", "cl12"];
        let (stdout, stderr) = bench.said(&[device, dialects].concat(), 0);
        assert_eq!(stderr.contains(stale), is_stale, "{stdout}\n{stderr}");
        assert!(stdout.contains(" 0 unexpected"), "{stdout}\n{stderr}");
    }
}

fn too_much_memory() {
    let bench = Bench::new();
    let most = u64::MAX >> 20;
    let output = bench.command(&["--memory", &(most + 1).to_string()]).output().unwrap();
    check(&output, &format!("is not in 1..={most}"));
}

fn files_that_may_not_grow() {
    let bench = Bench::new();
    let script = "ulimit -f 8; exec \"$0\" \"$@\"";
    let output = Command::new("/bin/sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_address-spaces"), "--results", "out"])
        .args(CASES)
        .current_dir(bench.path("."))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    check(&output, "File too large");
}
