//! Runs in the formats that tools read: `JUnit` XML, TAP, Markdown. They are written as they
//! are made: a format keeps no more of a run in memory than it counts.

pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod tap;

#[cfg(test)]
mod tests;

use expectations::evidence::Evidence;
use results::{
    line::{CaseResult, Confirmation, Header},
    run::{Judgement, Run, Status},
    shared_check::SharedCheck,
    text::{first_lines, one_line, plural, printable},
};

use crate::{
    laws::broken_law_lines,
    probes::{reason_not_judged, run_lines},
};

/// Number of lines of a device's log that a format for tools repeats; results.jsonl has all of them.
const LOG_LINES: usize = 60;

/// Describes the faults of a run as a whole, each with a title; the run is not green if there is one.
fn troubles(run: &Run) -> Vec<(&'static str, String)> {
    let mut troubles = Vec::new();
    if let Some(partial) = run.partial() {
        troubles.push(("partial results", one_line(&partial, 400)));
    } else if run.missing() > 0 {
        let missing = plural(run.missing(), "selected case");
        troubles.push(("incomplete run", format!("{missing} of the run gave no outcome")));
    }
    let Judgement { stale, wide, unknown_rules, .. } = &run.judgement;
    let stale = stale.iter().map(|entry| ("stale baseline entry", entry.to_string()));
    troubles.extend(stale);
    let wide = wide.iter().map(|entry| ("baseline entry too wide", one_line(&entry.text, 400)));
    troubles.extend(wide);
    let interactions = run.interactions.iter();
    troubles.extend(interactions.map(|fault| ("fault of several programs", fault.text())));
    let differing = run.shared_check().map_or(0, |check| check.differing.len());
    if let Some(text) = run.shared_check().and_then(SharedCheck::text).filter(|_| differing > 0) {
        troubles.push(("contradicted verdicts", one_line(&text, 400)));
    }
    troubles.extend(unknown_rules.iter().map(|(rule, cases)| {
        let cases = plural(*cases, "case");
        ("cases of no rule", format!("{cases} of {}", one_line(rule, 200)))
    }));
    troubles
}

/// Returns the cause that the baseline entry of a case names.
fn cause(run: &Run, case: usize) -> Option<&str> {
    run.entry(case)?.cause.as_deref()
}

/// Returns on one line why a case is neither a pass nor a failure; returns `None` of these two.
fn skip_reason(run: &Run, index: usize, case: &CaseResult) -> Option<String> {
    let text = match run.status(index, case.finding.kind) {
        Status::Pass | Status::Fail => return None,
        Status::Unsupported => format!("unsupported: {}", reason_not_judged(&case.outcome)),
        Status::Disputed => "disputed text: shown, not judged".to_owned(),
        Status::ExpectedFailure => {
            let reason = run.entry(index).map_or("", |entry| entry.reason.as_str());
            format!("expected failure: {reason}")
        }
    };
    Some(one_line(&text, 400))
}

/// Describes a deviation in lines.
fn describe(header: &Header, case: &CaseResult) -> String {
    let id = one_line(&case.id, 400);
    let word = crate::text::shell_word(&id);
    let mut lines =
        vec![format!("{} ({} expected)", case.finding.reason.text(), case.expectation.name())];
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            lines.push(format!("{name}{}", one_line(value, 400)));
        }
    };
    add("breaks:   ", case.breaks.as_deref().unwrap_or_default());
    add("control:  ", case.control.as_deref().unwrap_or_default());
    add("its log:  ", case.control_log.as_deref().unwrap_or_default());
    add("detail:   ", &case.outcome.detail);
    for line in case.outcome.run.as_deref().map(run_lines).unwrap_or_default() {
        add("saw:      ", &line);
    }
    for line in case.outcome.broken_laws().iter().flat_map(broken_law_lines) {
        add("module:   ", &line);
    }
    add("judged by: ", case.evidence.filter(|kind| kind.is_shared()).map_or("", Evidence::text));
    add("seen:     ", case.confirmed.map_or("", Confirmation::text));
    for remark in &case.remarks {
        add("remark:   ", remark);
    }
    lines.push(format!("show:     address-spaces show {word}"));
    let device = crate::text::device_word(header);
    lines.push(format!("rerun:    address-spaces --device {device} --exact {word}"));
    if !case.outcome.log.trim().is_empty() {
        lines.push("log:".to_owned());
        lines.push(log(case));
    }
    lines.join("\n")
}

/// Returns the beginning of a device's log, made harmless.
fn log(case: &CaseResult) -> String {
    let unix = case.outcome.log.replace("\r\n", "\n");
    printable(&first_lines(unix.trim_end(), LOG_LINES))
}
