//! Scheduler of a run's workers: it opens devices, checks them and decides which worker builds which cases next.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    time::{Duration, Instant},
};

use expectations::{
    device::DeviceFile,
    dialect::Dialect,
    outcome::{Outcome, OutcomeKind},
    probe::Limits,
};

use results::worker_time::Activity;
use worker::{BuildEnd, Launch};

use super::{
    bisection::{Bisection, Conclusion},
    journal::Journal,
    producer::Producer,
    program::Attribution,
    queue::{Batch, Queue, RemainingWork, Task, own_options, plain_form},
    self_check::{self, BadProgram},
    side::Side,
    sizes::Costs,
    types::{
        Accusation, Cancel, Company, Config, DeviceReport, EngineError, Event, Job, LearnedFacts,
        Placement, Record,
    },
    worker_slot::{NoWorker, STARTS, Wear, Work, WorkerSlot},
};
use crate::device::{
    BuildAnswer, BuildRequest, Capabilities, Code, DeviceFacts, Form, OpenError, Output,
    asked_code, build_options, install, support, with_options,
};

/// Interval at which an idle worker checks whether the run was stopped.
const PATIENCE: Duration = Duration::from_millis(50);

/// The run, as its workers share it.
pub(super) struct Scheduler<'r> {
    pub(super) device: &'r DeviceFile,
    pub(super) jobs: &'r [Job],
    pub(super) config: &'r Config,
    pub(super) launch: &'r Launch,
    /// Workers of the compiler whose modules the device is given.
    pub(super) producer: Option<&'r Launch>,
    /// Made by a failing worker, or by the user.
    pub(super) stop: Cancel,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    opened: bool,
    checks: Vec<Dialect>,
    attributions: BTreeMap<Dialect, Attribution>,
    queue: Option<Queue>,
    /// Reasons for which batches that should be accepted were rejected, by job.
    accusations: BTreeMap<usize, Accusation>,
    /// Programs that were rejected, whose jobs were accepted alone, and that were built again.
    rebuilt: BTreeSet<Arc<[usize]>>,
    /// Jobs that one batch was rejected for and another was not.
    contradicted: BTreeSet<usize>,
    /// Programs that batches which failed were built with, by the jobs of the batch.
    companies: BTreeMap<Vec<usize>, Company>,
    /// Jobs that were built, or are being built for the first time.
    built: BTreeSet<usize>,
    /// Limits of the device for expressions of probes.
    limits: Arc<Limits>,
    failure: Option<EngineError>,
    /// Workers that were replaced before a limit was reached.
    worn: Wear,
    /// Workers that are still at work.
    at_work: usize,
    /// Whether the reason why workers are not forked was reported.
    told_unforked: bool,
    /// Whether it was reported that nothing is known of the target of modules.
    told_target: bool,
    report: DeviceReport,
}

/// Reason for which a worker stops before everything is done.
pub(super) enum Stop {
    Cancelled,
    Failed(EngineError),
}

impl<'r> Scheduler<'r> {
    pub(super) fn new(
        device: &'r DeviceFile,
        jobs: &'r [Job],
        config: &'r Config,
        launch: &'r Launch,
        producer: Option<&'r Launch>,
        cancel: &Cancel,
    ) -> Self {
        let state = State { attributions: config.learned.attributions.clone(), ..State::default() };
        let (state, wake) = (Mutex::new(state), Condvar::new());
        Self { device, jobs, config, launch, producer, stop: cancel.part(), state, wake }
    }

    /// Works until nothing is left to do.
    pub(super) fn work(&self, events: &Sender<Event>) {
        let begun = Instant::now();
        self.lock().at_work += 1;
        let mut slot = self.slot();
        let end = self.work_on_tasks(&mut slot, events);
        slot.retire();
        slot.time.seconds = begun.elapsed().as_secs_f64();
        let mut state = self.lock();
        state.report.worker_time.join(&slot.time);
        state.report.workers_started += slot.started;
        state.report.workers_forked += slot.forked;
        if let Some(why) = slot.unforked.take()
            && !mem::replace(&mut state.told_unforked, true)
        {
            let name = &self.device.name;
            let _ = events.send(Event::Warning(format!(
                "{name}: workers were started, not forked (`[zygote]` in its device file): {why}"
            )));
        }
        state.report.builds += slot.builds;
        state.worn.join(mem::take(&mut slot.worn));
        state.at_work -= 1;
        if state.at_work == 0 {
            for warning in mem::take(&mut state.worn).warnings() {
                let name = &self.device.name;
                let _ = events.send(Event::Warning(format!("{name}: {warning}")));
            }
        }
        if let Err(Stop::Failed(error)) = end {
            state.failure.get_or_insert(error);
            self.stop.cancel();
        }
        if self.stop.is_cancelled()
            && let Some(queue) = &mut state.queue
        {
            queue.abandon();
        }
        drop(state);
        self.wake.notify_all();
    }

    pub(super) fn slot(&self) -> WorkerSlot<'_> {
        let forks_for = self.device.zygote.as_ref().map(|zygote| zygote.work).unwrap_or_default();
        let journal = self.config.journal.as_deref();
        let journal = journal.and_then(|folder| Journal::new(folder, self.jobs));
        let limit = self.config.start_timeout;
        let producer = self.producer.map(|launch| Producer::new(launch, limit, &self.stop));
        let reserve = self.config.reserve.clone();
        WorkerSlot::new(self.launch, forks_for, limit, journal, reserve, &self.stop).after(producer)
    }

    /// Returns the report of the run.
    pub(super) fn into_report(self, cancel: &Cancel) -> Result<DeviceReport, EngineError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.failure {
            Some(error) => Err(error),
            None => Ok(DeviceReport {
                shared_verdicts: state.queue.as_ref().map_or(0, Queue::shared_verdicts),
                cancelled: cancel.is_cancelled(),
                learned: LearnedFacts {
                    attributions: state.attributions,
                    sizes: state.queue.map(Queue::into_sizes).unwrap_or_default(),
                },
                ..state.report
            }),
        }
    }

    /// Opens the device and works on tasks until none is left.
    fn work_on_tasks(&self, slot: &mut WorkerSlot<'_>, events: &Sender<Event>) -> Result<(), Stop> {
        if let Some(capabilities) =
            slot.open(Work::Builds).map_err(|error| self.no_worker(error))?
        {
            self.open(capabilities, events);
        }
        while let Some(task) = self.next_for(slot) {
            match &task {
                &Task::SelfCheck(dialect) => self.self_check(dialect, slot, events)?,
                Task::Shared(batch) => self.shared(batch, slot, events)?,
                Task::Alone { group, job, bisection } => {
                    self.alone(*group, *job, bisection.as_deref(), slot, events)?;
                }
                &Task::Check { group, job, is_accepted } => {
                    self.check(group, job, is_accepted, slot, events)?;
                }
                Task::Companions { group, jobs, culprits } => {
                    self.companions(*group, jobs, culprits, slot, events)?;
                }
            }
            self.conclude(task, events);
        }
        Ok(())
    }

    /// Ends a task, and with the last task of a bisection reports its conclusions.
    fn conclude(&self, task: Task, events: &Sender<Event>) {
        let Some(group) = task.group() else { return };
        let bisection = task.into_bisection();
        for conclusion in bisection.map(Bisection::task_is_over).unwrap_or_default() {
            match conclusion {
                Conclusion::Unreproduced { jobs, what } => {
                    let company = self.lock().companies.remove(&jobs);
                    let _ = events.send(Event::Unreproduced { jobs, what, company });
                }
                Conclusion::Companions { jobs, culprits } => {
                    if let Some(queue) = &mut self.lock().queue {
                        queue.push(Task::Companions { group, jobs, culprits });
                    }
                }
            }
        }
    }

    /// Records the capabilities that the first worker reports, and selects the cases that the device can run.
    pub(super) fn open(&self, capabilities: Capabilities, events: &Sender<Event>) {
        let mut state = self.lock();
        if mem::replace(&mut state.opened, true) {
            return;
        }
        let mut runnable = Vec::new();
        let mut dialects = Vec::new();
        let mut unsupported = Vec::new();
        for (index, job) in self.jobs.iter().enumerate() {
            if support::broken(self.device, job.dialect).is_some() {
                dialects.push(job.dialect);
            }
            let missing =
                support::missing(self.device, &capabilities, job.dialect, &job.requirements);
            if let Some(why) = missing {
                unsupported.push((index, why));
            } else {
                runnable.push(index);
                dialects.push(job.dialect);
            }
        }
        dialects.sort_unstable();
        dialects.dedup();
        dialects.retain(|dialect| !state.attributions.contains_key(dialect));
        let facts = DeviceFacts {
            dialects: support::dialects(self.device, &capabilities),
            front_end: self.device.front_end.clone(),
            capabilities,
        };
        let _ = events.send(Event::Opened(Box::new(facts.clone())));
        for (job, missing) in unsupported {
            let outcome = Outcome::new(OutcomeKind::Unsupported).with_detail(missing);
            let _ = events.send(Event::Finished { job, record: Record::unbuilt(outcome) });
        }
        let limits = &facts.capabilities.limits;
        state.queue = Some(Queue::new(self.device, self.jobs, &runnable, limits, self.config));
        state.limits = Arc::new(limits.clone());
        state.checks = dialects;
        drop(state);
        self.wake.notify_all();
    }

    /// Returns the next task of a slot and sets the activity that its builds are counted for.
    fn next_for(&self, slot: &mut WorkerSlot<'_>) -> Option<Task> {
        let begun = Instant::now();
        let task = self.next(slot);
        slot.time.spend(Activity::Wait, begun.elapsed());
        slot.builds_for = self.activity(task.as_ref()?);
        task
    }

    /// Returns the activity that the builds of a task are counted for.
    fn activity(&self, task: &Task) -> Activity {
        let jobs = match task {
            Task::SelfCheck(_) => return Activity::KnownPrograms,
            Task::Shared(Batch { jobs, .. }) | Task::Companions { jobs, .. } => jobs.as_slice(),
            Task::Check { .. } => return Activity::SecondLook,
            Task::Alone { job, .. } => std::slice::from_ref(job),
        };
        let is_second = |&job: &usize| matches!(self.jobs[job].placement, Placement::SecondLook(_));
        let mut state = self.lock();
        let known = jobs.iter().filter(|&&job| !state.built.insert(job)).count();
        match known {
            _ if jobs.iter().any(is_second) => Activity::SecondLook,
            0 => Activity::Build,
            _ => Activity::BuildAgain,
        }
    }

    /// Returns the next task, in a dialect in which the device has passed the self-check; `None` if everything is
    /// done or the run is stopped. A case that is known to kill its worker comes when the next worker is ready.
    fn next(&self, slot: &mut WorkerSlot<'_>) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if self.stop.is_cancelled() {
                return None;
            }
            if let Some(dialect) = state.checks.pop() {
                return Some(Task::SelfCheck(dialect));
            }
            let State { queue, attributions, .. } = &mut *state;
            if let Some(queue) = queue {
                let is_ready = |dialect| attributions.contains_key(&dialect);
                if queue.has_crashes() {
                    slot.start_ahead();
                }
                if slot.can_lose_worker()
                    && let Some(crash) = queue.take_crash(is_ready)
                {
                    return Some(crash);
                }
                if let Some(task) = queue.take(is_ready) {
                    return Some(task);
                }
                if queue.is_done() {
                    return None;
                }
            }
            state =
                self.wake.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn self_check(
        &self,
        dialect: Dialect,
        slot: &mut WorkerSlot<'_>,
        events: &Sender<Event>,
    ) -> Result<(), Stop> {
        let good =
            self.check_build(first_good(dialect), dialect, self.plain_code(dialect), slot)?;
        match (self_check::fault_with_good(dialect, &good), support::broken(self.device, dialect)) {
            (None, None) => {}
            (Some(reason), None) => return Err(self.broken(reason)),
            (good, Some(_)) => {
                if good.is_none() {
                    let path = &self.device.path;
                    let _ = events.send(Event::Warning(format!(
                        "stale entry: [broken-dialects] in {path} says that nothing can be built \
                         in {dialect}, but a known-good program was: remove {dialect} there, and \
                         its cases are judged"
                    )));
                }
                self.checked(dialect, Attribution::Nothing);
                return Ok(());
            }
        }
        let bad = BadProgram::new(dialect).program.text;
        let bad = self.check_build(bad, dialect, Code::NotAsked, slot)?;
        let attribution =
            self_check::attribution_of_bad(dialect, &bad).map_err(|reason| self.broken(reason))?;
        if attribution == Attribution::Nothing {
            let _ = events.send(Event::Warning(format!(
                "the log names no lines in {dialect}: invalid cases are built one by one"
            )));
        }
        self.checked(dialect, attribution);
        Ok(())
    }

    fn checked(&self, dialect: Dialect, attribution: Attribution) {
        let mut state = self.lock();
        state.attributions.insert(dialect, attribution);
        drop(state);
        self.wake.notify_all();
    }

    fn check_build(
        &self,
        source: String,
        dialect: Dialect,
        code: Code,
        slot: &mut WorkerSlot<'_>,
    ) -> Result<BuildAnswer, Stop> {
        let request = self.known_program(dialect, source, code);
        let limit = self.config.start_timeout.max(self.config.build_timeout);
        loop {
            slot.open(Work::Builds).map_err(|error| self.no_worker(error))?;
            match slot.build(&[], request.clone(), limit) {
                BuildEnd::Answered { answer, .. } => return Ok(answer),
                BuildEnd::Cancelled => return Err(Stop::Cancelled),
                BuildEnd::Died(death) if death.from_outside && slot.started < STARTS => {}
                BuildEnd::Died(death) => {
                    return Err(self
                        .broken(format!("in {dialect} its first build ended like this: {death}")));
                }
            }
        }
    }

    /// Returns the request to build a program that is known to be good or bad.
    pub(super) fn known_program(
        &self,
        dialect: Dialect,
        source: String,
        code: Code,
    ) -> BuildRequest {
        BuildRequest {
            code,
            ..self.request(self.plain_options(dialect), self.plain_form(dialect), source, 1)
        }
    }

    /// Builds a program in the dialect if the worker of the slot has built none.
    pub(super) fn warm_up(
        &self,
        dialect: Dialect,
        work: Work,
        slot: &mut WorkerSlot<'_>,
    ) -> Result<(), Stop> {
        let first = BuildRequest {
            code: self.plain_code(dialect),
            ..self.known_program(dialect, first_good(dialect), Code::NotAsked)
        };
        if let Some(took) = slot.warm_up(&first, work).map_err(|error| self.no_worker(error))? {
            self.with_costs(|costs| costs.measured_start(took.as_secs_f64()));
        }
        Ok(())
    }

    /// Applies a function to the known costs and returns its result.
    pub(super) fn with_costs<T: Default>(&self, what: impl FnOnce(&mut Costs) -> T) -> T {
        self.lock().queue.as_mut().map(|queue| what(&mut queue.costs)).unwrap_or_default()
    }

    fn plain_options(&self, dialect: Dialect) -> Vec<String> {
        match self.device.through {
            None => build_options(&self.device.kind, dialect, &[]),
            Some(_) => Vec::new(),
        }
    }

    fn plain_form(&self, dialect: Dialect) -> Form {
        plain_form(self.device, dialect, &[]).map_or(Form::Source, Form::Made)
    }

    fn plain_code(&self, dialect: Dialect) -> Code {
        asked_code(&self.device.kind, dialect, &[])
    }

    pub(super) fn request(
        &self,
        options: Vec<String>,
        form: Form,
        source: String,
        cases: usize,
    ) -> BuildRequest {
        /// Enough for thousands of diagnostics, and not for a driver that never stops talking.
        const LONGEST_LOG: usize = 16 << 20;
        BuildRequest {
            options,
            source,
            form,
            code: Code::NotAsked,
            runs: Vec::new(),
            output: None,
            log_limit: self
                .config
                .log_limit
                .saturating_mul(cases)
                .min(LONGEST_LOG.max(self.config.log_limit)),
        }
    }

    /// Returns the expected time of a batch, on which its time limit and log depend.
    pub(super) fn expected(&self, side: Side, cases: usize) -> Option<Duration> {
        self.lock().queue.as_ref().and_then(|queue| queue.expected(side, cases))
    }

    /// Keeps what was built with a batch that failed, until it is known what the batch failed on.
    pub(super) fn keep_company(&self, jobs: &[usize], company: Company) {
        self.lock().companies.insert(jobs.to_vec(), company);
    }

    /// Records that a batch was rejected for this job, which should be accepted.
    pub(super) fn accuse(&self, job: usize, accusation: Accusation) {
        self.lock().accusations.insert(job, accusation);
    }

    /// Returns and removes the rejection of a batch for this job.
    pub(super) fn take_accusation(&self, job: usize) -> Option<Accusation> {
        self.lock().accusations.remove(&job)
    }

    /// Records that a rejected program is built again; returns whether it was not before.
    pub(super) fn is_first_rebuild(&self, program: &Arc<[usize]>) -> bool {
        self.lock().rebuilt.insert(Arc::clone(program))
    }

    /// Records that one batch was rejected for these jobs and another was not.
    pub(super) fn contradict(&self, jobs: &[usize]) {
        self.lock().contradicted.extend(jobs);
    }

    /// Whether a batch was rejected for this job and another was not.
    pub(super) fn is_contradicted(&self, job: usize) -> bool {
        self.lock().contradicted.contains(&job)
    }

    /// Returns the limits that the device reports.
    pub(super) fn limits(&self) -> Arc<Limits> {
        Arc::clone(&self.lock().limits)
    }

    pub(super) fn group(&self, group: usize) -> GroupFacts {
        let state = self.lock();
        let facts =
            state.queue.as_ref().map(|queue| &queue.groups[group]).map(|group| GroupFacts {
                dialect: group.dialect,
                options: group.options.clone(),
                form: group.form.clone(),
                code: group.code.clone(),
                output: group.output.clone(),
                side: group.side,
                attribution: state
                    .attributions
                    .get(&group.dialect)
                    .copied()
                    .unwrap_or(Attribution::Nothing),
            });
        facts.expect("tasks come from the queue")
    }

    /// Returns the options with which a driver builds these jobs as one program.
    pub(super) fn options(&self, group: &GroupFacts, jobs: &[usize]) -> Vec<String> {
        let own = match group.form {
            Form::Source => self.own_options(jobs),
            // The compiler is told.
            Form::Made(_) | Form::Module(_) => Vec::new(),
        };
        group.options.iter().cloned().chain(own).collect()
    }

    /// Returns the form in which a driver is given these jobs as one program.
    fn form(&self, group: &GroupFacts, jobs: &[usize]) -> Form {
        match &group.form {
            Form::Made(making) => Form::Made(with_options(making.clone(), self.own_options(jobs))),
            form => form.clone(),
        }
    }

    fn own_options(&self, jobs: &[usize]) -> Vec<String> {
        let limits = self.limits();
        let own = |&job: &usize| own_options(&self.device.kind, &self.jobs[job], &limits);
        jobs.iter().flat_map(own).collect()
    }

    /// Returns the request to build these jobs as one program, whose source has further text perhaps.
    pub(super) fn request_of_jobs(
        &self,
        group: &GroupFacts,
        jobs: &[usize],
        source: String,
    ) -> BuildRequest {
        let form = self.form(group, jobs);
        self.request(self.options(group, jobs), form, source, jobs.len())
    }

    /// Reports a verdict that a shared build gave.
    pub(super) fn shared_verdict(
        &self,
        group: usize,
        job: usize,
        record: Record,
        events: &Sender<Event>,
    ) {
        if let Some(queue) = &mut self.lock().queue {
            queue.add_shared(group, job, &self.jobs[job].id, &record);
        }
        let _ = events.send(Event::Finished { job, record });
    }

    /// Records that nothing is known of the target of modules; returns whether that was not known before.
    pub(super) fn is_first_unknown_target(&self) -> bool {
        !mem::replace(&mut self.lock().told_target, true)
    }

    /// Ends a check of a verdict.
    pub(super) fn end_check(&self, group: usize) {
        if let Some(queue) = &mut self.lock().queue {
            queue.end_check(group);
        }
        self.wake.notify_all();
    }

    /// Ends a task and queues the work that it left.
    pub(super) fn finish(&self, group: usize, left: RemainingWork) {
        let mut state = self.lock();
        if let Some(queue) = &mut state.queue {
            queue.finish(group, left);
        }
        drop(state);
        self.wake.notify_all();
    }

    pub(super) fn no_worker(&self, error: NoWorker) -> Stop {
        let device = self.device.name.clone();
        Stop::Failed(match error {
            NoWorker::Cancelled => return Stop::Cancelled,
            NoWorker::Machine { action, source } => {
                EngineError::Machine { action: action.to_owned(), source }
            }
            NoWorker::Dead(reason) => EngineError::WorkerNeverStarted { device, reason },
            NoWorker::NotOpened(error) => not_opened(self.device, error),
            NoWorker::NoProducer(error) => {
                not_opened(self.device.through.as_deref().unwrap_or(self.device), error)
            }
            NoWorker::TakesNoModules { reported } => {
                EngineError::TakesNoModules { device, reported }
            }
        })
    }

    fn broken(&self, reason: String) -> Stop {
        Stop::Failed(EngineError::SelfCheck { device: self.device.name.clone(), reason })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the first known-good program in a dialect.
fn first_good(dialect: Dialect) -> String {
    self_check::good(dialect.language, 1)
}

/// Returns the error on a device that could not be opened.
fn not_opened(file: &DeviceFile, error: OpenError) -> EngineError {
    let device = file.name.clone();
    let remedy = || install::remedy(file);
    match error {
        OpenError::LoaderMissing => EngineError::LoaderMissing { device },
        OpenError::PlatformMissing { wanted, found } => {
            EngineError::PlatformMissing { device, wanted, found, remedy: remedy() }
        }
        OpenError::NoDevice { platform } => EngineError::NoDevice { device, platform },
        OpenError::ProgramMissing { program, reason } => {
            EngineError::ProgramMissing { device, program, reason, remedy: remedy() }
        }
        OpenError::LibraryMissing { library, reason } => {
            EngineError::LibraryMissing { device, library, reason, remedy: remedy() }
        }
        OpenError::Failed { reason } => EngineError::Open { device, reason },
    }
}

/// Facts about the cases of a group.
pub(super) struct GroupFacts {
    pub(super) dialect: Dialect,
    pub(super) options: Vec<String>,
    pub(super) form: Form,
    pub(super) code: Code,
    pub(super) output: Option<Output>,
    pub(super) side: Side,
    pub(super) attribution: Attribution,
}
