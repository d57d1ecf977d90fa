//! What who starts a worker and the worker say to each other: one JSON value per line.

use std::path::PathBuf;

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
    /// Build a program.
    Build(BuildRequest),
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
    Built(BuildAnswer),
}
