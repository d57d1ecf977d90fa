//! What is said to a worker that runs elsewhere, and what it says: one JSON value per line.

use std::time::Duration;

use expectations::{outcome::Phase, probe::plan::RunAnswer};
use serde::{Deserialize, Serialize};

use crate::{
    builder::{BuildAnswer, BuildRequest, OpenError},
    capabilities::Capabilities,
    process::Death,
    protocol::{Setup, ZygoteSetup},
};

/// Version of what is said here; of another nothing is understood but [`Report::Hello`].
pub(crate) const PROTOCOL: u32 = 3;

/// Version of the suite: probes and plans are its own.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// From the near side.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// The first order, and whenever there is to be another worker: start one and open its device.
    Start {
        /// Variables of the worker.
        environment: Vec<(String, String)>,
        /// What is opened, under which limits.
        setup: Setup,
        /// Bytes of its standard error that are kept.
        log_limit: usize,
        /// How it can be forked.
        zygote: Option<ZygoteSetup>,
        /// A program that the device is known to build.
        first: Option<Box<BuildRequest>>,
        /// How long opening may take.
        limit: Duration,
    },
    /// Build a program.
    Build {
        /// Which.
        request: BuildRequest,
        /// How long each phase may take.
        limit: Duration,
    },
    /// End the worker.
    End,
}

/// From the far side.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Report {
    /// The first report.
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
        /// [`VERSION`].
        version: String,
    },
    /// It is still there.
    Alive,
    /// The device is open.
    Opened {
        /// What it says of itself.
        capabilities: Box<Capabilities>,
        /// Why the worker was not forked, where that was tried.
        unforked: Option<String>,
    },
    /// The worker was forked from one whose device is open.
    Forked,
    /// The device could not be opened.
    NotOpened(OpenError),
    /// Half of a build's limit is over.
    Slow(Phase),
    /// A program was built, or not.
    Answered {
        /// The answer.
        answer: BuildAnswer,
        /// What came of its probes.
        runs: Vec<RunAnswer>,
        /// Processor time that all of it took.
        processor_time: Duration,
        /// The worker has come near to its limit of memory.
        is_heavy: bool,
    },
    /// The worker died of it.
    Died(Death),
}
