//! Phases that the valid cases of a run reached: built, code generated, executed.

use expectations::{
    outcome::{OutcomeKind, Phase, RunKind},
    verdict::Verdict,
};
use results::{
    cases::{Brief, BriefCode, Cases},
    text::plural,
};

/// The number of valid cases by the phase they reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseCounts {
    /// Number of valid cases that the device supports.
    pub asked: usize,
    /// Number of these that the front end accepted.
    pub built: usize,
    /// Number of these for which code was generated, including executed ones.
    pub code: usize,
    /// Number of these that were executed to their end.
    pub executed: usize,
    /// Number of these for which code was requested and not generated: nothing can be launched, or the device
    /// interprets.
    pub no_code: usize,
}

impl PhaseCounts {
    /// Counts cases.
    pub fn of(cases: &Cases) -> Self {
        let mut reached = Self::default();
        for case in cases.briefs() {
            reached.count(&case);
        }
        reached
    }

    fn count(&mut self, case: &Brief) {
        let outcome = &case.outcome;
        if case.expectation != Verdict::Accept || outcome.kind == OutcomeKind::Unsupported {
            return;
        }
        let is_executed = outcome.run.is_some_and(|run| run.kind == RunKind::Completed);
        let is_accepted = outcome.kind == OutcomeKind::Accepted;
        self.asked += 1;
        self.built += usize::from(is_accepted || outcome.phase > Phase::TakeModule);
        self.code += usize::from(is_executed || outcome.code == Some(BriefCode::Generated));
        self.executed += usize::from(is_executed);
        self.no_code += usize::from(matches!(outcome.code, Some(BriefCode::NotGenerated(_))));
    }

    /// Returns a line such as `30000 valid cases: 29000 built, code generated for 2500, 800 executed`. The line is
    /// empty where no code was requested and nothing was executed.
    pub fn text(&self) -> String {
        let Self { asked, built, code, executed, no_code } = *self;
        if code == 0 && no_code == 0 {
            return String::new();
        }
        let no_code = match no_code {
            0 => String::new(),
            count => format!("; no code for {}", plural(count, "case")),
        };
        format!(
            "{}: {built} built, code generated for {code}, {executed} executed{no_code}",
            plural(asked, "valid case")
        )
    }
}

#[cfg(test)]
mod tests {
    use expectations::{
        judge::{Finding, FindingKind, Reason},
        outcome::{CodeState, Outcome, Run},
        rule::Expectation,
    };

    use super::*;
    use results::line::CaseResult;

    #[test]
    fn cases_are_counted_by_how_far_they_got() {
        let finding = Finding { kind: FindingKind::Pass, reason: Reason::AsExpected };
        let accepted = || Outcome::new(OutcomeKind::Accepted);
        let outcomes = [
            accepted(),
            Outcome { code: Some(Box::new(CodeState::Generated)), ..accepted() },
            Outcome {
                code: Some(Box::new(CodeState::NotGenerated("a pipe".to_owned()))),
                ..accepted()
            },
            Outcome { run: Some(Box::new(Run::new(RunKind::Completed, ""))), ..accepted() },
            Outcome { run: Some(Box::new(Run::new(RunKind::BuildsOnly, ""))), ..accepted() },
            Outcome { phase: Phase::GenerateCode, ..Outcome::new(OutcomeKind::Crashed) },
            Outcome::new(OutcomeKind::Rejected),
            Outcome::new(OutcomeKind::Unsupported),
        ];
        let results = outcomes.into_iter().enumerate().map(|(index, outcome)| {
            let id = format!("a/b/cl12/x={index}");
            CaseResult::new(
                &id,
                expectations::dialect::Dialect::from_name("cl12").unwrap(),
                &Expectation::Accept,
                outcome,
                finding,
            )
        });
        let reached = PhaseCounts::of(&Cases::new(results.collect()));
        let expected = PhaseCounts { asked: 7, built: 6, code: 2, executed: 1, no_code: 1 };
        assert_eq!(reached, expected);
        assert_eq!(
            reached.text(),
            "7 valid cases: 6 built, code generated for 2, 1 executed; no code for 1 case"
        );
        assert_eq!(PhaseCounts::of(&Cases::new(Vec::new())).text(), "");
    }
}
