//! Settings of the processes that drive a device.

use std::{collections::BTreeMap, num::NonZero};

use serde::Deserialize;

/// Machine and root folder in which a device's worker runs; this machine by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// A command that leads elsewhere and carries standard input and output.
    pub via: Vec<String>,
    /// The worker's program there.
    pub worker: Option<String>,
    /// The folder that is its root.
    pub root: Option<String>,
}

impl Place {
    /// Whether files of this machine, as they are named here, are none of the worker's.
    pub fn is_elsewhere(&self) -> bool {
        !self.via.is_empty() || self.root.is_some()
    }
}

/// Number of cases in the first programs of a run. The cost of each program decides how many the next ones have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FirstBatch {
    /// Number of cases in a program that is built.
    pub built: NonZero<u16>,
    /// Number of cases in a program whose kernels are launched. Their code and their execution take most of the time,
    /// and a driver may compile the whole program anew for each kernel.
    pub launched: NonZero<u16>,
}

impl Default for FirstBatch {
    fn default() -> Self {
        const { Self { built: NonZero::new(200).unwrap(), launched: NonZero::new(16).unwrap() } }
    }
}

/// A process that has opened the device and built a program, and is forked for each worker after the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zygote {
    /// Environment variables besides those of every worker; they make the driver open the device on a single thread.
    pub environment: Vec<(String, String)>,
    /// Number of the driver's idle threads that a fork leaves behind: neither builds nor launches need them.
    pub idle_threads: usize,
    /// Work that the forked workers do.
    pub work: ZygoteWork,
}

/// Work that a forked worker does; a started worker does everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZygoteWork {
    /// The same work as a started worker.
    #[default]
    Everything,
    /// Builds, and launches that only generate code; probes are executed by a started worker.
    Builds,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawZygote {
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    idle_threads: usize,
    #[serde(default)]
    work: ZygoteWork,
}

impl From<RawZygote> for Zygote {
    fn from(raw: RawZygote) -> Self {
        let RawZygote { environment, idle_threads, work } = raw;
        Self { environment: environment.into_iter().collect(), idle_threads, work }
    }
}
