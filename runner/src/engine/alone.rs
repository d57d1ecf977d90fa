//! Building one case alone, and finding out whether a failure is its own.

use std::{sync::mpsc::Sender, time::Instant};

use expectations::{
    evidence::Evidence,
    outcome::{Outcome, OutcomeKind, Phase},
    probe::plan::RunAnswer,
};

use worker::{BuildEnd, Death, Target};

use super::{
    bisection::{Bisection, Failure},
    complaint::{is_about_program, is_failure_of_compiler},
    known_good::Build,
    program::{Attribution, Program},
    queue::RemainingWork,
    scheduler::{Scheduler, Stop},
    types::{
        Accusation, Attempt, Company, Event, ExpectedVerdict, FirstLook, PART_FOR_KNOWN_HANGS,
        Placement, Record, Symptom,
    },
    worker_slot::WorkerSlot,
};
use crate::device::{
    BuildAnswer, BuildRequest, BuildStatus,
    text::{cut, is_cut},
};

/// Number of kills from outside on one case after which the case is blamed for them.
const KILLS_FROM_OUTSIDE: usize = 3;

/// Number of builds of a case that behaved differently before, each in a new worker.
const BUILDS_OF_SECOND_LOOKS: [usize; 2] = [3, 2];

/// Number of failures that are enough: each was in a worker of its own.
const FAILURES_OF_SECOND_LOOKS: usize = 2;

impl Scheduler<'_> {
    pub(super) fn alone(
        &self,
        group: usize,
        job: usize,
        bisection: Option<&Bisection>,
        slot: &mut WorkerSlot<'_>,
        events: &Sender<Event>,
    ) -> Result<(), Stop> {
        let record = match &self.jobs[job].placement {
            Placement::SecondLook(first) => self.second_look(group, job, first, slot, events)?,
            Placement::Batch
            | Placement::Quarantine
            | Placement::KnownToCrash
            | Placement::KnownToHang => self.until_decided(group, job, slot, events)?,
        };
        if let Some(bisection) = bisection {
            let Outcome { kind, phase, ref detail, .. } = record.outcome;
            let failure = || Failure { kind, detail: detail.clone(), phase };
            bisection.built_alone(job, kind.is_failure().then(failure));
        }
        let _ = events.send(Event::Finished { job, record });
        self.finish(group, RemainingWork::default());
        Ok(())
    }

    /// Builds a case alone that a shared build accepted or did not, and reports the outcome for a comparison.
    pub(super) fn check(
        &self,
        group: usize,
        job: usize,
        is_accepted: bool,
        slot: &mut WorkerSlot<'_>,
        events: &Sender<Event>,
    ) -> Result<(), Stop> {
        let mut tries = Tries::default();
        let (mut outcome, _) = self.one_try(group, job, slot, &mut tries, events)?;
        let was_fresh = tries.attempts.last().is_some_and(|attempt| attempt.fresh);
        if (outcome.kind == OutcomeKind::Accepted) != is_accepted && !was_fresh {
            // What the worker has built before may have led to it.
            slot.retire();
            let before = std::mem::replace(
                &mut outcome,
                self.one_try(group, job, slot, &mut tries, events)?.0,
            );
            if before.kind != outcome.kind {
                let what =
                    format!("{:?} after other programs, but not in a new worker", before.kind);
                let company = tries.company.take().map(|company| *company);
                let _ = events.send(Event::Unreproduced { jobs: vec![job], what, company });
            }
        }
        if outcome.kind.is_failure() && !self.is_new_each_time() {
            slot.retire();
        }
        let _ = events.send(Event::Checked { job, alone: Box::new(outcome) });
        self.end_check(group);
        Ok(())
    }

    /// Builds a case until its outcome is certainly its own.
    fn until_decided(
        &self,
        group: usize,
        job: usize,
        slot: &mut WorkerSlot<'_>,
        events: &Sender<Event>,
    ) -> Result<Record, Stop> {
        let mut tries = Tries::default();
        let mut retries = self.config.retries;
        let placement = &self.jobs[job].placement;
        if matches!(placement, Placement::KnownToCrash | Placement::KnownToHang) {
            // Nothing is learned from seeing it again.
            retries = 0;
        }
        if matches!(placement, Placement::KnownToHang) && !self.is_new_each_time() {
            slot.retire();
        }
        while tries.wants_more(retries) {
            let (outcome, seconds) = self.one_try(group, job, slot, &mut tries, events)?;
            let failed = outcome.kind.is_failure();
            tries.seconds = seconds;
            tries.outcomes.push(outcome);
            // The next builds must not suffer from what a failure left behind, and another try needs a worker
            // that has built nothing.
            if !self.is_new_each_time() && (failed || tries.wants_more(retries)) {
                slot.retire();
            }
            if matches!(placement, Placement::KnownToCrash) && tries.is_crash() {
                tries.blame_case();
                break;
            }
        }
        let record = tries.into_record();
        let accusation =
            self.take_accusation(job).filter(|_| record.outcome.kind == OutcomeKind::Accepted);
        if let Some(Accusation { program, outcome }) = &accusation
            && self.is_first_rebuild(program)
            && self.is_accepted_now(program, &self.group(group), slot)?
        {
            let (jobs, first) = (program.to_vec(), outcome.log.clone());
            let _ = events.send(Event::TwoAnswers { jobs, first });
        }
        let is_rejected = record.outcome.kind == OutcomeKind::Rejected;
        Ok(Record {
            is_contradicted: is_rejected && self.is_contradicted(job),
            blamed: accusation.map(|accusation| Box::new(accusation.outcome)),
            hides_errors: record.outcome.kind == OutcomeKind::Accepted
                && self.hides_errors(&self.group(group), &[job], slot)?,
            ..record
        })
    }

    /// Builds a case in a worker that has built nothing else, more than once unless it kills that worker. If the
    /// outcome differs from the first one, or if builds contradicted each other before, the case is built in further
    /// workers until two answers are known or one was given often enough.
    fn second_look(
        &self,
        group: usize,
        job: usize,
        first: &FirstLook,
        slot: &mut WorkerSlot<'_>,
        events: &Sender<Event>,
    ) -> Result<Record, Stop> {
        let seen = &first.outcome;
        let is_contradicted = first.is_contradicted || self.is_contradicted(job);
        let mut tries = Tries::default();
        let mut answers: Vec<Outcome> = Vec::new();
        let mut hides_errors = false;
        'tries: for builds in BUILDS_OF_SECOND_LOOKS {
            if !self.is_new_each_time() {
                slot.retire();
            }
            let mut left = builds;
            let mut kills = 0;
            while left > 0 {
                let (outcome, seconds) = self.one_try(group, job, slot, &mut tries, events)?;
                tries.seconds = seconds;
                tries.outcomes.push(outcome.clone());
                let from_outside = tries.attempts.last().is_some_and(|last| last.from_outside);
                if from_outside && kills + 1 < KILLS_FROM_OUTSIDE {
                    kills += 1;
                    continue;
                }
                left -= 1;
                let failed = outcome.kind.is_failure();
                if !answers.iter().any(|answer| answer.agrees_with(&outcome)) {
                    answers.push(outcome);
                }
                let failures = tries.attempts.iter().filter(|last| last.kind.is_failure()).count();
                if answers.len() > 1
                    || failures >= FAILURES_OF_SECOND_LOOKS
                    || (failed && answers[0].agrees_with(seen))
                {
                    break 'tries;
                }
            }
            if !is_contradicted && answers[0].agrees_with(seen) {
                break;
            }
        }
        if answers.len() == 1 && answers[0].agrees_with(seen) {
            answers.clear();
            hides_errors = seen.kind == OutcomeKind::Accepted
                && self.hides_errors(&self.group(group), &[job], slot)?;
        }
        if !self.is_new_each_time() {
            slot.retire();
        }
        let outcome = tries.outcomes.pop().unwrap_or_else(|| seen.clone());
        let outcome = answers.first().cloned().unwrap_or(outcome);
        Ok(Record {
            seconds: tries.seconds,
            batch: 1,
            evidence: Some(Evidence::Alone),
            attempts: tries.attempts,
            answers,
            hides_errors,
            ..Record::unbuilt(outcome)
        })
    }

    /// Returns whether each build is a process of its own, as with a command-line compiler.
    pub(super) fn is_new_each_time(&self) -> bool {
        matches!(self.launch.setup.target, Target::Command { .. })
    }

    fn one_try(
        &self,
        group: usize,
        job: usize,
        slot: &mut WorkerSlot<'_>,
        tries: &mut Tries,
        events: &Sender<Event>,
    ) -> Result<(Outcome, f64), Stop> {
        let facts = self.group(group);
        let mut limit = self.config.build_timeout;
        let runs = self.runs(&[job], &facts);
        match &self.jobs[job].placement {
            // A driver's first build takes longer; one that hangs should not be waited for longer than before.
            Placement::SecondLook(first)
                if first.outcome.kind != OutcomeKind::TimedOut && !self.is_new_each_time() =>
            {
                slot.open(runs.work()).map_err(|error| self.no_worker(error))?;
                limit = limit.max(self.config.start_timeout);
            }
            placement => {
                self.warm_up(facts.dialect, runs.work(), slot)?;
                if matches!(placement, Placement::KnownToHang) {
                    limit /= PART_FOR_KNOWN_HANGS;
                }
            }
        }
        let fresh = slot.has_built_only(job) || self.is_new_each_time();
        let program = Program::alone(facts.dialect.language, &self.jobs[job].source);
        let request = BuildRequest {
            runs: runs.requests(),
            code: runs.code(facts.code.clone()),
            output: facts.output.clone(),
            ..self.request_of_jobs(&facts, &[job], program.text.clone())
        };
        let mut half_over = |phase: Phase| {
            let (id, seconds) = (&self.jobs[job].id, (limit / 2).as_secs_f64());
            let _ = events.send(Event::Warning(format!(
                "{id}: no answer from {phase:?} after {seconds:.1} s"
            )));
        };
        let begun = Instant::now();
        let mut from_outside = false;
        let end = self.build_believed(
            Build { group: &facts, job, program: &program, request, limit, work: runs.work() },
            &mut half_over,
            slot,
            events,
        )?;
        let (outcome, seconds) = match end {
            BuildEnd::Cancelled => return Err(Stop::Cancelled),
            BuildEnd::Answered { answer, runs: seen, .. } => {
                let seconds = answer.seconds + seen.iter().map(RunAnswer::seconds).sum::<f64>();
                self.with_costs(|costs| costs.measured_single(seconds));
                let is_accepted = answer.status == BuildStatus::Accepted;
                // Alone, each broken law is the case's own.
                let compared = if is_accepted {
                    self.compared(&facts, &[job], &program, &answer, events).ok().flatten()
                } else {
                    None
                };
                let module = compared.and_then(|compared| compared.cases.into_iter().next());
                let outcome = if is_accepted {
                    Outcome { module: module.map(Box::new), ..runs.outcome(0, &seen) }
                } else {
                    self.outcome(&program, facts.attribution, answer)
                };
                (outcome, seconds)
            }
            BuildEnd::Died(death) => {
                from_outside = death.from_outside;
                (outcome_of(death), begun.elapsed().as_secs_f64())
            }
        };
        if outcome.kind.is_failure() && !fresh && !from_outside {
            let programs = slot.history_up_to(&[job]);
            let before = programs.split_last().map_or(&[][..], |(_, before)| before);
            let history = before.iter().flat_map(|jobs| jobs.iter());
            tries.failed_after = history.map(|&job| self.jobs[job].id.clone()).collect();
            let Outcome { kind, phase, ref detail, .. } = outcome;
            let failure = Failure { kind, detail: detail.clone(), phase };
            tries.company = Some(Box::new(failure.in_company(programs)));
        } else if let Some(symptom) = self.unexpected(job, outcome.kind) {
            let (programs, what) = (slot.history_up_to(&[job]), format!("{:?}", outcome.kind));
            tries.company = Some(Box::new(Company { programs, symptom, what }));
        }
        let (kind, detail) = (outcome.kind, outcome.detail.clone());
        tries.attempts.push(Attempt { kind, detail, fresh, from_outside });
        Ok((outcome, seconds))
    }

    /// Returns what is wrong with a driver if this answer to the job is not the job's own; `None` of the expected
    /// answer.
    pub(super) fn unexpected(&self, job: usize, kind: OutcomeKind) -> Option<Symptom> {
        match (self.jobs[job].expected, kind) {
            (ExpectedVerdict::Accept, OutcomeKind::Rejected) => Some(Symptom::RejectsGood),
            (ExpectedVerdict::Reject, OutcomeKind::Accepted) => Some(Symptom::AcceptsBad),
            _ => None,
        }
    }

    fn outcome(&self, program: &Program, attribution: Attribution, answer: BuildAnswer) -> Outcome {
        if answer.is_front_ends_rejection()
            && let Some(blame) = program.blame(&answer.log, attribution).remove(&0)
        {
            return self.blamed(blame, &answer);
        }
        let kind = answer.status.outcome();
        let silent = answer.is_front_ends_rejection()
            && attribution != Attribution::Nothing
            && answer.log.trim().is_empty();
        let unrelated = answer.is_front_ends_rejection() && !silent && {
            let names_lines = attribution != Attribution::Nothing;
            answer.log.lines().any(is_failure_of_compiler)
                // What was left out may have been the complaint.
                || names_lines
                    && !is_cut(&answer.log)
                    && !is_about_program(&answer.log, &program.text)
        };
        // How far an accepted one got goes without saying.
        let phase = if kind == OutcomeKind::Accepted { Phase::Build } else { answer.phase };
        let log = if kind == OutcomeKind::Accepted {
            String::new()
        } else {
            cut(&answer.log, self.config.log_limit)
        };
        Outcome { phase, detail: answer.detail, log, silent, unrelated, ..Outcome::new(kind) }
    }
}

fn outcome_of(death: Death) -> Outcome {
    Outcome { phase: death.phase, detail: death.detail, log: death.log, ..Outcome::new(death.kind) }
}

/// Every time a case was built alone.
#[derive(Default)]
struct Tries {
    attempts: Vec<Attempt>,
    outcomes: Vec<Outcome>,
    failed_after: Vec<String>,
    company: Option<Box<Company>>,
    seconds: f64,
}

impl Tries {
    /// Returns whether the case has to be tried again. A failure in a worker that had built other cases is tried in a
    /// fresh one, a failure in a fresh one as often as the user wants, and a kill from outside until it cannot be
    /// chance any more.
    fn wants_more(&self, retries: u32) -> bool {
        let Some(last) = self.attempts.last() else { return true };
        if last.from_outside {
            return self.attempts.len() < KILLS_FROM_OUTSIDE;
        }
        let evidence = self.attempts.iter().filter(|attempt| attempt.is_evidence());
        let failed = evidence.clone().any(|attempt| attempt.kind.is_failure());
        (last.kind.is_failure() && !last.fresh) || (failed && evidence.count() <= retries as usize)
    }

    /// Whether the last try killed its worker.
    fn is_crash(&self) -> bool {
        let last = self.attempts.last();
        last.is_some_and(|last| last.kind == OutcomeKind::Crashed && !last.from_outside)
    }

    /// Blames the case for its failure, and not what its worker had built before.
    fn blame_case(&mut self) {
        self.failed_after.clear();
        self.company = None;
    }

    /// Returns the record: the failure where there was one in a fresh worker, the last outcome otherwise. A case that
    /// fails sometimes is never reported as one that does not fail.
    fn into_record(mut self) -> Record {
        let own_failure = self
            .attempts
            .iter()
            .position(|attempt| attempt.is_evidence() && attempt.kind.is_failure());
        let decisive = own_failure.unwrap_or(self.outcomes.len().saturating_sub(1));
        let outcome = self.outcomes.swap_remove(decisive);
        let is_fresh = self.attempts.get(decisive).is_some_and(Attempt::is_evidence);
        // A case that did what it does at the first try has no story.
        let attempts = if self.attempts.len() > 1 { self.attempts } else { Vec::new() };
        Record {
            seconds: self.seconds,
            batch: 1,
            attempts,
            failed_after: if own_failure.is_some() { Vec::new() } else { self.failed_after },
            evidence: Some(Evidence::Alone),
            company: self.company.filter(|_| own_failure.is_none()),
            is_fresh,
            ..Record::unbuilt(outcome)
        }
    }
}
