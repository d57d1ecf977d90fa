//! Getting a device's packages: Debian's by `apt-get`, `PyPI`'s by `pip` into a folder of their own.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use expectations::device::DeviceFile;
use thiserror::Error;

/// Why a device could not be installed.
#[derive(Debug, Error)]
pub enum InstallError {
    /// A program is missing or cannot be started.
    #[error("cannot run `{command}`: {source}")]
    Start {
        /// As typed.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// A command failed.
    #[error("`{command}` failed ({status}); its output above says why")]
    Failed {
        /// As typed.
        command: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
}

/// Where the `PyPI` packages of a device go.
pub fn folder(device: &str) -> PathBuf {
    Path::new("target").join("devices").join(device)
}

/// Install what the device file names and is not here yet. Every command is told to `say` before it runs.
pub fn install(device: &DeviceFile, say: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    let missing: Vec<&str> = device
        .install
        .apt
        .iter()
        .map(String::as_str)
        .filter(|package| !is_installed(package))
        .collect();
    if !missing.is_empty() {
        let root = rustix::process::geteuid().is_root();
        let apt = |arguments: &[&str]| {
            let mut words = if root { vec!["apt-get"] } else { vec!["sudo", "apt-get"] };
            words.extend(arguments);
            words.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        run(&apt(&["update"]), say)?;
        let mut words = apt(&["install", "--yes", "--no-install-recommends"]);
        words.extend(missing.into_iter().map(str::to_owned));
        run(&words, say)?;
    }
    let target = folder(&device.folder_name());
    if !device.install.pip.is_empty() && !target.exists() {
        // Into a folder beside it first: an interrupted install must not look like a finished one.
        let partial = target.with_extension("partial");
        // A folder given as `--target` would lose the libraries: pip copies a package's `lib` only to a prefix.
        let mut words: Vec<String> =
            ["python3", "-m", "pip", "install", "--ignore-installed", "--prefix"]
                .map(str::to_owned)
                .to_vec();
        words.push(partial.display().to_string());
        words.extend(device.install.pip.iter().cloned());
        run(&words, say)?;
        std::fs::rename(&partial, &target).map_err(|source| InstallError::Start {
            command: format!("mv {} {}", partial.display(), target.display()),
            source,
        })?;
    }
    Ok(())
}

fn is_installed(package: &str) -> bool {
    let query = Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", package])
        .output();
    query.is_ok_and(|output| output.stdout == b"installed")
}

fn run(words: &[String], say: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    let command = words.join(" ");
    say(&command);
    let status = Command::new(&words[0])
        .args(&words[1..])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(std::process::Stdio::null())
        .status()
        .map_err(|source| InstallError::Start { command: command.clone(), source })?;
    if status.success() { Ok(()) } else { Err(InstallError::Failed { command, status }) }
}
