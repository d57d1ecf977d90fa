//! Workers that were started before they are needed.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    cancel::Cancel,
    capabilities::Capabilities,
    process::{Launch, Process, StartEnd},
};

/// Duration of a start from which workers are started ahead. Drivers of GPUs take seconds.
const SLOW_START: Duration = Duration::from_secs(1);

/// Workers that seats have started ahead and not needed, for the next seats of the same launch. Clones share them.
#[derive(Clone, Default)]
pub struct Reserve(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Longest time from the beginning of a start to an open device; zero before the first.
    slowest_start: Duration,
    spares: Vec<Spare>,
}

/// A worker that is opening its device.
pub(crate) struct Spare {
    launch: Launch,
    process: Process,
    begun: Instant,
}

impl Spare {
    /// Returns a process that begins to open its device now.
    pub(crate) fn new(launch: &Launch, process: Process) -> Self {
        Self { launch: launch.clone(), process, begun: Instant::now() }
    }

    /// Whether it was started in this way.
    pub(crate) fn is_of(&self, launch: &Launch) -> bool {
        self.launch == *launch
    }

    /// Waits until the worker has opened its device.
    pub(crate) fn opened(
        self,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<(Process, Capabilities), StartEnd> {
        self.process.opened(limit, cancel)
    }
}

impl Reserve {
    /// Records the duration of a start.
    pub(crate) fn started_in(&self, duration: Duration) {
        self.with(|state| state.slowest_start = state.slowest_start.max(duration));
    }

    /// Whether starts take so long that workers are started ahead.
    pub(crate) fn is_worthwhile(&self) -> bool {
        self.with(|state| state.slowest_start >= SLOW_START)
    }

    /// Whether a worker has been starting for as long as the slowest start has taken.
    pub(crate) fn is_ready(&self, spare: &Spare) -> bool {
        self.with(|state| spare.begun.elapsed() >= state.slowest_start)
    }

    /// Keeps a worker that its seat does not need.
    pub(crate) fn keep(&self, spare: Spare) {
        self.with(|state| state.spares.push(spare));
    }

    /// Returns the worker of this launch that was kept first.
    pub(crate) fn take(&self, launch: &Launch) -> Option<Spare> {
        self.with(|state| {
            let first = state.spares.iter().position(|spare| spare.is_of(launch))?;
            Some(state.spares.remove(first))
        })
    }

    fn with<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        action(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Reserve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spares = self.with(|state| state.spares.len());
        f.debug_struct("Reserve").field("spares", &spares).finish_non_exhaustive()
    }
}
