//! A worker process that is replaced when it dies, and what it has built so far.

use std::{
    mem,
    time::{Duration, Instant},
};

use expectations::{outcome::Phase, probe::plan::RunAnswer};
use reports::worker_time::{Activity, WorkerTime};

use worker::{BuildEnd, Launch, Seat, StartEnd};

use super::types::Cancel;
use crate::device::{BuildRequest, Capabilities, OpenError};

/// How often a worker is started before the device is given up.
pub(super) const STARTS: usize = 3;

/// One place to work at.
pub(super) struct WorkerSlot<'r> {
    launch: &'r Launch,
    start_limit: Duration,
    cancel: &'r Cancel,
    process: Option<Seat>,
    /// Jobs the process was told to build, oldest first.
    history: Vec<usize>,
    /// The process has built something.
    warm: bool,
    pub(super) started: usize,
    pub(super) builds: usize,
    /// What its time went into so far.
    pub(super) time: WorkerTime,
    /// What the next builds are for.
    pub(super) builds_for: Activity,
}

/// Why a slot has no worker.
pub(super) enum NoWorker {
    NotOpened(OpenError),
    Dead(String),
    Machine { action: &'static str, source: std::io::Error },
    Cancelled,
}

impl<'r> WorkerSlot<'r> {
    pub(super) fn new(launch: &'r Launch, start_limit: Duration, cancel: &'r Cancel) -> Self {
        Self {
            launch,
            start_limit,
            cancel,
            process: None,
            history: Vec::new(),
            warm: false,
            started: 0,
            builds: 0,
            time: WorkerTime::default(),
            builds_for: Activity::KnownPrograms,
        }
    }

    /// Have a worker with an open device; its capabilities where it was started by this call.
    pub(super) fn open(&mut self) -> Result<Option<Capabilities>, NoWorker> {
        if self.process.is_some() {
            return Ok(None);
        }
        let mut reason = String::new();
        for _ in 0..STARTS {
            self.started += 1;
            let begun = Instant::now();
            let started = Seat::start(self.launch, self.start_limit, self.cancel);
            self.time.spend(Activity::Start, begun.elapsed());
            match started {
                Ok((process, capabilities)) => {
                    self.history.clear();
                    self.warm = false;
                    self.process = Some(process);
                    return Ok(Some(capabilities));
                }
                Err(StartEnd::NotOpened(error)) => return Err(NoWorker::NotOpened(error)),
                Err(StartEnd::Machine { action, source }) => {
                    return Err(NoWorker::Machine { action, source });
                }
                Err(StartEnd::Cancelled) => return Err(NoWorker::Cancelled),
                Err(StartEnd::Died(death)) => reason = death.to_string(),
            }
        }
        Err(NoWorker::Dead(reason))
    }

    /// Have a worker that has built something: a driver's first build takes many times as long as the next.
    /// Gives how long that took where there was none.
    pub(super) fn warm_up(&mut self, first: &BuildRequest) -> Result<Option<Duration>, NoWorker> {
        let mut reason = String::new();
        let begun = Instant::now();
        for _ in 0..STARTS {
            self.open()?;
            if self.warm {
                return Ok(None);
            }
            let builds_for = mem::replace(&mut self.builds_for, Activity::KnownPrograms);
            let end = self.build(&[], first.clone(), self.start_limit);
            self.builds_for = builds_for;
            match end {
                BuildEnd::Answered { .. } => return Ok(Some(begun.elapsed())),
                BuildEnd::Cancelled => return Err(NoWorker::Cancelled),
                BuildEnd::Died(death) => reason = format!("its first build: {death}"),
            }
        }
        Err(NoWorker::Dead(reason))
    }

    /// Build these jobs as one program. The slot must be ready; it is not after a death.
    pub(super) fn build(
        &mut self,
        jobs: &[usize],
        request: BuildRequest,
        limit: Duration,
    ) -> BuildEnd {
        self.build_watched(jobs, request, limit, &mut |_| {})
    }

    /// The same, and tell when half of the limit is over.
    pub(super) fn build_watched(
        &mut self,
        jobs: &[usize],
        request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
    ) -> BuildEnd {
        let Some(process) = &mut self.process else { return BuildEnd::Cancelled };
        self.history.extend_from_slice(jobs);
        let begun = Instant::now();
        let end = process.build(request, limit, slow, self.cancel);
        let (time, of_build) = (begun.elapsed(), build_time(&end));
        let of_build = of_build.unwrap_or(time).min(time);
        self.time.spend(self.builds_for, of_build);
        let of_runs = time.saturating_sub(of_build);
        if !of_runs.is_zero() {
            self.time.spend(Activity::Run, of_runs);
        }
        self.warm = true;
        self.builds += 1;
        let is_spoilt = match &end {
            BuildEnd::Answered { runs, .. } => runs.iter().any(RunAnswer::has_failed),
            BuildEnd::Died(_) => true,
            BuildEnd::Cancelled => false,
        };
        if is_spoilt || process.is_heavy() {
            self.end();
        }
        end
    }

    /// Do away with the worker.
    fn end(&mut self) {
        let begun = Instant::now();
        if self.process.take().is_some() {
            self.time.spend(Activity::End, begun.elapsed());
        }
    }

    /// Whether its worker has built nothing else yet.
    pub(super) fn has_built_only(&self, job: usize) -> bool {
        self.history.iter().all(|&built| built == job)
    }

    /// What its worker, or the last one, has built.
    pub(super) fn history(&self) -> &[usize] {
        &self.history
    }

    /// Give the worker up; the next one is fresh.
    pub(super) fn retire(&mut self) {
        self.end();
        self.history.clear();
    }
}

/// How long the build of a program took that was run then; `None` where it was not, or the worker died.
fn build_time(end: &BuildEnd) -> Option<Duration> {
    match end {
        BuildEnd::Answered { answer, runs } if !runs.is_empty() => {
            Duration::try_from_secs_f64(answer.seconds).ok()
        }
        _ => None,
    }
}
