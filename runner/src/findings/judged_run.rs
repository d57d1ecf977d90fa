//! Runs, just made or read from folders, judged by the baseline entries of their devices.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use expectations::{
    baseline::RunPart,
    case_id::CaseId,
    device::{DeviceFile, SourceRole},
};
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
    findings::baseline::{Extent, judge_by_baseline},
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
    let mut judgement = judge_by_baseline(suite, &device, &run.cases, extent, run.shared_check());
    // Nobody has confirmed the entries for this version yet.
    let is_unconfirmed = !device.is_confirmed_with(run.reported_driver());
    let front_ends = front_end_paths_of_a_user(&device);
    let is_tolerated = |entry: usize| {
        is_unconfirmed || front_ends.contains(&device.deviations[entry].path.as_str())
    };
    // What is known of one part of a run through a compiler is confirmed only in runs of that part.
    let is_of_whole = |entry: usize| device.deviations[entry].part == RunPart::Whole;
    let Judgement { stale, wide, tolerated_stale, tolerated_wide, .. } = &mut judgement;
    stale.retain(|stale| is_of_whole(stale.entry));
    wide.retain(|wide| is_of_whole(wide.entry));
    *tolerated_stale = stale.extract_if(.., |stale| is_tolerated(stale.entry)).collect();
    *tolerated_wide = wide.extract_if(.., |wide| is_tolerated(wide.entry)).collect();
    judgement.unknown_rules = unknown_rules(suite, &run.cases);
    Run { device: Some(device), judgement, ..run }
}

/// Returns the paths of the suite's files on front ends, where the device is a user's: whoever runs it cannot mend
/// them.
fn front_end_paths_of_a_user(device: &DeviceFile) -> Vec<&str> {
    if files::is_name_of_suite(&device.name).unwrap_or(true) {
        return Vec::new();
    }
    let front_ends = device.sources.iter().filter(|source| source.role == SourceRole::FrontEnd);
    front_ends.map(|source| source.path.as_str()).collect()
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

/// Returns a note about a version of the driver that the entries were never confirmed with, and about entries that do
/// not hold with it; `None` if there is nothing to report.
pub fn note_on_version(run: &Run) -> Option<String> {
    let device = run.device.as_ref()?;
    let Judgement { baseline, tolerated_stale, tolerated_wide, .. } = &run.judgement;
    let explained = baseline.explained.len();
    let wide = tolerated_wide.iter().map(|wide| wide.text.clone());
    let tolerated: Vec<String> =
        tolerated_stale.iter().map(ToString::to_string).chain(wide).collect();
    let is_confirmed = device.is_confirmed_with(run.reported_driver());
    let known = format!(
        "{}: {} by entries that were confirmed with version {} but not with this one, {}: \
         `--bless` adds it to {}",
        device.name,
        plural(explained, "expected failure"),
        device.confirmed.join(", "),
        one_line(run.reported_driver(), 80),
        confirming_path(device),
    );
    let is_known_told = !is_confirmed && (explained > 0 || !tolerated.is_empty());
    let known = is_known_told.then_some(known);
    let others = tolerated.iter().map(|entry| format!("does not hold with this version: {entry}"));
    let lines: Vec<String> = known.into_iter().chain(others).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns the path of the file with the versions that the entries were confirmed with.
fn confirming_path(device: &DeviceFile) -> &str {
    let baseline = device.sources.iter().find(|source| source.role == SourceRole::Baseline);
    baseline.map_or(&device.path, |source| &source.path)
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

/// Judges a stored run by the entries of its device, or by those of `baseline`.
pub fn judge_stored(suite: &Suite, run: Run, baseline: Option<&Path>) -> Result<Run, StoredError> {
    let device = files::of_run(&run.header, baseline)?;
    Ok(judge(suite, device, run))
}
