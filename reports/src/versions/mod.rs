//! One device in several versions: fixed, worse and unchanged causes, each with the versions that changed it.

mod markdown;
mod text;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    mem,
};

use expectations::{case_id::CaseId, judge::FindingKind};

pub use self::{markdown::markdown, text::text};
use results::{
    cases::{Brief, Cases},
    run::Run,
};

/// A run of one version of a device.
#[derive(Clone, Copy, Debug)]
pub struct Version<'r> {
    /// Name of the device, distinguished from other runs of it.
    pub name: &'r str,
    /// Run of the version.
    pub run: &'r Run,
}

impl Version<'_> {
    /// Returns the whole version text that the driver reports.
    pub fn driver(&self) -> &str {
        self.run.header.driver()
    }

    /// Returns the version number that the driver reports, or the whole report if it has no number.
    pub fn label(&self) -> String {
        let version = self.run.version();
        version.map_or_else(|| self.driver().to_owned(), |version| version.to_string())
    }
}

/// The state of a case in one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not selected, not supported, or not judged.
    NotJudged,
    Passes,
    /// The case deviates; its number in the run.
    Deviates(usize),
}

impl State {
    fn of(number: usize, case: &Brief) -> Self {
        match case.finding.kind {
            FindingKind::Pass => Self::Passes,
            FindingKind::Disputed | FindingKind::Unsupported => Self::NotJudged,
            _ => Self::Deviates(number),
        }
    }
}

/// The reason of a deviation: cases with one reason are counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// No baseline entry explains it.
    Unexplained {
        rule: String,
        /// `fail: accepts an invalid program`.
        finding: String,
    },
    /// The reason of an entry.
    Known(String),
}

/// The course of a cause, from the oldest version to the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Course {
    /// Cases that passed deviate now.
    Worse,
    /// Some of its cases got worse, some better.
    Mixed,
    /// Some of its cases pass now.
    PartlyMended,
    /// No case changed.
    Stayed,
    /// Cases deviate only in versions between.
    Passing,
    /// All of its cases pass now.
    Mended,
    /// Only one version was tested: there is nothing to compare with.
    Alone,
}

impl Course {
    /// Every course, in the order of reports.
    pub const ALL: [Self; 7] = [
        Self::Worse,
        Self::Mixed,
        Self::PartlyMended,
        Self::Stayed,
        Self::Passing,
        Self::Mended,
        Self::Alone,
    ];

    /// Returns the name in machine formats.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Mixed => "mixed",
            Self::PartlyMended => "partly-mended",
            Self::Stayed => "stayed",
            Self::Passing => "came-and-went",
            Self::Mended => "mended",
            Self::Alone => "one-version-only",
        }
    }

    /// Returns a phrase for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Mixed => "some worse, some mended",
            Self::PartlyMended => "partly mended",
            Self::Stayed => "stayed",
            Self::Passing => "came and went",
            Self::Mended => "mended",
            Self::Alone => "in one version only",
        }
    }

    /// Returns a sign for the course.
    pub const fn sign(self) -> char {
        match self {
            Self::Worse => '✗',
            Self::Mixed | Self::PartlyMended | Self::Passing => '~',
            Self::Stayed => '=',
            Self::Mended => '✓',
            Self::Alone => '+',
        }
    }
}

/// The cases of a cause in one version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of cases that deviate.
    pub deviating: usize,
    /// Number of judged cases: the others are unsupported, or were not selected.
    pub judged: usize,
    /// Number of cases that deviate and passed in the last version that judged them.
    pub worse: usize,
    /// Number of cases that pass and deviated in the last version that judged them.
    pub mended: usize,
}

/// A cause of deviations with its counts, version by version.
#[derive(Clone, Debug)]
pub struct Cause {
    /// Reason of the deviations.
    pub why: Why,
    /// Rules whose cases show it.
    pub rules: BTreeSet<String>,
    /// Counts by version, the oldest first.
    pub counts: Vec<Count>,
    /// First case of the newest version that shows it.
    pub example: String,
    /// Version of the example.
    pub(crate) example_of: usize,
    /// Cases that deviate in the oldest and the newest version that judged them.
    stayed: usize,
    /// Cases that passed in the oldest and deviate in the newest.
    worse: usize,
    /// Cases that deviated in the oldest and pass in the newest.
    mended: usize,
    /// Cases that deviate in between only.
    passing: usize,
}

impl Cause {
    /// Returns the course of the cause.
    pub fn course(&self) -> Course {
        match (self.worse, self.mended, self.stayed) {
            (0, 0, 0) if self.passing > 0 => Course::Passing,
            (0, 0, 0) => Course::Alone,
            (0, 0, _) => Course::Stayed,
            (0, _, 0) if self.is_over() => Course::Mended,
            (0, _, _) => Course::PartlyMended,
            (_, 0, _) => Course::Worse,
            _ => Course::Mixed,
        }
    }

    /// Whether no case of it deviates in the newest version that judged any.
    fn is_over(&self) -> bool {
        let newest = self.counts.iter().rev().find(|count| count.judged > 0);
        newest.is_some_and(|count| count.deviating == 0)
    }

    /// Returns the indices of the versions in which it changed, the oldest first.
    pub fn changed_in(&self) -> Vec<usize> {
        let counts = self.counts.iter().enumerate();
        let changed = counts.filter(|(_, count)| count.worse + count.mended > 0);
        changed.map(|(version, _)| version).collect()
    }

    fn is_of(why: Why, versions: usize) -> Self {
        Self {
            why,
            rules: BTreeSet::new(),
            counts: vec![Count::default(); versions],
            example: String::new(),
            example_of: 0,
            stayed: 0,
            worse: 0,
            mended: 0,
            passing: 0,
        }
    }

    fn count(&mut self, id: &str, states: &[State]) {
        if !self.rules.contains(CaseId::new(id).rule()) {
            self.rules.insert(CaseId::new(id).rule().to_owned());
        }
        let mut before: Option<bool> = None;
        let mut first = None;
        for (version, state) in states.iter().enumerate() {
            let deviates = match state {
                State::NotJudged => continue,
                State::Passes => false,
                State::Deviates(_) => true,
            };
            let count = &mut self.counts[version];
            count.judged += 1;
            count.deviating += usize::from(deviates);
            match (before, deviates) {
                (Some(false), true) => count.worse += 1,
                (Some(true), false) => count.mended += 1,
                _ => {}
            }
            if deviates && (self.example.is_empty() || version > self.example_of) {
                (self.example, self.example_of) = (id.to_owned(), version);
            }
            first = first.or(Some((version, deviates)));
            before = Some(deviates);
        }
        let judged = states.iter().filter(|state| **state != State::NotJudged).count();
        match (first, before) {
            _ if judged < 2 => {}
            (Some((_, true)), Some(true)) => self.stayed += 1,
            (Some((_, false)), Some(true)) => self.worse += 1,
            (Some((_, true)), Some(false)) => self.mended += 1,
            _ => self.passing += 1,
        }
    }
}

/// The versions of one device, the oldest first, with the causes of their deviations.
#[derive(Clone, Debug)]
pub struct Versions<'r> {
    /// Versions, the oldest first.
    pub versions: Vec<Version<'r>>,
    /// Causes by course, of each course the largest first.
    pub causes: Vec<Cause>,
}

impl<'r> Versions<'r> {
    /// Gathers the causes of the versions of one device; sorts the versions by the numbers that the drivers report, and
    /// keeps the order given where they report none.
    pub fn of(mut versions: Vec<Version<'r>>) -> Self {
        versions.sort_by_key(|version| version.run.version());
        Self::in_order(versions)
    }

    /// Gathers the causes of versions in the order given, the oldest first.
    pub fn in_order(versions: Vec<Version<'r>>) -> Self {
        let mut causes: BTreeMap<Why, Cause> = BTreeMap::new();
        let all: Vec<&Cases> = versions.iter().map(|version| &version.run.cases).collect();
        each_case(&all, |id, briefs| {
            let states: Vec<State> = briefs
                .iter()
                .map(|brief| match brief {
                    None => State::NotJudged,
                    Some((number, case)) => State::of(*number, case),
                })
                .collect();
            // The newest version that shows it has the last word on why.
            let newest = states.iter().zip(&versions).zip(briefs).rev().find_map(|found| {
                let ((State::Deviates(number), version), Some((_, case))) = found else {
                    return None;
                };
                Some(why(version, *number, case))
            });
            let Some(why) = newest else { return };
            let cause = causes.entry(why);
            let cause = cause.or_insert_with_key(|why| Cause::is_of(why.clone(), versions.len()));
            cause.count(id, &states);
        });
        let mut causes: Vec<Cause> = causes.into_values().collect();
        causes.sort_by_key(|cause| {
            let deviating: usize = cause.counts.iter().map(|count| count.deviating).sum();
            (cause.course(), Reverse(deviating))
        });
        Self { versions, causes }
    }

    /// Returns the number of causes of a course.
    pub fn count(&self, course: Course) -> usize {
        self.causes.iter().filter(|cause| cause.course() == course).count()
    }

    /// Describes the course of a cause with the versions that changed it: `mended in 7.1`.
    pub fn course_text(&self, cause: &Cause) -> String {
        let course = cause.course();
        let changed: Vec<String> =
            cause.changed_in().into_iter().map(|version| self.versions[version].label()).collect();
        match course {
            Course::Stayed | Course::Alone => course.text().to_owned(),
            Course::Worse => format!("{} since {}", course.text(), changed.join(", ")),
            _ => format!("{} in {}", course.text(), changed.join(", ")),
        }
    }
}

/// Returns the reason for which a case deviates in a version.
fn why(version: &Version<'_>, number: usize, case: &Brief) -> Why {
    if let Some(entry) = version.run.entry(number) {
        return Why::Known(entry.reason.clone());
    }
    Why::Unexplained {
        rule: CaseId::new(&case.id).rule().to_owned(),
        finding: format!("{}: {}", case.finding.kind.name(), case.finding.reason.text()),
    }
}

/// Calls `each` for every case of any run, in the order of the ids, with its number and result in each run.
fn each_case(runs: &[&Cases], mut each: impl FnMut(&str, &[Option<(usize, Brief)>])) {
    let mut rest: Vec<_> = runs.iter().map(|cases| cases.briefs().enumerate()).collect();
    let mut heads: Vec<Option<(usize, Brief)>> = rest.iter_mut().map(Iterator::next).collect();
    loop {
        let first = heads.iter().flatten().map(|(_, case)| case.id.as_str()).min();
        let Some(id) = first.map(str::to_owned) else { return };
        let of_case: Vec<Option<(usize, Brief)>> = heads
            .iter_mut()
            .zip(&mut rest)
            .map(|(head, rest)| {
                let is_it = head.as_ref().is_some_and(|(_, case)| case.id == id);
                if is_it { mem::replace(head, rest.next()) } else { None }
            })
            .collect();
        each(&id, &of_case);
    }
}

#[cfg(test)]
mod tests;
