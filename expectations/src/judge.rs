//! An outcome compared with the expectation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    outcome::{Outcome, OutcomeKind, Phase, Run, RunKind},
    rule::Expectation,
    verdict::Verdict,
};

/// The judgement on one case.
///
/// [`FindingKind::badness`] says which is worse; the order of the type is that of reports.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The outcome is as expected, for a proven reason.
    Pass,
    /// Not as expected.
    Fail,
    /// No answer in time.
    Timeout,
    /// The driver died, or ran out of memory.
    Crash,
    /// Nothing is proven: the control was rejected too, or the device gave no verdict.
    Inconclusive,
    /// The answer of the device changes: neither a pass nor the finding of the first build is certain.
    Flaky,
    /// The text is disputed: shown, not judged.
    Disputed,
    /// The device does not have what the case needs.
    Unsupported,
}

impl FindingKind {
    /// Every kind, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::Pass,
        Self::Fail,
        Self::Timeout,
        Self::Crash,
        Self::Inconclusive,
        Self::Flaky,
        Self::Disputed,
        Self::Unsupported,
    ];

    /// Returns the name in results, such as `pass` or `fail`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Inconclusive => "inconclusive",
            Self::Flaky => "flaky",
            Self::Disputed => "disputed",
            Self::Unsupported => "unsupported",
        }
    }

    /// Returns the rank of the finding, where a greater rank is worse; `None` if nothing was tried.
    ///
    /// An unproven result is as bad as a disproven one: a pass that becomes inconclusive is lost, and a failure that
    /// becomes inconclusive is not repaired.
    pub const fn badness(self) -> Option<u8> {
        match self {
            Self::Pass | Self::Disputed => Some(0),
            Self::Inconclusive | Self::Flaky | Self::Fail => Some(1),
            Self::Timeout => Some(2),
            Self::Crash => Some(3),
            Self::Unsupported => None,
        }
    }

    /// Whether a run with such a finding, unexpected, is not green.
    pub const fn needs_explanation(self) -> bool {
        match self {
            Self::Pass | Self::Disputed | Self::Unsupported => false,
            Self::Fail | Self::Timeout | Self::Crash | Self::Inconclusive | Self::Flaky => true,
        }
    }
}

/// Reason of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Outcome and expectation agree.
    AsExpected,
    /// An invalid program was accepted.
    AcceptsInvalid,
    /// A valid program was rejected.
    RejectsValid,
    /// The program is rejected, but with no error on the guilty line.
    WrongPlace,
    /// Rejected for another rule than the one broken.
    WrongRule,
    /// Built, but the kernel could not be created or run.
    FailsLater,
    /// Built and run, but the result is wrong.
    WrongValue,
    /// Built, but the emitted module breaks a law of address spaces.
    LoweredWrong,
    /// Rejected, but so was the control: nothing is proven.
    ControlRejected,
    /// Rejected without an error about it by a device that names the lines of others: nothing is proven.
    Silent,
    /// Rejected with words that are not about the program: nothing is proven.
    Unrelated,
    /// The control has no outcome of this run.
    ControlMissing,
    DriverDied,
    /// The driver ran out of memory.
    MemoryExhausted,
    /// The driver did not answer in time.
    NoAnswer,
    /// The device failed without a verdict on the program.
    NoVerdict,
    /// Tried again it answered otherwise.
    AnswersDiffer,
    /// The text has more than one reading.
    TextDisputed,
    /// The device does not have something that the case needs.
    Lacking,
    /// The device built what only running can decide, and runs nothing.
    BuildsOnly,
    /// A baseline entry says that the case hangs, and the run does not execute it at its depth.
    KnownToHang,
}

impl Reason {
    /// Returns a phrase for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::AsExpected => "as expected",
            Self::AcceptsInvalid => "accepts an invalid program",
            Self::RejectsValid => "rejects a valid program",
            Self::WrongPlace => "rejects it, but with no error on the guilty line",
            Self::WrongRule => "rejects it for another rule",
            Self::FailsLater => "builds it, but cannot use the kernel",
            Self::WrongValue => "runs it, but the result is wrong",
            Self::LoweredWrong => "accepts it, but emits a module that breaks a law",
            Self::ControlRejected => "rejects the control too",
            Self::Silent => "rejects it without an error about it, and names the lines of others",
            Self::Unrelated => "rejects it with words that are not about the program",
            Self::ControlMissing => "the control was not run",
            Self::DriverDied => "the driver died",
            Self::MemoryExhausted => "the driver ran out of memory",
            Self::NoAnswer => "no answer in time",
            Self::NoVerdict => "the device gave no verdict",
            Self::AnswersDiffer => "gives different answers",
            Self::TextDisputed => "the text has more than one reading",
            Self::Lacking => "the device does not support what it needs",
            Self::BuildsOnly => "builds only: accepted as it should be, and not executed",
            Self::KnownToHang => "not executed: a baseline entry says that it hangs",
        }
    }
}

/// Direction of a deviation, as baseline entries name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// An invalid program is accepted.
    AcceptsInvalid,
    /// A valid program is rejected.
    RejectsValid,
    /// An invalid program is rejected, with no error on the guilty line.
    WrongLine,
    /// An invalid program is rejected for another rule.
    WrongRule,
    /// A valid program is built, but its kernel cannot be created or run.
    FailsLater,
    /// A valid program is run, but the result is wrong.
    WrongValue,
    /// A valid program is accepted, but the emitted module breaks a law of address spaces.
    LoweredWrong,
    /// No answer in time.
    Timeout,
    /// The driver dies, or runs out of memory.
    Crash,
    /// The driver dies of it in some programs that it shares with other cases. Alone it is judged as any case.
    CrashWithOthers,
    /// Nothing is proven.
    Inconclusive,
    /// The answer changes from one try to the next; in one run its cases may deviate in any way, or not at all.
    Flaky,
    /// Any of the first seven: what baselines named before findings had a direction.
    Fail,
}

impl Direction {
    /// Every direction, in the order above.
    pub const ALL: [Self; 13] = [
        Self::AcceptsInvalid,
        Self::RejectsValid,
        Self::WrongLine,
        Self::WrongRule,
        Self::FailsLater,
        Self::WrongValue,
        Self::LoweredWrong,
        Self::Timeout,
        Self::Crash,
        Self::CrashWithOthers,
        Self::Inconclusive,
        Self::Flaky,
        Self::Fail,
    ];

    /// Returns the name in baselines, such as `accepts-invalid` or `rejects-valid`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AcceptsInvalid => "accepts-invalid",
            Self::RejectsValid => "rejects-valid",
            Self::WrongLine => "wrong-line",
            Self::WrongRule => "wrong-rule",
            Self::FailsLater => "fails-later",
            Self::WrongValue => "wrong-value",
            Self::LoweredWrong => "lowered-wrong",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::CrashWithOthers => "crash-with-others",
            Self::Inconclusive => "inconclusive",
            Self::Flaky => "flaky",
            Self::Fail => "fail",
        }
    }

    /// Returns a phrase for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::AcceptsInvalid => "accepts an invalid program",
            Self::RejectsValid => "rejects a valid program",
            Self::WrongLine => "rejects it, with no error on the guilty line",
            Self::WrongRule => "rejects it for another rule",
            Self::FailsLater => "builds it, but cannot use the kernel",
            Self::WrongValue => "executes it, but the result is wrong",
            Self::LoweredWrong => "accepts it, but emits a module that breaks a law",
            Self::Timeout => "no answer",
            Self::Crash => "the driver dies",
            Self::CrashWithOthers => "the driver dies of it together with other cases",
            Self::Inconclusive => "nothing is proven: the control is rejected too",
            Self::Flaky => "gives different answers",
            Self::Fail => "is wrong",
        }
    }

    /// Whether a case with this verdict can deviate in this direction.
    pub fn concerns(self, verdict: Verdict) -> bool {
        match self {
            Self::AcceptsInvalid | Self::WrongLine | Self::WrongRule | Self::Inconclusive => {
                verdict == Verdict::Reject
            }
            Self::RejectsValid | Self::FailsLater | Self::WrongValue | Self::LoweredWrong => {
                verdict == Verdict::Accept
            }
            Self::Timeout | Self::Crash | Self::CrashWithOthers | Self::Flaky | Self::Fail => true,
        }
    }

    /// Whether a finding is one of these.
    pub fn includes(self, finding: Finding) -> bool {
        match self {
            Self::Fail => finding.kind == FindingKind::Fail,
            Self::Flaky => finding.kind.needs_explanation(),
            direction => finding.direction() == Some(direction),
        }
    }
}

/// The judgement with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The judgement.
    pub kind: FindingKind,
    /// Reason of the judgement.
    pub reason: Reason,
}

impl Finding {
    /// Returns the direction in which the case deviates, if it does.
    pub const fn direction(self) -> Option<Direction> {
        Some(match (self.kind, self.reason) {
            (FindingKind::Fail, Reason::AcceptsInvalid) => Direction::AcceptsInvalid,
            (FindingKind::Fail, Reason::RejectsValid) => Direction::RejectsValid,
            (FindingKind::Fail, Reason::WrongPlace) => Direction::WrongLine,
            (FindingKind::Fail, Reason::WrongRule) => Direction::WrongRule,
            (FindingKind::Fail, Reason::WrongValue) => Direction::WrongValue,
            (FindingKind::Fail, Reason::LoweredWrong) => Direction::LoweredWrong,
            (FindingKind::Fail, _) => Direction::FailsLater,
            (FindingKind::Timeout, _) => Direction::Timeout,
            (FindingKind::Crash, _) => Direction::Crash,
            (FindingKind::Inconclusive, _) => Direction::Inconclusive,
            (FindingKind::Flaky, _) => Direction::Flaky,
            (FindingKind::Pass | FindingKind::Disputed | FindingKind::Unsupported, _) => {
                return None;
            }
        })
    }
}

/// Judges one case.
///
/// `guilty_lines` are the lines of the case on which an error has to be reported. `control` is the outcome of the
/// case's control on the same device in the same run. A rejection counts only when the front end accepted the control,
/// whatever happened to the control's code. The front end has to reject an invalid program: one that was built and has
/// no kernels was accepted.
pub fn judge(
    expectation: &Expectation,
    guilty_lines: &[u32],
    outcome: &Outcome,
    control: Option<&Outcome>,
) -> Finding {
    let finding = |kind, reason| Finding { kind, reason };
    match outcome.kind {
        OutcomeKind::Unsupported => return finding(FindingKind::Unsupported, Reason::Lacking),
        OutcomeKind::Crashed => return finding(FindingKind::Crash, Reason::DriverDied),
        OutcomeKind::OutOfMemory => return finding(FindingKind::Crash, Reason::MemoryExhausted),
        OutcomeKind::TimedOut => return finding(FindingKind::Timeout, Reason::NoAnswer),
        OutcomeKind::Failed => return finding(FindingKind::Inconclusive, Reason::NoVerdict),
        OutcomeKind::Accepted | OutcomeKind::Rejected => {}
    }
    let accepted = outcome.kind == OutcomeKind::Accepted;
    match expectation {
        Expectation::Disputed { .. } | Expectation::Reject { .. } if outcome.unrelated => {
            finding(FindingKind::Inconclusive, Reason::Unrelated)
        }
        Expectation::Disputed { .. } => finding(FindingKind::Disputed, Reason::TextDisputed),
        Expectation::Accept if accepted && !outcome.broken_laws().is_empty() => {
            finding(FindingKind::Fail, Reason::LoweredWrong)
        }
        Expectation::Accept if accepted => judge_run(outcome.run.as_deref()),
        Expectation::Accept if outcome.phase != Phase::Build => {
            finding(FindingKind::Fail, Reason::FailsLater)
        }
        Expectation::Accept => finding(FindingKind::Fail, Reason::RejectsValid),
        Expectation::Reject { .. } if accepted || outcome.phase != Phase::Build => {
            finding(FindingKind::Fail, Reason::AcceptsInvalid)
        }
        Expectation::Reject { .. } if outcome.silent => {
            finding(FindingKind::Inconclusive, Reason::Silent)
        }
        Expectation::Reject { breaks } => {
            let reason = match control.map(Outcome::passed_the_front_end) {
                None => Reason::ControlMissing,
                Some(true) => {
                    return if !outcome.rules.is_empty()
                        && outcome.rules.iter().any(|rule| *rule != **breaks)
                    {
                        finding(FindingKind::Fail, Reason::WrongRule)
                    } else if names_no_guilty_line(guilty_lines, outcome) {
                        finding(FindingKind::Fail, Reason::WrongPlace)
                    } else {
                        finding(FindingKind::Pass, Reason::AsExpected)
                    };
                }
                Some(false) => Reason::ControlRejected,
            };
            finding(FindingKind::Inconclusive, reason)
        }
    }
}

/// Judges the run of an accepted case's probe.
fn judge_run(run: Option<&Run>) -> Finding {
    let (kind, reason) = match run {
        Some(Run { kind: RunKind::BuildsOnly, .. }) => {
            (FindingKind::Unsupported, Reason::BuildsOnly)
        }
        Some(Run { kind: RunKind::Lacking, .. }) => (FindingKind::Unsupported, Reason::Lacking),
        // What was seen before a call failed is wrong all the same.
        Some(run) if run.differing > 0 => (FindingKind::Fail, Reason::WrongValue),
        Some(Run { kind: RunKind::Failed, .. }) => (FindingKind::Fail, Reason::FailsLater),
        None | Some(Run { kind: RunKind::Completed, .. }) => {
            (FindingKind::Pass, Reason::AsExpected)
        }
    };
    Finding { kind, reason }
}

fn names_no_guilty_line(guilty_lines: &[u32], outcome: &Outcome) -> bool {
    !outcome.error_lines.is_empty()
        && !outcome.error_lines.iter().any(|line| guilty_lines.contains(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(kind: OutcomeKind, error_lines: &[u32], rules: &[&str]) -> Outcome {
        Outcome {
            error_lines: error_lines.to_vec(),
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            ..Outcome::new(kind)
        }
    }

    #[test]
    fn every_combination_has_its_judgement() {
        use FindingKind as F;
        use OutcomeKind as O;
        let accept = Expectation::Accept;
        let reject = Expectation::Reject { breaks: "a/b".into() };
        let disputed = Expectation::Disputed { question: "twice".to_owned() };
        let plain = |kind| outcome(kind, &[], &[]);
        let no_code = |kind| Outcome { phase: Phase::GenerateCode, ..plain(kind) };
        for (outcome, reason) in
            [(no_code(O::Rejected), Reason::FailsLater), (no_code(O::Crashed), Reason::DriverDied)]
        {
            assert_eq!(judge(&accept, &[7], &outcome, None).reason, reason);
            // It shows that the front end takes what is valid.
            let rejected = judge(&reject, &[7], &plain(O::Rejected), Some(&outcome));
            assert_eq!(rejected, Finding { kind: F::Pass, reason: Reason::AsExpected });
        }
        for (expectation, outcome, control, kind, reason) in [
            (&accept, plain(O::Accepted), None, F::Pass, Reason::AsExpected),
            (&accept, plain(O::Rejected), None, F::Fail, Reason::RejectsValid),
            (
                &accept,
                Outcome { phase: Phase::CreateKernel, ..plain(O::Rejected) },
                None,
                F::Fail,
                Reason::FailsLater,
            ),
            (&reject, plain(O::Accepted), Some(O::Accepted), F::Fail, Reason::AcceptsInvalid),
            (&reject, plain(O::Rejected), Some(O::Accepted), F::Pass, Reason::AsExpected),
            (
                &reject,
                Outcome { silent: true, ..plain(O::Rejected) },
                Some(O::Accepted),
                F::Inconclusive,
                Reason::Silent,
            ),
            (
                &accept,
                Outcome { silent: true, ..plain(O::Rejected) },
                None,
                F::Fail,
                Reason::RejectsValid,
            ),
            (
                &reject,
                Outcome { phase: Phase::CreateKernel, ..plain(O::Rejected) },
                Some(O::Accepted),
                F::Fail,
                Reason::AcceptsInvalid,
            ),
            (
                &reject,
                Outcome { unrelated: true, ..plain(O::Rejected) },
                Some(O::Accepted),
                F::Inconclusive,
                Reason::Unrelated,
            ),
            (
                &disputed,
                Outcome { unrelated: true, ..plain(O::Rejected) },
                None,
                F::Inconclusive,
                Reason::Unrelated,
            ),
            (
                &accept,
                Outcome { unrelated: true, ..plain(O::Rejected) },
                None,
                F::Fail,
                Reason::RejectsValid,
            ),
            (
                &reject,
                plain(O::Rejected),
                Some(O::Rejected),
                F::Inconclusive,
                Reason::ControlRejected,
            ),
            (
                &reject,
                plain(O::Rejected),
                Some(O::Crashed),
                F::Inconclusive,
                Reason::ControlRejected,
            ),
            (&reject, plain(O::Rejected), None, F::Inconclusive, Reason::ControlMissing),
            (
                &reject,
                outcome(O::Rejected, &[7], &[]),
                Some(O::Accepted),
                F::Pass,
                Reason::AsExpected,
            ),
            (
                &reject,
                outcome(O::Rejected, &[6], &[]),
                Some(O::Accepted),
                F::Fail,
                Reason::WrongPlace,
            ),
            (
                &reject,
                outcome(O::Rejected, &[6, 7], &[]),
                Some(O::Accepted),
                F::Pass,
                Reason::AsExpected,
            ),
            (
                &reject,
                outcome(O::Rejected, &[7], &["a/b"]),
                Some(O::Accepted),
                F::Pass,
                Reason::AsExpected,
            ),
            (
                &reject,
                outcome(O::Rejected, &[7], &["a/c"]),
                Some(O::Accepted),
                F::Fail,
                Reason::WrongRule,
            ),
            (
                &reject,
                outcome(O::Rejected, &[7], &["a/b", "a/c"]),
                Some(O::Accepted),
                F::Fail,
                Reason::WrongRule,
            ),
            (&disputed, plain(O::Rejected), None, F::Disputed, Reason::TextDisputed),
            (&disputed, plain(O::Crashed), None, F::Crash, Reason::DriverDied),
            (&accept, plain(O::TimedOut), None, F::Timeout, Reason::NoAnswer),
            (&accept, plain(O::OutOfMemory), None, F::Crash, Reason::MemoryExhausted),
            (&accept, plain(O::Unsupported), None, F::Unsupported, Reason::Lacking),
            (&reject, plain(O::Failed), Some(O::Accepted), F::Inconclusive, Reason::NoVerdict),
        ] {
            let control = control.map(plain);
            let finding = judge(expectation, &[7], &outcome, control.as_ref());
            assert_eq!(
                finding,
                Finding { kind, reason },
                "{expectation:?} {outcome:?} {control:?}"
            );
        }
    }

    #[test]
    fn a_probe_decides_what_a_build_leaves_open() {
        use FindingKind as F;
        let run = |kind, differing| Run { differing, ..Run::new(kind, "") };
        for (run, kind, reason) in [
            (run(RunKind::Completed, 0), F::Pass, Reason::AsExpected),
            (run(RunKind::Completed, 1), F::Fail, Reason::WrongValue),
            (run(RunKind::Failed, 0), F::Fail, Reason::FailsLater),
            (run(RunKind::Failed, 2), F::Fail, Reason::WrongValue),
            (run(RunKind::BuildsOnly, 0), F::Unsupported, Reason::BuildsOnly),
            (run(RunKind::Lacking, 0), F::Unsupported, Reason::Lacking),
        ] {
            let outcome =
                |kind| Outcome { run: Some(Box::new(run.clone())), ..outcome(kind, &[], &[]) };
            let accepted = judge(&Expectation::Accept, &[], &outcome(OutcomeKind::Accepted), None);
            assert_eq!(accepted, Finding { kind, reason }, "{run:?}");
            let rejected = judge(&Expectation::Accept, &[], &outcome(OutcomeKind::Rejected), None);
            assert_eq!(rejected, Finding { kind: F::Fail, reason: Reason::RejectsValid });
            let died = judge(&Expectation::Accept, &[], &outcome(OutcomeKind::Crashed), None);
            assert_eq!(died, Finding { kind: F::Crash, reason: Reason::DriverDied });
        }
    }

    #[test]
    fn badness_agrees_with_what_needs_an_explanation() {
        for kind in FindingKind::ALL {
            let is_bad = kind.badness().is_some_and(|badness| badness > 0);
            assert_eq!(is_bad, kind.needs_explanation(), "{}", kind.name());
        }
        let worse =
            [FindingKind::Pass, FindingKind::Fail, FindingKind::Timeout, FindingKind::Crash];
        assert!(worse.is_sorted_by(|a, b| a.badness() < b.badness()));
    }
}
