//! The summary of a run for people: a table by rule family, then what needs their attention.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use anstyle::{AnsiColor, Style};
use expectations::{case_id::CaseId, evidence::Evidence, judge::FindingKind};

use crate::{
    alike::alike,
    cases::{Brief, Cases},
    folding::folded,
    probes,
    reached::Reached,
    results::SharedCheck,
    text::{one_line, plural, shell_word},
    verdicts::{self, Counts, Row, Verdict},
};

/// What a run's summary is made of.
pub struct Summary<'r> {
    /// Name of the device.
    pub device: &'r str,
    /// The cases that were selected.
    pub cases: &'r Cases,
    /// Indices of cases no entry of the baseline explains.
    pub unexpected: &'r [usize],
    /// The programs of unexpected cases that are [`shown`], by index, as lines to print.
    pub programs: &'r BTreeMap<usize, String>,
    /// Number of cases the baseline explains.
    pub explained: usize,
    /// Baseline entries that match nothing any more, as they read.
    pub stale: &'r [String],
    /// Baseline entries that cover too much of what passes, as they read.
    pub wide: &'r [String],
    /// Of each baseline entry, how many of its cases deviate, as it reads.
    pub coverage: &'r [String],
    /// The check of the verdicts that shared builds gave, where one was made.
    pub shared_check: Option<&'r SharedCheck>,
    /// Why dialects were not run.
    pub unsupported: &'r BTreeMap<String, String>,
    /// Why the run is not whole, where it is taken all the same.
    pub partial: Option<&'r str>,
    /// Seconds the run took.
    pub seconds: f64,
    /// Columns of the terminal that it is for, where it is for one.
    pub columns: Option<usize>,
}

/// How many unexpected failures are shown in full, each the first of those that look alike.
const SHOWN: usize = 20;

/// The summary, with terminal styles; strip them where the output is no terminal.
pub fn render(summary: &Summary<'_>) -> String {
    let mut out = String::new();
    table(&mut out, summary);
    let mut prose = String::new();
    reached(&mut prose, summary.cases);
    evidence(&mut prose, summary);
    unsupported(&mut prose, summary);
    coverage(&mut prose, summary);
    out.push_str(&folded(&prose, summary.columns));
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

fn table(out: &mut String, summary: &Summary<'_>) {
    let unexpected: BTreeSet<usize> = summary.unexpected.iter().copied().collect();
    let mut families: BTreeMap<String, Counts> = BTreeMap::new();
    let mut total = Counts::default();
    for (index, case) in summary.cases.briefs().enumerate() {
        let verdict = Verdict::of(case.finding.kind, unexpected.contains(&index));
        families.entry(CaseId::new(&case.id).family().to_owned()).or_default().add(verdict);
        total.add(verdict);
    }
    let families = families.iter().map(|(family, counts)| (family.as_str(), *counts));
    let rows = families.chain([("total", total)]).map(|(name, counts)| Row {
        name: name.to_owned(),
        counts,
        seconds: None,
    });
    verdicts::table(out, "rule family", &rows.collect::<Vec<_>>());
}

/// How far the cases to accept got.
fn reached(out: &mut String, cases: &Cases) {
    let text = Reached::of(cases).text();
    if !text.is_empty() {
        let _ = writeln!(out, "\n{text}");
    }
}

/// Writes how many verdicts rest on which evidence, and what the check of shared builds came to.
fn evidence(out: &mut String, summary: &Summary<'_>) {
    let mut counts: BTreeMap<Evidence, usize> = BTreeMap::new();
    for evidence in summary.cases.briefs().filter_map(|case| case.evidence) {
        *counts.entry(evidence).or_default() += 1;
    }
    // Where each case was built alone, nothing is to be told.
    if counts.keys().all(|evidence| !evidence.is_shared()) {
        return;
    }
    let counts: Vec<String> =
        counts.iter().map(|(evidence, count)| format!("{count} {}", evidence.name())).collect();
    let _ = writeln!(out, "judged by: {}", counts.join(", "));
    if let Some(text) = summary.shared_check.and_then(SharedCheck::text) {
        let _ = writeln!(out, "{text}");
    }
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
    let selected: BTreeSet<String> = summary.cases.briefs().map(|case| case.dialect).collect();
    let mut dialects: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (dialect, why) in summary.unsupported.iter().filter(|(name, _)| selected.contains(*name)) {
        dialects.entry(why).or_default().push(dialect);
    }
    if !dialects.is_empty() {
        out.push_str("\nunsupported on this device:\n");
    }
    for (why, dialects) in dialects {
        let _ = writeln!(out, "  {}: {}", dialects.join(" "), one_line(why, 200));
    }
    let (idle, all) = idle_rules(summary.cases);
    if idle > 0 {
        let _ = writeln!(out, "  of {}, {idle} skipped", plural(all, "rule"));
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

/// The unexpected cases that a summary shows in full, each the first of those that look alike.
pub fn shown(cases: &Cases, unexpected: &[usize]) -> Vec<usize> {
    let found = alike(cases, unexpected);
    found.iter().take(SHOWN).map(|alike| alike.cases[0]).collect()
}

/// What needs somebody's attention: unexpected failures, stale entries of the baseline.
pub fn attention(out: &mut String, summary: &Summary<'_>) {
    let found = alike(summary.cases, summary.unexpected);
    for alike in found.iter().take(SHOWN) {
        let case = summary.cases.get(alike.cases[0]);
        let style = style(case.finding.kind);
        let _ = writeln!(
            out,
            "\n{style}{}{style:#}: {}\n  {} ({} expected)\n  show:   address-spaces show '{}'\n  rerun:  address-spaces --device {} --exact '{}'",
            case.finding.kind.name(),
            case.id,
            case.finding.reason.text(),
            case.expectation,
            case.id,
            shell_word(&one_line(summary.device, 80)),
            case.id,
        );
        for line in case.outcome.run.as_deref().map(probes::told).unwrap_or_default() {
            let _ = writeln!(out, "  saw:    {line}");
        }
        if let Some(said) = case.said() {
            let line = format!("  log:    {}\n", one_line(said, 240));
            out.push_str(&folded(&line, summary.columns));
        }
        if let Some(program) = summary.programs.get(&alike.cases[0]) {
            out.push_str(program);
        }
        if let Some(others) = alike.others() {
            out.push_str(&folded(&format!("  and {others}\n"), summary.columns));
        }
    }
    let more: usize = found.iter().skip(SHOWN).map(|alike| alike.cases.len()).sum();
    if more > 0 {
        let _ = writeln!(
            out,
            "\n... and {} more; `--results DIR` keeps them all",
            plural(more, "unexpected failure")
        );
    }
    let stale = summary.stale.iter().map(|entry| ("stale baseline entry, remove it", entry));
    let wide = summary.wide.iter().map(|entry| ("baseline entry is too wide", entry));
    for (what, entry) in stale.chain(wide) {
        out.push_str(&folded(&format!("\n{what}: {entry}\n"), summary.columns));
    }
}

/// The run in one line.
pub fn closing(summary: &Summary<'_>) -> String {
    let partial = if summary.partial.is_some() { "partial results, " } else { "" };
    format!(
        "{}: {partial}{}, {} unexpected, {}, {:.1} s",
        one_line(summary.device, 60),
        plural(summary.cases.len(), "case"),
        summary.unexpected.len(),
        plural(summary.explained, "expected failure"),
        summary.seconds,
    )
}

#[cfg(test)]
mod tests {
    use expectations::{
        judge::{Finding, Reason},
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };

    use super::*;
    use crate::results::CaseResult;

    #[test]
    fn printed_commands_can_be_pasted() {
        let finding = Finding { kind: FindingKind::Fail, reason: Reason::RejectsValid };
        let outcome = Outcome::new(OutcomeKind::Rejected);
        let case = CaseResult::new("a/b/cl12/x=1", "cl12", &Expectation::Accept, outcome, finding);
        let summary = Summary {
            device: "platform:Portable Computing Language",
            cases: &Cases::new(vec![case]),
            unexpected: &[0],
            programs: &BTreeMap::new(),
            explained: 0,
            stale: &[],
            wide: &[],
            coverage: &[],
            shared_check: None,
            unsupported: &BTreeMap::new(),
            partial: None,
            seconds: 1.0,
            columns: Some(40),
        };
        let text = render(&summary);
        let command = "  rerun:  address-spaces --device 'platform:Portable Computing Language' --exact 'a/b/cl12/x=1'\n";
        assert!(text.contains(command), "{text}");
    }
}
