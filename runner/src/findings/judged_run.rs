//! Runs, just made or read from folders, judged by the baseline entries of their devices.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use expectations::{case_id::CaseId, device::DeviceFile, outcome::OutcomeKind};
use generator::suite::Suite;
use results::{
    cases::Cases,
    folder::{Completeness, FolderError, read_runs},
    run::{Judgement, Run},
    text::{one_line, plural},
};
use thiserror::Error;

use crate::{
    device::files::{self, DeviceFileError},
    findings::baseline::{BaselineJudgement, Extent, judge_by_baseline},
};

/// Judges a run by the baseline entries of its device.
pub fn judge(suite: &Suite, device: DeviceFile, run: Run) -> Run {
    let whole = run.header.selection.is_empty() && run.header.shard.is_none();
    let extent = match run.is_complete() {
        false => Extent::Unfinished,
        // An entry is not wrong for speaking of cases of another suite.
        true if whole && run.header.suite == suite.hash() => Extent::Suite,
        true => Extent::Selection,
    };
    let BaselineJudgement { mut baseline, mut stale, mut wide, coverage, clusters, wrong_values } =
        judge_by_baseline(suite, &device, &run.cases, extent, run.shared_check());
    let mut unconfirmed = Vec::new();
    // Nobody has said yet that the entries are those of this version.
    if !device.is_confirmed_with(run.reported_driver()) {
        unconfirmed.append(&mut stale);
        unconfirmed.append(&mut wide);
    }
    let unknown_rules = unknown_rules(suite, &run.cases);
    let clusters = clusters.keep_one_of_each(&mut baseline.unexpected);
    let judgement = Judgement {
        baseline,
        clusters,
        wrong_values,
        stale,
        wide,
        unconfirmed,
        coverage,
        unknown_rules,
    };
    Run { device: Some(device), judgement, ..run }
}

/// Returns the number of cases by rule, of rules that the suite does not have.
fn unknown_rules(suite: &Suite, cases: &Cases) -> BTreeMap<String, usize> {
    let known: BTreeSet<&str> = suite.rules().iter().map(|rule| rule.id.as_str()).collect();
    let mut unknown = BTreeMap::new();
    for case in cases.briefs() {
        let id = CaseId::new(&case.id);
        if !id.is_random() && !known.contains(id.rule()) {
            *unknown.entry(id.rule().to_owned()).or_default() += 1;
        }
    }
    unknown
}

/// Describes a version of the driver with which nobody has confirmed the entries; returns `None` where there is
/// nothing to tell.
pub fn note_on_unconfirmed_version(run: &Run) -> Option<String> {
    let device = run.device.as_ref()?;
    let (explained, unconfirmed) =
        (run.judgement.baseline.explained.len(), &run.judgement.unconfirmed);
    let is_worth_telling = explained > 0 || !unconfirmed.is_empty();
    if !is_worth_telling || device.is_confirmed_with(run.reported_driver()) {
        return None;
    }
    let known = format!(
        "{}: {} by entries that were confirmed with version {} and not with this one, {}: `--bless` adds it to {}",
        device.name,
        plural(explained, "expected failure"),
        device.confirmed.join(", "),
        one_line(run.reported_driver(), 80),
        device.path,
    );
    let others = unconfirmed.iter();
    let others = others.map(|entry| format!("not so with this version: {entry}"));
    Some(std::iter::once(known).chain(others).collect::<Vec<_>>().join("\n"))
}

/// Whether nothing of the selection could be run.
pub fn has_tested_nothing(run: &Run) -> bool {
    // A run that was stopped may have come to nothing else yet.
    run.is_complete()
        && run.cases.briefs().all(|case| case.outcome.kind == OutcomeKind::Unsupported)
}

/// Stored runs that cannot be judged.
#[derive(Debug, Error)]
pub enum StoredError {
    /// The results cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The file of the device cannot be read.
    #[error(transparent)]
    Device(#[from] DeviceFileError),
    /// Options do not go together.
    #[error("{0}")]
    Usage(String),
}

/// Reads the runs of folders, and judges each by the entries of its device, or all by those of `baseline`.
pub fn read_judged(
    suite: &Suite,
    folders: &[PathBuf],
    wanted: Completeness,
    baseline: Option<&Path>,
) -> Result<Vec<Run>, StoredError> {
    let mut judged = Vec::new();
    for folder in folders {
        for run in read_runs(folder, wanted)? {
            judged.push(judge_stored(suite, run, baseline)?);
        }
    }
    Ok(judged)
}

/// Reads the runs of a results folder, and judges each by the entries of its device, or by those of `baseline`.
pub fn read_judged_of_known_devices(
    suite: &Suite,
    folder: &Path,
    wanted: Completeness,
    baseline: Option<&Path>,
) -> Result<Vec<Run>, StoredError> {
    let runs = read_runs(folder, wanted)?;
    if baseline.is_some() && runs.len() > 1 {
        let message =
            "`--baseline` takes the place of one device's file: name the folder of one device";
        return Err(StoredError::Usage(message.to_owned()));
    }
    runs.into_iter().map(|run| judge_stored(suite, run, baseline)).collect()
}

/// Judges a stored run by the entries of its device, or by those of `baseline`.
pub fn judge_stored(suite: &Suite, run: Run, baseline: Option<&Path>) -> Result<Run, StoredError> {
    let device = files::of_run(&run.header, baseline)?;
    Ok(judge(suite, device, run))
}
