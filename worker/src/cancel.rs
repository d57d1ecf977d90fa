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
    /// Ask the run to stop: no new build is begun, running workers are killed.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        let mut all = self.of_the_whole.iter().chain([&self.asked]);
        all.any(|asked| asked.load(Ordering::Relaxed))
    }

    /// A request of its own that is also made by this one.
    #[must_use]
    pub fn part(&self) -> Self {
        let of_the_whole = self.of_the_whole.iter().chain([&self.asked]).cloned().collect();
        Self { asked: Arc::default(), of_the_whole }
    }
}
