//! Messages between a worker and the process that starts it: one JSON value per line.

use std::{path::PathBuf, time::Duration};

use expectations::{outcome::Phase, probe::plan::RunAnswer};
use serde::{Deserialize, Serialize};

use crate::{
    builder::{BuildAnswer, BuildRequest, OpenError},
    capabilities::Capabilities,
    target::Target,
};

/// From the runner.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Request {
    /// The first request: open this device.
    Open {
        /// Device to open and its environment.
        setup: Setup,
        /// The worker's folder, which it takes along when the runner dies.
        scratch: PathBuf,
    },
    /// The first request to a zygote, in place of the others: open this device, build this program, and be forked.
    Zygote {
        /// Device to open and its environment.
        setup: Setup,
        /// A program that every device builds.
        first: BuildRequest,
        /// Number of threads that the driver may have besides the calling one.
        idle_threads: usize,
        /// Folder of the worker, as above.
        scratch: PathBuf,
    },
    /// Build a program.
    Build(BuildRequest),
}

/// Request to a zygote, sent with the far ends of a worker's standard streams: fork a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Fork {
    /// Folder of the forked worker.
    pub(crate) scratch: PathBuf,
    /// Environment variables that differ from those of the zygote.
    pub(crate) environment: Vec<(String, String)>,
}

/// From a zygote.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ZygoteReply {
    /// The process can be forked.
    Ready,
    /// The process cannot be forked.
    Unfit {
        /// Reason why it cannot be forked.
        reason: String,
    },
    /// A worker is there.
    Forked {
        /// The number of its process.
        process: u32,
    },
}

/// Settings of a worker, which it needs before it loads a driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Setup {
    /// Device to open.
    pub target: Target,
    /// Bytes of data the worker and what it starts may have.
    pub memory_limit: Option<u64>,
}

/// Settings of a process that is forked for each worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ZygoteSetup {
    /// Environment variables besides those of every worker; they make the driver open the device on a single thread.
    pub environment: Vec<(String, String)>,
    /// Threads of the driver that sleep by then, and that workers can do without.
    pub idle_threads: usize,
}

/// From the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reply {
    /// The device is open.
    Opened(Box<Capabilities>),
    /// The device could not be opened; the worker ends.
    NotOpened(OpenError),
    /// A phase after the first begins.
    Began(Phase),
    /// A probe was executed, or could not be; there is one reply for each requested probe, in order.
    Ran(RunAnswer),
    /// A program was built, or not; comes last.
    Built {
        answer: BuildAnswer,
        /// Processor time that it took, with its probes.
        processor_time: Duration,
    },
}
