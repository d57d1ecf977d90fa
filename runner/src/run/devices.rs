//! Devices of a run: those that are named, or all that are on this machine.

use std::{mem, path::Path};

use expectations::{
    device::{DeviceFile, DeviceKind},
    package::PinnedPackage,
};
use results::text::one_line;

use crate::{
    device::{
        Capabilities, DeviceFacts,
        files::{self, BY_PLATFORM, given_modules_of},
        install, lineage, roots,
    },
    engine::{self, Cancel, Config, EngineError, Event, WorkerCommand},
    interrupts,
    output::note,
    run::{
        error::RunError,
        plan::{Builds, Devices, RunPlan},
    },
};

/// End of a name that stands for every version of a device.
const EVERY_VERSION: &str = "@*";

/// The devices of a run.
pub struct ChosenDevices {
    /// In the order they are run.
    pub devices: Vec<DeviceFile>,
    pub breadth: Breadth,
}

/// Number of devices that a plan names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breadth {
    /// One: its error ends the run.
    One,
    /// Several: the results of each have a folder of their own, and the others are run where one fails.
    Several,
    /// All, like several: those that are not on this machine are listed, not an error.
    All,
}

/// Returns the devices of a plan as [`choose`] does, each given the modules of the compiler that the plan names.
pub fn choose_of_plan(plan: &RunPlan) -> Result<ChosenDevices, RunError> {
    let mut chosen = choose(&plan.devices)?;
    if let Some(compiler) = &plan.through {
        if plan.bless {
            let message = "`--bless` does not write entries for runs through a compiler: write \
                 them by hand, with `through = [...]`";
            return Err(RunError::Usage(message.to_owned()));
        }
        let given = chosen.devices.into_iter().map(|device| given_modules_of(device, compiler));
        chosen.devices = given.collect::<Result<_, _>>()?;
    }
    Ok(chosen)
}

/// Returns the device files of a plan's devices, with the baseline that the plan names.
pub fn choose(devices: &Devices) -> Result<ChosenDevices, RunError> {
    let names = match devices {
        Devices::All => all_names()?,
        Devices::Named(names) => with_versions(names)?,
        Devices::Judged { name, .. } | Devices::New { name, .. } => vec![name.clone()],
    };
    let breadth = match devices {
        Devices::All => Breadth::All,
        _ if names.len() > 1 => Breadth::Several,
        _ => Breadth::One,
    };
    let mut files = Vec::new();
    for name in &names {
        let mut device = files::load(name)?;
        match devices {
            Devices::Judged { baseline, .. } => {
                let baseline = files::load_baseline(&device.name, baseline)?;
                let is_of_suite = files::is_name_of_suite(&device.name)?;
                device.take_baseline(baseline, is_of_suite);
            }
            // Nothing is known yet of the device itself: all that is found is written.
            Devices::New { .. } => device.deviations.clear(),
            Devices::All | Devices::Named(_) => {}
        }
        if let Some(other) = files.iter().find(|other: &&DeviceFile| other.name == device.name) {
            return Err(RunError::Usage(format!(
                "{} and {} are both called {}: rename one with `name = \"NAME\"` at the beginning \
                 of its file",
                other.typed.as_ref().unwrap_or(&other.name),
                name,
                device.name
            )));
        }
        files.push(device);
    }
    Ok(ChosenDevices { devices: files, breadth })
}

/// Returns the names with each `NAME@*` replaced by every version of that device, the oldest first.
fn with_versions(names: &[String]) -> Result<Vec<String>, RunError> {
    let mut all = Vec::new();
    for name in names {
        match name.strip_suffix(EVERY_VERSION) {
            Some(device) => {
                let versions = lineage::versions(&files::load(device)?)?;
                all.extend(versions.into_iter().map(|version| version.name));
            }
            None => all.push(name.clone()),
        }
    }
    Ok(all)
}

/// Returns every device with a file, and every platform on this machine that has none.
pub fn all_names() -> Result<Vec<String>, RunError> {
    let mut names = files::names()?;
    let mut claimed = Vec::new();
    for name in &names {
        if let DeviceKind::Opencl { platform, .. } = files::load(name)?.kind {
            claimed.push(platform);
        }
    }
    let mut unclaimed = engine::platforms(&opening(Path::new(""))?, &interrupts::cancel());
    unclaimed.retain(|platform| !claimed.contains(platform));
    unclaimed.sort();
    unclaimed.dedup();
    names.extend(unclaimed.into_iter().map(|platform| format!("{BY_PLATFORM}{platform}")));
    Ok(names)
}

/// Returns the device of a command that works on one.
pub fn choose_one(devices: &Devices) -> Result<DeviceFile, RunError> {
    match <[DeviceFile; 1]>::try_from(choose(devices)?.devices) {
        Ok([device]) => Ok(device),
        Err(_) => Err(RunError::Usage("this works on one device: name one".to_owned())),
    }
}

/// Whether an error means that a device is not on this machine.
pub fn is_absent(error: &RunError) -> bool {
    matches!(
        error,
        RunError::Engine(
            EngineError::LoaderMissing { .. }
                | EngineError::PlatformMissing { .. }
                | EngineError::ProgramMissing { .. }
                | EngineError::LibraryMissing { .. }
                | EngineError::NoDevice { .. }
        ) | RunError::NotInstalled { .. }
    )
}

/// Returns the reason why a device is known to fail on a machine like this one, where the error is the known one.
pub fn known_broken<'d>(device: &'d DeviceFile, error: &RunError) -> Option<&'d str> {
    let broken = device.broken.as_ref()?;
    error.to_string().contains(&broken.says).then_some(broken.reason.as_str())
}

/// Returns how to get a device that is not on this machine.
pub fn how_to_get(device: &DeviceFile) -> Option<String> {
    if let Some(what) = &device.install.by_hand {
        return Some(format!("installing {what}"));
    }
    let apt = device.install.apt.iter().map(String::as_str);
    let pip = device.install.pip.iter().map(PinnedPackage::name_and_version);
    let packages: Vec<&str> = apt.chain(pip).collect();
    let command = format!("`address-spaces --device {} --install`", device.name);
    if let Some(release) = &device.release {
        let packages = packages.join(", ");
        return Some(format!("{command} ({packages} of Debian {release}, in a root folder)"));
    }
    (!packages.is_empty()).then(|| format!("{command} ({})", packages.join(", ")))
}

/// Returns the engine's configuration for a device.
pub fn config(builds: &Builds, device: &DeviceFile) -> Result<Config, RunError> {
    reject_missing(device)?;
    Ok(Config {
        workers: builds.workers,
        isolate: builds.isolate,
        build_timeout: builds.timeout,
        memory_limit: Some(builds.memory << 20),
        retries: builds.retries,
        laws: builds.laws,
        first_batch: device.first_batch,
        ..Config::new(worker()?, install::folder(&device.folder_name()))
    })
}

/// Returns the engine's configuration for building one program at a time on a device.
pub fn config_of_one(device: &DeviceFile) -> Result<Config, RunError> {
    reject_missing(device)?;
    Ok(Config { isolate: true, ..opening(&install::folder(&device.folder_name()))? })
}

/// Rejects a device whose root folder is missing: this would otherwise look like a failure of the driver.
fn reject_missing(device: &DeviceFile) -> Result<(), RunError> {
    for device in [Some(device), device.through.as_deref()].into_iter().flatten() {
        if let Some(missing) = roots::missing(device) {
            let (device, remedy) = (device.name.clone(), missing.remedy());
            return Err(RunError::NotInstalled { device, remedy });
        }
    }
    Ok(())
}

/// Returns the configuration that opens a device and builds nothing.
fn opening(install_folder: &Path) -> Result<Config, RunError> {
    Ok(Config { workers: 1, ..Config::new(worker()?, install_folder.to_owned()) })
}

fn worker() -> Result<WorkerCommand, RunError> {
    WorkerCommand::this_program(vec!["worker".into()])
        .map_err(|source| RunError::File { path: "the running program".to_owned(), source })
}

/// Opens a device without building anything and returns its facts; `None` if it does not report its capabilities.
pub fn facts(device: &DeviceFile, cancel: &Cancel) -> Result<Option<DeviceFacts>, RunError> {
    reject_missing(device)?;
    let config = opening(&install::folder(&device.folder_name()))?;
    let mut facts = None;
    engine::run(device, &[], &config, cancel, &mut |event| {
        if let Event::Opened(opened) = event {
            facts = Some(*opened);
        }
    })?;
    Ok(facts)
}

/// A device, and what it reports about itself.
pub struct ReportedDevice {
    /// With the front end and the version it reports, where it does, in place of those its file names.
    pub device: DeviceFile,
    /// Capabilities of the device; `None` if it does not report them.
    pub capabilities: Option<Capabilities>,
}

/// Installs a device where the plan says so, opens it and returns it with the version that it reports.
pub fn open(
    plan: &RunPlan,
    device: DeviceFile,
    cancel: &Cancel,
) -> Result<ReportedDevice, RunError> {
    if plan.install {
        for device in [Some(&device), device.through.as_deref()].into_iter().flatten() {
            install::install(device, &mut |command| note(&format!("installing: {command}")))?;
        }
    }
    as_reported(device, cancel)
}

/// Opens a device and returns it with the version that it reports.
pub fn as_reported(device: DeviceFile, cancel: &Cancel) -> Result<ReportedDevice, RunError> {
    let facts = match facts(&device, cancel) {
        Err(error) => return Err(wrong_platform(&device, cancel).unwrap_or(error)),
        Ok(facts) => facts,
    };
    let capabilities = facts.map(|DeviceFacts { capabilities, .. }| capabilities);
    let front_end = capabilities.as_ref().and_then(Capabilities::reported_front_end);
    // The front end of a driver that is given modules is another one's.
    let front_end = front_end.filter(|_| device.through.is_none());
    let front_end = front_end.unwrap_or_else(|| device.front_end.clone());
    let driver = capabilities.as_ref().map(|capabilities| capabilities.driver_version.clone());
    let device = files::as_reported(device, front_end, driver.unwrap_or_default())?;
    Ok(ReportedDevice { device, capabilities })
}

/// Returns the error on a device file that gives the platform of its driver a name that the driver does not use; `None`
/// if that is not the problem.
fn wrong_platform(device: &DeviceFile, cancel: &Cancel) -> Option<RunError> {
    let mut any = device.clone();
    let DeviceKind::Opencl { platform, icd: Some(_), .. } = &mut any.kind else { return None };
    let wanted = mem::take(platform);
    if wanted.is_empty() {
        return None;
    }
    let platform = facts(&any, cancel).ok()??.capabilities.platform;
    if platform.contains(&wanted) {
        return None;
    }
    let path = device.sources.first().map_or(device.path.as_str(), |source| &source.path);
    Some(RunError::Usage(format!(
        "{}: the driver has no platform called `{}`, only `{}`: write `platform = {:?}`",
        one_line(path, 200),
        one_line(&wanted, 80),
        one_line(&platform, 80),
        one_line(&platform, 80),
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_known_failure_is_known() {
        let device = files::load("pocl-3.0").unwrap();
        let error = |reason: &str| {
            RunError::Engine(EngineError::SelfCheck {
                device: device.name.clone(),
                reason: reason.to_owned(),
            })
        };
        assert!(known_broken(&device, &error("error: unknown target CPU 'generic'")).is_some());
        assert!(known_broken(&device, &error("rejects a known-good program")).is_none());
        assert!(!is_absent(&error("unknown target CPU 'generic'")));
    }
}
