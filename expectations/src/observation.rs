//! Observations: what the commands of causes' issues printed, with the version and the day.

use serde::Deserialize;

use crate::load::{FileError, from_toml};

/// Where they lie.
pub const OBSERVATIONS_PATH: &str = "expectations/observations.toml";

/// What the commands of an issue printed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The cause.
    pub cause: String,
    /// The device it was seen in.
    pub device: String,
    /// What the device said of its version.
    pub version: String,
    /// The day: `2026-11-26`.
    pub date: String,
    /// What was printed, without what differs from run to run.
    pub output: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawObservations {
    #[serde(default)]
    observation: Vec<Observation>,
}

/// Reads a file of observations.
pub fn load_observations(path: &str, text: &str) -> Result<Vec<Observation>, FileError> {
    from_toml(path, text).map(|RawObservations { observation }| observation)
}
