//! Device files: how a device is reached and installed, and what it is known to get wrong.

use std::{collections::BTreeMap, num::NonZero};

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::{
    baseline::{Deviation, LineCounter, Owner, RawDeviation, deviation, dialect},
    dialect::Dialect,
    front_end,
    implementation::{Identity, Version, VersionPattern, number},
    load::{FileError, from_toml, place, prompt},
    located,
    package::PinnedPackage,
    release::Release,
    requirement::Requirement,
};

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

/// Returns the name of an instance, such as `pocl@sid`.
fn instance_name(family: &str, place: &str) -> String {
    format!("{family}{INSTANCE}{place}")
}

/// Character between the name of a device and the origin of its instance.
pub const INSTANCE: char = '@';

/// Returns the device that an instance belongs to: `pocl` for `pocl@sid`, and for `pocl`.
pub fn family(name: &str) -> &str {
    name.split_once(INSTANCE).map_or(name, |(family, _)| family)
}

/// Returns the lineage of a device: its family without a version number at the end. It is `clang` for `clang-19`, and
/// `pocl` for `pocl@sid` and `pocl-3.0`.
pub fn lineage(name: &str) -> &str {
    let family = family(name);
    let is_version =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    match family.rsplit_once('-') {
        Some((line, version)) if !line.is_empty() && is_version(version) => line,
        _ => family,
    }
}

/// Returns the instances that a device file names, without checking the rest of the file; none if it cannot be
/// parsed.
pub fn instance_names(family: &str, text: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Instances {
        #[serde(default)]
        instance: toml::Table,
    }
    let instances = toml::from_str(text).map(|Instances { instance }| instance);
    instances.unwrap_or_default().keys().map(|release| instance_name(family, release)).collect()
}

/// Settings of an instance in a release of Debian that differ from those of the device.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawInstance {
    what: Option<String>,
    /// The front end inside there, where it is another.
    front_end: Option<String>,
    device: Option<DeviceKind>,
    /// Debian packages of the instance.
    apt: Option<Vec<String>>,
    broken_dialects: Option<BTreeMap<String, String>>,
    /// Environment variables that are added to those of the device, or replace them.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    zygote: Option<RawZygote>,
    first_batch: Option<FirstBatch>,
    /// The versions of the driver there that the entries were confirmed with.
    #[serde(default)]
    confirmed: Vec<String>,
}

/// Number of cases in the first programs of a run. The cost of each program decides how many the next ones have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FirstBatch {
    /// Number of cases in a program that is built.
    pub built: NonZero<u16>,
    /// Number of cases in a program whose kernels are launched. Their code and their execution take most of the time,
    /// and a driver may compile the whole program anew for each kernel.
    pub launched: NonZero<u16>,
}

impl Default for FirstBatch {
    fn default() -> Self {
        const { Self { built: NonZero::new(200).unwrap(), launched: NonZero::new(16).unwrap() } }
    }
}

/// A process that has opened the device and built a program, and is forked for each worker after the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zygote {
    /// Environment variables besides those of every worker; they make the driver open the device on a single thread.
    pub environment: Vec<(String, String)>,
    /// Number of the driver's idle threads that a fork leaves behind: neither builds nor launches need them.
    pub idle_threads: usize,
    /// Work that the forked workers do.
    pub work: ZygoteWork,
}

/// Work that a forked worker does; a started worker does everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZygoteWork {
    /// The same work as a started worker.
    #[default]
    Everything,
    /// Builds, and launches that only generate code; probes are executed by a started worker.
    Builds,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawZygote {
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    idle_threads: usize,
    #[serde(default)]
    work: ZygoteWork,
}

impl From<RawZygote> for Zygote {
    fn from(raw: RawZygote) -> Self {
        let RawZygote { environment, idle_threads, work } = raw;
        Self { environment: environment.into_iter().collect(), idle_threads, work }
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

/// Machine and root folder in which a device's worker runs; this machine by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// A command that leads elsewhere and carries standard input and output.
    pub via: Vec<String>,
    /// The worker's program there.
    pub worker: Option<String>,
    /// The folder that is its root.
    pub root: Option<String>,
}

impl Place {
    /// Whether files of this machine, as they are named here, are none of the worker's.
    pub fn is_elsewhere(&self) -> bool {
        !self.via.is_empty() || self.root.is_some()
    }
}

/// Interface through which a device is driven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum DeviceKind {
    /// Our own front end, in the process.
    Checker,
    /// A platform behind the `OpenCL` loader.
    Opencl {
        /// Part of the platform's name.
        platform: String,
        /// The ICD: a file name under `/etc/OpenCL/vendors` or a library path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        icd: Option<String>,
        /// When it generates code.
        #[serde(default, skip_serializing_if = "CodeGeneration::is_at_launch")]
        generates_code: CodeGeneration,
    },
    /// A command-line compiler.
    Command {
        /// Program and arguments; `{file}`, `{std}` and `{features}` are replaced.
        command: Vec<String>,
        /// Program and arguments that print the version.
        version: Vec<String>,
        /// Exit statuses from 126 on by which it rejects a program; others are those of programs that died or were
        /// never started.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rejects_with: Vec<i32>,
        /// Steps that generate code of a valid program which the compiler accepts, in this order and in the same
        /// scratch folder. Invalid programs are judged only by the compiler.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        then: Vec<Step>,
        /// Whether the compiler generates code itself, without further steps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generates_code: Option<AtBuild>,
        /// Program and arguments that print what the device has; `{query}` is replaced by the name that the host's
        /// interface has for it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        query: Vec<String>,
        /// The dialects that the switches of a compiler select, if it can neither be queried nor given each feature. If
        /// none is named, the versions that it accepts are found by trying.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dialects: Vec<String>,
        /// Requirements its target does not meet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lacks: Vec<Requirement>,
        /// Language of the modules that it emits, where these are compared with the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        emits: Option<ModuleLanguage>,
        /// Steps that translate its SPIR-V back to LLVM IR, which the last one writes to `{scratch}/kernel.ll`. Only
        /// `dev lower --back` runs them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        back: Vec<Step>,
    },
    /// AMD's compiler as a library, `libamd_comgr`.
    Comgr {
        /// The library: a path, or a name that the system's loader finds.
        library: String,
        /// Names of instruction sets, as `amdgcn-amd-amdhsa--gfx1100`: code is generated for each.
        isas: Vec<String>,
        /// Options of the front end; `{std}` and `{features}` are replaced.
        options: Vec<String>,
        /// Options of the back end.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        code_options: Vec<String>,
        /// The dialects it is made for, where its front end takes more; where none is named it is tried which versions
        /// it takes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dialects: Vec<String>,
        /// Requirements its targets do not meet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lacks: Vec<Requirement>,
    },
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

/// When a device generates code of a program that its front end took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodeGeneration {
    /// When the program is built: what is accepted has code.
    AtBuild,
    /// When a kernel is launched.
    #[default]
    AtLaunch,
    /// Never: the device interprets programs, or only judges them.
    Never,
}

impl CodeGeneration {
    // The shape that serde asks for.
    #[expect(clippy::trivially_copy_pass_by_ref)]
    const fn is_at_launch(&self) -> bool {
        matches!(self, Self::AtLaunch)
    }
}

/// The only statement that a compiler's file may make about its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtBuild {
    /// See [`CodeGeneration::AtBuild`].
    AtBuild,
}

/// A back end, translator or validator after a command-line compiler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Step {
    /// Name of the step in details of outcomes, such as `spirv-val`.
    pub name: String,
    /// Program and arguments; `{file}` and `{scratch}` are replaced, `{std}` and `{features}` as in the compiler's.
    pub command: Vec<String>,
    /// Exit statuses from 126 on by which it rejects a program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejects_with: Vec<i32>,
}

impl Step {
    /// Checks the name, which begins details and shapes and is followed by a colon there, and the command.
    fn check(&self, path: &str, text: &str) -> Result<(), FileError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || " -+._".contains(c);
        let message = if self.name.trim().is_empty() || !self.name.chars().all(plain) {
            let name = self.name.escape_debug();
            format!(
                "`{name}` is not a valid name of a step: name it in letters, digits, spaces and \
                 `-+._`, as `spirv-val`"
            )
        } else if self.command.is_empty() {
            format!("the command of the step `{}` is empty: name a program", self.name)
        } else {
            return Ok(());
        };
        let offset = located::offset(text, located::Part::Words(["name", &self.name])).unwrap_or(0);
        Err(place(path, text, offset, message))
    }
}

impl DeviceKind {
    /// Returns the steps after a command-line compiler.
    fn steps(&self) -> &[Step] {
        match self {
            Self::Command { then, .. } => then,
            Self::Checker | Self::Opencl { .. } | Self::Comgr { .. } => &[],
        }
    }

    /// Returns the further steps and those of the way back.
    fn every_step(&self) -> impl Iterator<Item = &Step> {
        let back: &[Step] = match self {
            Self::Command { back, .. } => back,
            Self::Checker | Self::Opencl { .. } | Self::Comgr { .. } => &[],
        };
        self.steps().iter().chain(back)
    }

    /// Returns the language of the modules that the device emits, where these are compared with the text.
    pub const fn emits(&self) -> Option<ModuleLanguage> {
        match self {
            Self::Command { emits, .. } => *emits,
            Self::Checker | Self::Opencl { .. } | Self::Comgr { .. } => None,
        }
    }

    /// Returns the number of the further step that writes a module of this language.
    pub fn writer_of(&self, language: ModuleLanguage) -> Option<usize> {
        let writes = |words: &[String]| matches!(words, [flag, file] if flag == "-o" && file == language.file());
        self.steps().iter().position(|step| step.command.windows(2).any(writes))
    }

    /// Returns the compiler whose modules are the SPIR-V of this one, translated back to LLVM IR; `None` if the device
    /// file has no steps for that.
    pub fn translated_back(&self) -> Option<Self> {
        let last = self.writer_of(ModuleLanguage::Spirv)?;
        let mut kind = self.clone();
        let Self::Command { then, emits, back, .. } = &mut kind else { return None };
        then.truncate(last + 1);
        then.append(back);
        *emits = Some(ModuleLanguage::LlvmIr);
        kind.writer_of(ModuleLanguage::LlvmIr).map(|_| kind)
    }

    /// Whether further steps after the front end generate code without launching a kernel.
    pub fn has_steps(&self) -> bool {
        matches!(self, Self::Comgr { .. }) || !self.steps().is_empty()
    }

    /// Returns when the device generates code. A compiler with further steps generates it in these.
    pub fn code_generation(&self) -> CodeGeneration {
        match self {
            Self::Opencl { generates_code, .. } => *generates_code,
            Self::Command { generates_code: Some(AtBuild::AtBuild), .. } => CodeGeneration::AtBuild,
            kind if kind.has_steps() => CodeGeneration::AtBuild,
            Self::Checker | Self::Command { .. } | Self::Comgr { .. } => CodeGeneration::Never,
        }
    }
}

/// The form in which a compiler emits code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleLanguage {
    /// LLVM IR as text: one of the further steps writes it to `{scratch}/kernel.ll`, or else the command with other
    /// options in place of `-fsyntax-only`.
    LlvmIr,
    /// SPIR-V, which one of the further steps writes to `{scratch}/kernel.spv`.
    Spirv,
}

impl ModuleLanguage {
    /// Returns the file that a step writes a module of this language to.
    pub const fn file(self) -> &'static str {
        match self {
            Self::LlvmIr => "{scratch}/kernel.ll",
            Self::Spirv => "{scratch}/kernel.spv",
        }
    }
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawDeviceFile {
    name: Option<Spanned<String>>,
    driver_version: Option<Spanned<String>>,
    what: String,
    device: DeviceKind,
    /// By the other name where no other device has it; see [`crate::front_end`].
    #[serde(alias = "own-front-end")]
    front_end: String,
    #[serde(default)]
    hands_on: HandsOn,
    #[serde(default)]
    via: Vec<String>,
    worker: Option<Spanned<String>>,
    root: Option<Spanned<String>>,
    release: Option<Spanned<String>>,
    #[serde(default)]
    instance: BTreeMap<Spanned<String>, RawInstance>,
    library: Option<String>,
    #[serde(default)]
    broken_dialects: BTreeMap<Spanned<String>, String>,
    #[serde(default)]
    unreported_dialects: BTreeMap<Spanned<String>, String>,
    broken: Option<KnownFailure>,
    #[serde(default)]
    install: Install,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    zygote: Option<Spanned<RawZygote>>,
    #[serde(default)]
    first_batch: FirstBatch,
    #[serde(default)]
    confirmed: Vec<String>,
    #[serde(default)]
    deviation: Vec<RawDeviation>,
}

/// Reads the device file of the device `name`.
pub fn load_device(name: &str, path: &str, text: &str) -> Result<DeviceFile, FileError> {
    let raw: RawDeviceFile = from_toml(path, text)?;
    let platform = match &raw.device {
        DeviceKind::Opencl { platform, .. } => Some(platform),
        _ => None,
    };
    let texts = [
        ("what", Some(&raw.what)),
        ("front-end", Some(&raw.front_end)),
        ("platform", platform),
        ("by-hand", raw.install.by_hand.as_ref()),
    ];
    for (key, value) in texts {
        if value.is_some_and(|value| value.trim().is_empty()) {
            let what = prompt(key).unwrap_or("fill it in");
            let offset = located::offset(text, located::Part::Key(key)).unwrap_or(0);
            return Err(place(path, text, offset, format!("`{key}` is empty: {what}")));
        }
    }
    let in_instances = raw.instance.values().filter_map(|instance| instance.device.as_ref());
    for step in [&raw.device].into_iter().chain(in_instances).flat_map(DeviceKind::every_step) {
        step.check(path, text)?;
    }
    if let Some(name) = raw.name.as_ref().filter(|name| !is_device_name(name.get_ref())) {
        let message = format!(
            "`{}` is not a valid name of a device: write it in letters, digits, spaces and `-+._`",
            name.get_ref().escape_debug()
        );
        return Err(place(path, text, name.span().start, message));
    }
    if let (Some(worker), []) = (&raw.worker, raw.via.as_slice()) {
        let message =
            "`worker` is the program that the command `via` starts: name one, or remove it";
        return Err(place(path, text, worker.span().start, message.to_owned()));
    }
    let mut instances = BTreeMap::new();
    for (release, instance) in raw.instance {
        reject_release(&release, path, text)?;
        for name in instance.broken_dialects.iter().flat_map(BTreeMap::keys) {
            dialect(&Spanned::new(release.span(), name.clone()), path, text)?;
        }
        instances.insert(release.into_inner(), instance);
    }
    if let Some(release) = &raw.release {
        reject_release(release, path, text)?;
        if let Some(root) = &raw.root {
            let message = "`release` is the root folder that `--install` makes: remove `root`";
            return Err(place(path, text, root.span().start, message.to_owned()));
        }
    }
    let is_loaded = matches!(raw.device, DeviceKind::Opencl { .. } | DeviceKind::Comgr { .. });
    if let Some(zygote) = raw.zygote.as_ref().filter(|_| !is_loaded) {
        let message = "a worker is forked to save loading a driver, and this device has none: \
             remove `[zygote]`";
        return Err(place(path, text, zygote.span().start, message.to_owned()));
    }
    let zygote = raw.zygote.map(|zygote| zygote.into_inner().into());
    let place_of_worker = Place {
        via: raw.via,
        worker: raw.worker.map(Spanned::into_inner),
        root: raw.root.map(Spanned::into_inner),
    };
    let in_instances = instances.values().flat_map(|instance: &RawInstance| &instance.confirmed);
    let mut confirmed: Vec<String> = raw.confirmed.iter().chain(in_instances).cloned().collect();
    let version_pattern = raw.driver_version.map(|pattern| {
        VersionPattern::parse(pattern.get_ref()).map_err(|wrong| {
            let message = format!(
                "`driver-version` finds the version in what the driver reports, and {wrong}"
            );
            place(path, text, pattern.span().start, message)
        })
    });
    let version_pattern = version_pattern.transpose()?;
    confirmed.sort_by_key(|version| match &version_pattern {
        Some(pattern) => pattern.version(version),
        None => number(version),
    });
    let mut lines = LineCounter::new(text);
    let named = |dialects: BTreeMap<Spanned<String>, String>| {
        let named = dialects.into_iter();
        let named = named.map(|(name, reason)| Ok((dialect(&name, path, text)?, reason)));
        named.collect::<Result<Vec<_>, FileError>>()
    };
    let broken_dialects = named(raw.broken_dialects)?;
    let unreported_dialects = named(raw.unreported_dialects)?;
    Ok(DeviceFile {
        name: name.to_owned(),
        family: name.to_owned(),
        driver: None,
        what: raw.what,
        kind: raw.device,
        front_end: raw.front_end,
        hands_on: raw.hands_on,
        broken_dialects,
        unreported_dialects,
        broken: raw.broken,
        install: raw.install,
        environment: raw.environment.into_iter().collect(),
        zygote,
        first_batch: raw.first_batch,
        place: place_of_worker,
        release: raw.release.map(Spanned::into_inner),
        instances,
        library: raw.library,
        confirmed,
        own_confirmed: raw.confirmed,
        deviations: raw
            .deviation
            .into_iter()
            .map(|entry| {
                entry.reject_keys(Owner::Device, path, text)?;
                deviation(entry, path, text, &mut lines)
            })
            .collect::<Result<_, _>>()?,
        path: path.to_owned(),
        typed: None,
        version_pattern,
        given_name: raw.name.map(Spanned::into_inner),
        has_own_front_end: front_end::is_own(text),
        sources: vec![Source {
            role: SourceRole::Device,
            path: path.to_owned(),
            text: text.to_owned(),
        }],
        through: None,
    })
}

/// Whether a text can be the name of a device that a user's file describes.
pub fn is_device_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -+._".contains(c);
    name.chars().all(is_plain)
        && name.trim() == name
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Returns the name that a device file gives its device; `None` if it gives none, or cannot be read.
pub fn name_in_file(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct NamedFile {
        name: Option<String>,
    }
    toml::from_str::<NamedFile>(text).ok()?.name
}

/// Rejects a release whose name is not a plain word: it becomes the name of a folder and a part of commands.
fn reject_release(release: &Spanned<String>, path: &str, text: &str) -> Result<(), FileError> {
    let name = release.get_ref();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain) {
        return Ok(());
    }
    let message = format!(
        "`{}` is not a release of Debian: name one, such as `sid` or `trixie`",
        name.escape_debug()
    );
    Err(place(path, text, release.span().start, message))
}

#[cfg(test)]
mod tests;
