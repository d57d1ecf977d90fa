//! The main job: select, render, build on the device, judge, judge by the baseline, report.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::{Duration, Instant},
};

use expectations::{device::DeviceFile, wrong_values::Constructs};
use generator::{random::RandomCase, suite::Suite};
use indicatif::ProgressBar;
use reports::summary::{self, rerun};
use results::{
    cases::Cases,
    folder::{FolderError, ResultsFolder},
    line::{CaseResult, End, Header, Interaction, Line, UnreproducedFailure},
    run::{Ending, Run},
    shared_check::SharedCheck,
    worker_time::WorkerTime,
};

use crate::{
    device::{files, install},
    engine::{Cancel, Config},
    findings::{
        bless::bless,
        judged_run::{judge, note_on_version},
        judging::{Judging, PreparedCase},
    },
    output::note,
    reduce::{
        builds::Builds,
        random::ReducedPair,
        wrong_values::{KnownKinds, tell_apart},
    },
    run::{
        confirming::{self, RunEnding, RunProgress, Scene},
        devices::{ReportedDevice, as_reported, config},
        error::RunError,
        failed_first::FailedFirst,
        header::{header, identified, loaded_driver},
        interrupted::InterruptedCases,
        plan::{Keep, RunPlan},
        preparing::{CaseConditions, OnDevice},
        progress,
        select::{self, Selection},
    },
};

/// A judged run on one device, with its reduced programs.
pub struct DeviceRun {
    pub run: Run,
    /// Programs with wrong values that were reduced.
    pub reduced: Vec<ReducedPair>,
}

/// Runs the programs of the plan on one device without storing results. `told` are the kinds of wrong values that are
/// known already.
pub fn run_programs(
    suite: &Suite,
    plan: &RunPlan,
    device: DeviceFile,
    told: &[Constructs],
    cancel: &Cancel,
) -> Result<DeviceRun, RunError> {
    let devices = std::slice::from_ref(&device);
    let selection = select::select_programs(suite, &plan.programs, &plan.filter, devices)?;
    let reported = prepare_device(plan, device, cancel)?;
    let surroundings = Surroundings { several: true, told, failed_first: None };
    run_on(suite, plan, reported, &surroundings, &selection, cancel)
}

/// Other devices of the run, and earlier runs.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'k> {
    /// Whether other devices are.
    pub several: bool,
    /// Kinds of wrong values that were reported before.
    pub told: &'k [Constructs],
    /// Cases that failed before, to be run before all others.
    pub failed_first: Option<&'k FailedFirst>,
}

/// Installs the device where that was requested, and queries its capabilities.
pub fn prepare_device(
    plan: &RunPlan,
    device: DeviceFile,
    cancel: &Cancel,
) -> Result<ReportedDevice, RunError> {
    if plan.install {
        for device in [Some(&device), device.through.as_deref()].into_iter().flatten() {
            install::install(device, &mut |command| note(&format!("installing: {command}")))?;
        }
    }
    as_reported(device, cancel)
}

/// Runs everything on one device.
pub fn run_on(
    suite: &Suite,
    plan: &RunPlan,
    reported: ReportedDevice,
    surroundings: &Surroundings<'_>,
    selection: &Selection,
    cancel: &Cancel,
) -> Result<DeviceRun, RunError> {
    let several = surroundings.several;
    let ReportedDevice { device, capabilities } = reported;
    let keep = if several { plan.keep.below(&device) } else { plan.keep.clone() };
    let begun = Instant::now();
    if device.is_judged_by_a_user(files::is_name_of_suite(&device.name)?) {
        note(&files::judging_order(&device));
    }
    let depth = plan.depth_on(&device);
    let asked =
        CaseConditions { suite, device: &device, capabilities: capabilities.as_ref(), depth };
    let scope = Scope { asked, plan, surroundings, cancel };
    let mut run = execute(scope, &keep, selection)?;
    let reduced = std::mem::take(&mut run.reduced);
    let seconds = begun.elapsed().as_secs_f64();
    let run = conclude(suite, device, run, seconds)?;
    if let Some(folder) = keep.folder().filter(|_| run.is_complete()) {
        InterruptedCases::forget(folder)
            .map_err(|source| FolderError::Io { path: folder.display().to_string(), source })?;
    }
    if !plan.bless
        && let Some(told) = note_on_version(&run)
    {
        note(&told);
    }
    if let Some(device) = run.device.as_ref().filter(|_| plan.bless && run.is_complete()) {
        let baseline = plan.devices.baseline().map(PathBuf::as_path);
        let path = bless(&run, device, baseline)?;
        note(&format!("rewrote the baseline {}", path.display()));
    }
    if several {
        note(&summary::closing(&run));
    }
    if !run.is_complete() {
        let how = plan
            .keep
            .folder()
            .map(|folder| format!("; resume it with `--resume {}`", folder.display()));
        let how = how.unwrap_or_default();
        note(&format!("the run was stopped: {}{how}", run.progress()));
    }
    Ok(DeviceRun { run, reduced })
}

/// Results of a run.
struct ExecutedRun {
    results: Cases,
    header: Header,
    cancelled: bool,
    folder: Option<ResultsFolder>,
    worker_time: WorkerTime,
    /// The check of the verdicts that shared builds gave.
    shared_check: SharedCheck,
    /// Programs with wrong values that were reduced.
    reduced: Vec<ReducedPair>,
    /// Faults that take several programs or kernels.
    interactions: Vec<Interaction>,
}

/// Longest time to spend on distinguishing wrong values in one portion.
const TAKING_APART: Duration = Duration::from_mins(3);
/// Random programs that are in memory at a time, with what becomes of them.
const PORTION: usize = 10_000;

/// Suite, device and settings of a run.
#[derive(Clone, Copy)]
struct Scope<'r, 's> {
    asked: CaseConditions<'r, 's>,
    plan: &'r RunPlan,
    surroundings: &'r Surroundings<'r>,
    cancel: &'r Cancel,
}

fn execute(
    scope: Scope<'_, '_>,
    keep: &Keep,
    selection: &Selection,
) -> Result<ExecutedRun, RunError> {
    let Scope { asked, plan, surroundings, cancel } = scope;
    let CaseConditions { suite, device, depth, .. } = asked;
    let mut config = config(&plan.builds, device)?;
    let random = &selection.random;
    let is_in_portions = random.len() > PORTION;
    let ready =
        if is_in_portions { OnDevice::default() } else { asked.prepare(plan, selection)? };
    let header = header(suite, plan, device, depth, selection.cases.len() + random.len());
    let (folder, found, interactions) = take_folder(keep, &header)?;
    config.journal = keep.folder().cloned();
    let interrupted = match &config.journal {
        Some(folder) => InterruptedCases::take(folder)
            .map_err(|source| FolderError::Io { path: folder.display().to_string(), source })?,
        None => InterruptedCases::default(),
    };
    let worker_time = WorkerTime::default();
    let mut record = Recording {
        folder,
        header,
        is_begun: false,
        worker_time,
        shared_check: SharedCheck::default(),
        told: surroundings.told.to_vec(),
        reduced: Vec::new(),
        interactions,
        warnings: BTreeSet::new(),
        error: None,
    };
    let config = &config;
    let interrupted = &interrupted;
    let scene = Scene { suite, device, prepared: &[], config, depth, interrupted, cancel };
    let (results, cancelled) = if is_in_portions {
        // Results that nobody keeps are read again at the end all the same.
        if record.folder.is_none() {
            record.folder = Some(ResultsFolder::unnamed()?);
        }
        let bar = progress::bar(random.len().saturating_sub(found.len()), &device.name);
        let is_done = |case: &RandomCase| found.find(&case.id()).is_some();
        let mut programs = random.cases().filter(|case| !is_done(case)).peekable();
        let cancelled = loop {
            let OnDevice { prepared, left_out } =
                asked.prepare_random(programs.by_ref().take(PORTION).collect());
            bar.inc_length(prepared.iter().filter(|case| !case.selected).count() as u64);
            bar.dec_length(left_out.iter().filter(|case| case.selected).count() as u64);
            let mut judging = Judging::new(&prepared, &left_out);
            let scene = Scene { prepared: &prepared, ..scene };
            let cancelled = record.run(scene, &every(&prepared), &mut judging, &bar)?;
            if cancelled || programs.peek().is_none() {
                break cancelled;
            }
        };
        bar.finish_and_clear();
        let results = match &record.folder {
            Some(folder) => folder.results()?,
            None => found,
        };
        (results, cancelled)
    } else {
        let OnDevice { prepared, left_out } = &ready;
        let mut judging = Judging::new(prepared, left_out);
        for result in found.iter() {
            judging.recall(result.into_owned());
        }
        let left = (0..prepared.len()).filter(|&index| !judging.is_finished(index)).count();
        let bar = progress::bar(left, &device.name);
        let scene = Scene { prepared, ..scene };
        let cancelled = match surroundings.failed_first {
            Some(failed) => record.run_failed_first(failed, scene, &mut judging, &bar)?,
            None => record.run(scene, &every(prepared), &mut judging, &bar)?,
        };
        bar.finish_and_clear();
        (Cases::new(judging.into_results()), cancelled)
    };
    let Recording { folder, header, worker_time, shared_check, reduced, interactions, .. } = record;
    Ok(ExecutedRun {
        results,
        header,
        cancelled,
        folder,
        worker_time,
        shared_check,
        reduced,
        interactions,
    })
}

/// Returns the indices of all these cases.
fn every(prepared: &[PreparedCase<'_>]) -> Vec<usize> {
    (0..prepared.len()).collect()
}

/// The record of a run, written while it runs.
struct Recording {
    folder: Option<ResultsFolder>,
    header: Header,
    /// Whether the header is written.
    is_begun: bool,
    /// Time of the workers by activity.
    worker_time: WorkerTime,
    /// The check of the verdicts that shared builds gave.
    shared_check: SharedCheck,
    /// Kinds of wrong values that were reported before, and those of earlier portions.
    told: Vec<Constructs>,
    /// Programs with wrong values that were reduced.
    reduced: Vec<ReducedPair>,
    /// Faults that take several programs or kernels.
    interactions: Vec<Interaction>,
    /// Warnings that were printed.
    warnings: BTreeSet<String>,
    /// Error that kept results from being written.
    error: Option<RunError>,
}

impl Recording {
    /// Runs the cases that failed before, reports what is wrong with them, and runs all others. Returns whether the run
    /// was stopped.
    fn run_failed_first(
        &mut self,
        failed: &FailedFirst,
        scene: Scene<'_, '_>,
        judging: &mut Judging<'_, '_>,
        bar: &ProgressBar,
    ) -> Result<bool, RunError> {
        let first = failed.with_controls(judging);
        if !first.is_empty() && self.run(scene, &first, judging, bar)? {
            return Ok(true);
        }
        let text = failed.text(scene.suite, scene.device, &self.header, judging);
        bar.suspend(|| note(&text));
        let all = every(scene.prepared);
        if !first.is_empty() && all.iter().all(|&index| judging.is_finished(index)) {
            return Ok(false);
        }
        self.run(scene, &all, judging, bar)
    }

    /// Runs these cases and returns whether the run was stopped.
    fn run(
        &mut self,
        scene: Scene<'_, '_>,
        cases: &[usize],
        judging: &mut Judging<'_, '_>,
        bar: &ProgressBar,
    ) -> Result<bool, RunError> {
        let cancel = scene.cancel;
        let outcome = confirming::run(scene, cases, judging, &mut |told| {
            if let Err(error) = self.take(told, bar) {
                self.error.get_or_insert(error.into());
                cancel.cancel();
                self.folder = None;
            }
        });
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let wrong_values = match outcome? {
            RunEnding::Stopped => return Ok(true),
            RunEnding::WithWrongValues(results) => results,
        };
        for result in self.take_apart(scene, wrong_values, bar)? {
            self.keep(&result)?;
            judging.keep(result);
        }
        Ok(false)
    }

    /// Distinguishes the kinds of wrong values, until the time is over.
    fn take_apart(
        &mut self,
        scene: Scene<'_, '_>,
        mut results: Vec<CaseResult>,
        bar: &ProgressBar,
    ) -> Result<Vec<CaseResult>, RunError> {
        if results.is_empty() {
            return Ok(results);
        }
        let Scene { suite, device, config, cancel, .. } = scene;
        let programs = results::text::plural(results.len(), "program");
        let taken = format!("{}: distinguishing the wrong values of {programs}", device.name);
        bar.suspend(|| note(&taken));
        // Each candidate is tried in another form anyway.
        let config = Config { retries: 0, isolate: false, journal: None, ..config.clone() };
        let builds = Builds::new(device, config, cancel, Some(Instant::now() + TAKING_APART));
        let known = KnownKinds { entries: &device.deviations, told: &self.told };
        let reduced = tell_apart(suite, &mut results, known, &builds)?;
        self.told.extend(reduced.iter().filter_map(ReducedPair::constructs).cloned());
        self.reduced.extend(reduced);
        Ok(results)
    }

    fn keep(&mut self, result: &CaseResult) -> Result<(), FolderError> {
        match &mut self.folder {
            Some(folder) => folder.append(&Line::Case(result.clone())),
            None => Ok(()),
        }
    }

    fn take(&mut self, told: RunProgress<'_>, bar: &ProgressBar) -> Result<(), FolderError> {
        match told {
            RunProgress::Opened(opened) => {
                // Every portion opens the device.
                if !self.is_begun {
                    self.is_begun = true;
                    self.header = identified(&self.header, opened);
                    if let Some(loaded) = loaded_driver(opened) {
                        let loaded = format!("{}: {loaded}", self.header.name());
                        bar.suspend(|| note(&loaded));
                    }
                    if let Some(folder) = &mut self.folder {
                        folder.begin(&self.header)?;
                    }
                }
            }
            RunProgress::Built(cases) => bar.inc(cases),
            // Rate and time left are those of what is built.
            RunProgress::NotBuilt(cases) => bar.dec_length(cases),
            RunProgress::LooksAgain(findings) => bar.inc_length(findings as u64),
            RunProgress::Worked(time) => self.worker_time.join(time),
            RunProgress::Result(result) => self.keep(result)?,
            RunProgress::Withdrawn(ids) => {
                bar.inc_length(ids.len() as u64);
                if let Some(folder) = &mut self.folder {
                    folder.withdraw(ids)?;
                }
            }
            RunProgress::Checked(check) => {
                if !check.differing.is_empty()
                    && let Some(text) = check.text()
                {
                    bar.suspend(|| note(&format!("warning: {text}")));
                }
                self.shared_check.join(check);
            }
            RunProgress::Unreproduced(UnreproducedFailure { cases, what }) => {
                let what = results::text::printable(&what);
                let failure = UnreproducedFailure { cases, what };
                let rerun = rerun(&self.header, &failure);
                let warning = format!("warning: {}\n  rerun:  {rerun}", failure.text());
                bar.suspend(|| note(&warning));
                if let Some(folder) = &mut self.folder {
                    folder.append(&Line::Unreproduced(failure))?;
                }
            }
            // Cases that are built again may show what others showed.
            RunProgress::Interaction(found) if self.interactions.contains(&found) => {}
            RunProgress::Interaction(found) => {
                let warning = format!("warning: {}", found.text());
                bar.suspend(|| note(&warning));
                if let Some(folder) = &mut self.folder {
                    folder.append(&Line::Interaction(found.clone()))?;
                }
                self.interactions.push(found);
            }
            RunProgress::Warning(text) => {
                let warning = format!("warning: {}", results::text::printable(&text));
                // Every part of a run gives it.
                if self.warnings.insert(warning.clone()) {
                    bar.suspend(|| note(&warning));
                }
            }
        }
        Ok(())
    }
}

/// A folder for results, with the cases and the interactions that it has.
type TakenFolder = (Option<ResultsFolder>, Cases, Vec<Interaction>);

/// Opens the folder of the results and reads what it holds already. This happens before the device is opened, which
/// rejects mistakes at once.
fn take_folder(keep: &Keep, header: &Header) -> Result<TakenFolder, RunError> {
    Ok(match keep {
        Keep::New(path) => (Some(ResultsFolder::claim(path)?), Cases::new(Vec::new()), Vec::new()),
        Keep::GoOn(path) => {
            let (folder, found) = ResultsFolder::reopen(path)?;
            folder.reject_another(header)?;
            if found.is_spoilt() {
                note(&format!(
                    "{}: {}; they were removed, and their cases are run again",
                    path.display(),
                    found.partial().unwrap_or_default()
                ));
            }
            (Some(folder), found.cases, found.interactions)
        }
        Keep::Nothing => (None, Cases::new(Vec::new()), Vec::new()),
    })
}

/// Ends the results file, and judges the run.
fn conclude(
    suite: &Suite,
    device: DeviceFile,
    mut run: ExecutedRun,
    seconds: f64,
) -> Result<Run, RunError> {
    let complete = !run.cancelled && run.results.len() == run.header.cases;
    let ending = if complete {
        let mut findings = BTreeMap::new();
        for result in run.results.briefs() {
            *findings.entry(result.finding.kind.name().to_owned()).or_default() += 1;
        }
        let end = End {
            findings,
            seconds,
            worker_time: run.worker_time,
            shared_check: Some(run.shared_check),
        };
        if let Some(folder) = &mut run.folder {
            folder.end(end.clone())?;
        }
        Ending::Finished(end)
    } else {
        Ending::Stopped { seconds, shared_check: run.shared_check }
    };
    let interactions = run.interactions;
    let run = Run { interactions, ..Run::new(run.header, run.results, ending) };
    Ok(judge(suite, device, run))
}
