//! A request to stop.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A request to stop, shared with a signal handler.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    asked: Arc<AtomicBool>,
    /// Requests that are made to this one too.
    of_the_whole: Vec<Arc<AtomicBool>>,
}

impl Cancel {
    /// Requests the run to stop: no new build begins, and running workers are killed.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        let mut all = self.of_the_whole.iter().chain([&self.asked]);
        all.any(|asked| asked.load(Ordering::Relaxed))
    }

    /// Returns a request of its own which cancelling this one cancels too.
    #[must_use]
    pub fn part(&self) -> Self {
        let of_the_whole = self.of_the_whole.iter().chain([&self.asked]).cloned().collect();
        Self { asked: Arc::default(), of_the_whole }
    }
}
