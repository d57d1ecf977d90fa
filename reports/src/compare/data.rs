//! Comparisons for programs: JSON with a version.

use std::collections::BTreeMap;

use expectations::{judge::Finding, outcome::Outcome};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangeKind, Comparison, Side};
use crate::results::CaseResult;

/// Version of the format; fields are added without a new one.
pub const FORMAT: u32 = 1;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Document<'r> {
    /// Version of the format.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// How many cases got worse.
    regressions: usize,
    /// One for each device that both sides have.
    comparisons: Vec<DeviceChanges<'r>>,
    /// Devices without a counterpart.
    only_in_old: &'r [String],
    /// Devices without a counterpart.
    only_in_new: &'r [String],
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct DeviceChanges<'r> {
    old: RunFacts<'r>,
    new: RunFacts<'r>,
    /// What makes the runs less comparable.
    notes: &'r [String],
    /// How many cases changed in each way, and how many are the same.
    counts: BTreeMap<&'static str, usize>,
    changes: Vec<CaseChange<'r>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct RunFacts<'r> {
    path: &'r str,
    device: &'r str,
    driver: &'r str,
    suite: &'r str,
    identity: &'r BTreeMap<String, String>,
    cases: usize,
    finished: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct CaseChange<'r> {
    /// What became of the case; names may be added.
    change: &'static str,
    id: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<CaseState<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<CaseState<'r>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct CaseState<'r> {
    expectation: &'r str,
    finding: Finding,
    outcome: &'r Outcome,
    seconds: f64,
}

/// The schema of the document.
pub fn schema() -> String {
    crate::schema::of::<Document<'_>>("compare", FORMAT, "Runs compared with each other.")
}

/// The comparisons as one JSON document; `only_in_old` and `only_in_new` are devices without a counterpart.
pub fn json(
    comparisons: &[Comparison<'_>],
    only_in_old: &[String],
    only_in_new: &[String],
) -> String {
    let regressions =
        comparisons.iter().map(|comparison| comparison.count(ChangeKind::Regression)).sum();
    let document = Document {
        format: FORMAT,
        regressions,
        comparisons: comparisons.iter().map(changes).collect(),
        only_in_old,
        only_in_new,
    };
    let mut text =
        serde_json::to_string_pretty(&document).expect("comparisons hold nothing JSON cannot");
    text.push('\n');
    text
}

fn changes<'c>(comparison: &'c Comparison<'_>) -> DeviceChanges<'c> {
    let mut counts: BTreeMap<&'static str, usize> =
        ChangeKind::ALL.iter().map(|kind| (kind.name(), comparison.count(*kind))).collect();
    counts.insert("same", comparison.same);
    let changes = comparison.changes.iter().map(|change| CaseChange {
        change: change.kind.name(),
        id: change.id(),
        old: change.old.map(state),
        new: change.new.map(state),
    });
    DeviceChanges {
        old: run(&comparison.old),
        new: run(&comparison.new),
        notes: &comparison.notes,
        counts,
        changes: changes.collect(),
    }
}

fn run<'c>(side: &'c Side<'_>) -> RunFacts<'c> {
    RunFacts {
        path: &side.path,
        device: &side.header.device,
        driver: side.version(),
        suite: &side.header.suite,
        identity: &side.header.identity,
        cases: side.cases,
        finished: side.seconds.is_some(),
    }
}

fn state(case: &CaseResult) -> CaseState<'_> {
    CaseState {
        expectation: &case.expectation,
        finding: case.finding,
        outcome: &case.outcome,
        seconds: case.seconds,
    }
}
