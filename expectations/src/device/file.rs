//! Device files as they are written, and reading them.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{
    DeviceFile, DeviceKind, FirstBatch, HandsOn, Install, KnownFailure, Place, Source, SourceRole,
    is_device_name, worker::RawZygote,
};
use crate::{
    baseline::{LineCounter, Owner, RawDeviation, deviation, dialect},
    front_end,
    implementation::{VersionPattern, number},
    load::{FileError, from_toml, place, prompt},
    located,
};

/// Settings of an instance in a release of Debian that differ from those of the device.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawInstance {
    pub(super) what: Option<String>,
    /// The front end inside there, where it is another.
    pub(super) front_end: Option<String>,
    pub(super) device: Option<DeviceKind>,
    /// Debian packages of the instance.
    pub(super) apt: Option<Vec<String>>,
    pub(super) broken_dialects: Option<BTreeMap<String, String>>,
    /// Environment variables that are added to those of the device, or replace them.
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    pub(super) zygote: Option<RawZygote>,
    pub(super) first_batch: Option<FirstBatch>,
    /// The versions of the driver there that the entries were confirmed with.
    #[serde(default)]
    pub(super) confirmed: Vec<String>,
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
