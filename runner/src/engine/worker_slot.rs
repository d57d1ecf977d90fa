//! A worker process that is replaced when it dies, and what it has built so far.

use std::{
    collections::BTreeMap,
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

use expectations::{device::ZygoteWork, outcome::Phase, probe::plan::RunAnswer};
use results::worker_time::{Activity, WorkerTime};

use worker::{BuildEnd, Excess, Launch, Reserve, Resource, Seat, StartEnd, WorkerStart};

use super::{
    journal::Journal,
    producer::{MadeModules, Producer},
    types::Cancel,
};
use crate::device::{BuildAnswer, BuildRequest, Capabilities, OpenError};

/// Number of starts of a worker after which the device is given up.
pub(super) const STARTS: usize = 3;

/// One place to work at.
pub(super) struct WorkerSlot<'r> {
    seat: Seat<'r>,
    /// Compiler whose modules the device is given.
    producer: Option<Producer<'r>>,
    start_limit: Duration,
    cancel: &'r Cancel,
    /// A record of what is being built.
    journal: Option<Journal<'r>>,
    /// The worker that the seat has.
    worker: Worker,
    /// Work that forked workers do.
    forks_for: ZygoteWork,
    /// First program that a worker builds.
    first: Option<BuildRequest>,
    /// The jobs of each program that the process has built, oldest first; empty for known programs.
    history: Vec<Arc<[usize]>>,
    /// The process has built something.
    warm: bool,
    pub(super) started: usize,
    /// Number of workers that were forked.
    pub(super) forked: usize,
    /// Reason why workers are no longer forked, where it was tried.
    pub(super) unforked: Option<String>,
    pub(super) builds: usize,
    /// Workers that were replaced before a limit was reached.
    pub(super) worn: Wear,
    /// Time spent so far, by activity.
    pub(super) time: WorkerTime,
    /// Activity that the next builds are counted for.
    pub(super) builds_for: Activity,
}

/// Workers that were replaced because they came near to a limit.
#[derive(Default)]
pub(super) struct Wear(BTreeMap<Resource, (usize, Excess)>);

impl Wear {
    fn add(&mut self, excess: Excess) {
        self.0.entry(excess.resource).or_insert((0, excess)).0 += 1;
    }

    /// Adds those of another place to work at.
    pub(super) fn join(&mut self, other: Self) {
        for (resource, (count, excess)) in other.0 {
            self.0.entry(resource).or_insert((0, excess)).0 += count;
        }
    }

    /// Returns a warning for each limit, with the number of workers that came near to it.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        self.0.values().map(|(count, excess)| {
            let workers = results::text::plural(*count, "worker");
            format!("{workers} replaced before a limit was reached; one had {excess}")
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Worker {
    None,
    Started,
    Forked,
}

/// Work that a worker has to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Building, and launches that execute nothing.
    Builds,
    /// Executing probes too.
    Probes,
}

/// Reason why a slot has no worker.
pub(super) enum NoWorker {
    NotOpened(OpenError),
    Dead(String),
    Machine {
        action: &'static str,
        source: std::io::Error,
    },
    Cancelled,
    /// The compiler whose modules the device is given is not there.
    NoProducer(OpenError),
    /// The device should be given modules but accepts none.
    TakesNoModules {
        /// Intermediate languages that it reports.
        reported: String,
    },
}

impl NoWorker {
    /// Returns the reason why a compiler could not be started.
    fn of_producer(end: StartEnd) -> Self {
        match end {
            StartEnd::NotOpened(error) => Self::NoProducer(error),
            StartEnd::Died(death) => Self::Dead(format!("the compiler's: {death}")),
            StartEnd::Cancelled => Self::Cancelled,
            StartEnd::Machine { action, source } => Self::Machine { action, source },
        }
    }
}

impl<'r> WorkerSlot<'r> {
    pub(super) fn new(
        launch: &'r Launch,
        forks_for: ZygoteWork,
        start_limit: Duration,
        journal: Option<Journal<'r>>,
        reserve: Reserve,
        cancel: &'r Cancel,
    ) -> Self {
        Self {
            seat: Seat::new(launch, reserve),
            producer: None,
            journal,
            start_limit,
            cancel,
            worker: Worker::None,
            forks_for,
            first: None,
            history: Vec::new(),
            warm: false,
            started: 0,
            forked: 0,
            unforked: None,
            builds: 0,
            worn: Wear::default(),
            time: WorkerTime::default(),
            builds_for: Activity::KnownPrograms,
        }
    }

    /// Returns the slot with a compiler whose modules its device is given.
    pub(super) fn after(self, producer: Option<Producer<'r>>) -> Self {
        Self { producer, ..self }
    }

    /// Starts a worker with an open device if there is none, and its compiler. Returns its capabilities if this call
    /// started it and queried them.
    pub(super) fn open(&mut self, work: Work) -> Result<Option<Capabilities>, NoWorker> {
        let opened = self.open_device(work)?;
        let Some(producer) = &mut self.producer else { return Ok(opened) };
        if let Some(capabilities) = opened.as_ref().filter(|opened| !opened.takes_spirv()) {
            return Err(NoWorker::TakesNoModules { reported: capabilities.il_version.clone() });
        }
        let of_producer = producer.open().map_err(NoWorker::of_producer)?.map(Box::new);
        Ok(opened.map(|capabilities| Capabilities { producer: of_producer, ..capabilities }))
    }

    fn open_device(&mut self, work: Work) -> Result<Option<Capabilities>, NoWorker> {
        if self.worker == Worker::Forked && !self.may_fork(work) {
            self.retire();
        }
        if self.worker != Worker::None {
            return Ok(None);
        }
        let first = self.first.as_ref().filter(|_| self.may_fork(work));
        let mut reason = String::new();
        for _ in 0..STARTS {
            self.started += 1;
            let begun = Instant::now();
            let started = self.seat.start(first, self.start_limit, self.cancel);
            self.time.spend(Activity::Start, begun.elapsed());
            match started {
                Ok(started) => {
                    self.history.clear();
                    self.warm = matches!(started, WorkerStart::Forked);
                    if self.warm {
                        self.history.push(Arc::default());
                    }
                    self.worker = if self.warm { Worker::Forked } else { Worker::Started };
                    return Ok(match started {
                        WorkerStart::Opened { capabilities, unforked } => {
                            self.unforked = unforked.or_else(|| self.unforked.take());
                            Some(*capabilities)
                        }
                        WorkerStart::Forked => {
                            self.forked += 1;
                            None
                        }
                    });
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

    /// Whether a forked worker is enough for it.
    fn may_fork(&self, work: Work) -> bool {
        self.forks_for == ZygoteWork::Everything || work == Work::Builds
    }

    /// Starts a worker that has built a program if there is none: a driver's first build takes many times as long as
    /// the next. Returns the time that the first build took.
    pub(super) fn warm_up(
        &mut self,
        first: &BuildRequest,
        work: Work,
    ) -> Result<Option<Duration>, NoWorker> {
        let mut reason = String::new();
        let begun = Instant::now();
        let mut was_there = true;
        for _ in 0..STARTS {
            let before = self.started;
            self.open(work)?;
            was_there &= self.started == before;
            if self.warm {
                return Ok((!was_there).then(|| begun.elapsed()));
            }
            let builds_for = mem::replace(&mut self.builds_for, Activity::KnownPrograms);
            let end = self.build(&[], first.clone(), self.start_limit);
            self.builds_for = builds_for;
            match end {
                BuildEnd::Answered { .. } => {
                    self.first = self.as_given(first);
                    return Ok(Some(begun.elapsed()));
                }
                BuildEnd::Cancelled => return Err(NoWorker::Cancelled),
                BuildEnd::Died(death) => reason = format!("its first build: {death}"),
            }
        }
        Err(NoWorker::Dead(reason))
    }

    /// Returns a request with its module, where the device is given modules; `None` if none was made.
    fn as_given(&mut self, request: &BuildRequest) -> Option<BuildRequest> {
        let Some(producer) = &mut self.producer else { return Some(request.clone()) };
        match producer.make(request.clone(), self.start_limit, &mut |_| {}) {
            MadeModules::Ready { request, .. } => Some(*request),
            MadeModules::Ended(_) => None,
        }
    }

    /// Builds a program on the device, whose compiler makes the module first if it has one.
    fn build_as_given(
        &mut self,
        request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
    ) -> BuildEnd {
        let Some(producer) = &mut self.producer else {
            return self.seat.build(request, limit, slow, self.cancel);
        };
        let (request, made, of_producer) = match producer.make(request, limit, slow) {
            MadeModules::Ended(end) => return end,
            MadeModules::Ready { request, answer, processor_time } => {
                (*request, answer, processor_time)
            }
        };
        match self.seat.build(request, limit, slow, self.cancel) {
            BuildEnd::Answered { answer, runs, processor_time } => {
                let seconds = answer.seconds + made.seconds;
                let answer = BuildAnswer { seconds, output: made.output, ..answer };
                let processor_time = processor_time + of_producer;
                BuildEnd::Answered { answer, runs, processor_time }
            }
            end => end,
        }
    }

    /// Builds these jobs as one program. The slot must be ready; after a death it is not.
    pub(super) fn build(
        &mut self,
        jobs: &[usize],
        request: BuildRequest,
        limit: Duration,
    ) -> BuildEnd {
        self.build_watched(jobs, request, limit, &mut |_| {})
    }

    /// Builds these jobs as one program and reports when half of the limit has passed.
    pub(super) fn build_watched(
        &mut self,
        jobs: &[usize],
        request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
    ) -> BuildEnd {
        self.history.push(jobs.into());
        let begun = Instant::now();
        if let Some(journal) = &mut self.journal {
            journal.begin(jobs);
        }
        let end = self.build_as_given(request, limit, slow);
        if let Some(journal) = &mut self.journal {
            journal.end();
        }
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
        let wear = self.seat.wear().filter(|_| !is_spoilt);
        if let Some(excess) = wear {
            self.worn.add(excess);
        }
        if is_spoilt || wear.is_some() {
            self.end();
        }
        end
    }

    /// Ends the worker.
    fn end(&mut self) {
        let begun = Instant::now();
        if mem::replace(&mut self.worker, Worker::None) != Worker::None {
            self.seat.end();
            self.time.spend(Activity::End, begun.elapsed());
        }
    }

    /// Starts the next worker ahead where starts take long.
    pub(super) fn start_ahead(&mut self) {
        self.seat.start_ahead();
    }

    /// Whether another worker can take the place of this one without a wait.
    pub(super) fn can_lose_worker(&self) -> bool {
        self.has_worker() && self.seat.has_spare()
    }

    pub(super) fn has_worker(&self) -> bool {
        self.worker != Worker::None
    }

    /// Whether its worker has built nothing else yet.
    pub(super) fn has_built_only(&self, job: usize) -> bool {
        self.history.iter().flat_map(|jobs| jobs.iter()).all(|&built| built == job)
    }

    /// Returns the jobs of each program that the current or last worker has built, up to the last program of these
    /// jobs.
    pub(super) fn history_up_to(&self, jobs: &[usize]) -> Arc<[Arc<[usize]>]> {
        let last = self.history.iter().rposition(|built| **built == *jobs);
        self.history[..last.map_or(0, |last| last + 1)].into()
    }

    /// Ends the worker, so that the next one is fresh.
    pub(super) fn retire(&mut self) {
        self.end();
        self.history.clear();
    }
}

/// Returns the build time of a program that was run afterwards; `None` if it was not run, or the worker died.
fn build_time(end: &BuildEnd) -> Option<Duration> {
    match end {
        BuildEnd::Answered { answer, runs, .. } if !runs.is_empty() => {
            Duration::try_from_secs_f64(answer.seconds).ok()
        }
        _ => None,
    }
}
