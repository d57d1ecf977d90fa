//! Runs as SARIF 2.1.0, for the tools that show results of static analysis. Deviations are results, those of baseline
//! entries suppressed ones; anything else that keeps a run from being green is a notification.

use std::io::{self, Write};

use expectations::{case_id::CaseId, judge::FindingKind};
use generator::suite::Suite;
use results::{
    line::CaseResult,
    run::{Run, Status},
    text::{one_line, printable},
};
use serde_json::{Value, json};

use super::{describe, skip_reason, troubles};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Name of the folder that paths begin in: `address-spaces dev export` writes it.
const FOLDER: &str = "EXPORT";

/// Writes a log with one run for each of these; `broken` are devices that could not be judged, each with the reason.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn write(
    out: &mut dyn Write,
    suite: &Suite,
    runs: &[Run],
    broken: &[(String, String)],
) -> io::Result<()> {
    let broken = broken.iter().map(|(device, why)| {
        let why = format!("{} cannot be judged: {}", one_line(device, 80), one_line(why, 400));
        run_object(false, &[], &[], &[notification(&why)])
    });
    let runs: Vec<Value> = runs.iter().map(|run| of_run(suite, run)).chain(broken).collect();
    let log = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": runs });
    writeln!(out, "{log:#}")
}

fn of_run(suite: &Suite, run: &Run) -> Value {
    let mut rules: Vec<String> = Vec::new();
    let mut results = Vec::new();
    // Ids come in order, and so do their rules.
    for (index, case) in run.cases.iter().enumerate() {
        let status = run.status(index, case.finding.kind);
        if !matches!(status, Status::Fail | Status::ExpectedFailure) {
            continue;
        }
        let rule = CaseId::new(&case.id).rule();
        if rules.last().is_none_or(|last| last != rule) {
            rules.push(rule.to_owned());
        }
        let mut result = result(suite, run, &case, rules.len() - 1);
        if status == Status::ExpectedFailure {
            let why = skip_reason(run, index, &case).unwrap_or_default();
            result["suppressions"] = json!([{ "kind": "external", "justification": why }]);
        }
        results.push(result);
    }
    let rules: Vec<Value> = rules.iter().map(|rule| descriptor(suite, rule)).collect();
    let notifications: Vec<Value> = troubles(run)
        .into_iter()
        .map(|(title, what)| notification(&format!("{title}: {what}")))
        .collect();
    let is_whole = run.partial().is_none() && run.missing() == 0;
    let mut object = run_object(is_whole, &rules, &results, &notifications);
    let identity = run.header.identity.iter();
    let identity: serde_json::Map<String, Value> = identity
        .map(|(name, value)| (one_line(name, 80), Value::from(one_line(value, 400))))
        .collect();
    object["properties"] = json!({
        "device": one_line(&run.name(), 80),
        "identity": identity,
        "suite": one_line(&run.header.suite, 80),
    });
    object
}

fn run_object(
    is_whole: bool,
    rules: &[Value],
    results: &[Value],
    notifications: &[Value],
) -> Value {
    json!({
        "tool": { "driver": {
            "name": "address-spaces",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        } },
        "originalUriBaseIds": { FOLDER: {
            "description": { "text": "The folder that `address-spaces dev export` writes." },
        } },
        "invocations": [{
            "executionSuccessful": is_whole,
            "toolExecutionNotifications": notifications,
        }],
        "results": results,
    })
}

fn descriptor(suite: &Suite, rule: &str) -> Value {
    let statement = suite.rule_place(rule).map(|place| suite.rules()[place].statement.as_str());
    let statement = statement.unwrap_or("A rule that this suite does not have.");
    json!({ "id": rule, "shortDescription": { "text": printable(statement) } })
}

fn result(suite: &Suite, run: &Run, case: &CaseResult, rule: usize) -> Value {
    let mut location = json!({
        "artifactLocation": { "uri": format!("{}.cl", CaseId::new(&case.id).file_stem()), "uriBaseId": FOLDER },
    });
    let line = suite.case(&case.id).ok().and_then(|case| suite.render(&case).ok());
    if let Some(line) = line.and_then(|kernel| kernel.guilty_lines.first().copied()) {
        location["region"] = json!({ "startLine": line });
    }
    json!({
        "ruleId": CaseId::new(&case.id).rule(),
        "ruleIndex": rule,
        "level": level(case.finding.kind),
        "message": { "text": describe(&run.header, case) },
        "locations": [{
            "physicalLocation": location,
            "logicalLocations": [{ "fullyQualifiedName": case.id }],
        }],
        "partialFingerprints": { "case/1": case.id },
        // If some results have them, all must.
        "suppressions": [],
    })
}

const fn level(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Inconclusive | FindingKind::Flaky => "warning",
        _ => "error",
    }
}

fn notification(text: &str) -> Value {
    json!({ "level": "error", "message": { "text": printable(text) } })
}
