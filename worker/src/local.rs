//! Workers on this machine, one after the other.

use std::{
    mem,
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
    reserve::{Reserve, Spare},
    scratch::are_primed,
    usage::Excess,
    zygote::{NoZygote, Zygote},
};

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
    spare: Option<Spare>,
    /// Spares of seats that did not need them.
    reserve: Reserve,
    /// Whether a worker was started here before.
    has_started: bool,
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
    pub(crate) fn new(reserve: Reserve) -> Self {
        Self {
            worker: None,
            spare: None,
            reserve,
            has_started: false,
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
        let spare = self.spare.take().filter(|spare| spare.is_of(launch));
        let spare = spare.or_else(|| self.reserve.take(launch));
        let spare = spare.map(|spare| spare.opened(limit, cancel));
        let (worker, capabilities) = match spare {
            Some(Ok(opened)) => opened,
            Some(Err(StartEnd::Cancelled)) => return Err(StartEnd::Cancelled),
            // One that could not start beside another may start alone.
            Some(Err(_)) | None => {
                let begun = Instant::now();
                let opened = self.begin(launch)?.opened(limit, cancel)?;
                self.reserve.started_in(begun.elapsed());
                opened
            }
        };
        self.worker = Some(worker);
        // The first worker of a place may well be its only one.
        if mem::replace(&mut self.has_started, true) {
            self.start_ahead(launch);
        }
        Ok(WorkerStart::Opened { capabilities: Box::new(capabilities), unforked })
    }

    /// Starts the next worker where that takes long and it has not been started yet.
    pub(crate) fn start_ahead(&mut self, launch: &Launch) {
        if self.spare.is_none() && self.reserve.is_worthwhile() {
            self.spare = self.begin(launch).map(|process| Spare::new(launch, process)).ok();
        }
    }

    /// Whether the next worker was started so long ago that its device should be open.
    pub(crate) fn has_spare(&self) -> bool {
        self.spare.as_ref().is_some_and(|spare| self.reserve.is_ready(spare))
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

impl Drop for Local {
    fn drop(&mut self) {
        if let Some(spare) = self.spare.take() {
            self.reserve.keep(spare);
        }
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
