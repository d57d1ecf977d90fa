//! A rung of the ladder, and its result.

use expectations::judge::{FindingKind, Reason};
use results::{line::CaseResult, text::one_line};

use crate::{commands::CommandError, device::text};

/// Longer words of devices are cut.
const MOST_SAID: usize = 300;

/// A rung of the ladder: one component, alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rung {
    /// Name of the device or tool.
    pub(super) name: String,
    /// Whose fault it is when this rung is the first that fails.
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
    pub(super) fn unasked(error: &CommandError) -> Self {
        Self::NotAsked(one_line(&error.to_string(), MOST_SAID))
    }

    /// Returns the result of a device, which is one rung or several in sequence.
    pub(super) fn of(seen: &CaseResult) -> Self {
        let said = || {
            let outcome = &seen.outcome;
            let log = text::telling_line(&outcome.log).unwrap_or_default();
            let detail =
                outcome.detail.split_once(": ").filter(|(step, _)| step.starts_with("rung "));
            let detail = detail.map_or(outcome.detail.as_str(), |(_, detail)| detail);
            let run = outcome.run.as_ref();
            let differs = run.and_then(|run| run.differences.first()).map(|difference| {
                format!(
                    "{}: {} where {} is right",
                    difference.place, difference.seen, difference.expected
                )
            });
            let words = [
                Some(seen.finding.reason.text().to_owned()),
                differs,
                Some(detail.to_owned()),
                Some(log.to_owned()),
            ];
            let words = words.into_iter().flatten().filter(|word| !word.is_empty());
            one_line(&words.collect::<Vec<_>>().join(": "), MOST_SAID)
        };
        match seen.finding.kind {
            FindingKind::Pass => Self::Passed,
            FindingKind::Unsupported => Self::NotAsked(said()),
            FindingKind::Inconclusive if seen.finding.reason != Reason::ControlRejected => {
                Self::NotAsked(said())
            }
            _ => Self::Failed(said()),
        }
    }
}
