//! Builds that are no run: programs in, an outcome for each, nothing kept.

use std::{
    cell::RefCell,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Instant,
};

use expectations::{
    device::DeviceFile,
    outcome::{Outcome, OutcomeKind},
};

use crate::engine::{
    self, Cancel, Config, EngineError, Event, Job, Learned, Record, computes_wrong_values,
};

/// Where and how to build.
#[derive(Debug)]
pub struct Builds<'r> {
    device: &'r DeviceFile,
    config: Config,
    cancel: &'r Cancel,
    end: Option<Instant>,
    /// What the looks so far found out of the device.
    learned: RefCell<Learned>,
}

impl<'r> Builds<'r> {
    /// Builds on that device until they are cancelled or that moment comes, whatever is being built then.
    pub fn new(
        device: &'r DeviceFile,
        config: Config,
        cancel: &'r Cancel,
        end: Option<Instant>,
    ) -> Self {
        let learned = RefCell::new(config.learned.clone());
        Self { device, config, cancel, end, learned }
    }

    /// An outcome for each program; [`OutcomeKind::Failed`] for those that were not built in time. Wrong values are
    /// those of a program alone: others that are built with it may make it compute them.
    pub fn outcomes(&self, jobs: &[Job]) -> Result<Vec<Outcome>, EngineError> {
        let mut look = self.look(jobs)?;
        let doubtful: Vec<usize> =
            (0..jobs.len()).filter(|&index| look.is_doubtful(index)).collect();
        look.confirm(&doubtful)?;
        Ok(look.records.into_iter().map(|record| record.outcome).collect())
    }

    /// Returns an outcome for each program, each built alone, one after the other: what a launch leaves behind, the next
    /// one may find, as candidates of a reduction do.
    pub(super) fn alone(&self, jobs: &[Job]) -> Result<Vec<Outcome>, EngineError> {
        let learned = self.learned.borrow().clone();
        let config = Config { isolate: true, workers: 1, learned, ..self.config.clone() };
        let (records, _) = self.built(jobs, &config)?;
        Ok(records.into_iter().map(|record| record.outcome).collect())
    }

    /// A first look at programs, built together.
    pub(super) fn look<'l>(&'l self, jobs: &'l [Job]) -> Result<Look<'l>, EngineError> {
        let config = Config { learned: self.learned.borrow().clone(), ..self.config.clone() };
        let (records, learned) = self.built(jobs, &config)?;
        self.learned.replace(learned);
        Ok(Look { builds: self, jobs, records })
    }

    fn built(&self, jobs: &[Job], config: &Config) -> Result<(Vec<Record>, Learned), EngineError> {
        let unbuilt = || {
            let outcome = Outcome::new(OutcomeKind::Failed);
            Record::unbuilt(outcome.with_detail("it was not built in time"))
        };
        if self.is_over() {
            return Ok((vec![unbuilt(); jobs.len()], config.learned.clone()));
        }
        let mut records = vec![None; jobs.len()];
        let mut sink = |event: Event| {
            if let Event::Finished { job, record } = event {
                records[job] = Some(record);
            }
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
        Ok((records, report.learned))
    }

    /// Whether there is time for more.
    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// What was seen of programs so far.
pub(super) struct Look<'l> {
    builds: &'l Builds<'l>,
    jobs: &'l [Job],
    records: Vec<Record>,
}

impl Look<'_> {
    /// The outcome of that program.
    pub(super) fn outcome(&self, index: usize) -> &Outcome {
        &self.records[index].outcome
    }

    /// Whether that program computes wrong values, and others that were built with it may make it do so.
    pub(super) fn is_doubtful(&self, index: usize) -> bool {
        let record = &self.records[index];
        record.batch > 1 && computes_wrong_values(&record.outcome)
    }

    /// A second look at these programs, each built alone.
    pub(super) fn confirm(&mut self, which: &[usize]) -> Result<(), EngineError> {
        if which.is_empty() {
            return Ok(());
        }
        let again: Vec<Job> = which.iter().map(|&index| self.jobs[index].clone()).collect();
        let learned = self.builds.learned.borrow().clone();
        let config = Config { isolate: true, learned, ..self.builds.config.clone() };
        let (alone, _) = self.builds.built(&again, &config)?;
        for (&index, record) in which.iter().zip(alone) {
            self.records[index] = record;
        }
        Ok(())
    }
}
