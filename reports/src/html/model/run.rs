//! The view of a run for pages.

use std::{collections::BTreeMap, ops::Range};

use expectations::{baseline::Deviation, case_id::CaseId, judge::Finding, outcome::OutcomeKind};
use generator::suite::Suite;
use results::{
    cases::Cases,
    run::{Run, Status},
};

use super::{DIALECTS, rule::RuleModel};
use crate::html::{
    blocks::Block,
    names::{anchor, short_hash},
    tally::{State, Tally},
};

/// The view of a run for pages, counted in one pass over its cases; of cases it has only the numbers of the first.
pub(in crate::html) struct RunView<'r> {
    pub(in crate::html) run: &'r Run,
    /// Name of the device, distinguished from other runs of it.
    pub(in crate::html) name: String,
    pub(in crate::html) slug: String,
    /// Cases by rule.
    pub(super) of_rules: Vec<OfRule<'r>>,
    /// Counts by rule, then dialect.
    pub(in crate::html) tallies: Vec<[Tally; DIALECTS]>,
    pub(in crate::html) total: Tally,
    /// Readings of disputed cases, by the index of the question.
    pub(in crate::html) of_questions: BTreeMap<usize, Readings>,
    /// Blocks of unexpected findings, the worst first.
    pub(in crate::html) blocks: Vec<Block>,
    /// Unexpected findings that have a page, with their rules.
    pub(in crate::html) pages: BTreeMap<usize, usize>,
    /// Number of cases that a baseline entry explains, by entry and rule.
    pub(in crate::html) explained: BTreeMap<(usize, usize), usize>,
    /// The slowest cases, with their seconds.
    pub(in crate::html) slow: Vec<(usize, f64)>,
    pub(in crate::html) remarks: Remarks,
}

/// The cases of a rule.
#[derive(Default)]
pub(in crate::html) struct OfRule<'r> {
    /// Ranges of cases of one dialect, in the order of their points.
    pub(in crate::html) parts: Vec<Part>,
    /// Deviations that look alike.
    pub(in crate::html) deviating: BTreeMap<Looks<'r>, First>,
    /// Id of the first deviating case, by dialect.
    pub(super) first_ids: BTreeMap<usize, String>,
    pub(in crate::html) disputed: Readings,
}

/// The properties that deviations of a group share: state, reason of the entry, finding and its reason. The worst sort
/// first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::html) struct Looks<'r> {
    pub(in crate::html) state: State,
    pub(in crate::html) reason: Option<&'r str>,
    kind: &'static str,
    why: &'static str,
}

impl Looks<'_> {
    /// Describes the finding: `fail: accepts an invalid program`.
    pub(in crate::html) fn text(&self) -> String {
        format!("{}: {}", self.kind, self.why)
    }
}

/// Cases of one rule and dialect.
#[derive(Clone)]
pub(in crate::html) struct Part {
    pub(in crate::html) dialect: usize,
    pub(in crate::html) cases: Range<usize>,
}

/// The count of some cases, with the numbers of the first.
#[derive(Default)]
pub(in crate::html) struct First {
    pub(in crate::html) count: usize,
    pub(in crate::html) cases: Vec<usize>,
}

impl First {
    pub(super) fn push(&mut self, case: usize, limit: usize) {
        self.count += 1;
        if self.cases.len() < limit {
            self.cases.push(case);
        }
    }
}

/// The readings of disputed cases.
#[derive(Clone, Copy, Default)]
pub(in crate::html) struct Readings {
    pub(in crate::html) accepted: usize,
    pub(in crate::html) rejected: usize,
    pub(in crate::html) other: usize,
}

impl Readings {
    pub(super) fn count(&mut self, kind: OutcomeKind) {
        *match kind {
            OutcomeKind::Accepted => &mut self.accepted,
            OutcomeKind::Rejected => &mut self.rejected,
            _ => &mut self.other,
        } += 1;
    }
}

/// The cases with remarks of the engine.
#[derive(Default)]
pub(in crate::html) struct Remarks {
    pub(in crate::html) flaky: First,
    pub(in crate::html) others: First,
}

impl<'r> RunView<'r> {
    pub(in crate::html) fn path(&self) -> String {
        format!("devices/{}.html", self.slug)
    }

    /// Returns the path of the page on an unexpected finding, if it has one.
    pub(in crate::html) fn finding_path(&self, case: usize) -> Option<String> {
        self.pages.contains_key(&case).then(|| self.path_of(case))
    }

    /// Returns the path of the page on a case.
    pub(in crate::html) fn path_of(&self, case: usize) -> String {
        format!("findings/{}/{}.html", self.slug, short_hash(&self.cases().get(case).id))
    }

    /// Returns the path of the page on a rule's deviations, if there are any.
    pub(in crate::html) fn deviations_path(
        &self,
        rules: &[RuleModel],
        rule: usize,
    ) -> Option<String> {
        let has_any = !self.of_rule(rule).deviating.is_empty();
        has_any.then(|| self.path_of_deviations(&rules[rule]))
    }

    /// Returns the address of the first deviating case of a dialect on that page.
    pub(in crate::html) fn deviations_in(
        &self,
        rules: &[RuleModel],
        rule: usize,
        dialect: usize,
    ) -> Option<String> {
        let first = self.of_rule(rule).first_ids.get(&dialect)?;
        Some(self.path_of_deviation(&rules[rule], first))
    }

    /// Returns the address of a deviating case: its own page, or its anchor on the page of its rule.
    pub(in crate::html) fn case_path(
        &self,
        rules: &[RuleModel],
        rule: usize,
        case: usize,
    ) -> String {
        self.finding_path(case).unwrap_or_else(|| self.anchored_path(rules, rule, case))
    }

    /// Returns the address of a case among the deviations of its rule.
    pub(in crate::html) fn anchored_path(
        &self,
        rules: &[RuleModel],
        rule: usize,
        case: usize,
    ) -> String {
        self.path_of_deviation(&rules[rule], &self.cases().get(case).id)
    }

    /// Returns the address of a deviating case among those of its rule, where the rule has a page.
    pub(in crate::html) fn deviation_path(&self, rules: &[RuleModel], id: &str) -> Option<String> {
        let of_case = CaseId::new(id).rule();
        let rule = rules.iter().find(|rule| rule.id == of_case)?;
        Some(self.path_of_deviation(rule, id))
    }

    fn path_of_deviation(&self, rule: &RuleModel, id: &str) -> String {
        format!("{}#{}", self.path_of_deviations(rule), anchor(&rule.id, id))
    }

    fn path_of_deviations(&self, rule: &RuleModel) -> String {
        let of_rule = rule.path.strip_prefix("rules/").unwrap_or(&rule.path);
        format!("deviations/{}/{of_rule}", self.slug)
    }

    /// Returns the look of a finding that an entry explains, or none.
    pub(in crate::html) fn looks(&self, entry: Option<usize>, finding: Finding) -> Looks<'r> {
        Looks {
            state: State::of(Status::of(finding.kind, entry.is_none())),
            reason: entry.map(|entry| self.deviations()[entry].reason.as_str()),
            kind: finding.kind.name(),
            why: finding.reason.text(),
        }
    }

    pub(in crate::html) fn cases(&self) -> &'r Cases {
        &self.run.cases
    }

    pub(in crate::html) fn deviations(&self) -> &'r [Deviation] {
        self.run.deviations()
    }

    /// Returns the baseline entries that explain nothing.
    pub(in crate::html) fn stale(&self) -> Vec<usize> {
        let stale = self.run.judgement.stale.iter().filter(|entry| entry.is_whole);
        stale.map(|entry| entry.entry).collect()
    }

    /// Returns the cases of a rule.
    pub(in crate::html) fn of_rule(&self, rule: usize) -> &OfRule<'r> {
        &self.of_rules[rule]
    }

    /// Returns the baseline entry that explains a case.
    pub(in crate::html) fn entry(&self, case: usize) -> Option<usize> {
        self.run.entry_index(case)
    }

    /// Whether rules or kernels may have changed since.
    pub(in crate::html) fn is_of_another_suite(&self, suite: &Suite) -> bool {
        self.run.header.suite != suite.hash()
    }
}
