//! Queue of the builds to do: groups of cases that may share a program, and tasks made of them.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use expectations::{
    device::{CodeGeneration, DeviceFile, DeviceKind, FirstBatch},
    dialect::Dialect,
    probe::{Limits, Probe},
    requirement::Requirement,
};

use rustc_hash::FxHashMap;

use super::{
    bisection::Bisection,
    processor_time::processor_time,
    sample::Sample,
    sharing::{batch_key, is_own_option},
    side::Side,
    sizes::{Costs, Sizes},
    types::{
        Config, ExpectedVerdict, Job, Laws, Placement, Record, SecondLooks, Until,
        computes_wrong_values,
    },
};
use crate::device::{
    Code, Form, Making, Output, asked_code, build_options, checker::not_read, making,
    module_output, with_options,
};

/// Whether a device can run programs at all.
pub fn can_run(kind: &DeviceKind) -> bool {
    matches!(kind, DeviceKind::Opencl { .. })
}

/// Returns the probe of a job, where the device can execute programs.
pub(super) fn probe_on<'j>(kind: &DeviceKind, job: &'j Job) -> Option<&'j Arc<Probe>> {
    job.run_with.probe().filter(|_| can_run(kind))
}

/// Returns the build options of a job's probe. Where they cannot be computed, neither can its plan, and the plan
/// reports the error.
pub(super) fn probe_options(kind: &DeviceKind, job: &Job, limits: &Limits) -> Vec<String> {
    let options = probe_on(kind, job).map(|probe| probe.build_options(limits).unwrap_or_default());
    options.unwrap_or_default()
}

/// Returns the options of the whole program that a job is part of.
pub(super) fn shared_options(device: &DeviceFile, job: &Job, limits: &Limits) -> Vec<String> {
    let kind = &device.kind;
    let of_probe = probe_options(kind, job, limits).into_iter();
    let of_probe = of_probe.filter(|option| !is_own_option(option));
    match device.through {
        None => {
            let options = build_options(kind, job.dialect, &job.requirements);
            options.into_iter().chain(of_probe).collect()
        }
        // Language and definitions are the compiler's.
        Some(_) => of_probe.filter(|option| !option.starts_with("-D")).collect(),
    }
}

/// Returns the form in which the driver is given the program that a job is part of. No module is made of a program that
/// is not known to be valid: the compiler's front end judges it.
pub(super) fn form_of(device: &DeviceFile, job: &Job, limits: &Limits) -> Form {
    let Some(mut form) = plain_form(device, job.dialect, &job.requirements) else {
        return Form::Source;
    };
    if job.required != ExpectedVerdict::Accept {
        form.by.clear();
    }
    let of_probe = probe_options(&device.kind, job, limits).into_iter();
    Form::Made(with_options(form, of_probe.filter(|option| !is_own_option(option))))
}

/// Returns how the compiler makes modules for the driver; `None` if it is given sources.
pub(super) fn plain_form(
    device: &DeviceFile,
    dialect: Dialect,
    requirements: &[Requirement],
) -> Option<Making> {
    making(&device.through.as_ref()?.kind, dialect, requirements)
}

/// Returns the request for code of the program that a job is part of.
pub(super) fn code_of(kind: &DeviceKind, job: &Job) -> Code {
    if job.until >= Until::Code {
        asked_code(kind, job.dialect, &job.requirements)
    } else {
        Code::NotAsked
    }
}

/// Returns the file with the module of the program that a job is part of, where its module is compared with the text.
/// Code is generated only for valid cases.
pub(super) fn output_of(kind: &DeviceKind, job: &Job, laws: Laws) -> Option<Output> {
    // What the front end is known to reject has no module.
    let is_rejected = job.expected == ExpectedVerdict::Reject
        && !matches!(job.placement, Placement::SecondLook(_));
    let is_compared = laws == Laws::Compared
        && !is_rejected
        && job.until >= Until::Code
        && not_read(job.dialect).is_none();
    is_compared.then(|| module_output(kind, job.dialect, &job.requirements))?
}

/// Returns the options that a job adds to every program it is part of.
pub(super) fn own_options(kind: &DeviceKind, job: &Job, limits: &Limits) -> Vec<String> {
    let mut options = probe_options(kind, job, limits);
    options.retain(|option| is_own_option(option));
    options
}

/// Returns the probe of a job, if it should be executed.
pub(super) fn executed_probe<'j>(kind: &DeviceKind, job: &'j Job) -> Option<&'j Arc<Probe>> {
    probe_on(kind, job).filter(|_| job.until == Until::Execution)
}

/// Whether a job that is not executed is launched, because its code is requested and generated only at launch.
pub(super) fn is_launched_for_code(kind: &DeviceKind, job: &Job) -> bool {
    can_run(kind)
        && kind.code_generation() == CodeGeneration::AtLaunch
        && job.until >= Until::Code
        && executed_probe(kind, job).is_none()
}

/// Cases that may share a program.
pub(super) struct Group {
    pub(super) dialect: Dialect,
    /// Build options for its dialect and requirements; some cases have further options of their own.
    pub(super) options: Vec<String>,
    /// Form in which the driver is given the program.
    pub(super) form: Form,
    /// Request for code.
    pub(super) code: Code,
    /// File with the module, where modules are compared with the text.
    pub(super) output: Option<Output>,
    pub(super) side: Side,
    waiting: VecDeque<usize>,
    /// Cases expected to be rejected that a failing batch did not mention: it may have stopped before them.
    unblamed: Vec<usize>,
    /// Cases not expected to be rejected that a failing batch blamed: to be blamed in another batch too.
    doubted: Vec<usize>,
    running: usize,
}

/// Something for a worker to do.
#[derive(Clone)]
pub(super) enum Task {
    /// Check that the device distinguishes valid from invalid programs in a dialect.
    SelfCheck(Dialect),
    /// Build cases as one program.
    Shared(Batch),
    /// Build a case alone that has a verdict of a shared build, and compare.
    Check { group: usize, job: usize, is_accepted: bool },
    /// Build one case alone.
    Alone { group: usize, job: usize, bisection: Option<Arc<Bisection>> },
    /// Build cases as one program again, only to see whether that fails without the culprits.
    Companions { group: usize, jobs: Vec<usize>, culprits: Vec<usize> },
}

/// Cases to be built as one program.
#[derive(Clone)]
pub(super) struct Batch {
    pub(super) group: usize,
    pub(super) jobs: Vec<usize>,
    pub(super) round: Round,
    /// Size that the search chose; 0 if it did not choose the batch.
    pub(super) size: usize,
    pub(super) bisection: Option<Arc<Bisection>>,
}

/// Reason for building a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// For the first time.
    First,
    /// Cases expected to be rejected that were not blamed, as many times before.
    Unblamed { before: u32 },
    /// Cases not expected to be rejected that were blamed.
    Doubted,
}

/// The groups and tasks of a run.
pub(super) struct Queue {
    pub(super) groups: Vec<Group>,
    tasks: Vec<Task>,
    second_looks: Looking,
    /// Verdicts of shared builds, to be checked when everything else is done.
    sample: Option<Sample>,
    /// The group of each job that has a verdict of a shared build.
    shared: FxHashMap<usize, usize>,
    /// Cases that are known to kill their worker: for when another is ready, or everything else is done.
    crashes: Vec<Task>,
    /// Cases that are known to do harm: for when everything else is done.
    last: Vec<Task>,
    running: usize,
    /// Number of tasks that run and check a verdict.
    checking: usize,
    sizes: BTreeMap<Side, Sizes>,
    workers: usize,
    pub(super) costs: Costs,
}

impl Queue {
    /// Groups `jobs` (indices) for batches, or makes each a task of its own.
    pub(super) fn new(
        device: &DeviceFile,
        jobs: &[Job],
        indices: &[usize],
        limits: &Limits,
        config: &Config,
    ) -> Self {
        let kind = &device.kind;
        let FirstBatch { built, launched } = config.first_batch;
        let first = |side: Side| if side.is_launched() { launched } else { built };
        let mut sizes = config.learned.sizes.clone();
        for side in Side::ALL {
            sizes.entry(side).or_insert_with(|| Sizes::new(first(side).get().into()));
        }
        let mut queue = Self {
            groups: Vec::new(),
            tasks: Vec::new(),
            second_looks: Looking {
                waiting: VecDeque::new(),
                had: 0,
                limit: config.second_looks,
                begun: processor_time(),
            },
            sample: config.sample.filter(|_| !config.isolate).map(Sample::new),
            shared: FxHashMap::default(),
            crashes: Vec::new(),
            last: Vec::new(),
            running: 0,
            checking: 0,
            sizes,
            workers: config.workers.max(1),
            costs: Costs::default(),
        };
        let mut known = BTreeMap::new();
        for &index in indices {
            let job = &jobs[index];
            let side = match (job.expected, executed_probe(kind, job)) {
                (ExpectedVerdict::Accept, Some(_)) => Side::Run,
                (ExpectedVerdict::Accept, None) if is_launched_for_code(kind, job) => Side::Code,
                (ExpectedVerdict::Accept, None) => Side::Accept,
                _ => Side::Reject,
            };
            let shared = match job.placement {
                Placement::Quarantine | Placement::KnownToCrash | Placement::KnownToHang => None,
                _ if config.isolate || !job.dialect.language.joins_programs() => None,
                Placement::Batch | Placement::SecondLook(_) => batch_key(&job.source),
            };
            let options = shared_options(device, job, limits);
            let form = form_of(device, job, limits);
            let code = code_of(kind, job);
            let output = output_of(device.front_kind(), job, config.laws);
            let built_so = (options.clone(), form.clone(), code.clone(), output.clone());
            let key = (job.dialect, built_so, side, shared.clone());
            let group = *known.entry(key).or_insert_with(|| {
                queue.groups.push(Group {
                    dialect: job.dialect,
                    options,
                    form,
                    code,
                    output,
                    side,
                    waiting: VecDeque::new(),
                    unblamed: Vec::new(),
                    doubted: Vec::new(),
                    running: 0,
                });
                queue.groups.len() - 1
            });
            match (&job.placement, shared) {
                (Placement::SecondLook(first), shared) => {
                    let in_a_batch = shared.is_some()
                        && !first.outcome.kind.is_failure()
                        && !first.is_contradicted
                        && !computes_wrong_values(&first.outcome);
                    queue.second_looks.waiting.push_back((group, index, in_a_batch));
                }
                (_, Some(_)) => queue.groups[group].waiting.push_back(index),
                (Placement::KnownToCrash, None) => {
                    queue.crashes.push(Task::Alone { group, job: index, bisection: None });
                }
                (Placement::Quarantine | Placement::KnownToHang, None) => {
                    queue.last.push(Task::Alone { group, job: index, bisection: None });
                }
                (Placement::Batch, None) => {
                    queue.tasks.push(Task::Alone { group, job: index, bisection: None });
                }
            }
        }
        // Tasks are taken from the end.
        queue.tasks.reverse();
        queue.crashes.reverse();
        queue.last.reverse();
        queue
    }

    /// Returns the next task in one of these dialects; `None` if nothing can be done now.
    pub(super) fn take(&mut self, is_ready: impl Fn(Dialect) -> bool) -> Option<Task> {
        let ready = self.ready(is_ready);
        let task = pop(&mut self.tasks, &ready).or_else(|| self.second_look(&ready));
        let task = task.or_else(|| self.first_batch(&ready));
        let task = task.or_else(|| self.second_batch(&ready));
        let task = task.or_else(|| pop(&mut self.crashes, &ready));
        let task = task.or_else(|| pop(&mut self.last, &ready)).or_else(|| self.check())?;
        Some(self.begin(task))
    }

    /// Whether cases wait that are known to kill their worker.
    pub(super) fn has_crashes(&self) -> bool {
        !self.crashes.is_empty()
    }

    /// Returns the next case that is known to kill its worker, in one of these dialects.
    pub(super) fn take_crash(&mut self, is_ready: impl Fn(Dialect) -> bool) -> Option<Task> {
        let ready = self.ready(is_ready);
        let task = pop(&mut self.crashes, &ready)?;
        Some(self.begin(task))
    }

    /// Returns for each group whether its dialect is ready.
    fn ready(&self, is_ready: impl Fn(Dialect) -> bool) -> Vec<bool> {
        self.groups.iter().map(|group| is_ready(group.dialect)).collect()
    }

    fn begin(&mut self, task: Task) -> Task {
        self.running += 1;
        if let Some(group) = task.group() {
            self.groups[group].running += 1;
        }
        task
    }

    /// Whether everything is done.
    pub(super) fn is_done(&self) -> bool {
        let idle = |group: &Group| {
            group.waiting.is_empty() && group.unblamed.is_empty() && group.doubted.is_empty()
        };
        self.running == 0
            && self.tasks.is_empty()
            && self.second_looks.waiting.is_empty()
            && self.crashes.is_empty()
            && self.last.is_empty()
            && self.groups.iter().all(idle)
    }

    /// Adds a verdict that a shared build gave on a job.
    pub(super) fn add_shared(&mut self, group: usize, job: usize, id: &str, record: &Record) {
        let Some(evidence) = record.evidence.filter(|evidence| evidence.is_shared()) else {
            return;
        };
        if let Some(sample) = &mut self.sample {
            sample.add(job, id, evidence, record.outcome.kind);
            self.shared.insert(job, group);
        }
    }

    /// Returns the number of verdicts that shared builds gave.
    pub(super) fn shared_verdicts(&self) -> usize {
        self.sample.as_ref().map_or(0, Sample::verdicts)
    }

    /// Returns the next verdict to be checked, once every case has one.
    fn check(&mut self) -> Option<Task> {
        let is_ended = |group: &Group| {
            group.waiting.is_empty() && group.unblamed.is_empty() && group.doubted.is_empty()
        };
        let all_ended = self.running == self.checking
            && self.tasks.is_empty()
            && self.second_looks.waiting.is_empty()
            && self.crashes.is_empty()
            && self.last.is_empty()
            && self.groups.iter().all(is_ended);
        let (job, is_accepted) = self.sample.as_mut().filter(|_| all_ended)?.next()?;
        self.checking += 1;
        Some(Task::Check { group: *self.shared.get(&job)?, job, is_accepted })
    }

    pub(super) fn end_check(&mut self, group: usize) {
        self.checking -= 1;
        self.finish(group, RemainingWork::default());
    }

    /// Ends a task and queues the work that it left.
    pub(super) fn finish(&mut self, group: usize, left: RemainingWork) {
        self.running -= 1;
        self.groups[group].running -= 1;
        self.groups[group].unblamed.extend(left.unblamed);
        self.groups[group].doubted.extend(left.doubted);
        for task in left.tasks {
            self.push(task);
        }
        if let Some(measurement) = left.measurement {
            let side = self.groups[group].side;
            if let Some(sizes) = self.sizes.get_mut(&side) {
                sizes.measured(measurement.size, measurement.cases, measurement.seconds);
            }
        }
    }

    /// Removes all remaining work, because the run stops.
    pub(super) fn abandon(&mut self) {
        self.second_looks.waiting.clear();
        self.tasks.clear();
        self.crashes.clear();
        self.last.clear();
        self.sample = None;
    }

    /// Returns the expected time of a batch; `None` before anything is known, and where launches take most of the time.
    pub(super) fn expected(&self, side: Side, cases: usize) -> Option<Duration> {
        if side.is_launched() {
            return None;
        }
        self.sizes.get(&side).and_then(|sizes| sizes.expected(cases))
    }

    /// Returns the batch sizes that the run has found.
    pub(super) fn into_sizes(self) -> BTreeMap<Side, Sizes> {
        self.sizes
    }

    /// Adds a task.
    pub(super) fn push(&mut self, task: Task) {
        match task {
            Task::Shared(batch) if batch.jobs.len() < 2 => {
                for job in batch.jobs {
                    let bisection = batch.bisection.clone();
                    self.tasks.push(Task::Alone { group: batch.group, job, bisection });
                }
            }
            task => self.tasks.push(task),
        }
    }

    /// Returns the next case that is built alone for a second look. Where second looks have cost enough, the remaining
    /// cases are left to batches.
    fn second_look(&mut self, ready: &[bool]) -> Option<Task> {
        let looking = &mut self.second_looks;
        if looking.is_over() {
            for (group, job, in_a_batch) in std::mem::take(&mut looking.waiting) {
                if in_a_batch {
                    self.groups[group].waiting.push_back(job);
                } else {
                    looking.waiting.push_back((group, job, in_a_batch));
                }
            }
        }
        let next = looking.waiting.iter().position(|&(group, ..)| ready[group])?;
        let (group, job, _) = looking.waiting.remove(next)?;
        looking.had += 1;
        Some(Task::Alone { group, job, bisection: None })
    }

    fn first_batch(&mut self, ready: &[bool]) -> Option<Task> {
        let left: usize = self.groups.iter().map(|group| group.waiting.len()).sum();
        let waiting = |&index: &usize| ready[index] && !self.groups[index].waiting.is_empty();
        let mut waiting = (0..self.groups.len()).filter(waiting);
        // What is run takes longest, and should not be what all others wait for.
        let to_run = |&index: &usize| self.groups[index].side.is_launched();
        let index = waiting.clone().find(to_run).or_else(|| waiting.next())?;
        let side = self.groups[index].side;
        let full = self.size(side);
        let group = &mut self.groups[index];
        // No worker should be left with a large batch when the others are done: halves, quarters, and so on.
        let share = left.div_ceil(self.workers).max(side.smallest_share());
        let (most, waiting) = (full.min(share), group.waiting.len());
        // Less than half a batch is not a batch of its own: every program costs a driver, however small it is.
        let count = if waiting <= most + most / 2 { waiting } else { most };
        let jobs: Vec<usize> = group.waiting.drain(..count).collect();
        Some(batch_or_single(index, jobs, Round::First, full))
    }

    /// Returns the number of cases that the next batch should have.
    fn size(&self, side: Side) -> usize {
        self.sizes.get(&side).map_or(1, Sizes::next)
    }

    /// Returns a batch of the cases that first batches left in doubt, once all of these have ended.
    fn second_batch(&mut self, ready: &[bool]) -> Option<Task> {
        let is_back = |group: &Group| {
            group.running == 0 && !(group.unblamed.is_empty() && group.doubted.is_empty())
        };
        let mut indices = 0..self.groups.len();
        let index = indices.find(|&index| ready[index] && is_back(&self.groups[index]))?;
        let size = self.size(self.groups[index].side);
        let group = &mut self.groups[index];
        let (jobs, round) = if group.unblamed.is_empty() {
            (std::mem::take(&mut group.doubted), Round::Doubted)
        } else {
            (std::mem::take(&mut group.unblamed), Round::Unblamed { before: 0 })
        };
        let mut tasks: Vec<Task> =
            jobs.chunks(size).map(|jobs| batch_or_single(index, jobs.to_vec(), round, 0)).collect();
        let task = tasks.pop();
        self.tasks.extend(tasks);
        task
    }
}

/// Cases to be looked at alone.
struct Looking {
    /// Group, job, and whether it may as well be looked at in a batch.
    waiting: VecDeque<(usize, usize, bool)>,
    had: usize,
    limit: Option<SecondLooks>,
    begun: Duration,
}

impl Looking {
    fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| {
            self.had >= limit.at_least
                && processor_time().saturating_sub(self.begun) >= limit.processor_time
        })
    }
}

impl Task {
    pub(super) fn group(&self) -> Option<usize> {
        match self {
            Self::SelfCheck(_) => None,
            Self::Shared(batch) => Some(batch.group),
            Self::Alone { group, .. }
            | Self::Check { group, .. }
            | Self::Companions { group, .. } => Some(*group),
        }
    }

    /// Returns the bisection that the task belongs to.
    pub(super) fn into_bisection(self) -> Option<Arc<Bisection>> {
        match self {
            Self::SelfCheck(_) | Self::Check { .. } | Self::Companions { .. } => None,
            Self::Shared(batch) => batch.bisection,
            Self::Alone { bisection, .. } => bisection,
        }
    }
}

/// Removes and returns the last of these tasks whose group is ready.
fn pop(tasks: &mut Vec<Task>, ready: &[bool]) -> Option<Task> {
    let is_ready = |task: &Task| task.group().is_none_or(|group| ready[group]);
    tasks.iter().rposition(is_ready).map(|index| tasks.remove(index))
}

fn batch_or_single(group: usize, jobs: Vec<usize>, round: Round, size: usize) -> Task {
    match jobs[..] {
        [job] => Task::Alone { group, job, bisection: None },
        _ => Task::Shared(Batch { group, jobs, round, size, bisection: None }),
    }
}

/// Work that a task leaves.
#[derive(Default)]
pub(super) struct RemainingWork {
    pub(super) tasks: Vec<Task>,
    pub(super) unblamed: Vec<usize>,
    pub(super) doubted: Vec<usize>,
    pub(super) measurement: Option<Measurement>,
}

/// Processor time of a batch.
pub(super) struct Measurement {
    pub(super) size: usize,
    pub(super) cases: usize,
    pub(super) seconds: f64,
}
