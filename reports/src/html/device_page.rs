//! The page on a device: facts, deviations with their reasons, skipped cases with their reasons.

use std::collections::{BTreeMap, BTreeSet};

use expectations::baseline::{DeviationKind, Explanation};
use results::{
    line::CaseResult,
    shared_check::SharedCheck,
    text::{one_line, plural, printable},
};
use serde::Serialize;
use tera::Context;

use super::{
    block_rows,
    cause_title::CauseTitle,
    history_page,
    index_page::{card, dialect_names},
    layout::Layout,
    model::{REMARKS, Remarks, RuleLink, RunView, Site, dialect_name},
    tally::{Cell, State, Tally, grouped},
};
use crate::{laws::LawCounts, manual::PageError, reached::PhaseCounts};

/// Number of reasons that are named for a rule that could not be run.
const REASONS: usize = 6;

#[derive(Serialize)]
struct Fact {
    name: String,
    value: String,
}

#[derive(Serialize)]
struct DialectRow {
    name: &'static str,
    cell: Cell,
    run: String,
    why: Option<String>,
}

#[derive(Serialize)]
struct EntryRow {
    cause: Option<CauseTitle>,
    cases: String,
    known: String,
    kind: &'static str,
    reason: String,
    link: Option<String>,
    count: String,
    rules: Vec<RuleLink>,
    is_stale: bool,
}

#[derive(Serialize)]
struct IdleRow {
    why: Vec<String>,
    rules: Vec<RuleLink>,
}

#[derive(Serialize)]
struct SlowRow {
    id: String,
    seconds: String,
    finding: &'static str,
}

#[derive(Serialize)]
struct SpentRow {
    what: String,
    times: String,
    seconds: String,
    share: String,
}

#[derive(Serialize)]
struct MatrixRow {
    id: String,
    path: String,
    all: Cell,
    cells: Vec<Cell>,
}

pub(super) fn page(site: &Site<'_>, layout: &Layout, index: usize) -> Result<String, PageError> {
    let run = &site.runs[index];
    let results = run.run;
    let mut context = Context::new();
    context.insert("card", &card(site, run));
    context.insert("other_suite", &run.is_of_another_suite(site.suite));
    if let Some(chart) =
        site.history.and_then(|history| history_page::of_device(history, &run.run.name()))
    {
        context.insert("chart", &chart);
    }
    context.insert("facts", &facts(run));
    let dialects = dialects(site, run);
    context.insert("is_partly_run", &dialects.iter().any(|row| row.why.is_some()));
    context.insert("dialects", &dialects);
    context.insert("blocks", &block_rows::rows(site, run)?);
    let (entries, stale) = entries(site, run);
    context.insert("entries", &entries);
    context.insert("stale", &stale);
    context.insert("has_file", &run.run.device.is_some());
    context.insert("idle", &idle(site, run));
    context.insert("slow", &slow(run));
    context.insert("worker_time", &worker_time(run));
    let (remarks, remarks_left_out) = remarks(run);
    context.insert("remarks", &remarks);
    context.insert("remarks_left_out", &remarks_left_out);
    let unreproduced: Vec<Fact> = results
        .unreproduced
        .iter()
        .take(50)
        .map(|failure| Fact { name: plural(failure.cases.len(), "case"), value: failure.text() })
        .collect();
    context.insert("unreproduced", &unreproduced);
    let interactions = results.interactions.iter().take(50).map(|found| printable(&found.text()));
    context.insert("interactions", &interactions.collect::<Vec<_>>());
    context.insert("columns", &dialect_names(site));
    context.insert("rows", &matrix(site, run));
    layout.render("device.html", &run.path(), &run.name, context)
}

fn facts(run: &RunView<'_>) -> Vec<Fact> {
    let header = &run.run.header;
    let mut facts = Vec::new();
    let mut fact = |name: &str, value: &str| {
        if !value.is_empty() {
            facts.push(Fact { name: one_line(name, 60), value: one_line(value, 300) });
        }
    };
    fact("device file", run.run.device.as_ref().map_or("none", |device| device.path.as_str()));
    fact("front end", &header.front_end);
    for (name, value) in &header.identity {
        fact(name, value);
    }
    for (name, value) in &header.environment {
        fact(name, value);
    }
    for (name, value) in &header.selection {
        fact(&format!("selected by {name}"), value);
    }
    fact("depth", header.options.get("--depth").map_or("", String::as_str));
    fact("reached", &PhaseCounts::of(run.cases()).text());
    fact("modules", &LawCounts::of(run.run).text());
    fact("shard", header.shard.as_deref().unwrap_or_default());
    fact("results", &run.run.path.display().to_string());
    let check = run.run.shared_check().and_then(SharedCheck::text);
    fact("shared builds", check.as_deref().unwrap_or_default());
    if let Some(end) = &run.run.end() {
        fact("time", &format!("{:.1} s for {} cases", end.seconds, grouped(run.cases().len())));
    }
    facts
}

fn dialects(site: &Site<'_>, run: &RunView<'_>) -> Vec<DialectRow> {
    let unsupported = &run.run.header.unsupported;
    let row = |&dialect: &usize| {
        let mut tally = Tally::default();
        for tallies in &run.tallies {
            tally.add(&tallies[dialect]);
        }
        let name = dialect_name(dialect);
        DialectRow {
            name,
            run: grouped(tally.run()),
            cell: Cell::of(&tally),
            why: unsupported.get(name).map(|why| one_line(why, 300)),
        }
    };
    site.shown_dialects.iter().map(row).collect()
}

/// Returns the baseline entries with the cases that they explain, entries of one cause as one, the largest first; and
/// the entries that explain nothing here.
fn entries(site: &Site<'_>, run: &RunView<'_>) -> (Vec<EntryRow>, Vec<EntryRow>) {
    let deviations = run.deviations();
    let mut explained: BTreeMap<usize, (usize, BTreeSet<usize>)> = BTreeMap::new();
    let mut first_of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut others: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (&(entry, rule), cases) in &run.explained {
        let first = match deviations[entry].cause.as_deref() {
            Some(cause) => *first_of.entry(cause).or_insert(entry),
            None => entry,
        };
        let (count, rules) = explained.entry(first).or_default();
        *count += cases;
        rules.insert(rule);
        others.entry(first).or_default().insert(entry);
    }
    let row = |entry: usize, of_cause: &BTreeSet<usize>, count: usize, rules: &BTreeSet<usize>| {
        let deviation = &deviations[entry];
        let patterns = of_cause.iter().flat_map(|&entry| &deviations[entry].cases);
        let ways: BTreeSet<String> =
            of_cause.iter().map(|&entry| known(&deviations[entry].known)).collect();
        EntryRow {
            cause: deviation.cause.as_deref().map(|id| CauseTitle::of(site, id)),
            cases: patterns.map(String::as_str).collect::<Vec<_>>().join(", "),
            known: ways.into_iter().collect::<Vec<_>>().join("; "),
            kind: kind(deviation.kind),
            reason: deviation.reason.clone(),
            link: deviation.link.clone(),
            count: grouped(count),
            rules: rules.iter().map(|&rule| site.deviations_link(run, rule)).collect(),
            is_stale: run.stale().contains(&entry),
        }
    };
    let mut counted: Vec<_> = explained.into_iter().collect();
    counted.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let counted = counted.iter();
    let entries =
        counted.map(|(entry, (count, rules))| row(*entry, &others[entry], *count, rules)).collect();
    let stale = run.stale().into_iter();
    let stale =
        stale.map(|entry| row(entry, &BTreeSet::from([entry]), 0, &BTreeSet::new())).collect();
    (entries, stale)
}

fn known(known: &Explanation) -> String {
    match known {
        Explanation::Findings(kinds) => {
            kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
        }
        Explanation::BehavesAs(dialect) => format!("treats it as {dialect}"),
        Explanation::Shape(pattern) => format!("random programs that look like: {pattern}"),
    }
}

const fn kind(kind: DeviationKind) -> &'static str {
    match kind {
        DeviationKind::DriverBug => "driver bug",
        DeviationKind::FeatureNotSupported => "feature not supported",
        DeviationKind::DisputedReading => "another reading of the text",
        DeviationKind::Unreviewed => "not reviewed yet",
    }
}

/// Returns the rules none of whose cases could be run, by the missing feature.
fn idle(site: &Site<'_>, run: &RunView<'_>) -> Vec<IdleRow> {
    let mut rows: BTreeMap<Vec<String>, Vec<RuleLink>> = BTreeMap::new();
    for rule in 0..site.rules.len() {
        let mut sum = Tally::default();
        for tally in &run.tallies[rule] {
            sum.add(tally);
        }
        if sum.state() != State::Unsupported {
            continue;
        }
        let mut why: BTreeSet<String> = BTreeSet::new();
        for part in &run.of_rule(rule).parts {
            for case in run.cases().iter_of(part.cases.clone()) {
                why.insert(reason_unsupported(&case));
                if why.len() > REASONS {
                    why.pop_last();
                }
            }
        }
        rows.entry(why.into_iter().collect()).or_default().push(site.rule_link(rule));
    }
    rows.into_iter().map(|(why, rules)| IdleRow { why, rules }).collect()
}

fn reason_unsupported(case: &CaseResult) -> String {
    let probe = case.outcome.run.as_deref().map_or("", |run| run.detail.as_str());
    let said = [case.outcome.detail.as_str(), probe, case.finding.reason.text()];
    one_line(said.into_iter().find(|text| !text.is_empty()).unwrap_or_default(), 200)
}

/// Returns the cases with remarks of the engine, flaky ones first.
fn remarks(run: &RunView<'_>) -> (Vec<Fact>, usize) {
    let Remarks { flaky, others } = &run.remarks;
    let fact = |&case: &usize| {
        let case = run.cases().get(case);
        Fact { name: one_line(&case.id, 400), value: one_line(&case.remarks.join("; "), 300) }
    };
    let facts = flaky.cases.iter().chain(&others.cases).take(REMARKS).map(fact);
    (facts.collect(), (flaky.count + others.count).saturating_sub(REMARKS))
}

fn slow(run: &RunView<'_>) -> Vec<SlowRow> {
    let row = |&(case, seconds): &(usize, f64)| {
        let case = run.cases().get(case);
        SlowRow {
            id: one_line(&case.id, 400),
            seconds: format!("{seconds:.1}"),
            finding: case.finding.kind.name(),
        }
    };
    run.slow.iter().map(row).collect()
}

/// Returns the time of the workers by activity, and last the time without an activity.
fn worker_time(run: &RunView<'_>) -> Vec<SpentRow> {
    let Some(end) = &run.run.end() else { return Vec::new() };
    let time = &end.worker_time;
    let row = |what: &str, times: String, seconds: f64| SpentRow {
        what: what.to_owned(),
        times,
        seconds: format!("{seconds:.1}"),
        share: format!("{:.1} %", 100.0 * seconds / time.seconds.max(f64::MIN_POSITIVE)),
    };
    let told = time
        .activities
        .iter()
        .map(|spent| row(spent.activity.text(), grouped(spent.times), spent.seconds));
    let rest = (!time.is_empty()).then(|| row("anything else", String::new(), time.rest()));
    told.chain(rest).collect()
}

fn matrix(site: &Site<'_>, run: &RunView<'_>) -> Vec<MatrixRow> {
    let rules =
        site.rules.iter().enumerate().filter(|(rule, _)| !run.of_rule(*rule).parts.is_empty());
    rules
        .map(|(rule, model)| {
            let tallies: Vec<Tally> =
                site.shown_dialects.iter().map(|&dialect| run.tallies[rule][dialect]).collect();
            MatrixRow {
                id: model.id.clone(),
                path: model.path.clone(),
                all: Cell::over(&tallies).leading_to(run.deviations_path(&site.rules, rule)),
                cells: site.cells(run, rule),
            }
        })
        .collect()
}
