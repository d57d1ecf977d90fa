//! What the cases of `--quick` keep of the suite.

use std::collections::{BTreeMap, BTreeSet};

use expectations::{
    baseline::Deviation,
    dialect::{Dialect, Language},
    probe::{Probe, Step},
    rule::Expectation,
};
use generator::{
    suite::{Case, Suite},
    templates::TemplateError,
};

use crate::{
    commands::mutants::{Mutant, breaks},
    findings::judging::Prepared,
};

/// The dialects of which every rule keeps a case on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    /// Those of OpenCL C without the generic address space.
    Plain,
    /// Those of OpenCL C with it.
    Generic,
    /// Those of C++ for OpenCL.
    Cxx,
}

impl Column {
    fn of(dialect: Dialect) -> Self {
        match (dialect.language, dialect.generic) {
            (Language::OpenclC, false) => Self::Plain,
            (Language::OpenclC, true) => Self::Generic,
            (Language::CxxForOpencl, _) => Self::Cxx,
        }
    }

    /// The dialects of it that most devices have: each one more is another check of the device and other programs.
    fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["cl12", "cl11"],
            Self::Generic => &["cl30-generic-globals"],
            Self::Cxx => &["clcpp2021-generic-globals"],
        }
    }
}

/// What is expected of the cases of a side of a rule; those to accept are executed where the rule has a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Accept,
    Reject,
}

/// Something of which a case is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kept {
    /// A side of a rule.
    Side { rule: usize, side: Side, column: Column },
    /// A mutant of the checker that is noticed, by its number.
    Mutant(usize),
    /// A baseline entry, by its number.
    Entry(usize),
}

/// How many kernels cost a driver what a program does.
const KERNELS_OF_A_PROGRAM: usize = 3;

/// How much a case is preferred to others that keep as much: the least first. Of a dialect that most devices have, what
/// costs least; most of what a run costs is execution.
pub(super) fn preference(
    suite: &Suite,
    case: &Case,
) -> Result<(bool, usize, usize, usize, String), TemplateError> {
    let usual = Column::of(case.dialect).usual();
    let place = usual.iter().position(|name| *name == case.dialect.name());
    let cost = suite.probe(case)?.as_ref().map_or(0, compiled);
    let place_or_last = place.unwrap_or(usual.len());
    Ok((place.is_none(), cost, place_or_last, case.requirements.len(), case.id.clone()))
}

/// What a driver may compile to execute a probe, in kernels: each anew for every shape of groups.
fn compiled(probe: &Probe) -> usize {
    let groups: BTreeSet<&[usize]> = probe.shapes.iter().map(|shape| &*shape.group).collect();
    let mut kernels = BTreeSet::new();
    let mut modules = 0;
    for step in &probe.steps {
        match step {
            Step::Launch(launch) => _ = kernels.insert((&launch.program, &launch.kernel)),
            Step::Ask(ask) => _ = kernels.insert((&ask.program, &ask.kernel)),
            Step::Build(build) => modules += build.modules.len(),
            Step::Check(_) | Step::Write { .. } | Step::Require(_) | Step::Reject(_) => {}
        }
    }
    groups.len() * kernels.len() + KERNELS_OF_A_PROGRAM * modules
}

/// The side of its rule that a case is on; none where the text leaves open what is expected.
pub(super) fn side(suite: &Suite, case: &Case) -> Option<Kept> {
    let side = match suite.expectation(case) {
        Expectation::Accept => Side::Accept,
        Expectation::Reject { .. } => Side::Reject,
        Expectation::Disputed { .. } => return None,
    };
    Some(Kept::Side { rule: case.rule, side, column: Column::of(case.dialect) })
}

/// The entries that cases of the suite can keep.
pub(super) struct Entries<'e> {
    all: Vec<&'e Deviation>,
    by_example: BTreeMap<&'e str, Vec<usize>>,
    without_example: Vec<usize>,
}

impl<'e> Entries<'e> {
    /// Those of these that speak of cases of the suite.
    pub(super) fn of_suite(entries: &[&'e Deviation]) -> Self {
        let of_suite = |entry: &&&Deviation| !entry.is_of_random_programs();
        let entries: Vec<&Deviation> = entries.iter().filter(of_suite).copied().collect();
        let mut by_example: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut without_example = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            match &entry.example {
                Some(example) => by_example.entry(example).or_default().push(number),
                None => without_example.push(number),
            }
        }
        Self { all: entries, by_example, without_example }
    }

    /// The cases that show them best.
    pub(super) fn examples(&self) -> impl Iterator<Item = &'e str> {
        self.by_example.keys().copied()
    }

    /// Those that a case keeps: it is their example, or they have none and speak of it.
    pub(super) fn kept_by(&self, case: &str) -> impl Iterator<Item = Kept> {
        let matching = |&&number: &&usize| self.all[number].matches(case);
        let shown = self.by_example.get(case).into_iter().flatten();
        shown.chain(self.without_example.iter().filter(matching)).map(|&entry| Kept::Entry(entry))
    }
}

/// Which mutants each of the cases keeps: it notices them, and is of the rule they belong to where they belong to one.
pub(super) fn mutants_kept(
    mutants: &[(usize, Mutant)],
    cases: &[Prepared<'_>],
) -> BTreeSet<(usize, usize)> {
    let mut kept = BTreeSet::new();
    for &(number, mutant) in mutants {
        let notices = mutant.noticed_by(cases).into_iter();
        let is_own = |&place: &usize| mutant.rule().is_none_or(|rule| breaks(&cases[place], rule));
        kept.extend(notices.filter(is_own).map(|place| (place, number)));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_a_driver_less_is_preferred() {
        let suite = Suite::embedded().unwrap();
        let preference = |id| preference(&suite, &suite.case(id).unwrap()).unwrap();
        for (better, worse) in [
            // Not executed, and executed.
            (
                "attribute/aligned/cl12/alignment=large,initializer=given,position=after,space=local",
                "execution/barrier/cl11/flags=both",
            ),
            // One shape of groups, and two.
            ("execution/barrier/cl11/flags=both", "execution/barrier/cl12/flags=both"),
            // No further programs.
            (
                "execution/barrier/cl12/flags=both",
                "execution/extern-definitions/cl12/definition=first,what=constant",
            ),
        ] {
            assert!(preference(better) < preference(worse), "{better} {worse}");
        }
    }
}
