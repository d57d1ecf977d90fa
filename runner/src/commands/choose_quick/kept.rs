//! Parts of the suite that the cases of `--quick` keep.

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
    findings::judging::PreparedCase,
};

/// Groups of dialects; in each, every rule keeps a case on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    /// Dialects of OpenCL C without the generic address space.
    Plain,
    /// Dialects of OpenCL C with the generic address space.
    Generic,
    /// Dialects of C++ for OpenCL.
    Cxx,
    /// Dialects of SPIR-V.
    Spirv,
}

impl Column {
    fn of(dialect: Dialect) -> Self {
        match (dialect.language, dialect.generic) {
            (Language::OpenclC, false) => Self::Plain,
            (Language::OpenclC, true) => Self::Generic,
            (Language::CxxForOpencl, _) => Self::Cxx,
            (Language::Spirv, _) => Self::Spirv,
        }
    }

    /// Returns the dialects of the column that most devices have. Each further dialect means one more check of the
    /// device, and further programs.
    fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["cl12", "cl11"],
            Self::Generic => &["cl30-generic-globals"],
            Self::Cxx => &["clcpp2021-generic-globals"],
            Self::Spirv => &["spirv10", "spirv14"],
        }
    }
}

/// Expectation for the cases of one side of a rule. Cases to accept are executed where the rule has a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Accept,
    Reject,
}

/// A part of the suite that a case is kept for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeptPart {
    /// A side of a rule.
    Side { rule: usize, side: Side, column: Column },
    /// A mutant of the checker that is noticed, by its number.
    Mutant(usize),
    /// A baseline entry, by its number.
    Entry(usize),
}

/// Number of kernels whose compilation costs a driver as much as one program does.
const KERNELS_OF_A_PROGRAM: usize = 3;

/// Returns the rank of a case among those that keep as much, where the least is preferred. Dialects that most devices
/// have come first, then low costs; most of a run's cost is execution.
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

/// Returns the number of kernels that a driver may compile to execute a probe: each is compiled anew for every shape of
/// groups.
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

/// Returns the side of its rule that a case is on; `None` if the expectation is disputed.
pub(super) fn side(suite: &Suite, case: &Case) -> Option<KeptPart> {
    let side = match suite.expectation(case) {
        Expectation::Accept => Side::Accept,
        Expectation::Reject { .. } => Side::Reject,
        Expectation::Disputed { .. } => return None,
    };
    Some(KeptPart::Side { rule: case.rule, side, column: Column::of(case.dialect) })
}

/// The entries that cases of the suite can keep.
pub(super) struct Entries<'e> {
    all: Vec<&'e Deviation>,
    by_example: BTreeMap<&'e str, Vec<usize>>,
    without_example: Vec<usize>,
}

impl<'e> Entries<'e> {
    /// Returns the entries that match cases of the suite.
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

    /// Returns the example cases of the entries.
    pub(super) fn examples(&self) -> impl Iterator<Item = &'e str> {
        self.by_example.keys().copied()
    }

    /// Returns the entries that a case keeps: it is their example, or they have none and match it.
    pub(super) fn kept_by(&self, case: &str) -> impl Iterator<Item = KeptPart> {
        let matching = |&&number: &&usize| self.all[number].matches(case);
        let shown = self.by_example.get(case).into_iter().flatten();
        shown
            .chain(self.without_example.iter().filter(matching))
            .map(|&entry| KeptPart::Entry(entry))
    }
}

/// Returns the mutants that each case keeps: it notices them, and it belongs to their rule where they have one.
pub(super) fn mutants_kept(
    mutants: &[(usize, Mutant)],
    cases: &[PreparedCase<'_>],
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
