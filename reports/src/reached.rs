//! How far the cases of a run got: built, code generated, executed.

use expectations::outcome::{OutcomeKind, Phase, RunKind};

use crate::{
    cases::{Brief, BriefCode, Cases},
    text::plural,
};

/// Of the cases to accept that a device was asked for, how many got how far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Cases to accept that were not unsupported.
    pub asked: usize,
    /// Those that the front end took.
    pub built: usize,
    /// Those of which code was generated, executed ones among them.
    pub code: usize,
    /// Those that were executed to their end, and their values looked at.
    pub executed: usize,
    /// Those whose code was asked for, and could not be had: nothing can be launched, or the device interprets.
    pub no_code: usize,
}

impl Reached {
    /// Count these cases.
    pub fn of(cases: &Cases) -> Self {
        let mut reached = Self::default();
        for case in cases.briefs() {
            reached.count(&case);
        }
        reached
    }

    fn count(&mut self, case: &Brief) {
        let outcome = &case.outcome;
        if case.expectation != "accept" || outcome.kind == OutcomeKind::Unsupported {
            return;
        }
        let is_executed = outcome.run.is_some_and(|run| run.kind == RunKind::Completed);
        let is_accepted = outcome.kind == OutcomeKind::Accepted;
        self.asked += 1;
        self.built += usize::from(is_accepted || outcome.phase > Phase::Build);
        self.code += usize::from(is_executed || outcome.code == Some(BriefCode::Generated));
        self.executed += usize::from(is_executed);
        self.no_code += usize::from(matches!(outcome.code, Some(BriefCode::NotGenerated(_))));
    }

    /// `accepted cases: built 30,000, code generated 2,500, executed 800`; empty where no code was asked for and
    /// nothing executed.
    pub fn text(&self) -> String {
        let Self { asked, built, code, executed, no_code } = *self;
        if code == 0 && no_code == 0 {
            return String::new();
        }
        let no_code = match no_code {
            0 => String::new(),
            count => format!("; no code to be had of {}", plural(count, "case")),
        };
        format!(
            "of {} to accept: {built} built, code generated of {code}, {executed} executed{no_code}",
            plural(asked, "case")
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
    use crate::results::CaseResult;

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
            CaseResult::new(&id, "cl12", &Expectation::Accept, outcome, finding)
        });
        let reached = Reached::of(&Cases::new(results.collect()));
        let expected = Reached { asked: 7, built: 6, code: 2, executed: 1, no_code: 1 };
        assert_eq!(reached, expected);
        assert_eq!(
            reached.text(),
            "of 7 cases to accept: 6 built, code generated of 2, 1 executed; no code to be had of 1 case"
        );
        assert_eq!(Reached::of(&Cases::new(Vec::new())).text(), "");
    }
}
