//! Shared builds: many cases as one program, and the verdict on each of them.

use std::{
    sync::{Arc, mpsc::Sender},
    time::Duration,
};

use expectations::{
    evidence::Evidence,
    outcome::{Outcome, OutcomeKind, Phase},
    probe::plan::RunAnswer,
};

use worker::{BuildEnd, Death};

use super::{
    bisection::{Bisection, Failure},
    laws::ComparisonError,
    program::{Attribution, Blame, Program},
    queue::{Batch, Measurement, RemainingWork, Round, Task},
    running::Runs,
    scheduler::{GroupFacts, Scheduler, Stop},
    self_check,
    side::Side,
    sizes::per_case,
    types::{AcceptedBatches, Accusation, Company, Event, ExpectedVerdict, Placement, Record},
    worker_slot::{Work, WorkerSlot},
};
use crate::device::{BuildAnswer, BuildRequest, BuildStatus, text::cut};

/// No batch is given up sooner, however fast the device.
const SHORTEST_LIMIT: Duration = Duration::from_secs(5);
/// A batch that takes this many times as long as others did is taken to hang.
const SLOWNESS: u32 = 20;
/// A batch that died or hung is cut into this many: each cut costs a worker and perhaps a time limit.
const PARTS_AFTER_DEATH: usize = 8;
/// Number of batches that blamed only some of their cases, after which the cost of further ones is compared with
/// building alone.
const PATIENCE: u32 = 2;
/// Number of parts for the rest of a failed batch whose log names culprits: there may be others.
const PARTS_AFTER_NAMES: usize = 2;
/// Number of parts of a rejected batch whose log names no culprit.
const PARTS_AFTER_REJECTION: usize = 2;
/// Number of cases up to which a rejected batch of cases that should be rejected is built one by one: each half would
/// be rejected too.
const SINGLY_AFTER_REJECTION: usize = 8;

impl Scheduler<'_> {
    pub(super) fn shared(
        &self,
        batch: &Batch,
        slot: &mut WorkerSlot<'_>,
        events: &Sender<Event>,
    ) -> Result<(), Stop> {
        let group = self.group(batch.group);
        if group.attribution == Attribution::Nothing && group.side == Side::Reject {
            // Nobody would be blamed.
            self.finish(
                batch.group,
                RemainingWork {
                    tasks: singles(batch, batch.jobs.iter()),
                    ..RemainingWork::default()
                },
            );
            return Ok(());
        }
        let runs = self.runs(&batch.jobs, &group);
        self.warm_up(group.dialect, runs.work(), slot)?;
        let program = Program::new(batch.jobs.iter().map(|&job| self.jobs[job].source.as_str()));
        let request = BuildRequest {
            runs: runs.requests(),
            code: runs.code(group.code.clone()),
            output: group.output.clone(),
            ..self.request_of_jobs(&group, &batch.jobs, program.text.clone())
        };
        let limit = self.limit(&group, batch.jobs.len());
        let left = match slot.build(&batch.jobs, request, limit) {
            BuildEnd::Cancelled => return Err(Stop::Cancelled),
            BuildEnd::Died(death) => {
                let failure = failure_of_death(&death);
                if !death.from_outside {
                    self.suspect(batch, &failure, slot, events);
                }
                let batch = failed(batch, failure);
                match runs.died_on(&death) {
                    Some(culprit) => RemainingWork {
                        tasks: self.around_culprit(&batch, culprit, &runs, &death.runs, events),
                        ..RemainingWork::default()
                    },
                    None => RemainingWork {
                        tasks: self.search(&batch, None),
                        ..RemainingWork::default()
                    },
                }
            }
            BuildEnd::Answered { answer, .. }
                if program.is_rejected_without_evidence(&answer, group.attribution)
                    && self.is_accepted_now(&batch.jobs, &group, slot)? =>
            {
                let jobs = batch.jobs.clone();
                let _ = events.send(Event::TwoAnswers { jobs, first: answer.log });
                RemainingWork {
                    tasks: singles(batch, batch.jobs.iter()),
                    ..RemainingWork::default()
                }
            }
            BuildEnd::Answered { answer, runs: seen, processor_time } => {
                let measurement = (batch.size > 0).then_some(Measurement {
                    size: batch.size,
                    cases: batch.jobs.len(),
                    seconds: processor_time.as_secs_f64(),
                });
                if answer.status.outcome().is_failure() {
                    self.suspect(batch, &failure_of(&answer), slot, events);
                }
                let programs = slot.history_up_to(&batch.jobs);
                let (program, answer, runs, seen) = (&program, &answer, &runs, &seen);
                let built = BuiltProgram { program, answer, runs, seen, programs };
                let is_hidden = answer.status == BuildStatus::Accepted
                    && self.hides_errors(&group, &batch.jobs, slot)?;
                let left = if is_hidden {
                    let tasks = parts(batch, PARTS_AFTER_REJECTION);
                    RemainingWork { tasks, ..RemainingWork::default() }
                } else {
                    self.answered(batch, &group, &built, events)
                };
                RemainingWork { measurement, ..left }
            }
        };
        self.finish(batch.group, left);
        Ok(())
    }

    /// Reports a batch that failed, and keeps what the worker had built.
    fn suspect(
        &self,
        batch: &Batch,
        failure: &Failure,
        slot: &WorkerSlot<'_>,
        events: &Sender<Event>,
    ) {
        self.keep_company(&batch.jobs, failure.in_company(slot.history_up_to(&batch.jobs)));
        let _ = events.send(Event::BatchFailed { jobs: batch.jobs.clone() });
    }

    /// Builds cases together that pass alone and were in batches that died with culprits, without these: the batches
    /// may die without them too.
    pub(super) fn companions(
        &self,
        group: usize,
        jobs: &[usize],
        culprits: &[usize],
        slot: &mut WorkerSlot<'_>,
        events: &Sender<Event>,
    ) -> Result<(), Stop> {
        let facts = self.group(group);
        let runs = self.runs(jobs, &facts);
        self.warm_up(facts.dialect, runs.work(), slot)?;
        let program = Program::new(jobs.iter().map(|&job| self.jobs[job].source.as_str()));
        let limit = self.limit(&facts, jobs.len());
        let request = BuildRequest {
            runs: runs.requests(),
            code: runs.code(facts.code.clone()),
            ..self.request_of_jobs(&facts, jobs, program.text)
        };
        let mut is_from_outside = false;
        let failure = match slot.build(jobs, request, limit) {
            BuildEnd::Cancelled => return Err(Stop::Cancelled),
            BuildEnd::Died(death) => {
                is_from_outside = death.from_outside;
                Some(failure_of_death(&death))
            }
            BuildEnd::Answered { answer, .. } => {
                answer.status.outcome().is_failure().then(|| failure_of(&answer))
            }
        };
        match failure {
            Some(failure) => {
                let what = failure.to_string();
                let company =
                    (!is_from_outside).then(|| failure.in_company(slot.history_up_to(jobs)));
                let _ = events.send(Event::Unreproduced { jobs: jobs.to_vec(), what, company });
            }
            None => {
                for &job in culprits {
                    let _ = events.send(Event::FailedTwice { job });
                }
            }
        }
        self.finish(group, RemainingWork::default());
        Ok(())
    }

    /// Returns the tasks that search for the cases which a whole batch failed on. Cases named in the log are built
    /// alone, and the rest without these.
    fn search(&self, batch: &Batch, said: Option<(&Program, &str)>) -> Vec<Task> {
        let cases = batch.jobs.len();
        if let Some(tasks) =
            said.and_then(|(program, log)| named_alone(batch, program, log, PARTS_AFTER_NAMES))
        {
            return tasks;
        }
        if self.is_new_each_time() {
            // A compiler that dies costs no worker.
            return parts(batch, PARTS_AFTER_DEATH);
        }
        let cuts = cases.ilog2() / PARTS_AFTER_DEATH.ilog2() + 1;
        if self.with_costs(|costs| costs.singles_after_death(cases, cuts)) {
            singles(batch, batch.jobs.iter())
        } else {
            parts(batch, PARTS_AFTER_DEATH)
        }
    }

    /// Whether the device accepts these cases with a known-bad program behind them. A device that does not report the
    /// wrong lines cannot be checked.
    pub(super) fn hides_errors(
        &self,
        group: &GroupFacts,
        jobs: &[usize],
        slot: &mut WorkerSlot<'_>,
    ) -> Result<bool, Stop> {
        if self.config.accepted_batches == AcceptedBatches::Believed
            || group.attribution == Attribution::Nothing
            || !group.dialect.language.joins_programs()
        {
            return Ok(false);
        }
        self.warm_up(group.dialect, Work::Builds, slot)?;
        let sources = jobs.iter().map(|&job| self.jobs[job].source.as_str());
        let bad = self_check::bad(group.dialect.language);
        let program = Program::new(sources.chain([bad.as_str()]));
        let request = self.request_of_jobs(group, jobs, program.text.clone());
        match slot.build(jobs, request, self.limit(group, jobs.len() + 1)) {
            BuildEnd::Cancelled => Err(Stop::Cancelled),
            BuildEnd::Died(_) => Ok(false),
            BuildEnd::Answered { answer, .. } => {
                let blames = program.blame(&answer.log, group.attribution);
                Ok(answer.status == BuildStatus::Accepted
                    || (answer.is_front_ends_rejection()
                        && !blames.is_empty()
                        && !blames.contains_key(&jobs.len())))
            }
        }
    }

    /// Whether the device accepts the program of these jobs, which it has rejected.
    pub(super) fn is_accepted_now(
        &self,
        jobs: &[usize],
        group: &GroupFacts,
        slot: &mut WorkerSlot<'_>,
    ) -> Result<bool, Stop> {
        self.warm_up(group.dialect, Work::Builds, slot)?;
        let program = Program::new(jobs.iter().map(|&job| self.jobs[job].source.as_str()));
        let request = self.request_of_jobs(group, jobs, program.text);
        match slot.build(jobs, request, self.limit(group, jobs.len())) {
            BuildEnd::Cancelled => Err(Stop::Cancelled),
            BuildEnd::Died(_) => Ok(false),
            BuildEnd::Answered { answer, .. } => Ok(answer.status == BuildStatus::Accepted),
        }
    }

    fn limit(&self, group: &GroupFacts, cases: usize) -> Duration {
        let whole = self.config.build_timeout;
        match self.expected(group.side, cases) {
            None => whole,
            Some(expected) => {
                (expected * SLOWNESS).max(SHORTEST_LIMIT).min(whole.max(expected * 4))
            }
        }
    }

    fn answered(
        &self,
        batch: &Batch,
        group: &GroupFacts,
        built: &BuiltProgram<'_>,
        events: &Sender<Event>,
    ) -> RemainingWork {
        let &BuiltProgram { program, answer, runs, seen, ref programs } = built;
        match answer.status {
            // Blamed in one batch and not in another: only a build of the case alone can show it.
            BuildStatus::Accepted if batch.round == Round::Doubted => {
                self.contradict(&batch.jobs);
                RemainingWork {
                    tasks: singles(batch, batch.jobs.iter()),
                    ..RemainingWork::default()
                }
            }
            BuildStatus::Accepted => {
                if let Some((culprit, before)) = runs.failed_on(seen)
                    && batch.jobs.len() > 1
                {
                    let tasks = self.around_culprit(batch, culprit, runs, before, events);
                    return RemainingWork { tasks, ..RemainingWork::default() };
                }
                let modules = match self.compared(group, &batch.jobs, program, answer, events) {
                    Ok(compared) => compared.map(|compared| compared.cases),
                    Err(ComparisonError::UnknownTarget(_)) => None,
                    Err(ComparisonError::BrokenByAny) => {
                        let tasks = parts(batch, PARTS_AFTER_REJECTION);
                        return RemainingWork { tasks, ..RemainingWork::default() };
                    }
                };
                for (position, &job) in batch.jobs.iter().enumerate() {
                    let module =
                        modules.as_ref().map(|modules| Box::new(modules[position].clone()));
                    let outcome = Outcome { module, ..runs.outcome(position, seen) };
                    let seconds =
                        per_case(answer.seconds, batch.jobs.len()) + runs.seconds(position, seen);
                    self.accepted(batch.group, job, outcome, programs, seconds, events);
                }
                RemainingWork::default()
            }
            BuildStatus::Rejected if answer.phase == Phase::Build => {
                self.rejected(batch, group, program, answer, events)
            }
            BuildStatus::Rejected => {
                let tasks = self.search(batch, Some((program, &answer.log)));
                RemainingWork { tasks, ..RemainingWork::default() }
            }
            BuildStatus::Crashed | BuildStatus::OutOfMemory | BuildStatus::Failed => {
                let batch = failed(batch, failure_of(answer));
                let tasks = self.search(&batch, Some((program, &answer.log)));
                RemainingWork { tasks, ..RemainingWork::default() }
            }
        }
    }

    fn rejected(
        &self,
        batch: &Batch,
        group: &GroupFacts,
        program: &Program,
        answer: &BuildAnswer,
        events: &Sender<Event>,
    ) -> RemainingWork {
        let mut blames = program.blame(&answer.log, group.attribution);
        // A linker has no places.
        if blames.is_empty() && group.side == Side::Reject {
            blames = program.blame_by_symbols(&answer.log);
        }
        if blames.is_empty() {
            let tasks = named_alone(batch, program, &answer.log, 1).unwrap_or_else(|| {
                let count = match group.side {
                    Side::Reject if batch.jobs.len() <= SINGLY_AFTER_REJECTION => batch.jobs.len(),
                    _ => PARTS_AFTER_REJECTION,
                };
                parts(batch, count)
            });
            return RemainingWork { tasks, ..RemainingWork::default() };
        }
        // An expectation that a rejection meets is a second source; any other rejection is looked for in two programs.
        let is_confirmed = |job: usize| {
            batch.round == Round::Doubted || self.jobs[job].expected == ExpectedVerdict::Reject
        };
        let last_blamed = blames.keys().max().copied().unwrap_or_default();
        let whole: Arc<[usize]> = batch.jobs.as_slice().into();
        let mut left = RemainingWork::default();
        let mut rest = Vec::new();
        for (index, &job) in batch.jobs.iter().enumerate() {
            match blames.remove(&index) {
                Some(blame) if is_confirmed(job) => {
                    let cases = batch.jobs.len();
                    let evidence = Some(blame.evidence);
                    let seconds = per_case(answer.seconds, cases);
                    let outcome = self.blamed(blame, answer);
                    let record =
                        Record { seconds, batch: cases, evidence, ..Record::unbuilt(outcome) };
                    self.shared_verdict(batch.group, job, record, events);
                }
                Some(blame) => {
                    let (program, outcome) = (Arc::clone(&whole), self.blamed(blame, answer));
                    self.accuse(job, Accusation { program, outcome });
                    left.doubted.push(job);
                }
                // It did not stop before this one, and was rejected for it before.
                None if index < last_blamed && self.was_rejected(batch, job) => {
                    self.contradict(&[job]);
                    left.tasks.extend(singles(batch, [job].iter()));
                }
                None => rest.push(job),
            }
        }
        if rest.is_empty() {
            return left;
        }
        let again =
            |round| Task::Shared(Batch { jobs: rest.clone(), size: 0, round, ..batch.clone() });
        match (group.side, batch.round) {
            // Errors of a linker show only in a program without errors of the front end.
            (Side::Reject, Round::Doubted) if rest.len() * 2 <= batch.jobs.len() => {
                left.tasks.push(again(Round::Doubted));
            }
            (side, Round::Doubted) => {
                // A front end that stops at its first error does not mention the cases after it.
                if side != Side::Reject {
                    self.contradict(&rest);
                }
                left.tasks.extend(singles(batch, rest.iter()));
            }
            (Side::Reject, Round::First) => left.unblamed = rest,
            (Side::Run | Side::Code | Side::Accept, Round::First) => {
                left.tasks.push(again(Round::First));
            }
            // Fewer than before, so this comes to an end; but it may be a few only each time, as where a name
            // without a declaration is complained of once in a program.
            (_, Round::Unblamed { before }) => {
                let progress = batch.jobs.len() - rest.len();
                let singly = before >= PATIENCE
                    && self.with_costs(|costs| {
                        costs.singles_for_the_rest(rest.len(), progress, answer.seconds)
                    });
                if singly {
                    left.tasks.extend(singles(batch, rest.iter()));
                } else {
                    left.tasks.push(again(Round::Unblamed { before: before + 1 }));
                }
            }
        }
        left
    }

    /// Whether another build was rejected for this job before this one.
    fn was_rejected(&self, batch: &Batch, job: usize) -> bool {
        match &self.jobs[job].placement {
            Placement::SecondLook(first) => first.outcome.kind == OutcomeKind::Rejected,
            Placement::Batch
            | Placement::Quarantine
            | Placement::KnownToCrash
            | Placement::KnownToHang => batch.round == Round::Doubted,
        }
    }

    /// Returns the outcome of a case that a log blames.
    pub(super) fn blamed(&self, blame: Blame, answer: &BuildAnswer) -> Outcome {
        Outcome {
            detail: answer.detail.clone(),
            error_lines: blame.lines,
            log: cut(blame.log.trim_end(), self.config.log_limit),
            ..Outcome::new(OutcomeKind::Rejected)
        }
    }

    /// Returns the tasks that a batch leaves which went wrong on the probe of one case: that case alone, and the others
    /// whose probes were not reached before it.
    fn around_culprit(
        &self,
        batch: &Batch,
        culprit: usize,
        runs: &Runs,
        before: &[RunAnswer],
        events: &Sender<Event>,
    ) -> Vec<Task> {
        let mut left = Vec::new();
        let programs: Arc<[Arc<[usize]>]> = [batch.jobs.as_slice().into()].into();
        for (position, &job) in batch.jobs.iter().enumerate() {
            if position == culprit {
                continue;
            }
            if runs.was_reached(position, before) {
                let outcome = runs.outcome(position, before);
                let seconds = runs.seconds(position, before);
                self.accepted(batch.group, job, outcome, &programs, seconds, events);
            } else {
                left.push(job);
            }
        }
        let alone = Task::Alone {
            group: batch.group,
            job: batch.jobs[culprit],
            bisection: batch.bisection.clone(),
        };
        let rest = Batch { jobs: left, size: 0, bisection: None, ..batch.clone() };
        if rest.jobs.is_empty() { vec![alone] } else { vec![alone, Task::Shared(rest)] }
    }

    /// Reports the outcome of a case of the last of these programs, which was accepted.
    fn accepted(
        &self,
        group: usize,
        job: usize,
        outcome: Outcome,
        programs: &Arc<[Arc<[usize]>]>,
        seconds: f64,
        events: &Sender<Event>,
    ) {
        let batch_jobs = programs.last().cloned();
        let batch = batch_jobs.as_ref().map_or(0, |jobs| jobs.len());
        let company = self.unexpected(job, outcome.kind).map(|symptom| {
            let (programs, what) = (Arc::clone(programs), format!("{:?}", outcome.kind));
            Box::new(Company { programs, symptom, what })
        });
        // A batch of one, on the way of a search, has nothing else in it.
        let evidence = Some(if batch == 1 { Evidence::Alone } else { Evidence::Program });
        let record =
            Record { seconds, batch, company, batch_jobs, evidence, ..Record::unbuilt(outcome) };
        self.shared_verdict(group, job, record, events);
    }
}

/// Returns a failed batch with a bisection, in which its parts are searched for the cases it failed on.
fn failed(batch: &Batch, failure: Failure) -> Batch {
    let bisection = Bisection::new(batch.jobs.clone(), failure, batch.bisection.clone());
    Batch { bisection: Some(bisection), ..batch.clone() }
}

fn failure_of_death(death: &Death) -> Failure {
    Failure { kind: death.kind, detail: death.detail.clone(), phase: death.phase }
}

fn failure_of(answer: &BuildAnswer) -> Failure {
    Failure { kind: answer.status.outcome(), detail: answer.detail.clone(), phase: answer.phase }
}

/// A program that was built, and what its probes showed.
struct BuiltProgram<'b> {
    program: &'b Program,
    answer: &'b BuildAnswer,
    runs: &'b Runs,
    seen: &'b [RunAnswer],
    /// Jobs of the programs that its worker had built, up to this one.
    programs: Arc<[Arc<[usize]>]>,
}

/// Returns the cases that a log names as single tasks, and the rest in `rest` parts; `None` if the log names none,
/// or more than half of them.
fn named_alone(batch: &Batch, program: &Program, log: &str, rest: usize) -> Option<Vec<Task>> {
    let named = program.mentioned(log);
    if !(1..=batch.jobs.len() / 2).contains(&named.len()) {
        return None;
    }
    let named: Vec<usize> = named.into_iter().map(|index| batch.jobs[index]).collect();
    let others = batch.jobs.iter().copied().filter(|job| !named.contains(job)).collect();
    let mut tasks = singles(batch, named.iter());
    tasks.extend(parts(&Batch { jobs: others, ..batch.clone() }, rest));
    Some(tasks)
}

fn singles<'j>(batch: &Batch, jobs: impl Iterator<Item = &'j usize>) -> Vec<Task> {
    let single = |&job| Task::Alone { group: batch.group, job, bisection: batch.bisection.clone() };
    jobs.map(single).collect()
}

fn parts(batch: &Batch, count: usize) -> Vec<Task> {
    let part =
        |jobs: &[usize]| Task::Shared(Batch { jobs: jobs.to_vec(), size: 0, ..batch.clone() });
    batch.jobs.chunks(batch.jobs.len().div_ceil(count)).map(part).collect()
}
