//! JSON Schemas of the formats that tools read, generated from the types that write them.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::json;

use crate::{
    line::{FORMAT, Line},
    package::{self, Package},
};

/// Returns the schema of one line of a results file.
pub fn results() -> String {
    of::<Line>(
        "results",
        FORMAT,
        "One line of results.jsonl: a header first, then one record per line.",
    )
}

/// Returns the schema of a package's manifest.
pub fn package() -> String {
    of::<Package>("package", package::FORMAT, "The manifest of a package of results.")
}

/// Returns the schema of a type as a JSON document; `name` and `format` are the name and the version of the format.
pub fn of<T: JsonSchema>(name: &str, format: u32, what: &str) -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    schema["$id"] = json!(format!("urn:opencl-address-spaces:{name}:{format}"));
    schema["title"] = json!(format!("{name}, format {format}"));
    schema["description"] = json!(what);
    format!("{schema:#}\n")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn header() -> Value {
        json!({
            "record": "header", "format": FORMAT, "program": "0.1.0", "suite": "ab", "selection": {}, "cases": 1,
            "device": "pocl\u{1b}[31m", "front-end": "clang 15", "identity": {"driver": "\u{fffe}"},
            "unsupported": {}, "environment": {},
        })
    }

    fn case() -> Value {
        json!({
            "record": "case", "id": "a/b/cl12/x=1", "dialect": "cl12", "expectation": "reject", "breaks": "a/b",
            "control": "a/b/cl12/x=0", "control-log": "error: no", "outcome": {"kind": "rejected", "phase": "build", "log": "\0"},
            "finding": {"kind": "pass", "reason": "as-expected"}, "seconds": 0.5, "attempts": 1,
        })
    }

    #[test]
    fn the_schema_takes_what_the_reader_takes_and_rejects_what_it_rejects() {
        let schema: Value = serde_json::from_str(&results()).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let changed = |mut value: Value, pointer: &str, to: Value| {
            *value.pointer_mut(pointer).unwrap() = to;
            value
        };
        let without = |mut value: Value, name: &str| {
            value.as_object_mut().unwrap().remove(name).unwrap();
            value
        };
        let with = |mut value: Value, name: &str| {
            value[name] = json!(1);
            value
        };
        for (line, valid) in [
            (header(), true),
            (case(), true),
            (json!({"record": "unreproduced", "cases": ["a"], "what": "it died"}), true),
            (
                json!({"record": "interaction", "programs": [[], ["a", "b"]], "what": "it died", "times": 3, "builds": 3}),
                true,
            ),
            (json!({"record": "end", "findings": {"pass": 1}, "seconds": 2}), true),
            (without(case(), "control"), true),
            (
                changed(
                    with(case(), "left"),
                    "/left",
                    json!({"reduced": {"parts": ["switch"], "spaces": ["global"]}}),
                ),
                true,
            ),
            (with(case(), "left"), false),
            (changed(header(), "/format", json!(1)), false),
            (changed(case(), "/record", json!("cases")), false),
            (changed(case(), "/finding/kind", json!("passed")), false),
            (changed(case(), "/expectation", json!("maybe")), false),
            (changed(case(), "/seconds", json!("1")), false),
            (without(case(), "outcome"), false),
            (without(header(), "identity"), false),
            (with(case(), "more"), false),
            (with(header(), "more"), false),
            (json!({"record": "end", "findings": {"pass": -1}, "seconds": 2}), false),
            (json!([]), false),
        ] {
            assert_eq!(validator.is_valid(&line), valid, "{line}");
        }
    }
}
