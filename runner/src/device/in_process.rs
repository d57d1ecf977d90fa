//! A device that is part of this program.

use expectations::{dialect::Dialect, outcome::Outcome, requirement::Requirement};
use worker::Capabilities;

/// A device that is part of this program: it needs no worker and no batches.
pub trait InProcess: Sync {
    /// Returns the capabilities that the device reports.
    fn capabilities(&self) -> Capabilities;

    /// Judges a program in this dialect with these requirements.
    fn judge(&self, dialect: Dialect, requirements: &[Requirement], source: &str) -> Outcome;
}
