//! The page on past runs: the trend of each device, and the changes with their moments and drivers.

use expectations::case_id::CaseId;
use results::{
    history::{Direction, History, PastChange, Series},
    text::{one_line, plural},
};
use serde::Serialize;
use tera::Context;

use super::{
    chart::{Trend, trend},
    layout::Layout,
    model::Site,
    names::slug,
    tally::grouped,
};
use crate::manual::PageError;

/// Number of changes of one run on the page; the history file has the others.
const LISTED: usize = 200;

#[derive(Serialize)]
struct SeriesView {
    name: String,
    slug: String,
    chart: Option<Trend>,
    runs: Vec<RunRow>,
}

#[derive(Serialize)]
struct RunRow {
    begun: String,
    driver: String,
    is_first: bool,
    is_new_driver: bool,
    is_new_suite: bool,
    passing: String,
    deviating: String,
    unexpected: usize,
    worse: usize,
    better: usize,
    other: usize,
    changes: Vec<ChangeRow>,
    left_out: usize,
}

/// A case that changed, as pages show it.
#[derive(Serialize)]
pub(super) struct ChangeRow {
    class: char,
    sign: char,
    case: String,
    rule_path: Option<String>,
    text: String,
    device: String,
    day: String,
    driver: String,
}

pub(super) const PATH: &str = "history.html";

pub(super) fn page(
    site: &Site<'_>,
    layout: &Layout,
    history: &History,
) -> Result<String, PageError> {
    let mut context = Context::new();
    let series: Vec<SeriesView> = history.series.iter().map(|series| view(site, series)).collect();
    context.insert("series", &series);
    layout.render("history.html", PATH, "History", context)
}

fn view(site: &Site<'_>, series: &Series) -> SeriesView {
    // The newest first: that is what people look for.
    let runs = (0..series.runs.len()).rev().map(|index| run(site, series, index)).collect();
    SeriesView { name: series.name(), slug: slug(&series.name()), chart: trend(series), runs }
}

fn run(site: &Site<'_>, series: &Series, index: usize) -> RunRow {
    let run = &series.runs[index];
    let before = index.checked_sub(1).map(|before| &series.runs[before]);
    let mut changes: Vec<&PastChange> = series.changes_of(index).collect();
    changes.sort_by_key(|change| change.direction());
    let (worse, better) = series.balance(index);
    RunRow {
        begun: one_line(&run.begun.replace('T', " ").replace('Z', " UTC"), 32),
        driver: one_line(&run.driver, 100),
        is_first: before.is_none(),
        is_new_driver: before.is_some_and(|before| before.driver != run.driver),
        is_new_suite: before.is_some_and(|before| before.suite != run.suite),
        passing: grouped(run.passing()),
        deviating: grouped(run.deviating()),
        unexpected: run.unexpected,
        worse,
        better,
        other: changes.len() - worse - better,
        left_out: changes.len().saturating_sub(LISTED),
        changes: changes
            .iter()
            .take(LISTED)
            .map(|change| change_row(site, series, change))
            .collect(),
    }
}

fn change_row(site: &Site<'_>, series: &Series, change: &PastChange) -> ChangeRow {
    let (class, sign) = match change.direction() {
        Direction::Worse => ('x', '✗'),
        Direction::Better => ('p', '✓'),
        Direction::Other => ('u', '~'),
    };
    let rule = CaseId::new(&change.case).rule();
    let run = &series.runs[change.run];
    ChangeRow {
        class,
        sign,
        case: one_line(&change.case, 400),
        rule_path: site.rules.iter().find(|known| known.id == rule).map(|known| known.path.clone()),
        text: change.text(),
        device: series.name(),
        day: one_line(run.day(), 12),
        driver: one_line(&run.driver, 80),
    }
}

/// Returns the changes of a rule's cases, the newest first, and the number of changes that are not listed.
pub(super) fn of_rule(site: &Site<'_>, history: &History, rule: &str) -> (Vec<ChangeRow>, String) {
    let mut rows: Vec<(&str, ChangeRow)> = Vec::new();
    for series in &history.series {
        for change in
            series.changes.iter().filter(|change| CaseId::new(&change.case).rule() == rule)
        {
            rows.push((&series.runs[change.run].begun, change_row(site, series, change)));
        }
    }
    rows.sort_by(|a, b| b.0.cmp(a.0));
    let left_out = match rows.len().saturating_sub(LISTED) {
        0 => String::new(),
        count => plural(count, "change"),
    };
    (rows.into_iter().take(LISTED).map(|(_, row)| row).collect(), left_out)
}

/// Returns the trend of a device that has a history.
pub(super) fn of_device(history: &History, device: &str) -> Option<Trend> {
    let series = history.series.iter().find(|series| series.device == device)?;
    trend(series)
}
