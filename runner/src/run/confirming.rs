//! A run of cases whose every finding survives a second look: every finding that no entry explains is tried again, alone
//! in a worker that has built nothing else, before it is reported. If there are too many for that, the others are built
//! in other batches, except for wrong values, whose cause may be in the same batch.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::Arc,
};

use expectations::{
    judge::{Finding, Reason},
    outcome::{Outcome, OutcomeKind},
    wrong_values::{Shape, WRONG_VALUES},
};
use results::line::{CaseResult, Confirmation, UnreproducedFailure};

use super::{
    first_pass::{FirstPass, first_pass},
    interactions::{FLAKY, is_fault, look_for},
    scene::{Reporter, RunProgress, Scene},
};
use crate::{
    device::text::telling_line,
    engine::{
        AcceptedBatches, Company, Config, EngineError, ExpectedVerdict, FirstLook, Placement,
        Record, SecondLooks, computes_wrong_values,
    },
    findings::{
        clusters,
        judging::{Judging, SettledCase},
    },
};

/// Number of findings that get a second look alone, at any cost.
const ALONE_AT_LEAST: usize = 12;
/// Looking at findings alone may take such a part of the processor time of the first look.
const PART_FOR_SECOND_LOOKS: u32 = 25;
/// Remark on a case that makes the device accept invalid ones.
const HIDES_ERRORS: &str = "the device accepts everything that is built with it";

/// Builds and judges those of the cases that `judging` has no outcome of. Unexpected findings are kept and reported
/// only after they were confirmed; a run that is stopped does not complete them.
///
/// Returns the programs that compute wrong values in both looks, or may die of a known kind of them. They are neither
/// kept nor reported yet, because their kind is known only after reduction. `None` if the run was stopped.
pub fn run(
    scene: Scene<'_, '_>,
    cases: &[usize],
    judging: &mut Judging<'_, '_>,
    listener: &mut dyn FnMut(RunProgress<'_>),
) -> Result<Option<Vec<CaseResult>>, EngineError> {
    let workers = if scene.interrupted.leaves_one_worker() { 1 } else { scene.config.workers };
    let config = &Config { workers, ..scene.config.clone() };
    let scene = Scene { config, ..scene };
    let reporter = &mut Reporter { judging, listener };
    let Some(first) = first_pass(scene, cases, reporter)? else { return Ok(None) };
    if first.doubtful.is_empty() {
        return Ok(Some(Vec::new()));
    }
    second_pass(first, reporter)
}

/// Builds the cases of findings again, and reports each by both looks. Returns the programs that compute wrong values;
/// `None` if the run was stopped.
fn second_pass(
    first: FirstPass<'_, '_>,
    reporter: &mut Reporter<'_, '_, '_>,
) -> Result<Option<Vec<CaseResult>>, EngineError> {
    let scene = first.scene;
    let Scene { device, config, cancel, .. } = scene;
    let (seen, looked, in_company) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let mut second = SecondPass { first, seen, looked, in_company };
    second.take(reporter)?;
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let wrong_values = second.conclude(reporter);
    if !second.in_company.is_empty() {
        let jobs = scene.jobs(&second.first.left);
        let found = look_for(device, &jobs, config, cancel, second.in_company)?;
        for interaction in found.interactions {
            reporter.tell(RunProgress::Interaction(interaction));
        }
    }
    Ok(Some(wrong_values))
}

/// The second look at the findings of a run.
struct SecondPass<'r, 's> {
    first: FirstPass<'r, 's>,
    /// Results of the first look, by case.
    seen: BTreeMap<usize, FirstLook>,
    /// Records of the second look, by case.
    looked: BTreeMap<usize, Record>,
    /// Faults for which the first look saw other answers than the second.
    in_company: Vec<Company>,
}

impl SecondPass<'_, '_> {
    /// Builds findings and their controls, then cases that may hide the errors of others in a batch, then cases alone
    /// whose answers differ between batches.
    fn take(&mut self, reporter: &mut Reporter<'_, '_, '_>) -> Result<(), EngineError> {
        let doubtful = &self.first.doubtful;
        for SettledCase { index, record, result } in doubtful {
            let outcome = record.blamed.as_deref().unwrap_or(&result.outcome).clone();
            let is_contradicted = record.is_contradicted;
            self.seen.insert(*index, FirstLook { outcome, is_contradicted });
        }
        let mut suspects = first_of_each_cluster_first(
            doubtful.iter().filter(|settled| !self.is_seen_twice(settled)),
        );
        let judging = &*reporter.judging;
        for settled in doubtful {
            if settled.result.finding.reason == Reason::ControlRejected
                && let Some(control) = judging.control_of(settled.index)
                && let Some(outcome) = judging.outcome(control)
                && !self.first.scene.prepared[control].selected
                && !self.seen.contains_key(&control)
            {
                self.seen.insert(control, seen_once(outcome));
                suspects.push(control);
            }
        }
        reporter.tell(RunProgress::LooksAgain(suspects.len()));
        let limit = SecondLooks {
            at_least: ALONE_AT_LEAST,
            processor_time: self.first.spent / PART_FOR_SECOND_LOOKS,
        };
        self.build(&suspects, Some(limit), reporter)?;
        let candidates = self.candidates(reporter.judging);
        self.seen.extend(candidates.iter().map(|(&case, outcome)| (case, seen_once(outcome))));
        let candidates: Vec<usize> = candidates.into_keys().collect();
        self.build(&candidates, None, reporter)?;
        let is_unsettled = |settled: &&SettledCase| {
            let contradicted = |second: &Record| {
                second.batch > 1 && !second.outcome.agrees_with(&settled.result.outcome)
            };
            self.looked.get(&settled.index).is_some_and(contradicted)
                && self.find_error_hiding_case(&settled.record).is_none()
        };
        let unsettled = self.first.doubtful.iter().filter(is_unsettled);
        let unsettled: Vec<usize> = unsettled.map(|settled| settled.index).collect();
        self.build(&unsettled, None, reporter)
    }

    /// Whether a failure was seen alone in a new worker and at another time too.
    fn is_seen_twice(&self, SettledCase { index, record, .. }: &SettledCase) -> bool {
        let alone = record.attempts.iter().filter(|attempt| attempt.is_evidence());
        let again = alone.filter(|attempt| attempt.kind == record.outcome.kind).count();
        record.is_fresh && (self.first.failed_twice.contains(index) || again > 1)
    }

    /// Builds these cases once more.
    fn build(
        &mut self,
        cases: &[usize],
        limit: Option<SecondLooks>,
        reporter: &mut Reporter<'_, '_, '_>,
    ) -> Result<(), EngineError> {
        let config = self.first.scene.config;
        let config = Config {
            accepted_batches: AcceptedBatches::Checked,
            second_looks: limit.filter(|_| !config.isolate),
            learned: self.first.learned.clone(),
            ..config.clone()
        };
        let mut jobs = self.first.scene.jobs(cases);
        for (job, case) in jobs.iter_mut().zip(cases) {
            let seen = &self.seen[case];
            job.expected = match seen.outcome.kind {
                OutcomeKind::Accepted => ExpectedVerdict::Accept,
                OutcomeKind::Rejected => ExpectedVerdict::Reject,
                _ => ExpectedVerdict::Either,
            };
            job.placement = Placement::SecondLook(Arc::new(seen.clone()));
        }
        let records = self.first.scene.rebuild(&jobs, &config, reporter)?;
        self.looked.extend(records.into_iter().map(|(job, record)| (cases[job], record)));
        Ok(())
    }

    /// Returns cases that are not in doubt themselves, and that may have made the device accept a batch whose other
    /// cases it rejects.
    fn candidates(&self, judging: &Judging<'_, '_>) -> BTreeMap<usize, Outcome> {
        let mut candidates = BTreeMap::new();
        for SettledCase { index, record, result } in &self.first.doubtful {
            let second = self.looked.get(index);
            // Who hides errors makes nobody compute wrong values.
            let is_contradicted =
                second.is_some_and(|second| second.outcome.kind != result.outcome.kind);
            if !is_contradicted || self.find_error_hiding_case(record).is_some() {
                continue;
            }
            for &job in record.batch_jobs.iter().flat_map(|jobs| jobs.iter()) {
                let case = self.first.left[job];
                if let Some(outcome) = judging.outcome(case)
                    && outcome.kind == OutcomeKind::Accepted
                    && !self.looked.contains_key(&case)
                {
                    candidates.insert(case, outcome.clone());
                }
            }
        }
        candidates
    }

    /// Returns the case that made the device accept the batch in which this one was accepted.
    fn find_error_hiding_case(&self, record: &Record) -> Option<usize> {
        let mut cases = record.batch_jobs.as_deref()?.iter().map(|&job| self.first.left[job]);
        cases.find(|case| self.looked.get(case).is_some_and(|second| second.hides_errors))
    }

    /// Judges every case again by both looks and returns the programs that compute wrong values.
    fn conclude(&mut self, reporter: &mut Reporter<'_, '_, '_>) -> Vec<CaseResult> {
        // The control of a case must be right first.
        for (&case, second) in &self.looked {
            if let [answer] = second.answers.as_slice() {
                reporter.judging.correct(case, answer.clone());
            } else if second.batch > 1 {
                reporter.judging.correct(case, second.outcome.clone());
            }
        }
        let mut told: BTreeSet<Vec<usize>> = BTreeSet::new();
        let mut wrong_values = Vec::new();
        for SettledCase { index, record, result } in mem::take(&mut self.first.doubtful) {
            let judging = &*reporter.judging;
            let (mut result, comparison) = self.concluded(index, &record, result, judging);
            let second_of = |case| self.looked.get(&case);
            let is_flaky = |control| second_of(control).is_some_and(|it| it.answers.len() > 1);
            if result.finding.reason == Reason::ControlRejected
                && judging.control_of(index).is_some_and(is_flaky)
            {
                result.finding = FLAKY;
                result.remarks.push("its control is flaky".to_owned());
            }
            if second_of(index).is_some_and(|second| second.hides_errors) {
                result.remarks.push(HIDES_ERRORS.to_owned());
            }
            if comparison == Comparison::Corrected {
                // Failures were looked for after the first look.
                let company = record.company.as_deref().filter(|company| !is_fault(company));
                self.in_company.extend(company.cloned());
                if let Some(what) = self.unreproduced(index, &record, &mut told) {
                    reporter.tell(RunProgress::Unreproduced(what));
                }
            }
            let entries = &self.first.scene.device.deviations;
            if clusters::computes_wrong_values(&result)
                || clusters::may_be_of_a_kind(&result, entries)
            {
                wrong_values.push(result);
            } else {
                reporter.keep(result);
            }
        }
        wrong_values
    }

    /// Returns the result of one case by both looks, and their comparison.
    fn concluded(
        &self,
        index: usize,
        record: &Record,
        result: CaseResult,
        judging: &Judging<'_, '_>,
    ) -> (CaseResult, Comparison) {
        let repeated = |how| {
            let again = judging.result(index, record);
            (CaseResult { confirmed: Some(how), ..again }, Comparison::Repeated)
        };
        let Some(second) = self.looked.get(&index) else {
            // It was seen twice already.
            return repeated(Confirmation::Alone);
        };
        let how = if second.batch > 1 { Confirmation::Batch } else { Confirmation::Alone };
        let answers = match second.answers.as_slice() {
            [] => std::slice::from_ref(&second.outcome),
            answers => answers,
        };
        // Where it is accepted now, it is what it was before that is doubted.
        let before = record.blamed.as_deref().unwrap_or(&record.outcome);
        let first = judging.judged(index, before);
        let findings: Vec<Finding> =
            answers.iter().map(|answer| judging.judged(index, answer)).collect();
        let repeats = findings.iter().all(|&finding| finding == first);
        if repeats && record.blamed.is_none() {
            return repeated(how);
        }
        let differ = findings.windows(2).any(|pair| pair[0] != pair[1]);
        let mut attempts = second.attempts.clone();
        if differ || repeats || (record.is_fresh && record.blamed.is_none()) {
            attempts.push(record.first_attempt());
            let outcome = result.outcome;
            let others = answers.iter().filter(|answer| !answer.agrees_with(&outcome)).cloned();
            let answers: Vec<Outcome> = others.collect();
            let both = Record { attempts, ..Record::unbuilt(outcome) };
            let mut flaky = judging.result(index, &both);
            flaky.remarks.extend(answers.iter().map(also_answered));
            let flaky = CaseResult { finding: FLAKY, seconds: record.seconds, answers, ..flaky };
            return (flaky, Comparison::Changed);
        }
        // The batch, or what its worker had built before, was to blame.
        let corrected =
            Record { outcome: answers[0].clone(), attempts: Vec::new(), ..second.clone() };
        let mut again = judging.result(index, &corrected);
        again.remarks.push(format!(
            "{} {}, {:?} {}",
            in_words(before),
            match record.batch {
                1 => "after others".to_owned(),
                cases => format!("in a batch of {cases}"),
            },
            again.outcome.kind,
            if second.batch > 1 {
                format!("in a batch of {}", second.batch)
            } else {
                format!("alone {}", results::text::plural(second.attempts.len(), "time"))
            }
        ));
        again.confirmed = again.finding.kind.needs_explanation().then_some(how);
        (again, Comparison::Corrected)
    }

    /// Returns the report about a batch whose answer differs from those of its cases; each batch is reported once.
    fn unreproduced(
        &self,
        index: usize,
        record: &Record,
        told: &mut BTreeSet<Vec<usize>>,
    ) -> Option<UnreproducedFailure> {
        let id = |case: usize| self.first.scene.prepared[case].id.clone();
        let said = telling_line(&record.outcome.log).unwrap_or(&record.outcome.detail);
        let said = if said.is_empty() { String::new() } else { format!(" ({said})") };
        let what = format!("{}{said}, but not when built again", in_words(&record.outcome));
        let Some(jobs) = record.batch_jobs.as_deref() else {
            return Some(UnreproducedFailure { cases: vec![id(index)], what });
        };
        if !told.insert(jobs.to_vec()) {
            return None;
        }
        let hiding_case =
            self.find_error_hiding_case(record).filter(|_| !computes_wrong_values(&record.outcome));
        let what = match hiding_case {
            Some(case) => format!("{}: {HIDES_ERRORS}", id(case)),
            None => what,
        };
        Some(UnreproducedFailure {
            cases: jobs.iter().map(|&job| id(self.first.left[job])).collect(),
            what,
        })
    }
}

/// Comparison of the second look with the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    /// The device does the same.
    Repeated,
    /// The answers differ from one build to the next.
    Changed,
    /// The answer is always the same, and only the programs built before or with the case changed it.
    Corrected,
}

fn seen_once(outcome: &Outcome) -> FirstLook {
    FirstLook { outcome: outcome.clone(), is_contradicted: false }
}

/// Returns the outcome of a case in a shared build, in words.
fn in_words(outcome: &Outcome) -> String {
    if computes_wrong_values(outcome) {
        return "wrong values".to_owned();
    }
    format!("{:?}", outcome.kind)
}

fn also_answered(answer: &Outcome) -> String {
    let said = telling_line(&answer.log).unwrap_or(&answer.detail);
    format!("it also answered {:?}: {said}", answer.kind)
}

/// Returns these cases in an order in which the first ones differ as much as possible.
fn first_of_each_cluster_first<'s>(suspects: impl Iterator<Item = &'s SettledCase>) -> Vec<usize> {
    let mut clusters: BTreeMap<String, usize> = BTreeMap::new();
    let mut ordered: Vec<(usize, usize)> = Vec::new();
    for SettledCase { index, result, .. } in suspects {
        let cluster = match clusters::shape(result) {
            Some(Shape::Known(shape)) => shape,
            Some(Shape::WrongValues(_) | Shape::WrongValuesAmong(_)) => WRONG_VALUES.to_owned(),
            None => {
                let rule: Vec<&str> = result.id.splitn(3, '/').take(2).collect();
                format!("{} {:?} {:?}", rule.join("/"), result.finding.reason, result.outcome.kind)
            }
        };
        let before = clusters.entry(cluster).or_default();
        ordered.push((*before, *index));
        *before += 1;
    }
    ordered.sort_unstable();
    ordered.into_iter().map(|(_, index)| index).collect()
}
