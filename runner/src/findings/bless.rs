//! Rewriting a baseline to what was found; comments and reasons of entries that stay are kept.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use expectations::{
    case_id::CaseId,
    device::{BaselineReport, DeviceFile},
    judge::Direction,
};
use reports::results::CaseResult;
use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

/// Why a baseline cannot be rewritten.
#[derive(Debug, Error)]
pub enum BlessError {
    /// There is none.
    #[error("{} is not there: a device keeps its baseline entries in its file (CONTRIBUTING.md, \"Add a device\")", .path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file is no baseline.
    #[error("{}: {message}", .path.display())]
    NoBaseline {
        /// The file.
        path: PathBuf,
        /// Why not.
        message: String,
    },
    /// The file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Rewrite the device's file, or the baseline given in its place; gives the path written.
pub fn bless(
    device: &DeviceFile,
    baseline: Option<&Path>,
    results: &[CaseResult],
    report: &BaselineReport,
) -> Result<PathBuf, BlessError> {
    let path = baseline.map_or_else(|| PathBuf::from(&device.path), Path::to_owned);
    let file_error = |source| BlessError::File { path: path.clone(), source };
    if !path.exists() {
        return Err(BlessError::Missing { path });
    }
    let text = std::fs::read_to_string(&path).map_err(file_error)?;
    let blessed = rewrite(&text, results, report)
        .map_err(|message| BlessError::NoBaseline { path: path.clone(), message })?;
    // Into a file beside it first: a full disk must not cost the old baseline.
    let partial = path.with_extension("toml.partial");
    std::fs::write(&partial, blessed)
        .and_then(|()| std::fs::rename(&partial, &path))
        .map_err(file_error)?;
    Ok(path)
}

fn rewrite(text: &str, results: &[CaseResult], report: &BaselineReport) -> Result<String, String> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let entries =
        document.entry("deviation").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let entries = entries.as_array_of_tables_mut().ok_or("`deviation` is no array of tables")?;
    let own = entries.len();
    // Entries behind the file's own belong to its front end: they are edited by hand.
    for &stale in report.stale.iter().rev().filter(|&&stale| stale < own) {
        entries.remove(stale);
    }
    for (pattern, (direction, reason)) in patterns(results, &report.unexpected) {
        let mut entry = Table::new();
        entry["cases"] = value(Array::from_iter([pattern]));
        entry["findings"] = value(Array::from_iter([direction.name()]));
        entry["kind"] = value("unreviewed");
        entry["reason"] = value(reason);
        entries.push(entry);
    }
    Ok(document.to_string())
}

/// The unexpected cases as few patterns: a rule's cases of one dialect are one pattern where all of them that
/// were judged have the finding.
fn patterns(
    results: &[CaseResult],
    unexpected: &[usize],
) -> BTreeMap<String, (Direction, &'static str)> {
    let group = |id: &str| CaseId::new(id).pattern_of_dialect();
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for result in results {
        *sizes.entry(group(&result.id)).or_default() += 1;
    }
    let mut groups: BTreeMap<(String, Direction), Vec<&CaseResult>> = BTreeMap::new();
    for &index in unexpected {
        let result = &results[index];
        let Some(direction) = result.finding.direction() else { continue };
        groups.entry((group(&result.id), direction)).or_default().push(result);
    }
    let mut patterns = BTreeMap::new();
    for ((group, direction), members) in groups {
        if sizes.get(&group) == Some(&members.len()) {
            patterns.insert(group, (direction, members[0].finding.reason.text()));
        } else {
            patterns.extend(
                members
                    .iter()
                    .map(|member| (member.id.clone(), (direction, member.finding.reason.text()))),
            );
        }
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;
    use expectations::{
        judge::{Finding, FindingKind, Reason},
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };

    fn result(id: &str, kind: FindingKind) -> CaseResult {
        let finding = Finding { kind, reason: Reason::AcceptsInvalid };
        let outcome = Outcome::new(OutcomeKind::Accepted);
        CaseResult::new(
            id,
            "cl12",
            &Expectation::Reject { breaks: "a/b".to_owned() },
            outcome,
            finding,
        )
    }

    #[test]
    fn stale_entries_go_and_new_ones_wait_for_review() {
        let text = "what = \"x\" # kept\n\n[[deviation]]\ncases = [\"old/*\"]\n\n[[deviation]]\ncases = [\"a/b/cl12/x=0\"]\nreason = \"kept\"\n";
        let results = [
            result("a/b/cl12/x=1", FindingKind::Fail),
            result("a/b/cl12/x=2", FindingKind::Pass),
            result("a/c/cl12/x=1", FindingKind::Fail),
            result("a/c/cl12/x=2", FindingKind::Fail),
        ];
        let report = BaselineReport {
            unexpected: vec![0, 2, 3],
            stale: vec![0],
            ..BaselineReport::default()
        };
        let blessed = rewrite(text, &results, &report).unwrap();
        expect_test::expect![[r#"
            what = "x" # kept

            [[deviation]]
            cases = ["a/b/cl12/x=0"]
            reason = "kept"

            [[deviation]]
            cases = ["a/b/cl12/x=1"]
            findings = ["accepts-invalid"]
            kind = "unreviewed"
            reason = "accepts an invalid program"

            [[deviation]]
            cases = ["a/c/cl12/*"]
            findings = ["accepts-invalid"]
            kind = "unreviewed"
            reason = "accepts an invalid program"
        "#]]
        .assert_eq(&blessed);
    }
}
