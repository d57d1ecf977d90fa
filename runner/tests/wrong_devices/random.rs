//! `--random`: each kind of deviation is one finding, reduced, kept, and found again by its id.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    Test,
    compiler::{Bench, truth_of},
};

pub(crate) const TESTS: &[Test] = &[
    ("random/a_lost_rule", a_lost_rule),
    ("random/a_word_it_rejects", a_word_it_rejects),
    ("random/a_word_it_dies_on", a_word_it_dies_on),
    ("random/a_word_it_hangs_on", a_word_it_hangs_on),
    ("random/two_devices", two_devices),
    ("random/no_deviation", no_deviation),
    ("random/nothing_to_run", nothing_to_run),
];

/// A rule that no front end of the device files is known to lose.
pub(crate) const LOST: &str = "conversion/cast";

/// The output about a kind of deviation.
#[derive(Debug)]
struct Kind {
    shape: String,
    members: usize,
    smallest: String,
}

/// `DEVICE: SHAPE of N programs, the smallest ID`
fn kinds(device: &str, stdout: &str) -> Vec<Kind> {
    let of_line = |line: &str| {
        let line = line.strip_prefix(device)?.strip_prefix(": ")?;
        let (line, smallest) = line.split_once(", the smallest ")?;
        let (shape, members) = line.rsplit_once(" of ")?;
        let members = members.strip_suffix(" programs").or(members.strip_suffix(" program"))?;
        Some(Kind {
            shape: shape.to_owned(),
            members: members.parse().ok()?,
            smallest: smallest.to_owned(),
        })
    };
    stdout.lines().filter_map(of_line).collect()
}

/// Results with a finding of these kinds, by id.
fn found(folder: &Path, findings: &[&str]) -> BTreeSet<String> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines
        .filter(|line: &serde_json::Value| {
            line["finding"]["kind"].as_str().is_some_and(|kind| findings.contains(&kind))
        })
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The files about the first kind of deviation: the program, its control, the messages on both.
fn kept(folder: &Path) -> (String, Option<String>, String) {
    let folder = folder.join("random/1");
    let read = |name: &str| fs::read_to_string(folder.join(name));
    (read("kernel.cl").unwrap(), read("control.cl").ok(), read("about.txt").unwrap())
}

/// Programs that show one bug are one finding for each edit that shows it.
fn a_lost_rule() {
    let bench = Bench::new();
    bench.install("clang-13", &format!("without {LOST}"));
    let selection = [
        "--random",
        "7",
        "--random-kind",
        "build",
        "--dialect",
        "cl12",
        "--rule",
        LOST,
        "--random-size",
        "small",
    ];
    let device = ["--device", "clang-13", "--results", "out"];
    let (stdout, stderr) = bench.said(&[&device[..], &selection].concat(), 1);
    let kinds = kinds("clang-13", &stdout);
    let wrong = found(&bench.path("out"), &["fail"]);
    let (listing, _) = bench.said(&[&["list"], &selection[..]].concat(), 0);
    assert_eq!(listing.lines().count(), wrong.len(), "{listing}\n{stdout}");
    assert_eq!(kinds.iter().map(|kind| kind.members).sum::<usize>(), wrong.len(), "{stdout}");
    let shapes: BTreeSet<&str> = kinds.iter().map(|kind| kind.shape.as_str()).collect();
    assert_eq!(shapes.len(), kinds.len(), "{stdout}");
    assert!(wrong.len() > kinds.len(), "{stdout}");
    for Kind { shape, smallest, .. } in &kinds {
        assert!(shape.starts_with(&format!("accepts {LOST}: ")), "{shape}");
        assert!(wrong.contains(smallest), "{smallest}");
    }
    let told = format!("{} unexpected", kinds.len());
    assert!(stdout.contains(&told), "{told}\n{stdout}\n{stderr}");

    for number in 1..=kinds.len() {
        let folder = bench.path("out/random").join(number.to_string());
        let kernel = fs::read_to_string(folder.join("kernel.cl")).unwrap();
        let control = fs::read_to_string(folder.join("control.cl")).unwrap();
        // One function with one statement, in a few words; the pair differs on one line.
        assert!(kernel.lines().count() <= 5 && kernel.len() < 250, "{kernel}");
        let differing = kernel.lines().zip(control.lines()).filter(|(a, b)| a != b).count();
        assert_eq!((kernel.lines().count(), differing), (control.lines().count(), 1), "{kernel}");
        assert!(truth_of(&folder.join("kernel.cl")).contains("cast"), "{kernel}");
        assert_eq!(truth_of(&folder.join("control.cl")), "");
    }
    let (_, refused) = bench.said(&["handover", "out", "--unexpected", "--into", "packs"], 3);
    assert!(refused.contains("is a random program") && refused.contains("out/random"), "{refused}");
    check_again(&bench, "clang-13", &kinds);
}

/// The named program can be shown, and shows the same again.
fn check_again(bench: &Bench, device: &str, kinds: &[Kind]) {
    for (number, Kind { shape, smallest, .. }) in (1..).zip(kinds) {
        let about = bench.path("out/random").join(number.to_string()).join("about.txt");
        let about = fs::read_to_string(about).unwrap();
        assert_eq!(about, format!("{shape}\naddress-spaces show '{smallest}'\n"));
        let (shown, _) = bench.said(&["show", smallest], 0);
        assert!(shown.contains(smallest), "{shown}");
        let (again, _) = bench.said(&["--device", device, "--exact", smallest], 1);
        assert!(
            again.contains(&format!("{device}: {shape} of 1 program, the smallest {smallest}"))
        );
    }
}

/// A valid program that is rejected is built alone: a control that is rejected as well proves nothing.
fn a_word_it_rejects() {
    let bench = Bench::new();
    bench.install("clang-13", "rejects typedef ");
    let options = [
        "--device",
        "clang-13",
        "--random",
        "50",
        "--random-kind",
        "build",
        "--dialect",
        "cl12",
        "--random-size",
        "small",
    ];
    let (stdout, _) = bench.said(&[&options[..], &["--results", "out"]].concat(), 1);
    let kinds = kinds("clang-13", &stdout);
    let [Kind { shape, members, smallest }] = kinds.as_slice() else { panic!("{stdout}") };
    assert_eq!(shape, "rejects: I do not like typedef");
    // Nothing is known of an invalid program whose control is rejected.
    let rejected = found(&bench.path("out"), &["fail", "inconclusive"]);
    assert!(rejected.len() > 10 && rejected.contains(smallest), "{stdout}");
    assert_eq!(*members, rejected.len(), "{stdout}");
    let (kernel, control, _) = kept(&bench.path("out"));
    assert_eq!((kernel.lines().count(), control), (1, None), "{kernel}");
    assert!(kernel.contains("typedef "), "{kernel}");
    assert_eq!(truth_of(&bench.path("out/random/1/kernel.cl")), "");
    check_again(&bench, "clang-13", &kinds);
}

fn a_word_it_dies_on() {
    let bench = Bench::new();
    bench.install("clang-13", "dies on typedef ");
    let options = [
        "--device",
        "clang-13",
        "--random",
        "10",
        "--dialect",
        "cl12",
        "--rule",
        "valid",
        "--random-size",
        "small",
    ];
    let (stdout, _) = bench.said(&[&options[..], &["--results", "out"]].concat(), 1);
    let kinds = kinds("clang-13", &stdout);
    let [Kind { shape, members, .. }] = kinds.as_slice() else { panic!("{stdout}") };
    assert_eq!(shape, "crash: SIGABRT");
    assert_eq!(*members, found(&bench.path("out"), &["crash"]).len());
    let (kernel, control, _) = kept(&bench.path("out"));
    assert!(kernel.contains("typedef ") && kernel.lines().count() <= 2, "{kernel}");
    assert!(control.is_none_or(|control| !control.contains("typedef ")), "{kernel}");
    check_again(&bench, "clang-13", &kinds);
}

/// Making a hang small takes long: at an interrupt, the smallest program so far is used.
fn a_word_it_hangs_on() {
    let bench = Bench::new();
    bench.install("clang-13", "hangs on typedef ");
    let options = ["--device", "clang-13", "--random", "7", "--dialect", "cl12"];
    let more = ["--rule", "valid", "--timeout", "1", "--retries", "0", "--results", "out"];
    let child = bench.command(&[&options[..], &more].concat()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_mins(2);
    let is_run = || {
        let text = fs::read_to_string(bench.path("out/results.jsonl")).unwrap_or_default();
        text.contains("\"record\":\"end\"")
    };
    while !is_run() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(500));
    let interrupted = Instant::now();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(interrupted.elapsed() < Duration::from_secs(20), "{:?}", interrupted.elapsed());
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    let kinds = kinds("clang-13", &stdout);
    let [Kind { shape, .. }] = kinds.as_slice() else { panic!("{stdout}") };
    assert_eq!(shape, "timeout: no answer within N.N s");
    let (kernel, ..) = kept(&bench.path("out"));
    assert!(kernel.contains("typedef "), "{kernel}");
}

/// Of several devices each has its own findings, and the one that is right has none.
fn two_devices() {
    let bench = Bench::new();
    bench.install("clang-13", &format!("without {LOST}"));
    bench.install("clang-16", "honest");
    let devices = ["clang-13", "clang-16", "checker"];
    let options: Vec<&str> = devices.iter().flat_map(|device| ["--device", device]).collect();
    let selection = ["--random", "6", "--dialect", "cl12", "--rule", "conversion"];
    let (stdout, _) = bench.said(&[&options[..], &selection, &["--results", "out"]].concat(), 1);
    assert!(!kinds("clang-13", &stdout).is_empty(), "{stdout}");
    for device in &devices[1..] {
        assert!(kinds(device, &stdout).is_empty(), "{stdout}");
        assert!(!bench.path("out").join(device).join("random").exists());
    }
    assert!(bench.path("out/clang-13/random/1/kernel.cl").exists());
    assert!(stdout.contains("3 devices with 3 front ends"), "{stdout}");
    let (kernel, ..) = kept(&bench.path("out/clang-13"));
    fs::write(bench.path("kernel.cl"), &kernel).unwrap();
    let against = ["--device", "clang-13", "--against", "clang-16"];
    let (reduced, _) = bench.said(&[&["reduce", "kernel.cl"], &against[..]].concat(), 0);
    assert!(reduced.len() <= kernel.len(), "{reduced}");
}

fn no_deviation() {
    let bench = Bench::new();
    bench.install("clang-13", "honest");
    let options = ["--device", "clang-13", "--random", "600", "--results", "out"];
    let (stdout, _) = bench.said(&options, 0);
    assert!(kinds("clang-13", &stdout).is_empty(), "{stdout}");
    assert!(stdout.contains("clang-13: 600 cases, 0 unexpected"), "{stdout}");
    assert!(!bench.path("out/random").exists());
}

fn nothing_to_run() {
    let bench = Bench::new();
    for (options, status, message) in [
        (&["--random", "5", "--rule", "conversion/implict"][..], 3, "no case matches"),
        (&["--random", "5", "no-such-case"], 3, "no case matches"),
        (&["--random", "0"], 2, "0 is not in 1..="),
        (&["--random", "x"], 2, "invalid value 'x'"),
        (&["--random", "5", "--seed", "-1"], 2, "'-1'"),
        (&["--exact", "random/valid/cl13/seed=1"], 3, "`cl13` is not a dialect"),
        (&["--exact", "random/invalid/cl12/seed=1"], 3, "did you mean `valid`?"),
        (&["--random", "5", "--device", "clang-13"], 2, "clang-13"),
    ] {
        let (_, stderr) = bench.said(options, status);
        assert!(stderr.contains(message), "{options:?}\n{stderr}");
    }
}
