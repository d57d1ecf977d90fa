//! Covering part of a run of the usual depth, which is taken further. It depends only on the rules and on what the
//! device can run, and therefore each part of a run treats a case as the whole run does.

use std::collections::{BTreeSet, HashSet};

use expectations::case_id::CaseId;
use generator::{
    covering_part::{covering_part, one_dialect_part},
    suite::{Case, Suite},
};
use rayon::prelude::*;

use crate::{engine::Depth, findings::judging::Part};

/// Number of cases of a rule that are executed at the default depth, if the rule has that many.
pub const EXECUTED_OF_A_RULE: usize = 12;

/// The part that each case of some rules has.
pub(super) struct Parts {
    covering: BTreeSet<String>,
    controls: BTreeSet<String>,
}

impl Parts {
    /// Chooses among the rules of these cases for a run of that depth; `is_possible` selects the cases that may be taken
    /// further for others.
    pub(super) fn new<'c>(
        suite: &Suite,
        depth: Depth,
        ids: impl Iterator<Item = &'c str>,
        is_possible: impl Fn(&Case) -> bool + Sync,
    ) -> Self {
        let names: HashSet<&str> = ids.map(|id| CaseId::new(id).rule()).collect();
        let all = suite.rules().iter().enumerate();
        let rules = all.filter(|(_, rule)| names.contains(rule.id.as_str()));
        if depth == Depth::OneDialect {
            let rules: Vec<usize> = rules.map(|(index, _)| index).collect();
            let covering = one_dialect_part(suite, &rules, is_possible);
            return Self { covering, controls: BTreeSet::new() };
        }
        let (executed, built): (Vec<_>, Vec<_>) = rules.partition(|(_, rule)| rule.probe.is_some());
        let executed: Vec<usize> = executed.into_iter().map(|(index, _)| index).collect();
        let built: Vec<usize> = built.into_iter().map(|(index, _)| index).collect();
        let mut covering = covering_part(suite, &executed, EXECUTED_OF_A_RULE, is_possible);
        covering.append(&mut covering_part(suite, &built, 0, |_| true));
        let controls = executed.par_iter().flat_map_iter(|&rule| suite.controls(rule)).collect();
        Self { covering, controls }
    }

    /// Returns the part of a case.
    pub(super) fn of(&self, id: &str) -> Part {
        Part { is_covering: self.covering.contains(id), is_control: self.controls.contains(id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::{engine::Until, findings::judging::until};

    fn check(depth: Depth, expected: &[Until]) {
        let suite = Suite::embedded().unwrap();
        let of_rule = |case: &&Case| CaseId::new(&case.id).rule() == "codegen/built-in-names";
        let cases: Vec<Case> = suite.all_cases().iter().filter(of_rule).cloned().collect();
        let taken = |cases: &[Case]| -> BTreeSet<(String, Until)> {
            let ids = cases.iter().map(|case| case.id.as_str());
            let parts = Parts::new(&suite, depth, ids, |_| true);
            let until = |case: &Case| {
                let expectation = suite.expectation(case);
                until(expectation, suite.has_probe(case), parts.of(&case.id), depth)
            };
            cases.iter().map(|case| (case.id.clone(), until(case))).collect()
        };
        let whole = taken(&cases);
        let parts = (0..4).flat_map(|part| {
            let of_part: Vec<_> = cases.iter().skip(part).step_by(4).cloned().collect();
            taken(&of_part)
        });
        assert_eq!(whole, parts.collect());
        let found: BTreeSet<Until> = whole.into_iter().map(|(_, until)| until).collect();
        assert_eq!(found, expected.iter().copied().collect(), "{depth:?}");
    }

    #[test]
    fn a_part_does_with_each_case_what_the_whole_does() {
        check(Depth::Covering, &[Until::FrontEnd, Until::OthersStandForIt, Until::Execution]);
        check(Depth::OneDialect, &[Until::FrontEnd, Until::Code]);
    }
}
