//! Workers on this machine, one after the other.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use expectations::outcome::Phase;

use crate::{
    builder::BuildRequest,
    cancel::Cancel,
    capabilities::Capabilities,
    primed::PrimedCache,
    process::{BuildEnd, Launch, Process, StartEnd},
    protocol::ZygoteSetup,
    scratch::are_primed,
    usage::Excess,
    zygote::{NoZygote, Zygote},
};

/// Duration of a start from which the next worker is started ahead. Drivers of GPUs take seconds.
const SLOW_START: Duration = Duration::from_secs(1);

/// The way a worker was started.
pub enum WorkerStart {
    /// A new process opened its device.
    Opened {
        /// The device's description of itself.
        capabilities: Box<Capabilities>,
        /// The reason why the worker was not forked, where that was tried.
        unforked: Option<String>,
    },
    /// The worker was forked from a process that had opened the device and built a program.
    Forked,
}

/// A place where workers of one launch are started, one after the other.
pub(crate) struct Local {
    worker: Option<Process>,
    /// A worker that was started ahead. One is enough: a GPU has memory for few.
    spare: Option<Process>,
    /// Longest time from the beginning of a start to an open device; zero before the first.
    slowest_start: Duration,
    forks: Forks,
    cache: Cache,
}

/// The cache that the driver of the next worker finds.
enum Cache {
    /// Empty: the launch does not ask for more, or nothing could be kept.
    Empty,
    /// Empty until a first program is built.
    Unprimed,
    Primed(Arc<PrimedCache>),
}

/// Whether workers are forked.
enum Forks {
    NotYet,
    Of(Zygote),
    Never,
}

impl Local {
    pub(crate) fn new() -> Self {
        Self {
            worker: None,
            spare: None,
            slowest_start: Duration::ZERO,
            forks: Forks::NotYet,
            cache: Cache::Unprimed,
        }
    }

    /// Starts a worker in place of the one before. Where the device is known to build `first` and the launch has a
    /// zygote, the worker may be forked from a process that has built it.
    pub(crate) fn start(
        &mut self,
        launch: &Launch,
        first: Option<&BuildRequest>,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<WorkerStart, StartEnd> {
        self.worker = None;
        let mut unforked = None;
        if let (Some(setup), Some(first)) = (&launch.zygote, first) {
            match self.forks.worker(launch, setup, first, limit, cancel) {
                Ok(Some(worker)) => {
                    self.worker = Some(worker);
                    return Ok(WorkerStart::Forked);
                }
                Ok(None) => {}
                Err(NoZygote::Cancelled) => return Err(StartEnd::Cancelled),
                Err(NoZygote::Unfit(why)) => {
                    self.forks = Forks::Never;
                    unforked = Some(why.to_string());
                }
            }
        }
        if !are_primed(&launch.environment) {
            self.cache = Cache::Empty;
        }
        // The first worker of a place may well be its only one.
        let is_slow_again = self.slowest_start >= SLOW_START;
        let spare = self.spare.take().map(|spare| spare.opened(limit, cancel));
        let (worker, capabilities) = match spare {
            Some(Ok(opened)) => opened,
            Some(Err(StartEnd::Cancelled)) => return Err(StartEnd::Cancelled),
            // One that could not start beside another may start alone.
            Some(Err(_)) | None => {
                let begun = Instant::now();
                let opened = self.begin(launch)?.opened(limit, cancel)?;
                self.slowest_start = self.slowest_start.max(begun.elapsed());
                opened
            }
        };
        self.worker = Some(worker);
        if is_slow_again {
            self.spare = self.begin(launch).ok();
        }
        Ok(WorkerStart::Opened { capabilities: Box::new(capabilities), unforked })
    }

    /// Starts a process that opens the device.
    fn begin(&self, launch: &Launch) -> Result<Process, StartEnd> {
        let primed = match &self.cache {
            Cache::Primed(primed) => Some(primed),
            Cache::Empty | Cache::Unprimed => None,
        };
        Process::begin(launch, primed)
    }

    /// Builds as [`Process::build`] does; without a worker the build counts as cancelled.
    pub(crate) fn build(
        &mut self,
        request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
        cancel: &Cancel,
    ) -> BuildEnd {
        let Some(worker) = &mut self.worker else { return BuildEnd::Cancelled };
        let end = worker.build(request, limit, slow, cancel);
        if let (Cache::Unprimed, BuildEnd::Answered { .. }) = (&self.cache, &end) {
            self.cache = worker.prime().map_or(Cache::Empty, Cache::Primed);
        }
        end
    }

    /// Returns a limit that the worker has come near to.
    pub(crate) fn wear(&self) -> Option<Excess> {
        self.worker.as_ref().and_then(Process::wear)
    }

    /// Ends the worker.
    pub(crate) fn end(&mut self) {
        self.worker = None;
    }
}

impl Forks {
    fn worker(
        &mut self,
        launch: &Launch,
        setup: &ZygoteSetup,
        first: &BuildRequest,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Option<Process>, NoZygote> {
        if let Self::NotYet = self {
            *self = Self::Of(Zygote::start(launch, setup, first, limit, cancel)?);
        }
        match self {
            Self::Of(zygote) => Ok(Some(zygote.fork(launch, cancel)?)),
            Self::NotYet | Self::Never => Ok(None),
        }
    }
}
