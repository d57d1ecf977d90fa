//! The protocol between the runner and a worker elsewhere: one JSON value per line.

use std::time::Duration;

use expectations::{outcome::Phase, probe::plan::RunAnswer};
use serde::{Deserialize, Serialize};

use crate::{
    builder::{BuildAnswer, BuildRequest, OpenError},
    capabilities::Capabilities,
    process::Death,
    protocol::{Setup, ZygoteSetup},
    usage::Excess,
};

/// Version of the protocol; of another version only [`Report::Hello`] is understood.
pub(crate) const PROTOCOL: u32 = 4;

/// Version of the suite: probes and plans are its own.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A message from the near side.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// Start a worker and open its device. It is the first order, and comes again for each further worker.
    Start {
        /// Variables of the worker.
        environment: Vec<(String, String)>,
        /// The device, and the worker's limits.
        setup: Setup,
        /// Bytes of the worker's standard error that are kept.
        log_limit: usize,
        /// The zygote, where workers are forked.
        zygote: Option<ZygoteSetup>,
        /// A program that the device is known to build.
        first: Option<Box<BuildRequest>>,
        /// Longest time that opening may take.
        limit: Duration,
    },
    /// Build a program.
    Build {
        /// The program.
        request: BuildRequest,
        /// Longest time that each phase may take.
        limit: Duration,
    },
    /// End the worker.
    End,
}

/// A message from the far side.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Report {
    /// The first report.
    Hello { protocol: u32, version: String },
    /// The far side is still there.
    Alive,
    /// The device is open.
    Opened {
        /// The device's description of itself.
        capabilities: Box<Capabilities>,
        /// The reason why the worker was not forked, where that was tried.
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
        answer: BuildAnswer,
        /// Answers of its probes.
        runs: Vec<RunAnswer>,
        /// Processor time of the build and its probes.
        processor_time: Duration,
        /// A limit that the worker has come near to.
        wear: Option<Excess>,
    },
    /// The worker died of the order.
    Died(Death),
}
