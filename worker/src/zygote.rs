//! A process that has opened its device and built a program, and is forked for each worker: no worker has to load the
//! driver again.
//!
//! Requests and replies are one JSON value per line, on a socket that is the process's standard input. Each [`Fork`]
//! carries the far ends of the worker's standard streams; the worker then runs as if it had been started with them.

use std::{
    io::{self, BufRead as _, BufReader, IoSlice, Write as _},
    mem::MaybeUninit,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::{
    builder::BuildRequest,
    cancel::Cancel,
    child::OwnChild,
    process::{Launch, Process, Streams},
    protocol::{Fork, Request, ZygoteReply, ZygoteSetup},
    scratch::{NoScratch, Scratch, that_name_it},
};

/// Interval at which a waiting runner checks whether it was asked to stop.
const TICK: Duration = Duration::from_millis(20);
/// Longest time that a fork may take.
const FORKING: Duration = Duration::from_secs(5);

/// The process, as its parent sees it.
pub(crate) struct Zygote {
    child: OwnChild,
    socket: BufReader<UnixStream>,
    /// Part of a reply that was received so far.
    line: Vec<u8>,
    scratch: Arc<Scratch>,
}

/// Reason why there is no zygote, or no longer one.
pub(crate) enum NoZygote {
    /// The driver does not let itself be forked, or the system does not let it: workers are started as usual.
    Unfit(io::Error),
    /// The run was asked to stop.
    Cancelled,
}

impl From<io::Error> for NoZygote {
    fn from(error: io::Error) -> Self {
        Self::Unfit(error)
    }
}

impl From<NoScratch> for NoZygote {
    fn from(none: NoScratch) -> Self {
        Self::Unfit(none.source)
    }
}

impl Zygote {
    /// Starts a zygote, which opens its device and builds `first`.
    pub(crate) fn start(
        launch: &Launch,
        setup: &ZygoteSetup,
        first: &BuildRequest,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Self, NoZygote> {
        let scratch = Scratch::new()?;
        let (near, far) = UnixStream::pair()?;
        near.set_read_timeout(Some(TICK))?;
        let child = launch
            .command(&scratch)
            .envs(scratch.variables(&setup.environment))
            .stdin(Stdio::from(OwnedFd::from(far)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut zygote = Self {
            child: OwnChild::started(&child),
            socket: BufReader::new(near),
            line: Vec::new(),
            scratch: Arc::new(scratch),
        };
        let request = Request::Zygote {
            setup: launch.setup.clone(),
            first: first.clone(),
            idle_threads: setup.idle_threads,
            scratch: zygote.scratch.path().to_owned(),
        };
        let mut line = serde_json::to_vec(&request).map_err(io::Error::from)?;
        line.push(b'\n');
        zygote.socket.get_mut().write_all(&line)?;
        match zygote.reply(limit, cancel)? {
            ZygoteReply::Ready => Ok(zygote),
            ZygoteReply::Unfit { reason } => Err(io::Error::other(reason).into()),
            ZygoteReply::Forked { .. } => Err(out_of_turn().into()),
        }
    }

    /// Forks a worker.
    pub(crate) fn fork(&mut self, launch: &Launch, cancel: &Cancel) -> Result<Process, NoZygote> {
        let scratch = Scratch::new()?;
        let (their_requests, requests) = io::pipe()?;
        let (replies, their_replies) = io::pipe()?;
        let (errors, their_errors) = io::pipe()?;
        let fork = Fork {
            scratch: scratch.path().to_owned(),
            environment: scratch.variables(&that_name_it(&launch.environment)),
        };
        let mut line = serde_json::to_vec(&fork).map_err(io::Error::from)?;
        line.push(b'\n');
        let streams = [their_requests.as_fd(), their_replies.as_fd(), their_errors.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&streams));
        let socket = self.socket.get_mut();
        let sent = sendmsg(&*socket, &[IoSlice::new(&line)], &mut control, SendFlags::NOSIGNAL)
            .map_err(io::Error::from)?;
        socket.write_all(&line[sent..])?;
        drop((their_requests, their_replies, their_errors));
        let ZygoteReply::Forked { process } = self.reply(FORKING, cancel)? else {
            return Err(out_of_turn().into());
        };
        let child = OwnChild::inherited(process)
            .ok_or_else(|| io::Error::other("the system gave the worker to another process"))?;
        let streams =
            Streams { requests: requests.into(), replies: replies.into(), errors: errors.into() };
        let inherited = Arc::clone(&self.scratch);
        Ok(Process::watch(child, streams, scratch, Some(inherited), launch)?)
    }

    fn reply(&mut self, limit: Duration, cancel: &Cancel) -> Result<ZygoteReply, NoZygote> {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            if cancel.is_cancelled() {
                return Err(NoZygote::Cancelled);
            }
            match self.socket.read_until(b'\n', &mut self.line) {
                Ok(_) if self.line.ends_with(b"\n") => {
                    let reply = serde_json::from_slice(&self.line).map_err(io::Error::from)?;
                    self.line.clear();
                    return Ok(reply);
                }
                Ok(_) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Err(error) if is_no_end(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::Error::from(io::ErrorKind::TimedOut).into())
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        self.child.end(self.scratch.path());
    }
}

fn is_no_end(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

fn out_of_turn() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it answered out of turn")
}
