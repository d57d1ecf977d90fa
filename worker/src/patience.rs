//! Limits on the time that a worker works. Time spent waiting for a busy processor does not count.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use procfs::process::Process;

/// A limit on time that a busy machine does not shorten.
#[derive(Clone)]
pub(crate) struct Patience {
    process: u32,
    begun: Instant,
    waits_before: Waits,
    /// The last that was seen, of processes that have ended too: a compiler's steps come one after the other.
    waits: Waits,
}

/// Waiting time of threads in the run queue, by process and thread id.
type Waits = HashMap<i32, HashMap<i32, Duration>>;

impl Patience {
    /// Starts to count for a process.
    pub(crate) fn begin(process: u32) -> Self {
        let waits = waits(process);
        Self { process, begun: Instant::now(), waits_before: waits.clone(), waits }
    }

    /// Records the waiting time so far. The waiting time of a thread that ends before it was recorded counts as work.
    pub(crate) fn look(&mut self) {
        self.waits.extend(waits(self.process));
    }

    /// Whether the process, and what it started, could have worked for this long.
    pub(crate) fn is_over(&self, limit: Duration) -> bool {
        self.begun.elapsed().saturating_sub(self.waited()) >= limit
    }

    /// Returns the waiting time since the start: of each process that of the thread which waited longest, summed up. A
    /// process that starts another one mostly waits for its end.
    fn waited(&self) -> Duration {
        let before =
            |process: &i32, thread: &i32| self.waits_before.get(process)?.get(thread).copied();
        let longest = self.waits.iter().map(|(process, threads)| {
            let since = |(thread, now): (&i32, &Duration)| {
                now.saturating_sub(before(process, thread).unwrap_or_default())
            };
            threads.iter().map(since).max().unwrap_or_default()
        });
        longest.sum()
    }
}

/// Returns the waiting time of each thread of a process and its children; nothing where the kernel does not count it.
fn waits(process: u32) -> Waits {
    let mut waits = Waits::new();
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
                let waited = Duration::from_nanos(counted.run_delay);
                waits.entry(task.pid).or_default().insert(task.tid, waited);
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
                    let mut patience = patience.clone();
                    patience.look();
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

    #[test]
    fn what_ended_has_waited_too() {
        let waited = |process, thread, seconds| {
            (process, HashMap::from([(thread, Duration::from_secs(seconds))]))
        };
        let mut patience = Patience::begin(0);
        patience.begun -= Duration::from_secs(20);
        patience.waits_before = Waits::from([waited(1, 1, 100)]);
        patience.waits = Waits::from([waited(1, 1, 102), waited(2, 2, 5), waited(3, 3, 4)]);
        assert!(patience.is_over(Duration::from_secs(9)));
        assert!(!patience.is_over(Duration::from_secs(10)));
    }
}
