//! The example of a rule, in OpenCL C 1.2 where the rule has cases there: a case that a device gets wrong, where there
//! is one.

use std::{cmp::Reverse, collections::BTreeSet};

use expectations::{
    dialect::{Dialect, Version},
    rule::Expectation,
    rule_name::RuleName,
    verdict::Verdict,
};
use generator::suite::Case;
use results::text::one_line;
use serde::Serialize;

use super::{
    kernel::Pair,
    model::{RunView, Site, dialect_name},
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

/// Returns the example of a rule; `None` if the suite does not have the rule.
pub(super) fn of_rule(site: &Site<'_>, rule: usize) -> Result<Option<Example>, PageError> {
    let Some(index) = site.rules[rule].in_suite else { return Ok(None) };
    let cases = cases_to_show(site, index);
    let dialects: BTreeSet<Dialect> = cases.iter().map(|case| case.dialect).collect();
    if let Some((run, number)) = deviating(site, rule, &dialects) {
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
    match of_suite(site, &cases) {
        Some(case) => example(site, case, None),
        None => Ok(None),
    }
}

/// Returns the cases of a rule that may be shown: those in `OpenCL` C 1.2, which most readers know, and all where there
/// are none.
fn cases_to_show(site: &Site<'_>, rule: usize) -> Vec<Case> {
    let known: Vec<Dialect> =
        Dialect::OPENCL_C.into_iter().filter(|known| known.version == Version::V1_2).collect();
    let cases = site.suite.cases(&[rule], &known);
    if cases.is_empty() { site.suite.cases(&[rule], &Dialect::ALL) } else { cases }
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

/// Returns a case in one of these dialects from a group of deviations: an unexpected group if there is one, and of
/// these the largest.
fn deviating<'s, 'r>(
    site: &'s Site<'r>,
    rule: usize,
    dialects: &BTreeSet<Dialect>,
) -> Option<(&'s RunView<'r>, usize)> {
    // The versions of a device come the oldest first.
    let groups = site.runs.iter().rev().flat_map(|run| {
        let of_rule = run.of_rule(rule);
        let is_shown = move |case: &&usize| {
            let part = of_rule.parts.iter().find(|part| part.cases.contains(case));
            let dialect = part.and_then(|part| Dialect::from_name(dialect_name(part.dialect)));
            dialect.is_some_and(|dialect| dialects.contains(&dialect))
        };
        of_rule.deviating.iter().filter_map(move |(looks, alike)| {
            let case = *alike.cases.iter().find(is_shown)?;
            Some((run, looks.state, alike.count, case))
        })
    });
    let (run, .., case) = groups.min_by_key(|(_, state, count, _)| (*state, Reverse(*count)))?;
    Some((run, case))
}

/// Returns an invalid case of the newest dialect that has one, else a valid case.
fn of_suite<'c>(site: &Site<'_>, cases: &'c [Case]) -> Option<&'c Case> {
    let newest = |wanted: fn(&Expectation) -> bool| {
        // Of one dialect's cases the first in order.
        let fitting = cases.iter().filter(|case| wanted(site.suite.expectation(case)));
        fitting.max_by(|a, b| a.dialect.cmp(&b.dialect).then_with(|| b.id.cmp(&a.id)))
    };
    let rejected = newest(|expectation| matches!(expectation, Expectation::Reject { .. }));
    rejected.or_else(|| newest(|expectation| *expectation == Expectation::Accept))
}
