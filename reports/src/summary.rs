//! The summary of a run for people: a table by rule family, then what needs their attention.

use std::{collections::BTreeMap, fmt::Write as _};

use anstyle::{AnsiColor, Style};
use expectations::{case_id::CaseId, judge::FindingKind};

use crate::{
    cases::{Brief, Cases},
    probes,
    reached::Reached,
    results::CaseResult,
    text::{one_line, plural},
};

/// What a run's summary is made of.
pub struct Summary<'r> {
    /// Name of the device.
    pub device: &'r str,
    /// The cases that were selected.
    pub cases: &'r Cases,
    /// Indices of cases no entry of the baseline explains.
    pub unexpected: &'r [usize],
    /// Number of cases the baseline explains.
    pub explained: usize,
    /// Baseline entries that match nothing any more, as they read.
    pub stale: &'r [String],
    /// Baseline entries that cover too much of what passes, as they read.
    pub wide: &'r [String],
    /// Of each baseline entry, how many of its cases deviate, as it reads.
    pub coverage: &'r [String],
    /// Why dialects were not run.
    pub unsupported: &'r BTreeMap<String, String>,
    /// Why the run is not whole, where it is taken all the same.
    pub partial: Option<&'r str>,
    /// Seconds the run took.
    pub seconds: f64,
}

/// How many unexpected failures are shown in full.
const SHOWN: usize = 20;

/// The summary, with terminal styles; strip them where the output is no terminal.
pub fn render(summary: &Summary<'_>) -> String {
    let mut out = String::new();
    table(&mut out, summary.cases);
    reached(&mut out, summary.cases);
    unsupported(&mut out, summary);
    coverage(&mut out, summary);
    attention(&mut out, summary);
    if let Some(partial) = summary.partial {
        let style = AnsiColor::Yellow.on_default();
        let _ = writeln!(out, "\n{style}partial results{style:#}: {}", one_line(partial, 400));
    }
    out.push('\n');
    out.push_str(&closing(summary));
    out.push('\n');
    out
}

/// How many kinds of finding there are.
const KINDS: usize = FindingKind::ALL.len();

/// Counts by kind for each family, families in order.
pub type ByFamily = BTreeMap<String, [usize; KINDS]>;

/// Count these cases.
pub fn by_family(cases: impl Iterator<Item = Brief>) -> ByFamily {
    let mut families = ByFamily::new();
    for case in cases {
        let family = CaseId::new(&case.id).family();
        let counts = match families.get_mut(family) {
            Some(counts) => counts,
            None => families.entry(family.to_owned()).or_default(),
        };
        counts[case.finding.kind as usize] += 1;
    }
    families
}

fn table(out: &mut String, cases: &Cases) {
    let families = by_family(cases.briefs());
    let mut total = [0; KINDS];
    for counts in families.values() {
        for (sum, count) in total.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    let width = families.keys().map(String::len).max().unwrap_or(0).max("rule family".len());
    let _ = write!(out, "{:width$}", "rule family");
    for kind in FindingKind::ALL {
        let _ = write!(out, "  {:>12}", kind.name());
    }
    out.push('\n');
    for (family, counts) in
        families.iter().map(|(family, counts)| (family.as_str(), counts)).chain([("total", &total)])
    {
        let _ = write!(out, "{family:width$}");
        for (kind, count) in FindingKind::ALL.into_iter().zip(counts) {
            let style = finding_style(kind, *count);
            let _ = write!(out, "  {style}{count:>12}{style:#}");
        }
        out.push('\n');
    }
}

/// How far the cases to accept got.
fn reached(out: &mut String, cases: &Cases) {
    let text = Reached::of(cases).text();
    if !text.is_empty() {
        let _ = writeln!(out, "\n{text}");
    }
}

/// How a count of such findings looks.
pub(crate) fn finding_style(kind: FindingKind, count: usize) -> Style {
    if count > 0 { style(kind) } else { Style::new().dimmed() }
}

fn style(kind: FindingKind) -> Style {
    match kind {
        FindingKind::Pass => AnsiColor::Green.on_default(),
        FindingKind::Fail | FindingKind::Timeout | FindingKind::Crash => {
            AnsiColor::Red.on_default()
        }
        FindingKind::Inconclusive | FindingKind::Flaky => AnsiColor::Yellow.on_default(),
        FindingKind::Disputed | FindingKind::Unsupported => Style::new(),
    }
}

fn unsupported(out: &mut String, summary: &Summary<'_>) {
    if summary.unsupported.is_empty() {
        return;
    }
    out.push_str("\nunsupported on this device:\n");
    for (dialect, why) in summary.unsupported {
        let _ = writeln!(out, "  {dialect}: {}", one_line(why, 200));
    }
    let (idle, all) = idle_rules(summary.cases);
    if idle > 0 {
        let _ = writeln!(out, "  of {}, {idle} were skipped", plural(all, "rule"));
    }
}

/// How many of its cases each entry of the baseline explains.
fn coverage(out: &mut String, summary: &Summary<'_>) {
    if summary.coverage.is_empty() {
        return;
    }
    out.push_str("\ncases that deviate, by entry of the baseline:\n");
    for entry in summary.coverage {
        let _ = writeln!(out, "  {}", one_line(entry, 240));
    }
}

/// How many rules have no case that could be run, and how many rules there are.
pub fn idle_rules(cases: &Cases) -> (usize, usize) {
    let mut exercised: BTreeMap<String, bool> = BTreeMap::new();
    for case in cases.briefs() {
        let rule = CaseId::new(&case.id).rule();
        let was_run = case.finding.kind != FindingKind::Unsupported;
        match exercised.get_mut(rule) {
            Some(exercised) => *exercised |= was_run,
            None => {
                exercised.insert(rule.to_owned(), was_run);
            }
        }
    }
    (exercised.values().filter(|&&run| !run).count(), exercised.len())
}

/// What needs somebody's attention: unexpected failures, stale entries of the baseline.
pub fn attention(out: &mut String, summary: &Summary<'_>) {
    for &index in summary.unexpected.iter().take(SHOWN) {
        let case = summary.cases.get(index);
        let style = style(case.finding.kind);
        let _ = writeln!(
            out,
            "\n{style}{}{style:#}: {}\n  {} ({} expected)\n  show:   runner show '{}'\n  rerun:  runner --device {} --exact '{}'",
            case.finding.kind.name(),
            case.id,
            case.finding.reason.text(),
            case.expectation,
            case.id,
            summary.device,
            case.id,
        );
        for line in case.outcome.run.as_deref().map(probes::told).unwrap_or_default() {
            let _ = writeln!(out, "  saw:    {line}");
        }
        if let Some(said) = said(&case) {
            let _ = writeln!(out, "  log:    {}", one_line(said, 240));
        }
    }
    if summary.unexpected.len() > SHOWN {
        let _ = writeln!(
            out,
            "\n... and {} more; `--results DIR` keeps them all",
            plural(summary.unexpected.len() - SHOWN, "unexpected failure")
        );
    }
    for entry in summary.stale {
        let _ = writeln!(out, "\nstale baseline entry, remove it: {entry}");
    }
    for entry in summary.wide {
        let _ = writeln!(out, "\nbaseline entry is too wide: {entry}");
    }
}

/// The run in one line.
pub fn closing(summary: &Summary<'_>) -> String {
    let partial = if summary.partial.is_some() { "partial results, " } else { "" };
    format!(
        "{}: {partial}{}, {} unexpected, {} expected failures, {:.1} s",
        one_line(summary.device, 60),
        plural(summary.cases.len(), "case"),
        summary.unexpected.len(),
        summary.explained,
        summary.seconds,
    )
}

/// The line of the log that names an error, or else what is known of the outcome.
pub(crate) fn said(case: &CaseResult) -> Option<&str> {
    let lines = || case.outcome.log.lines().filter(|line| !line.trim().is_empty());
    lines().find(|line| line.contains("error")).or_else(|| lines().next()).or(case
        .outcome
        .detail
        .lines()
        .next())
}

/// The closing line of Rust's test harness.
pub fn harness_line(passed: usize, failed: usize, ignored: usize, seconds: f64) -> String {
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    format!(
        "test result: {verdict}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out; finished in {seconds:.2}s\n"
    )
}
