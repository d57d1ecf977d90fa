//! Files that other tools read, compared with their published schemas by a validator that nobody here wrote.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use expectations::probe::read::read;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

fn runner(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_address-spaces")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The lines of the file, each valid.
fn valid_lines(schema: &str, file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 10, "{text}");
    check(schema, &lines);
    lines
}

fn check(schema: &str, documents: &[Value]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let schema = std::fs::read_to_string(root.join("docs/schema").join(schema)).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for document in documents {
        if let Err(error) = validator.validate(document) {
            panic!("{error}\nin {document}");
        }
    }
}

#[test]
fn results_are_what_their_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("r").display().to_string();
    runner(&["--rule", "conversion/implicit", "--rule", "declaration", "--results", &results]);
    valid_lines("results-5.schema.json", &PathBuf::from(results).join("results.jsonl"));
}

#[test]
fn comparisons_are_what_their_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let results = |name: &str, rule: &str| {
        let results = folder.path().join(name).display().to_string();
        runner(&["--rule", rule, "--dialect", "cl12", "--results", &results]);
        results
    };
    let (old, new) = (results("old", "conversion/*"), results("new", "conversion/implicit"));
    let text = runner(&["compare", &old, &new, "--format", "json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(document["comparisons"][0]["counts"]["gone"].as_u64().unwrap() > 0, "{document:#}");
    check("compare-1.schema.json", &[document]);
}

fn check_export(layout: &str) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("suite");
    runner(&["export", &root.display().to_string(), "--layout", layout, "--dialect", "cl12"]);
    let entries = valid_lines("manifest-1.schema.json", &root.join("manifest.jsonl"));
    let text = |entry: &Value, name: &str| entry[name].as_str().map(str::to_owned);
    let ids: BTreeSet<String> = entries.iter().filter_map(|entry| text(entry, "id")).collect();
    assert_eq!(ids.len(), entries.len(), "an id stands twice");
    let mut rejected = 0;
    let mut probes = 0;
    for entry in &entries {
        if let Some(name) = text(entry, "probe") {
            let probe = std::fs::read_to_string(root.join(&name)).unwrap();
            read(&name, &probe).unwrap_or_else(|error| panic!("{error}"));
            probes += 1;
        }
        let program = std::fs::read(root.join(text(entry, "file").unwrap())).unwrap();
        let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(&program));
        assert_eq!(text(entry, "sha256").unwrap(), digest, "{entry}");
        if let Some(control) = text(entry, "control") {
            assert!(ids.contains(&control), "{control} is missing");
        }
        if entry["expectation"] != "reject" {
            continue;
        }
        rejected += 1;
        let program = String::from_utf8(program).unwrap();
        let marked: Vec<u64> = (1..)
            .zip(program.lines())
            .filter(|(_, line)| line.contains("/*@*/"))
            .map(|(n, _)| n)
            .collect();
        let guilty: Vec<u64> =
            entry["guilty-lines"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        assert!(marked.iter().all(|line| guilty.contains(line)), "{entry}\n{program}");
    }
    assert!(rejected > 1000, "{rejected} programs to reject");
    assert!(probes > 50, "{probes} programs to execute");
}

#[test]
fn the_export_and_its_manifest_agree() {
    check_export("plain");
}

#[test]
fn the_export_for_piglit_and_its_manifest_agree() {
    check_export("piglit");
}

/// Every valid case that an option selects, once, in the test of its rule; nothing else.
#[test]
fn the_export_for_the_cts_has_what_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let rules = ["execution/barrier", "conversion/implicit", "codegen/generic-access"];
    let mut selection: Vec<&str> = rules.iter().flat_map(|rule| ["--rule", rule]).collect();
    selection.extend(["--dialect", "cl10", "--dialect", "cl12", "--dialect", "cl30-generic"]);
    let export = |layout: &str| {
        let root = folder.path().join(layout);
        let shown = root.display().to_string();
        runner(&[&["export", &shown, "--layout", layout], &selection[..]].concat());
        root
    };
    let entries = valid_lines("manifest-1.schema.json", &export("plain").join("manifest.jsonl"));
    let wanted = |entry: &&Value| entry["expectation"] == "accept" && entry["dialect"] != "cl10";
    let wanted: BTreeSet<&str> =
        entries.iter().filter(wanted).filter_map(|entry| entry["id"].as_str()).collect();
    let root = export("cts");
    let list = std::fs::read_to_string(root.join("CMakeLists.txt")).unwrap();
    let mut text = String::new();
    for name in list.lines().map(str::trim).filter(|line| line.starts_with("test_")) {
        text.push_str(&std::fs::read_to_string(root.join(name)).unwrap());
    }
    let ids = text.lines().filter_map(|line| line.strip_prefix("    { \"")?.split_once('"'));
    let ids: Vec<&str> = ids.map(|(id, _)| id).filter(|id| id.contains("/cl")).collect();
    assert_eq!(ids.len(), wanted.len());
    assert_eq!(ids.into_iter().collect::<BTreeSet<_>>(), wanted);
    for test in [
        "REGISTER_TEST(execution_barrier)",
        "REGISTER_TEST(conversion_implicit)",
        "REGISTER_TEST_VERSION(codegen_generic_access, Version(3, 0))",
    ] {
        assert!(text.contains(test), "no {test}");
    }
    assert!(text.contains("300, true, false, NEEDS_"), "no case of 3.0 with one feature");
    // What a probe does by one launch is executed.
    assert!(text.contains("launches_0, 3 }"), "no launches");
}
