//! Processes below another, in any group or session.

use std::{fs, path::Path, thread, time::Duration};

use procfs::process::Process;
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};

/// Number of searches for processes that were started meanwhile.
const ROUNDS: usize = 16;
/// Number of looks at whether a killed process has ended.
const ASKED: usize = 100;
/// Time between two of these looks.
const BETWEEN: Duration = Duration::from_millis(2);

/// Makes this process inherit processes whose parents end, so that they can be found.
pub fn adopt_orphans() {
    // Older systems have no such thing; orphans stay what they are there.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Kills all running processes below a process, and returns them.
pub fn kill_below(process: u32) -> Vec<Pid> {
    let mut killed: Vec<Pid> = Vec::new();
    for _ in 0..ROUNDS {
        let mut left = below(process);
        left.retain(|pid| !killed.contains(pid));
        if left.is_empty() {
            break;
        }
        for pid in left {
            let _ = kill_process(pid, Signal::KILL);
            killed.push(pid);
        }
    }
    killed
}

/// Kills the processes that this one inherited from a dead worker: those that were started with its folder as `TMPDIR`.
pub fn kill_orphans_of(folder: &Path) {
    let variable = [b"TMPDIR=", folder.as_os_str().as_encoded_bytes(), b"\0"].concat();
    let started_there = |pid: &Pid| {
        let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()));
        environment.is_ok_and(|text| text.windows(variable.len()).any(|part| part == variable))
    };
    for orphan in children(own_id()).into_iter().filter(started_there) {
        let mut killed = kill_below(orphan.as_raw_nonzero().get().unsigned_abs());
        let _ = kill_process(orphan, Signal::KILL);
        killed.push(orphan);
        reap(&killed);
    }
}

/// Waits for the end of those killed processes that are children of this one by now.
pub fn reap(killed: &[Pid]) {
    for &pid in killed {
        for _ in 0..ASKED {
            match waitpid(Some(pid), WaitOptions::NOHANG) {
                Ok(None) => thread::sleep(BETWEEN),
                Ok(Some(_)) | Err(_) => break,
            }
        }
    }
}

/// Whether a process is this one's child.
pub(crate) fn is_child(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(|process| Process::new(process).ok());
    let parent = process.and_then(|process| Some(process.stat().ok()?.ppid));
    parent.and_then(|parent| u32::try_from(parent).ok()) == Some(own_id())
}

/// Returns the id of this process.
pub fn own_id() -> u32 {
    std::process::id()
}

/// Returns all processes below a process.
pub fn below(process: u32) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut open = vec![process];
    while let Some(process) = open.pop() {
        for child in children(process) {
            open.push(child.as_raw_nonzero().get().unsigned_abs());
            found.push(child);
        }
    }
    found
}

/// Returns the processes that a process has started or inherited.
pub fn children(process: u32) -> Vec<Pid> {
    let process = i32::try_from(process).ok().and_then(|process| Process::new(process).ok());
    let tasks = process.and_then(|process| process.tasks().ok()).into_iter().flatten().flatten();
    let children = tasks.flat_map(|task| task.children().unwrap_or_default());
    children.filter_map(|child| Pid::from_raw(i32::try_from(child).ok()?)).collect()
}

/// A lock for tests that have children: a build kills all children of the process.
#[cfg(test)]
pub(crate) static CHILDREN: std::sync::Mutex<()> = std::sync::Mutex::new(());
