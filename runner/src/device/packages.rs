//! Packages of this system, and the commands that get them.

use std::{path::PathBuf, process::Command};

use thiserror::Error;

/// Error on installing a device.
#[derive(Debug, Error)]
pub enum InstallError {
    /// A program is missing or cannot be started.
    #[error("cannot run `{command}`: {source}")]
    Start {
        /// Command as it was run.
        command: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A command failed.
    #[error("`{command}` failed ({status}); its output above says why")]
    Failed {
        /// Command as it was run.
        command: String,
        /// Exit status of the command.
        status: std::process::ExitStatus,
    },
    /// A file or folder cannot be made.
    #[error("{}: {source}", .path.display())]
    File {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A root folder can be created, but no worker could run in it.
    #[error("a root folder cannot be entered here: `{command}`: {why}: {remedy}")]
    MayNotEnter {
        /// Command that failed.
        command: String,
        /// Output of the command.
        why: String,
        /// Advice to the user.
        remedy: &'static str,
    },
    /// The disk is full, or nearly.
    #[error(
        "{} needs about {needed} MiB, and {free} MiB are free there: make room, or name a folder \
         on another disk with `{variable}=DIR`", .root.display()
    )]
    NoRoom {
        /// The root folder.
        root: PathBuf,
        /// MiB it takes.
        needed: u64,
        /// MiB there are.
        free: u64,
        /// Names the folder.
        variable: &'static str,
    },
    /// This system takes its packages from somewhere else.
    #[error(
        "this system's package sources name no archive of Debian that has {release}: name one with \
         `{variable}=ADDRESS`"
    )]
    NoMirror {
        release: String,
        /// Names the archive.
        variable: &'static str,
    },
}

/// Installs the packages of this system that are missing.
pub(super) fn install_here(
    packages: &[String],
    say: &mut dyn FnMut(&str),
) -> Result<(), InstallError> {
    let missing: Vec<&str> =
        packages.iter().map(String::as_str).filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    run(&apt_get(&["update"]), say)?;
    run(&apt_get(&[&["install", "--yes", "--no-install-recommends"], &missing[..]].concat()), say)
}

/// Returns the words of a command that changes this system's packages.
pub(super) fn apt_get(arguments: &[&str]) -> Vec<String> {
    let root = rustix::process::geteuid().is_root();
    let program: &[&str] = if root { &["apt-get"] } else { &["sudo", "apt-get"] };
    program.iter().chain(arguments).map(|word| (*word).to_owned()).collect()
}

fn is_installed(package: &str) -> bool {
    let query = Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", package])
        .output();
    query.is_ok_and(|output| output.stdout == b"installed")
}

pub(super) fn run(words: &[String], say: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    let command = words.join(" ");
    say(&command);
    let status = Command::new(&words[0])
        .args(&words[1..])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(std::process::Stdio::null())
        // Standard output is for results.
        .stdout(std::io::stderr())
        .status()
        .map_err(|source| InstallError::Start { command: command.clone(), source })?;
    if status.success() { Ok(()) } else { Err(InstallError::Failed { command, status }) }
}
