//! `reduce`: the rest gives the same answer as the whole, and an error reports that there is nothing to reduce.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader, Read as _},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    Test,
    compiler::{Bench, truth_of},
    random::LOST,
};

pub(crate) const TESTS: &[Test] = &[
    ("reduce/a_disagreement_is_kept", a_disagreement_is_kept),
    ("reduce/a_crash_is_kept", a_crash_is_kept),
    ("reduce/programs_stay_programs", programs_stay_programs),
    ("reduce/a_control_is_kept_beside_it", a_control_is_kept_beside_it),
    ("reduce/what_was_reached_at_an_interrupt", what_was_reached_at_an_interrupt),
    ("reduce/an_interrupted_reduction_goes_on", an_interrupted_reduction_goes_on),
    ("reduce/functions_alone", functions_alone),
    ("reduce/what_shows_nothing_is_rejected", what_shows_nothing_is_rejected),
    ("reduce/files_that_are_none", files_that_are_none),
];

const PROGRAM: &str = "#define COUNT 4
typedef struct { int a; float b; } pair;
int helper(int x) {
  return x + COUNT;
}
kernel void k(global int *out, local float *scratch) {
  pair p = { 1, 2.0f };
  for (int i = 0; i < COUNT; ++i) {
    out[i] = helper(p.a);
  }
  global float *wrong = (global float *)scratch;
  wrong[0] = p.b;
}
";

fn a_disagreement_is_kept() {
    let bench = Bench::new();
    bench.install("clang-13", &format!("without {LOST}"));
    fs::write(bench.path("k.cl"), PROGRAM).unwrap();
    let pair = ["--device", "clang-13", "--against", "checker"];
    let (reduced, stderr) = bench.said(&[&["reduce", "k.cl"], &pair[..]].concat(), 0);
    assert!(reduced.contains("(global") && !reduced.contains("helper"), "{reduced}");
    assert!(reduced.len() < 100, "{reduced}");
    assert!(stderr.contains(&format!("of {} bytes are left", PROGRAM.len())), "{stderr}");
    // The same disagreement, and nothing more can be removed.
    fs::write(bench.path("small.cl"), &reduced).unwrap();
    let (again, stderr_again) = bench.said(&[&["reduce", "small.cl"], &pair[..]].concat(), 0);
    assert_eq!(again, reduced);
    let verdicts = |text: &str| text.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(verdicts(&stderr_again), verdicts(&stderr));
    // The other way round it is the same disagreement.
    let turned = ["--device", "checker", "--against", "clang-13"];
    let (other, _) = bench.said(&[&["reduce", "k.cl"], &turned[..]].concat(), 0);
    assert_eq!(other, reduced);
}

fn a_crash_is_kept() {
    let bench = Bench::new();
    bench.install("clang-13", "dies on 2.0f");
    fs::write(bench.path("k.cl"), PROGRAM).unwrap();
    let (reduced, _) = bench.said(&["reduce", "k.cl", "--device", "clang-13"], 0);
    assert!(reduced.contains("2.0f") && reduced.len() < 70, "{reduced}");
    assert_eq!(errors(&bench, &reduced), Vec::<String>::new(), "{reduced}");
}

/// Returns the texts of our own front end's errors in a program.
fn errors(bench: &Bench, program: &str) -> Vec<String> {
    let path = bench.path("judged.cl");
    fs::write(&path, program).unwrap();
    let log = truth_of(&path);
    let texts = log.lines().map(|line| line.split_once("error: ").unwrap().1.to_owned());
    texts.collect()
}

/// Kernels with a word that the compiler rejects on sight: only our own front end can show that the rest is a
/// program.
const KERNELS: [(&str, &str); 5] = [
    (
        "local",
        "kernel void k(global int *o, local int *l) {\n  int x = 1;\n  o[0] = l[0] + x;\n}\n",
    ),
    // Wrong, and of one rule.
    ("l;", "kernel void k(global int *o, local int *l) {\n  o = l;\n  o[0] = 1;\n}\n"),
    (
        "switch",
        "int f(int a) {\n  switch (a) {\n  case 1: return 2;\n  default: break;\n  }\n  return 3;\n}\n\
         kernel void k(global int *o) { o[0] = f(o[1]); }\n",
    ),
    (
        "member",
        "struct s { int member; float other; };\n\
         kernel void k(global struct s *o, constant float *c) {\n  for (int i = 0; i < 4; i++) o[i].member = c[i];\n}\n",
    ),
    (
        "SIZE",
        "#define SIZE 4\n#define TWICE(x) ((x) * 2)\n\
         kernel void k(global int *o) {\n  local int t[SIZE];\n  t[0] = TWICE(o[0]);\n  o[1] = t[0];\n}\n",
    ),
];

fn programs_stay_programs() {
    for (word, program) in KERNELS {
        let bench = Bench::new();
        bench.install("clang-13", &format!("rejects {word}"));
        fs::write(bench.path("k.cl"), program).unwrap();
        let before = errors(&bench, program);
        let (reduced, _) = bench.said(&["reduce", "k.cl", "--device", "clang-13"], 0);
        assert!(reduced.contains(word) && reduced.len() < program.len(), "{reduced}");
        let after = errors(&bench, &reduced);
        assert!(after.iter().all(|error| before.contains(error)), "{after:?}\n{reduced}");
    }
}

/// The result is one whole program, which differs from its control in one place.
fn a_control_is_kept_beside_it() {
    let bench = Bench::new();
    bench.install("clang-13", &format!("without {LOST}"));
    fs::write(bench.path("k.cl"), PROGRAM).unwrap();
    fs::write(bench.path("c.cl"), PROGRAM.replace("(global float *)", "(local float *)")).unwrap();
    let valid = PROGRAM.replace("global float *wrong = (global", "local float *wrong = (local");
    fs::write(bench.path("control.cl"), valid).unwrap();
    let options = ["--device", "clang-13", "--against", "checker"];
    let (reduced, stderr) =
        bench.said(&[&["reduce", "k.cl", "--control", "control.cl"], &options[..]].concat(), 0);
    assert!(stderr.contains("with -DCONTROL it is the control"), "{stderr}");
    assert_eq!(reduced.matches("#ifdef CONTROL").count(), 1, "{reduced}");
    assert!(reduced.contains("(local") && reduced.contains("(global"), "{reduced}");
    assert!(!reduced.contains("helper") && reduced.len() < 200, "{reduced}");
    // Each of the two is a program that the checker judges as it judged the whole.
    let (before, rest) = reduced.split_once("#ifdef CONTROL\n").unwrap();
    let (control, rest) = rest.split_once("#else\n").unwrap();
    let (program, after) = rest.split_once("#endif\n").unwrap();
    for (name, part) in [("small.cl", program), ("small-control.cl", control)] {
        fs::write(bench.path(name), [before, part, after].concat()).unwrap();
    }
    let again = ["reduce", "small.cl", "--control", "small-control.cl"];
    let (again, _) = bench.said(&[&again, &options[..]].concat(), 0);
    assert_eq!(again, reduced);
    // A control that is wrong too shows nothing.
    let wrong = ["reduce", "k.cl", "--control", "c.cl"];
    let (_, stderr) = bench.said(&[&wrong, &options[..]].concat(), 2);
    assert!(stderr.contains("does not accept the control"), "{stderr}");
    let same = ["reduce", "k.cl", "--control", "k.cl"];
    let (_, stderr) = bench.said(&[&same, &options[..]].concat(), 2);
    assert!(stderr.contains("are the same"), "{stderr}");
}

/// A long reduction that is interrupted gives what it has.
fn what_was_reached_at_an_interrupt() {
    let bench = Bench::new();
    bench.install("clang-13", "dies on 2.0f");
    let many = "constant int c = 3;\n".repeat(2000);
    fs::write(bench.path("k.cl"), format!("{many}constant float wrong = 2.0f;\n{many}")).unwrap();
    let mut child = bench.command(&["reduce", "k.cl", "--device", "clang-13"]).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.contains("clang-13: ") {
        assert!(stderr.read_line(&mut told).unwrap() > 0, "{told}");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("interrupted: "), "{told}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("2.0f"), "{told}");
}

/// A random program that is reduced in two calls ends as one that is reduced in one, and nothing is built twice.
fn an_interrupted_reduction_goes_on() {
    let bench = Bench::new();
    bench.install("clang-19", "dies on barrier(");
    let program = ["reduce", "random/run/cl12/seed=178", "--device", "clang-19"];
    let with = |file| [&program[..], &["--progress", file]].concat();
    let tried = |file: &str| {
        let text = fs::read_to_string(bench.path(file)).unwrap_or_default();
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let child = bench.command(&with("parts")).spawn().unwrap();
    while tried("parts").is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("are left to try; the same command continues from parts"), "{told}");
    let first = tried("parts").len();

    let (in_parts, told) = bench.said(&with("parts"), 0);
    assert!(!told.contains("left to try"), "{told}");
    let (in_one, _) = bench.said(&with("whole"), 0);
    assert_eq!(in_parts, in_one);
    assert!(in_one.contains("barrier(") && in_one.lines().count() < 20, "{in_one}");
    let all = tried("parts");
    let programs: BTreeSet<&str> =
        all.iter().map(|line| line.split("\"outcome\"").next().unwrap()).collect();
    assert!(first < all.len() && programs.len() == all.len(), "{first} of {}", all.len());

    let (_, told) =
        bench.said(&[&["reduce", "random/run/cl12/seed=179"], &with("whole")[2..]].concat(), 2);
    assert!(
        told.contains(
            "whole: it has the progress of another command, `reduce random/run/cl12/seed=178"
        ),
        "{told}"
    );
}

/// Candidates do not meet in one program, where each would define the same names again.
fn functions_alone() {
    let bench = Bench::new();
    bench.install("clang-13", "rejects forbidden");
    let program = "int first(int x) { return x; }\n\
                   int second(int x) { return first(x) + 1; }\n\
                   int third(int forbidden) { return second(forbidden); }\n\
                   int fourth(int x) { return third(x); }\n";
    fs::write(bench.path("k.cl"), program).unwrap();
    let pair = ["--device", "clang-13", "--against", "checker"];
    let (reduced, _) = bench.said(&[&["reduce", "k.cl"], &pair[..]].concat(), 0);
    assert!(reduced.contains("forbidden") && reduced.len() <= 30, "{reduced}");
}

fn what_shows_nothing_is_rejected() {
    let bench = Bench::new();
    bench.install("clang-13", "honest");
    bench.install("clang-16", "without conversion/cast");
    fs::write(bench.path("valid.cl"), "kernel void k(global int *o) { *o = 1; }\n").unwrap();
    fs::write(bench.path("wrong.cl"), PROGRAM).unwrap();
    for (options, message) in [
        (
            &["valid.cl", "--device", "clang-13"][..],
            "accepts this program: name the device that does not with `--against`",
        ),
        (&["valid.cl", "--device", "clang-13", "--against", "checker"], "agree on this program"),
        (&["wrong.cl", "--device", "clang-13", "--against", "checker"], "agree on this program"),
        (&["wrong.cl", "--device", "clang-16", "--against", "clang-16"], "agree on this program"),
        (&["wrong.cl", "--device", "clang-17", "--against", "checker"], "clang-17"),
        (&["wrong.cl", "--device", "clong-13"], "did you mean `clang-13`?"),
        (&["wrong.cl"], "--device"),
        (&["wrong.cl", "--device", "checker", "--dialect", "cl13"], "no such dialect"),
    ] {
        let (stdout, stderr) = bench.said(&[&["reduce"], options].concat(), 2);
        assert!(stderr.contains(message), "{options:?}\n{stderr}");
        assert_eq!(stdout, "");
    }
}

fn files_that_are_none() {
    let bench = Bench::new();
    bench.install("clang-13", &format!("without {LOST}"));
    fs::write(bench.path("latin.cl"), [PROGRAM.as_bytes(), b"// \xe9\n"].concat()).unwrap();
    fs::write(bench.path("empty.cl"), "").unwrap();
    fs::create_dir(bench.path("folder.cl")).unwrap();
    for (file, message) in [
        ("missing.cl", "missing.cl"),
        ("folder.cl", "folder.cl"),
        ("latin.cl", "latin.cl: it is not UTF-8"),
        ("empty.cl", "empty.cl: the file is empty"),
    ] {
        let options = ["--device", "clang-13", "--against", "checker"];
        let (stdout, stderr) = bench.said(&[&["reduce", file], &options[..]].concat(), 2);
        assert!(stderr.contains(message), "{file}\n{stderr}");
        assert_eq!(stdout, "");
    }
}
