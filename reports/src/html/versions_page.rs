//! The page of one device in several versions: what was mended, what got worse and what stayed, by cause.

use serde::Serialize;
use tera::Context;

use super::{
    layout::Layout,
    model::{RunModel, Site},
    names::slug,
    tally::{State, grouped},
};
use crate::{
    manual::PageError,
    text::one_line,
    versions::{Cause, Count, Course, Version, Versions, Why},
};

/// Rules that are named with a cause.
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
    why: String,
    rules: Vec<RuleLink>,
    left_out: usize,
    example: String,
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

/// Where the page of a line of versions lies.
pub(super) fn path(lineage: &str) -> String {
    format!("versions/{}.html", slug(lineage))
}

pub(super) fn page(
    site: &Site<'_>,
    layout: &Layout,
    lineage: &str,
    runs: &[usize],
) -> Result<String, PageError> {
    let runs: Vec<&RunModel<'_>> = runs.iter().map(|&run| &site.runs[run]).collect();
    let versions = Versions::of(runs.iter().map(|run| version(run)).collect());
    let mut context = Context::new();
    context.insert("name", lineage);
    context.insert("columns", &columns(&runs, &versions));
    context.insert("parts", &parts(site, &versions));
    context.insert("says", &says(&versions));
    layout.render("versions.html", &path(lineage), &format!("{lineage}: versions"), context)
}

fn version<'r>(run: &'r RunModel<'_>) -> Version<'r> {
    Version {
        name: &run.name,
        results: run.input.results,
        deviations: run.deviations(),
        explained: run.input.known.map_or(&[], |known| &known.baseline.explained),
    }
}

fn columns(runs: &[&RunModel<'_>], versions: &Versions<'_>) -> Vec<Column> {
    let column = |version: &Version<'_>| Column {
        name: version.name.to_owned(),
        path: runs
            .iter()
            .find(|run| run.name == version.name)
            .map_or_else(String::new, |run| run.path()),
        version: one_line(&version.label(), 40),
        driver: one_line(version.driver(), 80),
    };
    versions.versions.iter().map(column).collect()
}

/// `2 causes worse, 14 stayed`.
fn says(versions: &Versions<'_>) -> String {
    let counts = Course::ALL.into_iter().map(|course| (versions.count(course), course.text()));
    let counts = counts.filter(|(count, _)| *count > 0);
    counts.map(|(count, text)| format!("{count} {text}")).collect::<Vec<_>>().join(", ")
}

fn parts(site: &Site<'_>, versions: &Versions<'_>) -> Vec<Part> {
    let part = |course: Course| Part {
        course: course.text(),
        sign: course.sign(),
        class: class(course).class(),
        rows: versions
            .causes
            .iter()
            .filter(|cause| cause.course() == course)
            .map(|cause| row(site, versions, cause))
            .collect(),
    };
    Course::ALL.into_iter().map(part).filter(|part| !part.rows.is_empty()).collect()
}

/// The colour it has.
const fn class(course: Course) -> State {
    match course {
        Course::Worse => State::Unexpected,
        Course::Mixed | Course::PartlyMended | Course::Passing | Course::Stayed => State::Known,
        Course::Mended => State::Pass,
        Course::Alone => State::Unsupported,
    }
}

fn row(site: &Site<'_>, versions: &Versions<'_>, cause: &Cause) -> Row {
    let rule = |id: &String| RuleLink {
        id: one_line(id, 120),
        path: site.suite_rule(id).map(|rule| site.rules[rule].path.clone()),
    };
    Row {
        course: versions.course_text(cause),
        why: match &cause.why {
            Why::Known(reason) => reason.clone(),
            Why::Unexplained { finding, .. } => format!("Unexpected: {}", one_line(finding, 200)),
        },
        rules: cause.rules.iter().take(RULES).map(rule).collect(),
        left_out: cause.rules.len().saturating_sub(RULES),
        example: one_line(&cause.example, 300),
        cells: cause.counts.iter().map(cell).collect(),
    }
}

fn cell(count: &Count) -> CountCell {
    let state = match (count.judged, count.deviating) {
        (0, _) => State::Unsupported,
        (_, 0) => State::Pass,
        _ => State::Known,
    };
    let text = match count.judged {
        0 => "not judged".to_owned(),
        judged => format!("{} of {}", grouped(count.deviating), grouped(judged)),
    };
    CountCell { class: state.class(), sign: state.sign(), text }
}
