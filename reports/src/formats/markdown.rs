//! Runs as Markdown, for the page of a CI job.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Write},
};

use expectations::{cause::Causes, judge::FindingKind, outcome::OutcomeKind};
use generator::suite::Suite;
use results::{
    run::{Run, Status},
    text::plural,
};

use super::{cause, log, troubles};
use crate::{
    alike::{Alike, alike},
    probes::run_lines,
    summary::{ByFamily, by_family},
    text::{device_word, markdown_code, markdown_text, shell_word},
    upstream::PAGE,
};

/// Number of unexpected failures of one device that are listed in full, each the first of those that look alike: pages
/// of CI systems have a limit.
const SHOWN: usize = 25;

/// Writes the page for these runs; `broken` are devices that could not be judged, each with the reason.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn write(out: &mut dyn Write, runs: &[Run], broken: &[(String, String)]) -> io::Result<()> {
    out.write_all(page(runs, broken).as_bytes())
}

/// Writes how the devices read the open questions of the text.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn write_questions(out: &mut dyn Write, suite: &Suite, runs: &[Run]) -> io::Result<()> {
    let mut page = String::new();
    for run in runs {
        let mut read: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
        for case in run.cases.briefs().filter(|case| case.finding.kind == FindingKind::Disputed) {
            let question = suite.case(&case.id).ok();
            let question = question.and_then(|case| suite.question(suite.expectation(&case)));
            let Some(question) = question else { continue };
            let place = match case.outcome.kind {
                OutcomeKind::Accepted => 0,
                OutcomeKind::Rejected => 1,
                _ => 2,
            };
            read.entry(&question.id).or_default()[place] += 1;
        }
        if read.is_empty() {
            continue;
        }
        let device = markdown_text(&run.name());
        let _ = writeln!(page, "\n## What the text leaves open: {device}\n");
        page.push_str("| question | accepts | rejects | neither |\n|---|---:|---:|---:|\n");
        for question in suite.questions() {
            let Some([accepts, rejects, neither]) = read.get(question.id.as_str()) else {
                continue;
            };
            let title = markdown_text(&question.title);
            let _ = writeln!(page, "| {title} | {accepts} | {rejects} | {neither} |");
        }
    }
    out.write_all(page.as_bytes())
}

/// Writes the known causes that the runs met, with their titles from `causes`.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn write_causes(out: &mut dyn Write, causes: &Causes, runs: &[Run]) -> io::Result<()> {
    let mut page = String::new();
    for run in runs {
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        for cause in (0..run.cases.len()).filter_map(|index| cause(run, index)) {
            *met.entry(cause).or_default() += 1;
        }
        if met.is_empty() {
            continue;
        }
        let _ = writeln!(page, "\n## Known causes: {}\n", markdown_text(&run.name()));
        page.push_str("| cause | what is wrong | component | cases |\n|---|---|---|---:|\n");
        let mut met: Vec<(&str, usize)> = met.into_iter().collect();
        met.sort_by_key(|(_, cases)| Reverse(*cases));
        for (id, cases) in met {
            let name = markdown_code(id);
            // A user's own entries name causes that the suite knows nothing of.
            let (name, title, component) = match causes.find(id) {
                Some(cause) => {
                    (format!("[{name}](docs/{PAGE}#{id})"), &*cause.title, cause.component.text())
                }
                None => (name, "", ""),
            };
            let title = markdown_text(title);
            let _ = writeln!(page, "| {name} | {title} | {component} | {cases} |");
        }
    }
    out.write_all(page.as_bytes())
}

fn page(runs: &[Run], broken: &[(String, String)]) -> String {
    let mut out = String::from("# Address spaces of OpenCL C\n\n");
    out.push_str("| device | front end | verdict |");
    for kind in FindingKind::ALL {
        let _ = write!(out, " {} |", kind.name());
    }
    out.push_str(" unexpected |\n|---|---|---|");
    out.push_str(&"---:|".repeat(FindingKind::ALL.len() + 1));
    out.push('\n');
    let counted: Vec<RunCounts> = runs.iter().map(RunCounts::of).collect();
    for (run, counted) in runs.iter().zip(&counted) {
        row(&mut out, run, counted);
    }
    for (device, why) in broken {
        let _ =
            writeln!(out, "\n✗ {} cannot be judged: {}", markdown_text(device), markdown_text(why));
    }
    for (run, counted) in runs.iter().zip(&counted) {
        section(&mut out, run, counted);
    }
    out
}

struct RunCounts {
    families: ByFamily,
    unexpected: usize,
    /// Unexpected failures, grouped by their look.
    found: Vec<Alike>,
}

impl RunCounts {
    fn of(run: &Run) -> Self {
        let mut unexpected = Vec::new();
        let cases = run.cases.briefs().enumerate().inspect(|(index, case)| {
            if run.status(*index, case.finding.kind) == Status::Fail {
                unexpected.push(*index);
            }
        });
        let families = by_family(cases.map(|(_, case)| case));
        let found = alike(&run.cases, &unexpected);
        Self { families, unexpected: unexpected.len(), found }
    }

    fn of_kind(&self, kind: FindingKind) -> usize {
        self.families.values().map(|counts| counts[kind as usize]).sum()
    }
}

fn row(out: &mut String, run: &Run, counted: &RunCounts) {
    let verdict = if !run.faults.is_empty() {
        "✗ partial results"
    } else if run.missing() > 0 {
        "✗ stopped"
    } else if counted.unexpected > 0 {
        "✗ unexpected findings"
    } else if !run.judgement.stale.is_empty() {
        "✗ stale baseline entries"
    } else if !run.judgement.wide.is_empty() {
        "✗ baseline entries too wide"
    } else if !run.is_as_expected() {
        "✗ not as expected"
    } else if run.has_tested_nothing() {
        "✗ nothing tested"
    } else {
        "✓ as expected"
    };
    let _ = write!(
        out,
        "| {} | {} | {verdict} |",
        markdown_text(&run.name()),
        markdown_text(run.front_end())
    );
    for kind in FindingKind::ALL {
        let _ = write!(out, " {} |", counted.of_kind(kind));
    }
    let _ = writeln!(out, " {} |", counted.unexpected);
}

fn section(out: &mut String, run: &Run, counted: &RunCounts) {
    let _ = writeln!(out, "\n## {}\n", markdown_text(&run.name()));
    for (name, value) in run.header.identity.iter().filter(|(_, value)| !value.trim().is_empty()) {
        let _ = writeln!(out, "- {}: {}", markdown_text(name), markdown_code(value));
    }
    for (dialect, why) in run.unsupported_dialects() {
        let _ = writeln!(out, "- not run, {}: {}", markdown_text(dialect), markdown_text(why));
    }
    for (title, what) in troubles(run) {
        let _ = writeln!(out, "\n✗ {title}: {}", markdown_text(&what));
    }
    for alike in counted.found.iter().take(SHOWN) {
        finding(out, run, alike.cases[0]);
        if let Some(others) = alike.others() {
            let _ = writeln!(out, "\nAnd {}.", markdown_text(&others));
        }
    }
    let more: usize = counted.found.iter().skip(SHOWN).map(|alike| alike.cases.len()).sum();
    if more > 0 {
        let _ = writeln!(out, "\n... and {} more.", plural(more, "unexpected failure"));
    }
    families(out, &counted.families);
}

fn finding(out: &mut String, run: &Run, index: usize) {
    let case = run.cases.get(index);
    let _ = writeln!(out, "\n### ✗ {}: {}\n", case.finding.kind.name(), markdown_code(&case.id));
    let _ =
        writeln!(out, "{} ({} expected).\n", case.finding.reason.text(), case.expectation.name());
    for line in case.outcome.run.as_deref().map(run_lines).unwrap_or_default() {
        let _ = writeln!(out, "- saw: {}", markdown_code(&line));
    }
    if let Some(control) = &case.control {
        let _ = writeln!(out, "- control: {}", markdown_code(control));
    }
    let id = shell_word(&case.id);
    let _ = writeln!(out, "- show: {}", markdown_code(&format!("address-spaces show {id}")));
    let again = format!("address-spaces --device {} --exact {id}", device_word(&run.header));
    let _ = writeln!(out, "- rerun: {}", markdown_code(&again));
    let log = log(&case);
    if !log.is_empty() {
        let longest = log.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let _ = writeln!(out, "\n{fence}text\n{log}\n{fence}");
    }
}

fn families(out: &mut String, families: &ByFamily) {
    out.push_str("\n<details><summary>by family of rules</summary>\n\n| family |");
    for kind in FindingKind::ALL {
        let _ = write!(out, " {} |", kind.name());
    }
    let _ = writeln!(out, "\n|---|{}", "---:|".repeat(FindingKind::ALL.len()));
    for (family, counts) in families {
        let _ = write!(out, "| {} |", markdown_text(family));
        for count in counts {
            let _ = write!(out, " {count} |");
        }
        out.push('\n');
    }
    out.push_str("\n</details>\n");
}
