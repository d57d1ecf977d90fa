//! The page of one unexpected finding: everything somebody needs to see it again and to report it.

use expectations::outcome::Outcome;
use serde::Serialize;
use tera::Context;

use super::{
    kernel::{Guilty, kernel},
    layout::Layout,
    model::Site,
    rule_page::clauses,
};
use crate::{
    compare::{driver, expected, judged, outcome},
    manual::PageError,
    results::CaseResult,
    text::{first_lines, one_line, printable, shell_word},
};

/// Logs are shown up to here: a driver can say anything, at any length.
const LOG_LINES: usize = 200;
const LOG_CHARACTERS: usize = 40_000;

#[derive(Serialize)]
struct Command {
    what: &'static str,
    line: String,
}

pub(super) fn page(
    site: &Site<'_>,
    layout: &Layout,
    run: usize,
    index: usize,
) -> Result<String, PageError> {
    let run = &site.runs[run];
    let case = &run.cases()[index];
    let place = run.places[index];
    let header = &run.input.results.header;
    let rule = &site.rules[place.rule];
    let id = one_line(&case.id, 400);
    let mut context = Context::new();
    context.insert("id", &id);
    context.insert("id_pieces", &id.split_inclusive(['/', ',']).collect::<Vec<_>>());
    context.insert("expects", &case.expectation);
    context.insert("kind", case.finding.kind.name());
    context.insert("device", &run.name);
    context.insert("device_path", &run.path());
    context.insert("driver", &one_line(driver(header), 120));
    context.insert("rule", &rule.id);
    context.insert("rule_path", &rule.path);
    context.insert("statement", &rule.statement);
    context.insert("expected", &expected(case));
    context.insert("seen", &judged(case));
    context.insert("seen_lines", &case.outcome.error_lines);
    context.insert("seen_rules", &case.outcome.rules);
    context.insert("log", &log(&case.outcome));
    let remarks: Vec<String> = case.remarks.iter().map(|remark| one_line(remark, 300)).collect();
    context.insert("remarks", &remarks);
    context.insert("attempts", &case.attempts);
    context.insert("commands", &commands(&header.device, &id));
    context.insert("other_suite", &run.is_of_another_suite(site.suite));
    let known = site.suite.case(&case.id).ok();
    if let Some(known) = &known {
        let control = known.control.as_deref().and_then(|id| site.suite.case(id).ok());
        let guilty = if case.expectation == "reject" { Guilty::Marked } else { Guilty::Unmarked };
        context.insert("kernel", &kernel(site.suite, known, guilty, control.as_ref())?);
        let view = match &control {
            Some(control) => Some(kernel(site.suite, control, Guilty::Unmarked, Some(known))?),
            None => None,
        };
        context.insert("control", &view);
        context.insert("clauses", &clauses(site.suite.rule(known)));
    }
    let control = control_result(run.cases(), case);
    context.insert("control_seen", &control.map(outcome));
    context.insert("known", &known.is_some());
    layout.render(
        "finding.html",
        &run.finding_path(index),
        &format!("{id} on {}", run.name),
        context,
    )
}

fn control_result<'r>(cases: &'r [CaseResult], case: &CaseResult) -> Option<&'r CaseResult> {
    let control = case.control.as_deref()?;
    cases.iter().find(|other| other.id == control)
}

fn log(outcome: &Outcome) -> String {
    let lines = printable(&first_lines(&outcome.log, LOG_LINES));
    match lines.char_indices().nth(LOG_CHARACTERS) {
        Some((end, _)) => format!("{}\n... cut here", &lines[..end]),
        None => lines,
    }
}

fn commands(device: &str, id: &str) -> Vec<Command> {
    let (device, id) = (shell_word(&one_line(device, 80)), shell_word(id));
    vec![
        Command {
            what: "Build it again",
            line: format!("cargo run -p runner -- --device {device} --exact {id}"),
        },
        Command { what: "See the case", line: format!("cargo run -p runner -- show {id}") },
    ]
}
