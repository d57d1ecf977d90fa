//! Malicious results, through every command that reads results: nothing that a terminal, a shell or a
//! page could act on comes through, no file is read that the results name, and commands agree on what is damaged.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
    thread,
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A malicious part of a results file.
enum Part {
    /// A key of the header.
    Header(&'static str, Value),
    /// A key of the case.
    Case(&'static str, Value),
    /// A line of its own.
    Line(Value),
}
use Part::{Case, Header, Line};

/// The arguments with which every command takes a results file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    /// Whole results.
    Whole,
    /// Damaged results.
    Damaged,
    /// No results.
    Refused,
}
use Taken::{Damaged, Refused, Whole};

/// Characters that a terminal, a log or a reader could act on.
const HARM: &str =
    "\u{1b}[31m\u{1b}]0;x\u{7}\u{9b}1m\u{202e}\u{2066}\u{61c}\u{2028}\u{7f}\u{8}\r\u{fffe}";
/// A file in the folder where the commands run, which no command may read.
const SECRET: &str = "sesame-7261";

fn outcome(key: &str, text: &str) -> Value {
    let mut outcome = json!({ "kind": "accepted", "phase": "build" });
    outcome[key] = json!(text);
    outcome
}

fn interaction(cases: &str, what: &str) -> Value {
    json!({ "record": "interaction", "programs": [[cases], []], "what": what, "times": 1, "builds": 2 })
}

fn kept(path: &str, text: &str) -> Value {
    let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(text));
    json!([{ "role": "device", "path": path, "sha256": hash, "text": text }])
}

/// Rule of all results.
const RULE: &str = "conversion/implicit";
/// The case of all results.
const CASE: &str =
    "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";

const ENTRIES: &str = "what = \"x\"\nown-front-end = \"x\"\ndevice = { type = \"checker\" }\n[[deviation]]\ncases = [\"conversion/implicit/cl12/*\"]\nfindings = [\"accepts-invalid\"]\nkind = \"driver-bug\"\nreason = \"\\u001b[31m\\u202e\"\n";

fn rows() -> Vec<(&'static str, Part, Taken)> {
    let harm = json!(HARM);
    let map = json!({ HARM: HARM });
    vec![
        ("device", Header("device", json!(format!("x{HARM}"))), Whole),
        ("device of CI", Header("device", json!("::error::x")), Whole),
        ("device that is a file", Header("device", json!("./secret.toml")), Whole),
        ("device that is a system's file", Header("device", json!("/etc/passwd")), Whole),
        ("device that is an endless file", Header("device", json!("/dev/zero/x.toml")), Whole),
        ("device outside", Header("device", json!("../../x")), Whole),
        ("device by platform", Header("device", json!(format!("platform:{HARM}"))), Whole),
        ("device by library", Header("device", json!("icd:./secret.toml")), Whole),
        ("word", Header("device-as-typed", json!(format!("';touch PWNED;'{HARM}"))), Whole),
        ("front end", Header("front-end", harm.clone()), Whole),
        ("suite", Header("suite", harm.clone()), Whole),
        ("program", Header("program", harm.clone()), Whole),
        ("moment", Header("begun", json!(format!("2026-01-01T00:00:00Z{HARM}"))), Whole),
        ("identity", Header("identity", map.clone()), Whole),
        ("version", Header("identity", json!({ "driver": format!("1.0{HARM}") })), Whole),
        (
            "library",
            Header("identity", json!({ "library": "./secret.toml", "driver": "1" })),
            Whole,
        ),
        ("platform", Header("identity", json!({ "platform": HARM })), Whole),
        ("environment", Header("environment", map.clone()), Whole),
        ("machine", Header("machine", map.clone()), Whole),
        ("options", Header("options", map.clone()), Whole),
        ("selection", Header("selection", map.clone()), Whole),
        ("unsupported", Header("unsupported", json!({ "cl12": HARM, HARM: HARM })), Whole),
        ("kept path", Header("judged-by", kept(HARM, ENTRIES)), Whole),
        ("kept path of a file", Header("judged-by", kept("secret.toml", ENTRIES)), Whole),
        ("kept file that is none", Header("judged-by", kept("x", &format!("{HARM} = ["))), Refused),
        (
            "kept file of another hash",
            Header(
                "judged-by",
                json!([{ "role": "device", "path": "x", "sha256": "0", "text": ENTRIES }]),
            ),
            Refused,
        ),
        ("shard", Header("shard", harm.clone()), Whole),
        (
            "log",
            Case("outcome", outcome("log", &format!("error: {HARM}\n::error::x\n##[error]x"))),
            Whole,
        ),
        ("detail", Case("outcome", outcome("detail", HARM)), Whole),
        (
            "rules",
            Case("outcome", json!({ "kind": "rejected", "phase": "build", "rules": [HARM] })),
            Whole,
        ),
        ("log of the control", Case("control-log", harm.clone()), Whole),
        ("remarks", Case("remarks", json!([HARM, "::warning::x"])), Whole),
        ("id", Case("id", json!(format!("conversion/implicit/cl12/{HARM}"))), Damaged),
        ("id with a quote", Case("id", json!("conversion/implicit/cl12/';touch PWNED;'")), Damaged),
        (
            "id with a command",
            Case("id", json!("conversion/implicit/cl12/$(touch PWNED)")),
            Damaged,
        ),
        ("id of markup", Case("id", json!("conversion/implicit/cl12/<b>")), Damaged),
        ("control", Case("control", json!("conversion/implicit/cl12/`x`")), Damaged),
        ("rule", Case("breaks", harm.clone()), Damaged),
        ("dialect", Case("dialect", harm.clone()), Damaged),
        ("key", Case(HARM, harm.clone()), Damaged),
        ("fault", Line(interaction("conversion/implicit/cl12/x=1", HARM)), Whole),
        ("program of a fault", Line(interaction(HARM, "x")), Damaged),
        ("no record", Line(json!({ HARM: HARM })), Damaged),
        ("second header", Line(header()), Refused),
        ("format", Header("format", json!(9)), Refused),
        ("key of the header", Header("\u{1b}[31m", json!(1)), Refused),
    ]
}

fn header() -> Value {
    json!({
        "record": "header", "format": 6, "program": "0", "suite": "ab", "cases": 1, "device": "vendor",
        "front-end": "ours", "begun": "2026-01-01T00:00:00Z", "identity": { "driver": "1.0" },
    })
}

/// Writes the results of a row.
fn write(folder: &Path, part: &Part) {
    let mut header = header();
    let mut case = json!({
        "record": "case", "dialect": "cl12", "expectation": "reject",
        "id": CASE,
        "outcome": { "kind": "accepted", "phase": "build", "log": "error: x" },
        "finding": { "kind": "fail", "reason": "accepts-invalid" }, "seconds": 1.0, "attempts": 1,
    });
    let mut lines = Vec::new();
    match part {
        Header(key, value) => header[*key] = value.clone(),
        Case(key, value) => case[*key] = value.clone(),
        Line(value) => lines.push(value.clone()),
    }
    let end = json!({ "record": "end", "findings": { "fail": 1 }, "seconds": 1.0 });
    let lines = [vec![header, case], lines, vec![end]].concat();
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let text = lines.join("\n") + "\n";
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("results.jsonl"), text).unwrap();
}

/// Whether text has something that must not be printed.
fn is_raw(text: &str) -> bool {
    let is_bad = |c: char| {
        c.is_control() && !"\n\t".contains(c)
            || "\u{202e}\u{2066}\u{61c}\u{2028}\u{fffe}".contains(c)
    };
    text.chars().any(is_bad)
}

/// Checks a text that somebody reads.
fn check_text(text: &str, at: &str) {
    assert!(!is_raw(text), "{at}: {text:?}");
    assert!(!text.contains(SECRET), "{at} reads a file that results name:\n{text}");
    for line in text.lines().map(str::trim_start) {
        assert!(!line.starts_with("::") && !line.contains("##["), "{at}: a command of CI: {line}");
    }
}

fn runner(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
    command.args(arguments).current_dir(folder).env("XDG_CONFIG_HOME", folder.join("config"));
    command.output().unwrap()
}

/// Checks the files below a folder.
fn check_files(folder: &Path, at: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            check_files(&path, at);
        } else if let Ok(text) = fs::read_to_string(&path) {
            let shown = format!("{at}: {}", path.display());
            assert!(!is_raw(&path.display().to_string()), "{shown:?}");
            assert!(!is_raw(&text), "{shown}");
            assert!(!text.contains(SECRET), "{shown}");
        }
    }
}

/// Reads the results of a row by every command; gives what went wrong.
fn check(name: &str, part: &Part, taken: Taken) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(&here.join("r"), part);
    fs::write(here.join("secret.toml"), format!("what = \"{SECRET}\"\n{SECRET}\n")).unwrap();
    let commands: [(&[&str], &[i32]); 18] = [
        (&["judge", "r"], &[1]),
        (&["convert", "r", "--to", "junit"], &[0]),
        (&["convert", "r", "--to", "tap"], &[0]),
        (&["convert", "r", "--to", "markdown"], &[0]),
        (&["convert", "r", "--to", "sarif"], &[0]),
        (&["compare", "r", "r"], &[0, 2]),
        (&["compare", "r", "r", "--format", "markdown"], &[0, 2]),
        (&["compare", "r", "r", "--format", "json"], &[0, 2]),
        (&["dev", "audit", "--stored", "r", "r"], &[0]),
        (&["package", "write", "r", "--into", "out/package"], &[2]),
        (
            &[
                "export",
                "out/piglit",
                "--layout",
                "piglit",
                "--known",
                "r",
                "--rule",
                RULE,
                "--dialect",
                "cl12",
            ],
            &[0, 2, 3],
        ),
        (&["submit", "--on", "slurm", "--times", "r", "--results", "out/s", "--dry-run"], &[0, 2]),
        (&["report", "r", "--into", "out/site"], &[0]),
        (&["handover", "r", "--unexpected", "--into", "out/packs"], &[0, 2, 3]),
        (&["history", "add", "r", "--history", "history.sqlite"], &[0, 2]),
        (&["history", "show", "--history", "history.sqlite"], &[0, 2]),
        (&["merge", "r", "--into", "out/merged"], &[0, 2]),
        (&["--resume", "r", "--device", "checker", "--rule", "string-literal/write"], &[2]),
    ];
    let mut statuses = Vec::new();
    for (arguments, expected) in commands {
        let at = format!("{name}: {arguments:?}");
        let output = runner(here, arguments);
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        check_text(&said.concat(), &at);
        assert!(!said[1].contains("panicked"), "{at}: {}", said[1]);
        let status = output.status.code().unwrap();
        // An entry that the results hold may explain the case.
        let is_explained = matches!(part, Header("judged-by", _)) && status == 0;
        let is_expected = expected.contains(&status) || is_explained;
        assert!(taken != Whole || is_expected, "{at}: {status}\n{}", said.concat());
        statuses.push((arguments[0], status));
    }
    check_files(&here.join("out"), name);
    assert!(!here.join("PWNED").exists(), "{name}");
    if taken == Whole {
        return;
    }
    for (command, status) in statuses {
        // A finding is handed over, and an expected failure exported, however much else is there.
        let is_partial = taken == Damaged && ["handover", "export"].contains(&command);
        assert!(is_partial || status == 2, "{name}: {command} takes what is damaged");
    }
    let partial = runner(here, &["judge", "r", "--partial"]);
    let is_taken = partial.status.code() != Some(2);
    assert_eq!(is_taken, taken == Damaged, "{name}: {}", String::from_utf8_lossy(&partial.stderr));
    check_text(&String::from_utf8(partial.stdout).unwrap(), name);
    check_text(&String::from_utf8(partial.stderr).unwrap(), name);
}

#[test]
fn hostile_results_do_no_harm() {
    let rows = rows();
    assert!(rows.len() >= 30, "{}", rows.len());
    thread::scope(|scope| {
        for part in rows.chunks(rows.len().div_ceil(4)) {
            scope.spawn(move || {
                for (name, part, taken) in part {
                    check(name, part, *taken);
                }
            });
        }
    });
}

#[test]
fn a_case_of_no_rule_is_not_green() {
    let folder = tempfile::tempdir().unwrap();
    let part = Case("finding", json!({ "kind": "pass", "reason": "as-expected" }));
    write(&folder.path().join("r"), &part);
    assert_eq!(runner(folder.path(), &["judge", "r"]).status.code(), Some(0));
    let path = folder.path().join("r/results.jsonl");
    let text = fs::read_to_string(&path).unwrap().replace("conversion/implicit", "no/rule");
    fs::write(&path, text).unwrap();
    let output = runner(folder.path(), &["judge", "r"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("1 case of no/rule: this suite has no such rule"), "{said}");
    assert!(said.trim_end().lines().last().unwrap().contains(", 1 case of no rule,"), "{said}");
}

/// The device file is nowhere but in the results.
#[test]
fn results_are_judged_alike_wherever_they_lie() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let outputs = |name: &str, part: &Part| {
        write(&here.join(name), part);
        let site = format!("{name}-site");
        let said = |arguments: &[&str]| {
            let output = runner(here, arguments);
            (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
        };
        let judged = said(&["judge", name]);
        let converted = said(&["convert", name, "--to", "markdown"]).1;
        said(&["report", name, "--into", &site]);
        let page = here.join(site).join("devices/vendor.html");
        let is_known = fs::read_to_string(page).is_ok_and(|page| page.contains("gone/x.toml"));
        let handed_over = said(&["handover", name, "--unexpected", "--into", "packs"]).0;
        (judged, converted, is_known, handed_over)
    };
    let known = Header("judged-by", kept("gone/x.toml", ENTRIES));
    let (judged, converted, is_known, handed_over) = outputs("known", &known);
    assert_eq!(judged.0, 0, "{}", judged.1);
    assert!(judged.1.contains(", 0 unexpected, 1 expected failure,"), "{}", judged.1);
    assert!(converted.contains("✓ as expected"), "{converted}");
    assert!(is_known);
    assert_eq!(handed_over, 3);
    let (judged, converted, is_known, handed_over) =
        outputs("unknown", &Header("judged-by", json!([])));
    assert_eq!(judged.0, 1, "{}", judged.1);
    assert!(converted.contains("✗ unexpected findings"), "{converted}");
    assert!(!is_known);
    assert_eq!(handed_over, 0);
}
