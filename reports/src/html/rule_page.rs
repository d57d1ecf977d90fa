//! A rule's page: what it requires and where that stands, what each device says, an example, every case.

use std::collections::BTreeMap;

use expectations::{
    case_id::CaseId,
    judge::FindingKind,
    outcome::OutcomeKind,
    rule::{Expectation, Rule},
};
use generator::suite::Case;
use serde::Serialize;
use tera::Context;

use super::{
    history_page,
    index_page::dialect_names,
    kernel::{Guilty, KernelView, Program},
    layout::{Layout, embedded_json},
    model::{RunModel, Site},
    tally::{Cell, State},
};
use crate::{
    manual::PageError,
    text::{one_line, plural},
};

/// Cases of one group that are listed in the page itself; the table of all cases has the others.
const LISTED: usize = 100;

/// Points in the table of all cases: beyond, a page takes long to open. Rules of the suite have far fewer.
const ROWS: usize = 20_000;

#[derive(Serialize)]
struct DeviceRow {
    name: String,
    path: String,
    slug: String,
    all: Cell,
    cells: Vec<Cell>,
}

/// Deviations of a rule that look alike and have the same reason, on whatever devices.
#[derive(Serialize)]
struct Deviating {
    class: char,
    sign: char,
    text: String,
    reason: Option<String>,
    devices: Vec<DeviatingDevice>,
}

#[derive(Serialize)]
struct DeviatingDevice {
    name: String,
    path: String,
    count: String,
    cases: Vec<CaseLink>,
    left_out: usize,
}

#[derive(Serialize)]
struct CaseLink {
    id: String,
    page: Option<String>,
}

#[derive(Serialize)]
struct DisputedRow {
    name: String,
    accepted: usize,
    rejected: usize,
    other: usize,
}

pub(super) fn page(site: &Site<'_>, layout: &Layout, rule: usize) -> Result<String, PageError> {
    let model = &site.rules[rule];
    let mut context = Context::new();
    context.insert("id", &model.id);
    context.insert("statement", &model.statement);
    context.insert("dialects", &dialect_names(site));
    let rows = site.runs.iter().map(|run| {
        let tallies: Vec<_> =
            site.shown_dialects.iter().map(|&dialect| run.tallies[rule][dialect]).collect();
        DeviceRow {
            name: run.name.clone(),
            path: run.path(),
            slug: run.slug.clone(),
            all: Cell::over(&tallies),
            cells: tallies.iter().map(Cell::of).collect(),
        }
    });
    context.insert("devices", &rows.collect::<Vec<_>>());
    context.insert("deviating", &deviating(site, rule));
    context.insert("disputed", &disputed(site, rule));
    context.insert("cases", &embedded_json(&cases(site, rule)));
    if let Some(history) = site.history {
        let (changes, left_out) = history_page::of_rule(site, history, &model.id);
        context.insert("changes", &changes);
        context.insert("changes_left_out", &left_out);
    }
    let known = model.in_suite.map(|index| &site.suite.rules()[index]);
    context.insert("known", &known.is_some());
    if let Some(known) = known {
        context.insert("clauses", &site.copies.cited(known));
        context.insert("covers", &known.covers);
        context.insert("axes", &known.axes);
        context.insert("notes", &known.notes.as_deref().map(str::trim));
        context.insert("one_sided", &known.one_sided);
        context.insert("readings", &readings(known));
        context.insert("source", &known.path);
        let (rejected, control) = examples(site, rule)?;
        context.insert("rejected", &rejected);
        context.insert("control", &control);
        context.insert("breaks", &rejected.as_ref().and_then(|view| breaks(site, &view.id)));
    }
    layout.render("rule.html", &model.path, &model.id, context)
}

#[derive(Serialize)]
struct ReadingView {
    verdict: &'static str,
    anchor: String,
    because: String,
}

fn readings(rule: &Rule) -> Vec<ReadingView> {
    let disputed = rule.expect.iter().find_map(|(_, expectation)| match expectation {
        Expectation::Disputed { readings } => Some(readings),
        _ => None,
    });
    let readings = disputed.into_iter().flatten();
    readings
        .map(|reading| ReadingView {
            verdict: reading.verdict,
            anchor: reading.anchor.clone(),
            because: reading.because.clone(),
        })
        .collect()
}

fn breaks(site: &Site<'_>, id: &str) -> Option<String> {
    let case = site.suite.case(id).ok()?;
    match site.suite.expectation(&case) {
        Expectation::Reject { breaks } => Some(breaks.clone()),
        _ => None,
    }
}

/// A case to reject of the newest dialect that has one, and its control; else a case to accept.
fn examples(
    site: &Site<'_>,
    rule: usize,
) -> Result<(Option<KernelView>, Option<KernelView>), PageError> {
    let Some(index) = site.rules[rule].in_suite else { return Ok((None, None)) };
    let cases = site.suite.cases(&[index], &expectations::dialect::Dialect::ALL);
    let newest = |wanted: fn(&Expectation) -> bool| -> Option<&Case> {
        // Of one dialect's cases the first in order.
        let fitting = cases.iter().filter(|case| wanted(site.suite.expectation(case)));
        fitting.max_by(|a, b| a.dialect.cmp(&b.dialect).then_with(|| b.id.cmp(&a.id)))
    };
    let Some(rejected) = newest(|expectation| matches!(expectation, Expectation::Reject { .. }))
    else {
        let accepted = newest(|expectation| *expectation == Expectation::Accept);
        let accepted = accepted.map(|case| Program::of(site.suite, case)).transpose()?;
        return Ok((None, accepted.map(|program| program.view(Guilty::Unmarked, None))));
    };
    let rejected = Program::of(site.suite, rejected)?;
    let control = match rejected.control.as_deref() {
        Some(control) => Program::find(site.suite, control)?,
        None => None,
    };
    let view = rejected.view(Guilty::Marked, control.as_ref());
    Ok((Some(view), control.map(|control| control.view(Guilty::Unmarked, Some(&rejected)))))
}

/// What devices get wrong of a rule, alike findings together.
fn deviating(site: &Site<'_>, rule: usize) -> Vec<Deviating> {
    let mut groups: BTreeMap<(State, Option<&str>, String), Vec<DeviatingDevice>> = BTreeMap::new();
    for run in &site.runs {
        let mut of_run: BTreeMap<(State, Option<&str>, String), Vec<usize>> = BTreeMap::new();
        for &index in run.cases_of(rule) {
            let (place, finding) = (run.places[index], run.cases()[index].finding);
            if matches!(place.state, State::Unexpected | State::Known) {
                let reason = place.entry.map(|entry| run.deviations()[entry].reason.as_str());
                let text = format!("{}: {}", finding.kind.name(), finding.reason.text());
                of_run.entry((place.state, reason, text)).or_default().push(index);
            }
        }
        for (key, cases) in of_run {
            groups.entry(key).or_default().push(deviating_device(run, rule, &cases));
        }
    }
    groups
        .into_iter()
        .map(|((state, reason, text), devices)| Deviating {
            class: state.class(),
            sign: state.sign(),
            text,
            reason: reason.map(str::to_owned),
            devices,
        })
        .collect()
}

fn deviating_device(run: &RunModel<'_>, rule: usize, cases: &[usize]) -> DeviatingDevice {
    let has_page = |case: usize| {
        let mut groups = run.groups.iter().filter(|group| group.rule == rule);
        groups.any(|group| group.cases[..group.pages].contains(&case))
    };
    let link = |&case: &usize| CaseLink {
        id: one_line(&run.cases()[case].id, 400),
        page: has_page(case).then(|| run.finding_path(case)),
    };
    DeviatingDevice {
        name: run.name.clone(),
        path: run.path(),
        count: plural(cases.len(), "case"),
        left_out: cases.len().saturating_sub(LISTED),
        cases: cases.iter().take(LISTED).map(link).collect(),
    }
}

/// How devices read the cases whose text is disputed.
fn disputed(site: &Site<'_>, rule: usize) -> Vec<DisputedRow> {
    let rows = site.runs.iter().map(|run| {
        let mut row = DisputedRow { name: run.name.clone(), accepted: 0, rejected: 0, other: 0 };
        for &index in run.cases_of(rule) {
            let case = &run.cases()[index];
            if case.expectation != "disputed" {
                continue;
            }
            *match case.outcome.kind {
                OutcomeKind::Accepted => &mut row.accepted,
                OutcomeKind::Rejected => &mut row.rejected,
                _ => &mut row.other,
            } += 1;
        }
        row
    });
    rows.filter(|row| row.accepted + row.rejected + row.other > 0).collect()
}

/// Every case of the rule, compact: a row is a point, its expectation in each dialect, and, for each device, its
/// finding in each dialect. Capitals are findings that the baseline explains.
fn cases(site: &Site<'_>, rule: usize) -> serde_json::Value {
    let dialects = dialect_names(site);
    let mut rows: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    let columns = site.runs.len() + 1;
    for (column, run) in site.runs.iter().enumerate() {
        for &index in run.cases_of(rule) {
            let (case, place) = (&run.cases()[index], run.places[index]);
            let Some(dialect) = site.shown_dialects.iter().position(|&at| at == place.dialect)
            else {
                continue;
            };
            let id = CaseId::new(&case.id);
            let (written, point) = (id.dialect(), id.point());
            // A dialect nobody knows belongs to the name, so that the id can be put together again.
            let point = match dialects[dialect] {
                "other" => one_line(&format!("{written}/{point}"), 400),
                _ => one_line(point, 400),
            };
            let row =
                rows.entry(point).or_insert_with(|| vec![vec![b'.'; dialects.len()]; columns]);
            row[0][dialect] = case.expectation.bytes().next().unwrap_or(b'.');
            let letter = match case.finding.kind {
                FindingKind::Flaky => b'y',
                kind => kind.name().bytes().next().unwrap_or(b'.'),
            };
            row[column + 1][dialect] =
                if place.entry.is_some() { letter.to_ascii_uppercase() } else { letter };
        }
    }
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    let left_out = rows.len().saturating_sub(ROWS);
    let mut rows: Vec<_> = rows.into_iter().collect();
    // Where not all have room, those that deviate come first.
    if left_out > 0 {
        let deviates = |columns: &[Vec<u8>]| {
            columns[1..].iter().flatten().any(|letter| b"ftciyFTCIY".contains(letter))
        };
        rows.sort_by_key(|(_, columns)| !deviates(columns));
        rows.truncate(ROWS);
    }
    let rows: Vec<_> = rows
        .iter()
        .map(|(point, columns)| {
            let mut row = vec![point.clone()];
            row.extend(columns.iter().map(text));
            row
        })
        .collect();
    serde_json::json!({
        "rule": site.rules[rule].id,
        "dialects": dialects,
        "devices": site.runs.iter().map(|run| &run.name).collect::<Vec<_>>(),
        "leftOut": left_out,
        "rows": rows,
    })
}
