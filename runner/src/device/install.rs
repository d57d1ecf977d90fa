//! Getting a device's packages: Debian's by `apt-get`, those of its other releases into a root folder, `PyPI`'s by `pip`
//! into a folder of their own.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use expectations::device::DeviceFile;
use thiserror::Error;

use super::{
    files::{BY_ICD, BY_PLATFORM},
    roots,
};

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
    /// A file or folder cannot be made.
    #[error("{}: {source}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A root folder can be made, and no worker would run in it.
    #[error("a root folder cannot be entered here: `{command}`: {why}: {remedy}")]
    MayNotEnter {
        /// What was tried.
        command: String,
        /// What it said.
        why: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The disk is full, or nearly.
    #[error(
        "{} takes about {needed} MiB and {free} MiB are free there: make room, or name a folder on another disk by `{}=DIR`", .root.display(), roots::FOLDER_VARIABLE
    )]
    NoRoom {
        /// The root folder.
        root: PathBuf,
        /// MiB it takes.
        needed: u64,
        /// MiB there are.
        free: u64,
    },
    /// This system takes its packages from somewhere else.
    #[error(
        "this system's package sources name no archive of Debian, which has {release}: name one by `{}=ADDRESS`",
        roots::MIRROR_VARIABLE
    )]
    NoMirror {
        /// The release.
        release: String,
    },
}

/// Where the `PyPI` packages of a device go.
pub fn folder(device: &str) -> PathBuf {
    Path::new("target").join("devices").join(device)
}

/// What to do about a device whose platform is not here.
pub fn remedy(device: &DeviceFile) -> String {
    match &device.install.by_hand {
        _ if device.release.is_some() => {
            let remedy = roots::missing(device).map(|missing| missing.remedy());
            remedy.unwrap_or_else(|| "its packages are there, and do not do".to_owned())
        }
        Some(what) => format!("install {what}"),
        // A platform that is reached by name alone comes with its driver.
        None if [BY_PLATFORM, BY_ICD].iter().any(|how| device.name.starts_with(how)) => {
            "install its driver, or name another".to_owned()
        }
        None if device.install.apt.is_empty() && device.install.pip.is_empty() => {
            format!("install it, and say under [install] in {} where it comes from", device.path)
        }
        None => format!("rerun with `--device {} --install`", device.name),
    }
}

/// Install what the device file names and is not here yet. Every command is told to `say` before it runs.
pub fn install(device: &DeviceFile, say: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    if device.release.is_some() {
        return roots::install(device, say);
    }
    install_here(&device.install.apt, say)?;
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
        // What has another hash than the device file says is not installed, nor is what it does not name.
        words.extend(
            ["--require-hashes", "--only-binary", ":all:", "--requirement"].map(str::to_owned),
        );
        let requirements = requirements(device)
            .map_err(|source| InstallError::Start { command: words.join(" "), source })?;
        words.push(requirements.path().display().to_string());
        for package in &device.install.pip {
            say(package.requirement());
        }
        run(&words, say)?;
        std::fs::rename(&partial, &target).map_err(|source| InstallError::Start {
            command: format!("mv {} {}", partial.display(), target.display()),
            source,
        })?;
    }
    Ok(())
}

/// Install packages of this system that are not here yet.
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

/// The words of a command that changes this system's packages.
pub(super) fn apt_get(arguments: &[&str]) -> Vec<String> {
    let root = rustix::process::geteuid().is_root();
    let program: &[&str] = if root { &["apt-get"] } else { &["sudo", "apt-get"] };
    program.iter().chain(arguments).map(|word| (*word).to_owned()).collect()
}

/// The device's `PyPI` packages as a file for pip, which takes hashes from nowhere else.
fn requirements(device: &DeviceFile) -> std::io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("requirements-").suffix(".txt").tempfile()?;
    for package in &device.install.pip {
        writeln!(file, "{}", package.requirement())?;
    }
    Ok(file)
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
        .status()
        .map_err(|source| InstallError::Start { command: command.clone(), source })?;
    if status.success() { Ok(()) } else { Err(InstallError::Failed { command, status }) }
}

#[cfg(test)]
mod tests {
    use expectations::device::load_device;

    use super::*;

    #[test]
    fn a_remedy_is_one_that_helps() {
        for (name, install, expected) in [
            ("pocl", "apt = [\"x\"]", "rerun with `--device pocl --install`"),
            ("nvidia", "apt = [\"x\"]\nby-hand = \"the driver\"", "install the driver"),
            ("platform:Clover", "", "install its driver, or name another"),
            ("ours", "", "install it, and say under [install] in d.toml where it comes from"),
        ] {
            let text = format!(
                "what = \"a device\"\nfront-end = \"none\"\n[device]\ntype = \"opencl\"\nplatform = \"p\"\n[install]\n{install}\n"
            );
            assert_eq!(remedy(&load_device(name, "d.toml", &text).unwrap()), expected);
        }
    }
}
