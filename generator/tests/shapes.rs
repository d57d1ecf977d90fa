//! Every shape of a kernel that other suites execute is executed by cases of this one, or has a reason.

use std::collections::BTreeSet;

use generator::suite::{Case, Suite};
use serde::Deserialize;
use wildmatch::WildMatch;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shapes {
    shape: Vec<Shape>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    number: u32,
    what: String,
    #[serde(default)]
    cases: Vec<String>,
    reason: Option<String>,
}

#[test]
fn every_shape_is_executed_or_has_a_reason() {
    let text = include_str!("../../expectations/shapes.toml");
    let shapes = toml::from_str::<Shapes>(text).unwrap().shape;
    let numbers: BTreeSet<u32> = shapes.iter().map(|shape| shape.number).collect();
    assert_eq!((numbers.len(), shapes.len()), (69, 69), "each once");
    assert_eq!(numbers.last(), Some(&69));
    let suite = Suite::embedded().unwrap();
    let cases = suite.all_cases();
    let mut wrong = Vec::new();
    for shape in &shapes {
        if shape.cases.is_empty() != shape.reason.is_some() || shape.what.is_empty() {
            wrong.push(format!("{}: either cases or a reason", shape.number));
        }
        for pattern in &shape.cases {
            let wild = WildMatch::new(pattern);
            let named: Vec<&Case> = cases.iter().filter(|case| wild.matches(&case.id)).collect();
            if named.is_empty() {
                wrong.push(format!("{}: no case is {pattern}", shape.number));
            }
            let is_built_only = |case: &&&Case| !suite.has_probe(case);
            if let Some(case) = named.iter().find(is_built_only) {
                wrong.push(format!("{}: {} is not executed", shape.number, case.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
