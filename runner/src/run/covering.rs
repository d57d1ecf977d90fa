//! What a run of the usual depth takes further: a function of the rules alone, so that the parts of a run do with each
//! case what the whole of it does.

use std::collections::{BTreeSet, HashSet};

use expectations::case_id::CaseId;
use generator::{covering_part::covering_part, suite::Suite};
use rayon::prelude::*;

use crate::findings::judging::Prepared;

/// Cases of a rule that are executed where nobody asks for more, as far as the rule has so many.
pub const EXECUTED_OF_A_RULE: usize = 12;

/// Mark those of the cases that are taken further, and those that rejections are held against.
pub(super) fn mark(suite: &Suite, prepared: &mut [Prepared<'_>]) {
    let names: HashSet<&str> = prepared.iter().map(|case| CaseId::new(&case.id).rule()).collect();
    let all = suite.rules().iter().enumerate();
    let rules = all.filter(|(_, rule)| names.contains(rule.id.as_str()));
    let (executed, built): (Vec<_>, Vec<_>) = rules.partition(|(_, rule)| rule.probe.is_some());
    let executed: Vec<usize> = executed.into_iter().map(|(index, _)| index).collect();
    let built: Vec<usize> = built.into_iter().map(|(index, _)| index).collect();
    let mut part = covering_part(suite, &executed, EXECUTED_OF_A_RULE);
    part.append(&mut covering_part(suite, &built, 0));
    let controls: BTreeSet<String> =
        executed.par_iter().flat_map_iter(|&rule| suite.controls(rule)).collect();
    for case in prepared {
        case.in_covering_part = part.contains(&case.id);
        case.is_control = controls.contains(&case.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use generator::suite::Case;

    use crate::engine::{Depth, Until};

    #[test]
    fn a_part_does_with_each_case_what_the_whole_does() {
        let suite = Suite::embedded().unwrap();
        let of_rule = |case: &&Case| CaseId::new(&case.id).rule() == "codegen/built-in-names";
        let cases: Vec<Case> = suite.all_cases().iter().filter(of_rule).cloned().collect();
        let prepared = |cases: &[Case]| -> Vec<Prepared<'_>> {
            let cases = cases.iter().cloned();
            let mut prepared: Vec<_> =
                cases.map(|case| Prepared::new(&suite, case, true).unwrap()).collect();
            mark(&suite, &mut prepared);
            prepared
        };
        let until = |case: &Prepared<'_>| (case.id.clone(), case.job(Depth::Covering).until);
        let whole: BTreeSet<_> = prepared(&cases).iter().map(until).collect();
        let parts = (0..4).flat_map(|part| {
            let of_part: Vec<_> = cases.iter().skip(part).step_by(4).cloned().collect();
            prepared(&of_part).iter().map(until).collect::<Vec<_>>()
        });
        assert_eq!(whole, parts.collect());
        for kind in [Until::FrontEnd, Until::OthersStandForIt, Until::Execution] {
            assert!(whole.iter().any(|(_, until)| *until == kind), "{kind:?}");
        }
    }
}
