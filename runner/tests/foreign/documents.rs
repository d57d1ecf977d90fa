//! `JUnit` XML under the schema that Jenkins publishes, and TAP as Perl reads it.

use std::path::Path;

use libtest_mimic::Failed;

use crate::support::{PROVE, Test, XMLLINT, ensure, foreign, run, runner_says};

pub(crate) const TESTS: [Test; 4] = [
    Test {
        name: "junit_of_a_run_is_valid_for_jenkins",
        needs: &[XMLLINT],
        run: junit_of_a_run_is_valid_for_jenkins,
    },
    Test {
        name: "junit_of_hostile_results_is_valid_for_jenkins",
        needs: &[XMLLINT],
        run: junit_of_hostile_results_is_valid_for_jenkins,
    },
    Test {
        name: "tap_of_a_run_is_read_by_prove",
        needs: &[PROVE],
        run: tap_of_a_run_is_read_by_prove,
    },
    Test {
        name: "tap_of_hostile_results_is_read_by_prove",
        needs: &[PROVE],
        run: tap_of_hostile_results_is_read_by_prove,
    },
];

fn validate(xml: &Path) -> Result<(), Failed> {
    let schema = foreign("junit-10.xsd").display().to_string();
    let xml = xml.display().to_string();
    run("xmllint", &["--noout", "--schema", &schema, &xml], 0).map(drop)
}

fn junit_of_a_run_is_valid_for_jenkins() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let (xml, results) = (folder.path().join("run.xml"), folder.path().join("results"));
    let [xml_name, results] = [&xml, &results].map(|path| path.display().to_string());
    let selection = ["--rule", "conversion/implicit", "--rule", "string-literal"];
    let run = [&selection[..], &["--junit", &xml_name, "--results", &results]].concat();
    runner_says(&run, 0)?;
    validate(&xml)?;
    let written = std::fs::read_to_string(&xml).unwrap();
    let converted = runner_says(&["convert", &results, "--to", "junit"], 0)?;
    ensure(converted == written, || "a run and its results give two documents".to_owned())
}

/// Results as a device might spoil them: 1 passed, 1 unsupported, 3 that nobody explains.
fn hostile_results(folder: &Path) {
    let log = "\u{1b}[31m]]></failure>\0\u{fffe}\u{85}\r\n1..0\nok 9\nBail out!\n---\n...\n# TODO\n<!-- & \"'`";
    let mut lines = vec![serde_json::json!({
        "record": "header", "format": 2, "program": "0", "suite": "s", "cases": 6, "device": "checker",
        "front-end": log, "identity": { "driver": log, log: "x" },
    })];
    let case = |name: &str, finding: &str, outcome: &str| {
        serde_json::json!({
            "record": "case", "id": format!("a/b/cl12/{name}"), "dialect": "cl12", "expectation": log,
            "breaks": log, "control": log, "control-log": log, "remarks": [log], "seconds": -1e300, "attempts": 1,
            "outcome": { "kind": outcome, "phase": "build", "detail": log, "log": log },
            "finding": { "kind": finding, "reason": "wrong-place" },
        })
    };
    lines.push(case("x=1", "pass", "rejected"));
    lines.push(case(log, "fail", "rejected"));
    lines.push(case("# SKIP", "crash", "crashed"));
    lines.push(case("x=4", "unsupported", "unsupported"));
    lines.push(case("x=5", "inconclusive", "failed"));
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let text = lines.join("\n") + "\n";
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("results.jsonl"), text).unwrap();
}

fn converted(folder: &Path, to: &str) -> Result<std::path::PathBuf, Failed> {
    let results = folder.join("results");
    hostile_results(&results);
    let output = folder.join(to);
    let [results, shown] = [&results, &output].map(|path| path.display().to_string());
    runner_says(&["convert", &results, "--partial", "--to", to, "--output", &shown], 0)?;
    Ok(output)
}

fn junit_of_hostile_results_is_valid_for_jenkins() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let xml = converted(folder.path(), "junit")?;
    validate(&xml)?;
    // The run was stopped before its sixth case: an error of its own.
    let count = |what: &str| run("xmllint", &["--xpath", what, &xml.display().to_string()], 0);
    let counts = (count("count(//failure)")?, count("count(//error)")?, count("count(//skipped)")?);
    let expected = ("1\n".to_owned(), "3\n".to_owned(), "1\n".to_owned());
    ensure(counts == expected, || format!("{counts:?}"))
}

fn tap_of_a_run_is_read_by_prove() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let (tap, results) = (folder.path().join("run.tap"), folder.path().join("results"));
    let [tap, results] = [&tap, &results].map(|path| path.display().to_string());
    runner_says(&["--rule", "conversion/implicit", "--dialect", "cl12", "--results", &results], 0)?;
    runner_says(&["convert", &results, "--to", "tap", "--output", &tap], 0)?;
    let said = run("prove", &["--exec", "cat", &tap], 0)?;
    ensure(said.contains("Result: PASS"), || said)
}

fn tap_of_hostile_results_is_read_by_prove() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let tap = converted(folder.path(), "tap")?.display().to_string();
    let said = run("prove", &["--exec", "cat", &tap], 1)?;
    ensure(said.contains("Failed tests:  1-2, 5-6") && !said.contains("Parse errors"), || said)
}
