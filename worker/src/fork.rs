//! The inside of a [`crate::zygote`]: how it comes to be forked, and what its worker does first.

#![expect(unsafe_code, reason = "forking and variables belong to the C library")]

use std::{
    env, fs,
    io::{self, IoSliceMut, PipeReader, Read as _, Write as _},
    mem::MaybeUninit,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    path::{Path, PathBuf},
};

use procfs::process::Process;
use rustix::{
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg},
    process::{Pid, Signal, WaitOptions, set_parent_process_death_signal, setpgid, waitpid},
    stdio::{dup2_stderr, dup2_stdin, dup2_stdout},
};

use crate::{
    builder::{BuildRequest, BuildStatus, Builder, OpenError},
    processes::{kill_below, own_id},
    protocol::{Fork, ZygoteReply},
};

/// What the system calls a thread that waits for something.
const SLEEPING: char = 'S';
/// More than any request is long.
const LONGEST: usize = 1 << 20;

/// A worker that was forked.
pub(crate) struct Forked {
    /// Its device, which is open.
    pub(crate) device: Box<dyn Builder>,
    /// Its folder.
    pub(crate) scratch: PathBuf,
}

/// What a process is after it was forked.
enum Side {
    Worker,
    Zygote { worker: u32 },
}

/// Have a device that is open, and be forked whenever that is asked for. Gives the worker, in its own process;
/// nothing once nobody asks any more.
pub(crate) fn be_forked(
    socket: OwnedFd,
    scratch: &Path,
    prepare: impl FnOnce() -> Result<Box<dyn Builder>, String>,
) -> io::Result<Option<Forked>> {
    let mut socket = UnixStream::from(socket);
    // While the driver is at work nobody reads what says that the runner is gone.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let device = match prepare() {
        Ok(device) => device,
        Err(reason) => {
            say(&mut socket, &ZygoteReply::Unfit { reason })?;
            return Ok(None);
        }
    };
    set_parent_process_death_signal(None)?;
    say(&mut socket, &ZygoteReply::Ready)?;
    while let Some((fork, streams)) = next(&socket)? {
        match fork_off()? {
            Side::Worker => {
                drop(socket);
                settle(&fork, streams)?;
                return Ok(Some(Forked { device, scratch: fork.scratch }));
            }
            Side::Zygote { worker } => say(&mut socket, &ZygoteReply::Forked { process: worker })?,
        }
    }
    kill_below(own_id());
    let _ = fs::remove_dir_all(scratch);
    Ok(None)
}

/// Open the device and build `first`; gives why the process cannot be forked then.
pub(crate) fn prepare(
    first: &BuildRequest,
    idle_threads: usize,
    open: impl FnOnce() -> Result<Box<dyn Builder>, OpenError>,
) -> Result<Box<dyn Builder>, String> {
    let mut device = open().map_err(|error| error.to_string())?;
    let answer = device.build(first, &mut |_| {});
    if answer.status != BuildStatus::Accepted {
        return Err(format!("its first build came to {:?}: {}", answer.status, answer.detail));
    }
    // A fork has the one thread that made it, and what the others held.
    let others = other_threads().map_err(|error| error.to_string())?;
    let awake = others.iter().filter(|state| **state != SLEEPING).count();
    match (others.len(), awake) {
        (threads, 0) if threads <= idle_threads => Ok(device),
        (1, _) => Err("the driver has 1 thread of its own".to_owned()),
        (threads, _) => Err(format!("the driver has {threads} threads of its own")),
    }
}

/// In what state each thread is but this one.
fn other_threads() -> procfs::ProcResult<Vec<char>> {
    let tasks = Process::myself()?.tasks()?.collect::<procfs::ProcResult<Vec<_>>>()?;
    let others = tasks.iter().filter(|task| task.tid != task.pid);
    others.map(|task| Ok(task.stat()?.state)).collect()
}

fn say(socket: &mut UnixStream, reply: &ZygoteReply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    socket.write_all(&line)
}

/// The next request, and the standard streams that came with it.
fn next(socket: &UnixStream) -> io::Result<Option<(Fork, [OwnedFd; 3])>> {
    let mut line = Vec::new();
    let mut streams = Vec::new();
    while !line.ends_with(b"\n") {
        let mut part = [0; 4096];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::CMSG_CLOEXEC;
        let received = recvmsg(socket, &mut [IoSliceMut::new(&mut part)], &mut control, flags)?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                streams.extend(rights);
            }
        }
        if received.bytes == 0 || line.len() > LONGEST {
            return Ok(None);
        }
        line.extend_from_slice(&part[..received.bytes]);
    }
    let fork = serde_json::from_slice(&line)?;
    let streams = streams.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    Ok(Some((fork, streams)))
}

/// Fork twice: whoever started this process inherits the worker, and can await it.
fn fork_off() -> io::Result<Side> {
    let (mut told, mut tell) = io::pipe()?;
    // SAFETY: the process has one thread.
    let between = unsafe { libc::fork() };
    if between == 0 {
        // SAFETY: as above.
        match unsafe { libc::fork() } {
            0 => return Ok(Side::Worker),
            worker => {
                let told =
                    u32::try_from(worker).map(|worker| tell.write_all(&worker.to_ne_bytes()));
                let status = i32::from(!matches!(told, Ok(Ok(()))));
                // SAFETY: nothing of the driver's is to end with this process.
                unsafe { libc::_exit(status) }
            }
        }
    }
    drop(tell);
    let between =
        Pid::from_raw(between).filter(|_| between > 0).ok_or_else(io::Error::last_os_error)?;
    waitpid(Some(between), WaitOptions::empty())?;
    Ok(Side::Zygote { worker: number(&mut told)? })
}

fn number(told: &mut PipeReader) -> io::Result<u32> {
    let mut bytes = [0; 4];
    told.read_exact(&mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

/// Do what the system does for a worker that is started.
fn settle(fork: &Fork, streams: [OwnedFd; 3]) -> io::Result<()> {
    setpgid(None, None)?;
    let [input, output, errors] = streams;
    dup2_stdin(input.as_fd())?;
    dup2_stdout(output.as_fd())?;
    dup2_stderr(errors.as_fd())?;
    env::set_current_dir(&fork.scratch)?;
    for (name, value) in &fork.environment {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: the process has one thread.
        unsafe { env::set_var(name, value) };
    }
    Ok(())
}
