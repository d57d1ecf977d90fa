//! The worker's side of the pipe.

use rustix::{
    io::{fcntl_dupfd_cloexec, read, retry_on_intr},
    process::{Pid, Resource, Rlimit, Signal, getpgrp, getpid, kill_process_group, setrlimit},
    stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout},
};
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Write},
    os::fd::OwnedFd,
    path::PathBuf,
    process::ExitCode,
    sync::mpsc::{self, Receiver},
    thread,
};

use crate::{
    builder::{BuildStatus, Builder, OpenError},
    comgr::ComgrDevice,
    command::CommandDevice,
    fault::tell_faults,
    fork::{self, ForkedWorker},
    opencl::OpenclDevice,
    processes::{adopt_orphans, kill_below, own_id},
    processor_time::processor_time,
    protocol::{Reply, Request, Setup},
    target::Target,
    usage::descriptor_limits,
};

/// Serves the runner on standard input and output until it closes them.
pub fn main() -> ExitCode {
    serve(|target| match target {
        Target::Opencl { platform } => Ok(Box::new(OpenclDevice::open(platform)?)),
        Target::Command { program, version, rejects_with, asked } => {
            Ok(Box::new(CommandDevice::open(program, version, rejects_with, asked)?))
        }
        Target::Comgr { library, isas, code_options, newest_first, cxx } => {
            Ok(Box::new(ComgrDevice::open(library, isas, code_options, newest_first, cxx)?))
        }
    })
}

/// Serves the runner with a device that `open` opens: tests bring in one that misbehaves.
pub fn serve(open: impl FnOnce(&Target) -> Result<Box<dyn Builder>, OpenError>) -> ExitCode {
    match be_what_is_asked(open) {
        Ok(()) => ExitCode::SUCCESS,
        // The runner is gone or was never there: nobody is left to report to.
        Err(_) => ExitCode::FAILURE,
    }
}

fn be_what_is_asked(
    open: impl FnOnce(&Target) -> Result<Box<dyn Builder>, OpenError>,
) -> io::Result<()> {
    match first_request()? {
        Request::Open { setup, scratch } => {
            limit(&setup)?;
            let group = own_group();
            fork::continue_in_child()?;
            let mut pipe = Pipe::take(scratch, group)?;
            adopt_orphans();
            tell_faults()?;
            match open(&setup.target) {
                Ok(mut device) => {
                    pipe.reply(&Reply::Opened(Box::new(device.capabilities())))?;
                    pipe.serve(&mut *device)
                }
                Err(error) => pipe.reply(&Reply::NotOpened(error)),
            }
        }
        Request::Zygote { setup, first, idle_threads, scratch } => {
            let socket = fcntl_dupfd_cloexec(stdin(), 3)?;
            dup2_stdin(File::open("/dev/null")?)?;
            tell_faults()?;
            limit(&setup)?;
            let open = || open(&setup.target);
            let prepared = || fork::prepare(&first, idle_threads, open);
            let Some(forked) = fork::be_forked(socket, &scratch, prepared)? else {
                return Ok(());
            };
            let ForkedWorker { mut device, scratch } = forked;
            let group = own_group();
            fork::continue_in_child()?;
            let mut pipe = Pipe::take(scratch, group)?;
            adopt_orphans();
            pipe.serve(&mut *device)
        }
        Request::Build(_) => Ok(()),
    }
}

/// Reads the first request and nothing after it: another reader may have to read the rest.
fn first_request() -> io::Result<Request> {
    let mut line = Vec::new();
    let mut byte = [0];
    while line.last() != Some(&b'\n') {
        if retry_on_intr(|| read(stdin(), &mut byte))? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.extend_from_slice(&byte);
    }
    Ok(serde_json::from_slice(&line)?)
}

/// The pipe to the runner, out of the driver's reach.
struct Pipe {
    requests: Receiver<Request>,
    replies: File,
}

impl Pipe {
    /// Moves the pipe away from the standard streams, which belong to the driver from now on: its output goes to
    /// standard error. When the runner dies, the worker's folder is deleted and its group is killed.
    fn take(scratch: PathBuf, group: Option<Pid>) -> io::Result<Self> {
        let requests = fcntl_dupfd_cloexec(stdin(), 3)?;
        let replies = fcntl_dupfd_cloexec(stdout(), 3)?;
        dup2_stdin(File::open("/dev/null")?)?;
        dup2_stdout(stderr())?;
        Ok(Self { requests: listen(requests, scratch, group)?, replies: replies.into() })
    }

    fn serve(&mut self, device: &mut dyn Builder) -> io::Result<()> {
        while let Ok(Request::Build(request)) = self.requests.recv() {
            let before = processor_time();
            let mut told = Ok(());
            let answer = device.build(&request, &mut |phase| {
                if told.is_ok() {
                    told = self.reply(&Reply::Began(phase));
                }
            });
            told?;
            if answer.status == BuildStatus::Accepted {
                for run in &request.runs {
                    self.reply(&Reply::Began(run.phase()))?;
                    self.reply(&Reply::Ran(device.run(run)))?;
                }
            }
            let processor_time = processor_time().saturating_sub(before);
            self.reply(&Reply::Built { answer, processor_time })?;
        }
        Ok(())
    }

    fn reply(&mut self, reply: &Reply) -> io::Result<()> {
        let mut line = serde_json::to_vec(reply)?;
        line.push(b'\n');
        self.replies.write_all(&line)
    }
}

/// Reads requests on a separate thread, so that the end of the runner is noticed while a driver hangs.
fn listen(
    requests: OwnedFd,
    scratch: PathBuf,
    group: Option<Pid>,
) -> io::Result<Receiver<Request>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        for line in BufReader::new(File::from(requests)).lines() {
            // A driver may write into this end of the pipe too: the worker ends as soon as it is back in control.
            let Ok(request) = line.and_then(|line| Ok(serde_json::from_str(&line)?)) else {
                return;
            };
            if sender.send(request).is_err() {
                return;
            }
        }
        // The runner has closed the pipe or died: take along the folder and everything that the driver started.
        kill_below(own_id());
        let _ = fs::remove_dir_all(scratch);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    })?;
    Ok(receiver)
}

/// Returns the process group that this process leads. A worker that was started by hand shares the group of its shell,
/// which must not be killed.
fn own_group() -> Option<Pid> {
    (getpgrp() == getpid()).then(getpgrp)
}

/// Limits memory and descriptors before the driver is loaded, and leaves no core files of its crashes.
fn limit(setup: &Setup) -> io::Result<()> {
    let both = |value| Rlimit { current: Some(value), maximum: Some(value) };
    setrlimit(Resource::Core, both(0))?;
    if let Some(bytes) = setup.memory_limit {
        setrlimit(Resource::Data, both(bytes))?;
    }
    setrlimit(Resource::Nofile, both(descriptor_limits().1))?;
    Ok(())
}
