//! Past runs of devices: the number of deviations over time, and the run with which a case changed.

use std::collections::BTreeMap;

use expectations::judge::{Finding, FindingKind};

use crate::{run::Run, text::one_line};

/// The past runs of all devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Series of runs, in the order of the devices.
    pub series: Vec<Series>,
}

/// The runs of one device that selected the same cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name of the device.
    pub device: String,
    /// Selection of cases, by option; empty if all of them were.
    pub selection: BTreeMap<String, String>,
    /// Runs, oldest first.
    pub runs: Vec<PastRun>,
    /// Changes from each run to the next, in the order of the runs.
    pub changes: Vec<PastChange>,
}

/// The facts that a history keeps about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRun {
    /// Moment at which the run began, `2026-11-20T15:00:00Z`.
    pub begun: String,
    /// Version of the driver.
    pub driver: String,
    /// Front end inside the device.
    pub front_end: String,
    /// Hash of the suite.
    pub suite: String,
    /// Number of cases.
    pub cases: usize,
    /// Seconds the run took.
    pub seconds: f64,
    /// Number of findings by kind.
    pub findings: BTreeMap<String, usize>,
    /// Number of deviations that the baseline did not explain when the run was added.
    pub unexpected: usize,
    /// Faults of the results; empty if they were whole.
    pub partial: String,
}

impl PastRun {
    /// Returns the facts of a run.
    pub fn of(run: &Run) -> Self {
        let mut findings = BTreeMap::new();
        let mut deviating = 0;
        for case in run.cases.briefs() {
            *findings.entry(case.finding.kind.name().to_owned()).or_default() += 1;
            deviating += usize::from(case.finding.kind.needs_explanation());
        }
        Self {
            begun: run.header.begun.clone(),
            driver: run.header.driver().to_owned(),
            front_end: run.header.front_end.clone(),
            suite: run.header.suite.clone(),
            cases: run.cases.len(),
            seconds: run.seconds(),
            findings,
            unexpected: deviating - run.judgement.baseline.explained.len(),
            partial: run.partial().unwrap_or_default(),
        }
    }

    /// Returns the number of deviations, explained or not.
    pub fn deviating(&self) -> usize {
        let kinds = FindingKind::ALL.into_iter().filter(|kind| kind.needs_explanation());
        kinds.filter_map(|kind| self.findings.get(kind.name())).sum()
    }

    /// Returns the number of cases that passed.
    pub fn passing(&self) -> usize {
        self.findings.get(FindingKind::Pass.name()).copied().unwrap_or(0)
    }

    /// Returns the day on which the run began.
    pub fn day(&self) -> &str {
        self.begun.split('T').next().unwrap_or_default()
    }
}

/// A case whose finding differs from the run before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastChange {
    /// Index into [`Series::runs`] of the run that changed it.
    pub run: usize,
    /// Id of the case.
    pub case: String,
    /// Finding before; `None` if the case did not exist.
    pub from: Option<Finding>,
    /// Finding since; `None` if the case does not exist any more.
    pub to: Option<Finding>,
}

/// The direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// The finding is worse.
    Worse,
    /// The finding is better.
    Better,
    /// Any other change: new, gone, no longer or newly supported, or another reason.
    Other,
}

impl PastChange {
    /// Returns the direction of the change.
    pub fn direction(&self) -> Direction {
        let badness = |finding: Option<Finding>| finding.and_then(|finding| finding.kind.badness());
        match (badness(self.from), badness(self.to)) {
            (Some(from), Some(to)) if to > from => Direction::Worse,
            (Some(from), Some(to)) if to < from => Direction::Better,
            _ => Direction::Other,
        }
    }

    /// Describes the change: `pass, now fail (accepts an invalid program)`.
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
    /// Returns the name of the device, with the selection where it was not everything.
    pub fn name(&self) -> String {
        if self.selection.is_empty() {
            return one_line(&self.device, 60);
        }
        let parts: Vec<String> =
            self.selection.iter().map(|(option, value)| format!("{option} {value}")).collect();
        one_line(&format!("{} ({})", self.device, parts.join(", ")), 120)
    }

    /// Returns the changes of a run.
    pub fn changes_of(&self, run: usize) -> impl Iterator<Item = &PastChange> {
        self.changes.iter().filter(move |change| change.run == run)
    }

    /// Returns how many cases got worse, and how many better, with a run.
    pub fn balance(&self, run: usize) -> (usize, usize) {
        let count = |wanted| self.changes_of(run).filter(|c| c.direction() == wanted).count();
        (count(Direction::Worse), count(Direction::Better))
    }
}
