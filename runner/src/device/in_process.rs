//! A device that is part of this program.

use expectations::{dialect::Dialect, outcome::Outcome, requirement::Requirement};
use worker::Capabilities;

/// A device that is part of this program: it needs no worker and no batches.
pub trait InProcess: Sync {
    /// What it reports of itself.
    fn capabilities(&self) -> Capabilities;

    /// Judge a program, written in this dialect, that needs this besides.
    fn judge(&self, dialect: Dialect, requirements: &[Requirement], source: &str) -> Outcome;
}
