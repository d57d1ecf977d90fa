//! Getting a device's packages: Debian's by `apt-get`, those of its other releases into a root folder, `PyPI`'s by
//! `pip` into a folder of their own.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use expectations::device::DeviceFile;

pub use super::packages::InstallError;
use super::{
    files::{BY_ICD, BY_PLATFORM},
    packages::{install_here, run},
    places, roots,
};

/// Returns the folder of a device's `PyPI` packages.
pub fn folder(device: &str) -> PathBuf {
    places::installed().join(device)
}

/// Returns advice about a device whose platform is missing.
pub fn remedy(device: &DeviceFile) -> String {
    match &device.install.by_hand {
        _ if device.release.is_some() => {
            let remedy = roots::missing(device).map(|missing| missing.remedy());
            remedy.unwrap_or_else(|| "its packages are installed but do not work".to_owned())
        }
        Some(what) => format!("install {what}"),
        // A platform that is reached only by name comes with its driver.
        None if [BY_PLATFORM, BY_ICD].iter().any(|how| device.name.starts_with(how)) => {
            "install its driver, or name another".to_owned()
        }
        None if device.install.apt.is_empty() && device.install.pip.is_empty() => {
            format!("install it, and add its source under [install] in {}", device.path)
        }
        None => format!("rerun with `--device {} --install`", device.name),
    }
}

/// Whether `--install` brings all that the device needs.
pub fn brings(device: &DeviceFile) -> bool {
    let install = &device.install;
    install.by_hand.is_none() && !(install.apt.is_empty() && install.pip.is_empty())
}

/// Installs the packages that the device file names and that are missing. Every command is passed to `say` before it
/// runs.
pub fn install(device: &DeviceFile, say: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    if device.release.is_some() {
        return roots::install(device, say);
    }
    install_here(&device.install.apt, say)?;
    let target = folder(&device.folder_name());
    if !device.install.pip.is_empty() && !target.exists() {
        // Into a folder beside it first: an interrupted install must not look like a finished one.
        let partial = partial(&target);
        // A folder given as `--target` would lose the libraries: pip copies a package's `lib` only to a prefix.
        let mut words: Vec<String> =
            ["python3", "-m", "pip", "install", "--ignore-installed", "--prefix"]
                .map(str::to_owned)
                .to_vec();
        words.push(partial.display().to_string());
        // Packages with a different hash from the device file's are not installed, nor are packages that it does not
        // name.
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

/// Returns the folder that a device's packages are in until all of them are there. A release has dots in its name.
fn partial(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// Writes the device's `PyPI` packages into a file for pip, which accepts hashes only from a file.
fn requirements(device: &DeviceFile) -> std::io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("requirements-").suffix(".txt").tempfile()?;
    for package in &device.install.pip {
        writeln!(file, "{}", package.requirement())?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use expectations::device::load_device;

    use super::*;

    #[test]
    fn releases_are_installed_apart() {
        let [one, other] = ["x-2026.1.1", "x-2026.1.2"].map(|name| partial(Path::new(name)));
        assert_ne!(one, other);
        assert_ne!(one, Path::new("x-2026.1.1"));
    }

    #[test]
    fn a_remedy_is_one_that_helps() {
        for (name, install, expected) in [
            ("pocl", "apt = [\"x\"]", "rerun with `--device pocl --install`"),
            ("nvidia", "apt = [\"x\"]\nby-hand = \"the driver\"", "install the driver"),
            ("platform:Clover", "", "install its driver, or name another"),
            ("ours", "", "install it, and add its source under [install] in d.toml"),
        ] {
            let text = format!(
                "what = \"a device\"\nfront-end = \"none\"\n[device]\ntype = \"opencl\"\nplatform = \"p\"\n[install]\n{install}\n"
            );
            assert_eq!(remedy(&load_device(name, "d.toml", &text).unwrap()), expected);
        }
    }
}
