//! Forks: the inside of a [`crate::zygote`], what its worker does first, and the process between a driver and whoever
//! watches it.

#![expect(unsafe_code, reason = "forking and variables belong to the C library")]

use std::{
    env,
    fs::{self, File},
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

/// State of a thread that waits for something, as `/proc` writes it.
const SLEEPING: char = 'S';
/// Most bytes of a request.
const LONGEST: usize = 1 << 20;

/// A worker that was forked.
pub(crate) struct ForkedWorker {
    /// The open device.
    pub(crate) device: Box<dyn Builder>,
    /// The worker's folder.
    pub(crate) scratch: PathBuf,
}

/// One of the two processes after a fork.
enum Side {
    Worker,
    Zygote { worker: u32 },
}

/// Opens a device, and forks the process on every request. Returns the worker in each forked process, and `None` in
/// this one when the requests end.
pub(crate) fn be_forked(
    socket: OwnedFd,
    scratch: &Path,
    prepare: impl FnOnce() -> Result<Box<dyn Builder>, String>,
) -> io::Result<Option<ForkedWorker>> {
    let mut socket = UnixStream::from(socket);
    // While the driver works, nobody reads the pipe that shows that the runner is gone.
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
                return Ok(Some(ForkedWorker { device, scratch: fork.scratch }));
            }
            Side::Zygote { worker } => say(&mut socket, &ZygoteReply::Forked { process: worker })?,
        }
    }
    kill_below(own_id());
    let _ = fs::remove_dir_all(scratch);
    Ok(None)
}

/// Opens the device and builds `first`; the error gives the reason why the process cannot be forked.
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

/// Returns the states of all other threads.
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

/// Waits for the next request and the standard streams that come with it.
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

/// Forks twice, so that whoever started this process inherits the worker, and can wait for it.
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

/// Returns the signal that the parent process of a driver ends with where the driver was killed by SIGKILL: where it
/// ends with SIGKILL, it was killed itself.
pub(crate) fn child_killed() -> i32 {
    libc::SIGRTMAX()
}

/// Continues in a child of this process, which must have one thread. This process waits for the child and ends as that
/// does: a driver that stops or kills its parent process meets this one, and the one that watches notices.
pub(crate) fn continue_in_child() -> io::Result<()> {
    // SAFETY: the process has one thread.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // Without its parent it would become a child of the runner, and could continue with that.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        return Ok(());
    }
    let child = Pid::from_raw(child).filter(|_| child > 0).ok_or_else(io::Error::last_os_error)?;
    // The end of the driver is the end of its pipes.
    let nothing = File::open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    let status = loop {
        match waitpid(Some(child), WaitOptions::empty()) {
            Ok(Some((_, status))) => break status,
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    let code = status.exit_status();
    if let Some(signal) = status.terminating_signal() {
        let signal = if signal == Signal::KILL.as_raw() { child_killed() } else { signal };
        // SAFETY: nothing else of this process will run.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    // SAFETY: as above.
    unsafe { libc::_exit(code.unwrap_or(1)) }
}

fn number(told: &mut PipeReader) -> io::Result<u32> {
    let mut bytes = [0; 4];
    told.read_exact(&mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

/// Sets the forked process up as the system sets up a worker that is started.
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
