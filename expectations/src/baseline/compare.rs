//! A run compared with a baseline.

use super::{
    entry::{Coverage, Deviation, JudgedCase, Part},
    index::PatternIndex,
};
use crate::{dialect::Dialect, judge::FindingKind};

/// Comparison of a run with a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineReport {
    /// Indices of cases whose finding nothing explains.
    pub unexpected: Vec<usize>,
    /// Indices of cases that an entry explains, with the entry.
    pub explained: Vec<(usize, usize)>,
    /// Entries that match selected cases although none of these has their finding any more.
    pub stale: Vec<usize>,
    /// Parts of other entries that explain nothing any more.
    pub stale_parts: Vec<(usize, Part)>,
    /// Number of deviating cases of each entry, in the order of the entries.
    pub coverage: Vec<Coverage>,
}

/// Whether an entry of a baseline explains a finding; see [`compare_with_baseline`].
pub fn is_explained(
    deviations: &[Deviation],
    case: &JudgedCase<'_>,
    meets: impl Fn(Dialect) -> bool,
) -> bool {
    deviations.iter().any(|deviation| deviation.matches(case.id) && deviation.knows(case, &meets))
}

/// Compares a run with the baseline entries. An entry, or a part of one, is stale only when cases that it matches were
/// selected and judged, and it explains none of them: a filtered run says nothing about the others. `meets(index,
/// dialect)` returns whether the outcome of a case is right for the same case of another dialect.
pub fn compare_with_baseline(
    deviations: &[Deviation],
    cases: &[JudgedCase<'_>],
    meets: impl Fn(usize, Dialect) -> bool,
) -> BaselineReport {
    let mut report = BaselineReport::default();
    let mut baseline = Baseline::new(deviations);
    for (index, case) in cases.iter().enumerate() {
        match baseline.record(case, |dialect| meets(index, dialect)) {
            _ if !case.finding.kind.needs_explanation() => {}
            Some(entry) => report.explained.push((index, entry)),
            None => report.unexpected.push(index),
        }
    }
    (report.stale, report.stale_parts) = baseline.stale();
    report.coverage = baseline.coverage();
    report
}

/// The baseline entries of a device, with which cases are compared one by one.
pub struct Baseline<'d> {
    index: PatternIndex<'d>,
    used: Vec<Use>,
}

impl<'d> Baseline<'d> {
    /// Creates a baseline that no case was compared with yet.
    pub fn new(deviations: &'d [Deviation]) -> Self {
        let used = deviations.iter().map(Use::new).collect();
        Self { index: PatternIndex::new(deviations), used }
    }

    /// Records a case and returns the entry that explains its finding. `meets` returns whether the outcome of the case
    /// is right for the same case of another dialect.
    pub fn record(
        &mut self,
        case: &JudgedCase<'_>,
        meets: impl Fn(Dialect) -> bool,
    ) -> Option<usize> {
        if case.finding.kind == FindingKind::Unsupported {
            return None;
        }
        let mut explaining = None;
        for patterns in self.index.matching(case.id).chunk_by(|a, b| a.0 == b.0) {
            let entry = patterns[0].0;
            let deviation = &self.index.deviations[entry];
            if !deviation.is_shown_by(case) {
                self.used[entry].record_unreached(patterns);
                continue;
            }
            let explains = deviation.knows(case, &meets);
            self.used[entry].record(deviation, case, patterns, explains);
            if explains && explaining.is_none() {
                explaining = Some(entry);
            }
        }
        explaining
    }

    /// Returns the stale entries, none of whose cases has the finding that they describe, and the parts of other
    /// entries that explain nothing.
    pub fn stale(&self) -> (Vec<usize>, Vec<(usize, Part)>) {
        let (mut entries, mut parts) = (Vec::new(), Vec::new());
        for (entry, (used, deviation)) in self.used.iter().zip(self.index.deviations).enumerate() {
            let shows_alone = !deviation.is_flaky() && !deviation.is_of_shared_programs();
            if deviation.is_of_random_programs() || !shows_alone {
                continue;
            }
            if used.spoke() && !used.explained() {
                entries.extend((!used.is_open()).then_some(entry));
            } else {
                let stale = used.stale_parts(deviation);
                parts.extend(stale.into_iter().map(|part| (entry, part)));
            }
        }
        (entries, parts)
    }

    /// Returns the number of deviating cases of each entry.
    pub fn coverage(&self) -> Vec<Coverage> {
        self.used.iter().map(|used| used.coverage.clone()).collect()
    }
}

/// Use of an entry and its parts in a run.
struct Use {
    patterns: Vec<UsedPattern>,
    /// For each direction, whether a case shows it.
    directions: Vec<bool>,
    /// Whether the example passes.
    example_is_fine: bool,
    coverage: Coverage,
}

#[derive(Clone, Copy, Default)]
struct UsedPattern {
    /// Whether it matched a case.
    matched: bool,
    /// Whether it explained a case.
    explained: bool,
    /// A case it matched deviates in another way, or did not get that far: this does not show a repair.
    is_open: bool,
}

impl Use {
    fn new(deviation: &Deviation) -> Self {
        Self {
            patterns: vec![UsedPattern::default(); deviation.patterns.len()],
            directions: vec![false; deviation.directions().len()],
            example_is_fine: false,
            coverage: Coverage::default(),
        }
    }

    /// Records a judged case that these patterns of the entry match.
    fn record(
        &mut self,
        deviation: &Deviation,
        case: &JudgedCase<'_>,
        matching: &[(usize, usize)],
        explains: bool,
    ) {
        for &(_, pattern) in matching {
            let used = &mut self.patterns[pattern];
            used.matched = true;
            used.explained |= explains;
            used.is_open |= !explains && case.finding.kind.needs_explanation();
        }
        for (known, used) in deviation.directions().iter().zip(&mut self.directions) {
            *used |= known.includes(case.finding);
        }
        let passes = case.finding.kind == FindingKind::Pass;
        self.example_is_fine |= passes && deviation.example.as_deref() == Some(case.id);
        let could = deviation.directions().iter().any(|way| way.concerns(case.verdict));
        // Of a case whose control is rejected nobody knows whether it deviates.
        let is_open =
            matches!(case.finding.kind, FindingKind::Disputed | FindingKind::Inconclusive);
        if explains || could && !is_open {
            self.coverage.cases += 1;
            self.coverage.deviating += usize::from(explains);
            if passes && self.coverage.passing.is_none() {
                self.coverage.passing = Some(case.id.to_owned());
            }
        }
    }

    /// Records that a case which these patterns match did not reach the phase of the entry.
    fn record_unreached(&mut self, matching: &[(usize, usize)]) {
        for &(_, pattern) in matching {
            self.patterns[pattern].is_open = true;
        }
    }

    fn spoke(&self) -> bool {
        self.patterns.iter().any(|used| used.matched)
    }

    fn explained(&self) -> bool {
        self.patterns.iter().any(|used| used.explained)
    }

    fn is_open(&self) -> bool {
        self.patterns.iter().any(|used| used.is_open)
    }

    fn stale_parts(&self, deviation: &Deviation) -> Vec<Part> {
        let mut parts = Vec::new();
        for (index, used) in self.patterns.iter().enumerate() {
            if used.matched && !used.explained && !used.is_open {
                parts.push(Part::Pattern(index));
            }
        }
        // A part of the cases need not show every direction.
        if self.patterns.iter().all(|used| used.matched) && !self.is_open() {
            let unused =
                deviation.directions().iter().zip(&self.directions).filter(|(_, used)| !**used);
            parts.extend(unused.map(|(direction, _)| Part::Finding(*direction)));
        }
        parts.extend(self.example_is_fine.then_some(Part::Example));
        parts
    }
}
