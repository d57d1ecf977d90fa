//! A run as pages show it.

use std::{collections::BTreeMap, ops::Range};

use expectations::{baseline::Deviation, case_id::CaseId, judge::Finding, outcome::OutcomeKind};
use generator::suite::Suite;

use super::{DIALECTS, rule::RuleModel};
use crate::{
    cases::Cases,
    html::{
        RunInput,
        blocks::Block,
        names::{anchor, short_hash},
        tally::{State, Tally},
    },
    verdicts::Verdict,
};

/// One run: what its pages show, counted in one pass over its cases; of cases only the numbers of the first.
pub(in crate::html) struct RunModel<'r> {
    pub(in crate::html) input: &'r RunInput<'r>,
    /// The device's name, told apart from other runs of it.
    pub(in crate::html) name: String,
    pub(in crate::html) slug: String,
    /// By rule.
    pub(super) of_rules: Vec<OfRule<'r>>,
    /// By rule, then dialect.
    pub(in crate::html) tallies: Vec<[Tally; DIALECTS]>,
    pub(in crate::html) total: Tally,
    /// How disputed cases are read, by the place of their question in the suite.
    pub(in crate::html) of_questions: BTreeMap<usize, Disputed>,
    /// Findings that nothing explains, the worst first.
    pub(in crate::html) blocks: Vec<Block>,
    /// Those of them that have a page, with their rules.
    pub(in crate::html) pages: BTreeMap<usize, usize>,
    /// How many cases an entry of the baseline explains, by entry and rule.
    pub(in crate::html) explained: BTreeMap<(usize, usize), usize>,
    /// The slowest cases, with their seconds.
    pub(in crate::html) slow: Vec<(usize, f64)>,
    pub(in crate::html) remarks: Remarks,
}

/// The cases of a rule.
#[derive(Default)]
pub(in crate::html) struct OfRule<'r> {
    /// Numbers of cases that follow each other, in the order of their points: those of one dialect.
    pub(in crate::html) parts: Vec<Part>,
    /// Deviations that look alike.
    pub(in crate::html) deviating: BTreeMap<Looks<'r>, First>,
    /// Of each dialect, the id of the first case that deviates.
    pub(super) first_ids: BTreeMap<usize, String>,
    pub(in crate::html) disputed: Disputed,
}

/// What deviations of a rule have in common: state, reason on record, finding and why. The worst come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::html) struct Looks<'r> {
    pub(in crate::html) state: State,
    pub(in crate::html) reason: Option<&'r str>,
    kind: &'static str,
    why: &'static str,
}

impl Looks<'_> {
    /// `fail: accepts an invalid program`
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

/// Cases that are alike: how many, and the numbers of the first.
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

/// How cases whose text is disputed are read.
#[derive(Clone, Copy, Default)]
pub(in crate::html) struct Disputed {
    pub(in crate::html) accepted: usize,
    pub(in crate::html) rejected: usize,
    pub(in crate::html) other: usize,
}

impl Disputed {
    pub(super) fn count(&mut self, kind: OutcomeKind) {
        *match kind {
            OutcomeKind::Accepted => &mut self.accepted,
            OutcomeKind::Rejected => &mut self.rejected,
            _ => &mut self.other,
        } += 1;
    }
}

/// Cases that the engine has something to say of.
#[derive(Default)]
pub(in crate::html) struct Remarks {
    pub(in crate::html) flaky: First,
    pub(in crate::html) others: First,
}

impl<'r> RunModel<'r> {
    pub(in crate::html) fn path(&self) -> String {
        format!("devices/{}.html", self.slug)
    }

    /// Page of an unexpected finding, where it has one.
    pub(in crate::html) fn finding_path(&self, case: usize) -> Option<String> {
        self.pages.contains_key(&case).then(|| self.path_of(case))
    }

    /// Where the page of a case lies.
    pub(in crate::html) fn path_of(&self, case: usize) -> String {
        format!("findings/{}/{}.html", self.slug, short_hash(&self.cases().get(case).id))
    }

    /// The page of a rule's deviations on this device, where there are any.
    pub(in crate::html) fn deviations_path(
        &self,
        rules: &[RuleModel],
        rule: usize,
    ) -> Option<String> {
        let has_any = !self.of_rule(rule).deviating.is_empty();
        has_any.then(|| self.path_of_deviations(&rules[rule]))
    }

    /// Where on that page the first case of a dialect stands, where one deviates.
    pub(in crate::html) fn deviations_in(
        &self,
        rules: &[RuleModel],
        rule: usize,
        dialect: usize,
    ) -> Option<String> {
        let first = self.of_rule(rule).first_ids.get(&dialect)?;
        Some(self.path_of_deviation(&rules[rule], first))
    }

    /// Where a deviating case is told: on a page of its own, or among those of its rule.
    pub(in crate::html) fn case_path(
        &self,
        rules: &[RuleModel],
        rule: usize,
        case: usize,
    ) -> String {
        self.finding_path(case).unwrap_or_else(|| self.anchored_path(rules, rule, case))
    }

    /// Where a case stands among the deviations of its rule.
    pub(in crate::html) fn anchored_path(
        &self,
        rules: &[RuleModel],
        rule: usize,
        case: usize,
    ) -> String {
        self.path_of_deviation(&rules[rule], &self.cases().get(case).id)
    }

    /// Where a case that deviates stands among the others of its rule, where that rule has a page of its own.
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

    /// What a finding that this entry explains, or none, looks like.
    pub(in crate::html) fn looks(&self, entry: Option<usize>, finding: Finding) -> Looks<'r> {
        Looks {
            state: State::of(Verdict::of(finding.kind, entry.is_none())),
            reason: entry.map(|entry| self.deviations()[entry].reason.as_str()),
            kind: finding.kind.name(),
            why: finding.reason.text(),
        }
    }

    pub(in crate::html) fn cases(&self) -> &'r Cases {
        &self.input.results.cases
    }

    pub(in crate::html) fn deviations(&self) -> &'r [Deviation] {
        self.input.known.map_or(&[], |known| &known.device.deviations)
    }

    /// Entries of the baseline that no longer match.
    pub(in crate::html) fn stale(&self) -> &'r [usize] {
        self.input.known.map_or(&[], |known| &known.baseline.stale)
    }

    /// The cases of a rule.
    pub(in crate::html) fn of_rule(&self, rule: usize) -> &OfRule<'r> {
        &self.of_rules[rule]
    }

    /// The baseline's entry that explains a case.
    pub(in crate::html) fn entry(&self, case: usize) -> Option<usize> {
        let explained = self.input.known.map_or(&[][..], |known| &known.baseline.explained);
        let place = explained.binary_search_by_key(&case, |&(case, _)| case).ok()?;
        Some(explained[place].1)
    }

    /// Whether rules or kernels may have changed since.
    pub(in crate::html) fn is_of_another_suite(&self, suite: &Suite) -> bool {
        self.input.results.header.suite != suite.hash()
    }
}
