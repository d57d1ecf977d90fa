//! `--random-for`: a corpus that grows, and no kind of deviation reported twice.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::{Test, compiler::Bench, random::LOST};

pub(crate) const TESTS: &[Test] = &[
    ("corpus/a_kind_is_told_of_once", a_kind_is_told_of_once),
    ("corpus/what_is_wrong_is_said_at_once", what_is_wrong_is_said_at_once),
    ("corpus/one_device_of_two_is_missing", one_device_of_two_is_missing),
];

fn entries(bench: &Bench, device: &str) -> Vec<Value> {
    let path = bench.path("corpus").join(device).join("clusters.jsonl");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn a_kind_is_told_of_once() {
    let bench = Bench::new();
    bench.install("clang-13", "rejects typedef ");
    bench.install("clang-16", "honest");
    let options = ["--device", "clang-13", "--device", "clang-16", "--rule", "valid"];
    let time = [
        "--random-for",
        "2s",
        "--results",
        "corpus",
        "--seed",
        "7",
        "--dialect",
        "cl12",
        "--random-size",
        "small",
    ];
    let (stdout, _) = bench.said(&[&options[..], &time].concat(), 1);
    let told = "clang-13: rejects: I do not like typedef\n";
    assert!(stdout.contains(told) && stdout.contains(" 1 new kind of deviation"), "{stdout}");
    let first = entries(&bench, "clang-13");
    assert_eq!(first.len(), 1);
    assert_eq!(first[0]["shape"], "rejects: I do not like typedef");
    assert!(first[0]["kernel"].as_str().unwrap().contains("typedef "));
    assert!(entries(&bench, "clang-16").is_empty());
    let next = || -> u64 {
        let seed = fs::read_to_string(bench.path("corpus/clang-13/next-seed")).unwrap();
        seed.trim().parse().unwrap()
    };
    let after_first = next();
    assert!(after_first >= 2007, "{after_first}");

    let (stdout, _) = bench.said(&[&options[..], &time].concat(), 0);
    assert!(!stdout.contains("rejects"), "{stdout}");
    assert!(stdout.contains("0 new kinds of deviation"), "{stdout}");
    assert_eq!(entries(&bench, "clang-13"), first);
    assert!(next() > after_first);

    // The device gets worse in another way: only that is new.
    bench.install("clang-13", "rejects struct ");
    let (stdout, _) = bench.said(&[&options[..], &time].concat(), 1);
    let shapes: BTreeSet<String> =
        entries(&bench, "clang-13").iter().map(|entry| entry["shape"].to_string()).collect();
    assert_eq!(shapes.len(), entries(&bench, "clang-13").len(), "{stdout}");
    assert!(shapes.contains("\"rejects: I do not like struct\""), "{shapes:?}");

    // What the corpus names is found again.
    let id = entries(&bench, "clang-13").last().unwrap()["id"].as_str().unwrap().to_owned();
    let (again, _) = bench.said(&["--device", "clang-13", "--exact", &id], 1);
    assert!(again.contains(&id), "{again}");
}

fn what_is_wrong_is_said_at_once() {
    let bench = Bench::new();
    bench.install("clang-13", &format!("without {LOST}"));
    fs::create_dir_all(bench.path("torn/clang-13")).unwrap();
    fs::write(bench.path("torn/clang-13/clusters.jsonl"), "{\"format\":1,\"sha").unwrap();
    fs::write(bench.path("file"), "").unwrap();
    let device = ["--device", "clang-13"];
    for (options, status, message) in [
        (&["--random-for", "2s"][..], 2, "name it with `--results DIR`"),
        (&["--random-for", "2"], 2, "a time is a number and a unit"),
        (&["--random-for", "0s"], 2, "a time is a number and a unit"),
        (&["--random-for", "2s", "--random", "5"], 2, "cannot be used with"),
        (&["--random-for", "2s", "--resume", "torn"], 2, "cannot be used with"),
        (
            &["--random-for", "2s", "--results", "torn"],
            2,
            "clusters.jsonl:1: not an entry of a corpus",
        ),
        (&["--random-for", "2s", "--results", "file"], 2, "file"),
        (&["--random-for", "2s", "--results", "new", "--rule", "no-such-rule"], 3, "no case"),
        (&["--random-for", "2s", "--results", "new", "--bless"], 2, "--bless"),
        (&["--random-for", "2s", "--results", "new", "--quiet"], 2, "--quiet"),
        (&["--random-for", "2s", "--results", "new", "--junit", "x.xml"], 2, "--junit"),
    ] {
        let (_, stderr) = bench.said(&[&device[..], options].concat(), status);
        assert!(stderr.contains(message), "{options:?}\n{stderr}");
    }
}

/// One device that cannot be run does not keep the others from being run, and is reported.
fn one_device_of_two_is_missing() {
    let bench = Bench::new();
    bench.install("clang-16", "rejects typedef ");
    let options = ["--device", "clang-13", "--device", "clang-16", "--dialect", "cl12"];
    let time = ["--random-for", "1s", "--results", "corpus", "--random-size", "small"];
    let (stdout, stderr) = bench.said(&[&options[..], &time].concat(), 2);
    assert!(stderr.contains("clang-13"), "{stderr}");
    assert!(stdout.contains("clang-16: rejects: I do not like typedef"), "{stdout}");
    assert_eq!(entries(&bench, "clang-16").len(), 1);
}
