//! Device files: how a device is reached and installed, and what it is known to get wrong.

mod file;
mod kind;
mod names;
mod worker;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    baseline::Deviation,
    dialect::Dialect,
    implementation::{Identity, Version, VersionPattern},
    package::PinnedPackage,
    release::Release,
};

use file::RawInstance;
use names::instance_name;

pub use file::{load_device, name_in_file};
pub use kind::{AtBuild, CodeGeneration, DeviceKind, ModuleLanguage, Step};
pub use names::{INSTANCE, family, instance_names, is_device_name, lineage};
pub use worker::{FirstBatch, Place, Zygote, ZygoteWork};

/// One device, as its file describes it.
#[derive(Clone, Debug)]
pub struct DeviceFile {
    /// Name on the command line: the file's stem, or that of one of its instances, `pocl@sid`.
    pub name: String,
    /// The file's stem.
    pub family: String,
    /// The version that the driver reports; `None` before it was queried.
    pub driver: Option<String>,
    /// A sentence on what it is.
    pub what: String,
    /// Interface through which the device is driven.
    pub kind: DeviceKind,
    /// The front end inside; devices that share one count once in votes.
    pub front_end: String,
    /// Intermediate language that the front end emits.
    pub hands_on: HandsOn,
    /// Dialects it reports and cannot build even a good program in, each with what goes wrong.
    pub broken_dialects: Vec<(Dialect, String)>,
    /// Versions it builds programs of and does not report, each by one of its dialects, with how that is known.
    pub unreported_dialects: Vec<(Dialect, String)>,
    /// Failure that is known to affect the whole device on some machines.
    pub broken: Option<KnownFailure>,
    /// Packages that install the device.
    pub install: Install,
    /// Environment its worker runs in; `{install}` and `{scratch}` are filled in by the runner.
    pub environment: Vec<(String, String)>,
    /// Settings for forking workers from a process that has opened the device; `None` if each worker is started.
    pub zygote: Option<Zygote>,
    /// Number of cases in the first programs.
    pub first_batch: FirstBatch,
    /// Machine and root folder in which the worker runs.
    pub place: Place,
    /// The release of Debian in whose root folder its worker runs, where it is one.
    pub release: Option<String>,
    /// Instances in releases of Debian, by release.
    instances: BTreeMap<String, RawInstance>,
    /// File name of the driver's library, for instances in folders; `*` matches any text.
    library: Option<String>,
    /// Versions of the driver that the entries were confirmed with, here or in an instance; they never decide a match.
    pub confirmed: Vec<String>,
    /// Confirmed versions of the device itself, without those of its instances.
    own_confirmed: Vec<String>,
    /// Baseline entries.
    pub deviations: Vec<Deviation>,
    /// The file, for messages.
    pub path: String,
    /// Word that names the device on the command line, where it is not its name.
    pub typed: Option<String>,
    /// The pattern that finds the version in what the driver reports, where the first number in it is not the version.
    pub version_pattern: Option<VersionPattern>,
    /// Name that its file gives it.
    pub given_name: Option<String>,
    /// Whether its file declares a front end of its own, which the suite does not know.
    pub has_own_front_end: bool,
    /// Files that its entries come from, in the order in which they explain a case.
    pub sources: Vec<Source>,
    /// The compiler whose modules of SPIR-V the driver is given; `None` if it is given sources.
    pub through: Option<Box<Self>>,
}

/// A file that baseline entries come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Part that the file has in a judgement.
    pub role: SourceRole,
    /// The file, for messages.
    pub path: String,
    /// Text of the file.
    pub text: String,
}

/// The part that a file of entries has in a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceRole {
    /// The device's own file.
    Device,
    /// A baseline in the place of the entries of the device's own file.
    Baseline,
    /// A file of the suite on front ends.
    FrontEnd,
}

impl DeviceFile {
    /// Creates a device without a file: it has no baseline entries and default settings.
    pub fn without_file(name: &str, what: &str, front_end: String, kind: DeviceKind) -> Self {
        Self {
            name: name.to_owned(),
            family: name.to_owned(),
            driver: None,
            what: what.to_owned(),
            kind,
            front_end,
            hands_on: HandsOn::default(),
            broken_dialects: Vec::new(),
            unreported_dialects: Vec::new(),
            broken: None,
            install: Install::default(),
            environment: Vec::new(),
            zygote: None,
            first_batch: FirstBatch::default(),
            place: Place::default(),
            release: None,
            instances: BTreeMap::new(),
            library: None,
            confirmed: Vec::new(),
            own_confirmed: Vec::new(),
            deviations: Vec::new(),
            path: String::new(),
            typed: None,
            version_pattern: None,
            given_name: None,
            has_own_front_end: false,
            sources: Vec::new(),
            through: None,
        }
    }

    /// Returns the device with the word that names it on the command line.
    #[must_use]
    pub fn named_by(self, word: &str) -> Self {
        Self { typed: Some(word.to_owned()), ..self }
    }

    /// Takes a baseline in the place of the device's own entries; `is_of_suite` is whether the suite names the device.
    pub fn take_baseline(&mut self, baseline: Self, is_of_suite: bool) {
        self.deviations = baseline.deviations;
        self.sources.retain(|source| source.role == SourceRole::Device);
        let as_baseline = |source| Source { role: SourceRole::Baseline, ..source };
        self.sources.extend(baseline.sources.into_iter().map(as_baseline));
        // Entries of the baseline call the device as the baseline does.
        if let Some(name) = baseline.given_name.filter(|_| !is_of_suite) {
            self.family = name;
        }
        self.confirmed = baseline.confirmed;
    }

    /// Whether a user's file has entries of its own on the device, or none has.
    pub fn is_judged_by_a_user(&self, is_of_suite: bool) -> bool {
        !is_of_suite || self.sources.iter().any(|source| source.role == SourceRole::Baseline)
    }

    /// Returns the kind of the device whose front end judges programs: the compiler that makes the modules, or the
    /// device itself.
    pub fn front_kind(&self) -> &DeviceKind {
        self.through.as_ref().map_or(&self.kind, |producer| &producer.kind)
    }

    /// Returns the identity of the device, as far as it is known.
    pub fn identity(&self) -> Identity<'_> {
        Identity {
            device: &self.name,
            family: &self.family,
            driver: self.driver.as_deref(),
            front_end: &self.front_end,
            version_pattern: self.version_pattern.as_ref(),
        }
    }

    /// Returns the version in what the driver reports.
    pub fn version_in(&self, reported: &str) -> Option<Version> {
        Identity { driver: Some(reported), ..self.identity() }.version()
    }

    /// Returns the name of the device or instance on which an entry can be shown: the device itself, or else the first
    /// instance that the entry speaks of.
    pub fn shows(&self, deviation: &Deviation) -> String {
        let is_of = |device: &str, driver: Option<&str>| {
            deviation.is_of(&Identity { device, driver, ..self.identity() })
        };
        let in_instances = self.instances.iter().flat_map(|(release, instance)| {
            let versions = instance.confirmed.iter().map(|version| Some(version.as_str()));
            versions.map(|version| (instance_name(&self.family, release), version))
        });
        let here =
            self.own_confirmed.iter().map(|version| (self.name.clone(), Some(version.as_str())));
        let found = here.chain(in_instances).find(|(device, driver)| is_of(device, *driver));
        found.map_or_else(|| self.name.clone(), |(device, _)| device)
    }

    /// Returns the newest version of the driver that the entries of this device or instance were confirmed with; `None`
    /// if there is none.
    pub fn newest_confirmed(&self) -> Option<&str> {
        let release = self.name.split_once(INSTANCE).map(|(_, release)| release);
        let of_instance = release.and_then(|release| self.instances.get(release));
        let confirmed = of_instance.map_or(&self.own_confirmed, |instance| &instance.confirmed);
        confirmed.last().map(String::as_str)
    }

    /// Returns the names of the instances.
    pub fn instances(&self) -> impl Iterator<Item = String> {
        self.instances.keys().map(|release| instance_name(&self.family, release))
    }

    /// Returns the instance in a release of Debian: the packages of that release in a root folder of its own. `None`
    /// where the file names no such instance.
    pub fn in_release(&self, release: &str) -> Option<Self> {
        let instance = self.instances.get(release)?.clone();
        let what = instance.what.unwrap_or_else(|| format!("{} (Debian {release})", self.what));
        let broken_dialects = instance.broken_dialects.map(|dialects| {
            let known = dialects.into_iter();
            known.filter_map(|(name, why)| Some((Dialect::from_name(&name)?, why))).collect()
        });
        Some(Self {
            name: instance_name(&self.family, release),
            what,
            kind: instance.device.unwrap_or_else(|| self.kind.clone()),
            front_end: instance.front_end.unwrap_or_else(|| self.front_end.clone()),
            release: Some(release.to_owned()),
            broken_dialects: broken_dialects.unwrap_or_else(|| self.broken_dialects.clone()),
            // What is broken is broken on this system.
            broken: None,
            install: Install {
                apt: instance.apt.unwrap_or_else(|| self.install.apt.clone()),
                ..Install::default()
            },
            environment: joined(&self.environment, instance.environment),
            // Another version has other threads.
            zygote: instance.zygote.map(Zygote::from),
            // Another cost.
            first_batch: instance.first_batch.unwrap_or_default(),
            ..self.clone()
        })
    }

    /// Returns the instance that is one release of the driver.
    #[must_use]
    pub fn of_release(&self, release: &Release) -> Self {
        Self {
            name: instance_name(&self.family, &release.number),
            what: format!("{} (release {})", self.what, release.number),
            // What is broken is broken in the release that the file installs.
            broken: None,
            install: Install { pip: release.pip.clone(), ..self.install.clone() },
            first_batch: FirstBatch::default(),
            ..self.clone()
        }
    }

    /// Returns the instance whose driver is below a folder. `None` if the file does not name the library.
    pub fn in_folder(&self, folder: &str) -> Option<Self> {
        let DeviceKind::Opencl { platform, generates_code, .. } = &self.kind else { return None };
        let icd = format!("{}/*{}", folder.trim_end_matches('/'), self.library.as_ref()?);
        Some(Self {
            name: instance_name(&self.family, folder),
            what: format!("{} (from {folder})", self.what),
            kind: DeviceKind::Opencl {
                platform: platform.clone(),
                icd: Some(icd),
                generates_code: *generates_code,
            },
            broken: None,
            install: Install {
                by_hand: Some(format!("a driver below {folder}")),
                ..Install::default()
            },
            first_batch: FirstBatch::default(),
            ..self.clone()
        })
    }

    /// Whether the entries were confirmed with the version that a driver reports. A file that names no versions is
    /// never unconfirmed.
    pub fn is_confirmed_with(&self, reported: &str) -> bool {
        let names = |confirmed: &String| {
            let part_of_a_number = |c: char| c.is_ascii_digit();
            reported.match_indices(confirmed.as_str()).any(|(start, _)| {
                let (before, after) = (&reported[..start], &reported[start + confirmed.len()..]);
                let mut following = after.chars();
                let goes_on = match following.next() {
                    Some('.') => following.next().is_some_and(part_of_a_number),
                    next => next.is_some_and(part_of_a_number),
                };
                !goes_on && !before.ends_with(|c: char| part_of_a_number(c) || c == '.')
            })
        };
        self.confirmed.is_empty() || self.confirmed.iter().any(names)
    }

    /// Returns a folder name that no other device has. Characters that some file system rejects or interprets
    /// become `-`.
    pub fn folder_name(&self) -> String {
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let name: String = self.name.chars().map(|c| if safe(c) { c } else { '-' }).collect();
        let name = name.trim_start_matches(['.', '-']);
        name.strip_suffix(".toml").unwrap_or(name).to_owned()
    }
}

/// Returns environment variables with others added or replaced.
fn joined(
    variables: &[(String, String)],
    others: BTreeMap<String, String>,
) -> Vec<(String, String)> {
    let mut joined: BTreeMap<String, String> = variables.iter().cloned().collect();
    joined.extend(others);
    joined.into_iter().collect()
}

/// Intermediate language that a front end emits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HandsOn {
    /// LLVM's own intermediate language.
    #[default]
    LlvmIr,
    /// SPIR-V, as the translator makes it of that.
    SpirV,
}

/// A device that is known not to work on some machines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFailure {
    /// Text that the known failure prints.
    pub says: String,
    /// Machines on which the device fails, and the reason.
    pub reason: String,
}

/// Packages that install a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Install {
    /// Debian packages.
    #[serde(default)]
    pub apt: Vec<String>,
    /// `PyPI` packages, installed into a folder: all that are needed, those that others need too.
    #[serde(default)]
    pub pip: Vec<PinnedPackage>,
    /// Instructions for a person, where no package manager can install it.
    #[serde(default)]
    pub by_hand: Option<String>,
}

#[cfg(test)]
mod tests;
