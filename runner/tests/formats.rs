//! Files that other tools read, compared with their published schemas by an independent validator.

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
    valid_lines("results-6.schema.json", &PathBuf::from(results).join("results.jsonl"));
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
    check("compare-2.schema.json", &[document]);
}

/// A run with known and with unexpected failures, judged by a baseline.
#[test]
fn a_run_as_sarif_is_what_the_standard_says() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("r").display().to_string();
    runner(&["--rule", "conversion/implicit", "--dialect", "cl12", "--results", &results]);
    let path = PathBuf::from(&results).join("results.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let wrong = r#"{"kind":"fail","reason":"accepts-invalid"}"#;
    let rejected = |line: &&str| line.contains(r#""expectation":"reject""#);
    let mut ids: Vec<String> = text
        .lines()
        .filter(rejected)
        .take(2)
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    let changed = text.lines().map(|line| {
        let is_changed = ids.iter().any(|id| line.contains(&format!("\"id\":{id:?}")));
        let right = r#"{"kind":"pass","reason":"as-expected"}"#;
        if is_changed { line.replace(right, wrong) } else { line.to_owned() }
    });
    let changed: Vec<String> = changed.collect();
    assert_eq!(changed.join("\n").matches(wrong).count(), 2);
    std::fs::write(&path, changed.join("\n") + "\n").unwrap();
    let baseline = folder.path().join("known.toml").display().to_string();
    std::fs::write(
        &baseline,
        format!(
            "what = \"x\"\nown-front-end = \"x\"\ndevice = {{ type = \"checker\" }}\n[[deviation]]\ncases = [{:?}]\nfindings = [\"accepts-invalid\"]\nkind = \"driver-bug\"\nreason = \"a reason\"\n",
            ids[0]
        ),
    )
    .unwrap();
    let log = runner(&["convert", &results, "--to", "sarif", "--baseline", &baseline]);
    let log: Value = serde_json::from_str(&log).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let schema = root.join("checker/tests/foreign/sarif-schema-2.1.0.json");
    let text = std::fs::read_to_string(schema).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    // As published this is not a regular expression of ECMA-262; no language is written.
    for holder in ["run", "toolComponent"] {
        let pointer = format!("/definitions/{holder}/properties/language");
        let language = schema.pointer_mut(&pointer).and_then(Value::as_object_mut).unwrap();
        assert!(language.remove("pattern").is_some(), "{holder}");
    }
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert_eq!(errors, [] as [&str; 0], "{log:#}");
    let found = log["runs"][0]["results"].as_array().unwrap();
    let [known, unexpected] = &found[..] else { panic!("{log:#}") };
    assert_eq!(known["suppressions"][0]["justification"], "expected failure: a reason");
    assert_eq!(unexpected["suppressions"], Value::Array(Vec::new()));
    for (result, id) in found.iter().zip(&ids) {
        let location = &result["locations"][0];
        assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], Value::from(id.as_str()));
        assert!(location["physicalLocation"]["region"]["startLine"].is_u64(), "{result:#}");
        assert_eq!(result["ruleId"], "conversion/implicit");
    }
}

/// Checks a package as it was written, and with each of its files changed.
#[test]
fn packages_are_what_was_packed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    runner(&["--rule", "conversion/unions", "--dialect", "cl12", "--results", &path("r")]);
    runner(&["package", "write", &path("r"), "--into", &path("p")]);
    let manifest = std::fs::read_to_string(folder.path().join("p/package.json")).unwrap();
    check("package-1.schema.json", &[serde_json::from_str(&manifest).unwrap()]);
    let said = runner(&["package", "check", &path("p")]);
    assert!(said.contains(" is as it was packed: 46 cases of a part of the suite ("), "{said}");
    assert!(said.trim_end().ends_with(" s"), "{said}");
    let results = std::fs::read_to_string(folder.path().join("p/results.jsonl")).unwrap();
    let case = results.lines().find(|line| line.contains("\"reject\"")).unwrap();
    let without_case = results.replace(&format!("{case}\n"), "");
    let accepted = results.replace("\"kind\":\"rejected\"", "\"kind\":\"accepted\"");
    let other_suite = results.replace("\"suite\":\"", "\"suite\":\"0");
    let other_driver = manifest.replace("\"device\": \"checker\"", "\"device\": \"other\"");
    let other_verdict = manifest.replace("\"pass\": ", "\"pass\": 1");
    // With its hash in the manifest.
    let hashed = |text: &str| {
        let digest = |text: &str| data_encoding::HEXLOWER.encode(&Sha256::digest(text));
        manifest.replace(&digest(&results), &digest(text))
    };
    for (changed_results, changed_manifest, said) in [
        (
            results.as_str(),
            other_driver.as_str(),
            "the manifest and the results describe different runs",
        ),
        (&results, &other_verdict, "the verdicts of the results differ from those in the manifest"),
        (&accepted, &manifest, "results.jsonl has a different hash"),
        (&accepted, &hashed(&accepted), "cannot be a result of this suite, the first "),
        (&without_case, &hashed(&without_case), "is not intact"),
        (&other_suite, &hashed(&other_suite), "use that version"),
        (&results, "{\"format\": 2}", "format 2 is not read"),
        (&results, "[", "it is not JSON"),
    ] {
        std::fs::write(folder.path().join("p/results.jsonl"), changed_results).unwrap();
        std::fs::write(folder.path().join("p/package.json"), changed_manifest).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
            .args(["package", "check", &path("p")])
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(said), "{said}\n{error}");
    }
}

fn check_export(layout: &str) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("suite");
    runner(&[
        "dev",
        "export",
        &root.display().to_string(),
        "--layout",
        layout,
        "--dialect",
        "cl12",
    ]);
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
        runner(&[&["dev", "export", &shown, "--layout", layout], &selection[..]].concat());
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
