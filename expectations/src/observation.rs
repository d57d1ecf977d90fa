//! Observations: what the commands of causes' issues printed, with the version and the day.

use serde::Deserialize;

use crate::load::{FileError, from_toml};

/// Path of the file of observations.
pub const OBSERVATIONS_PATH: &str = "expectations/observations.toml";

/// The output of an issue's commands.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    pub cause: String,
    /// The device it was seen in.
    pub device: String,
    /// Version that the device reports.
    pub version: String,
    /// The day: `2026-11-26`.
    pub date: String,
    /// The output without the parts that differ from run to run.
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
