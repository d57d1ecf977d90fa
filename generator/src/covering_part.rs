//! The part of the suite that is executed, or has its code generated, where nobody asks for more: both cost a driver
//! many times what its front end does.

use std::{cmp::Reverse, collections::BTreeSet};

use expectations::dialect::Dialect;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};

use crate::suite::{Case, Suite};

/// The dialects in the order in which cases are taken: first those that most devices have.
const PREFERRED: [&str; 3] = ["cl12", "cl30-generic-globals", "cl30"];

/// What a case shows of its rule: its dialect, and the value it has on each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shown {
    Dialect(Dialect),
    Value { axis: usize, value: u16 },
}

/// The ids of accepted cases of these rules (indices) that together show every dialect and every value of every axis
/// that an accepted case of the rule has, and of each rule `at_least` so many where there are: a function of the rule
/// alone, whatever else is selected.
///
/// Of cases that show equally much it takes the one that needs least of a device, in a dialect that most have, and the
/// least by a hash of the id.
pub fn covering_part(suite: &Suite, rules: &[usize], at_least: usize) -> BTreeSet<String> {
    let of_rule = |&rule: &usize| part_of_rule(suite, rule, at_least);
    rules.par_iter().flat_map_iter(of_rule).collect()
}

fn part_of_rule(suite: &Suite, rule: usize, at_least: usize) -> BTreeSet<String> {
    let mut cases: Vec<Case> = suite.accepted(rule).collect();
    cases.sort_by_cached_key(preference);
    let mut missing: FxHashSet<Shown> = cases.iter().flat_map(shown).collect();
    let mut part = BTreeSet::new();
    while !missing.is_empty() {
        let news = |case: &Case| shown(case).filter(|shown| missing.contains(shown)).count();
        // Of several the first.
        let Some(best) = cases.iter().min_by_key(|case| Reverse(news(case))) else { break };
        for shown in shown(best) {
            missing.remove(&shown);
        }
        part.insert(best.id.clone());
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
        part.insert(case.id.clone());
    }
    part
}

fn shown(case: &Case) -> impl Iterator<Item = Shown> + '_ {
    let values = case.point.iter().enumerate();
    let values = values.map(|(axis, &value)| Shown::Value { axis, value });
    [Shown::Dialect(case.dialect)].into_iter().chain(values)
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
    use std::collections::HashSet;

    use super::*;
    use expectations::rule::Expectation;

    #[test]
    fn every_dialect_and_value_that_is_accepted_is_shown() {
        let suite = Suite::embedded().unwrap();
        let rules: Vec<usize> = (0..suite.rules().len()).collect();
        let part = covering_part(&suite, &rules, 0);
        let mut accepted = suite.all_cases();
        accepted.retain(|case| *suite.expectation(case) == Expectation::Accept);
        let of = |cases: &[Case]| -> HashSet<(usize, Shown)> {
            let shown = cases.iter().flat_map(|case| shown(case).map(|shown| (case.rule, shown)));
            shown.collect()
        };
        let taken: Vec<Case> =
            accepted.iter().filter(|case| part.contains(&case.id)).cloned().collect();
        assert_eq!(taken.len(), part.len());
        assert_eq!(of(&taken), of(&accepted));
        assert!(taken.len() * 20 < accepted.len(), "{} of {}", taken.len(), accepted.len());
    }

    #[test]
    fn a_rule_has_its_part_whatever_else_is_selected() {
        let suite = Suite::embedded().unwrap();
        let two = covering_part(&suite, &[3, 40], 20);
        let each: BTreeSet<String> =
            [3, 40].iter().flat_map(|&rule| covering_part(&suite, &[rule], 20)).collect();
        assert_eq!(two, each);
        assert!(two.len() >= 40 && two.is_superset(&covering_part(&suite, &[3, 40], 0)));
    }
}
