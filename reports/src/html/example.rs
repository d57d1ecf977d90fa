//! The example of a rule: a case that a device gets wrong, where there is one.

use std::cmp::Reverse;

use expectations::{dialect::Dialect, rule::Expectation, rule_name::RuleName, verdict::Verdict};
use generator::suite::Case;
use results::text::one_line;
use serde::Serialize;

use super::{
    kernel::Pair,
    model::{RunView, Site},
};
use crate::{compare::judged, manual::PageError};

/// A case with its control, for the template `example`.
#[derive(Serialize)]
pub(super) struct Example {
    expects: Verdict,
    /// Rule that the program breaks.
    breaks: Option<RuleName>,
    /// Path of the page of that rule, if it has one.
    breaks_path: Option<String>,
    pair: Pair,
    seen: Option<DeviceOutcome>,
}

/// The outcome on a device that deviates.
#[derive(Serialize)]
struct DeviceOutcome {
    device: String,
    what: String,
    path: String,
}

/// Returns the example of a rule; `None` where the suite does not have the rule.
pub(super) fn of_rule(site: &Site<'_>, rule: usize) -> Result<Option<Example>, PageError> {
    if site.rules[rule].in_suite.is_none() {
        return Ok(None);
    }
    if let Some((run, number)) = deviating(site, rule) {
        let result = run.cases().get(number);
        if let Ok(case) = site.suite.case(&result.id) {
            let seen = DeviceOutcome {
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

fn example(
    site: &Site<'_>,
    case: &Case,
    seen: Option<DeviceOutcome>,
) -> Result<Option<Example>, PageError> {
    let expectation = site.suite.expectation(case);
    let (expects, breaks) = (expectation.verdict(), expectation.breaks().cloned());
    let breaks_path = breaks.as_ref().and_then(|rule| site.path_of_rule(&rule.to_string()));
    let pair = Pair::of(site.suite, &case.id, expects)?;
    Ok(pair.map(|pair| Example { expects, breaks, breaks_path, pair, seen }))
}

/// Returns the first case of a group of deviations: an unexpected group where there is one, and of these the largest.
fn deviating<'s, 'r>(site: &'s Site<'r>, rule: usize) -> Option<(&'s RunView<'r>, usize)> {
    // The versions of a device come the oldest first.
    let groups = site.runs.iter().rev().flat_map(|run| {
        run.of_rule(rule).deviating.iter().map(move |(looks, alike)| (run, looks.state, alike))
    });
    let (run, _, alike) = groups.min_by_key(|(_, state, alike)| (*state, Reverse(alike.count)))?;
    Some((run, *alike.cases.first()?))
}

/// Returns an invalid case of the newest dialect that has one, else a valid case.
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
