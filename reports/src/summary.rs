//! The summary of a run for people: a table by rule family, then what needs their attention.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use anstyle::{AnsiColor, Style};
use expectations::{
    case_id::CaseId,
    evidence::Evidence,
    judge::{FindingKind, Reason},
};
use results::{
    cases::{Brief, Cases},
    line::{Header, UnreproducedFailure},
    run::{ExplainedCases, Judgement, Run, Status},
    shared_check::SharedCheck,
    text::{one_line, plural},
};

use crate::{
    alike::alike,
    folding::folded,
    laws::{LawCounts, broken_law_lines},
    probes,
    reached::PhaseCounts,
    statuses::{self, Counts, Row},
    text::{device_word, quoted, shell_word},
};

/// The programs of unexpected cases that a summary prints, as lines, by the number of the case: see [`printed_cases`].
pub type Programs = BTreeMap<usize, String>;

/// Number of unexpected failures that are printed in full, each the first of those that look alike.
const PRINTED: usize = 20;

/// Detail of a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Deviating cases by cause.
    #[default]
    Causes,
    /// The baseline entries of each cause, too.
    Entries,
}

impl Detail {
    /// Returns the detail of a command with or without `-v`.
    pub const fn of(is_verbose: bool) -> Self {
        if is_verbose { Self::Entries } else { Self::Causes }
    }
}

/// Returns the summary of a run with terminal styles, which the caller strips where the output is not a terminal.
/// `columns` is the width of the terminal, if there is one.
pub fn render(run: &Run, programs: &Programs, columns: Option<usize>, detail: Detail) -> String {
    let mut out = String::new();
    table(&mut out, run);
    let mut prose = String::new();
    reached(&mut prose, &run.cases);
    laws(&mut prose, run);
    hanging(&mut prose, &run.cases);
    evidence(&mut prose, run);
    unsupported(&mut prose, run);
    coverage(&mut prose, run, detail);
    out.push_str(&folded(&prose, columns));
    attention(&mut out, run, programs, columns);
    if let Some(partial) = run.partial() {
        let style = AnsiColor::Yellow.on_default();
        let _ = writeln!(out, "\n{style}partial results{style:#}: {}", one_line(&partial, 400));
    }
    out.push('\n');
    out.push_str(&closing(run));
    out.push('\n');
    out
}

/// Number of kinds of findings.
const KINDS: usize = FindingKind::ALL.len();

/// The number of findings of each kind, by family of rules.
pub type ByFamily = BTreeMap<String, [usize; KINDS]>;

/// Counts cases by family and kind of finding.
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

fn table(out: &mut String, run: &Run) {
    let unexpected: BTreeSet<usize> = run.unexpected().iter().copied().collect();
    let mut families: BTreeMap<String, Counts> = BTreeMap::new();
    let mut total = Counts::default();
    for (index, case) in run.cases.briefs().enumerate() {
        let status = Status::of(case.finding.kind, unexpected.contains(&index));
        families.entry(CaseId::new(&case.id).family().to_owned()).or_default().add(status);
        total.add(status);
    }
    let families = families.iter().map(|(family, counts)| (family.as_str(), *counts));
    let rows = families.chain([("total", total)]).map(|(name, counts)| Row {
        name: name.to_owned(),
        counts,
        seconds: None,
    });
    statuses::table(out, "rule family", &rows.collect::<Vec<_>>());
}

/// Appends how far valid programs came.
fn reached(out: &mut String, cases: &Cases) {
    let text = PhaseCounts::of(cases).text();
    if !text.is_empty() {
        let _ = writeln!(out, "\n{text}");
    }
}

/// Appends the number of cases whose modules were compared with the text, and the laws that are broken.
fn laws(out: &mut String, run: &Run) {
    let text = LawCounts::of(run).text();
    if !text.is_empty() {
        let _ = writeln!(out, "{text}");
    }
}

/// Appends the number of cases that are not executed because they are known to hang.
fn hanging(out: &mut String, cases: &Cases) {
    let is_left_out = |case: &Brief| case.finding.reason == Reason::KnownToHang;
    let count = cases.briefs().filter(is_left_out).count();
    if count > 0 {
        let _ = writeln!(
            out,
            "{} not executed, because baseline entries say that they hang: `--depth all` executes \
             them",
            plural(count, "case")
        );
    }
}

/// Appends the number of verdicts by their evidence, and the result of the check of shared builds.
fn evidence(out: &mut String, run: &Run) {
    let mut counts: BTreeMap<Evidence, usize> = BTreeMap::new();
    for evidence in run.cases.briefs().filter_map(|case| case.evidence) {
        *counts.entry(evidence).or_default() += 1;
    }
    // Nothing needs to be reported if each case was built alone.
    if counts.keys().all(|evidence| !evidence.is_shared()) {
        return;
    }
    let counts: Vec<String> =
        counts.iter().map(|(evidence, count)| format!("{count} {}", evidence.name())).collect();
    let _ = writeln!(out, "judged by: {}", counts.join(", "));
    if let Some(text) = run.shared_check().and_then(SharedCheck::text) {
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

fn unsupported(out: &mut String, run: &Run) {
    if run.header.unsupported.is_empty() {
        return;
    }
    let mut dialects: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (dialect, why) in run.unsupported_dialects() {
        dialects.entry(why).or_default().push(dialect);
    }
    if !dialects.is_empty() {
        out.push_str("\nunsupported on this device:\n");
    }
    for (why, dialects) in dialects {
        let _ = writeln!(out, "  {}: {}", dialects.join(" "), one_line(why, 200));
    }
    let (idle, all) = idle_rules(&run.cases);
    if idle > 0 {
        let _ = writeln!(out, "  of {}, {idle} skipped", plural(all, "rule"));
    }
}

/// Appends the number of cases that each cause explains, with its reason and, if asked for, its baseline entries.
fn coverage(out: &mut String, run: &Run, detail: Detail) {
    if run.judgement.coverage.is_empty() {
        return;
    }
    out.push_str(match detail {
        Detail::Causes => "\ncases that deviate, by cause (`-v` adds the baseline entries):\n",
        Detail::Entries => "\ncases that deviate, by cause and baseline entry:\n",
    });
    for ExplainedCases { cause, reason, deviating, entries } in &run.judgement.coverage {
        let cause = cause.as_deref().map(|id| format!("{}: ", one_line(id, 80)));
        let cause = cause.unwrap_or_default();
        let _ = writeln!(out, "  {deviating}  {cause}{}", one_line(reason, 1000));
        if detail == Detail::Entries {
            for entry in entries {
                let _ = writeln!(out, "    {}", one_line(entry, 240));
            }
        }
    }
}

/// Returns the number of rules none of whose cases was run, and the number of all rules.
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

/// Returns the unexpected cases that a summary prints in full, each the first of those that look alike.
pub fn printed_cases(run: &Run) -> Vec<usize> {
    let failures = alike(&run.cases, run.unexpected());
    failures.iter().take(PRINTED).map(|alike| alike.cases[0]).collect()
}

/// Appends what needs attention: unexpected failures, stale and wide baseline entries.
pub fn attention(out: &mut String, run: &Run, programs: &Programs, columns: Option<usize>) {
    let failures = alike(&run.cases, run.unexpected());
    for alike in failures.iter().take(PRINTED) {
        let case = run.cases.get(alike.cases[0]);
        let style = style(case.finding.kind);
        let id = quoted(&case.id);
        let _ = writeln!(
            out,
            "\n{style}{}{style:#}: {}\n  {} ({} expected)\n  show:   address-spaces show {id}\n  rerun:  address-spaces --device {} --exact {id}",
            case.finding.kind.name(),
            case.id,
            case.finding.reason.text(),
            case.expectation.name(),
            device_word(&run.header),
        );
        for line in case.outcome.run.as_deref().map(probes::run_lines).unwrap_or_default() {
            let _ = writeln!(out, "  saw:    {line}");
        }
        for line in case.outcome.broken_laws().iter().flat_map(broken_law_lines) {
            out.push_str(&folded(&format!("  module: {line}\n"), columns));
        }
        for said in case.telling_lines() {
            let line = format!("  log:    {}\n", one_line(said, 240));
            out.push_str(&folded(&line, columns));
        }
        if let Some(program) = programs.get(&alike.cases[0]) {
            out.push_str(program);
        }
        if let Some(others) = alike.others() {
            out.push_str(&folded(&format!("  and {others}\n"), columns));
        }
    }
    let more: usize = failures.iter().skip(PRINTED).map(|alike| alike.cases.len()).sum();
    if more > 0 {
        let _ = writeln!(
            out,
            "\n... and {} more; `--results DIR` keeps them all",
            plural(more, "unexpected failure")
        );
    }
    for interaction in &run.interactions {
        let text = format!("\nfault of several programs: {}\n", interaction.text());
        out.push_str(&folded(&text, columns));
    }
    for failure in &run.unreproduced {
        let rerun = rerun(&run.header, failure);
        let text =
            format!("\na failure that was seen once: {}\n  rerun:  {rerun}\n", failure.text());
        out.push_str(&folded(&text, columns));
    }
    for entry in &run.judgement.stale {
        let what =
            if entry.is_whole { "entry, remove it" } else { "parts of an entry, remove them" };
        let text = format!("\nstale baseline {what}: {}\n", entry.lines().join("\n  "));
        out.push_str(&folded(&text, columns));
    }
    for entry in &run.judgement.wide {
        let text = format!("\nbaseline entry is too wide: {}\n", one_line(&entry.text, 600));
        out.push_str(&folded(&text, columns));
    }
    for (rule, cases) in &run.judgement.unknown_rules {
        let cases = plural(*cases, "case");
        let text = format!("\n{cases} of {}: this suite has no such rule\n", one_line(rule, 200));
        out.push_str(&folded(&text, columns));
    }
}

/// Returns the command that builds the cases of a failure again.
pub fn rerun(header: &Header, failure: &UnreproducedFailure) -> String {
    let selection: Vec<String> = failure.selection().iter().map(|word| shell_word(word)).collect();
    format!("address-spaces --device {} {}", device_word(header), selection.join(" "))
}

/// Returns what makes a run red besides unexpected findings, in words.
pub fn faults(run: &Run) -> Vec<String> {
    let Judgement { stale, wide, unknown_rules, .. } = &run.judgement;
    let differing = run.shared_check().map_or(0, |check| check.differing.len());
    let counts = [
        (run.interactions.len(), "fault of several programs", "faults of several programs"),
        (stale.len(), "stale baseline entry", "stale baseline entries"),
        (wide.len(), "baseline entry too wide", "baseline entries too wide"),
        (differing, "verdict contradicted", "verdicts contradicted"),
        (unknown_rules.values().sum(), "case of no rule", "cases of no rule"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    counts
        .map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }))
        .collect()
}

/// Returns the run in one line.
pub fn closing(run: &Run) -> String {
    let partial = if !run.faults.is_empty() {
        "partial results, ".to_owned()
    } else if !run.is_complete() {
        format!("stopped, {}, ", run.progress())
    } else if run.has_tested_nothing() {
        "nothing tested, ".to_owned()
    } else {
        String::new()
    };
    let mut text = format!(
        "{}: {partial}{}, {} unexpected",
        one_line(&run.name(), 60),
        plural(run.cases.len(), "case"),
        run.unexpected().len(),
    );
    for fault in faults(run) {
        let _ = write!(text, ", {fault}");
    }
    let explained = plural(run.judgement.baseline.explained.len(), "expected failure");
    let _ = write!(text, ", {explained}, {:.1} s", run.seconds());
    text
}

#[cfg(test)]
mod tests {
    use expectations::{
        judge::Finding,
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };

    use super::*;
    use crate::fixtures;
    use results::{
        line::CaseResult,
        run::{Ending, StaleEntry, WideEntry},
    };

    fn case(id: &str, kind: FindingKind, log: &str) -> CaseResult {
        let finding = Finding { kind, reason: Reason::RejectsValid };
        let outcome = Outcome { log: log.to_owned(), ..Outcome::new(OutcomeKind::Rejected) };
        let dialect = expectations::dialect::Dialect::from_name("cl12").unwrap();
        CaseResult::new(id, dialect, &Expectation::Accept, outcome, finding)
    }

    fn stale(parts: usize) -> StaleEntry {
        StaleEntry {
            entry: 0,
            place: "x.toml:3".to_owned(),
            parts: (1..=parts).map(|x| format!("a/b/cl12/x={x}")).collect(),
            why: "no more".to_owned(),
            is_whole: true,
        }
    }

    #[test]
    fn of_a_long_entry_some_ids_are_printed() {
        for (parts, lines) in [(1, 1), (2, 3), (8, 9), (36, 10)] {
            let mut run = fixtures::run("x", "", Vec::new());
            run.judgement.stale = vec![stale(parts)];
            let mut out = String::new();
            attention(&mut out, &run, &Programs::new(), None);
            assert_eq!(out.trim().lines().count(), lines, "{out}");
            assert!(out.lines().all(|line| line.len() < 100), "{out}");
            let more = "\n  and 28 more; `address-spaces explain x.toml:3` prints the entry\n";
            assert_eq!(out.contains(more), parts == 36, "{out}");
        }
    }

    #[test]
    fn the_last_line_says_why_a_run_is_not_green() {
        let mut run = fixtures::run("x", "", vec![case("a/b/cl12/x=1", FindingKind::Pass, "")]);
        assert_eq!(closing(&run), "x: 1 case, 0 unexpected, 0 expected failures, 2.0 s");
        run.judgement.stale = vec![stale(1)];
        run.judgement.wide =
            ["w", "v"].map(|text| WideEntry { entry: 0, text: text.to_owned() }).to_vec();
        run.judgement.unknown_rules.insert("a/b".to_owned(), 1);
        assert_eq!(
            closing(&run),
            "x: 1 case, 0 unexpected, 1 stale baseline entry, 2 baseline entries too wide, 1 case of no rule, 0 expected failures, 2.0 s"
        );
    }

    #[test]
    fn the_last_line_says_why_a_run_is_no_verdict() {
        let cases = || vec![case("a/b/cl12/x=1", FindingKind::Unsupported, "")];
        let run = fixtures::run("x", "", cases());
        assert_eq!(
            closing(&run),
            "x: nothing tested, 1 case, 0 unexpected, 0 expected failures, 2.0 s"
        );
        let ending = Ending::Stopped { seconds: 2.0, shared_check: SharedCheck::default() };
        let mut run = Run { ending, ..run };
        run.header.cases = 3;
        assert_eq!(
            closing(&run),
            "x: stopped, 0 of 2 cases are done, plus 1 that the device does not support, 1 case, 0 \
             unexpected, 0 expected failures, 2.0 s"
        );
    }

    #[test]
    fn failures_that_were_seen_once_are_told_with_cases_and_command() {
        for (cases, text, command) in [
            (
                &["a/b/cl12/x=1"][..],
                "Crashed (a log), building a/b/cl12/x=1; a second build does not show it",
                "--exact a/b/cl12/x=1",
            ),
            (
                &["a/b/cl12/x=1", "a/b/cl12/x=2", "a/b/cl12/x=3", "a/c/cl30/x=1"],
                "Crashed (a log), building 4 cases at once; no smaller build shows it: a/b/cl12/x=1, a/b/cl12/x=2, a/b/cl12/x=3 and 1 more",
                "--rule a/b --rule a/c --dialect cl12 --dialect cl30",
            ),
        ] {
            let cases = cases.iter().map(|&id| id.to_owned()).collect();
            let failure = UnreproducedFailure { cases, what: "Crashed (a log)".to_owned() };
            let mut run = fixtures::run("x", "", Vec::new());
            run.unreproduced = vec![failure];
            let mut out = String::new();
            attention(&mut out, &run, &Programs::new(), None);
            let told = format!(
                "\na failure that was seen once: {text}\n  rerun:  address-spaces --device x {command}\n"
            );
            assert_eq!(out, told);
        }
    }

    #[test]
    fn what_is_not_supported_is_not_counted_as_done() {
        let cases = [("x=1", FindingKind::Pass), ("x=2", FindingKind::Unsupported)];
        let cases = cases.map(|(point, kind)| case(&format!("a/b/cl12/{point}"), kind, ""));
        let mut run = fixtures::run("x", "", cases.to_vec());
        run.header.cases = 5;
        assert_eq!(
            run.progress(),
            "1 of 4 cases are done, plus 1 that the device does not support"
        );
    }

    #[test]
    fn lines_with_errors_are_told() {
        for (log, told) in [
            (
                "warning: x\nError(s) while linking:\n  undefined symbol: f\nmore",
                &["Error(s) while linking:", "  undefined symbol: f"][..],
            ),
            ("Error(s) while linking:\n  no f here", &["Error(s) while linking:", "  no f here"]),
            ("\nsomething", &["something"]),
            ("error: 1\nerror: 2\nerror: 3\nerror: 4", &["error: 1", "error: 2", "error: 3"]),
        ] {
            assert_eq!(case("a", FindingKind::Fail, log).telling_lines(), told, "{log}");
        }
    }

    #[test]
    fn printed_commands_can_be_pasted() {
        let finding = Finding { kind: FindingKind::Fail, reason: Reason::RejectsValid };
        let outcome = Outcome::new(OutcomeKind::Rejected);
        let case = CaseResult::new(
            "a/b/cl12/x=1",
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &Expectation::Accept,
            outcome,
            finding,
        );
        let mut run = fixtures::run("platform:Portable Computing Language", "", vec![case]);
        run.judgement.baseline.unexpected = vec![0];
        let text = render(&run, &Programs::new(), Some(40), Detail::default());
        let command = "  rerun:  address-spaces --device 'platform:Portable Computing Language' --exact 'a/b/cl12/x=1'\n";
        assert!(text.contains(command), "{text}");
    }
}
