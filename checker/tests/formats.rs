//! Documents for other tools, compared with their published schemas by an independent validator.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// Returns the documents for files that are valid, wrong, not understood, hostile and missing.
fn documents(format: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let files = [
        file("fine.cl", b"kernel void k(global int *p) { *p = 1; }"),
        file("wrong.cl", b"kernel void k(global int *p) { local int *q = p; constant int c; }"),
        file(
            "allowed.cl",
            b"local int a; // checker: allow(declaration/program-scope-space) why\nstruct s { global int b; };",
        ),
        file("unclear.cl", b"#error stop\n"),
        file("with space \u{1b}[31mé.cl", b"int \x00\xff;"),
        file(
            "hostile.cl",
            "#line 7 \"\u{1b}]0;x\u{202e}a b\"\nint *\u{1b}[31m= \"\u{fffe}\";\nconstant int x;"
                .as_bytes(),
        ),
        folder.path().join("missing.cl"),
    ];
    let output = Command::new(env!("CARGO_BIN_EXE_address-spaces-check"))
        .args(["--std", "CL1.2", "--format", format])
        .args(&files)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check(schema: &Value, document: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
}

#[test]
fn json_is_what_its_schema_says() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/checker-1.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let document = documents("json");
    check(&schema, &document);
    let verdicts: Vec<&Value> =
        document["files"].as_array().unwrap().iter().map(|file| &file["verdict"]).collect();
    assert_eq!(verdicts.len(), 7, "{verdicts:?}");
    let broken = verdicts.iter().filter(|verdict| **verdict == "broken").count();
    assert!(broken >= 1, "{verdicts:?}");
}

#[test]
fn objects_are_what_their_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("objects.cl");
    let text =
        "constant int t[2] = {1, 2}; kernel void k(global int *const local *p) { local int l; }";
    std::fs::write(&file, text).unwrap();
    let program = env!("CARGO_BIN_EXE_address-spaces-check");
    let output = Command::new(program).arg("--objects").arg(&file).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/objects-1.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    check(&schema, &document);
    assert_eq!(document["files"][0]["objects"].as_array().unwrap().len(), 2);
}

#[test]
fn sarif_is_what_the_standard_says() {
    let schema = include_str!("foreign/sarif-schema-2.1.0.json");
    let mut schema: Value = serde_json::from_str(schema).unwrap();
    // As published this is not a regular expression of ECMA-262; no language is written.
    for holder in ["run", "toolComponent"] {
        let pointer = format!("/definitions/{holder}/properties/language");
        let language = schema.pointer_mut(&pointer).and_then(Value::as_object_mut).unwrap();
        assert!(language.remove("pattern").is_some(), "{holder}");
    }
    let document = documents("sarif");
    check(&schema, &document);
    let has = |name: &str| {
        let results = document["runs"][0]["results"].as_array().unwrap();
        results.iter().any(|result| result[name].as_array().is_some_and(|all| !all.is_empty()))
    };
    assert!(has("fixes") && has("suppressions"));
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() >= 2, "{results:?}");
}
