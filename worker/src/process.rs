//! One worker process, as the runner starts it, asks it to build, watches it and kills it.

use std::{
    ffi::OsString,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    mem,
    os::{
        fd::OwnedFd,
        unix::process::{CommandExt, ExitStatusExt},
    },
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use expectations::{
    outcome::{OutcomeKind, Phase},
    probe::plan::RunAnswer,
};
use rustix::process::Signal;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    builder::{BuildAnswer, BuildRequest, OpenError},
    cancel::Cancel,
    capabilities::Capabilities,
    child::OwnChild,
    fault, fork,
    patience::Patience,
    primed::PrimedCache,
    protocol::{Reply, Request, Setup, ZygoteSetup},
    scratch::{FileMeter, NoScratch, Scratch},
    text::{signal_name, speaks_of_memory},
    usage::{Excess, Usage},
};

/// Interval at which the runner checks for a request to stop, and the worker's use of resources.
const TICK: Duration = Duration::from_millis(50);
/// Longest time that a worker that closed its pipe may take to die.
const DEATH: Duration = Duration::from_secs(10);
/// Longest time that a worker's parent process may be stopped.
const SUSPENSION: Duration = Duration::from_secs(1);
/// Longest time that reading the rest of a dead worker's standard error may take.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// Most bytes of a reply, log included. A longer one is garbage.
const REPLY_LIMIT: u64 = 256 << 20;

/// The program that becomes a worker: it must call [`crate::main`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The program, as a rule the runner itself.
    pub program: PathBuf,
    /// Arguments of the worker, usually the hidden subcommand.
    pub arguments: Vec<OsString>,
}

impl WorkerCommand {
    /// Returns the running program with these arguments, even where its file was replaced meanwhile.
    pub fn this_program(arguments: Vec<OsString>) -> std::io::Result<Self> {
        let running = PathBuf::from("/proc/self/exe");
        let program = if running.exists() { running } else { std::env::current_exe()? };
        Ok(Self { program, arguments })
    }
}

/// A description of the workers of one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program that is started as a worker.
    pub command: WorkerCommand,
    /// The command that leads to a worker elsewhere, and is started instead.
    pub elsewhere: Option<Vec<String>>,
    /// Variables of the worker; `{scratch}` is its temporary folder.
    pub environment: Vec<(String, String)>,
    /// The device that the worker opens, and its limits.
    pub setup: Setup,
    /// Bytes of the worker's standard error that are kept.
    pub log_limit: usize,
    /// A process that opens the device once and is forked for worker after worker; `None` if that is not tried.
    pub zygote: Option<ZygoteSetup>,
}

impl Launch {
    /// Returns the command that starts the program in a folder, in a process group of its own.
    pub(crate) fn command(&self, scratch: &Scratch) -> Command {
        let mut command = Command::new(&self.command.program);
        command
            .args(&self.command.arguments)
            .current_dir(scratch.path())
            .envs(scratch.variables(&self.environment))
            .process_group(0);
        command
    }
}

/// A running worker.
pub(crate) struct Process {
    child: OwnChild,
    requests: Option<File>,
    replies: Receiver<PipeLine<Reply>>,
    errors: Errors,
    usage: Usage,
    memory_limit: Option<u64>,
    files: FileMeter,
    scratch: Scratch,
    // What it was forked from had one of its own, which the driver knows.
    inherited: Option<Arc<Scratch>>,
    // What its driver may find in its cache.
    primed: Option<Arc<PrimedCache>>,
    is_reaped: bool,
}

/// The near ends of a worker's standard streams.
pub(crate) struct Streams {
    pub(crate) requests: OwnedFd,
    pub(crate) replies: OwnedFd,
    pub(crate) errors: OwnedFd,
}

impl Streams {
    fn of(child: &mut Child) -> io::Result<Self> {
        let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
        Ok(Self {
            requests: child.stdin.take().ok_or_else(missing)?.into(),
            replies: child.stdout.take().ok_or_else(missing)?.into(),
            errors: child.stderr.take().ok_or_else(missing)?.into(),
        })
    }
}

/// A line from a pipe.
pub(crate) enum PipeLine<R> {
    /// A line of the expected kind.
    Reply(R),
    /// Any other line.
    Garbage,
}

/// The end of a build, seen from outside the worker.
pub enum BuildEnd {
    Answered {
        answer: BuildAnswer,
        /// Answers of the requested probes, in order.
        runs: Vec<RunAnswer>,
        /// Processor time of the build and its probes.
        processor_time: Duration,
    },
    Died(Death),
    Cancelled,
}

/// The death of a worker that had not answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Death {
    pub kind: OutcomeKind,
    pub phase: Phase,
    pub detail: String,
    /// The end of the worker's standard error.
    pub log: String,
    /// Whether it was killed by SIGKILL: the system or a person did it, and the case may have nothing to do with it.
    pub from_outside: bool,
    /// Answers of the probes before the one that the worker died of.
    pub runs: Vec<RunAnswer>,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}\n{}", self.detail, self.log);
        f.write_str(text.trim_end())
    }
}

/// A reason why a worker has no device.
pub enum StartEnd {
    NotOpened(OpenError),
    Died(Death),
    Cancelled,
    Machine { action: &'static str, source: io::Error },
}

impl From<NoScratch> for StartEnd {
    fn from(NoScratch { action, source }: NoScratch) -> Self {
        Self::Machine { action, source }
    }
}

enum WaitResult {
    Reply(Reply),
    Died(Death),
    Cancelled,
}

impl Process {
    /// Starts a worker and asks it to open its device; [`Process::opened`] waits for the answer.
    ///
    /// `primed` is the content of the driver's cache.
    pub(crate) fn begin(
        launch: &Launch,
        primed: Option<&Arc<PrimedCache>>,
    ) -> Result<Self, StartEnd> {
        let machine = |action| move |source| StartEnd::Machine { action, source };
        let scratch = Scratch::new()?;
        if let Some(primed) = primed {
            primed.fill(&scratch.primed()).map_err(machine("filling a worker's cache"))?;
        }
        let mut child = launch
            .command(&scratch)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(machine("starting a worker"))?;
        let streams = Streams::of(&mut child).map_err(machine("listening to a worker"))?;
        let path = scratch.path().to_owned();
        let mut process = Self::watch(OwnChild::started(&child), streams, scratch, None, launch)
            .map_err(machine("starting a thread"))?;
        process.primed = primed.cloned();
        process.send(&Request::Open { setup: launch.setup.clone(), scratch: path });
        Ok(process)
    }

    /// Waits until the worker has opened its device.
    pub(crate) fn opened(
        mut self,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<(Self, Capabilities), StartEnd> {
        match self.wait(limit, Phase::Build, &mut |_| {}, cancel) {
            WaitResult::Reply(Reply::Opened(capabilities)) => Ok((self, *capabilities)),
            WaitResult::Reply(Reply::NotOpened(error)) => Err(StartEnd::NotOpened(error)),
            WaitResult::Reply(_) => Err(StartEnd::Died(self.garbage(Phase::Build))),
            WaitResult::Died(death) => Err(StartEnd::Died(death)),
            WaitResult::Cancelled => Err(StartEnd::Cancelled),
        }
    }

    /// Listens to a worker that is running.
    pub(crate) fn watch(
        child: OwnChild,
        streams: Streams,
        scratch: Scratch,
        inherited: Option<Arc<Scratch>>,
        launch: &Launch,
    ) -> io::Result<Self> {
        let (sender, replies) = mpsc::channel();
        let mut process = Self {
            child,
            requests: Some(streams.requests.into()),
            replies,
            errors: Errors::default(),
            usage: Usage::new(launch.setup.memory_limit),
            memory_limit: launch.setup.memory_limit,
            files: FileMeter::default(),
            scratch,
            inherited,
            primed: None,
            is_reaped: false,
        };
        // Where there is no thread to be had, the process ends with what was made of it.
        process.errors = Errors::collect(File::from(streams.errors), launch.log_limit)?;
        thread::Builder::new().spawn(move || listen(File::from(streams.replies), &sender))?;
        Ok(process)
    }

    /// Builds one program; the limit holds for each phase. A worker that did not answer is dead afterwards.
    pub(crate) fn build(
        &mut self,
        request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
        cancel: &Cancel,
    ) -> BuildEnd {
        if let Some(primed) = &self.primed {
            // Who deleted it is found out behind the build.
            let _ = primed.restore(&self.scratch.primed());
        }
        self.send(&Request::Build(request));
        let mut phase = Phase::Build;
        let mut runs = Vec::new();
        loop {
            match self.wait(limit, phase, slow, cancel) {
                WaitResult::Reply(Reply::Began(next)) => phase = next,
                WaitResult::Reply(Reply::Built { .. }) if !self.has_ground() => {
                    self.kill();
                    return BuildEnd::Died(Death {
                        kind: OutcomeKind::Failed,
                        phase,
                        detail: "somebody deleted the worker's temporary folder".to_owned(),
                        log: self.errors.so_far(),
                        from_outside: true,
                        runs,
                    });
                }
                WaitResult::Reply(Reply::Built { answer, processor_time }) => {
                    self.measure();
                    let mut death = self.end_of_excess(phase);
                    death = death.or_else(|| self.end_of_parent(phase));
                    // The driver may answer before the end of its parent process is its own.
                    if death.is_none() && is_ending(self.child.id()) {
                        death = Some(self.autopsy(phase));
                    }
                    return match death {
                        Some(death) => BuildEnd::Died(Death { runs, ..death }),
                        None => BuildEnd::Answered { answer, runs, processor_time },
                    };
                }
                WaitResult::Reply(Reply::Ran(answer)) => runs.push(answer),
                WaitResult::Reply(_) => {
                    return BuildEnd::Died(Death { runs, ..self.garbage(phase) });
                }
                WaitResult::Died(death) => return BuildEnd::Died(Death { runs, ..death }),
                WaitResult::Cancelled => return BuildEnd::Cancelled,
            }
        }
    }

    /// Keeps the content of the driver's cache for this worker and others.
    pub(crate) fn prime(&mut self) -> io::Result<Arc<PrimedCache>> {
        let primed = Arc::new(PrimedCache::of(&self.scratch.primed())?);
        self.primed = Some(Arc::clone(&primed));
        Ok(primed)
    }

    /// Sends a request. The wait that follows notices a worker that died meanwhile.
    fn send(&mut self, request: &Request) {
        if let (Some(requests), Ok(mut line)) = (&mut self.requests, serde_json::to_vec(request)) {
            line.push(b'\n');
            let _ = requests.write_all(&line);
        }
    }

    /// Waits for the next reply. Calls `slow` when half of the limit is over.
    fn wait(
        &mut self,
        limit: Duration,
        phase: Phase,
        slow: &mut dyn FnMut(Phase),
        cancel: &Cancel,
    ) -> WaitResult {
        let mut patience = Patience::begin(self.child.id());
        let mut told = false;
        loop {
            match self.replies.recv_timeout(TICK) {
                Ok(PipeLine::Reply(reply)) => return WaitResult::Reply(reply),
                Ok(PipeLine::Garbage) => return WaitResult::Died(self.garbage(phase)),
                Err(RecvTimeoutError::Disconnected) => {
                    return WaitResult::Died(self.autopsy(phase));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.measure();
            patience.look();
            if let Some(death) = self.end_of_excess(phase).or_else(|| self.end_of_parent(phase)) {
                return WaitResult::Died(death);
            }
            if cancel.is_cancelled() {
                self.kill();
                return WaitResult::Cancelled;
            }
            if !told && patience.is_over(limit / 2) {
                told = true;
                slow(phase);
            }
            if patience.is_over(limit) {
                self.kill();
                let detail = format!("no answer within {:.1} s", limit.as_secs_f64());
                return WaitResult::Died(Death {
                    kind: OutcomeKind::TimedOut,
                    phase,
                    detail,
                    log: self.errors.so_far(),
                    from_outside: false,
                    runs: Vec::new(),
                });
            }
        }
    }

    /// Whether the folders of the worker still exist: without them, an answer is not evidence about a program.
    fn has_ground(&self) -> bool {
        self.scratch.is_there() && self.inherited.as_ref().is_none_or(|folder| folder.is_there())
    }

    /// Measures what the worker uses.
    fn measure(&mut self) {
        let limit = self.memory_limit;
        let files = limit.map(|limit| self.files.measure(self.scratch.path(), limit / 2));
        self.usage.measure(self.child.id(), files.unwrap_or(0));
    }

    /// Returns a limit that the worker is so near to that the next case could fail because of what others left behind.
    pub(crate) fn wear(&self) -> Option<Excess> {
        self.usage.wear()
    }

    /// Ends a worker that uses more than it may.
    fn end_of_excess(&mut self, phase: Phase) -> Option<Death> {
        let excess = self.usage.excess()?;
        let kind = if excess.resource.is_memory() {
            OutcomeKind::OutOfMemory
        } else {
            OutcomeKind::Crashed
        };
        Some(self.end_for(kind, phase, format!("the driver was stopped: it had {excess}")))
    }

    /// Ends a worker whose driver has stopped its parent process, which only waits.
    fn end_of_parent(&mut self, phase: Phase) -> Option<Death> {
        let begun = Instant::now();
        while is_stopped(self.child.id()) {
            // A system that suspends all of a job resumes all of it.
            if begun.elapsed() > SUSPENSION {
                let detail = "the driver stopped its parent process".to_owned();
                return Some(self.end_for(OutcomeKind::Crashed, phase, detail));
            }
            thread::sleep(TICK);
        }
        None
    }

    fn end_for(&mut self, kind: OutcomeKind, phase: Phase, detail: String) -> Death {
        self.kill();
        let log = self.errors.so_far();
        Death { kind, phase, detail, log, from_outside: false, runs: Vec::new() }
    }

    /// Finds out how a worker ended that closed its pipe.
    fn autopsy(&mut self, phase: Phase) -> Death {
        let mut patience = Patience::begin(self.child.id());
        let status = loop {
            patience.look();
            // A process that was forked twice is inherited only when the one between has ended.
            if let Ok(Some(status)) = self.child.try_wait() {
                break Some(status);
            }
            if let Some(death) = self.end_of_parent(phase) {
                return death;
            }
            if patience.is_over(DEATH) {
                break None;
            }
            thread::sleep(Duration::from_millis(2));
        };
        self.kill();
        let log = self.errors.to_the_end();
        // A limit on memory shows as a failed allocation, which drivers answer in their own ways.
        let short_of_memory = speaks_of_memory(&log) || self.usage.is_short_of_memory();
        let memory = if short_of_memory { OutcomeKind::OutOfMemory } else { OutcomeKind::Crashed };
        let signal = status.and_then(|status| status.signal());
        let killed_parent = signal == Some(Signal::KILL.as_raw());
        let from_outside = killed_parent || signal == Some(fork::child_killed());
        let (kind, detail) = match status.map(|status| (status.code(), signal)) {
            Some((_, Some(_))) if killed_parent => {
                (OutcomeKind::Crashed, "the driver killed its parent process".to_owned())
            }
            Some((_, Some(_))) if from_outside => (
                OutcomeKind::OutOfMemory,
                "SIGKILL, as the system sends it when memory runs out".to_owned(),
            ),
            // Rust's run time, which the worker has around the driver, turns the one into the other.
            Some((_, Some(signal)))
                if signal == Signal::ABORT.as_raw() && log.contains("has overflowed its stack") =>
            {
                // In which of the functions that call each other is chance.
                let place = fault::place(&log, "SIGSEGV");
                let library = place.map(|place| format!(" in {}", fault::library(&place)));
                let detail = format!("SIGSEGV: stack overflow{}", library.unwrap_or_default());
                (OutcomeKind::Crashed, detail)
            }
            Some((_, Some(signal))) => {
                let name = signal_name(signal);
                let place = fault::place(&log, &name).map(|place| format!(" in {place}"));
                (memory, name + &place.unwrap_or_default())
            }
            Some((Some(code), None)) => (memory, format!("the driver called exit({code})")),
            Some((None, None)) => (OutcomeKind::Crashed, "died".to_owned()),
            None => (OutcomeKind::Crashed, "the driver closed the pipe to the runner".to_owned()),
        };
        Death { kind, phase, detail, log, from_outside, runs: Vec::new() }
    }

    fn garbage(&mut self, phase: Phase) -> Death {
        self.kill();
        let detail = "the driver wrote into the pipe to the runner".to_owned();
        Death {
            kind: OutcomeKind::Crashed,
            phase,
            detail,
            log: self.errors.so_far(),
            from_outside: false,
            runs: Vec::new(),
        }
    }

    /// Kills the worker and all it started, and reaps it.
    fn kill(&mut self) {
        self.requests = None;
        // Its number may be another's by now.
        if mem::replace(&mut self.is_reaped, true) {
            return;
        }
        self.child.end(self.scratch.path());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The end of what a process writes to its standard error.
#[derive(Default)]
pub(crate) struct Errors {
    tail: Arc<Mutex<Tail>>,
    /// The thread that reads until the pipe is closed.
    collector: Option<JoinHandle<()>>,
}

impl Errors {
    /// Reads a stream and keeps its last bytes, up to a limit.
    pub(crate) fn collect(stream: impl Read + Send + 'static, limit: usize) -> io::Result<Self> {
        let tail = Arc::new(Mutex::new(Tail { limit, bytes: Vec::new() }));
        let kept = Arc::clone(&tail);
        let collector = thread::Builder::new().spawn(move || collect(stream, &kept))?;
        Ok(Self { tail, collector: Some(collector) })
    }

    /// Returns what a dead process wrote, to its end; does not wait for others that hold its pipe.
    pub(crate) fn to_the_end(&self) -> String {
        let deadline = Instant::now() + LAST_WORDS;
        let is_read = || self.collector.as_ref().is_none_or(JoinHandle::is_finished);
        while !is_read() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        self.so_far()
    }

    /// Returns what the process has written so far.
    pub(crate) fn so_far(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&tail.bytes).into_owned()
    }
}

/// The end of a stream.
#[derive(Default)]
struct Tail {
    limit: usize,
    bytes: Vec<u8>,
}

fn collect(mut stream: impl Read, tail: &Mutex<Tail>) {
    let mut buffer = [0; 4096];
    while let Ok(count) = stream.read(&mut buffer)
        && count > 0
    {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.bytes.extend_from_slice(&buffer[..count]);
        if tail.bytes.len() > 2 * tail.limit {
            let cut = tail.bytes.len() - tail.limit;
            tail.bytes.drain(..cut);
        }
    }
}

/// Reads replies, one on each line, until the stream ends or the receiver is gone.
pub(crate) fn listen<R: DeserializeOwned>(stream: impl Read, sender: &mpsc::Sender<PipeLine<R>>) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        match (&mut stream).take(REPLY_LIMIT).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let heard = serde_json::from_slice(&line).map_or(PipeLine::Garbage, PipeLine::Reply);
        if sender.send(heard).is_err() {
            return;
        }
    }
}

/// Returns the status of a process; `None` once it is gone.
fn status_of(process: u32) -> Option<procfs::process::Status> {
    let process = procfs::process::Process::new(i32::try_from(process).ok()?).ok()?;
    process.status().ok()
}

/// Whether a signal was sent to a process that has not handled it yet.
fn is_pending(status: &procfs::process::Status, signal: Signal) -> bool {
    let pending = status.sigpnd | status.shdpnd;
    pending >> (signal.as_raw() - 1) & 1 == 1
}

/// Whether a process is stopped, or will be as soon as it runs.
fn is_stopped(process: u32) -> bool {
    status_of(process)
        .is_some_and(|status| status.state.starts_with('T') || is_pending(&status, Signal::STOP))
}

/// Flag of a process that gives back what it has, before it is a zombie (`PF_EXITING` of `proc_pid_stat(5)`).
const EXITING: u32 = 4;

/// Whether a process has ended, is about to, or will as soon as it runs.
fn is_ending(process: u32) -> bool {
    let is_exiting = i32::try_from(process)
        .ok()
        .and_then(|process| procfs::process::Process::new(process).ok()?.stat().ok())
        .is_some_and(|stat| stat.flags & EXITING != 0);
    is_exiting
        || status_of(process).is_none_or(|status| {
            status.state.starts_with(['Z', 'X']) || is_pending(&status, Signal::KILL)
        })
}
