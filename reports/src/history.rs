//! Runs of devices over time: how many cases deviate, which case changed, and with which driver.

use std::{collections::BTreeMap, fmt::Write as _};

use anstyle::{AnsiColor, Style};
use expectations::judge::{Finding, FindingKind};

use crate::{
    cases::Cases,
    results::Header,
    text::{one_line, plural},
};

/// Every series of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// In the order of devices.
    pub series: Vec<Series>,
}

/// Runs of one device that selected the same cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The device.
    pub device: String,
    /// What was selected of the suite; empty where all of it was.
    pub selection: BTreeMap<String, String>,
    /// The runs, oldest first.
    pub runs: Vec<PastRun>,
    /// What changed from each run to the next, in the order of the runs.
    pub changes: Vec<PastChange>,
}

/// One run of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRun {
    /// When it began, `2026-11-20T15:00:00Z`.
    pub begun: String,
    /// Version of the driver.
    pub driver: String,
    /// The front end inside.
    pub front_end: String,
    /// Hash of the suite.
    pub suite: String,
    /// Number of cases.
    pub cases: usize,
    /// Seconds it took.
    pub seconds: f64,
    /// Number of findings by kind.
    pub findings: BTreeMap<String, usize>,
    /// Findings that the baseline of that day did not explain.
    pub unexpected: usize,
    /// Why its results were not whole; empty where they were.
    pub partial: String,
}

impl PastRun {
    /// Findings that deviate, known or not.
    pub fn deviating(&self) -> usize {
        let kinds = FindingKind::ALL.into_iter().filter(|kind| kind.needs_explanation());
        kinds.filter_map(|kind| self.findings.get(kind.name())).sum()
    }

    /// Cases that came out as required.
    pub fn passing(&self) -> usize {
        self.findings.get(FindingKind::Pass.name()).copied().unwrap_or(0)
    }

    /// The day it began.
    pub fn day(&self) -> &str {
        self.begun.split('T').next().unwrap_or_default()
    }
}

/// A case that is not what it was in the run before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastChange {
    /// The run it changed with: an index into [`Series::runs`].
    pub run: usize,
    /// The case.
    pub case: String,
    /// What it was; `None` where there was no such case.
    pub from: Option<Finding>,
    /// What it is; `None` where there is no such case any more.
    pub to: Option<Finding>,
}

/// Which way a case went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// The finding is worse.
    Worse,
    /// The finding is better.
    Better,
    /// Neither: new, gone, no longer or newly supported, or for another reason.
    Other,
}

impl PastChange {
    /// Which way it went.
    pub fn direction(&self) -> Direction {
        let badness = |finding: Option<Finding>| finding.and_then(|finding| finding.kind.badness());
        match (badness(self.from), badness(self.to)) {
            (Some(from), Some(to)) if to > from => Direction::Worse,
            (Some(from), Some(to)) if to < from => Direction::Better,
            _ => Direction::Other,
        }
    }

    /// `pass, now fail (accepts an invalid program)`.
    pub fn text(&self) -> String {
        let state = |finding: Option<Finding>| match finding {
            None => "not there".to_owned(),
            Some(Finding { kind: FindingKind::Pass, .. }) => "pass".to_owned(),
            Some(finding) => format!("{} ({})", finding.kind.name(), finding.reason.text()),
        };
        format!("{}, now {}", state(self.from), state(self.to))
    }
}

impl Series {
    /// The device, and what was selected where that was not everything.
    pub fn name(&self) -> String {
        if self.selection.is_empty() {
            return one_line(&self.device, 60);
        }
        let parts: Vec<String> =
            self.selection.iter().map(|(option, value)| format!("{option} {value}")).collect();
        one_line(&format!("{} ({})", self.device, parts.join(", ")), 120)
    }

    /// What changed with a run.
    pub fn changes_of(&self, run: usize) -> impl Iterator<Item = &PastChange> {
        self.changes.iter().filter(move |change| change.run == run)
    }

    /// How many cases got worse, and how many better, with a run.
    pub fn balance(&self, run: usize) -> (usize, usize) {
        let count = |wanted| self.changes_of(run).filter(|c| c.direction() == wanted).count();
        (count(Direction::Worse), count(Direction::Better))
    }
}

/// What a store keeps of a finished run.
pub fn past_run(
    header: &Header,
    cases: &Cases,
    begun: &str,
    seconds: f64,
    unexpected: usize,
) -> PastRun {
    let mut findings = BTreeMap::new();
    for case in cases.briefs() {
        *findings.entry(case.finding.kind.name().to_owned()).or_default() += 1;
    }
    PastRun {
        begun: begun.to_owned(),
        driver: header.driver().to_owned(),
        front_end: header.front_end.clone(),
        suite: header.suite.clone(),
        cases: cases.len(),
        seconds,
        findings,
        unexpected,
        partial: String::new(),
    }
}

/// The runs of every series, newest last, with terminal styles.
pub fn overview(history: &History) -> String {
    let mut out = String::new();
    for series in &history.series {
        let bold = Style::new().bold();
        let _ = writeln!(out, "{bold}{}{bold:#}", series.name());
        for (index, run) in series.runs.iter().enumerate() {
            let (worse, better) = series.balance(index);
            let changed = if index == 0 {
                String::new()
            } else {
                format!("  {worse} worse, {better} better")
            };
            let partial = if run.partial.is_empty() {
                String::new()
            } else {
                format!("  partial results: {}", one_line(&run.partial, 200))
            };
            let style = if worse > 0 { AnsiColor::Red.on_default() } else { Style::new() };
            let _ = writeln!(
                out,
                "  {}  {:<28} {:>7} as required {:>6} deviating {:>6} unexpected{style}{changed}{style:#}{partial}",
                one_line(&run.begun, 24),
                one_line(&run.driver, 28),
                run.passing(),
                run.deviating(),
                run.unexpected,
            );
        }
        out.push('\n');
    }
    if history.series.is_empty() {
        out.push_str(
            "no run yet: `address-spaces history add DIR` adds those of a results folder\n",
        );
    }
    out
}

/// When a case changed, and with which driver.
pub fn of_case(history: &History, case: &str) -> String {
    let mut out = String::new();
    for series in &history.series {
        let changes: Vec<&PastChange> =
            series.changes.iter().filter(|change| change.case == case).collect();
        let bold = Style::new().bold();
        let _ = writeln!(
            out,
            "{bold}{}{bold:#}  {} in {}",
            series.name(),
            plural(changes.len(), "change"),
            plural(series.runs.len(), "run")
        );
        for change in changes {
            let run = &series.runs[change.run];
            let _ = writeln!(
                out,
                "  {}  {}: {}",
                one_line(&run.begun, 24),
                one_line(&run.driver, 60),
                change.text()
            );
        }
    }
    out
}
