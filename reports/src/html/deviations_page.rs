//! Deviations of one device from one rule: of findings that look alike the first in full, and every case with its own
//! anchor, so that each has a permanent address.

use std::collections::BTreeMap;

use expectations::{case_id::CaseId, verdict::Verdict};
use results::{
    line::CaseResult,
    text::{first_lines, one_line, plural, printable},
};
use serde::Serialize;
use tera::Context;

use super::{
    cause_title::CauseTitle,
    clauses,
    finding_page::{Command, commands},
    kernel::Pair,
    layout::Layout,
    model::{Looks, RunView, Site, dialect_name},
    names::anchor,
    tally::grouped,
};
use crate::{
    compare::{expected, judged},
    laws::broken_law_lines,
    manual::PageError,
    text::shell_word,
};

/// Number of cases with anchors on a page: rules of the suite have far fewer.
const ROWS: usize = 20_000;

/// Number of lines of a log; a finding's own page has more.
const LOG_LINES: usize = 12;

/// Findings that look alike.
#[derive(Serialize)]
struct Group {
    class: char,
    sign: char,
    text: String,
    count: String,
    cause: Option<CauseTitle>,
    reason: Option<String>,
    example: Example,
    points: Vec<Point>,
}

/// The first finding of a group.
#[derive(Serialize)]
struct Example {
    id: String,
    expects: Verdict,
    expected: String,
    seen: String,
    /// Laws that the module breaks, each with its object, the line of the module and what is required there.
    broken: Vec<String>,
    log: String,
    /// Programs; `None` if this suite has no such case.
    pair: Option<Pair>,
    commands: Vec<Command>,
}

/// The cases of a point, one for each dialect.
#[derive(Serialize)]
struct Point {
    name: String,
    cases: Vec<AnchoredCase>,
}

/// A case under its anchor.
#[derive(Serialize)]
struct AnchoredCase {
    anchor: String,
    dialect: String,
    /// Id, as one word of a command line.
    id: String,
    /// Path of its own page.
    page: Option<String>,
}

/// A dialect that has deviations.
#[derive(Serialize)]
struct DialectLink {
    name: &'static str,
    count: String,
    path: String,
}

pub(super) fn page(
    site: &Site<'_>,
    layout: &Layout,
    run: usize,
    rule: usize,
    path: &str,
) -> Result<String, PageError> {
    let run = &site.runs[run];
    let model = &site.rules[rule];
    let mut context = Context::new();
    let (groups, left_out) = groups(site, run, rule)?;
    context.insert("rule", &model.id);
    context.insert("rule_path", &model.path);
    context.insert("statement", &model.statement);
    context.insert("device", &run.name);
    context.insert("device_path", &run.path());
    context.insert("driver", &one_line(run.run.header.driver(), 120));
    context.insert("other_suite", &run.is_of_another_suite(site.suite));
    context.insert("dialects", &dialects(site, run, rule));
    context.insert("left_out", &left_out);
    context.insert("groups", &groups);
    if let Some(index) = model.in_suite {
        clauses::insert(&mut context, site, &site.suite.rules()[index]);
    }
    layout.render("deviations.html", path, &format!("{} on {}", model.id, run.name), context)
}

fn dialects(site: &Site<'_>, run: &RunView<'_>, rule: usize) -> Vec<DialectLink> {
    let link = |&dialect: &usize| {
        let tally = &run.tallies[rule][dialect];
        Some(DialectLink {
            name: dialect_name(dialect),
            count: grouped(tally.unexpected + tally.known),
            path: run.deviations_in(&site.rules, rule, dialect)?,
        })
    };
    site.shown_dialects.iter().filter_map(link).collect()
}

/// Returns the groups of findings that look alike, the worst first, and the number of cases without room.
fn groups(
    site: &Site<'_>,
    run: &RunView<'_>,
    rule: usize,
) -> Result<(Vec<Group>, usize), PageError> {
    let mut alike: BTreeMap<Looks<'_>, Vec<(usize, String)>> = BTreeMap::new();
    let (mut room, mut left_out) = (ROWS, 0);
    for part in &run.of_rule(rule).parts {
        for (index, case) in part.cases.clone().zip(run.cases().briefs_of(part.cases.clone())) {
            if !case.finding.kind.needs_explanation() {
                continue;
            }
            if room == 0 {
                left_out += 1;
                continue;
            }
            room -= 1;
            let looks = run.looks(run.entry(index), case.finding);
            alike.entry(looks).or_default().push((index, case.id));
        }
    }
    let groups = alike.into_iter().map(|(looks, cases)| group(site, run, rule, looks, &cases));
    Ok((groups.collect::<Result<_, _>>()?, left_out))
}

fn group(
    site: &Site<'_>,
    run: &RunView<'_>,
    rule: usize,
    looks: Looks<'_>,
    cases: &[(usize, String)],
) -> Result<Group, PageError> {
    let first = cases[0].0;
    let entry = run.entry(first).map(|entry| &run.deviations()[entry]);
    let mut points: BTreeMap<&str, Vec<AnchoredCase>> = BTreeMap::new();
    for (index, id) in cases {
        points.entry(CaseId::new(id).point()).or_default().push(AnchoredCase {
            anchor: anchor(&site.rules[rule].id, id),
            dialect: one_line(CaseId::new(id).dialect(), 40),
            id: shell_word(&one_line(id, 400)),
            page: run.finding_path(*index),
        });
    }
    let point = |(name, cases): (&str, _)| Point { name: one_line(name, 400), cases };
    Ok(Group {
        class: looks.state.class(),
        sign: looks.state.sign(),
        text: looks.text(),
        count: plural(cases.len(), "case"),
        cause: entry.and_then(|entry| Some(CauseTitle::of(site, entry.cause.as_deref()?))),
        reason: looks.reason.map(str::to_owned),
        example: example(site, run, &run.cases().get(first))?,
        points: points.into_iter().map(point).collect(),
    })
}

fn example(site: &Site<'_>, run: &RunView<'_>, case: &CaseResult) -> Result<Example, PageError> {
    let id = one_line(&case.id, 400);
    Ok(Example {
        expects: case.expectation,
        expected: expected(case),
        seen: judged(case),
        broken: case.outcome.broken_laws().iter().flat_map(broken_law_lines).collect(),
        log: printable(&first_lines(&case.outcome.log, LOG_LINES)),
        pair: Pair::of(site.suite, &case.id, case.expectation)?,
        commands: commands(&run.run.header, &id),
        id,
    })
}
