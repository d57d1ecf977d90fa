//! The near side: a worker that runs elsewhere, behind a command that carries standard input and output.

use std::{
    io::{self, Write as _},
    os::unix::process::CommandExt as _,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use expectations::outcome::{OutcomeKind, Phase};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::{
    builder::{BuildRequest, OpenError},
    cancel::Cancel,
    far::{Order, PROTOCOL, Report, VERSION},
    local::WorkerStart,
    process::{BuildEnd, Death, Errors, Launch, PipeLine, StartEnd, listen},
    processes,
    text::cut,
    usage::Excess,
};

/// Interval at which the runner checks for a request to stop.
const TICK: Duration = Duration::from_millis(20);
/// A connection that is silent for this long is broken: the far side sends a sign of life every few seconds.
const SILENCE: Duration = Duration::from_mins(1);
/// Longest time until the far side's greeting: a program that says nothing by then is not a worker.
const UNTIL_GREETING: Duration = Duration::from_secs(20);
/// Longest time that the far side may take to end what it started.
const FAREWELL: Duration = Duration::from_secs(5);
/// Lines of a login's greeting that may come before the worker's first.
const GREETING: usize = 200;
/// Most bytes of a command in a message.
const SHOWN: usize = 300;

/// A connection to a worker elsewhere.
pub(crate) struct Link {
    child: Child,
    orders: Option<ChildStdin>,
    reports: Receiver<PipeLine<Report>>,
    errors: Errors,
    heard: Instant,
    command: String,
    wear: Option<Excess>,
}

/// The end of a wait for a report.
enum Next {
    Report(Report),
    Lost(Death),
    Cancelled,
}

impl Link {
    /// Runs the command, and waits for the greeting of the program at its end.
    pub(crate) fn reach(
        launch: &Launch,
        command: &[String],
        cancel: &Cancel,
    ) -> Result<Self, StartEnd> {
        let machine = |action| move |source| StartEnd::Machine { action, source };
        let mut link = Self::open(command, launch.log_limit)
            .map_err(machine("starting the command that leads to the worker"))?;
        link.greet(cancel)?;
        Ok(link)
    }

    /// Starts a worker there that opens its device, in place of the worker before.
    pub(crate) fn start(
        &mut self,
        launch: &Launch,
        first: Option<&BuildRequest>,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<WorkerStart, StartEnd> {
        self.wear = None;
        let Launch { environment, setup, log_limit, zygote, .. } = launch.clone();
        let first = first.cloned().map(Box::new);
        self.send(&Order::Start { environment, setup, log_limit, zygote, first, limit });
        match self.next(cancel) {
            Next::Report(Report::Opened { capabilities, unforked }) => {
                Ok(WorkerStart::Opened { capabilities, unforked })
            }
            Next::Report(Report::Forked) => Ok(WorkerStart::Forked),
            Next::Report(Report::NotOpened(error)) => Err(StartEnd::NotOpened(error)),
            Next::Report(Report::Died(death)) | Next::Lost(death) => Err(StartEnd::Died(death)),
            Next::Report(_) => Err(StartEnd::Died(self.lost("answered out of turn"))),
            Next::Cancelled => {
                self.end();
                Err(StartEnd::Cancelled)
            }
        }
    }

    /// Ends the worker there.
    pub(crate) fn end_worker(&mut self) {
        self.send(&Order::End);
    }

    /// Whether another worker can be started over the connection.
    pub(crate) fn lasts(&self) -> bool {
        self.orders.is_some()
    }

    fn open(command: &[String], log_limit: usize) -> io::Result<Self> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"));
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("`{program}`: {error}")))?;
        let (sender, reports) = mpsc::channel();
        let (orders, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let command = cut(&command.join(" "), SHOWN);
        let heard = Instant::now();
        let none = Errors::default();
        // Made before the threads are: its end ends the command too.
        let mut link = Self { child, orders, reports, errors: none, heard, command, wear: None };
        if let Some(errors) = errors {
            link.errors = Errors::collect(errors, log_limit)?;
        }
        if let Some(output) = output {
            thread::Builder::new().spawn(move || listen(output, &sender))?;
        }
        Ok(link)
    }

    /// Waits for the far side's version, which must be this one.
    fn greet(&mut self, cancel: &Cancel) -> Result<(), StartEnd> {
        for _ in 0..GREETING {
            match self.hear(UNTIL_GREETING, cancel) {
                Next::Report(Report::Hello { protocol, version })
                    if protocol == PROTOCOL && version == VERSION =>
                {
                    return Ok(());
                }
                Next::Report(Report::Hello { protocol, version }) => {
                    let reason = format!(
                        "the worker at `{}` has version {} (protocol {protocol}), and this is \
                         {VERSION} (protocol {PROTOCOL}): copy this version's \
                         `address-spaces-worker` there",
                        self.command,
                        cut(&version, SHOWN),
                    );
                    return Err(StartEnd::NotOpened(OpenError::Failed { reason }));
                }
                // What a login prints.
                Next::Report(_) => {}
                // To try a second time would take as long.
                Next::Lost(_) if self.is_silent(UNTIL_GREETING) => {
                    let reason = format!(
                        "`{}` printed nothing for {} s: is the program there \
                         `address-spaces-worker`?",
                        self.command,
                        UNTIL_GREETING.as_secs()
                    );
                    return Err(StartEnd::NotOpened(OpenError::Failed { reason }));
                }
                Next::Lost(death) => {
                    let remedy = if death.log.contains("version `GLIBC_") {
                        "the C library there is older than the one this program was built with: \
                         build it on an equally old system, or use a newer system there"
                    } else {
                        "is `address-spaces-worker` there, and can it be started?"
                    };
                    let detail = format!("{}; {remedy}", death.detail);
                    return Err(StartEnd::Died(Death { detail, ..death }));
                }
                Next::Cancelled => return Err(StartEnd::Cancelled),
            }
        }
        Err(StartEnd::Died(self.lost("prints what no worker prints")))
    }

    /// Builds one program, as [`crate::process::Process::build`] does.
    pub(crate) fn build(
        &mut self,
        request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
        cancel: &Cancel,
    ) -> BuildEnd {
        self.send(&Order::Build { request, limit });
        loop {
            match self.next(cancel) {
                Next::Report(Report::Slow(phase)) => slow(phase),
                Next::Report(Report::Answered { answer, runs, processor_time, wear }) => {
                    self.wear = wear;
                    return BuildEnd::Answered { answer, runs, processor_time };
                }
                Next::Report(Report::Died(death)) | Next::Lost(death) => {
                    return BuildEnd::Died(death);
                }
                Next::Report(_) => return BuildEnd::Died(self.lost("answered out of turn")),
                Next::Cancelled => {
                    self.end();
                    return BuildEnd::Cancelled;
                }
            }
        }
    }

    /// Returns a limit that the worker has come near to.
    pub(crate) fn wear(&self) -> Option<Excess> {
        self.wear
    }

    /// Sends an order. The wait that follows notices a connection that is lost meanwhile.
    fn send(&mut self, order: &Order) {
        if let (Some(orders), Ok(mut line)) = (&mut self.orders, serde_json::to_vec(order)) {
            line.push(b'\n');
            let _ = orders.write_all(&line);
        }
        self.heard = Instant::now();
    }

    /// Waits for the next report other than a sign of life.
    fn next(&mut self, cancel: &Cancel) -> Next {
        loop {
            match self.hear(SILENCE, cancel) {
                Next::Report(Report::Alive) => {}
                next => return next,
            }
        }
    }

    /// Waits for the next report, at most this long; a line that is not a report, such as a login prints, is a sign of
    /// life.
    fn hear(&mut self, patience: Duration, cancel: &Cancel) -> Next {
        loop {
            match self.reports.recv_timeout(TICK) {
                Ok(PipeLine::Reply(report)) => {
                    self.heard = Instant::now();
                    return Next::Report(report);
                }
                Ok(PipeLine::Garbage) => {
                    self.heard = Instant::now();
                    return Next::Report(Report::Alive);
                }
                Err(RecvTimeoutError::Disconnected) => return Next::Lost(self.lost("ended")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if cancel.is_cancelled() {
                return Next::Cancelled;
            }
            if self.is_silent(patience) {
                return Next::Lost(self.lost("is silent"));
            }
        }
    }

    /// Whether nothing was heard for this long.
    fn is_silent(&self, patience: Duration) -> bool {
        self.heard.elapsed() > patience
    }

    /// Ends a connection that is of no use any more: its reports do not count against a case.
    fn lost(&mut self, what: &str) -> Death {
        self.end();
        let status = self.child.try_wait().ok().flatten();
        let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
        Death {
            kind: OutcomeKind::Failed,
            phase: Phase::Build,
            detail: format!("`{}` {what}{status}", self.command),
            log: self.errors.to_the_end(),
            from_outside: true,
            runs: Vec::new(),
        }
    }

    /// Closes the pipe, gives the far side time to end its processes, and ends the rest of the command here.
    fn end(&mut self) {
        self.orders = None;
        let deadline = Instant::now() + FAREWELL;
        while let Ok(None) = self.child.try_wait()
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(2));
        }
        if let Ok(None) = self.child.try_wait() {
            let below = processes::kill_below(self.child.id());
            if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = self.child.wait();
            processes::reap(&below);
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.end();
    }
}
