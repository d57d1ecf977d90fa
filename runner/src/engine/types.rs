//! Input and output of a run.

use std::{collections::BTreeMap, num::NonZero, path::PathBuf, sync::Arc, time::Duration};

use expectations::{
    device::{DeviceKind, FirstBatch},
    dialect::Dialect,
    evidence::Evidence,
    outcome::{Outcome, OutcomeKind},
    probe::Probe,
    requirement::Requirement,
};
use results::worker_time::WorkerTime;
use thiserror::Error;
pub use worker::{Cancel, Reserve, WorkerCommand};

use super::{program::Attribution, side::Side, sizes::Sizes};
use crate::device::DeviceFacts;

/// One program to be built.
#[derive(Clone, Debug)]
pub struct Job {
    /// The case's id.
    pub id: String,
    /// The language it is written in.
    pub dialect: Dialect,
    /// Requirements besides the dialect.
    pub requirements: Vec<Requirement>,
    /// `OpenCL` C.
    pub source: String,
    /// Verdict that the text requires. No module is made of a program that is not valid.
    pub required: ExpectedVerdict,
    /// Verdict that the device is known to give, otherwise the required one.
    pub expected: ExpectedVerdict,
    /// Phase up to which the job is taken.
    pub until: Until,
    /// Cases that the job may be built together with.
    pub placement: Placement,
    /// Run after the build.
    pub run_with: RunWith,
}

/// Run of a program after its build.
#[derive(Clone, Debug, Default)]
pub enum RunWith {
    /// Nothing: building decides.
    #[default]
    Nothing,
    /// A probe that was not read, because this run does not execute it.
    UnreadProbe,
    Probe(Arc<Probe>),
}

impl RunWith {
    /// Whether running decides something.
    pub fn is_something(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// Returns the probe that is executed.
    pub fn probe(&self) -> Option<&Arc<Probe>> {
        match self {
            Self::Probe(probe) => Some(probe),
            Self::Nothing | Self::UnreadProbe => None,
        }
    }
}

impl From<Option<Arc<Probe>>> for RunWith {
    fn from(probe: Option<Arc<Probe>>) -> Self {
        probe.map_or(Self::Nothing, Self::Probe)
    }
}

/// Verdict that the device should give on a case. It selects the batch that the case is built in and never influences
/// the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExpectedVerdict {
    /// Expected to build.
    Accept,
    /// Expected to be rejected.
    Reject,
    /// Nobody knows.
    Either,
}

/// Phase up to which a program is taken, on devices that separate the front end's verdict from the phases after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Until {
    /// Not taken by a device that could execute it: others of its rule are executed, and its build alone decides
    /// nothing. Taken through the front end by any other device.
    OthersStandForIt,
    /// Front end only: no code is requested for a program that may be invalid.
    FrontEnd,
    /// Until there is code.
    Code,
    /// Until its probe is executed, if it has one; else until there is code.
    Execution,
}

/// Depth to which the cases of a run are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// All of them as far as the front end.
    Build,
    /// Code is generated for valid cases, of each combination of values of a rule in one dialect of a language with the
    /// generic address space and in one without; nothing is executed.
    OneDialect,
    /// Code is generated for valid cases; nothing is executed.
    Code,
    /// A part of those with a probe until they are executed, every rule, dialect and value of an axis; those without
    /// one as far as the front end, and those known to deviate until there is code.
    Run,
    /// The same, and such a part of the others until there is code.
    Covering,
    /// Cases with a probe are executed; code is generated for the other valid cases.
    All,
}

impl Depth {
    /// Every depth.
    pub const ALL: [Self; 6] =
        [Self::Build, Self::OneDialect, Self::Code, Self::Run, Self::Covering, Self::All];

    /// Returns the name on the command line, such as `build` or `code`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::OneDialect => "one-dialect",
            Self::Code => "code",
            Self::Run => "run",
            Self::Covering => "covering",
            Self::All => "all",
        }
    }

    /// Returns the default depth of a device. A module costs a front end as much again as the check of the program, so
    /// one dialect stands for others; code costs drivers and back ends far more.
    pub fn usual(kind: &DeviceKind) -> Self {
        if kind.ends_at_modules() { Self::OneDialect } else { Self::Covering }
    }
}

/// Divisor of the time limit for a case that is known to hang: the run only has to see that it still hangs.
pub const PART_FOR_KNOWN_HANGS: u32 = 10;

/// Cases that a job may be built together with.
#[derive(Clone, Debug)]
pub enum Placement {
    /// Others, where it can share a program with any.
    Batch,
    /// Nothing, and after all others: it may kill or hang the device, and no batch has to be bisected.
    Quarantine,
    /// Nothing, once, in any worker: it is known to kill the device. A worker that has built other programs is as good as
    /// a new one, because it is the baseline that blames the case.
    KnownToCrash,
    /// Nothing, after all others and with [`PART_FOR_KNOWN_HANGS`] of the time limit: it is known to hang the device.
    KnownToHang,
    /// Nothing, in a worker that has built nothing else: does it do what it did before? If not, it is tried
    /// until it is known whether it does the same each time.
    SecondLook(Arc<FirstLook>),
}

/// Earlier result of a case that gets a second look.
#[derive(Clone, Debug)]
pub struct FirstLook {
    /// Outcome on the device.
    pub outcome: Outcome,
    /// Another build with it gave a different answer: repeating the same build is not enough.
    pub is_contradicted: bool,
}

/// Returns whether a case was executed and computed wrong values. In a shared build this proves nothing, because
/// another case of the program may have caused it.
pub fn computes_wrong_values(outcome: &Outcome) -> bool {
    outcome.run.as_ref().is_some_and(|run| run.differing > 0)
}

/// Whether a batch that is accepted proves something of each of its cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedBatches {
    /// An accepted batch counts as evidence for each of its cases.
    Believed,
    /// Only if the same batch with a known-bad program at its end is rejected for that program alone: a case may make
    /// the device accept everything that is built with it.
    Checked,
}

/// Comparison of the modules that compilers emit with the text of the cases that they accept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Laws {
    /// Every module of a device that emits is compared.
    #[default]
    Compared,
    /// No module is requested.
    Skipped,
}

impl Laws {
    /// Returns the name in records of runs; empty for the default.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compared => "",
            Self::Skipped => "skipped",
        }
    }
}

/// A limit on what second looks may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondLooks {
    /// Number of second looks that are made in any case.
    pub at_least: usize,
    /// Processor time after which the cases left are built in batches, except for those that would do harm there.
    pub processor_time: Duration,
}

/// Size of the sample of shared verdicts that are repeated by building the cases alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleSize {
    /// Number of verdicts that are enough where there are not many more.
    pub enough: usize,
    /// One verdict in this many is chosen, where that is more.
    pub one_in: usize,
    /// Part of the run's processor time that the sample may take.
    pub part_of_time: f64,
}

impl SampleSize {
    /// The default size.
    pub const USUAL: Self = Self { enough: 300, one_in: 100, part_of_time: 0.03 };

    /// Returns the number of verdicts, of this many, that are chosen regardless of the time.
    pub fn at_least(self, verdicts: usize) -> usize {
        (verdicts / 10).clamp(1, 8).min(verdicts)
    }

    /// Returns the number of verdicts, of this many, that are chosen where time allows.
    pub fn at_most(self, verdicts: usize) -> usize {
        self.enough.max(verdicts / self.one_in).min(verdicts)
    }
}

/// Configuration of a run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Number of workers that run at the same time.
    pub workers: usize,
    /// One build per case.
    pub isolate: bool,
    /// Longest time for the build of one case.
    pub build_timeout: Duration,
    /// Longest time for opening the device.
    pub start_timeout: Duration,
    /// Bytes of data a worker may have, in every process it starts.
    pub memory_limit: Option<u64>,
    /// Number of further tries of a case that fails alone in a fresh worker; they distinguish flaky cases from broken
    /// ones.
    pub retries: u32,
    /// Conclusion from a batch that is accepted.
    pub accepted_batches: AcceptedBatches,
    /// Comparison of emitted modules with the text.
    pub laws: Laws,
    /// A limit on second looks; `None` if every finding gets one.
    pub second_looks: Option<SecondLooks>,
    /// Size of the sample of shared verdicts that are checked; `None` if none is.
    pub sample: Option<SampleSize>,
    /// Facts from an earlier run on the device; they are not checked again.
    pub learned: LearnedFacts,
    /// Cases in the first batches, before anything is known of the device's speed.
    pub first_batch: FirstBatch,
    /// Bytes of a log or of a worker's standard error that are kept.
    pub log_limit: usize,
    /// The folder where the cases that are being built are recorded.
    pub journal: Option<PathBuf>,
    /// Folder of the device's `PyPI` packages; `{install}` in the device file.
    pub install_folder: PathBuf,
    /// Command that starts a worker.
    pub worker: WorkerCommand,
    /// Workers that one run has started ahead and the next one needs.
    pub reserve: Reserve,
}

impl Config {
    /// Returns the default configuration: one worker per core, batches, half a minute for a build.
    pub fn new(worker: WorkerCommand, install_folder: PathBuf) -> Self {
        Self {
            workers: default_workers(),
            isolate: false,
            build_timeout: Duration::from_secs(30),
            start_timeout: Duration::from_mins(1),
            memory_limit: Some(8 << 30),
            retries: 0,
            accepted_batches: AcceptedBatches::Believed,
            laws: Laws::default(),
            second_looks: None,
            sample: None,
            learned: LearnedFacts::default(),
            first_batch: FirstBatch::default(),
            log_limit: 64 << 10,
            journal: None,
            install_folder,
            worker,
            reserve: Reserve::default(),
        }
    }
}

/// Returns the default number of workers: one per core.
pub fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Event of a run in progress.
#[derive(Clone, Debug)]
pub enum Event {
    /// The device is open. Comes once, before any other event.
    Opened(Box<DeviceFacts>),
    /// A case has its outcome. Comes once for each job of a run that is not cancelled.
    Finished {
        /// Index into the jobs.
        job: usize,
        /// Result of the job.
        record: Record,
    },
    /// A case failed alone, and a batch with it failed whose other cases behave without it: it was seen twice.
    FailedTwice {
        /// Index into the jobs.
        job: usize,
    },
    /// A verdict of a shared build was repeated by building the case alone.
    Checked {
        /// Index into the jobs.
        job: usize,
        /// The outcome of the build of the case alone.
        alone: Box<Outcome>,
    },
    /// A build of several cases failed; they are built again in smaller programs.
    BatchFailed {
        /// Indices into the jobs.
        jobs: Vec<usize>,
    },
    /// A build of these cases failed in a way that none of them shows in smaller builds.
    Unreproduced {
        /// Indices into the jobs, in the order they were built.
        jobs: Vec<usize>,
        /// Description of the defect.
        what: String,
        /// The programs that it was seen with; `None` if only the machine can be to blame.
        company: Option<Company>,
    },
    /// The device rejected the program of these cases and accepted it when it was built again.
    TwoAnswers {
        /// Indices into the jobs, in the order of the program.
        jobs: Vec<usize>,
        /// Log of the rejection.
        first: String,
    },
    /// The device no longer builds a known-good program.
    Lost(Company),
    /// Something a reader of the run's record should know.
    Warning(String),
}

/// Programs that a new worker built one after the other, and the failure after the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Company {
    /// The jobs of each program; a program without jobs is known to be good.
    pub programs: Arc<[Arc<[usize]>]>,
    /// The fault.
    pub symptom: Symptom,
    /// Description of the fault.
    pub what: String,
}

/// A rejection of a shared program for one of its jobs, which should be accepted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Accusation {
    /// Jobs of the program.
    pub(super) program: Arc<[usize]>,
    /// Outcome of the job in it.
    pub(super) outcome: Outcome,
}

/// A fault of a driver that has built several programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symptom {
    /// The driver fails on the last program.
    Fails(OutcomeKind),
    /// The driver rejects a known-good program afterwards.
    RejectsGood,
    /// The driver accepts a known-bad program afterwards.
    AcceptsBad,
}

/// Result of one job.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub outcome: Outcome,
    /// Share of the time of the build that decided the job, in seconds.
    pub seconds: f64,
    /// Number of cases in the build that decided the job; 0 if it was not built.
    pub batch: usize,
    /// Every time it was built alone after something went wrong; more than one kind among them means flaky.
    pub attempts: Vec<Attempt>,
    /// Cases built before it in the worker that died on it, where it behaves alone: the list that reproduces it.
    pub failed_after: Vec<String>,
    /// Programs that its worker had built, where it failed only after these, or gave another answer than was expected.
    pub company: Option<Box<Company>>,
    /// Outcomes alone in workers that had built nothing else, each once; empty except for second looks that gave
    /// another outcome than before.
    pub answers: Vec<Outcome>,
    /// The batch it was accepted in.
    pub batch_jobs: Option<Arc<[usize]>>,
    /// The device accepts everything that is built with it.
    pub hides_errors: bool,
    /// Whether the job is rejected although a batch with it was not rejected for it.
    pub is_contradicted: bool,
    /// Outcome of a batch that was rejected for this job, which is accepted alone.
    pub blamed: Option<Box<Outcome>>,
    /// The evidence for its outcome; `None` if it was not built.
    pub evidence: Option<Evidence>,
    /// Whether its outcome was seen in a worker that had built nothing else.
    pub is_fresh: bool,
}

/// One try of a case alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Kind of the outcome.
    pub kind: OutcomeKind,
    /// Signal, status, limit.
    pub detail: String,
    /// The worker had built nothing else.
    pub fresh: bool,
    /// The worker was killed by the system or a person; the case is blamed for it only if it happens each time.
    pub from_outside: bool,
}

impl Attempt {
    /// Whether the attempt is evidence about the case: neither an earlier program nor a kill from outside can have
    /// caused it.
    pub fn is_evidence(&self) -> bool {
        self.fresh && !self.from_outside
    }
}

impl Record {
    /// Returns the record of a case that was not built.
    pub fn unbuilt(outcome: Outcome) -> Self {
        Self {
            outcome,
            seconds: 0.0,
            batch: 0,
            attempts: Vec::new(),
            failed_after: Vec::new(),
            company: None,
            answers: Vec::new(),
            batch_jobs: None,
            hides_errors: false,
            is_contradicted: false,
            blamed: None,
            evidence: None,
            is_fresh: false,
        }
    }

    /// Returns the first attempt, which led to the outcome.
    pub fn first_attempt(&self) -> Attempt {
        let Outcome { kind, ref detail, .. } = self.outcome;
        Attempt { kind, detail: detail.clone(), fresh: true, from_outside: false }
    }

    /// Whether the case did not do the same every time it was tried in a fresh worker.
    pub fn is_flaky(&self) -> bool {
        self.rates().len() > 1
    }

    /// Returns how often each outcome occurred alone in a fresh worker.
    pub fn rates(&self) -> Vec<(OutcomeKind, usize)> {
        let mut rates: Vec<(OutcomeKind, usize)> = Vec::new();
        for attempt in self.attempts.iter().filter(|attempt| attempt.is_evidence()) {
            match rates.iter_mut().find(|(kind, _)| *kind == attempt.kind) {
                Some((_, count)) => *count += 1,
                None => rates.push((attempt.kind, 1)),
            }
        }
        rates
    }
}

/// Report of a run on a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceReport {
    /// Jobs that have their outcome.
    pub finished: usize,
    /// Whether the run was stopped before every job had a record.
    pub cancelled: bool,
    /// Programs built, those that warm a worker up and those of the self-check among them.
    pub builds: usize,
    /// Worker processes started.
    pub workers_started: usize,
    /// Number of workers that were forked from a process that had opened the device.
    pub workers_forked: usize,
    /// Time of the workers by activity.
    pub worker_time: WorkerTime,
    /// Number of verdicts that shared builds gave.
    pub shared_verdicts: usize,
    /// Facts about the device that later runs can use.
    pub learned: LearnedFacts,
}

/// Facts about a device that later runs on it can use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnedFacts {
    /// Ways in which logs name lines, by dialect.
    pub(super) attributions: BTreeMap<Dialect, Attribution>,
    /// Number of cases that a batch should have.
    pub(super) sizes: BTreeMap<Side, Sizes>,
}

/// Error that keeps a device from being run. Nothing was judged.
#[derive(Debug, Error)]
pub enum EngineError {
    /// No `OpenCL` loader on this machine.
    #[error(
        "the OpenCL loader (libOpenCL.so.1) is not on this machine: rerun with `--device {device} --install`"
    )]
    LoaderMissing { device: String },
    /// The loader knows no such platform.
    #[error("device `{device}` needs an OpenCL platform called `{wanted}` and there is {}: {remedy}", found_text(.found))]
    PlatformMissing {
        device: String,
        /// Part of the platform's name.
        wanted: String,
        /// Names of the platforms there are.
        found: Vec<String>,
        /// Advice to the user.
        remedy: String,
    },
    /// The user chose an implementation for the loader, and the device names another.
    #[error(
        "`{variable}` is set to `{}`, and device `{device}` has a driver of its own, `{}`, so one \
         of them would not be tested: to test the device, unset the variable (`env -u {variable} \
         address-spaces ...`); to test the variable's driver, use `--icd FILE` or `--device \
         platform:NAME`",
        .value.escape_debug(), .icd.escape_debug()
    )]
    Contradiction {
        device: String,
        variable: &'static str,
        value: String,
        /// Implementation that the device file names.
        icd: String,
    },
    /// The library exists, and the loader does not offer its platform.
    #[error("device `{device}` is broken: {fault}")]
    Library {
        device: String,
        /// Fault of the library.
        fault: String,
    },
    /// The platform is there and has nothing to build on.
    #[error("device `{device}`: the platform `{}` has no device", .platform.escape_debug())]
    NoDevice { device: String, platform: String },
    /// A command-line compiler is not on this machine.
    #[error(
        "device `{device}` needs the program `{program}`, which cannot be started ({reason}): {remedy}"
    )]
    ProgramMissing {
        device: String,
        program: String,
        /// Error message of the system.
        reason: String,
        /// Advice to the user.
        remedy: String,
    },
    /// A compiler's library is not on this machine.
    #[error(
        "device `{device}` needs the library `{library}`, which cannot be loaded ({reason}): {remedy}"
    )]
    LibraryMissing {
        device: String,
        library: String,
        /// Error message of the system.
        reason: String,
        /// Advice to the user.
        remedy: String,
    },
    /// The driver should be given modules but accepts none.
    #[error(
        "device `{device}` accepts no SPIR-V: {}; `--through` is for drivers that report a version \
         of SPIR-V there", reported_il(.reported)
    )]
    TakesNoModules {
        device: String,
        /// Intermediate languages that it reports.
        reported: String,
    },
    /// The worker process could not be started, or died before it was ready.
    #[error("the worker for device `{device}` never started: {reason}")]
    WorkerNeverStarted {
        device: String,
        /// Description of the failure, with the end of the worker's standard error.
        reason: String,
    },
    /// The device rejects a good program or accepts a bad one: its answers do not count.
    #[error("device `{device}` is broken and was not judged: {reason}")]
    SelfCheck {
        device: String,
        /// Program that was judged wrongly, its dialect and the log.
        reason: String,
    },
    /// The driver answered, but could not be opened.
    #[error("device `{device}` cannot be opened: {reason}")]
    Open {
        device: String,
        /// Message of the driver.
        reason: String,
    },
    /// The machine failed the run: no temporary folder, no process, no thread.
    #[error("{action} failed: {source}")]
    Machine {
        /// Action that failed.
        action: String,
        /// Error of the system.
        source: std::io::Error,
    },
}

/// Returns what a driver reports of intermediate languages, in words.
fn reported_il(reported: &str) -> String {
    match reported {
        "" => "it reports no CL_DEVICE_IL_VERSION".to_owned(),
        versions => format!("its CL_DEVICE_IL_VERSION is `{}`", versions.escape_debug()),
    }
}

fn found_text(found: &[String]) -> String {
    if found.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<String> =
        found.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
    format!("only {}", names.join(", "))
}
