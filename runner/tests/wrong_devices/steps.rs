//! A compiler with a right front end and wrong later steps: only valid programs reach these, and their faults are
//! distinguished from those of the front end.

use std::fs;

use serde_json::Value;

use crate::{Test, compiler::Bench};

pub(crate) const TESTS: &[Test] =
    &[("steps/wrong_behind_the_front_end", wrong_behind_the_front_end)];

const FILE: &str = r#"what = "a compiler of ours with a back end"
own-front-end = "ours 1"

[device]
type = "command"
command = ["front-end", "-cl-std={std}", "{file}"]
version = ["front-end", "--version"]

[[device.then]]
name = "translator"
command = ["translator", "-cl-std={std}", "{file}"]

[[device.then]]
name = "back end"
command = ["back-end", "-cl-std={std}", "{file}"]
"#;

/// Six of the 42 valid cases have a pointer to local in the structure.
fn wrong_behind_the_front_end() {
    for (mood, finding, outcome, detail) in [
        ("dies on local int *m", "crash", "crashed", "back end: SIGABRT"),
        ("rejects local int *m", "fail", "rejected", "back end: exit status 1"),
    ] {
        let bench = Bench::new();
        for honest in ["front-end", "translator"] {
            bench.install(honest, "honest");
        }
        bench.install("back-end", mood);
        fs::write(bench.path("ours.toml"), FILE).unwrap();
        let rule = "parameter/kernel-struct-pointer";
        let device = ["--device", "./ours.toml", "--depth", "all", "--results", "out"];
        let arguments = [&device[..], &["--rule", rule, "--dialect", "cl12"]].concat();
        let (stdout, stderr) = bench.said(&arguments, 1);
        assert!(stdout.contains(" 6 unexpected"), "{stdout}\n{stderr}");
        let results = fs::read_to_string(bench.path("out/results.jsonl")).unwrap();
        let cases = results.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let (mut wrong, mut invalid) = (0, 0);
        for case in cases.filter(|line| line["record"] == "case") {
            let has_it = case["id"].as_str().unwrap().contains("pointee=local");
            // No code is generated for a program that may be invalid.
            if case["expectation"] != "accept" {
                invalid += usize::from(has_it);
                assert_eq!(case["outcome"]["phase"], "build", "{case}");
                assert_ne!(case["outcome"]["kind"], "crashed", "{case}");
            } else if case["finding"]["kind"] != "pass" {
                wrong += 1;
                let expected = serde_json::json!([finding, outcome, "generate-code", detail]);
                let (seen, told) = (&case["outcome"], &case["finding"]);
                let seen = [&told["kind"], &seen["kind"], &seen["phase"], &seen["detail"]];
                assert_eq!(serde_json::json!(seen), expected, "{case}");
            }
        }
        assert_eq!(wrong, 6);
        assert!(invalid > 0, "no other program has what the back end cannot take");
    }
}
