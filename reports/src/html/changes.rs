//! Changes from one run to another as pages show them, in groups of one rule and transition.

use results::text::{one_line, plural};
use serde::Serialize;

use super::{
    model::{RunView, Site},
    tally::{State, grouped},
};
use crate::compare::{
    ChangeKind, ChangedCase, Comparison,
    groups::{self, Limits},
};

/// Numbers of groups of a kind and of cases of a group on the page; `address-spaces compare --all` has the others.
const LIMITS: Limits = Limits { groups: 200, of_a_group: 20 };

/// Changes of one kind.
#[derive(Serialize)]
pub(super) struct Kind {
    name: &'static str,
    heading: &'static str,
    sign: char,
    class: char,
    count: String,
    groups: Vec<Group>,
    left_out: usize,
}

#[derive(Serialize)]
struct Group {
    rule: String,
    rule_path: Option<String>,
    text: String,
    count: String,
    cases: Vec<Case>,
    left_out: usize,
}

#[derive(Serialize)]
struct Case {
    id: String,
    /// Path of the case in the new run, or in the old one.
    path: Option<String>,
}

/// Returns the changes of every kind between an old run and a new one.
pub(super) fn kinds(
    site: &Site<'_>,
    comparison: &Comparison<'_>,
    runs: [&RunView<'_>; 2],
) -> Vec<Kind> {
    let kind = |kind: ChangeKind| {
        let (groups, left_out) = groups::groups(comparison, kind, LIMITS);
        Kind {
            name: kind.name(),
            heading: kind.heading(),
            sign: kind.sign(),
            class: class(kind).class(),
            count: grouped(comparison.count(kind)),
            groups: groups.into_iter().map(|of| group(site, comparison, runs, of)).collect(),
            left_out,
        }
    };
    ChangeKind::ALL.into_iter().map(kind).collect()
}

const fn class(kind: ChangeKind) -> State {
    match kind {
        ChangeKind::Regression => State::Unexpected,
        ChangeKind::Fix => State::Pass,
        ChangeKind::Reason | ChangeKind::NoLongerSupported | ChangeKind::Expectation => {
            State::Known
        }
        _ => State::Unsupported,
    }
}

fn group(
    site: &Site<'_>,
    comparison: &Comparison<'_>,
    runs: [&RunView<'_>; 2],
    group: groups::Group,
) -> Group {
    let groups::Group { rule, transition, gathered } = group;
    let case = |&change| {
        let changed = comparison.changed(change);
        Case { id: one_line(changed.id(), 400), path: path(site, runs, &changed) }
    };
    Group {
        rule_path: site.path_of_rule(&rule),
        rule: one_line(&rule, 120),
        text: transition,
        count: plural(gathered.count, "case"),
        cases: gathered.first.iter().map(case).collect(),
        left_out: gathered.count - gathered.first.len(),
    }
}

/// Returns the path of the deviation of a change: the new one, or the one that is gone.
fn path(
    site: &Site<'_>,
    [old, new]: [&RunView<'_>; 2],
    changed: &ChangedCase<'_>,
) -> Option<String> {
    let sides = [(new, &changed.new), (old, &changed.old)];
    sides.into_iter().find_map(|(run, case)| {
        let case = case.as_deref()?;
        let deviates = case.finding.kind.needs_explanation();
        deviates.then(|| run.deviation_path(&site.rules, &case.id))?
    })
}
