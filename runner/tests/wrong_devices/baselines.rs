//! Baseline entries about a device: they must be true, for no more cases than deviate.

use std::{collections::BTreeSet, fs};

use crate::{Test, compiler::Bench};

pub(crate) const TESTS: &[Test] = &[
    ("baselines/entries_cover_what_deviates", entries_cover_what_deviates),
    (
        "baselines/entries_of_the_suite_are_nobodys_to_mend",
        entries_of_the_suite_are_nobodys_to_mend,
    ),
    ("baselines/cases_that_failed_are_run_again", cases_that_failed_are_run_again),
    ("baselines/cases_that_failed_come_first", cases_that_failed_come_first),
    ("baselines/one_bug_is_one_block_one_pack_and_an_entry_a_rule", one_bug_is_one),
];

/// A baseline; its entry begins on line 10.
const FILE: &str = r#"what = "a compiler of ours"
front-end = "clang 19"

[device]
type = "command"
command = ["clang-19", "{file}"]
version = ["clang-19", "--version"]

[[deviation]]
cases = ["parameter/kernel-struct-pointer/cl12/*"]
kind = "driver-bug"
reason = "a structure with a pointer to local is rejected"
"#;

/// After a repair the run of those that failed is green, and nothing else is run.
fn cases_that_failed_are_run_again() {
    let bench = Bench::new();
    bench.install("clang-19", "rejects local int *m");
    let rule = ["--device", "clang-19", "--rule", "parameter/kernel-struct-pointer"];
    let with = |more: &[&'static str]| [&rule[..], &["--dialect", "cl12"], more].concat();
    let (stdout, _) = bench.said(&with(&["--results", "first"]), 1);
    assert!(stdout.contains(" cases, 6 unexpected"), "{stdout}");
    let (stdout, _) = bench.said(&with(&["--failed-in", "first"]), 1);
    assert!(stdout.contains(": 6 cases, 6 unexpected"), "{stdout}");
    bench.install("clang-19", "honest");
    let again = with(&["--failed-in", "first", "--results", "second"]);
    let (stdout, _) = bench.said(&again, 0);
    assert!(stdout.contains(": 6 cases, 0 unexpected"), "{stdout}");
    let (_, stderr) = bench.said(&with(&["--failed-in", "second"]), 3);
    assert!(stderr.contains("no case of the suite failed in the run of second"), "{stderr}");
    let (_, stderr) = bench.said(&with(&["--failed-in", "nowhere"]), 2);
    assert!(stderr.contains("no results can be read from nowhere"), "{stderr}");
}

/// They and their controls are built, confirmed and shown before any other case, and the run is otherwise the same.
fn cases_that_failed_come_first() {
    check_that_failed_come_first("parameter/kernel-struct-pointer", "rejects local int *m", 6, "");
    let found = "accepts an invalid program";
    check_that_failed_come_first("conversion/implicit", "without conversion/implicit", 67, found);
}

/// Runs `rule` on a compiler of this mood, where `failed` cases fail, again with these first, and repaired.
fn check_that_failed_come_first(rule: &'static str, mood: &str, failed: usize, shown: &str) {
    let bench = Bench::new();
    let with = |more: &[&'static str]| {
        [&["--device", "clang-19", "--rule", rule, "--dialect", "cl12"], more].concat()
    };
    let findings = |folder: &str| {
        let text = fs::read_to_string(bench.path(folder).join("results.jsonl")).unwrap();
        let cases = text.lines().map(serde_json::from_str::<serde_json::Value>);
        let cases = cases.map(Result::unwrap).filter(|line| line["record"] == "case");
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let finding = |case: serde_json::Value| (text(&case["id"]), case["finding"].to_string());
        cases.map(finding).collect::<Vec<_>>()
    };
    let failures = |cases: &[(String, String)]| -> BTreeSet<String> {
        let failures = cases.iter().filter(|(_, finding)| finding.contains("fail"));
        failures.map(|(id, _)| id.clone()).collect()
    };
    bench.install("clang-19", mood);
    bench.said(&with(&["--results", "usual"]), 1);
    let mut all = findings("usual");
    all.sort();
    let failing = failures(&all);
    // Each comes with its control at most.
    assert_eq!((failing.len(), all.len() > 2 * failed), (failed, true));
    for (mood, folder, left) in [(mood, "again", failed), ("honest", "repaired", 0)] {
        bench.install("clang-19", mood);
        let first = with(&["--failed-first", "usual", "--results", folder]);
        let (stdout, stderr) = bench.said(&first, i32::from(left > 0));
        let said = format!("clang-19: {failed} cases that failed in usual: {left} unexpected");
        assert!(stderr.contains(&format!("{said}; all others follow\n")), "{stderr}");
        assert_eq!(stderr.matches("  rerun:  ").count(), usize::from(left > 0), "{stderr}");
        assert!(left == 0 || stderr.contains(shown), "{stderr}");
        assert!(stdout.contains(&format!(": {} cases, {left} unexpected", all.len())), "{stdout}");
        let mut found = findings(folder);
        let first = found.iter().take(2 * failed).map(|(id, _)| id.clone());
        assert!(first.collect::<BTreeSet<_>>().is_superset(&failing));
        found.sort();
        assert_eq!(found == all, left > 0);
        assert_eq!((found.len(), failures(&found).len()), (all.len(), left));
    }
    let (_, stderr) = bench.said(&with(&["--failed-first", "repaired"]), 0);
    assert!(stderr.contains("clang-19: no case of this run failed in repaired"), "{stderr}");
    let (_, stderr) = bench.said(&with(&["--failed-first", "nowhere"]), 2);
    assert!(stderr.contains("no results can be read from nowhere"), "{stderr}");
}

/// Six of the 48 valid cases have a pointer to local in the structure.
fn entries_cover_what_deviates() {
    let bench = Bench::new();
    bench.install("clang-19", "rejects local int *m");
    for (keys, status, said) in [
        (
            "findings = [\"rejects-valid\"]\nwhen = \"function == helper and pointee == local\"",
            0,
            "6 of 6 wide.toml:10",
        ),
        (
            "findings = [\"rejects-valid\"]",
            1,
            "baseline entry is too wide: wide.toml:10: parameter/kernel-struct-pointer/cl12/*: \
             only 6 of its 42 cases deviate as it says, so the others are not protected: narrow \
             `cases`, or select by the axes in `when`; one that passes is \
             parameter/kernel-struct-pointer/cl12/form=",
        ),
        (
            "findings = [\"rejects-valid\"]\nwhen = \"pointee in [global, local]\"",
            1,
            "only 6 of its 12 cases",
        ),
        // Another direction explains none of them.
        ("findings = [\"crash\"]", 1, "6 unexpected"),
        // The form of baselines before there were directions.
        ("findings = [\"fail\"]", 0, "6 expected failures"),
    ] {
        fs::write(bench.path("wide.toml"), format!("{FILE}{keys}\n")).unwrap();
        let arguments = [
            "--device",
            "clang-19",
            "--baseline",
            "wide.toml",
            "--rule",
            "parameter/kernel-struct-pointer",
            "--dialect",
            "cl12",
            "-v",
        ];
        let (stdout, stderr) = bench.said(&arguments, status);
        assert!(
            stdout.contains(said) || stderr.contains(said),
            "{keys}\n{said}\n{stdout}\n{stderr}"
        );
    }
}

/// The compiler does not have a bug that the suite knows of its front end.
fn entries_of_the_suite_are_nobodys_to_mend() {
    let stale = ": conversion/nested-through-array/* (its cases now behave as required)";
    let is_told = |said: &str, how: &str| {
        let begins = format!("{how}: expectations/front-ends/clang.toml:");
        said.lines().any(|line| line.starts_with(&begins) && line.ends_with(stale))
    };
    let bench = Bench::new();
    for name in ["clang-15", "ours"] {
        bench.install(name, "honest");
    }
    let own = FILE.split("[[deviation]]").next().unwrap().replace("clang 19", "clang 15");
    let own = own
        .replace("clang-19", "ours")
        .replace("\"{file}\"", "\"-cl-std={std}\", \"{features}\", \"{file}\"");
    fs::write(bench.path("ours.toml"), own).unwrap();
    let selection = ["--rule", "conversion/nested-through-array"];
    let (stdout, _) = bench.said(&[&["--device", "clang-15"], &selection[..]].concat(), 1);
    assert!(is_told(&stdout, "stale baseline entry, remove it"), "{stdout}");
    let closing = stdout.trim_end().lines().last().unwrap();
    assert!(closing.contains(" 0 unexpected, 1 stale baseline entry, "), "{stdout}");
    let (stdout, stderr) = bench.said(&[&["--device", "ours.toml"], &selection[..]].concat(), 0);
    assert!(is_told(&stderr, "does not hold with this version"), "{stderr}");
    assert!(!stdout.contains("stale"), "{stdout}");
}

/// Whatever rules and dialects show it.
fn one_bug_is_one() {
    let bench = Bench::new();
    bench.install("clang-19", "rejects , int *s");
    fs::write(bench.path("new.toml"), FILE.split("[[deviation]]").next().unwrap()).unwrap();
    let selection = ["--device", "clang-19", "--baseline", "new.toml"];
    let selection = [
        &selection[..],
        &["--rule", "parameter/array", "--rule", "parameter/call"],
        &["--dialect", "cl11", "--dialect", "cl12"],
    ]
    .concat();
    let (stdout, _) = bench.said(&[&selection[..], &["--results", "out"]].concat(), 1);
    assert_eq!(stdout.matches("rejects a valid program").count(), 1, "{stdout}");
    assert!(stdout.contains(" more look alike: "), "{stdout}");
    let handover = ["handover", "out", "--unexpected", "--baseline", "new.toml", "--into", "packs"];
    let (stdout, _) = bench.said(&handover, 0);
    assert!(stdout.starts_with("1 pack "), "{stdout}");
    let mut packs = fs::read_dir(bench.path("packs/clang-19")).unwrap();
    let pack = packs.next().unwrap().unwrap().path();
    assert!(packs.next().is_none());
    let others = fs::read_to_string(pack.join("alike.txt")).unwrap();
    assert!(others.lines().count() >= 11, "{others}");
    let readme = fs::read_to_string(pack.join("README.md")).unwrap();
    assert!(readme.contains("Likely the same bug: "), "{readme}");
    bench.said(&[&selection[..], &["--bless"]].concat(), 1);
    let blessed = fs::read_to_string(bench.path("new.toml")).unwrap();
    for rule in ["parameter/array", "parameter/call"] {
        let entries = blessed.split("[[deviation]]").filter(|entry| entry.contains(rule));
        assert_eq!(entries.count(), 1, "{blessed}");
    }
    bench.said(&selection, 0);
}
