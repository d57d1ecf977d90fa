//! The worker's side of the pipe.

use rustix::{
    io::fcntl_dupfd_cloexec,
    process::{Resource, Rlimit, Signal, getpgrp, getpid, kill_process_group, setrlimit},
    stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout},
};
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Write},
    os::fd::OwnedFd,
    process::ExitCode,
    sync::mpsc::{self, Receiver},
    thread,
};

use crate::{
    builder::{BuildStatus, Builder, OpenError},
    comgr::ComgrDevice,
    command::CommandDevice,
    fault::tell_faults,
    opencl::OpenclDevice,
    processes::{adopt_orphans, kill_below, own_id},
    protocol::{Reply, Request, Setup},
    target::Target,
};

/// Serve the runner on standard input and output until it closes them.
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

/// The same with a device of one's own: how the tests bring in one that misbehaves.
pub fn serve(open: impl FnOnce(&Target) -> Result<Box<dyn Builder>, OpenError>) -> ExitCode {
    match Pipe::take().and_then(|pipe| pipe.serve(open)) {
        Ok(()) => ExitCode::SUCCESS,
        // The runner is gone or was never there: nobody is left to be told.
        Err(_) => ExitCode::FAILURE,
    }
}

/// The pipe to the runner, out of the driver's reach.
struct Pipe {
    requests: Receiver<Request>,
    replies: File,
}

impl Pipe {
    /// Move the pipe away from the standard streams, which belong to the driver from now on: what it prints
    /// goes to standard error.
    fn take() -> io::Result<Self> {
        let requests = fcntl_dupfd_cloexec(stdin(), 3)?;
        let replies = fcntl_dupfd_cloexec(stdout(), 3)?;
        dup2_stdin(File::open("/dev/null")?)?;
        dup2_stdout(stderr())?;
        Ok(Self { requests: listen(requests)?, replies: replies.into() })
    }

    fn serve(
        mut self,
        open: impl FnOnce(&Target) -> Result<Box<dyn Builder>, OpenError>,
    ) -> io::Result<()> {
        adopt_orphans();
        tell_faults()?;
        let Ok(Request::Open { setup, .. }) = self.requests.recv() else { return Ok(()) };
        limit(&setup)?;
        let mut device = match open(&setup.target) {
            Ok(device) => device,
            Err(error) => return self.reply(&Reply::NotOpened(error)),
        };
        self.reply(&Reply::Opened(Box::new(device.capabilities())))?;
        while let Ok(Request::Build(request)) = self.requests.recv() {
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
            self.reply(&Reply::Built(answer))?;
        }
        Ok(())
    }

    fn reply(&mut self, reply: &Reply) -> io::Result<()> {
        let mut line = serde_json::to_vec(reply)?;
        line.push(b'\n');
        self.replies.write_all(&line)
    }
}

/// Read requests on a thread of their own, so that the end of the runner is noticed while a driver hangs.
fn listen(requests: OwnedFd) -> io::Result<Receiver<Request>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut folder = None;
        for line in BufReader::new(File::from(requests)).lines() {
            // A driver may write into this end of the pipe too: the worker ends as soon as it is back in control.
            let Ok(request) = line.and_then(|line| Ok(serde_json::from_str(&line)?)) else {
                return;
            };
            // The first request names it; a later one is none of the runner's.
            if let Request::Open { scratch, .. } = &request {
                folder.get_or_insert_with(|| scratch.clone());
            }
            if sender.send(request).is_err() {
                return;
            }
        }
        // The runner has closed the pipe or died: take along the folder and whatever the driver started. Somebody
        // who starts a worker by hand shares its group with it and is spared.
        kill_below(own_id());
        if let Some(folder) = folder {
            let _ = fs::remove_dir_all(folder);
        }
        if getpgrp() == getpid() {
            let _ = kill_process_group(getpgrp(), Signal::KILL);
        }
    })?;
    Ok(receiver)
}

/// Limit memory before the driver is loaded, and leave no core files of its crashes.
fn limit(setup: &Setup) -> io::Result<()> {
    let both = |value| Rlimit { current: Some(value), maximum: Some(value) };
    setrlimit(Resource::Core, both(0))?;
    if let Some(bytes) = setup.memory_limit {
        setrlimit(Resource::Data, both(bytes))?;
    }
    Ok(())
}
