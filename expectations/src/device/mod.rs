//! Device files: how a device is reached and installed, and what it is known to get wrong.

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::{
    baseline::{Deviation, LineCounter, Owner, RawDeviation, deviation, dialect},
    dialect::Dialect,
    load::{FileError, from_toml, place, prompt},
    located,
    requirement::Requirement,
};

/// One device, as its file describes it.
#[derive(Clone, Debug)]
pub struct DeviceFile {
    /// Name on the command line: the file's stem.
    pub name: String,
    /// A sentence on what it is.
    pub what: String,
    /// How it is driven.
    pub kind: DeviceKind,
    /// The front end inside; devices that share one count once in votes.
    pub front_end: String,
    /// Dialects it reports and cannot build even a good program in, each with what goes wrong.
    pub broken_dialects: Vec<(Dialect, String)>,
    /// Where the whole device is known to be broken on some machines.
    pub broken: Option<Broken>,
    /// How it gets here.
    pub install: Install,
    /// Environment its worker runs in; `{install}` and `{scratch}` are filled in by the runner.
    pub environment: Vec<(String, String)>,
    /// Where its worker runs.
    pub place: Place,
    /// Versions of the driver that the entries were confirmed with; they never decide a match.
    pub confirmed: Vec<String>,
    /// Baseline entries.
    pub deviations: Vec<Deviation>,
    /// The file, for messages.
    pub path: String,
}

impl DeviceFile {
    /// Whether the entries were confirmed with the version that a driver reports. Where none is named, nothing is said
    /// of versions.
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

    /// A folder's name that is the device's alone: whatever no file system takes, or takes for something else, is `-`.
    pub fn folder_name(&self) -> String {
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let name: String = self.name.chars().map(|c| if safe(c) { c } else { '-' }).collect();
        let name = name.trim_start_matches(['.', '-']);
        name.strip_suffix(".toml").unwrap_or(name).to_owned()
    }
}

/// Where a device's worker runs; here, where nothing is said.
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

/// How a device is driven.
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
        /// The dialects its switches select; all where none is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dialects: Vec<String>,
        /// Requirements its target does not meet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lacks: Vec<Requirement>,
    },
}

/// A device that is known not to work on some machines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broken {
    /// What the failure says where it is the known one.
    pub says: String,
    /// Where and why it does not work.
    pub reason: String,
}

/// How a device gets onto a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Install {
    /// Debian packages.
    #[serde(default)]
    pub apt: Vec<String>,
    /// `PyPI` packages, installed into a folder: all that are needed, those that others need too.
    #[serde(default)]
    pub pip: Vec<PinnedPackage>,
    /// What a person has to install, where no package manager can.
    #[serde(default)]
    pub by_hand: Option<String>,
}

/// A `PyPI` package in one version, with the hash of every file that may be taken for it: a line of pip's requirements,
/// `NAME==VERSION --hash=sha256:HASH ...`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PinnedPackage(String);

impl PinnedPackage {
    /// The line.
    pub fn requirement(&self) -> &str {
        &self.0
    }

    /// `NAME==VERSION`.
    pub fn name_and_version(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }
}

impl TryFrom<String> for PinnedPackage {
    type Error = String;

    fn try_from(line: String) -> Result<Self, String> {
        let is_hash = |word: &str| {
            let digits = word.strip_prefix("--hash=sha256:");
            digits.is_some_and(|d| d.len() == 64 && d.chars().all(|c| c.is_ascii_hexdigit()))
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_version = |word: &str| {
            let parts = word.split_once("==");
            parts.is_some_and(|(n, v)| [n, v].iter().all(|t| !t.is_empty() && t.chars().all(plain)))
        };
        let mut words = line.split(' ');
        if words.next().is_some_and(is_version) && words.clone().count() > 0 && words.all(is_hash) {
            return Ok(Self(line));
        }
        Err(format!(
            "`{}` names no version and hash: write `NAME==VERSION --hash=sha256:HASH`, as `pip hash` of the file that `pip download NAME` brings prints it",
            line.escape_debug()
        ))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawDeviceFile {
    what: String,
    device: DeviceKind,
    /// By the other name where no other device has it; see [`crate::front_end`].
    #[serde(alias = "own-front-end")]
    front_end: String,
    #[serde(default)]
    via: Vec<String>,
    worker: Option<Spanned<String>>,
    root: Option<String>,
    #[serde(default)]
    broken_dialects: std::collections::BTreeMap<Spanned<String>, String>,
    broken: Option<Broken>,
    #[serde(default)]
    install: Install,
    #[serde(default)]
    environment: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    confirmed: Vec<String>,
    #[serde(default)]
    deviation: Vec<RawDeviation>,
}

/// Read a device file named `name`.
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
    if let (Some(worker), []) = (&raw.worker, raw.via.as_slice()) {
        let message =
            "`worker` is the program that the command `via` starts: name one, or remove it";
        return Err(place(path, text, worker.span().start, message.to_owned()));
    }
    let place_of_worker =
        Place { via: raw.via, worker: raw.worker.map(Spanned::into_inner), root: raw.root };
    let mut lines = LineCounter::new(text);
    let mut broken_dialects = Vec::new();
    for (name, reason) in raw.broken_dialects {
        broken_dialects.push((dialect(&name, path, text)?, reason));
    }
    Ok(DeviceFile {
        name: name.to_owned(),
        what: raw.what,
        kind: raw.device,
        front_end: raw.front_end,
        broken_dialects,
        broken: raw.broken,
        install: raw.install,
        environment: raw.environment.into_iter().collect(),
        place: place_of_worker,
        confirmed: raw.confirmed,
        deviations: raw
            .deviation
            .into_iter()
            .map(|entry| {
                entry.reject_keys_of(Owner::FrontEnd, path, text)?;
                deviation(entry, path, text, &mut lines)
            })
            .collect::<Result<_, _>>()?,
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests;
