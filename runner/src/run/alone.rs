//! One case on one device, judged.

use expectations::{
    device::DeviceFile,
    judge::{FindingKind, Reason},
};
use generator::{
    suite::{Case, Suite},
    templates::TemplateError,
};
use results::{line::CaseResult, text::one_line};

use super::{devices, error::RunError};
use crate::{
    device::text,
    engine::{self, Depth, Event},
    findings::judging::{Judging, PreparedCase},
    interrupts,
};

/// Longer words of devices are cut.
const MOST_SAID: usize = 300;

/// Answer of a device to one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The answer that the text requires.
    Right,
    /// Another answer, in words.
    Wrong(String),
    /// No answer, for this reason.
    Unknown(String),
}

impl Answer {
    /// Returns the answer that a result holds.
    pub fn of(seen: &CaseResult) -> Self {
        match seen.finding.kind {
            FindingKind::Pass => Self::Right,
            FindingKind::Unsupported => Self::Unknown(words(seen)),
            FindingKind::Inconclusive if seen.finding.reason != Reason::ControlRejected => {
                Self::Unknown(words(seen))
            }
            _ => Self::Wrong(words(seen)),
        }
    }
}

/// Returns a case, followed by its control if it has one.
///
/// # Errors
///
/// A template cannot be rendered.
pub fn with_control(suite: &Suite, case: Case) -> Result<Vec<PreparedCase<'_>>, TemplateError> {
    let control = case.control.as_deref().and_then(|control| suite.case(control).ok());
    let all = std::iter::once(case).chain(control);
    all.map(|case| PreparedCase::new(suite, case, true)).collect()
}

/// Builds the cases on a device and returns the judged result of the first.
///
/// # Errors
///
/// The device cannot be opened, or ends without an answer.
pub fn result(cases: &[PreparedCase<'_>], device: &DeviceFile) -> Result<CaseResult, RunError> {
    let jobs: Vec<_> = cases.iter().map(|case| case.job(Depth::All)).collect();
    let mut judging = Judging::new(cases, &[]);
    let config = devices::config_of_one(device)?;
    engine::run(device, &jobs, &config, &interrupts::cancel(), &mut |event| {
        if let Event::Finished { job, record } = event {
            for settled in judging.finish(job, record) {
                judging.keep(settled.result);
            }
        }
    })?;
    let results = judging.into_results();
    let found = results.into_iter().find(|result| result.id == cases[0].id);
    found.ok_or_else(|| RunError::Usage(format!("{} gave no answer", device.name)))
}

/// Returns the reason of a finding, the first difference, and what the device printed, in one line.
fn words(seen: &CaseResult) -> String {
    let outcome = &seen.outcome;
    let log = text::telling_line(&outcome.log).unwrap_or_default();
    let detail = outcome.detail.split_once(": ").filter(|(step, _)| step.starts_with("rung "));
    let detail = detail.map_or(outcome.detail.as_str(), |(_, detail)| detail);
    let run = outcome.run.as_ref();
    let differs = run.and_then(|run| run.differences.first()).map(|difference| {
        format!("{}: {} where {} is right", difference.place, difference.seen, difference.expected)
    });
    let words = [
        Some(seen.finding.reason.text().to_owned()),
        differs,
        Some(detail.to_owned()),
        Some(log.to_owned()),
    ];
    let words = words.into_iter().flatten().filter(|word| !word.is_empty());
    one_line(&words.collect::<Vec<_>>().join(": "), MOST_SAID)
}
