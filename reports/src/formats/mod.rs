//! Runs in the formats that tools read: `JUnit` XML, TAP, Markdown. All start from the same [`JudgedRun`], and are
//! written as they are made: a format has no more of a run in memory than it has to count.

pub mod junit;
pub mod markdown;
pub mod tap;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use expectations::{evidence::Evidence, judge::FindingKind};

use crate::{
    cases::Cases,
    probes::{lacking, told},
    results::{CaseResult, Confirmed},
    text::{first_lines, one_line, plural, printable},
    verdicts::Verdict,
};

/// Lines of a device's log that a format for tools repeats; results.jsonl has them all.
const LOG_LINES: usize = 60;

/// What one device did, compared with what is known of it.
pub struct JudgedRun<'r> {
    /// Name of the device.
    pub device: &'r str,
    /// The front end inside.
    pub front_end: &'r str,
    /// What the device says of itself, by name.
    pub identity: &'r BTreeMap<String, String>,
    /// Why dialects were not run.
    pub unsupported: &'r BTreeMap<String, String>,
    /// The cases that have an outcome.
    pub cases: &'r Cases,
    /// The reason of the baseline entry that explains the case of that index.
    pub known: Box<dyn Fn(usize) -> Option<&'r str> + 'r>,
    /// The cause that this entry names.
    pub cause: Box<dyn Fn(usize) -> Option<&'r str> + 'r>,
    /// Entries of the baseline that explain nothing, as they read.
    pub stale: &'r [String],
    /// Why the results are not whole, where they are taken all the same.
    pub partial: Option<&'r str>,
    /// Baseline entries that cover too much of what passes, as they read.
    pub wide: &'r [String],
    /// How many selected cases have no outcome: the run was stopped.
    pub missing: usize,
    /// Seconds the run took.
    pub seconds: f64,
}

impl JudgedRun<'_> {
    /// What became of the case of that index, by its finding.
    pub fn verdict(&self, index: usize, finding: FindingKind) -> Verdict {
        Verdict::of(finding, (self.known)(index).is_none())
    }

    /// What is wrong with the run as a whole, each with a title: nothing, or it is not green.
    fn troubles(&self) -> Vec<(&'static str, String)> {
        let mut troubles = Vec::new();
        if let Some(partial) = self.partial {
            troubles.push(("partial results", one_line(partial, 400)));
        } else if self.missing > 0 {
            let missing = plural(self.missing, "selected case");
            troubles.push(("incomplete run", format!("{missing} of the run gave no outcome")));
        }
        let stale = self.stale.iter().map(|entry| ("stale baseline entry", one_line(entry, 400)));
        troubles.extend(stale);
        let wide = self.wide.iter().map(|entry| ("baseline entry too wide", one_line(entry, 400)));
        troubles.extend(wide);
        troubles
    }
}

/// Why the case of that index was set aside, for one line.
fn set_aside(run: &JudgedRun<'_>, index: usize, case: &CaseResult) -> Option<String> {
    let text = match run.verdict(index, case.finding.kind) {
        Verdict::Pass | Verdict::Fail => return None,
        Verdict::Unsupported => format!("unsupported: {}", lacking(&case.outcome)),
        Verdict::Disputed => "disputed text: shown, not judged".to_owned(),
        Verdict::ExpectedFailure => {
            format!("expected failure: {}", (run.known)(index).unwrap_or_default())
        }
    };
    Some(one_line(&text, 400))
}

/// What is known of a deviation, in lines.
fn story(device: &str, case: &CaseResult) -> String {
    let id = one_line(&case.id, 400);
    let word = crate::text::shell_word(&id);
    let mut lines = vec![format!(
        "{} ({} expected)",
        case.finding.reason.text(),
        one_line(&case.expectation, 40)
    )];
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            lines.push(format!("{name}{}", one_line(value, 400)));
        }
    };
    add("breaks:   ", case.breaks.as_deref().unwrap_or_default());
    add("control:  ", case.control.as_deref().unwrap_or_default());
    add("its log:  ", case.control_log.as_deref().unwrap_or_default());
    add("detail:   ", &case.outcome.detail);
    for line in case.outcome.run.as_deref().map(told).unwrap_or_default() {
        add("saw:      ", &line);
    }
    add("judged by: ", case.evidence.filter(|kind| kind.is_shared()).map_or("", Evidence::text));
    add("seen:     ", case.confirmed.map_or("", Confirmed::text));
    for remark in &case.remarks {
        add("remark:   ", remark);
    }
    lines.push(format!("show:     address-spaces show {word}"));
    let device = crate::text::shell_word(&one_line(device, 80));
    lines.push(format!("rerun:    address-spaces --device {device} --exact {word}"));
    if !case.outcome.log.trim().is_empty() {
        lines.push("log:".to_owned());
        lines.push(log(case));
    }
    lines.join("\n")
}

/// The beginning of a device's log, made harmless.
fn log(case: &CaseResult) -> String {
    let unix = case.outcome.log.replace("\r\n", "\n");
    printable(&first_lines(unix.trim_end(), LOG_LINES))
}
