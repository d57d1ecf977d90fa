//! Findings that look alike: one block for what is likely one bug, however many rules, dialects and forms show it.

use std::{collections::BTreeMap, sync::LazyLock};

use expectations::{
    case_id::{CaseId, OWN_NAME},
    judge::{FindingKind, Reason},
};
use regex::Regex;
use results::{
    cases::Cases,
    line::CaseResult,
    text::{one_line, plural},
};

/// Unexpected findings that look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// Numbers of the cases, in order; at least one.
    pub cases: Vec<usize>,
    /// Number of findings of each rule.
    rules: BTreeMap<String, usize>,
    /// Number of findings in each dialect.
    dialects: BTreeMap<String, usize>,
}

/// The properties that findings of one bug share.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Looks {
    kind: FindingKind,
    reason: &'static str,
    said: String,
}

/// Gathers unexpected findings by finding, by the message of the device, and, of invalid programs that were accepted,
/// by the rule that they break; returns them in the order of their first cases.
pub fn alike(cases: &Cases, unexpected: &[usize]) -> Vec<Alike> {
    let mut places: BTreeMap<Looks, usize> = BTreeMap::new();
    let mut found: Vec<Alike> = Vec::new();
    for &index in unexpected {
        let case = cases.get(index);
        let place = *places.entry(looks(&case)).or_insert(found.len());
        if place == found.len() {
            let (rules, dialects) = (BTreeMap::new(), BTreeMap::new());
            found.push(Alike { cases: Vec::new(), rules, dialects });
        }
        let alike = &mut found[place];
        alike.cases.push(index);
        let id = CaseId::new(&case.id);
        *alike.rules.entry(id.rule().to_owned()).or_default() += 1;
        *alike.dialects.entry(id.dialect().to_owned()).or_default() += 1;
    }
    found
}

/// Number of rules and dialects that are named where there are more.
const NAMED: usize = 6;

impl Alike {
    /// Describes the other findings: `12 more look alike: conversion/implicit (9), expression/compare (4); cl12 (6),
    /// cl20 (7)`. Returns `None` if there is one finding only.
    pub fn others(&self) -> Option<String> {
        let more = self.more()?;
        Some(format!("{more}: {}; {}", named(&self.rules), self.in_dialects()))
    }

    /// Counts the other findings: `12 more look alike`. Returns `None` if there is one finding only.
    pub(crate) fn more(&self) -> Option<String> {
        let more = self.cases.len().checked_sub(2)? + 1;
        let look = if more == 1 { "looks" } else { "look" };
        Some(format!("{more} more {look} alike"))
    }

    /// Counts the findings of each dialect: `cl12 (6), cl20 (7)`.
    pub(crate) fn in_dialects(&self) -> String {
        named(&self.dialects)
    }
}

/// Returns the keys with the most cases, in falling order, and the number of other keys.
pub(crate) fn most<K>(counts: &BTreeMap<K, usize>) -> (Vec<(&K, usize)>, usize) {
    let mut most: Vec<(&K, usize)> = counts.iter().map(|(key, &count)| (key, count)).collect();
    most.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let others = most.len().saturating_sub(NAMED);
    most.truncate(NAMED);
    (most, others)
}

/// Lists the names with the most cases.
fn named(counts: &BTreeMap<String, usize>) -> String {
    let (shown, more) = most(counts);
    let shown = shown.into_iter();
    let mut shown: Vec<String> =
        shown.map(|(name, count)| format!("{} ({count})", one_line(name, 200))).collect();
    if more > 0 {
        shown.push(plural(more, "other"));
    }
    shown.join(", ")
}

fn looks(case: &CaseResult) -> Looks {
    let said = match case.finding.reason {
        Reason::AcceptsInvalid => case.breaks.as_ref().map(ToString::to_string).unwrap_or_default(),
        Reason::ControlRejected => message(case.control_log.as_deref().unwrap_or_default()),
        _ => message(case.telling_line().unwrap_or_default()),
    };
    Looks { kind: case.finding.kind, reason: case.finding.reason.text(), said }
}

/// Pattern of the names that belong to one case or its control.
static OWN_NAMES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(OWN_NAME).expect("the pattern is constant and tested"));

/// Returns the message of a line without place, quotations, numbers and names that belong to one case.
fn message(line: &str) -> String {
    let line = OWN_NAMES.replace_all(line, "Q");
    let line = line.lines().find(|line| line.contains("error")).unwrap_or(&line);
    let line = line.split_once("error: ").map_or(line, |(_, message)| message);
    let mut message = String::new();
    // Every second part is between quotes.
    for (part, text) in line.split(['\'', '`']).enumerate() {
        if part % 2 == 1 {
            message.push('Q');
            continue;
        }
        let mut was_digit = false;
        for c in text.chars() {
            let is_digit = c.is_ascii_digit();
            match (is_digit, was_digit) {
                (true, true) => {}
                (true, false) => message.push('N'),
                (false, _) => message.push(c),
            }
            was_digit = is_digit;
        }
    }
    one_line(&message, 200)
}

#[cfg(test)]
mod tests {
    use expectations::{
        judge::Finding,
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };

    use super::*;

    fn rejected(id: &str, log: &str) -> CaseResult {
        let mut outcome = Outcome::new(OutcomeKind::Rejected);
        outcome.log = log.to_owned();
        let finding = Finding { kind: FindingKind::Fail, reason: Reason::RejectsValid };
        CaseResult::new(
            id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &Expectation::Accept,
            outcome,
            finding,
        )
    }

    fn accepted(id: &str, breaks: &str) -> CaseResult {
        let finding = Finding { kind: FindingKind::Fail, reason: Reason::AcceptsInvalid };
        let outcome = Outcome::new(OutcomeKind::Accepted);
        let expectation = Expectation::Reject { breaks: breaks.into() };
        CaseResult::new(
            id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &expectation,
            outcome,
            finding,
        )
    }

    #[test]
    fn findings_of_one_bug_are_one_across_rules_dialects_and_forms() {
        let mut cases: Vec<CaseResult> = (0..13)
            .map(|number| {
                let rule = if number < 9 { "a/b" } else { "a/c" };
                let dialect = if number % 2 == 0 { "cl12" } else { "cl20" };
                let id = format!("{rule}/{dialect}/x=v{number}");
                let prefix = CaseId::new(&id).prefix();
                let log = format!(
                    "k.cl:{number}:7: error: no '{prefix}f{number}' takes {number} of 'int *'\n"
                );
                rejected(&id, &log)
            })
            .collect();
        cases.push(rejected("a/b/cl12/x=w", "k.cl:1:1: error: expected ';'"));
        cases.push(accepted("a/b/cl12/y=1", "c/d"));
        cases.push(accepted("a/e/cl12/y=1", "c/d"));
        cases.push(accepted("a/e/cl12/y=2", "c/e"));
        for (id, control) in [("a/f/cl12/x=1", "a/f/cl12/y=1"), ("a/f/cl12/x=2", "a/f/cl12/y=2")] {
            let mut case = rejected(id, "");
            case.finding.reason = Reason::ControlRejected;
            let prefix = CaseId::new(control).prefix();
            case.control_log = Some(format!("error: in function {prefix}k: no memory"));
            cases.push(case);
        }
        let unexpected: Vec<usize> = (0..cases.len()).collect();
        // Results are in the order of their ids.
        let found = alike(&Cases::new(cases), &unexpected);
        let told: Vec<(usize, Option<String>)> =
            found.iter().map(|alike| (alike.cases[0], alike.others())).collect();
        let others = |text: &str| Some(text.to_owned());
        assert_eq!(
            told,
            [
                (0, others("12 more look alike: a/b (9), a/c (4); cl12 (7), cl20 (6)")),
                (5, None),
                (6, others("1 more looks alike: a/b (1), a/e (1); cl12 (2)")),
                (16, None),
                (17, others("1 more looks alike: a/f (2); cl12 (2)")),
            ]
        );
    }

    #[test]
    fn many_names_are_counted() {
        let counts = (0..8).map(|number| (format!("a/{number}"), number)).collect();
        assert_eq!(
            named(&counts),
            "a/7 (7), a/6 (6), a/5 (5), a/4 (4), a/3 (3), a/2 (2), 2 others"
        );
    }
}
