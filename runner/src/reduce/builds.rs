//! Builds that are no run: programs in, an outcome for each, nothing kept.

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Instant,
};

use expectations::{
    device::DeviceFile,
    outcome::{Outcome, OutcomeKind},
};

use crate::engine::{
    self, Cancel, Checked, Config, EngineError, Event, Job, Record, computes_wrong_values,
};

/// Where and how to build.
#[derive(Debug)]
pub struct Builds<'r> {
    /// The device.
    pub device: &'r DeviceFile,
    /// How.
    pub config: Config,
    /// Asks for an end.
    pub cancel: &'r Cancel,
    /// When to end, whatever is being built then.
    pub end: Option<Instant>,
}

impl Builds<'_> {
    /// An outcome for each program; [`OutcomeKind::Failed`] for those that were not built in time. Wrong values are
    /// those of a program alone: others that are built with it may make it compute them.
    pub fn outcomes(&self, jobs: &[Job]) -> Result<Vec<Outcome>, EngineError> {
        let (mut records, checked) = self.built(jobs, &self.config)?;
        let in_company =
            |record: &Record| record.batch > 1 && computes_wrong_values(&record.outcome);
        let doubtful: Vec<usize> =
            (0..jobs.len()).filter(|&index| in_company(&records[index])).collect();
        if !doubtful.is_empty() {
            let again: Vec<Job> = doubtful.iter().map(|&index| jobs[index].clone()).collect();
            let config = Config { isolate: true, checked, ..self.config.clone() };
            let (alone, _) = self.built(&again, &config)?;
            for (index, record) in doubtful.into_iter().zip(alone) {
                records[index] = record;
            }
        }
        Ok(records.into_iter().map(|record| record.outcome).collect())
    }

    fn built(&self, jobs: &[Job], config: &Config) -> Result<(Vec<Record>, Checked), EngineError> {
        let unbuilt = || {
            let outcome = Outcome::new(OutcomeKind::Failed);
            Record::unbuilt(outcome.with_detail("it was not built in time"))
        };
        if self.is_over() {
            return Ok((vec![unbuilt(); jobs.len()], Checked::default()));
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
        Ok((records, report.checked))
    }

    /// Whether there is time for more.
    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.end.is_some_and(|end| Instant::now() >= end)
    }
}
