//! Mistakes an implementation could make, shown by changing the checker: rules switched off, facts changed.

use std::fmt;

use checker::{Checker, Rule, Verdict};
use expectations::{
    dialect::{Dialect, Version},
    rule::Expectation,
};
use rayon::prelude::*;

use crate::{
    device::checker::{checker_dialect, not_read},
    findings::judging::PreparedCase,
};

/// A mistake an implementation could make.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mutant {
    /// A rule is not enforced.
    Without(Rule),
    /// Programs of one dialect are read as another: a gate by version or feature is off.
    ReadAs { from: Dialect, to: Dialect },
    /// One space is taken for another wherever it is written.
    Confuses { space: &'static str, with: &'static str },
}

/// Pairs of gates between which no rule distinguishes, with the reason: such a mutant is not a mistake.
pub(super) const EQUIVALENT: [(&str, &str, &str); 1] = [(
    "cl20",
    "cl30-generic-globals",
    "with both features 3.0 has the address-space rules of 2.0; each case declares the other \
     optional features that it needs",
)];

/// Returns every mutant.
pub(super) fn all() -> Vec<Mutant> {
    let mut mutants: Vec<Mutant> = Rule::of_address_spaces().map(Mutant::Without).collect();
    let all = Dialect::OPENCL_C;
    let gates = all.iter().flat_map(|&from| all.iter().map(move |&to| (from, to)));
    // Two dialects that differ in one step: the next version, or one feature.
    mutants.extend(
        gates
            .filter(|&(from, to)| steps(from, to) == 1 && !is_equivalent(from, to))
            .map(|(from, to)| Mutant::ReadAs { from, to }),
    );
    let spaces = ["global", "local", "constant", "private"];
    mutants.extend(spaces.iter().flat_map(|&space| {
        spaces
            .iter()
            .filter(move |&&with| with != space)
            .map(move |&with| Mutant::Confuses { space, with })
    }));
    mutants
}

fn is_equivalent(from: Dialect, to: Dialect) -> bool {
    EQUIVALENT.iter().any(|(a, b, _)| (*a, *b) == (from.name(), to.name()))
}

/// Returns the number of versions and features that lie between two dialects.
fn steps(from: Dialect, to: Dialect) -> usize {
    if from.version == to.version {
        return usize::from(from.generic != to.generic)
            + usize::from(from.program_scope_globals != to.program_scope_globals);
    }
    let versions = (from.version as usize).abs_diff(to.version as usize);
    // Between 2.0 and 3.0 the features stay.
    let features = from.version >= Version::V2_0
        && to.version >= Version::V2_0
        && (from.generic, from.program_scope_globals) != (to.generic, to.program_scope_globals);
    versions + usize::from(features)
}

impl Mutant {
    /// Returns the indices of the cases whose verdict the mutant gets wrong.
    pub(super) fn noticed_by(&self, cases: &[PreparedCase<'_>]) -> Vec<usize> {
        cases
            .par_iter()
            .enumerate()
            .filter(|(_, prepared)| self.concerns(prepared))
            .map_init(
                || None,
                |checker: &mut Option<(checker::Dialect, Checker)>, (place, prepared)| {
                    let dialect = self.reads(prepared);
                    let checker = match checker {
                        Some((same, checker)) if *same == dialect => checker,
                        _ => &mut checker.insert((dialect, self.checker(dialect))).1,
                    };
                    let verdict = checker.check("case.cl", &prepared.kernel.source).verdict;
                    (place, prepared, verdict == Verdict::Accepted)
                },
            )
            .filter(|(_, prepared, accepted)| {
                *accepted != (*prepared.expectation == Expectation::Accept)
            })
            .map(|(place, ..)| place)
            .collect()
    }

    /// Returns the id of the rule that the mutant belongs to.
    pub(super) fn rule(&self) -> Option<&'static str> {
        if let Self::Without(rule) = self { Some(rule.id()) } else { None }
    }

    /// Returns whether the mutant can change the verdict on a case. Disputed cases notice nothing, and neither do
    /// dialects that the checker does not read; removing a rule changes nothing for programs to accept.
    fn concerns(&self, prepared: &PreparedCase<'_>) -> bool {
        not_read(prepared.dialect).is_none()
            && match (self, prepared.expectation) {
                (_, Expectation::Disputed { .. }) | (Self::Without(_), Expectation::Accept) => {
                    false
                }
                (Self::ReadAs { from, .. }, _) => prepared.dialect == *from,
                _ => true,
            }
    }

    fn reads(&self, prepared: &PreparedCase<'_>) -> checker::Dialect {
        let dialect = if let Self::ReadAs { to, .. } = self { *to } else { prepared.dialect };
        checker_dialect(dialect, &prepared.requirements)
    }

    fn checker(&self, dialect: checker::Dialect) -> Checker {
        let checker = Checker::new(dialect);
        match self {
            Self::Without(rule) => checker.without(*rule),
            Self::ReadAs { .. } => checker,
            Self::Confuses { space, with } => {
                [format!("{space}=__{with}"), format!("__{space}=__{with}")].iter().fold(
                    checker,
                    |checker, definition| {
                        checker.define(definition).expect("the definitions are fixed")
                    },
                )
            }
        }
    }
}

/// Whether a case has to be rejected for this rule of the checker.
pub(super) fn breaks(prepared: &PreparedCase<'_>, rule: &str) -> bool {
    matches!(prepared.expectation, Expectation::Reject { breaks } if **breaks == *rule)
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Without(rule) => write!(f, "does not enforce {}", rule.id()),
            Self::ReadAs { from, to } => write!(f, "reads {from} as {to}"),
            Self::Confuses { space, with } => write!(f, "takes {space} for {with}"),
        }
    }
}
