//! The resources that a worker uses, and their limits.

use std::{collections::BTreeMap, fmt, fs, os::unix::fs::MetadataExt as _, thread};

use procfs::process::Process;
use rustix::process::{Resource as SystemLimit, getrlimit};
use serde::{Deserialize, Serialize};

use crate::processes;

/// Descriptors that a process may have open before its worker is ended: more than any driver needs.
const DESCRIPTORS: u64 = 4096;
/// Threads of a worker, and of what it started, on a machine with one processor.
const THREADS: u64 = 1024;
/// Threads that are allowed for each processor: drivers for processors start some on each.
const THREADS_PER_PROCESSOR: u64 = 16;

/// A kind of resource that a driver can use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Private data of a process.
    Memory,
    /// Shared mappings of a process, and deleted files that it holds open.
    SharedMemory,
    /// Files in the worker's temporary folder.
    ScratchFiles,
    /// Threads of the worker and of all processes below it.
    Threads,
    /// Open descriptors of a process.
    Descriptors,
}

impl Resource {
    /// Every kind.
    const ALL: [Self; 5] =
        [Self::Memory, Self::SharedMemory, Self::ScratchFiles, Self::Threads, Self::Descriptors];

    /// Whether using it up takes the machine's memory.
    pub(crate) const fn is_memory(self) -> bool {
        match self {
            Self::Memory | Self::SharedMemory | Self::ScratchFiles => true,
            Self::Threads | Self::Descriptors => false,
        }
    }

    /// Describes an amount: `3 MiB of shared memory`, `70 threads`.
    fn amount(self, amount: u64) -> String {
        let mebibytes = amount >> 20;
        match self {
            Self::Memory => format!("{mebibytes} MiB of memory"),
            Self::SharedMemory => format!("{mebibytes} MiB of shared memory"),
            Self::ScratchFiles => format!("{mebibytes} MiB of scratch files"),
            Self::Threads => format!("{amount} threads"),
            Self::Descriptors => format!("{amount} open descriptors"),
        }
    }
}

/// An amount of one resource that came near to its limit, or over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Excess {
    pub resource: Resource,
    /// The amount that was in use.
    pub used: u64,
    /// The amount that is allowed.
    pub limit: u64,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, used, limit } = *self;
        let limit = if resource.is_memory() { limit >> 20 } else { limit };
        write!(f, "{} (the limit is {limit})", resource.amount(used))
    }
}

/// An amount of each resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amounts(BTreeMap<Resource, u64>);

impl Amounts {
    pub(crate) fn get(&self, resource: Resource) -> u64 {
        self.0.get(&resource).copied().unwrap_or(0)
    }

    pub(crate) fn set(&mut self, resource: Resource, amount: u64) {
        self.0.insert(resource, amount);
    }

    /// Returns the resources that are here and limited, each with its limit.
    fn with_limits<'a>(&'a self, limits: &'a Self) -> impl Iterator<Item = Excess> {
        Resource::ALL.into_iter().filter_map(|resource| {
            let limit = *limits.0.get(&resource)?;
            Some(Excess { resource, used: self.get(resource), limit })
        })
    }

    /// Keeps the larger amount of each resource.
    fn raise(&mut self, other: &Self) {
        for (&resource, &amount) in &other.0 {
            let kept = self.0.entry(resource).or_default();
            *kept = amount.max(*kept);
        }
    }

    /// Measures a process and all below it, except for files, which have no process.
    fn of_processes(process: u32) -> Self {
        let mut amounts = Self::default();
        let below = processes::below(process).into_iter();
        let all = below.map(|pid| pid.as_raw_nonzero().get()).chain(i32::try_from(process).ok());
        for process in all.filter_map(|pid| Process::new(pid).ok()) {
            let Ok(status) = process.status() else { continue };
            let files = OpenFiles::of(process.pid);
            let shared = (status.rssshmem.unwrap_or(0) * 1024).max(files.deleted_bytes);
            let threads = amounts.get(Resource::Threads) + status.threads;
            let of_process = Self(BTreeMap::from([
                (Resource::Memory, status.vmdata.unwrap_or(0) * 1024),
                (Resource::SharedMemory, shared),
                (Resource::Threads, threads),
                (Resource::Descriptors, files.count),
            ]));
            amounts.raise(&of_process);
        }
        amounts
    }
}

/// The files that a process has open.
struct OpenFiles {
    count: u64,
    /// Bytes of those that have no name any more, as memory that processes share has none.
    deleted_bytes: u64,
}

impl OpenFiles {
    fn of(process: i32) -> Self {
        let mut files = Self { count: 0, deleted_bytes: 0 };
        let mut deleted = BTreeMap::new();
        for entry in fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten() {
            files.count += 1;
            if let Ok(file) = fs::metadata(entry.path())
                && file.is_file()
                && file.nlink() == 0
            {
                deleted.insert((file.dev(), file.ino()), file.blocks() * 512);
            }
        }
        files.deleted_bytes = deleted.values().sum();
        files
    }
}

/// The resources that a worker has used.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    limits: Amounts,
    /// Amounts once the device was open.
    at_first: Option<Amounts>,
    now: Amounts,
    peak: Amounts,
}

impl Usage {
    /// Returns the usage before any measurement, with the limits for a worker of this process with this memory in
    /// bytes.
    pub(crate) fn new(memory: Option<u64>) -> Self {
        let mut limits = Amounts::default();
        for resource in Resource::ALL {
            match resource {
                Resource::Threads => limits.set(resource, thread_limit()),
                Resource::Descriptors => limits.set(resource, descriptor_limits().0),
                _ => {
                    if let Some(bytes) = memory {
                        limits.set(resource, bytes);
                    }
                }
            }
        }
        Self { limits, ..Self::default() }
    }

    /// Measures the worker; its files take this many bytes.
    pub(crate) fn measure(&mut self, process: u32, scratch_files: u64) {
        self.now = Amounts::of_processes(process);
        self.now.set(Resource::ScratchFiles, scratch_files);
        self.peak.raise(&self.now);
        if self.at_first.is_none() {
            self.at_first = Some(self.now.clone());
        }
    }

    /// Returns a limit that the worker has passed.
    pub(crate) fn excess(&self) -> Option<Excess> {
        self.peak.with_limits(&self.limits).find(|excess| excess.used > excess.limit)
    }

    /// Returns a limit that the worker has come so near to that the next case could be charged with what others left
    /// behind.
    pub(crate) fn wear(&self) -> Option<Excess> {
        let at_first = self.at_first.as_ref()?;
        self.now.with_limits(&self.limits).find(|excess| {
            excess.used.saturating_sub(at_first.get(excess.resource)) > excess.limit / 2
        })
    }

    /// Whether the memory that is used has come so near to its limit that allocations fail.
    pub(crate) fn is_short_of_memory(&self) -> bool {
        let mut memory = self.peak.with_limits(&self.limits);
        memory.any(|it| it.resource == Resource::Memory && it.used >= it.limit - it.limit / 8)
    }
}

/// Returns how many threads a worker may have.
fn thread_limit() -> u64 {
    let processors = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    THREADS + THREADS_PER_PROCESSOR * processors
}

/// Returns how many descriptors a process of a worker may have, and the larger number that the system gives it: a
/// process above the first is ended before its driver meets the second.
pub(crate) fn descriptor_limits() -> (u64, u64) {
    let most = getrlimit(SystemLimit::Nofile).maximum.unwrap_or(u64::MAX);
    let system = most.min(DESCRIPTORS + DESCRIPTORS / 4);
    (system - system / 5, system)
}

#[cfg(test)]
mod tests {
    use std::{fs::File, os::fd::AsFd as _, process};

    use super::*;

    fn amounts(given: &[(Resource, u64)]) -> Amounts {
        Amounts(given.iter().copied().collect())
    }

    #[test]
    fn a_worker_wears_by_what_stays_and_exceeds_by_what_was() {
        use Resource::{Descriptors, Memory, Threads};
        let limits = amounts(&[(Memory, 100), (Threads, 100), (Descriptors, 100)]);
        let now = |given| Usage {
            limits: limits.clone(),
            at_first: Some(amounts(&[(Threads, 40)])),
            now: amounts(given),
            peak: amounts(&[(Descriptors, 100)]),
        };
        for (given, worn) in [
            (&[(Memory, 50), (Threads, 90), (Descriptors, 50)][..], None),
            (&[(Memory, 51)], Some(Memory)),
            (&[(Threads, 91)], Some(Threads)),
            (&[(Descriptors, 51)], Some(Descriptors)),
        ] {
            assert_eq!(now(given).wear().map(|excess| excess.resource), worn, "{given:?}");
            assert_eq!(now(given).excess(), None);
        }
        let usage = Usage { peak: amounts(&[(Threads, 101)]), ..now(&[]) };
        let excess = usage.excess().unwrap();
        assert_eq!(excess.to_string(), "101 threads (the limit is 100)");
    }

    #[test]
    fn a_process_is_measured() {
        let before = Amounts::of_processes(process::id());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, vec![1; 3 << 20]).unwrap();
        let file = File::open(&path).unwrap();
        let copies: Vec<_> = (0..50).map(|_| file.as_fd().try_clone_to_owned().unwrap()).collect();
        fs::remove_file(&path).unwrap();
        let after = Amounts::of_processes(process::id());
        let grown = |resource| after.get(resource).saturating_sub(before.get(resource));
        assert!(grown(Resource::Descriptors) >= 40, "{before:?} {after:?}");
        let shared = after.get(Resource::SharedMemory);
        assert!((3 << 20..6 << 20).contains(&shared), "counted once: {after:?}");
        assert!(after.get(Resource::Threads) >= 1 && after.get(Resource::Memory) > 0);
        drop(copies);
    }
}
