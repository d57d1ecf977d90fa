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

use crate::engine::{self, Cancel, Config, EngineError, Event, Job};

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
    /// An outcome for each program; [`OutcomeKind::Failed`] for those that were not built in time.
    pub fn outcomes(&self, jobs: &[Job]) -> Result<Vec<Outcome>, EngineError> {
        let unbuilt = || Outcome::new(OutcomeKind::Failed).with_detail("it was not built in time");
        if self.is_over() {
            return Ok(vec![unbuilt(); jobs.len()]);
        }
        let mut outcomes = vec![None; jobs.len()];
        let mut sink = |event: Event| {
            if let Event::Finished { job, record } = event {
                outcomes[job] = Some(record.outcome);
            }
        };
        let stop = self.cancel.part();
        thread::scope(|scope| {
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
            let report = engine::run(self.device, jobs, &self.config, &stop, &mut sink);
            drop(done);
            report
        })?;
        Ok(outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(unbuilt)).collect())
    }

    /// Whether there is time for more.
    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.end.is_some_and(|end| Instant::now() >= end)
    }
}
