//! A device, and which dialects can be run on it.

use expectations::dialect::Dialect;
use worker::Capabilities;

/// A device, as the run's header and `address-spaces devices` show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Capabilities that the device reports.
    pub capabilities: Capabilities,
    /// The front end inside: devices that share one count once in votes.
    pub front_end: String,
    /// Every dialect, with the reason if it is not run.
    pub dialects: Vec<DialectSupport>,
}

/// Whether a dialect can be run on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectSupport {
    pub dialect: Dialect,
    /// Requirement that the device does not meet; `None` if the dialect is run.
    pub missing: Option<String>,
}
