//! A process that this one waits for: it started the process, or inherited it.

use std::{
    io,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, ExitStatus},
};

use rustix::{
    io::retry_on_intr,
    process::{Pid, Signal, WaitOptions, kill_process_group, waitpid},
};

use crate::processes;

/// A child that leads a process group. No other process has its number until it is waited for.
pub(crate) struct OwnChild {
    pid: Pid,
    status: Option<ExitStatus>,
}

impl OwnChild {
    /// Returns a child that this process has started.
    pub(crate) fn started(child: &Child) -> Self {
        Self { pid: Pid::from_child(child), status: None }
    }

    /// Returns a child that this process inherited; `None` if another process is its parent.
    pub(crate) fn inherited(id: u32) -> Option<Self> {
        let pid = i32::try_from(id).ok().and_then(Pid::from_raw)?;
        processes::is_child(id).then_some(Self { pid, status: None })
    }

    pub(crate) fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Returns the exit status; `None` while the child runs.
    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.wait_with(WaitOptions::NOHANG)
    }

    fn wait_with(&mut self, options: WaitOptions) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            let ended = retry_on_intr(|| waitpid(Some(self.pid), options))?;
            self.status = ended.map(|(_, status)| ExitStatus::from_raw(status.as_raw()));
        }
        Ok(self.status)
    }

    /// Kills the child and all it started, and all processes that were started with `folder` as `TMPDIR`.
    pub(crate) fn end(&mut self, folder: &Path) {
        let below = processes::kill_below(self.id());
        let _ = kill_process_group(self.pid, Signal::KILL);
        let _ = self.wait_with(WaitOptions::empty());
        processes::reap(&below);
        processes::kill_orphans_of(folder);
    }
}
