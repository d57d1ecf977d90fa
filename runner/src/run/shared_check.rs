//! The check of verdicts that shared builds gave, by builds of the cases alone: what is compared, and what follows from a
//! difference.

use std::collections::BTreeSet;

use expectations::{evidence::Evidence, outcome::Outcome};
use reports::results::SharedCheck;

use crate::{
    engine::{self, Config, EngineError, Event, Job, Learned},
    findings::{baseline, judging::Judging},
    run::confirming::{Scene, Told},
};

/// Number of cases of a questionable baseline entry that are built alone before the entry is complained of.
const CASES_OF_AN_ENTRY: usize = 3;

/// A check that goes on.
#[derive(Debug, Default)]
pub(super) struct Check {
    verdicts: usize,
    confirmed: BTreeSet<usize>,
    differing: BTreeSet<usize>,
    /// Kinds of evidence that were found wanting.
    doubted: BTreeSet<Evidence>,
}

impl Check {
    /// Adds the number of verdicts that shared builds gave.
    pub(super) fn add_verdicts(&mut self, verdicts: usize) {
        self.verdicts += verdicts;
    }

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

    /// Builds cases of those baseline entries alone that would be complained of.
    pub(super) fn check_entries(
        &mut self,
        scene: Scene<'_, '_>,
        judging: &Judging<'_, '_>,
        learned: &Learned,
        tell: &mut dyn FnMut(Told<'_>),
    ) -> Result<(), EngineError> {
        let Scene { suite, device, prepared, config, depth, cancel } = scene;
        let mut cases = Vec::new();
        for entry in baseline::questionable(suite, device, judging.results()) {
            let of_entry = entry.passing.iter().filter_map(|id| judging.number(id));
            let shared = of_entry.filter(|&index| {
                judging.evidence(index).is_some_and(Evidence::is_shared)
                    && !self.confirmed.contains(&index)
            });
            cases.extend(shared.take(CASES_OF_AN_ENTRY));
        }
        cases.sort_unstable();
        cases.dedup();
        if cases.is_empty() || cancel.is_cancelled() {
            return Ok(());
        }
        let config =
            Config { isolate: true, sample: None, learned: learned.clone(), ..config.clone() };
        let jobs: Vec<Job> = cases.iter().map(|&index| prepared[index].job(depth)).collect();
        let mut outcomes = Vec::new();
        let report = engine::run(device, &jobs, &config, cancel, &mut |event| match event {
            Event::Finished { job, record } => outcomes.push((cases[job], record.outcome)),
            Event::Warning(text) => tell(Told::Warning(text)),
            Event::Opened(_)
            | Event::FailedTwice { .. }
            | Event::Checked { .. }
            | Event::Unreproduced { .. } => {}
        })?;
        tell(Told::Worked(&report.worker_time));
        for (index, alone) in outcomes {
            self.compare(judging, index, &alone);
        }
        Ok(())
    }

    /// Kinds of evidence of which a verdict differs from that of a build of its case alone.
    pub(super) fn doubted(&self) -> &BTreeSet<Evidence> {
        &self.doubted
    }

    /// Returns the check as results keep it.
    pub(super) fn into_report(self, scene: Scene<'_, '_>) -> SharedCheck {
        let ids = |indices: BTreeSet<usize>| {
            let mut ids: Vec<String> =
                indices.into_iter().map(|index| scene.prepared[index].id.clone()).collect();
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
