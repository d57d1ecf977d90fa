//! Outcomes in, judged results out: a rejection waits for the outcome of its control.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use expectations::{
    dialect::Dialect,
    evidence::Evidence,
    judge::{Finding, FindingKind, Reason, judge},
    outcome::{Outcome, OutcomeKind},
    requirement::Requirement,
    rule::Expectation,
};
use generator::{
    random::{CaseProgram, RandomCase},
    suite::{Case, Suite},
    templates::{Kernel, TemplateError},
};
use results::line::{CaseResult, Tries};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    device::text::telling_line,
    engine::{Depth, ExpectedVerdict, Job, Placement, Record, RunWith, Until},
};

/// A case with its text and with all that it is judged by, whether a rule or a seed made it.
///
/// A case goes through five hands: [`Case`] is its address in the suite, `PreparedCase` adds the text and the
/// expectation, [`Job`](crate::engine::Job) is what the engine gets of it, [`Record`] what the device did with it, and
/// [`CaseResult`] the judgement that is kept.
pub struct PreparedCase<'s> {
    pub id: String,
    pub dialect: Dialect,
    /// Id of its control, for cases to reject.
    pub control: Option<String>,
    /// Requirements besides the dialect.
    pub requirements: Vec<Requirement>,
    pub kernel: Kernel,
    /// Expectation for the case.
    pub expectation: &'s Expectation,
    /// Run after the build.
    pub run_with: RunWith,
    /// Part of the case in the run.
    pub part: Part,
    /// Whether the case was selected; the others are controls of selected cases.
    pub selected: bool,
}

/// Roles of a case that take it further in a run than others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Whether the case belongs to the covering part, which is taken further by default.
    pub is_covering: bool,
    /// Whether the case is the control of a rejection.
    pub is_control: bool,
}

/// Returns the phase up to which a case is taken in a run of that depth. Programs that may be invalid are judged only
/// by the front end.
pub fn until(expectation: &Expectation, has_probe: bool, part: Part, depth: Depth) -> Until {
    if *expectation != Expectation::Accept {
        return Until::FrontEnd;
    }
    match (depth, has_probe) {
        (Depth::Build, _) | (Depth::Run, false) => Until::FrontEnd,
        (Depth::Run | Depth::Covering, true) if part == Part::default() => Until::OthersStandForIt,
        (Depth::OneDialect | Depth::Run | Depth::Covering, _) if !part.is_covering => {
            Until::FrontEnd
        }
        (Depth::OneDialect | Depth::Code, _) | (Depth::Covering | Depth::All, false) => Until::Code,
        (Depth::Run | Depth::Covering | Depth::All, true) => Until::Execution,
    }
}

/// A selected case, or the control of one, that is not run on the device, with the reason. It is not rendered.
#[derive(Clone, Debug)]
pub struct LeftOut<'s> {
    pub id: String,
    pub dialect: Dialect,
    /// Id of its control, for cases to reject.
    pub control: Option<String>,
    /// Expectation for the case.
    pub expectation: &'s Expectation,
    /// Whether the case was selected.
    pub selected: bool,
    /// Requirement that the device does not meet, or the cases that represent this one.
    pub why: String,
    /// The reason that its finding has.
    pub reason: Reason,
}

impl LeftOut<'_> {
    fn outcome(&self) -> Outcome {
        Outcome::new(OutcomeKind::Unsupported).with_detail(&self.why)
    }

    fn result(&self) -> CaseResult {
        let outcome = self.outcome();
        let finding = Finding { kind: FindingKind::Unsupported, reason: self.reason };
        let result = CaseResult::new(&self.id, self.dialect, self.expectation, outcome, finding);
        CaseResult { control: self.control.clone(), ..result }
    }
}

impl<'s> PreparedCase<'s> {
    /// Renders a case of the suite.
    pub fn new(suite: &'s Suite, case: Case, selected: bool) -> Result<Self, TemplateError> {
        let run_with = suite.probe(&case)?.map(Arc::new).into();
        Ok(Self { run_with, ..Self::with_probe_unread(suite, case, selected)? })
    }

    /// Renders a case without reading its probe, which takes longer than all else; a run executes few probes.
    pub fn with_probe_unread(
        suite: &'s Suite,
        case: Case,
        selected: bool,
    ) -> Result<Self, TemplateError> {
        let has_probe = suite.has_probe(&case);
        Ok(Self {
            kernel: suite.render(&case)?,
            expectation: suite.expectation(&case),
            run_with: if has_probe { RunWith::UnreadProbe } else { RunWith::Nothing },
            id: case.id,
            dialect: case.dialect,
            control: case.control,
            requirements: case.requirements,
            part: Part::default(),
            selected,
        })
    }

    /// Returns the phase up to which the case is taken in a run of that depth.
    fn until(&self, depth: Depth) -> Until {
        until(self.expectation, self.run_with.is_something(), self.part, depth)
    }

    /// Returns the job of the engine for the case in a run of that depth.
    pub fn job(&self, depth: Depth) -> Job {
        let required = match self.expectation {
            Expectation::Accept => ExpectedVerdict::Accept,
            Expectation::Reject { .. } => ExpectedVerdict::Reject,
            Expectation::Disputed { .. } => ExpectedVerdict::Either,
        };
        Job {
            id: self.id.clone(),
            dialect: self.dialect,
            requirements: self.requirements.clone(),
            source: self.kernel.source.clone(),
            required,
            expected: required,
            until: self.until(depth),
            placement: Placement::Batch,
            run_with: self.run_with.clone(),
        }
    }

    /// Prepares a random program.
    pub fn random(suite: &'s Suite, random: &RandomCase, selected: bool) -> Self {
        let CaseProgram { kernel, requirements, probe } = random.made();
        Self {
            id: random.id(),
            dialect: random.dialect,
            control: random.control().map(|control| control.id()),
            requirements,
            kernel,
            expectation: suite.random_expectation(random),
            // Nothing else represents it.
            part: Part { is_covering: probe.is_some(), is_control: false },
            run_with: probe.map(Arc::new).into(),
            selected,
        }
    }
}

/// A case that can be judged, with its record and its result.
pub struct SettledCase {
    /// The case.
    pub index: usize,
    /// Record of the engine.
    pub record: Record,
    pub result: CaseResult,
}

/// Judges cases as their outcomes come in.
pub struct Judging<'r, 's> {
    prepared: &'r [PreparedCase<'s>],
    by_id: FxHashMap<&'r str, usize>,
    left_out: &'r [LeftOut<'s>],
    left_out_by_id: FxHashMap<&'r str, usize>,
    /// Indices of cases left out that were reported, by this run or an earlier one.
    reported_left_out: FxHashSet<usize>,
    outcomes: Vec<Option<Outcome>>,
    evidence: Vec<Option<Evidence>>,
    waiting: BTreeMap<usize, Vec<(usize, Record)>>,
    results: Vec<CaseResult>,
}

impl<'r, 's> Judging<'r, 's> {
    /// Creates the judgement of these cases and of those that are left out.
    pub fn new(prepared: &'r [PreparedCase<'s>], left_out: &'r [LeftOut<'s>]) -> Self {
        let by_id = prepared.iter().enumerate().map(|(index, case)| (case.id.as_str(), index));
        let left_out_by_id =
            left_out.iter().enumerate().map(|(index, case)| (case.id.as_str(), index));
        Self {
            prepared,
            by_id: by_id.collect(),
            left_out,
            left_out_by_id: left_out_by_id.collect(),
            reported_left_out: FxHashSet::default(),
            outcomes: vec![None; prepared.len()],
            evidence: vec![None; prepared.len()],
            waiting: BTreeMap::new(),
            results: Vec::with_capacity(prepared.len() + left_out.len()),
        }
    }

    /// Adds a result of an earlier run of the same cases.
    pub fn recall(&mut self, result: CaseResult) {
        if let Some(&index) = self.by_id.get(result.id.as_str()) {
            self.outcomes[index] = Some(result.outcome.clone());
            self.evidence[index] = result.evidence;
            self.results.push(result);
        } else if let Some(&index) = self.left_out_by_id.get(result.id.as_str()) {
            self.reported_left_out.insert(index);
            self.results.push(result);
        }
    }

    /// Returns the results of requested cases that are left out and were not reported yet.
    pub fn take_left_out(&mut self) -> Vec<CaseResult> {
        let reported = &mut self.reported_left_out;
        let left_out = self.left_out.iter().enumerate().filter(|(_, case)| case.selected);
        let new = left_out.filter(|&(index, _)| reported.insert(index));
        new.map(|(_, case)| case.result()).collect()
    }

    /// Whether a case has its outcome.
    pub fn is_finished(&self, index: usize) -> bool {
        self.outcomes[index].is_some()
    }

    /// Adds an outcome and returns the cases that can be judged now.
    pub fn finish(&mut self, index: usize, record: Record) -> Vec<SettledCase> {
        let mut settled = Vec::new();
        self.outcomes[index] = Some(record.outcome.clone());
        self.evidence[index] = record.evidence;
        match self.control_of(index) {
            Some(control) if self.outcomes[control].is_none() => {
                self.waiting.entry(control).or_default().push((index, record));
            }
            _ => settled.extend(self.settle(index, record)),
        }
        for (index, record) in self.waiting.remove(&index).unwrap_or_default() {
            settled.extend(self.settle(index, record));
        }
        settled
    }

    fn settle(&self, index: usize, record: Record) -> Option<SettledCase> {
        let result = self.prepared[index].selected.then(|| self.result(index, &record))?;
        Some(SettledCase { index, record, result })
    }

    /// Adds a final result.
    pub fn keep(&mut self, result: CaseResult) {
        self.results.push(result);
    }

    /// Returns the evidence for the outcome of a case.
    pub fn evidence(&self, index: usize) -> Option<Evidence> {
        self.evidence[index]
    }

    /// Returns the final results so far.
    pub fn results(&self) -> &[CaseResult] {
        &self.results
    }

    /// Returns the number of a case with this id.
    pub fn number(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Withdraws every outcome with one of these kinds of evidence, and every result that depends on such a control.
    /// Returns the cases, which have to be built again.
    pub fn withdraw(&mut self, kinds: &BTreeSet<Evidence>) -> Vec<usize> {
        let of_kind =
            |index: &usize| self.evidence[*index].is_some_and(|kind| kinds.contains(&kind));
        let withdrawn: FxHashSet<usize> = (0..self.prepared.len()).filter(of_kind).collect();
        let rests = |&index: &usize| {
            withdrawn.contains(&index)
                || self.control_of(index).is_some_and(|control| withdrawn.contains(&control))
        };
        let again: Vec<usize> = (0..self.prepared.len()).filter(rests).collect();
        let ids: FxHashSet<&str> =
            again.iter().map(|&index| self.prepared[index].id.as_str()).collect();
        self.results.retain(|result| !ids.contains(result.id.as_str()));
        for &index in &again {
            self.outcomes[index] = None;
            self.evidence[index] = None;
        }
        again
    }

    /// Returns the index of the control of a case, where it is one of these.
    pub fn control_of(&self, index: usize) -> Option<usize> {
        let control = self.prepared[index].control.as_deref()?;
        self.by_id.get(control).copied()
    }

    /// Returns the outcome of the control of a case.
    fn outcome_of_control(&self, index: usize) -> Option<Cow<'_, Outcome>> {
        if let Some(control) = self.control_of(index) {
            return self.outcomes[control].as_ref().map(Cow::Borrowed);
        }
        let control = self.prepared[index].control.as_deref()?;
        let left_out = self.left_out_by_id.get(control)?;
        Some(Cow::Owned(self.left_out[*left_out].outcome()))
    }

    /// Returns the outcome of a case.
    pub fn outcome(&self, index: usize) -> Option<&Outcome> {
        self.outcomes[index].as_ref()
    }

    /// Replaces the outcome of a case by that of a second look.
    pub fn correct(&mut self, index: usize, outcome: Outcome) {
        self.outcomes[index] = Some(outcome);
    }

    /// Judges a case with this outcome.
    pub fn judged(&self, index: usize, outcome: &Outcome) -> Finding {
        let PreparedCase { kernel, expectation, .. } = &self.prepared[index];
        let control = self.outcome_of_control(index);
        judge(expectation, &kernel.guilty_lines, outcome, control.as_deref())
    }

    /// Returns the result of a case with this record.
    pub fn result(&self, index: usize, record: &Record) -> CaseResult {
        let case = &self.prepared[index];
        let control = self.outcome_of_control(index);
        let finding = self.judged(index, &record.outcome);
        let rejected = control.as_deref().filter(|_| finding.reason == Reason::ControlRejected);
        // A driver that dies need not say a word.
        let log =
            |control: &Outcome| telling_line(&control.log).unwrap_or(&control.detail).to_owned();
        let outcome = record.outcome.clone();
        CaseResult {
            control: case.control.clone(),
            control_log: rejected.map(log),
            evidence: record.evidence,
            seconds: record.seconds,
            attempts: record.attempts.len().max(1) as u32,
            tries: tries(record),
            remarks: remarks(record),
            ..CaseResult::new(&case.id, case.dialect, case.expectation, outcome, finding)
        }
    }

    /// Returns every final result, in the order of the ids.
    pub fn into_results(mut self) -> Vec<CaseResult> {
        self.results.sort_by(|a, b| a.id.cmp(&b.id));
        self.results
    }
}

/// Returns how often each outcome of a flaky case occurred.
fn tries(record: &Record) -> Vec<Tries> {
    let rates = if record.is_flaky() { record.rates() } else { Vec::new() };
    let tries = rates.into_iter();
    tries.map(|(outcome, times)| Tries { outcome, times: times as u32 }).collect()
}

/// Returns remarks for a reader of the record, besides the outcome.
fn remarks(record: &Record) -> Vec<String> {
    let mut remarks = Vec::new();
    let tries = tries(record);
    let all: u32 = tries.iter().map(|tries| tries.times).sum();
    let rates: Vec<String> = tries
        .iter()
        .map(|Tries { outcome, times }| format!("{outcome:?} {times} of {all}"))
        .collect();
    if !rates.is_empty() {
        remarks.push(format!("flaky: {}", rates.join(", ")));
    }
    let kills = record.attempts.iter().filter(|attempt| attempt.from_outside).count();
    if kills > 0 {
        let kills = results::text::plural(kills, "time");
        remarks.push(format!("its worker was killed from outside {kills}"));
    }
    if !record.failed_after.is_empty() {
        remarks.push(format!("failed only after: {}", record.failed_after.join(" ")));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Attempt;
    use generator::suite::Suite;

    #[test]
    fn what_is_not_executed_is_not_built_but_for_controls() {
        let suite = Suite::embedded().unwrap();
        let mut cases = suite.all_cases().into_iter();
        let case = cases.find(|case| case.id.starts_with("execution/barrier/cl12/")).unwrap();
        let mut case = PreparedCase::new(&suite, case, true).unwrap();
        let left_out = Depth::ALL.map(|depth| case.until(depth));
        assert_eq!(
            left_out,
            [
                Until::FrontEnd,
                Until::FrontEnd,
                Until::Code,
                Until::OthersStandForIt,
                Until::OthersStandForIt,
                Until::Execution
            ]
        );
        case.part.is_control = true;
        assert_eq!(case.until(Depth::Covering), Until::FrontEnd);
        case.part.is_covering = true;
        assert_eq!(case.until(Depth::OneDialect), Until::Code);
        assert_eq!(case.until(Depth::Covering), Until::Execution);
    }

    #[test]
    fn flaky_cases_carry_their_rate() {
        let attempt =
            |kind, from_outside| Attempt { kind, detail: String::new(), fresh: true, from_outside };
        let crash = Outcome::new(OutcomeKind::Crashed);
        let record = Record {
            attempts: vec![
                attempt(OutcomeKind::OutOfMemory, true),
                attempt(OutcomeKind::Crashed, false),
                attempt(OutcomeKind::Accepted, false),
                attempt(OutcomeKind::Accepted, false),
            ],
            ..Record::unbuilt(crash)
        };
        let times = |outcome, times| Tries { outcome, times };
        assert_eq!(
            tries(&record),
            [times(OutcomeKind::Crashed, 1), times(OutcomeKind::Accepted, 2)]
        );
        assert_eq!(
            remarks(&record),
            ["flaky: Crashed 1 of 3, Accepted 2 of 3", "its worker was killed from outside 1 time"]
        );
    }
}
