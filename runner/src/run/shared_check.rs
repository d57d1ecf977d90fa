//! The check of verdicts that shared builds gave, by builds of the cases alone: what is compared, and what follows from
//! a difference.

use std::collections::BTreeSet;

use expectations::{device::DeviceFile, evidence::Evidence, outcome::Outcome};
use generator::suite::Suite;
use results::shared_check::SharedCheck;

use crate::findings::{
    baseline,
    judging::{Judging, PreparedCase},
};

/// Number of cases of a questionable baseline entry that are built alone before the entry is reported.
const CASES_OF_AN_ENTRY: usize = 3;

/// A check in progress.
#[derive(Debug, Default)]
pub(super) struct Check {
    /// Number of verdicts that shared builds gave.
    pub(super) verdicts: usize,
    confirmed: BTreeSet<usize>,
    differing: BTreeSet<usize>,
    /// Kinds of evidence that were found wanting.
    doubted: BTreeSet<Evidence>,
}

impl Check {
    /// Compares the outcome of a build of a case alone with that of a shared build.
    pub(super) fn compare(&mut self, judging: &Judging<'_, '_>, index: usize, alone: &Outcome) {
        let (Some(shared), Some(evidence)) = (judging.outcome(index), judging.evidence(index))
        else {
            return;
        };
        let is_same = shared.kind == alone.kind
            && shared.phase == alone.phase
            && judging.judged(index, shared) == judging.judged(index, alone);
        if is_same {
            self.confirmed.insert(index);
        } else {
            self.differing.insert(index);
            self.doubted.insert(evidence);
        }
    }

    /// Returns cases to be built alone before a baseline entry is reported: some that it matches and that pass by the
    /// evidence of a shared build.
    pub(super) fn cases_of_entries(
        &self,
        suite: &Suite,
        device: &DeviceFile,
        judging: &Judging<'_, '_>,
    ) -> Vec<usize> {
        let mut cases = Vec::new();
        for passing in baseline::passing_of_questionable(suite, device, judging.results()) {
            let of_entry = passing.iter().filter_map(|id| judging.number(id));
            let unconfirmed = of_entry.filter(|index| !self.confirmed.contains(index));
            cases.extend(unconfirmed.take(CASES_OF_AN_ENTRY));
        }
        cases.sort_unstable();
        cases.dedup();
        cases
    }

    /// Returns the kinds of evidence for which a verdict differs from that of a build of the case alone.
    pub(super) fn doubted(&self) -> &BTreeSet<Evidence> {
        &self.doubted
    }

    /// Returns the check as results keep it.
    pub(super) fn into_report(self, prepared: &[PreparedCase<'_>]) -> SharedCheck {
        let ids = |indices: BTreeSet<usize>| {
            let mut ids: Vec<String> =
                indices.into_iter().map(|index| prepared[index].id.clone()).collect();
            ids.sort_unstable();
            ids
        };
        SharedCheck {
            verdicts: self.verdicts,
            confirmed: ids(self.confirmed),
            differing: ids(self.differing),
            withdrawn: self.doubted.into_iter().collect(),
        }
    }
}
