//! Index of baseline entries by the cases that they match.

use std::collections::{BTreeSet, HashMap};

use super::entry::Deviation;
use crate::{case_id::CaseId, judge::Direction, outcome::Phase, renamed};

/// Finds the patterns that match a case by what they begin with: of twenty thousand few are tried.
pub struct PatternIndex<'d> {
    pub(super) deviations: &'d [Deviation],
    /// Entry and pattern, by the whole pattern where it has no wildcard.
    plain: HashMap<&'d str, Vec<(usize, usize)>>,
    /// Entry and pattern, by the part of the pattern before the first wildcard.
    by_beginning: HashMap<&'d str, Vec<(usize, usize)>>,
    /// Lengths of these parts.
    lengths: BTreeSet<usize>,
}

impl<'d> PatternIndex<'d> {
    /// Builds the index of the patterns of these entries.
    pub fn new(deviations: &'d [Deviation]) -> Self {
        let mut plain: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        let mut by_beginning: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        let mut lengths = BTreeSet::new();
        for (entry, deviation) in deviations.iter().enumerate() {
            for (pattern, text) in deviation.cases.iter().enumerate() {
                let wildcard = text.find(['*', '?']);
                let variants = CaseId::variants(text).map(|dialect| dialect.end);
                let found = match wildcard.map(|length| variants.unwrap_or(length).min(length)) {
                    None => plain.entry(text).or_default(),
                    Some(length) => {
                        lengths.insert(length);
                        by_beginning.entry(&text[..length]).or_default()
                    }
                };
                found.push((entry, pattern));
            }
        }
        Self { deviations, plain, by_beginning, lengths }
    }

    /// Returns the entry and the pattern of every match of the case, by its name and the former name of its rule, in
    /// the order of the entries.
    pub fn matching(&self, case: &str) -> Vec<(usize, usize)> {
        let mut found = self.matching_name(case);
        if let Some(old) = renamed::former(case) {
            found.extend(self.matching_name(&old));
        }
        found.retain(|&(entry, _)| self.deviations[entry].is_meant(case));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn matching_name(&self, case: &str) -> Vec<(usize, usize)> {
        let beginnings = self.lengths.iter().filter_map(|&length| case.get(..length));
        let tried = beginnings.filter_map(|beginning| self.by_beginning.get(beginning)).flatten();
        let matches = |&&(entry, pattern): &&(usize, usize)| {
            self.deviations[entry].patterns[pattern].matches(case)
        };
        let plain = self.plain.get(case).into_iter().flatten();
        plain.chain(tried.filter(matches)).copied().collect()
    }

    /// Returns the entries saying that the case or its control crashes or hangs the driver, alone or with others, or
    /// has no stable outcome.
    pub fn harmful(&self, case: &str) -> impl Iterator<Item = &Deviation> {
        let harms = |direction: &Direction| {
            matches!(
                direction,
                Direction::Crash
                    | Direction::CrashWithOthers
                    | Direction::Timeout
                    | Direction::Flaky
            )
        };
        self.entries(case).filter(move |entry| entry.directions().iter().any(harms))
    }

    /// Whether an entry says that the case hangs, and names another case as its example.
    pub fn hangs(&self, case: &str) -> bool {
        self.entries(case).any(|entry| {
            entry.directions().contains(&Direction::Timeout)
                && entry.example.as_deref() != Some(case)
        })
    }

    /// Whether the device's front end, or its linker, is known to reject the valid case.
    pub fn is_rejected(&self, case: &str) -> bool {
        self.entries(case).any(|entry| {
            entry.directions().contains(&Direction::RejectsValid)
                && entry.phase.is_none_or(|phase| phase == Phase::Build)
        })
    }

    /// Whether the device is known to accept the valid case and to fail when it generates its code.
    pub fn fails_later(&self, case: &str) -> bool {
        self.entries(case).any(|entry| {
            entry.directions().contains(&Direction::FailsLater)
                && entry.phase.is_none_or(|phase| phase == Phase::GenerateCode)
        })
    }

    /// Whether the device's front end is known to accept the invalid case.
    pub fn is_accepted(&self, case: &str) -> bool {
        self.entries(case).any(|entry| entry.directions().contains(&Direction::AcceptsInvalid))
    }

    fn entries(&self, case: &str) -> impl Iterator<Item = &Deviation> {
        self.matching(case).into_iter().map(|(entry, _)| &self.deviations[entry])
    }
}
