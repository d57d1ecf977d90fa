//! Misleading logs of shared builds: with any output of a compiler, its verdicts are those of building each case alone.

use std::{collections::BTreeSet, env, fs, io::Write as _, path::Path};

use crate::{Test, compiler::Bench};

pub(crate) const TESTS: &[Test] = &[
    ("logs/shared_verdicts_are_those_of_builds_alone", shared_is_alone),
    ("logs/expected_failures_stay_failures", expected_failures_stay),
    ("logs/no_run_with_a_lie_is_green", no_lie_is_green),
];

/// The mood of a compiler whose shared builds have logs of one shape. It does not know one rule, so that it accepts
/// programs that should be rejected.
pub(crate) const LOG: &str = "log ";

/// The rule that it does not know.
const UNKNOWN: &str = "conversion/nested";

/// Shapes of logs.
const SHAPES: [&str; 13] = [
    "undefined extern",
    "warnings",
    "notes",
    "source",
    "summary",
    "translated",
    "cut",
    "empty",
    "one symbol",
    "first error",
    "next case",
    "by chance",
    "limit",
];

/// Returns the rule that a compiler of this mood does not know.
pub(crate) fn unknown_rule(mood: &str) -> Option<&'static str> {
    mood.strip_prefix(LOG).filter(|shape| SHAPES.contains(shape)).map(|_| UNKNOWN)
}

/// Returns what a compiler of this mood prints instead of `log`; what is not empty is a rejection.
pub(crate) fn printed(mood: &str, source: &str, log: String) -> String {
    let Some(shape) = mood.strip_prefix(LOG) else { return log };
    let kernels = kernels(source);
    // Known programs, and cases that are built alone, are judged honestly.
    let is_shared = kernels.len() > 1;
    if shape == "undefined extern" {
        let Some(symbol) = undefined(source) else { return log };
        return if log.is_empty() {
            warnings(&kernels) + &format!("ptxas fatal   : Unresolved extern function '{symbol}'\n")
        } else {
            log
        };
    }
    if !is_shared {
        return log;
    }
    match shape {
        "limit" if kernels.len() > 8 => "error: too many kernels\n".to_owned(),
        "by chance" if is_turn("by-chance", 3) => "internal inconsistency\n".to_owned(),
        "lies" if log.is_empty() && is_turn("lies", 50) => "rejected\n".to_owned(),
        "lies with a line" if log.is_empty() && is_turn("lies-with-a-line", 50) => {
            "c00001:1:1: error: I do not like it\n".to_owned()
        }
        _ if log.is_empty() => log,
        "warnings" => warnings(&kernels) + "failed\n",
        "notes" => places(&kernels, "note: candidate function"),
        "source" => {
            let lines: Vec<&str> = source.lines().filter(|line| line.contains("kernel")).collect();
            lines.join("\n")
        }
        "summary" => format!("{} errors in {}\n", kernels.len(), kernels.join(", ")),
        "translated" => log.replace(": error: ", ": Fehler: "),
        "cut" => log.chars().take(log.len() / 2).collect(),
        "empty" => " ".to_owned(),
        "one symbol" => {
            let first = log.lines().next().and_then(|line| line.get(1..6)?.parse().ok());
            let symbol = kernels.get(first.unwrap_or(0_usize)).copied().unwrap_or("none");
            warnings(&kernels) + &format!("ptxas fatal   : Unresolved extern function '{symbol}'\n")
        }
        "first error" => log.lines().next().map(|line| format!("{line}\n")).unwrap_or_default(),
        "next case" => {
            let moved = log.lines().map(|line| {
                let number: Option<usize> = line.get(1..6).and_then(|digits| digits.parse().ok());
                number.map_or_else(
                    || format!("{line}\n"),
                    |number| format!("c{:05}{}\n", (number + 1) % kernels.len(), &line[6..]),
                )
            });
            moved.collect()
        }
        _ => log,
    }
}

fn warnings(kernels: &[&str]) -> String {
    let warning = |kernel: &&str| {
        format!("(): Warning: Function {kernel} is a kernel, so overriding noinline attribute.\n")
    };
    kernels.iter().map(warning).collect()
}

fn places(kernels: &[&str], what: &str) -> String {
    let place = |(number, kernel): (usize, &&str)| format!("c{number:05}:1:1: {what} {kernel}\n");
    kernels.iter().enumerate().map(place).collect()
}

/// Returns one kernel of each case, in the order of the cases.
fn kernels(source: &str) -> Vec<&str> {
    let cases = source.split("#line 1 ").skip(1);
    cases.filter_map(|case| own_names(case).next()).collect()
}

/// Returns the names that begin as a case's own names do.
fn own_names(source: &str) -> impl Iterator<Item = &str> {
    let words = source.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| {
        word.len() > 12
            && word.starts_with('c')
            && word.as_bytes()[11] == b'_'
            && word[1..11].bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Returns the first function that is declared and called and has no body.
fn undefined(source: &str) -> Option<&str> {
    let mut seen = BTreeSet::new();
    own_names(source).filter(|name| seen.insert(*name)).find(|name| {
        let uses = source.match_indices(*name);
        let mut bodies = uses.filter_map(|(offset, _)| {
            let (_, rest) = source[offset + name.len()..]
                .split_once('(')
                .filter(|(before, _)| before.is_empty())?;
            let end = rest.find(')')?;
            Some(rest[end + 1..].trim_start().starts_with('{'))
        });
        let is_macro = source.contains(&format!("define {name}"));
        let first = bodies.next();
        !is_macro && first == Some(false) && !bodies.any(|is_body| is_body)
    })
}

/// Whether it is the turn of this program: one in `every`. Several compilers count in one file.
fn is_turn(name: &str, every: u64) -> bool {
    let bin = env::var("PATH").unwrap();
    let path = Path::new(&bin).with_file_name(name);
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.lock().unwrap();
    file.write_all(b"x").unwrap();
    file.metadata().unwrap().len().is_multiple_of(every)
}

const SELECTION: [&str; 6] = [
    "--rule",
    "conversion/nested-through-array",
    "--rule",
    "conversion/implicit",
    "--dialect",
    "cl12",
];

/// The verdicts of a run, by case, and what it printed.
fn verdicts(bench: &Bench, name: &str, arguments: &[&str]) -> (Vec<String>, String) {
    let results = bench.path(name);
    let results = results.to_str().unwrap();
    let all = [&["--device", "clang-19", "--results", results], &SELECTION[..], arguments].concat();
    let output = bench.command(&all).output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    let said = said.concat();
    let text = fs::read_to_string(bench.path(name).join("results.jsonl")).expect(&said);
    let mut verdicts: Vec<String> = text
        .lines()
        .filter_map(|line| {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let finding = case["finding"]["kind"].as_str()?;
            Some(format!("{} {} {finding}", case["id"].as_str()?, case["outcome"]["kind"]))
        })
        .collect();
    verdicts.sort_unstable();
    (verdicts, said)
}

fn shared_is_alone() {
    for shape in SHAPES {
        let bench = Bench::new();
        bench.install("clang-19", &format!("{LOG}{shape}"));
        let (shared, said) = verdicts(&bench, "shared", &[]);
        let (alone, _) = verdicts(&bench, "alone", &["--isolate"]);
        assert!(alone.len() > 40, "{shape}: {}", alone.len());
        assert!(alone.iter().any(|verdict| verdict.contains("\"accepted\" fail")), "{shape}");
        assert!(alone.iter().any(|verdict| verdict.contains("\"rejected\" pass")), "{shape}");
        let differ: Vec<_> =
            shared.iter().zip(&alone).filter(|(one, other)| one != other).collect();
        assert!(shared.len() == alone.len() && differ.is_empty(), "{shape}\n{differ:#?}\n{said}");
    }
}

/// A baseline that knows the compiler's mistake.
const BASELINE: &str = r#"what = "a compiler of ours"
front-end = "clang 19"

[device]
type = "command"
command = ["clang-19", "{file}"]
version = ["clang-19", "--version"]

[[deviation]]
cases = ["conversion/nested-through-array/cl12/*"]
kind = "driver-bug"
reason = "it does not know that address spaces below the outermost pointer never convert"
findings = ["accepts-invalid"]
"#;

/// A false rejection of what an entry knows to be accepted would make the entry look stale or too wide.
fn expected_failures_stay() {
    for shape in ["undefined extern", "warnings", "next case"] {
        let bench = Bench::new();
        bench.install("clang-19", &format!("{LOG}{shape}"));
        fs::write(bench.path("known.toml"), BASELINE).unwrap();
        let known = ["--baseline", "known.toml"];
        let count = |said: &str| {
            let (before, _) = said.split_once(" expected failures").unwrap();
            before.rsplit(' ').next().unwrap().to_owned()
        };
        let (_, alone) = verdicts(&bench, "alone", &[&known[..], &["--isolate"]].concat());
        let (_, shared) = verdicts(&bench, "shared", &known);
        assert_eq!(count(&shared), count(&alone), "{shape}\n{shared}\n{alone}");
        for complaint in ["stale", "too wide"] {
            assert_eq!(shared.contains(complaint), alone.contains(complaint), "{shape}\n{shared}");
        }
    }
}

/// A device file of a compiler without a known bug.
const HONEST: &str = r#"what = "a compiler of ours"
own-front-end = "ours 1"

[device]
type = "command"
command = ["clang-19", "-cl-std={std}", "{features}", "{file}"]
version = ["clang-19", "--version"]
"#;

/// A compiler that calls one in 50 of the shared programs that it accepts rejected, beginning with any of them, and one
/// that does not.
fn no_lie_is_green() {
    let run = |mood: &str, counted: &str, before: usize, status: i32| {
        let bench = Bench::new();
        bench.install("clang-19", mood);
        fs::write(bench.path("honest.toml"), HONEST).unwrap();
        fs::write(bench.path(counted), "x".repeat(before)).unwrap();
        let arguments = ["--device", "honest.toml", "--rule", "conversion/*"];
        let (stdout, stderr) = bench.said(&arguments, status);
        let lies = fs::read(bench.path(counted)).unwrap().len() / 50;
        let told = stderr.matches("rejected, but accepted when built again").count();
        assert_eq!(told, lies, "{mood}, {before}\n{stdout}\n{stderr}");
    };
    run("honest", "none", 0, 0);
    for before in [9, 19, 29, 39, 49] {
        run(&format!("{LOG}lies"), "lies", before, 1);
        run(&format!("{LOG}lies with a line"), "lies-with-a-line", before, 1);
    }
}
