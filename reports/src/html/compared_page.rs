//! The page on compared runs: fixes, regressions and unchanged deviations by cause, then the changes of cases from the
//! first run to the last.

use results::text::one_line;
use serde::Serialize;
use tera::Context;

use super::{
    cause_title::CauseTitle,
    changes::{self, Kind},
    layout::Layout,
    model::{ComparedRuns, RunView, Site},
    tally::{State, grouped},
};
use crate::{
    compare::{Comparison, compare},
    manual::PageError,
    versions::{Cause, Count, Course, Version, Versions, Why},
};

/// Number of rules that are named with a cause.
const RULES: usize = 6;

#[derive(Serialize)]
struct Column {
    name: String,
    path: String,
    version: String,
    driver: String,
}

#[derive(Serialize)]
struct Part {
    course: &'static str,
    sign: char,
    class: char,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    course: String,
    cause: Option<CauseTitle>,
    why: String,
    rules: Vec<RuleLink>,
    left_out: usize,
    example: String,
    example_path: Option<String>,
    cells: Vec<CountCell>,
}

#[derive(Serialize)]
struct RuleLink {
    id: String,
    path: Option<String>,
}

#[derive(Serialize)]
struct CountCell {
    class: char,
    sign: char,
    text: String,
}

pub(super) fn page(
    site: &Site<'_>,
    layout: &Layout,
    compared: &ComparedRuns,
) -> Result<String, PageError> {
    let runs: Vec<&RunView<'_>> = compared.runs.iter().map(|&run| &site.runs[run]).collect();
    let versions = Versions::in_order(runs.iter().map(|run| version(run)).collect());
    let mut context = Context::new();
    context.insert("name", &compared.name);
    context.insert("columns", &columns(&runs, &versions));
    context.insert("parts", &parts(site, &runs, &versions));
    context.insert("says", &says(&versions));
    if let [old, .., new] = runs.as_slice() {
        let comparison = compare(old.run, new.run);
        context.insert("notes", &notes(&comparison));
        context.insert("same", &grouped(comparison.same));
        let kinds: Vec<Kind> = changes::kinds(site, &comparison, [old, new]);
        context.insert("kinds", &kinds);
    }
    let title = format!("{}: what changed", compared.name);
    layout.render("compared.html", &compared.path, &title, context)
}

fn notes(comparison: &Comparison<'_>) -> Vec<String> {
    comparison.notes.iter().map(|note| one_line(note, 300)).collect()
}

fn version<'r>(run: &'r RunView<'_>) -> Version<'r> {
    Version { name: &run.name, run: run.run }
}

fn columns(runs: &[&RunView<'_>], versions: &Versions<'_>) -> Vec<Column> {
    let column = |(version, run): (&Version<'_>, &&RunView<'_>)| Column {
        name: run.name.clone(),
        path: run.path(),
        version: one_line(&version.label(), 40),
        driver: one_line(version.driver(), 80),
    };
    versions.versions.iter().zip(runs).map(column).collect()
}

/// Counts the causes by course: `2 causes worse, 14 stayed`.
fn says(versions: &Versions<'_>) -> String {
    let counts = Course::ALL.into_iter().map(|course| (versions.count(course), course.text()));
    let counts = counts.filter(|(count, _)| *count > 0);
    counts.map(|(count, text)| format!("{count} {text}")).collect::<Vec<_>>().join(", ")
}

fn parts(site: &Site<'_>, runs: &[&RunView<'_>], versions: &Versions<'_>) -> Vec<Part> {
    let part = |course: Course| Part {
        course: course.text(),
        sign: course.sign(),
        class: class(course).class(),
        rows: versions
            .causes
            .iter()
            .filter(|cause| cause.course() == course)
            .map(|cause| row(site, runs, versions, cause))
            .collect(),
    };
    Course::ALL.into_iter().map(part).filter(|part| !part.rows.is_empty()).collect()
}

/// Returns the state whose colour a course has.
const fn class(course: Course) -> State {
    match course {
        Course::Worse => State::Unexpected,
        Course::Mixed | Course::PartlyMended | Course::Passing | Course::Stayed => State::Known,
        Course::Mended => State::Pass,
        Course::Alone => State::Unsupported,
    }
}

fn row(site: &Site<'_>, runs: &[&RunView<'_>], versions: &Versions<'_>, cause: &Cause) -> Row {
    let rule = |id: &String| RuleLink { id: one_line(id, 120), path: site.path_of_rule(id) };
    let shown_by = runs[cause.example_of];
    Row {
        course: versions.course_text(cause),
        cause: cause_of(shown_by, &cause.why).map(|id| CauseTitle::of(site, id)),
        why: match &cause.why {
            Why::Known(reason) => reason.clone(),
            Why::Unexplained { finding, .. } => format!("Unexpected: {}", one_line(finding, 200)),
        },
        rules: cause.rules.iter().take(RULES).map(rule).collect(),
        left_out: cause.rules.len().saturating_sub(RULES),
        example: one_line(&cause.example, 300),
        example_path: shown_by.deviation_path(&site.rules, &cause.example),
        cells: cause.counts.iter().map(|count| cell(&cause.why, count)).collect(),
    }
}

/// Returns the cause that the baseline entry with this reason names.
fn cause_of<'r>(run: &RunView<'r>, why: &Why) -> Option<&'r str> {
    let Why::Known(reason) = why else { return None };
    let entry = run.deviations().iter().find(|entry| entry.reason == *reason)?;
    entry.cause.as_deref()
}

fn cell(why: &Why, count: &Count) -> CountCell {
    let state = match (count.judged, count.deviating, why) {
        (0, ..) => State::Unsupported,
        (_, 0, _) => State::Pass,
        (_, _, Why::Known(_)) => State::Known,
        (_, _, Why::Unexplained { .. }) => State::Unexpected,
    };
    let text = match count.judged {
        0 => "not judged".to_owned(),
        judged => format!("{} of {}", grouped(count.deviating), grouped(judged)),
    };
    CountCell { class: state.class(), sign: state.sign(), text }
}
