//! Findings as SARIF 2.1.0, the exchange format of static analysis.

use serde::Serialize;
use serde_json::{Value, json};

use super::{FileReport, Finding, FixReport, Location, LocationLabel, SuppressedFinding};
use crate::{explain, rule::Rule};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Returns the log for these files: one run. What breaks a rule, or concerns one, is a result; everything else is a
/// notification of the tool.
pub fn render(files: &[FileReport]) -> String {
    let findings = || files.iter().flat_map(|file| &file.diagnostics);
    let open = findings().filter_map(|finding| Some(result(finding, finding.rule?)));
    let suppressed = files.iter().flat_map(|file| &file.suppressed).filter_map(suppressed);
    let results: Vec<_> = open.chain(suppressed).collect();
    let notifications = findings().filter(|finding| finding.rule.is_none()).map(notification);
    let left_out = files.iter().filter(|file| file.left_out > 0).map(left_out);
    let notifications: Vec<_> = notifications.chain(left_out).collect();
    let understood = files.iter().all(|file| file.verdict != "not-understood");
    let artifacts: Vec<_> =
        files.iter().map(|file| json!({ "location": { "uri": uri(&file.file) } })).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "checker",
                "version": env!("CARGO_PKG_VERSION"),
                "shortDescription": { "text": env!("CARGO_PKG_DESCRIPTION") },
                "rules": Rule::ALL.iter().map(|&rule| descriptor(rule)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts,
            "invocations": [{
                "executionSuccessful": understood,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
            "properties": { "dialect": files.first().map(|file| &file.dialect) },
        }],
    });
    format!("{log:#}")
}

fn descriptor(rule: Rule) -> Value {
    let info = rule.info();
    json!({
        "id": info.id,
        "shortDescription": { "text": sentence(info.summary) },
        "help": { "text": explain::explain(rule) },
        "helpUri": info.url(),
        "defaultConfiguration": { "level": "error" },
    })
}

fn result(finding: &Finding, rule: &str) -> Value {
    let mut result = json!({
        "ruleId": rule,
        "level": level(finding),
        "message": { "text": message(finding) },
        "locations": [{ "physicalLocation": physical(&finding.location) }],
        // If some results have them, all must.
        "suppressions": [],
        "properties": Properties { fine_in: &finding.fine_in },
    });
    if let Some(index) = Rule::ALL.iter().position(|other| other.id() == rule) {
        result["ruleIndex"] = json!(index);
    }
    if let Some(fix) = &finding.fix {
        result["fixes"] = json!([sarif_fix(fix)]);
    }
    if !finding.labels.is_empty() {
        let related = finding.labels.iter().zip(1..).map(|(label, id)| related(label, id));
        result["relatedLocations"] = related.collect();
    }
    result
}

fn suppressed(suppressed: &SuppressedFinding) -> Option<Value> {
    let mut result = result(&suppressed.finding, suppressed.finding.rule?);
    result["suppressions"] = json!([{
        "kind": "inSource",
        "justification": suppressed.reason,
        "location": { "physicalLocation": physical(&suppressed.location) },
    }]);
    Some(result)
}

fn sarif_fix(fix: &FixReport) -> Value {
    let replacements = fix.edits.iter().map(|edit| {
        json!({
            "deletedRegion": region(&edit.location),
            "insertedContent": { "text": edit.text },
        })
    });
    let file = fix.edits.first().map_or("", |edit| edit.location.file.as_str());
    json!({
        "description": { "text": sentence(&fix.title) },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(file) },
            "replacements": replacements.collect::<Vec<_>>(),
        }],
    })
}

#[derive(Serialize)]
struct Properties<'finding> {
    #[serde(rename = "fineIn")]
    fine_in: &'finding [String],
}

fn notification(finding: &Finding) -> Value {
    json!({
        "level": level(finding),
        "message": { "text": message(finding) },
        "locations": [{ "physicalLocation": physical(&finding.location) }],
    })
}

fn left_out(file: &FileReport) -> Value {
    let text = format!("{} more findings in {} are left out.", file.left_out, file.file);
    json!({ "level": "warning", "message": { "text": text } })
}

fn related(label: &LocationLabel, id: usize) -> Value {
    json!({
        "id": id,
        "message": { "text": label.message },
        "physicalLocation": physical(&label.location),
    })
}

fn level(finding: &Finding) -> &'static str {
    match finding.severity {
        "note" => "note",
        "warning" => "warning",
        _ => "error",
    }
}

/// Returns message, note and help as one text: SARIF has no property for the last two.
fn message(finding: &Finding) -> String {
    let mut text = sentence(&finding.message);
    for more in [&finding.note, &finding.help].into_iter().flatten() {
        text.push(' ');
        text.push_str(&sentence(more));
    }
    text
}

/// Returns `text` as a sentence: SARIF asks for a full stop.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).chain(['.']).collect()
}

fn physical(location: &Location) -> Value {
    json!({
        "artifactLocation": { "uri": uri(&location.file) },
        "region": region(location),
    })
}

fn region(location: &Location) -> Value {
    json!({
        "startLine": location.line.max(1),
        "startColumn": location.column,
        "endLine": location.end_line.max(location.line).max(1),
        "endColumn": location.end_column,
    })
}

/// Returns a file name as a URI reference.
fn uri(name: &str) -> String {
    let name = if name == "-" { "stdin" } else { name };
    let mut uri = String::from(if name.starts_with('/') { "file://" } else { "" });
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                uri.push('%');
                for digit in [byte >> 4, byte & 15] {
                    uri.extend(
                        char::from_digit(digit.into(), 16).map(|digit| digit.to_ascii_uppercase()),
                    );
                }
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_uris() {
        assert_eq!(uri("dir/a b.cl"), "dir/a%20b.cl");
        assert_eq!(uri("/x/é.cl"), "file:///x/%C3%A9.cl");
        assert_eq!(uri("a:b"), "a%3Ab");
    }
}
