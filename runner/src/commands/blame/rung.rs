//! A rung of the ladder, and its result.

use results::{line::CaseResult, text::one_line};

use crate::run::{alone::Answer, error::RunError};

/// Longer words of devices are cut.
const MOST_SAID: usize = 300;

/// A rung of the ladder: one component, alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rung {
    /// Name of the device or tool.
    pub(super) name: String,
    /// Component at fault if this rung is the first that fails.
    pub(super) at_fault: String,
    pub(super) came: RungResult,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RungResult {
    /// The rung behaves as the text requires.
    Passed,
    /// The rung deviates in this way.
    Failed(String),
    /// One below it failed.
    NotReached,
    /// The rung could not be tried, for this reason.
    NotAsked(String),
}

impl RungResult {
    /// Returns the result of a rung that could not be tried; the other rungs do not depend on it.
    pub(super) fn unasked(error: &RunError) -> Self {
        Self::NotAsked(one_line(&error.to_string(), MOST_SAID))
    }

    /// Returns the result of a device, which is one rung or several in sequence.
    pub(super) fn of(seen: &CaseResult) -> Self {
        match Answer::of(seen) {
            Answer::Right => Self::Passed,
            Answer::Wrong(words) => Self::Failed(words),
            Answer::Unknown(words) => Self::NotAsked(words),
        }
    }
}
