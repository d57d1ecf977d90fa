//! `JUnit` XML under the schema that Jenkins publishes, and TAP as Perl reads it.

use std::path::Path;

use libtest_mimic::Failed;

use crate::support::{
    CLANG, LIT, PIGLIT, POCL, PROVE, Test, XMLLINT, ensure, foreign, run, runner_says,
};

pub(crate) const TESTS: [Test; 6] = [
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
    Test {
        name: "lit_tests_pass_and_fail_as_marked",
        needs: &[LIT, CLANG],
        run: lit_tests_pass_and_fail_as_marked,
    },
    Test {
        name: "piglit_tests_pass_on_pocl_but_for_what_is_known",
        needs: &[PIGLIT, POCL],
        run: piglit_tests_pass_on_pocl_but_for_what_is_known,
    },
];

/// Under piglit's own runner, with its own lists of expected failures; one that passes is a failure there.
fn piglit_tests_pass_on_pocl_but_for_what_is_known() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (results, tests) = (path("results"), path("tests"));
    let selection =
        ["--rule", "type/event-use", "--rule", "execution/barrier", "--dialect", "cl12"];
    let judged = ["--device", "pocl", "--results", results.as_str()];
    runner_says(&[&judged[..], &selection].concat(), 0)?;
    let layout =
        ["dev", "export", tests.as_str(), "--layout", "piglit", "--known", results.as_str()];
    runner_says(&[&layout[..], &selection].concat(), 0)?;
    run("gzip", &["--keep", &format!("{tests}/profile.xml")], 0)?;
    let piglit = |into: &str| {
        let command = format!(
            "OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd piglit run -c -b junit -f {tests}/piglit.conf {tests}/profile.xml.gz {into}"
        );
        run("sh", &["-c", &command], 0)?;
        Ok::<_, Failed>(std::fs::read_to_string(format!("{into}/results.xml")).unwrap())
    };
    let first = piglit(&path("first"))?;
    let count = |text: &str, what: &str| text.matches(what).count();
    let (passed, known) = (count(&first, "status=\"pass\""), count(&first, "status=\"fail\""));
    let unexpected = |text: &str| count(text, "<failure") + count(text, "<error");
    ensure(passed > 10 && known > 0 && unexpected(&first) == 0, || first.clone())?;
    let skipped = count(&first, "status=\"skip\"");
    ensure(count(&first, "<testcase") == passed + known + skipped, || first.clone())?;
    // The judgement is checked: with a kernel that leaves another value, and with an unknown failure.
    let executed = run("grep", &["-rl", "--include=*.cl", "^arg_out: 0", &tests], 0)?;
    let executed: Vec<&str> = executed.lines().collect();
    ensure(!executed.is_empty(), || "nothing is executed".to_owned())?;
    let text = std::fs::read_to_string(executed[0]).unwrap();
    let other = |line: &str| match line.strip_prefix("arg_out: ") {
        Some(rest) => format!("arg_out: {}\n", rest.replacen("] ", "] 1", 1)),
        None => format!("{line}\n"),
    };
    std::fs::write(executed[0], text.lines().map(other).collect::<String>()).unwrap();
    let lists = format!("{tests}/piglit.conf");
    let emptied = std::fs::read_to_string(&lists).unwrap();
    let emptied: Vec<&str> = emptied.lines().filter(|line| !line.starts_with("piglit.")).collect();
    std::fs::write(&lists, emptied.join("\n")).unwrap();
    let second = piglit(&path("second"))?;
    ensure(unexpected(&second) == known + 1, || second.clone())
}

/// Under LLVM's own lit and clang's own `-verify`; an XFAIL that passes fails the run.
fn lit_tests_pass_and_fail_as_marked() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let tests = folder.path().join("lit").display().to_string();
    let rules = ["conversion/implicit", "constant/write", "type/sampler-qualified"];
    let mut arguments =
        vec!["dev", "export", tests.as_str(), "--layout", "lit", "--dialect", "cl12"];
    arguments.extend(rules.iter().flat_map(|rule| ["--rule", rule]));
    runner_says(&arguments, 0)?;
    let said = run("lit", &["-D", "clang=clang-19", "-v", &tests], 0)?;
    for expected in [
        "PASS: OpenCL C address spaces :: conversion/implicit.cl",
        "PASS: OpenCL C address spaces :: type/sampler-qualified.cl",
        "XFAIL: OpenCL C address spaces :: constant/write.wrong-1.cl",
    ] {
        ensure(said.contains(expected), || format!("{expected}\n{said}"))?;
    }
    // The judgement is checked: if clang reads nothing, the marked errors are not found.
    let blind = folder.path().join("lit/conversion/implicit.cl");
    let marked = std::fs::read_to_string(&blind).unwrap();
    let read_no_more = marked.replace(" -fsyntax-only", " -E");
    std::fs::write(&blind, read_no_more).unwrap();
    run("lit", &["-D", "clang=clang-19", &blind.display().to_string()], 1).map(drop)
}

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

/// Results as a device might spoil them: 1 passed, 1 unsupported, 3 that are unexpected.
fn hostile_results(folder: &Path) {
    let log = "\u{1b}[31m]]></failure>\0\u{fffe}\u{85}\r\n1..0\nok 9\nBail out!\n---\n...\n# TODO\n<!-- & \"'`";
    let mut lines = vec![serde_json::json!({
        "record": "header", "format": 6, "program": "0", "suite": "s", "cases": 6, "device": "checker",
        "front-end": log, "identity": { "driver": log, log: "x" },
    })];
    let case = |name: &str, finding: &str, outcome: &str| {
        serde_json::json!({
            "record": "case", "id": format!("conversion/implicit/cl12/{name}"), "dialect": "cl12", "expectation": "reject",
            "breaks": "conversion/implicit", "control-log": log, "remarks": [log], "seconds": -1e300, "attempts": 1,
            "outcome": { "kind": outcome, "phase": "build", "detail": log, "log": log },
            "finding": { "kind": finding, "reason": "wrong-place" },
        })
    };
    lines.push(case("x=1", "pass", "rejected"));
    lines.push(case("x=2", "fail", "rejected"));
    lines.push(case("x=3", "crash", "crashed"));
    lines.push(case("x=4", "unsupported", "unsupported"));
    lines.push(case("x=5", "inconclusive", "failed"));
    // A line with such an id is damaged, and this is reported.
    lines.push(case(log, "fail", "rejected"));
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
    // The sixth case is damaged, and the run did not reach its end: an error of its own.
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
    ensure(said.contains("Failed tests:  2-3, 5-6") && !said.contains("Parse errors"), || said)
}
