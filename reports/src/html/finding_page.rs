//! The page on one unexpected finding: all that a user needs to reproduce and to report it.

use std::borrow::Cow;

use expectations::{
    evidence::Evidence,
    outcome::{Outcome, Run, RunKind},
};
use results::{
    cases::Cases,
    line::{CaseResult, Header},
    text::{first_lines, one_line, printable},
};
use serde::Serialize;
use tera::Context;

use super::{clauses, kernel::Pair, layout::Layout, model::Site};
use crate::{
    compare::{expected, judged, outcome},
    laws::broken_law_lines,
    manual::PageError,
    text::{device_word, shell_word},
};

/// Number of lines of a log on the page: a driver can say anything, at any length.
const LOG_LINES: usize = 200;
const LOG_CHARACTERS: usize = 40_000;

/// Number of values of a probe on the page.
const DIFFERENCES: usize = 50;

/// A command that shows a case, with its description.
#[derive(Serialize)]
pub(super) struct Command {
    what: &'static str,
    line: String,
}

pub(super) fn page(
    site: &Site<'_>,
    layout: &Layout,
    run: usize,
    rule_number: usize,
    index: usize,
) -> Result<String, PageError> {
    let run = &site.runs[run];
    let case = run.cases().get(index);
    let case = &*case;
    let header = &run.run.header;
    let rule = &site.rules[rule_number];
    let id = one_line(&case.id, 400);
    let mut context = Context::new();
    context.insert("id", &id);
    context.insert("id_pieces", &id.split_inclusive(['/', ',']).collect::<Vec<_>>());
    context.insert("expects", &case.expectation);
    context.insert("kind", case.finding.kind.name());
    context.insert("device", &run.name);
    context.insert("device_path", &run.path());
    context.insert("driver", &one_line(header.driver(), 120));
    context.insert("rule", &rule.id);
    context.insert("rule_path", &rule.path);
    context.insert("deviations_path", &run.anchored_path(&site.rules, rule_number, index));
    context.insert("statement", &rule.statement);
    context.insert("expected", &expected(case));
    context.insert("seen", &judged(case));
    context.insert("seen_lines", &case.outcome.error_lines);
    let seen_rules = case.outcome.rules.iter().map(|rule| one_line(rule, 200));
    context.insert("seen_rules", &seen_rules.collect::<Vec<_>>());
    context.insert("log", &log(&case.outcome));
    let control_log = case.control_log.as_deref().map(|log| one_line(log, 300));
    context.insert("control_log", &control_log);
    let remarks: Vec<String> = case.remarks.iter().map(|remark| one_line(remark, 300)).collect();
    context.insert("remarks", &remarks);
    context.insert("attempts", &case.attempts);
    context.insert("judged_by", &case.evidence.map(Evidence::text));
    context.insert("commands", &commands(header, &id));
    context.insert("other_suite", &run.is_of_another_suite(site.suite));
    context.insert("pair", &Pair::of(site.suite, &case.id, case.expectation)?);
    let breaks = case.breaks.as_deref().filter(|_| rule.in_suite.is_none());
    if let Some(decides) = rule.in_suite.or_else(|| site.suite_rule(breaks?)) {
        clauses::insert(&mut context, site, &site.suite.rules()[decides]);
    }
    let broken = case.outcome.broken_laws().iter().flat_map(broken_law_lines);
    context.insert("broken", &broken.collect::<Vec<_>>());
    context.insert("run", &case.outcome.run.as_deref().map(run_view));
    let control = control_result(run.cases(), case);
    context.insert("control_seen", &control.as_deref().map(outcome));
    layout.render("finding.html", &run.path_of(index), &format!("{id} on {}", run.name), context)
}

#[derive(Serialize)]
struct RunView {
    ended: String,
    differences: Vec<[String; 3]>,
    left_out: usize,
    recorded: Vec<[String; 2]>,
}

/// Returns the result of a probe, whose values come from the device.
fn run_view(run: &Run) -> RunView {
    let ended = match run.kind {
        RunKind::Completed => "carried out to its end",
        RunKind::Failed => "a call failed",
        RunKind::BuildsOnly => "the device runs nothing",
        RunKind::Lacking => "the device does not support what it needs",
    };
    let cell = |text: &String| one_line(text, 200);
    let shown = run.differences.iter().take(DIFFERENCES);
    RunView {
        ended: match run.detail.as_str() {
            "" => ended.to_owned(),
            detail => format!("{ended}: {}", one_line(detail, 200)),
        },
        differences: shown.map(|d| [cell(&d.place), cell(&d.expected), cell(&d.seen)]).collect(),
        left_out: run.differing.saturating_sub(run.differences.len().min(DIFFERENCES)),
        recorded: run.recorded.iter().take(DIFFERENCES).map(|(k, v)| [cell(k), cell(v)]).collect(),
    }
}

fn control_result<'r>(cases: &'r Cases, case: &CaseResult) -> Option<Cow<'r, CaseResult>> {
    let control = case.control.as_deref()?;
    cases.find(control)
}

fn log(outcome: &Outcome) -> String {
    let lines = printable(&first_lines(&outcome.log, LOG_LINES));
    match lines.char_indices().nth(LOG_CHARACTERS) {
        Some((end, _)) => format!("{}\n... cut here", &lines[..end]),
        None => lines,
    }
}

/// Returns the commands that reproduce a case.
pub(super) fn commands(header: &Header, id: &str) -> Vec<Command> {
    let (device, id) = (device_word(header), shell_word(id));
    vec![
        Command {
            what: "Build it again",
            line: format!("cargo run -p runner -- --device {device} --exact {id}"),
        },
        Command { what: "See the case", line: format!("cargo run -p runner -- show {id}") },
    ]
}
