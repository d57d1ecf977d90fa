//! The third stage of a run: its cases are built and executed on one device, all at once or in portions, and their
//! outcomes become findings.

use std::time::{Duration, Instant};

use generator::random::RandomCase;
use results::{
    cases::Cases,
    folder::{FolderError, ResultsFolder},
    line::CaseResult,
    text::plural,
};

use super::{
    confirming,
    error::RunError,
    failed_first::FailedFirst,
    interrupted::InterruptedCases,
    preparing::{CaseConditions, OnDevice, PORTION, PreparedRun, RunCases},
    progress,
    recording::{DeviceRun, Recording},
    scene::Scene,
    select::Random,
};
use crate::{
    engine::{Cancel, Config},
    findings::judging::Judging,
    reduce::{
        builds::Builds,
        random::ReducedPair,
        wrong_values::{KnownKinds, tell_apart},
    },
};

/// Longest time to spend on distinguishing wrong values in one portion.
const TAKING_APART: Duration = Duration::from_mins(3);

/// Builds and executes the cases of a run, and returns it without a judgement.
pub(super) fn execute(prepared: PreparedRun<'_>, cancel: &Cancel) -> Result<DeviceRun, RunError> {
    let PreparedRun { chosen, conditions, cases, config, interrupted, found, mut recording } =
        prepared;
    let CaseConditions { suite, device, depth, .. } = conditions;
    let (config, interrupted) = (&config, &interrupted);
    let scene = Scene { suite, device, prepared: &[], config, depth, interrupted, cancel };
    recording.told.clone_from(&chosen.told);
    let (record, failed_first) = (&mut recording, chosen.failed_first.as_ref());
    let (results, is_stopped) = match &cases {
        RunCases::Whole(cases) => whole(scene, cases, &found, failed_first, record)?,
        RunCases::InPortions(random) => in_portions(scene, conditions, random, found, record)?,
    };
    let ran = recording.end(results, is_stopped)?;
    if let Some(folder) = config.journal.as_ref().filter(|_| ran.run.is_complete()) {
        InterruptedCases::forget(folder)
            .map_err(|source| FolderError::Io { path: folder.display().to_string(), source })?;
    }
    Ok(ran)
}

/// Runs all cases at once, those that failed before first. Returns the results, and whether the run was stopped.
fn whole(
    scene: Scene<'_, '_>,
    OnDevice { prepared, left_out }: &OnDevice<'_>,
    found: &Cases,
    failed_first: Option<&FailedFirst>,
    recording: &mut Recording,
) -> Result<(Cases, bool), RunError> {
    let scene = Scene { prepared, ..scene };
    let mut judging = Judging::new(prepared, left_out);
    for result in found.iter() {
        judging.recall(result.into_owned());
    }
    let all = scene.every_case();
    let left = all.iter().filter(|&&index| !judging.is_finished(index)).count();
    recording.bar = progress::bar(left, &scene.device.name);
    let is_stopped = match failed_first {
        Some(failed) => run_failed_first(failed, scene, &mut judging, recording)?,
        None => run(scene, &all, &mut judging, recording)?,
    };
    Ok((Cases::new(judging.into_results()), is_stopped))
}

/// Runs random programs, of which a portion is in memory at a time. Returns the results, and whether the run was
/// stopped.
fn in_portions(
    scene: Scene<'_, '_>,
    conditions: CaseConditions<'_, '_>,
    programs: &Random,
    found: Cases,
    recording: &mut Recording,
) -> Result<(Cases, bool), RunError> {
    // Results that nobody keeps are read again at the end all the same.
    if recording.folder.is_none() {
        recording.folder = Some(ResultsFolder::unnamed()?);
    }
    recording.bar = progress::bar(programs.len().saturating_sub(found.len()), &scene.device.name);
    let is_done = |case: &RandomCase| found.find(&case.id()).is_some();
    let mut programs = programs.cases().filter(|case| !is_done(case)).peekable();
    let is_stopped = loop {
        let portion = programs.by_ref().take(PORTION).collect();
        let OnDevice { prepared, left_out } = conditions.prepare_random(portion);
        let controls = prepared.iter().filter(|case| !case.selected).count();
        recording.bar.inc_length(controls as u64);
        let not_run = left_out.iter().filter(|case| case.selected).count();
        recording.bar.dec_length(not_run as u64);
        let mut judging = Judging::new(&prepared, &left_out);
        let scene = Scene { prepared: &prepared, ..scene };
        let is_stopped = run(scene, &scene.every_case(), &mut judging, recording)?;
        if is_stopped || programs.peek().is_none() {
            break is_stopped;
        }
    };
    let results = recording.folder.as_ref().map(ResultsFolder::results).transpose()?;
    Ok((results.unwrap_or(found), is_stopped))
}

/// Runs the cases that failed before, reports what is wrong with them, and runs all others. Returns whether the run was
/// stopped.
fn run_failed_first(
    failed: &FailedFirst,
    scene: Scene<'_, '_>,
    judging: &mut Judging<'_, '_>,
    recording: &mut Recording,
) -> Result<bool, RunError> {
    let first = failed.with_controls(judging);
    if !first.is_empty() && run(scene, &first, judging, recording)? {
        return Ok(true);
    }
    recording.note(&failed.text(scene.suite, scene.device, &recording.header, judging));
    let all = scene.every_case();
    if !first.is_empty() && all.iter().all(|&index| judging.is_finished(index)) {
        return Ok(false);
    }
    run(scene, &all, judging, recording)
}

/// Runs these cases and returns whether the run was stopped.
fn run(
    scene: Scene<'_, '_>,
    cases: &[usize],
    judging: &mut Judging<'_, '_>,
    recording: &mut Recording,
) -> Result<bool, RunError> {
    let mut failed = None;
    let wrong_values = confirming::run(scene, cases, judging, &mut |progress| {
        if let Err(error) = recording.take(progress) {
            failed.get_or_insert(error);
            scene.cancel.cancel();
            recording.folder = None;
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    let Some(mut results) = wrong_values? else { return Ok(true) };
    if !results.is_empty() {
        take_apart(scene, &mut results, recording)?;
    }
    for result in results {
        recording.keep(&result)?;
        judging.keep(result);
    }
    Ok(false)
}

/// Distinguishes the kinds of wrong values, until the time is over.
fn take_apart(
    scene: Scene<'_, '_>,
    results: &mut [CaseResult],
    recording: &mut Recording,
) -> Result<(), RunError> {
    let Scene { suite, device, config, cancel, .. } = scene;
    let programs = plural(results.len(), "program");
    recording.note(&format!("{}: distinguishing the wrong values of {programs}", device.name));
    // Each candidate is tried in another form anyway.
    let config = Config { retries: 0, isolate: false, journal: None, ..config.clone() };
    let builds = Builds::new(device, config, cancel, Some(Instant::now() + TAKING_APART));
    let known = KnownKinds { entries: &device.deviations, told: &recording.told };
    let reduced = tell_apart(suite, results, known, &builds)?;
    recording.told.extend(reduced.iter().filter_map(ReducedPair::constructs).cloned());
    recording.reduced.extend(reduced);
    Ok(())
}
