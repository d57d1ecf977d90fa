//! Runs, just made or read from folders, judged by the baseline entries of their devices.

use std::path::{Path, PathBuf};

use expectations::{device::DeviceFile, outcome::OutcomeKind};
use generator::suite::Suite;
use results::{
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
    let clusters = clusters.keep_one_of_each(&mut baseline.unexpected);
    let judgement =
        Judgement { baseline, clusters, wrong_values, stale, wide, unconfirmed, coverage };
    Run { device: Some(device), judgement, ..run }
}

/// Returns a note about a version of the driver that the entries were never confirmed with; `None` for a confirmed
/// version.
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

/// Reads the runs of folders, and judges those whose device has a file, or all by the entries of `baseline`.
pub fn read_judged(
    suite: &Suite,
    folders: &[PathBuf],
    wanted: Completeness,
    baseline: Option<&Path>,
) -> Result<Vec<Run>, StoredError> {
    let mut judged = Vec::new();
    for folder in folders {
        for run in read_runs(folder, wanted)? {
            judged.push(match files::of_run(&run.header, baseline)? {
                Some(device) => judge(suite, device, run),
                None => run,
            });
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
///
/// # Errors
///
/// The device has no file, and no baseline is given.
pub fn judge_stored(suite: &Suite, run: Run, baseline: Option<&Path>) -> Result<Run, StoredError> {
    let device = match baseline {
        Some(baseline) => files::load_baseline(run.name(), baseline)?,
        None => match files::load(run.name()) {
            Err(DeviceFileError::Unknown { name, .. }) => {
                let message = format!(
                    "{}: unknown device `{name}` here; name its baseline entries with `--baseline FILE`",
                    run.path.display()
                );
                return Err(StoredError::Usage(message));
            }
            device => files::as_of(device?, &run.header)?,
        },
    };
    Ok(judge(suite, device, run))
}
