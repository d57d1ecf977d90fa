//! The part of the suite that is executed, or has its code generated, at the default depth: both cost a driver many
//! times as much as its front end.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
};

use expectations::dialect::Dialect;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};

use crate::suite::{Case, Suite};

/// The dialects in the order in which cases are taken: first those that most devices have.
const PREFERRED: [&str; 3] = ["cl12", "cl30-generic-globals", "cl30"];

/// The coverage that a case gives its rule: its dialect, its value on each axis, and its values on axes that go
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum CoverageItem {
    Dialect(Dialect),
    Value { axis: usize, value: u16 },
    Values { axes: [usize; 2], values: [u16; 2] },
}

/// Returns the ids of accepted cases of these rules (indices) that `is_possible` and that together cover what the
/// possible cases of each rule cover: every dialect, every value of every axis, and every pair of values of axes that
/// go together. Each rule has at least `at_least` cases where there are that many. The result depends only on the rules
/// and on which cases are possible, not on the rest of the selection.
///
/// Among cases that cover equally much, the one with the fewest requirements is chosen, then the one in the dialect
/// that most devices have, then the one with the least hash of the id.
pub fn covering_part(
    suite: &Suite,
    rules: &[usize],
    at_least: usize,
    is_possible: impl Fn(&Case) -> bool + Sync,
) -> BTreeSet<String> {
    let of_rule = |&rule: &usize| part_of_rule(suite, rule, at_least, &is_possible);
    rules.par_iter().flat_map_iter(of_rule).collect()
}

/// Returns the ids of accepted cases of these rules (indices) that `is_possible`: for each combination of values of a
/// rule one case among those in dialects of a language with the generic address space, and one among those without. The
/// dialects get equal shares, by the least hash of the id. The result depends only on the rules and on which cases are
/// possible.
pub fn one_dialect_part(
    suite: &Suite,
    rules: &[usize],
    is_possible: impl Fn(&Case) -> bool + Sync,
) -> BTreeSet<String> {
    let of_rule = |&rule: &usize| {
        let mut cases: Vec<Case> = suite.accepted(rule).filter(|case| is_possible(case)).collect();
        cases.sort_by_cached_key(|case| hash(&case.id));
        let mut seen = FxHashSet::default();
        cases.retain(|case| {
            let Dialect { language, generic, version: _, program_scope_globals: _ } = case.dialect;
            seen.insert((case.point.clone(), language, generic))
        });
        cases.into_iter().map(|case| case.id)
    };
    rules.par_iter().flat_map_iter(of_rule).collect()
}

fn part_of_rule(
    suite: &Suite,
    rule: usize,
    at_least: usize,
    is_possible: impl Fn(&Case) -> bool,
) -> BTreeSet<String> {
    let together = suite.rules()[rule].together.as_slice();
    let mut cases: Vec<Case> = suite.accepted(rule).collect();
    cases.sort_by_cached_key(preference);
    let mut missing: FxHashSet<CoverageItem> =
        cases.iter().flat_map(|case| shown(case, together)).collect();
    let mut part = BTreeSet::new();
    let news = |case: &Case, missing: &FxHashSet<_>| {
        shown(case, together).filter(|shown| missing.contains(shown)).count()
    };
    // Of several with as much news the first.
    let with_place = |(place, case)| (news(case, &missing), Reverse(place));
    let mut queue: BinaryHeap<_> = cases.iter().enumerate().map(with_place).collect();
    while let Some((before, Reverse(place))) = queue.pop()
        && before > 0
    {
        let case = &cases[place];
        // A case never has more news than before, so one that has as many is the best.
        let now = news(case, &missing);
        if now < before {
            queue.push((now, Reverse(place)));
            continue;
        }
        // Asked of few: the answer may need the case's probe.
        if is_possible(case) {
            for shown in shown(case, together) {
                missing.remove(&shown);
            }
            part.insert(case.id.clone());
        }
    }
    if part.len() >= at_least {
        return part;
    }
    // Any of the others, so that all dialects and values have their share.
    cases.sort_by_cached_key(|case| hash(&case.id));
    for case in &cases {
        if part.len() >= at_least {
            break;
        }
        if !part.contains(&case.id) && is_possible(case) {
            part.insert(case.id.clone());
        }
    }
    part
}

fn shown<'c>(
    case: &'c Case,
    together: &'c [[usize; 2]],
) -> impl Iterator<Item = CoverageItem> + 'c {
    let values = case.point.iter().enumerate();
    let values = values.map(|(axis, &value)| CoverageItem::Value { axis, value });
    let pairs = together.iter().map(|&axes| {
        let values = axes.map(|axis| case.point[axis]);
        CoverageItem::Values { axes, values }
    });
    [CoverageItem::Dialect(case.dialect)].into_iter().chain(values).chain(pairs)
}

fn preference(case: &Case) -> (usize, usize, [u8; 32]) {
    let place = PREFERRED.iter().position(|name| *name == case.dialect.name());
    (case.requirements.len(), place.unwrap_or(PREFERRED.len()), hash(&case.id))
}

fn hash(id: &str) -> [u8; 32] {
    Sha256::digest(id.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use expectations::{dialect::Version, rule::Expectation};

    #[test]
    fn every_dialect_and_value_that_is_accepted_is_shown() {
        let suite = Suite::embedded().unwrap();
        let rules: Vec<usize> = (0..suite.rules().len()).collect();
        let part = covering_part(&suite, &rules, 0, |_| true);
        let mut accepted = suite.all_cases();
        accepted.retain(|case| *suite.expectation(case) == Expectation::Accept);
        let of = |cases: &[Case]| -> HashSet<(usize, CoverageItem)> {
            let shown = cases.iter().flat_map(|case| {
                let together = suite.rules()[case.rule].together.as_slice();
                shown(case, together).map(|shown| (case.rule, shown))
            });
            shown.collect()
        };
        let taken: Vec<Case> =
            accepted.iter().filter(|case| part.contains(&case.id)).cloned().collect();
        assert_eq!(taken.len(), part.len());
        assert_eq!(of(&taken), of(&accepted));
        assert!(taken.len() * 20 < accepted.len(), "{} of {}", taken.len(), accepted.len());
    }

    #[test]
    fn each_combination_is_shown_in_one_possible_dialect() {
        let suite = Suite::embedded().unwrap();
        let rules: Vec<usize> = (0..suite.rules().len()).collect();
        let is_possible = |case: &Case| case.dialect.version != Version::V3_1;
        let part = one_dialect_part(&suite, &rules, is_possible);
        let combination = |case: &Case| {
            (case.rule, case.point.clone(), case.dialect.language, case.dialect.generic)
        };
        let mut possible: Vec<Case> = rules.iter().flat_map(|&rule| suite.accepted(rule)).collect();
        possible.retain(is_possible);
        let expected: HashSet<_> = possible.iter().map(combination).collect();
        possible.retain(|case| part.contains(&case.id));
        let taken: HashSet<_> = possible.iter().map(combination).collect();
        assert_eq!((possible.len(), taken.len()), (part.len(), part.len()));
        assert_eq!(taken, expected);
        let dialects: HashSet<Dialect> = possible.iter().map(|case| case.dialect).collect();
        let all: HashSet<Dialect> =
            Dialect::ALL.into_iter().filter(|dialect| dialect.version != Version::V3_1).collect();
        assert_eq!(dialects, all);
    }

    /// Number of accepted cases of a rule in one dialect from which on covering each value is too little.
    const MANY: usize = 100;

    #[test]
    fn rules_of_many_executed_cases_name_axes_that_go_together() {
        let suite = Suite::embedded().unwrap();
        let has_many = |&rule: &usize| {
            let mut by_dialect: HashMap<Dialect, usize> = HashMap::new();
            for case in suite.accepted(rule) {
                *by_dialect.entry(case.dialect).or_default() += 1;
            }
            by_dialect.values().any(|&cases| cases > MANY)
        };
        let executed = (0..suite.rules().len()).filter(|&rule| suite.rules()[rule].probe.is_some());
        let many: Vec<usize> = executed.filter(has_many).collect();
        assert!(many.len() > 10, "{many:?}");
        let without = many.iter().map(|&rule| &suite.rules()[rule]);
        let without: Vec<&str> =
            without.filter(|rule| rule.together.is_empty()).map(|rule| rule.id.as_str()).collect();
        assert!(without.is_empty(), "{without:?}");
    }

    #[test]
    fn what_is_possible_is_shown_by_possible_cases() {
        let suite = Suite::embedded().unwrap();
        let rules: Vec<usize> = (0..suite.rules().len()).collect();
        let is_possible =
            |case: &Case| case.dialect.name() == "cl12" && case.requirements.is_empty();
        let part = covering_part(&suite, &rules, 12, is_possible);
        let mut possible: Vec<Case> = rules.iter().flat_map(|&rule| suite.accepted(rule)).collect();
        possible.retain(is_possible);
        let of = |cases: &mut dyn Iterator<Item = &Case>| -> HashSet<(usize, CoverageItem)> {
            cases
                .flat_map(|case| {
                    let together = suite.rules()[case.rule].together.as_slice();
                    shown(case, together).map(|shown| (case.rule, shown))
                })
                .collect()
        };
        let mut taken = possible.iter().filter(|case| part.contains(&case.id));
        assert_eq!(of(&mut taken), of(&mut possible.iter()));
        let ids: HashSet<&str> = possible.iter().map(|case| case.id.as_str()).collect();
        assert!(part.iter().all(|id| ids.contains(id.as_str())));
    }

    #[test]
    fn a_rule_has_its_part_whatever_else_is_selected() {
        let suite = Suite::embedded().unwrap();
        let two = covering_part(&suite, &[3, 40], 20, |_| true);
        let each: BTreeSet<String> =
            [3, 40].iter().flat_map(|&rule| covering_part(&suite, &[rule], 20, |_| true)).collect();
        assert_eq!(two, each);
        assert!(two.len() >= 40 && two.is_superset(&covering_part(&suite, &[3, 40], 0, |_| true)));
    }
}
