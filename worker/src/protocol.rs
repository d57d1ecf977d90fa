//! What who starts a worker and the worker say to each other: one JSON value per line.

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
        /// Which, and how.
        setup: Setup,
        /// The worker's folder, which it takes along when the runner dies.
        scratch: PathBuf,
    },
    /// The first request to a zygote, in place of the others: open this device, build this program, and be forked.
    Zygote {
        /// Which device, and how.
        setup: Setup,
        /// A program that every device builds.
        first: BuildRequest,
        /// Threads that the driver may have besides the one it is called on.
        idle_threads: usize,
        /// Its folder, as above.
        scratch: PathBuf,
    },
    /// Build a program.
    Build(BuildRequest),
}

/// To a zygote, with the far ends of a worker's standard streams: have a worker that goes on from here.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Fork {
    /// Its folder.
    pub(crate) scratch: PathBuf,
    /// Its variables, as far as they are not the zygote's.
    pub(crate) environment: Vec<(String, String)>,
}

/// From a zygote.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ZygoteReply {
    /// It can be forked.
    Ready,
    /// It cannot.
    Unfit {
        /// Why.
        reason: String,
    },
    /// A worker is there.
    Forked {
        /// The number of its process.
        process: u32,
    },
}

/// What a worker needs to know before it loads a driver.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Setup {
    /// What to open.
    pub target: Target,
    /// Bytes of data the worker and what it starts may have.
    pub memory_limit: Option<u64>,
}

/// How a process is started that is forked for each worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ZygoteSetup {
    /// Its variables, besides those of every worker; with them the driver opens its device on one thread.
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
    /// It could not be opened; the worker ends.
    NotOpened(OpenError),
    /// A phase after the first begins.
    Began(Phase),
    /// A probe was carried out, or not; one for each that was asked for, in order.
    Ran(RunAnswer),
    /// A program was built, or not; comes last.
    Built {
        /// The answer.
        answer: BuildAnswer,
        /// Processor time that it took, with its probes.
        processor_time: Duration,
    },
}
