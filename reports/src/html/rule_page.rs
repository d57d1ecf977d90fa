//! The page on a rule: requirement and clauses, results of each device, an example, every case.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    mem,
};

use expectations::{case_id::CaseId, judge::FindingKind, rule::Rule};
use results::{
    cases::Brief,
    text::{one_line, plural},
};
use serde::Serialize;
use tera::Context;

use super::{
    clauses, example, history_page,
    index_page::dialect_names,
    layout::{Layout, embedded_json},
    model::{First, RunView, Site, dialect_name},
    names::plain_anchor,
    questions_page::{self, DisputedRow},
    tally::Cell,
};
use crate::manual::{self, PageError};

/// Number of points in the table of all cases: a page with more takes long to open. Rules of the suite have far fewer.
const ROWS: usize = 20_000;

#[derive(Serialize)]
struct DeviceRow {
    name: String,
    path: String,
    slug: String,
    all: Cell,
    cells: Vec<Cell>,
}

/// Deviations of a rule that look alike and have the same reason, on all devices.
#[derive(Serialize)]
struct DeviationGroup {
    class: char,
    sign: char,
    text: String,
    reason: Option<String>,
    devices: Vec<DeviatingDevice>,
}

#[derive(Serialize)]
struct DeviatingDevice {
    name: String,
    path: Option<String>,
    count: String,
    cases: Vec<CaseLink>,
    left_out: usize,
}

#[derive(Serialize)]
struct CaseLink {
    id: String,
    page: String,
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
            all: Cell::over(&tallies).leading_to(run.deviations_path(&site.rules, rule)),
            cells: site.cells(run, rule),
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
        clauses::insert(&mut context, site, known);
        context.insert("covers", &known.covers);
        // A map has no order in a template.
        context.insert("axes", &known.axes.iter().collect::<Vec<_>>());
        context.insert("notes", &known.notes.as_deref().map(str::trim));
        context.insert("one_sided", &known.one_sided);
        context.insert("questions", &questions(site, known));
        context.insert("source", &known.path);
        context.insert("example", &example::of_rule(site, rule)?);
    }
    layout.render("rule.html", &model.path, &model.id, context)
}

#[derive(Serialize)]
struct QuestionLink {
    title: String,
    path: String,
}

/// Returns the open questions of a rule.
fn questions(site: &Site<'_>, rule: &Rule) -> Vec<QuestionLink> {
    let links = manual::questions(site.suite, rule).into_iter().map(|question| QuestionLink {
        title: question.title.clone(),
        path: format!("{}#{}", questions_page::PATH, question.id),
    });
    links.collect()
}

/// Returns the deviations of all devices from a rule, in groups that look alike.
fn deviating(site: &Site<'_>, rule: usize) -> Vec<DeviationGroup> {
    let mut groups: BTreeMap<_, Vec<DeviatingDevice>> = BTreeMap::new();
    for run in &site.runs {
        for (&key, cases) in &run.of_rule(rule).deviating {
            groups.entry(key).or_default().push(deviating_device(site, run, rule, cases));
        }
    }
    groups
        .into_iter()
        .map(|(looks, devices)| DeviationGroup {
            class: looks.state.class(),
            sign: looks.state.sign(),
            text: looks.text(),
            reason: looks.reason.map(str::to_owned),
            devices,
        })
        .collect()
}

fn deviating_device(
    site: &Site<'_>,
    run: &RunView<'_>,
    rule: usize,
    alike: &First,
) -> DeviatingDevice {
    let link = |&case: &usize| CaseLink {
        id: one_line(&run.cases().get(case).id, 400),
        page: run.case_path(&site.rules, rule, case),
    };
    DeviatingDevice {
        name: run.name.clone(),
        path: run.deviations_path(&site.rules, rule),
        count: plural(alike.count, "case"),
        left_out: alike.count - alike.cases.len(),
        cases: alike.cases.iter().map(link).collect(),
    }
}

/// Returns the readings of disputed cases by each device.
fn disputed(site: &Site<'_>, rule: usize) -> Vec<DisputedRow> {
    let row = |run: &RunView<'_>| DisputedRow::of(&run.name, run.of_rule(rule).disputed);
    site.runs.iter().filter_map(row).collect()
}

/// The cases of a rule and dialect in one run, in the order of their points.
struct Column<'r> {
    run: usize,
    /// Index among the dialects that tables show.
    dialect: usize,
    /// Whether the dialect is unknown.
    is_other: bool,
    cases: Box<dyn Iterator<Item = (usize, Brief)> + 'r>,
}

impl Column<'_> {
    /// Returns the next case with its name in the table: an unknown dialect is part of the name, so that the id can be
    /// put together again.
    fn next(&mut self) -> Option<(String, usize, Brief)> {
        let (index, case) = self.cases.next()?;
        let id = CaseId::new(&case.id);
        let point = if self.is_other {
            format!("{}/{}", id.dialect(), id.point())
        } else {
            id.point().to_owned()
        };
        Some((point, index, case))
    }
}

/// A point in the table of all cases.
struct PointRow {
    point: String,
    /// Whether the anchors of its cases can be read off their ids.
    has_plain_anchors: bool,
    /// Expectation in each dialect, then, for each device, the finding in each dialect.
    columns: Vec<Vec<u8>>,
}

impl PointRow {
    fn deviates(&self) -> bool {
        self.columns[1..].iter().flatten().any(|letter| b"ftciyFTCIY".contains(letter))
    }
}

/// The rows of the table, collected in order.
#[derive(Default)]
struct Rows {
    first: Vec<PointRow>,
    /// Deviating rows beyond those that have room.
    deviating: Vec<PointRow>,
    count: usize,
}

impl Rows {
    fn push(&mut self, row: PointRow) {
        self.count += 1;
        if self.first.len() < ROWS {
            self.first.push(row);
        } else if self.deviating.len() < ROWS && row.deviates() {
            self.deviating.push(row);
        }
    }

    /// Returns the rows of the table; where not all have room, those that deviate come first.
    fn into_shown(self) -> Vec<PointRow> {
        let mut rows = self.first;
        if self.count > ROWS {
            rows.extend(self.deviating);
            rows.sort_by_key(|row| !row.deviates());
            rows.truncate(ROWS);
        }
        rows
    }
}

/// Returns every case of a rule in a compact form: a row is a point, its expectation in each dialect, and, for each
/// device, its finding in each dialect. Capitals are findings that the baseline explains.
fn cases(site: &Site<'_>, rule: usize) -> serde_json::Value {
    let dialects = dialect_names(site);
    let mut columns = columns(site, rule);
    let mut heads = BinaryHeap::new();
    let mut cases: Vec<Option<(usize, Brief)>> = Vec::new();
    for (number, column) in columns.iter_mut().enumerate() {
        let next = column.next();
        cases.push(next.map(|(point, index, case)| {
            heads.push(Reverse((point, number)));
            (index, case)
        }));
    }
    let mut rows = Rows::default();
    let mut row: Option<PointRow> = None;
    while let Some(Reverse((point, number))) = heads.pop() {
        let next = columns[number].next();
        let next = next.map(|(point, index, case)| {
            heads.push(Reverse((point, number)));
            (index, case)
        });
        let Some((index, case)) = mem::replace(&mut cases[number], next) else { continue };
        let Column { run, dialect, .. } = columns[number];
        if let Some(before) = row.take_if(|row| row.point != point) {
            rows.push(before);
        }
        let PointRow { columns, has_plain_anchors, .. } = row.get_or_insert_with(|| PointRow {
            point,
            has_plain_anchors: true,
            columns: vec![vec![b'.'; dialects.len()]; site.runs.len() + 1],
        });
        *has_plain_anchors &= plain_anchor(&site.rules[rule].id, &case.id).is_some();
        columns[0][dialect] = case.expectation.name().bytes().next().unwrap_or(b'.');
        let letter = match case.finding.kind {
            FindingKind::Flaky => b'y',
            kind => kind.name().bytes().next().unwrap_or(b'.'),
        };
        let is_explained =
            case.finding.kind.needs_explanation() && site.runs[run].entry(index).is_some();
        columns[run + 1][dialect] = if is_explained { letter.to_ascii_uppercase() } else { letter };
    }
    if let Some(last) = row {
        rows.push(last);
    }
    let left_out = rows.count.saturating_sub(ROWS);
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    let shown = rows.into_shown();
    let hashed = shown.iter().enumerate().filter(|(_, row)| !row.has_plain_anchors);
    let hashed: Vec<usize> = hashed.map(|(number, _)| number).collect();
    let rows = shown.iter().map(|row| {
        let mut texts = vec![one_line(&row.point, 400)];
        texts.extend(row.columns.iter().map(text));
        texts
    });
    serde_json::json!({
        "rule": site.rules[rule].id,
        "dialects": dialects,
        "devices": site.runs.iter().map(|run| &run.name).collect::<Vec<_>>(),
        "deviations": site.runs.iter().map(|run| run.deviations_path(&site.rules, rule)).collect::<Vec<_>>(),
        "leftOut": left_out,
        "rows": rows.collect::<Vec<_>>(),
        // Rows whose cases have no anchors that can be read off their ids.
        "hashed": hashed,
    })
}

/// Returns the columns of a rule's table, one for each run and dialect.
fn columns<'s>(site: &'s Site<'_>, rule: usize) -> Vec<Column<'s>> {
    let mut columns = Vec::new();
    for (run, model) in site.runs.iter().enumerate() {
        for part in &model.of_rule(rule).parts {
            let dialect = site.shown_dialects.iter().position(|&at| at == part.dialect);
            let Some(dialect) = dialect else { continue };
            let range = part.cases.clone();
            columns.push(Column {
                run,
                dialect,
                is_other: dialect_name(part.dialect) == "other",
                cases: Box::new(range.clone().zip(model.cases().briefs_of(range))),
            });
        }
    }
    columns
}
