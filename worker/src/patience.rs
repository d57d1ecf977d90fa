//! How long a worker may work: the time it waited for a processor that others had is not compared with it.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use procfs::process::Process;

/// A limit on time that a busy machine does not shorten.
pub(crate) struct Patience {
    process: u32,
    begun: Instant,
    waits_before: HashMap<i32, Duration>,
}

impl Patience {
    /// Begin to count for a process.
    pub(crate) fn begin(process: u32) -> Self {
        Self { process, begun: Instant::now(), waits_before: waits(process) }
    }

    /// Whether the process, and what it started, could have worked for so long.
    pub(crate) fn is_over(&self, limit: Duration) -> bool {
        let passed = self.begun.elapsed();
        // Asked many times a second, and the machine is seldom that busy.
        passed >= limit && passed.saturating_sub(self.waited()) >= limit
    }

    /// What the thread that waited longest for a processor has waited since.
    fn waited(&self) -> Duration {
        let since = |(thread, now): (i32, Duration)| {
            now.saturating_sub(self.waits_before.get(&thread).copied().unwrap_or_default())
        };
        waits(self.process).into_iter().map(since).max().unwrap_or_default()
    }
}

/// What each thread of a process and of its children has waited in the run queue, by the thread's number; nothing
/// where the kernel does not count it.
fn waits(process: u32) -> HashMap<i32, Duration> {
    let mut waits = HashMap::new();
    let mut processes = vec![process];
    while let Some(process) = processes.pop() {
        let tasks = i32::try_from(process)
            .ok()
            .and_then(|process| Process::new(process).ok()?.tasks().ok())
            .into_iter()
            .flatten()
            .flatten();
        for task in tasks {
            if let Ok(counted) = task.schedstat() {
                waits.insert(task.tid, Duration::from_nanos(counted.run_delay));
            }
            processes.extend(task.children().unwrap_or_default());
        }
    }
    waits
}

#[cfg(test)]
mod tests {
    use std::{hint, process, sync::PoisonError, thread};

    use super::*;
    use crate::processes::CHILDREN;

    #[test]
    fn time_without_a_processor_does_not_count() {
        const LIMIT: Duration = Duration::from_millis(400);
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let patience = Patience::begin(process::id());
        thread::scope(|scope| {
            for _ in 0..4 * processors {
                scope.spawn(|| {
                    while patience.begun.elapsed() < LIMIT {
                        hint::spin_loop();
                    }
                    let waited = patience.waited();
                    assert!(
                        waited >= LIMIT / 4,
                        "a quarter of a processor each, waited {waited:?}"
                    );
                    assert!(!patience.is_over(LIMIT));
                });
            }
        });
    }

    #[test]
    fn time_asleep_counts() {
        let _alone = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = Patience::begin(process::id());
        assert!(!patience.is_over(Duration::from_mins(1)));
        let mut sleeper = process::Command::new("sleep").arg("60").spawn().unwrap();
        let patience = Patience::begin(sleeper.id());
        thread::sleep(Duration::from_millis(200));
        assert!(patience.is_over(Duration::from_millis(100)));
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
    }
}
