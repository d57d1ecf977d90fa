//! Rewriting a baseline to what was found; comments and reasons of entries that stay are kept.

use std::{
    collections::BTreeMap,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use expectations::{
    baseline::BaselineReport,
    case_id::CaseId,
    device::{DeviceFile, DeviceKind},
    judge::Direction,
};
use reports::results::CaseResult;
use serde::Serialize;
use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::device_run::DeviceRun;

/// Why a baseline cannot be rewritten.
#[derive(Debug, Error)]
pub enum BlessError {
    /// There is none.
    #[error("{} is not there: `--baseline FILE --bless` makes a baseline", .path.display())]
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

/// Rewrite the device's file, or the baseline given in its place, which is made where it is not there; gives the path
/// written.
pub fn bless(run: &DeviceRun, baseline: Option<&Path>) -> Result<PathBuf, BlessError> {
    let path = baseline.map_or_else(|| PathBuf::from(&run.device.path), Path::to_owned);
    let file_error = |source| BlessError::File { path: path.clone(), source };
    let no_baseline = |message| BlessError::NoBaseline { path: path.clone(), message };
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound && baseline.is_some() => {
            skeleton(&run.device, &run.header.identity).map_err(no_baseline)?
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(BlessError::Missing { path });
        }
        read => read.map_err(file_error)?,
    };
    let driver = run.driver();
    let is_new = run.device.confirmed.is_empty() || !run.device.is_confirmed_with(driver);
    let confirmed = Some(driver).filter(|driver| is_new && !driver.is_empty());
    let blessed = rewrite(&text, confirmed, &run.results, &run.baseline).map_err(no_baseline)?;
    // Into a file beside it first: a full disk must not cost the old baseline.
    let partial = path.with_extension("toml.partial");
    std::fs::write(&partial, blessed)
        .and_then(|()| std::fs::rename(&partial, &path))
        .map_err(file_error)?;
    Ok(path)
}

/// What a device file says of its device.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Skeleton<'d> {
    what: &'d str,
    own_front_end: &'d str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    via: &'d [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<&'d str>,
    device: DeviceKind,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    environment: BTreeMap<&'d str, &'d str>,
}

/// A device file without entries, by which the device can be run as it was.
fn skeleton(device: &DeviceFile, identity: &BTreeMap<String, String>) -> Result<String, String> {
    let mut kind = device.kind.clone();
    // What was opened by its file is called as it says.
    if let DeviceKind::Opencl { platform, .. } = &mut kind
        && platform.is_empty()
    {
        identity.get("platform").unwrap_or(&device.name).clone_into(platform);
    }
    let skeleton = Skeleton {
        what: &device.what,
        own_front_end: &device.front_end,
        via: &device.place.via,
        worker: device.place.worker.as_deref(),
        root: device.place.root.as_deref(),
        device: kind,
        environment: device.environment.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect(),
    };
    toml_edit::ser::to_string_pretty(&skeleton).map_err(|error| error.to_string())
}

fn rewrite(
    text: &str,
    confirmed: Option<&str>,
    results: &[CaseResult],
    report: &BaselineReport,
) -> Result<String, String> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    if let Some(version) = confirmed {
        let versions = document.entry("confirmed").or_insert_with(|| value(Array::new()));
        versions.as_array_mut().ok_or("`confirmed` is no array")?.push(version);
    }
    let entries =
        document.entry("deviation").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let entries = entries.as_array_of_tables_mut().ok_or("`deviation` is no array of tables")?;
    let own = entries.len();
    // Entries behind the file's own belong to its front end: they are edited by hand.
    for &stale in report.stale.iter().rev().filter(|&&stale| stale < own) {
        entries.remove(stale);
    }
    for found in groups(results, &report.unexpected) {
        let mut entry = Table::new();
        let mut cases = Array::from_iter(&found.patterns);
        if found.patterns.len() > 1 {
            cases.iter_mut().for_each(|case| case.decor_mut().set_prefix("\n    "));
            cases.set_trailing("\n");
            cases.set_trailing_comma(true);
        }
        entry["cases"] = value(cases);
        entry["findings"] = value(Array::from_iter([found.direction.name()]));
        entry["kind"] = value("unreviewed");
        entry["reason"] = value(format!("{}: say what is wrong", found.reason));
        entry["example"] = value(found.example);
        entries.push(entry);
    }
    Ok(document.to_string())
}

/// Unexpected cases of one rule that deviate alike.
struct Group<'r> {
    direction: Direction,
    /// All of them and, of what was run, nothing else.
    patterns: Vec<String>,
    reason: &'static str,
    /// The first.
    example: &'r str,
}

/// The unexpected cases by rule and by what is wrong with them. The cases of one dialect are one pattern where all of
/// them that were judged have the finding.
fn groups<'r>(results: &'r [CaseResult], unexpected: &[usize]) -> Vec<Group<'r>> {
    let pattern = |id: &str| CaseId::new(id).pattern_of_dialect();
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for result in results {
        *sizes.entry(pattern(&result.id)).or_default() += 1;
    }
    let mut alike: BTreeMap<(&str, Direction), BTreeMap<String, Vec<&'r CaseResult>>> =
        BTreeMap::new();
    for &index in unexpected {
        let result = &results[index];
        let Some(direction) = result.finding.direction() else { continue };
        let of_rule = alike.entry((CaseId::new(&result.id).rule(), direction)).or_default();
        of_rule.entry(pattern(&result.id)).or_default().push(result);
    }
    let groups = alike.into_iter().filter_map(|((_, direction), dialects)| {
        let first = *dialects.values().flatten().min_by_key(|result| &result.id)?;
        let patterns = dialects.into_iter().flat_map(|(dialect, members)| {
            if sizes.get(&dialect) == Some(&members.len()) {
                vec![dialect]
            } else {
                members.iter().map(|member| member.id.clone()).collect()
            }
        });
        let reason = first.finding.reason.text();
        Some(Group { direction, patterns: patterns.collect(), reason, example: &first.id })
    });
    groups.collect()
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
        let blessed = rewrite(text, Some("3.1"), &results, &report).unwrap();
        expect_test::expect![[r#"
            what = "x" # kept
            confirmed = ["3.1"]

            [[deviation]]
            cases = ["a/b/cl12/x=0"]
            reason = "kept"

            [[deviation]]
            cases = ["a/b/cl12/x=1"]
            findings = ["accepts-invalid"]
            kind = "unreviewed"
            reason = "accepts an invalid program: say what is wrong"
            example = "a/b/cl12/x=1"

            [[deviation]]
            cases = ["a/c/cl12/*"]
            findings = ["accepts-invalid"]
            kind = "unreviewed"
            reason = "accepts an invalid program: say what is wrong"
            example = "a/c/cl12/x=1"
        "#]]
        .assert_eq(&blessed);
    }
}
