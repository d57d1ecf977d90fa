//! Builds that are not a run: programs in, an outcome for each, nothing kept.

use std::{
    cell::{Cell, RefCell},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Instant,
};

use expectations::{
    device::DeviceFile,
    outcome::{Outcome, OutcomeKind},
};

use results::worker_time::Activity;
use thiserror::Error;

use super::outcome_log::{OutcomeLog, OutcomeLogError};
use crate::engine::{
    self, Cancel, Config, DeviceReport, EngineError, Event, Job, LearnedFacts, Record,
    computes_wrong_values,
};

/// Device and settings for building candidates.
#[derive(Debug)]
pub struct Builds<'r> {
    device: &'r DeviceFile,
    config: Config,
    cancel: &'r Cancel,
    end: Option<Instant>,
    /// Facts about the device from the builds so far.
    learned: RefCell<LearnedFacts>,
    /// Outcomes of earlier reductions of the same program.
    log: Option<OutcomeLog>,
    /// Number of candidates of a program that are worth a look at once.
    width: Cell<usize>,
}

/// Number of candidates of a program in a look.
const CANDIDATES: usize = 48;
/// The same where a worker takes longer to start than to build some programs: each look starts workers.
const CANDIDATES_OF_SLOW_STARTS: usize = 4 * CANDIDATES;

impl<'r> Builds<'r> {
    /// Builds on that device until they are cancelled or that moment comes, whatever is being built then.
    pub fn new(
        device: &'r DeviceFile,
        config: Config,
        cancel: &'r Cancel,
        end: Option<Instant>,
    ) -> Self {
        let learned = RefCell::new(config.learned.clone());
        Self { device, config, cancel, end, learned, log: None, width: Cell::new(CANDIDATES) }
    }

    /// Returns the same builds with a log: the outcome of a program that the log has is not determined again.
    #[must_use]
    pub fn with_log(self, log: Option<OutcomeLog>) -> Self {
        Self { log, ..self }
    }

    /// Returns the number of candidates of a program that are built at once.
    pub(super) fn width(&self) -> usize {
        self.width.get()
    }

    /// Returns an outcome for each program; [`OutcomeKind::Failed`] for those that were not built in time. Wrong values
    /// are confirmed with the program alone, because other programs of the build may cause them.
    pub fn outcomes(&self, jobs: &[Job]) -> Result<Vec<Outcome>, ReduceError> {
        let mut look = self.look(jobs)?;
        let doubtful: Vec<usize> =
            (0..jobs.len()).filter(|&index| look.is_doubtful(index)).collect();
        look.confirm(&doubtful)?;
        Ok(look.records.into_iter().map(|record| record.outcome).collect())
    }

    /// Returns an outcome for each program, each built alone, one after the other: a launch may leave values in memory
    /// that the next one reads, as candidates of a reduction do. Stored outcomes are not used.
    pub(super) fn alone(&self, jobs: &[Job]) -> Result<Vec<Outcome>, ReduceError> {
        let learned = self.learned.borrow().clone();
        let config = Config { isolate: true, workers: 1, learned, ..self.config.clone() };
        let (records, report) = self.built(jobs, &config)?;
        if report.worker_time.part(Activity::Start) > 0.5 {
            self.width.set(CANDIDATES_OF_SLOW_STARTS);
        }
        Ok(records.into_iter().map(|record| record.outcome).collect())
    }

    /// Builds programs together for a first look.
    pub(super) fn look<'l>(&'l self, jobs: &'l [Job]) -> Result<Look<'l>, ReduceError> {
        let config = Config { learned: self.learned.borrow().clone(), ..self.config.clone() };
        let known = |job: &Job| self.log.as_ref().and_then(|log| log.get(job));
        let known: Vec<Option<Outcome>> = jobs.iter().map(known).collect();
        let new: Vec<Job> = jobs
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none())
            .map(|(job, _)| job.clone())
            .collect();
        let mut built = Vec::new();
        if !new.is_empty() {
            let (records, report) = self.built(&new, &config)?;
            self.learned.replace(report.learned);
            self.keep(&new, &records)?;
            built = records;
        }
        let mut built = built.into_iter();
        let records = known.into_iter().map(|known| match known {
            Some(outcome) => Record::unbuilt(outcome),
            None => built.next().expect("each new program has a record"),
        });
        Ok(Look { builds: self, jobs, records: records.collect() })
    }

    /// Keeps the outcomes that need no second look.
    fn keep(&self, jobs: &[Job], records: &[Record]) -> Result<(), ReduceError> {
        let Some(log) = &self.log else { return Ok(()) };
        for (job, record) in jobs.iter().zip(records).filter(|(_, record)| !is_doubtful(record)) {
            log.add(job, &record.outcome)?;
        }
        Ok(())
    }

    fn built(
        &self,
        jobs: &[Job],
        config: &Config,
    ) -> Result<(Vec<Record>, DeviceReport), ReduceError> {
        let unbuilt = || {
            let outcome = Outcome::new(OutcomeKind::Failed);
            Record::unbuilt(outcome.with_detail("it was not built in time"))
        };
        if self.is_over() {
            let report = DeviceReport { learned: config.learned.clone(), ..Default::default() };
            return Ok((vec![unbuilt(); jobs.len()], report));
        }
        let mut records = vec![None; jobs.len()];
        let mut sink = |event: Event| match event {
            Event::Opened(facts) => {
                if let Some(log) = &self.log {
                    log.set_driver(&facts.capabilities.driver_version);
                }
            }
            Event::Finished { job, record } => records[job] = Some(record),
            _ => {}
        };
        let stop = self.cancel.part();
        let report = thread::scope(|scope| {
            let (done, waiting) = mpsc::channel::<()>();
            if let Some(end) = self.end {
                let stop = stop.clone();
                scope.spawn(move || {
                    let left = end.saturating_duration_since(Instant::now());
                    if waiting.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                        stop.cancel();
                    }
                });
            }
            let report = engine::run(self.device, jobs, config, &stop, &mut sink);
            drop(done);
            report
        })?;
        let records = records.into_iter().map(|record| record.unwrap_or_else(unbuilt)).collect();
        Ok((records, report))
    }

    /// Whether there is time for more.
    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// Outcomes of programs so far.
pub(super) struct Look<'l> {
    builds: &'l Builds<'l>,
    jobs: &'l [Job],
    records: Vec<Record>,
}

impl Look<'_> {
    /// Returns the outcome of that program.
    pub(super) fn outcome(&self, index: usize) -> &Outcome {
        &self.records[index].outcome
    }

    /// Whether that program computes wrong values, and others that were built with it may make it do so.
    pub(super) fn is_doubtful(&self, index: usize) -> bool {
        is_doubtful(&self.records[index])
    }

    /// Builds each of these programs alone for a second look.
    pub(super) fn confirm(&mut self, which: &[usize]) -> Result<(), ReduceError> {
        if which.is_empty() {
            return Ok(());
        }
        let again: Vec<Job> = which.iter().map(|&index| self.jobs[index].clone()).collect();
        let learned = self.builds.learned.borrow().clone();
        let config = Config { isolate: true, learned, ..self.builds.config.clone() };
        let (alone, _) = self.builds.built(&again, &config)?;
        self.builds.keep(&again, &alone)?;
        for (&index, record) in which.iter().zip(alone) {
            self.records[index] = record;
        }
        Ok(())
    }
}

fn is_doubtful(record: &Record) -> bool {
    record.batch > 1 && computes_wrong_values(&record.outcome)
}

/// An error of a reduction.
#[derive(Debug, Error)]
pub enum ReduceError {
    /// The device could not be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The progress cannot be kept.
    #[error(transparent)]
    Log(#[from] OutcomeLogError),
}
