//! Faults of the results folder: each error shows what to type, nothing is lost, nothing is mixed.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Output, Stdio},
};

const RULE: [&str; 2] = ["--rule", "conversion/implicit"];

fn runner(flag: &str, folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
    command.args(RULE).arg(flag).arg(folder).args(more);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Runs, and compares exit status and standard error with the expected ones.
fn check(output: &Output, status: i32, said: &[&str]) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    for part in said {
        assert!(stderr.contains(part), "`{part}` is missing in\n{stderr}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
}

/// Id and finding of every case, in order; every line is a record.
fn findings(folder: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut findings: Vec<_> = records
        .filter(|record| record["record"] == "case")
        .map(|record| (record["id"].to_string(), record["finding"].to_string()))
        .collect();
    findings.sort();
    findings
}

/// An undisturbed run below this folder.
fn undisturbed(folder: &Path) -> Vec<(String, String)> {
    let folder = folder.join("undisturbed");
    check(&runner("--results", &folder, &[]).output().unwrap(), 0, &[]);
    findings(&folder)
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let expected = undisturbed(folder.path());
    let out = folder.path().join("out");
    // Files may not grow beyond 20 KiB; the signal that says so is ignored, as on a full disk there is none.
    let limited = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 40; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_address-spaces"))
        .args(RULE)
        .arg("--results")
        .arg(&out)
        .output()
        .unwrap();
    let go_on = format!("make room, then resume with `--resume {}`", out.display());
    check(&limited, 2, &["cannot continue writing in", &go_on]);
    let written = fs::metadata(out.join("results.jsonl")).unwrap().len();
    assert!((1..=40 * 1024).contains(&written), "{written} bytes");
    check(&runner("--resume", &out, &[]).output().unwrap(), 0, &[]);
    assert_eq!(findings(&out), expected);
}

#[test]
fn folders_that_cannot_be_written_are_rejected_before_anything_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.join("out"), "/proc/out".into(), file] {
        let output = runner("--results", &path, &[]).output().unwrap();
        check(&output, 2, &["cannot keep results in", "name a folder that can be written to"]);
    }
    fs::create_dir_all(folder.path().join("out/results.jsonl")).unwrap();
    let output = runner("--results", &folder.path().join("out"), &[]).output().unwrap();
    check(&output, 2, &["cannot keep results in", "Is a directory"]);
}

#[test]
fn two_runs_never_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let expected = undisturbed(folder.path());
    for attempt in 0..5 {
        let out = folder.path().join(format!("out-{attempt}"));
        let runs = [(); 2].map(|()| runner("--results", &out, &[]).spawn().unwrap());
        let outputs = runs.map(|run| run.wait_with_output().unwrap());
        let [good, bad] = if outputs[0].status.success() {
            outputs
        } else {
            let [first, second] = outputs;
            [second, first]
        };
        check(&good, 0, &[]);
        check(&bad, 2, &["or name another folder"]);
        assert_eq!(findings(&out), expected);
    }
    // A lock lives as long as its process: a held lock is respected, a left-over one is ignored.
    let out = folder.path().join("out-0");
    let held = File::open(out.join("results.jsonl")).unwrap();
    held.lock().unwrap();
    let output = runner("--resume", &out, &[]).output().unwrap();
    check(&output, 2, &["is in use by another run: wait for it"]);
    drop(held);
    check(&runner("--resume", &out, &[]).output().unwrap(), 0, &[]);
    assert_eq!(findings(&out), expected);
}

#[test]
fn another_run_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let missing = runner("--resume", &out, &[]).output().unwrap();
    check(&missing, 2, &["contains no run to resume; start one with `--results"]);
    check(&runner("--results", &out, &[]).output().unwrap(), 0, &[]);
    let whole = fs::read_to_string(out.join("results.jsonl")).unwrap();
    let header = whole.lines().next().unwrap();
    let parsed: serde_json::Value = serde_json::from_str(header).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let selection = "--rule\":\"conversion/implicit";
    for (old, new, said) in [
        (text(&parsed["suite"]), "0000", "its suite is \"0000\", here it is"),
        (text(&parsed["identity"]["platform"]), "other", "its platform is \"other\", here it is"),
        ("\"driver\":\"".to_owned(), "\"driver\":\"9", "its driver is \"9"),
        ("\"device\":\"checker\"".to_owned(), "\"device\":\"pocl\"", "its device is \"pocl\""),
        (selection.to_owned(), "--rule\":\"block", "its --rule is \"block\", here it is"),
    ] {
        assert!(header.contains(&old), "{old} in {header}");
        let other = whole.replacen(header, &header.replacen(&old, new, 1), 1);
        fs::write(out.join("results.jsonl"), &other).unwrap();
        let output = runner("--resume", &out, &[]).output().unwrap();
        check(&output, 2, &["cannot resume", said, "repeat the options that it was started with"]);
        assert_eq!(fs::read_to_string(out.join("results.jsonl")).unwrap(), other);
    }
    let shard = runner("--resume", &out, &["--shard", "1/2"]);
    fs::write(out.join("results.jsonl"), &whole).unwrap();
    check(&{ shard }.output().unwrap(), 2, &["its shard is all, here it is 1/2"]);
    // Resuming a run that is complete changes nothing.
    check(&runner("--resume", &out, &[]).output().unwrap(), 0, &[]);
    assert_eq!(fs::read_to_string(out.join("results.jsonl")).unwrap(), whole);
}
