//! Building one case alone, and finding out whether a failure is its own.

use std::{
    sync::{Arc, mpsc::Sender},
    time::Instant,
};

use expectations::{
    outcome::{Outcome, OutcomeKind, Phase},
    probe::plan::RunAnswer,
};

use super::{
    process::{BuildEnd, Death},
    program::{Attribution, Program},
    queue::{Bisection, Left},
    scheduler::{Scheduler, Stop},
    types::{Attempt, Event, Record},
    worker_slot::WorkerSlot,
};
use crate::device::{BuildAnswer, BuildRequest, BuildStatus, environment::Target, text::cut};

/// A worker that is killed from outside so many times on one case is killed because of it.
const KILLS_FROM_OUTSIDE: usize = 3;

impl Scheduler<'_> {
    pub(super) fn alone(
        &self,
        group: usize,
        job: usize,
        bisection: Option<&Arc<Bisection>>,
        slot: &mut WorkerSlot<'_>,
        events: &Sender<Event>,
    ) -> Result<(), Stop> {
        let mut tries = Tries::default();
        while tries.wants_more(self.config.retries) {
            let (outcome, seconds) = self.one_try(group, job, slot, &mut tries, events)?;
            let failed = is_failure(outcome.kind);
            tries.seconds = seconds;
            tries.outcomes.push(outcome);
            // Whatever comes next must not suffer from what a failure left behind, and another try needs a
            // worker that has built nothing.
            if !self.is_new_each_time() && (failed || tries.wants_more(self.config.retries)) {
                slot.retire();
            }
        }
        let record = tries.into_record();
        if let Some(bisection) = bisection
            && is_failure(record.outcome.kind)
        {
            bisection.settle();
        }
        let _ = events.send(Event::Finished { job, record });
        self.finish(group, Left::default());
        Ok(())
    }

    /// A command-line compiler is a process of its own each time.
    fn is_new_each_time(&self) -> bool {
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
        self.warm_up(facts.dialect, slot)?;
        let fresh = slot.is_fresh() || self.is_new_each_time();
        let before = slot.history().len();
        let program = Program::new([self.jobs[job].source.as_str()]);
        let runs = self.runs(&[job], &facts.options);
        let request = BuildRequest {
            runs: runs.requests(),
            ..self.request(facts.options, program.text.clone(), 1)
        };
        let limit = self.config.build_timeout;
        let mut half_over = |phase: Phase| {
            let (id, seconds) = (&self.jobs[job].id, (limit / 2).as_secs_f64());
            let _ = events.send(Event::Warning(format!(
                "{id}: no answer from {phase:?} after {seconds:.1} s"
            )));
        };
        let begun = Instant::now();
        let mut from_outside = false;
        let (outcome, seconds) = match slot.build_watched(&[job], request, limit, &mut half_over) {
            BuildEnd::Cancelled => return Err(Stop::Cancelled),
            BuildEnd::Answered { answer, runs: seen } => {
                let seconds = answer.seconds + seen.iter().map(RunAnswer::seconds).sum::<f64>();
                self.with_costs(|costs| costs.measured_single(seconds));
                let mut outcome = self.outcome(&program, facts.attribution, answer);
                if outcome.kind == OutcomeKind::Accepted {
                    outcome.run = runs.seen(0, &seen);
                }
                (outcome, seconds)
            }
            BuildEnd::Died(death) => {
                from_outside = death.from_outside;
                (outcome_of(death), begun.elapsed().as_secs_f64())
            }
        };
        if is_failure(outcome.kind) && !fresh && !from_outside {
            let history = slot.history()[..before].iter();
            tries.failed_after = history.map(|&job| self.jobs[job].id.clone()).collect();
        }
        let (kind, detail) = (outcome.kind, outcome.detail.clone());
        tries.attempts.push(Attempt { kind, detail, fresh, from_outside });
        Ok((outcome, seconds))
    }

    fn outcome(&self, program: &Program, attribution: Attribution, answer: BuildAnswer) -> Outcome {
        let kind = match answer.status {
            BuildStatus::Accepted => OutcomeKind::Accepted,
            BuildStatus::Rejected => {
                if let Some(blame) = program.blame(&answer.log, attribution).remove(&0) {
                    return self.blamed(blame, &answer);
                }
                OutcomeKind::Rejected
            }
            BuildStatus::KernelRejected => OutcomeKind::Rejected,
            BuildStatus::Crashed => OutcomeKind::Crashed,
            BuildStatus::OutOfMemory => OutcomeKind::OutOfMemory,
            BuildStatus::Failed => OutcomeKind::Failed,
        };
        let phase = if answer.status == BuildStatus::KernelRejected {
            Phase::CreateKernel
        } else {
            Phase::Build
        };
        let log = if kind == OutcomeKind::Accepted {
            String::new()
        } else {
            cut(&answer.log, self.config.log_limit)
        };
        Outcome { phase, detail: answer.detail, log, ..Outcome::new(kind) }
    }
}

fn outcome_of(death: Death) -> Outcome {
    Outcome { phase: death.phase, detail: death.detail, log: death.log, ..Outcome::new(death.kind) }
}

fn is_failure(kind: OutcomeKind) -> bool {
    match kind {
        OutcomeKind::Accepted | OutcomeKind::Rejected | OutcomeKind::Unsupported => false,
        OutcomeKind::Crashed
        | OutcomeKind::TimedOut
        | OutcomeKind::OutOfMemory
        | OutcomeKind::Failed => true,
    }
}

/// Every time a case was built alone.
#[derive(Default)]
struct Tries {
    attempts: Vec<Attempt>,
    outcomes: Vec<Outcome>,
    failed_after: Vec<String>,
    seconds: f64,
}

impl Tries {
    /// A failure in a worker that had built other cases is tried in a fresh one, a failure in a fresh one as often
    /// as the user wants to know, a kill from outside until it is no chance any more.
    fn wants_more(&self, retries: u32) -> bool {
        let Some(last) = self.attempts.last() else { return true };
        if last.from_outside {
            return self.attempts.len() < KILLS_FROM_OUTSIDE;
        }
        let evidence = self.attempts.iter().filter(|attempt| attempt.is_evidence());
        let failed = evidence.clone().any(|attempt| is_failure(attempt.kind));
        (is_failure(last.kind) && !last.fresh) || (failed && evidence.count() <= retries as usize)
    }

    /// The failure where there was one in a fresh worker, the last outcome otherwise: a case that fails
    /// sometimes is never passed off as one that does not.
    fn into_record(mut self) -> Record {
        let own_failure = self
            .attempts
            .iter()
            .position(|attempt| attempt.is_evidence() && is_failure(attempt.kind));
        let decisive = own_failure.unwrap_or(self.outcomes.len().saturating_sub(1));
        let outcome = self.outcomes.swap_remove(decisive);
        // A case that did what it does at the first try has no story.
        let attempts = if self.attempts.len() > 1 { self.attempts } else { Vec::new() };
        Record {
            outcome,
            seconds: self.seconds,
            batch: 1,
            attempts,
            failed_after: if own_failure.is_some() { Vec::new() } else { self.failed_after },
        }
    }
}
