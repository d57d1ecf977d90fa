//! A run on several devices begins with what each of them took before.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{fs, path::Path, process::Command};

const DEVICE: &str =
    "what = \"our checker\"\nown-front-end = \"ours\"\n[device]\ntype = \"checker\"\n";

/// Runs the program in a folder, which has the user's cache, and returns what it prints to standard error.
fn said(folder: &Path, line: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(line.split(' '))
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{line}\n{stderr}");
    stderr
}

#[test]
fn what_a_device_took_is_said_before_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ours.toml"), DEVICE).unwrap();
    let times = folder.path().join("cache/opencl-c-address-spaces/times.json");
    let is_kept = || times.exists();
    let check = |line: &str, texts: &[&str]| {
        let said = said(folder.path(), line);
        for text in texts {
            assert!(said.contains(text), "{line}: {text}\n{said}");
        }
        said
    };
    // Too small to tell anything.
    check("--device checker --rule qualifier/position --dialect cl12", &[]);
    assert!(!is_kept());
    let alone = check("--device checker --rule conversion --dialect cl12", &[]);
    assert!(is_kept() && !alone.contains("earlier runs"), "{alone}");
    let both = "--device ./ours.toml,checker --rule conversion --dialect cl12";
    let [one, two] = ["\n  checker  under 10 s, as on ", "\n  ours     under 10 s, as on "];
    check(both, &["earlier runs on this machine", one, "\n  not known: ours\n"]);
    let again = check(both, &[one, two, "\n  together under 10 s\n"]);
    assert!(again.find(two) < again.find(one), "{again}");
    for (more, text) in [
        (" --rule member", "under 10 s, by the "),
        (" --depth build", "not known: ours, checker"),
        (" --dialect cl20 --dialect cl30", "not known: ours, checker"),
    ] {
        check(&format!("{both}{more}"), &[text]);
    }
    fs::write(&times, "spoilt").unwrap();
    check(both, &["not known: ours, checker"]);
    check(both, &[one]);
}
