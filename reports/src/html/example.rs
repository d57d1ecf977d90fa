//! The example of a rule: a case that a device gets wrong, where there is one.

use std::cmp::Reverse;

use expectations::{dialect::Dialect, rule::Expectation};
use generator::suite::Case;
use serde::Serialize;

use super::{
    kernel::Pair,
    model::{RunModel, Site},
};
use crate::{compare::judged, manual::PageError, text::one_line};

/// A case with its control, as the template `example` shows it.
#[derive(Serialize)]
pub(super) struct Example {
    expects: String,
    /// The rule it breaks.
    breaks: Option<String>,
    pair: Pair,
    seen: Option<Seen>,
}

/// What a device that gets it wrong did.
#[derive(Serialize)]
struct Seen {
    device: String,
    what: String,
    path: String,
}

/// The example of a rule; none of a rule that is none of the suite's.
pub(super) fn of_rule(site: &Site<'_>, rule: usize) -> Result<Option<Example>, PageError> {
    if site.rules[rule].in_suite.is_none() {
        return Ok(None);
    }
    if let Some((run, number)) = deviating(site, rule) {
        let result = run.cases().get(number);
        if let Ok(case) = site.suite.case(&result.id) {
            let seen = Seen {
                device: run.name.clone(),
                what: one_line(&judged(&result), 200),
                path: run.case_path(&site.rules, rule, number),
            };
            return example(site, &case, Some(seen));
        }
    }
    match of_suite(site, rule) {
        Some(case) => example(site, &case, None),
        None => Ok(None),
    }
}

fn example(site: &Site<'_>, case: &Case, seen: Option<Seen>) -> Result<Option<Example>, PageError> {
    let (expects, breaks) = match site.suite.expectation(case) {
        Expectation::Reject { breaks } => ("reject", Some(breaks.clone())),
        _ => ("accept", None),
    };
    let pair = Pair::of(site.suite, &case.id, expects)?;
    Ok(pair.map(|pair| Example { expects: expects.to_owned(), breaks, pair, seen }))
}

/// The first of the deviations that look alike: of unexpected ones where there are any, of those the many.
fn deviating<'s, 'r>(site: &'s Site<'r>, rule: usize) -> Option<(&'s RunModel<'r>, usize)> {
    // The versions of a device come the oldest first.
    let groups = site.runs.iter().rev().flat_map(|run| {
        run.of_rule(rule).deviating.iter().map(move |(looks, alike)| (run, looks.state, alike))
    });
    let (run, _, alike) = groups.min_by_key(|(_, state, alike)| (*state, Reverse(alike.count)))?;
    Some((run, *alike.cases.first()?))
}

/// A case to reject of the newest dialect that has one; else a case to accept.
fn of_suite(site: &Site<'_>, rule: usize) -> Option<Case> {
    let cases = site.suite.cases(&[site.rules[rule].in_suite?], &Dialect::ALL);
    let newest = |wanted: fn(&Expectation) -> bool| {
        // Of one dialect's cases the first in order.
        let fitting = cases.iter().filter(|case| wanted(site.suite.expectation(case)));
        fitting.max_by(|a, b| a.dialect.cmp(&b.dialect).then_with(|| b.id.cmp(&a.id)))
    };
    let rejected = newest(|expectation| matches!(expectation, Expectation::Reject { .. }));
    rejected.or_else(|| newest(|expectation| *expectation == Expectation::Accept)).cloned()
}
