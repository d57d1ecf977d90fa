//! The record of a run: its results file and its lines on the terminal, written while it runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use expectations::wrong_values::Constructs;
use indicatif::ProgressBar;
use reports::summary::rerun;
use results::{
    cases::Cases,
    folder::{FolderError, ResultsFolder},
    line::{CaseResult, End, Header, Interaction, Line, UnreproducedFailure},
    run::{Ending, Run},
    shared_check::SharedCheck,
    text::printable,
    worker_time::WorkerTime,
};

use super::{
    header::{identified, loaded_driver},
    plan::Keep,
    scene::RunProgress,
};
use crate::{output::note, reduce::random::ReducedPair};

/// A run on one device, and the programs with wrong values that were reduced in it.
pub struct DeviceRun {
    pub run: Run,
    pub reduced: Vec<ReducedPair>,
}

/// The record of a run, written while it runs.
pub(super) struct Recording {
    /// Moment at which the run began.
    begun: Instant,
    pub(super) header: Header,
    pub(super) folder: Option<ResultsFolder>,
    /// Whether the device was opened, and the header written.
    is_begun: bool,
    /// Time of the workers by activity.
    worker_time: WorkerTime,
    /// The check of the verdicts that shared builds gave.
    shared_check: SharedCheck,
    /// Faults that take several programs or kernels.
    interactions: Vec<Interaction>,
    /// Kinds of wrong values that were reported before, and those of earlier portions.
    pub(super) told: Vec<Constructs>,
    /// Programs with wrong values that were reduced.
    pub(super) reduced: Vec<ReducedPair>,
    /// Warnings that were printed.
    warnings: BTreeSet<String>,
    pub(super) bar: ProgressBar,
}

impl Recording {
    /// Opens the folder of the results, and returns the results that it has already. This happens before the device is
    /// opened, which rejects mistakes at once.
    pub(super) fn open(
        keep: &Keep,
        header: Header,
        begun: Instant,
    ) -> Result<(Self, Cases), FolderError> {
        let (mut folder, mut found, mut interactions) = (None, Cases::new(Vec::new()), Vec::new());
        match keep {
            Keep::Nothing => {}
            Keep::New(path) => folder = Some(ResultsFolder::claim(path)?),
            Keep::GoOn(path) => {
                let (opened, run) = ResultsFolder::reopen(path)?;
                opened.reject_another(&header)?;
                if run.is_spoilt() {
                    note(&format!(
                        "{}: {}; they were removed, and their cases are run again",
                        path.display(),
                        run.partial().unwrap_or_default()
                    ));
                }
                (folder, found, interactions) = (Some(opened), run.cases, run.interactions);
            }
        }
        let recording = Self {
            begun,
            header,
            folder,
            is_begun: false,
            worker_time: WorkerTime::default(),
            shared_check: SharedCheck::default(),
            interactions,
            told: Vec::new(),
            reduced: Vec::new(),
            warnings: BTreeSet::new(),
            bar: ProgressBar::hidden(),
        };
        Ok((recording, found))
    }

    /// Prints a note above the progress bar.
    pub(super) fn note(&self, text: &str) {
        self.bar.suspend(|| note(text));
    }

    /// Writes a result.
    pub(super) fn keep(&mut self, result: &CaseResult) -> Result<(), FolderError> {
        self.append(|| Line::Case(result.clone()))
    }

    fn append(&mut self, line: impl FnOnce() -> Line) -> Result<(), FolderError> {
        self.folder.as_mut().map_or(Ok(()), |folder| folder.append(&line()))
    }

    /// Writes and prints what a run reports.
    pub(super) fn take(&mut self, progress: RunProgress<'_>) -> Result<(), FolderError> {
        match progress {
            // Every portion opens the device.
            RunProgress::Opened(_) if self.is_begun => {}
            RunProgress::Opened(facts) => {
                self.is_begun = true;
                self.header = identified(&self.header, facts);
                if let Some(loaded) = loaded_driver(facts) {
                    self.note(&format!("{}: {loaded}", self.header.name()));
                }
                if let Some(folder) = &mut self.folder {
                    folder.begin(&self.header)?;
                }
            }
            RunProgress::Built => self.bar.inc(1),
            // Rate and time left are those of what is built.
            RunProgress::NotBuilt => self.bar.dec_length(1),
            RunProgress::LooksAgain(findings) => self.bar.inc_length(findings as u64),
            RunProgress::Worked(time) => self.worker_time.join(time),
            RunProgress::Result(result) => self.keep(result)?,
            RunProgress::Withdrawn(ids) => {
                self.bar.inc_length(ids.len() as u64);
                if let Some(folder) = &mut self.folder {
                    folder.withdraw(ids)?;
                }
            }
            RunProgress::Checked(check) => {
                if let Some(text) = check.text().filter(|_| !check.differing.is_empty()) {
                    self.note(&format!("warning: {text}"));
                }
                self.shared_check.join(check);
            }
            RunProgress::Unreproduced(UnreproducedFailure { cases, what }) => {
                let failure = UnreproducedFailure { cases, what: printable(&what) };
                let rerun = rerun(&self.header, &failure);
                self.note(&format!("warning: {}\n  rerun:  {rerun}", failure.text()));
                self.append(|| Line::Unreproduced(failure))?;
            }
            // Cases that are built again may show what others showed.
            RunProgress::Interaction(found) if self.interactions.contains(&found) => {}
            RunProgress::Interaction(found) => {
                self.note(&format!("warning: {}", found.text()));
                self.append(|| Line::Interaction(found.clone()))?;
                self.interactions.push(found);
            }
            RunProgress::Warning(text) => {
                let warning = format!("warning: {}", printable(&text));
                // Every part of a run gives it.
                if self.warnings.insert(warning.clone()) {
                    self.note(&warning);
                }
            }
        }
        Ok(())
    }

    /// Ends the results file, and returns the run, which nobody has judged yet.
    pub(super) fn end(
        mut self,
        results: Cases,
        is_stopped: bool,
    ) -> Result<DeviceRun, FolderError> {
        self.bar.finish_and_clear();
        let Self { worker_time, shared_check, .. } = self;
        let seconds = self.begun.elapsed().as_secs_f64();
        let ending = if is_stopped || results.len() != self.header.cases {
            Ending::Stopped { seconds, shared_check }
        } else {
            let mut findings = BTreeMap::new();
            for result in results.briefs() {
                *findings.entry(result.finding.kind.name().to_owned()).or_default() += 1;
            }
            let end = End { findings, seconds, worker_time, shared_check: Some(shared_check) };
            if let Some(folder) = &mut self.folder {
                folder.end(end.clone())?;
            }
            Ending::Finished(end)
        };
        let Self { interactions, reduced, .. } = self;
        let run = Run { interactions, ..Run::new(self.header, results, ending) };
        Ok(DeviceRun { run, reduced })
    }
}
