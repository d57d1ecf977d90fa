//! A sample of the verdicts that shared builds gave, each to be repeated by building its case alone.

use std::{collections::BTreeMap, hash::Hasher as _, time::Duration};

use expectations::{case_id::CaseId, evidence::Evidence, outcome::OutcomeKind};
use rustc_hash::{FxHashMap, FxHasher};

use super::{processor_time::processor_time, types::SampleSize};

/// Verdicts of one kind: the evidence for them, and what the device did.
type Stratum = (Evidence, bool);

/// The verdicts of a run that shared builds gave, and those of them that were chosen for the sample.
#[derive(Debug)]
pub(super) struct Sample {
    size: SampleSize,
    begun: Duration,
    /// Processor time of the run when the first build for the sample began, and the end of what it may use.
    budget: Option<Duration>,
    /// Jobs by stratum and rule, each with its rank. Once the sample is begun, the next of a rule is the last.
    strata: BTreeMap<Stratum, FxHashMap<String, Vec<(Rank, usize)>>>,
    /// Number of verdicts that shared builds gave.
    verdicts: usize,
    /// Number of verdicts chosen, by stratum and by rule within it.
    chosen: BTreeMap<Stratum, BTreeMap<String, usize>>,
    /// Number of verdicts chosen.
    count: usize,
}

/// The order in which cases of one rule are chosen: the same in every run, and unlike the order of their ids.
type Rank = u64;

impl Sample {
    /// Creates the sample of a run that begins now.
    pub(super) fn new(size: SampleSize) -> Self {
        Self {
            size,
            begun: processor_time(),
            budget: None,
            strata: BTreeMap::new(),
            verdicts: 0,
            chosen: BTreeMap::new(),
            count: 0,
        }
    }

    /// Adds a verdict that a shared build gave on a job.
    pub(super) fn add(&mut self, job: usize, id: &str, evidence: Evidence, kind: OutcomeKind) {
        self.verdicts += 1;
        let rules = self.strata.entry((evidence, kind == OutcomeKind::Accepted)).or_default();
        let rule = CaseId::new(id).rule();
        let jobs = match rules.get_mut(rule) {
            Some(jobs) => jobs,
            None => rules.entry(rule.to_owned()).or_default(),
        };
        jobs.push((rank(id), job));
    }

    /// Returns the next job of the sample, and whether it was accepted: of the stratum, and then of the rule, that has
    /// had the fewest. Returns `None` when the sample is large enough or its time is over.
    pub(super) fn next(&mut self) -> Option<(usize, bool)> {
        if self.is_full() {
            return None;
        }
        let of_stratum = |stratum: &Stratum| -> usize {
            self.chosen.get(stratum).map_or(0, |rules| rules.values().sum())
        };
        let stratum = *self.strata.keys().min_by_key(|&stratum| of_stratum(stratum))?;
        let rules = self.strata.get_mut(&stratum)?;
        let chosen = self.chosen.entry(stratum).or_default();
        let had = |rule: &str| chosen.get(rule).copied().unwrap_or_default();
        // Rules in an order that is not that of their names, so that a small sample is spread over families.
        let rule = rules.keys().min_by_key(|rule| (had(rule), rank(rule), *rule))?.clone();
        let jobs = rules.get_mut(&rule)?;
        let (_, job) = jobs.pop()?;
        if jobs.is_empty() {
            rules.remove(&rule);
        }
        if rules.is_empty() {
            self.strata.remove(&stratum);
        }
        *chosen.entry(rule).or_default() += 1;
        self.count += 1;
        Some((job, stratum.1))
    }

    /// Returns the number of verdicts that shared builds gave.
    pub(super) const fn verdicts(&self) -> usize {
        self.verdicts
    }

    fn is_full(&mut self) -> bool {
        let now = processor_time();
        if self.budget.is_none() {
            for jobs in self.strata.values_mut().flat_map(FxHashMap::values_mut) {
                jobs.sort_unstable_by(|one, other| other.cmp(one));
            }
        }
        let spent = now.saturating_sub(self.begun);
        let part = self.size.part_of_time;
        let end = *self.budget.get_or_insert_with(|| now + spent.mul_f64(part));
        self.count >= self.size.at_most(self.verdicts)
            || (now >= end && self.count >= self.size.at_least(self.verdicts))
    }
}

fn rank(text: &str) -> Rank {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn sample(size: SampleSize) -> Sample {
        let mut sample = Sample::new(size);
        for job in 0..4000 {
            let rule = ["a/b", "a/c", "d/e"][job % 3];
            let id = format!("{rule}/cl12/x={job}");
            let (evidence, kind) = match job {
                0..2 => (Evidence::Symbol, OutcomeKind::Rejected),
                2..2000 => (Evidence::Line, OutcomeKind::Rejected),
                _ => (Evidence::Program, OutcomeKind::Accepted),
            };
            sample.add(job, &id, evidence, kind);
        }
        sample
    }

    fn chosen(sample: &mut Sample) -> Vec<usize> {
        std::iter::from_fn(|| sample.next()).map(|(job, _)| job).collect()
    }

    #[test]
    fn a_sample_is_stable_and_spread_over_evidence_and_rules() {
        let unhurried = || {
            let mut sample = sample(SampleSize::USUAL);
            assert!(!sample.is_full());
            sample.budget = Some(Duration::MAX);
            sample
        };
        let jobs = chosen(&mut unhurried());
        assert_eq!(jobs, chosen(&mut unhurried()));
        assert_eq!(jobs.len(), 300);
        let count = |is_in: &dyn Fn(usize) -> bool| jobs.iter().filter(|&&job| is_in(job)).count();
        assert_eq!(count(&|job| job < 2), 2);
        assert_eq!(count(&|job| (2..2000).contains(&job)), 149);
        for rule in 0..3 {
            assert!(count(&|job| job % 3 == rule) >= 98, "rule {rule}");
        }
        assert_eq!(jobs.iter().collect::<BTreeSet<_>>().len(), jobs.len());
    }

    #[test]
    fn a_sample_whose_time_is_over_has_some_of_each_evidence() {
        let mut hurried = sample(SampleSize { part_of_time: 0.0, ..SampleSize::USUAL });
        let jobs = chosen(&mut hurried);
        assert_eq!(jobs.len(), 8);
        assert!(jobs.iter().any(|&job| job < 2) && jobs.iter().any(|&job| job >= 2000));
        assert_eq!(hurried.verdicts(), 4000);
    }

    #[test]
    fn sizes_follow_the_number_of_verdicts() {
        let size = SampleSize::USUAL;
        for (verdicts, at_least, at_most) in
            [(0, 0, 0), (1, 1, 1), (9, 1, 9), (146, 8, 146), (4000, 8, 300), (90_000, 8, 900)]
        {
            assert_eq!(size.at_least(verdicts), at_least, "{verdicts}");
            assert_eq!(size.at_most(verdicts), at_most, "{verdicts}");
        }
    }
}
