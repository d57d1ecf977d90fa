//! The device files that ship with the program.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    iter, mem,
    path::{self, Path},
    sync::LazyLock,
};

use data_encoding::HEXLOWER;
use expectations::{
    baseline::{Deviation, load_front_end, resolve, rules_of_conditions},
    cause::{CAUSES_PATH, Causes, load_causes},
    device::{
        CodeGeneration, DeviceFile, DeviceKind, INSTANCE, Source, SourceRole, family,
        instance_names, is_device_name, load_device,
    },
    front_end,
    load::FileError,
    observation::{OBSERVATIONS_PATH, Observation, load_observations},
    predicate::suggestion,
};
use generator::suite::SuiteError;
use results::{
    line::{EntryFile, EntryFileRole, Header},
    text::{one_line, printable},
};
use rust_embed::RustEmbed;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::{
    environment::without_caches,
    own::{self, OwnFile, Unreadable},
    releases::{self, ReleasesError},
    roots, through,
};
use crate::overlay::{self, OverlayError};

/// Beginning of the name of a device that is a platform of the loader without a device file.
pub const BY_PLATFORM: &str = "platform:";

/// Beginning of the name of a device that is a driver without a device file: an ICD file, or a library.
pub const BY_ICD: &str = "icd:";

#[derive(RustEmbed)]
#[folder = "../expectations/devices"]
struct EmbeddedDevices;

#[derive(RustEmbed)]
#[folder = "../expectations/front-ends"]
struct EmbeddedFrontEnds;

const EMBEDDED_CAUSES: &str = include_str!("../../../expectations/causes.toml");

/// The file of the outputs of issues' commands.
const EMBEDDED_OBSERVATIONS: &str = include_str!("../../../expectations/observations.toml");

/// Folder of the baseline entries of front ends.
const FRONT_ENDS: &str = "expectations/front-ends";

/// A device that cannot be described.
#[derive(Debug, Error)]
pub enum DeviceFileError {
    /// No device of that name.
    #[error("unknown device `{name}`{hint}")]
    Unknown {
        /// Name that the user typed.
        name: String,
        /// Name that was probably meant.
        hint: String,
    },
    /// The name of the platform is missing.
    #[error("`platform:` needs a platform's name after it; `address-spaces devices` lists them")]
    NoPlatform,
    /// The name of the driver is missing.
    #[error("`icd:` needs a driver's file after it: `--icd FILE`")]
    NoIcd,
    /// Two files describe one device.
    #[error("there are two files for device `{name}`, {first} and {second}: rename {second}")]
    Twice {
        /// The device.
        name: String,
        /// Path of the first file: that of the program, or of the folder that was named first.
        first: String,
        /// The other.
        second: String,
    },
    /// A device file of a user's own cannot be read.
    #[error("cannot read the device file {path}: {source}")]
    NoFile {
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A device file given by path gives its device the name of another device.
    #[error(
        "{path}: `{name}` is a device of the suite: give yours another name, as `name = \"my-{name}\"` at the beginning of the file"
    )]
    NameOfSuite {
        /// Path of the device file.
        path: String,
        /// Name that it gives its device.
        name: String,
    },
    /// The name of a device file is not a valid name of a device.
    #[error(
        "{path}: {name:?} is not a valid name of a device: give it one by `name = \"NAME\"` at the \
         beginning of the file"
    )]
    NoName {
        /// Path of the device file.
        path: String,
        /// Name that it gives its device, or its stem.
        name: String,
    },
    /// The device is given no modules, or the compiler makes none.
    #[error("{0}")]
    NoModules(String),
    /// The device file has a mistake.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder with more device files cannot be read.
    #[error(transparent)]
    Overlay(#[from] OverlayError),
    /// The releases of the device's driver cannot be read.
    #[error(transparent)]
    Releases(#[from] ReleasesError),
    /// A baseline given by path cannot be read.
    #[error("cannot read the baseline {path}: {source}")]
    Unreadable {
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
}

/// Returns the names of the suite's devices, sorted.
pub fn names_of_suite() -> Result<Vec<String>, DeviceFileError> {
    Ok(texts_of_suite(overlay::folder())?.into_keys().collect())
}

/// Returns the names of all devices including the user's, sorted, each followed by its instances.
pub fn names() -> Result<Vec<String>, DeviceFileError> {
    Ok(names_of(&texts(overlay::folder())?))
}

fn names_of(texts: &BTreeMap<String, (String, String)>) -> Vec<String> {
    let with_instances = texts
        .iter()
        .flat_map(|(name, (_, text))| iter::once(name.clone()).chain(instance_names(name, text)));
    with_instances.collect()
}

/// Folder of the device files.
pub const FOLDER: &str = "expectations/devices";

/// Returns the path and the text of every device file by the device's name: those of the program, those of a folder
/// laid out like the repository, then those of the user. A user's device must not have the name of another device.
fn texts(folder: Option<&Path>) -> Result<BTreeMap<String, (String, String)>, DeviceFileError> {
    let mut texts = texts_of_suite(folder)?;
    for folder in own::folders() {
        let found =
            own::files(&folder).map_err(|Unreadable { path, source }| no_file(&path, source))?;
        for OwnFile { name, path, text } in found {
            let second = path.display().to_string();
            match texts.entry(name) {
                Entry::Vacant(entry) => _ = entry.insert((second, text)),
                Entry::Occupied(entry) => {
                    let (name, first) = (entry.key().clone(), entry.get().0.clone());
                    return Err(DeviceFileError::Twice { name, first, second });
                }
            }
        }
    }
    Ok(texts)
}

fn no_file(path: &Path, source: std::io::Error) -> DeviceFileError {
    DeviceFileError::NoFile { path: path.display().to_string(), source }
}

/// Returns the path and the text of every device file except for the user's.
fn texts_of_suite(
    folder: Option<&Path>,
) -> Result<BTreeMap<String, (String, String)>, OverlayError> {
    let mut texts = BTreeMap::new();
    for name in EmbeddedDevices::iter() {
        if let (Some(device), Some(file)) =
            (name.strip_suffix(".toml"), EmbeddedDevices::get(&name))
        {
            let text = String::from_utf8_lossy(&file.data).into_owned();
            texts.insert(device.to_owned(), (format!("{FOLDER}/{name}"), text));
        }
    }
    let Some(folder) = folder else { return Ok(texts) };
    for (path, text) in overlay::texts(folder, FOLDER)? {
        let name = path.strip_prefix(FOLDER).and_then(|name| name.strip_prefix('/'));
        if let Some(device) = name.and_then(|name| name.strip_suffix(".toml")) {
            let shown = folder.join(&path).display().to_string();
            texts.insert(device.to_owned(), (shown, text));
        }
    }
    Ok(texts)
}

/// Returns the device of that name: one that has a file, or any platform by its name.
pub fn load(name: &str) -> Result<DeviceFile, DeviceFileError> {
    load_with(overlay::folder(), name)
}

/// Returns the device of that name, among the device files of the program and of a folder.
pub fn load_with(folder: Option<&Path>, name: &str) -> Result<DeviceFile, DeviceFileError> {
    if let Some(platform) = name.strip_prefix(BY_PLATFORM) {
        return by_platform(name, platform);
    }
    if let Some(icd) = name.strip_prefix(BY_ICD) {
        return by_icd(name, icd);
    }
    let texts = texts(folder)?;
    let read = |name: &str, path: &str, text: &str| {
        let device = load_device(name, path, text)?;
        let others = texts.values().filter(|(other, _)| other != path);
        let others: Vec<&str> = others.map(|(_, text)| text.as_str()).collect();
        front_end::check((path, text), &others, &shared_deviations()?)?;
        Ok::<_, DeviceFileError>(device)
    };
    let of_family = name.split_once(INSTANCE).and_then(|(family, place)| {
        let (path, text) = texts.get(family)?;
        Some((family, place, path, text))
    });
    let device = match (texts.get(name), of_family) {
        (Some((path, text)), _) => Some(read(name, path, text)?),
        (None, Some((family, place, path, text))) => {
            instance(&read(family, path, text)?, place, folder)?
        }
        (None, None) if own::is_path(name) => {
            let path = Path::new(name);
            let text = own::text(path).map_err(|source| no_file(path, source))?;
            let called = own::name(path, &text);
            if !is_device_name(&called) {
                return Err(DeviceFileError::NoName { path: name.to_owned(), name: called });
            }
            if texts_of_suite(folder)?.contains_key(&called) {
                return Err(DeviceFileError::NameOfSuite { path: name.to_owned(), name: called });
            }
            Some(read(&called, name, &text)?.named_by(name))
        }
        (None, None) => None,
    };
    let Some(mut device) = device else {
        let mut known = names_of(&texts);
        known.extend(releases::names(folder, family(name))?);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let hint = suggestion(name, &known);
        return Err(DeviceFileError::Unknown { name: name.escape_debug().to_string(), hint });
    };
    if let Some(release) = &device.release {
        device.place.root = Some(roots::folder(release).display().to_string());
    }
    with_shared_deviations(device, folder)
}

/// Loads a device, which is given the modules of a compiler if one is named.
pub fn load_through(name: &str, compiler: Option<&str>) -> Result<DeviceFile, DeviceFileError> {
    let device = load(name)?;
    match compiler {
        None => Ok(device),
        Some(compiler) => given_modules_of(device, compiler),
    }
}

/// Returns the device as one that is given the modules of a compiler of the suite.
pub fn given_modules_of(device: DeviceFile, compiler: &str) -> Result<DeviceFile, DeviceFileError> {
    if !is_name_of_suite(compiler)? {
        let known = names_of_suite()?;
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let hint = suggestion(compiler, &known);
        return Err(DeviceFileError::Unknown { name: compiler.escape_debug().to_string(), hint });
    }
    let producer = load(compiler)?;
    match through::fault(&device, &producer) {
        Some(fault) => Err(DeviceFileError::NoModules(fault)),
        None => Ok(through::joined(device, producer)),
    }
}

/// Returns the instance of a device in a release of Debian, in a folder, or of a release of the driver.
fn instance(
    device: &DeviceFile,
    place: &str,
    folder: Option<&Path>,
) -> Result<Option<DeviceFile>, DeviceFileError> {
    if place.contains('/') {
        let below = path::absolute(place).ok();
        return Ok(below.and_then(|below| device.in_folder(&below.to_string_lossy())));
    }
    if let Some(instance) = device.in_release(place) {
        return Ok(Some(instance));
    }
    let releases = releases::of_family(folder, &device.family)?;
    let release = releases.iter().find(|release| release.number == place);
    Ok(release.map(|release| device.of_release(release)))
}

/// Returns the device of a stored run, with the front end and the driver that it had then, and the entries that speak
/// of them. The suite's own devices are described by the program, others by what the results hold; no file is read that
/// the results name. `baseline` takes the place of the device's own entries.
pub fn of_run(header: &Header, baseline: Option<&Path>) -> Result<DeviceFile, DeviceFileError> {
    let is_of_suite = is_name_of_suite(&header.device)?;
    let mut device = match header.kept_file(EntryFileRole::Device) {
        _ if is_of_suite => load(&header.device)?,
        Some((path, text)) => {
            let mut device = load_device(&header.device, &one_line(path, 200), text)?;
            make_harmless(&mut device);
            device.named_by(header.typed_device())
        }
        None => unknown(header),
    };
    let name = header.device.as_str();
    let baseline = match (baseline, header.kept_file(EntryFileRole::Baseline)) {
        (Some(path), _) => Some(load_baseline(name, path)?),
        (None, Some((path, text))) => {
            let mut baseline = read_baseline(name, &one_line(path, 200), text)?;
            make_harmless(&mut baseline);
            Some(baseline)
        }
        (None, None) => None,
    };
    if let Some(baseline) = baseline {
        device.take_baseline(baseline, is_of_suite);
    }
    if !header.through.is_empty() {
        device = given_modules_of(device, &header.through)?;
    }
    let front_end = Some(&header.front_end).filter(|front_end| !front_end.is_empty());
    let front_end = front_end.unwrap_or(&device.front_end).clone();
    let driver = header.identity.get("driver").cloned().unwrap_or_default();
    as_reported(device, front_end, driver)
}

/// Escapes what a terminal could act on in the texts of a file that somebody else's results hold.
fn make_harmless(device: &mut DeviceFile) {
    device.what = printable(&device.what);
    device.front_end = printable(&device.front_end);
    for entry in &mut device.deviations {
        let others = entry.cause.iter_mut().chain(&mut entry.link).chain(&mut entry.example);
        for text in others.chain(&mut entry.cases).chain([&mut entry.reason]) {
            *text = printable(text);
        }
    }
}

/// Returns a device that only the header of the results describes.
fn unknown(header: &Header) -> DeviceFile {
    let platform = header.identity.get("platform").map(|name| printable(name)).unwrap_or_default();
    let kind =
        DeviceKind::Opencl { platform, icd: None, generates_code: CodeGeneration::default() };
    let what = "a device whose file is not in the results";
    DeviceFile::without_file(&header.device, what, header.front_end.clone(), kind)
}

/// Whether the suite has a device of this name, or the device whose instance it is.
pub fn is_name_of_suite(name: &str) -> Result<bool, DeviceFileError> {
    Ok(texts_of_suite(overlay::folder())?.contains_key(family(name)))
}

/// Returns the files by which a device is judged, as results hold them.
pub fn entry_files(device: &DeviceFile) -> Vec<EntryFile> {
    let entry_file = |source: &Source| EntryFile {
        role: match source.role {
            SourceRole::Device => EntryFileRole::Device,
            SourceRole::Baseline => EntryFileRole::Baseline,
            SourceRole::FrontEnd => EntryFileRole::FrontEnd,
        },
        path: source.path.clone(),
        sha256: HEXLOWER.encode(&Sha256::digest(&source.text)),
        text: (!is_of_suite(&source.path)).then(|| source.text.clone()),
    };
    device.sources.iter().map(entry_file).collect()
}

/// Returns a line on the files that judge a device: their order, and why the suite's own are among them.
pub fn judging_order(device: &DeviceFile) -> String {
    let mut parts: Vec<String> = Vec::new();
    for source in &device.sources {
        let count = device.deviations.iter().filter(|entry| entry.path == source.path).count();
        let has_baseline = || device.sources.iter().any(|it| it.role == SourceRole::Baseline);
        let entries = match count {
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        };
        let path = one_line(&source.path, 200);
        match source.role {
            SourceRole::Device if has_baseline() => {}
            SourceRole::Device | SourceRole::Baseline => parts.push(format!("{path} ({entries})")),
            SourceRole::FrontEnd => parts.push(format!(
                "{path} ({entries} on {}, its front end)",
                one_line(&device.front_end, 80)
            )),
        }
    }
    let order = match parts.as_slice() {
        [] => "by no file: the suite has no entries for it".to_owned(),
        parts => format!("by {}", parts.join(", then by ")),
    };
    let own = if device.has_own_front_end {
        format!(
            "; its front end {} is its own, and the suite has no entries for it",
            one_line(&device.front_end, 80)
        )
    } else {
        String::new()
    };
    format!("{}: judged {order}{own}", one_line(&device.name, 80))
}

/// Creates a device without a file. It has no baseline entries, and none of its deviations is an expected failure.
fn by_platform(name: &str, platform: &str) -> Result<DeviceFile, DeviceFileError> {
    if platform.trim().is_empty() {
        return Err(DeviceFileError::NoPlatform);
    }
    let what = "a platform the OpenCL loader offers, without a device file";
    let kind = DeviceKind::Opencl {
        platform: platform.to_owned(),
        icd: None,
        generates_code: CodeGeneration::default(),
    };
    Ok(without_file(name, what, platform, kind))
}

/// Creates a device for a driver without a file.
fn by_icd(name: &str, icd: &str) -> Result<DeviceFile, DeviceFileError> {
    if icd.trim().is_empty() {
        return Err(DeviceFileError::NoIcd);
    }
    // For any name of its platform: the loader has no other.
    let kind = DeviceKind::Opencl {
        platform: String::new(),
        icd: Some(icd.to_owned()),
        generates_code: CodeGeneration::default(),
    };
    let inside = icd.rsplit('/').next().unwrap_or(icd);
    // Entries name the device: wherever its library lies, it is the same.
    let called = format!("{BY_ICD}{}", printable(inside));
    let what = "a driver given by its file, without a device file";
    Ok(without_file(&called, what, inside, kind).named_by(name))
}

fn without_file(name: &str, what: &str, inside: &str, kind: DeviceKind) -> DeviceFile {
    let front_end = format!("unknown ({inside})");
    let mut device = DeviceFile::without_file(name, what, front_end, kind);
    device.environment = without_caches();
    device.path = format!("{FOLDER}/{}.toml", device.folder_name());
    device
}

/// Returns a device with the front end and the version of the driver that it reports, and with the entries about these
/// that a run is judged by.
pub fn as_reported(
    device: DeviceFile,
    front_end: String,
    driver: String,
) -> Result<DeviceFile, DeviceFileError> {
    let mut device = of_version(device, front_end, driver)?;
    through::keep_entries(&mut device);
    Ok(device)
}

/// Returns a device with a front end and a version of its driver, and with every entry about these.
fn of_version(
    mut device: DeviceFile,
    front_end: String,
    driver: String,
) -> Result<DeviceFile, DeviceFileError> {
    if !device.has_own_front_end {
        device.front_end = front_end;
    }
    device.driver = Some(driver).filter(|driver| !driver.is_empty());
    device.sources.retain(|source| source.role != SourceRole::FrontEnd);
    device
        .deviations
        .retain(|deviation| device.sources.iter().any(|source| source.path == deviation.path));
    forget_others(&mut device);
    with_shared_deviations(device, overlay::folder())
}

/// Removes the entries about other versions of the device.
pub fn forget_others(device: &mut DeviceFile) {
    let mut deviations = mem::take(&mut device.deviations);
    deviations.retain(|deviation| deviation.is_of(&device.identity()));
    device.deviations = deviations;
}

/// Adds the entries about the device's front end after the device's own.
fn with_shared_deviations(
    mut device: DeviceFile,
    folder: Option<&Path>,
) -> Result<DeviceFile, DeviceFileError> {
    let mut known = shared_deviations()?;
    known.retain(|deviation| deviation.is_of(&device.identity()));
    for (path, text) in shared_texts() {
        if known.iter().any(|deviation| deviation.path == path) {
            device.sources.push(Source { role: SourceRole::FrontEnd, path, text });
        }
    }
    let mut deviations = mem::take(&mut device.deviations);
    deviations.append(&mut known);
    for deviation in &mut deviations {
        // An example has to hold in what the entry names first; elsewhere another case may be the one that shows it.
        if deviation.implementations.first().is_some_and(|first| !first.is(&device.identity())) {
            deviation.example = None;
        }
    }
    device.deviations = deviations;
    check_causes(&device.deviations)?;
    resolve_conditions(&mut device.deviations, folder)?;
    Ok(device)
}

/// Returns the causes that the suite's own entries name.
pub fn causes() -> Result<&'static Causes, FileError> {
    static CAUSES: LazyLock<Result<Causes, FileError>> =
        LazyLock::new(|| load_causes(CAUSES_PATH, EMBEDDED_CAUSES));
    CAUSES.as_ref().map_err(Clone::clone)
}

/// Returns the outputs of the commands of causes' issues.
pub fn observations() -> Result<Vec<Observation>, FileError> {
    load_observations(OBSERVATIONS_PATH, EMBEDDED_OBSERVATIONS)
}

/// Checks that the suite's own entries for driver bugs name their causes; a user's entries need not.
fn check_causes(deviations: &[Deviation]) -> Result<(), FileError> {
    let own: Vec<&Deviation> = deviations.iter().filter(|entry| is_of_suite(&entry.path)).collect();
    if own.is_empty() {
        return Ok(());
    }
    let causes = causes()?;
    own.into_iter().try_for_each(|entry| causes.check_entry(entry))
}

/// Whether a file is one that is inside the program.
fn is_of_suite(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    match folder {
        FOLDER => EmbeddedDevices::iter().any(|known| known == name),
        FRONT_ENDS => EmbeddedFrontEnds::iter().any(|known| known == name),
        _ => false,
    }
}

/// Returns each device in the newest version that was confirmed, with only the entries of that version. Devices that
/// were never confirmed are left out. The current ones come first, in the order of the file of causes.
pub fn newest_versions() -> Result<Vec<DeviceFile>, DeviceFileError> {
    let current = &causes()?.current;
    let mut names: Vec<String> = names_of(&texts_of_suite(overlay::folder())?);
    let rank = |name: &String| current.iter().position(|known| known == name);
    names.sort_by_key(|name| rank(name).unwrap_or(current.len()));
    let mut devices = Vec::new();
    for name in names {
        let device = load(&name)?;
        let front_end = device.front_end.clone();
        let confirmed = device.newest_confirmed().map(str::to_owned);
        let driver = match (&confirmed, &device.kind) {
            (Some(confirmed), _) => confirmed.clone(),
            (None, DeviceKind::Opencl { .. }) => continue,
            // A compiler is what its front end is.
            (None, _) => front_end.clone(),
        };
        let mut device = of_version(device, front_end, driver)?;
        forget_others(&mut device);
        device.driver = confirmed;
        devices.push(device);
    }
    Ok(devices)
}

/// Resolves the conditions of entries against the axes of the rules in this folder or in the program. Only these rules
/// are read: a mistake in another one is reported when that rule is run.
fn resolve_conditions(
    deviations: &mut [Deviation],
    folder: Option<&Path>,
) -> Result<(), DeviceFileError> {
    let wanted = rules_of_conditions(deviations);
    if wanted.is_empty() {
        return Ok(());
    }
    let files = overlay::files_with(folder)?;
    let mut rules = Vec::new();
    for id in &wanted {
        rules.extend(files.rule(id).map_err(SuiteError::Rules).map_err(OverlayError::Suite)?);
    }
    Ok(resolve(deviations, &rules, &files.rules())?)
}

/// Returns the entries about front ends that several devices share.
pub fn shared_deviations() -> Result<Vec<Deviation>, DeviceFileError> {
    let mut deviations = Vec::new();
    for (path, text) in shared_texts() {
        deviations.append(&mut load_front_end(&path, &text)?);
    }
    Ok(deviations)
}

/// Returns path and text of the files on front ends, in the order of their names.
fn shared_texts() -> Vec<(String, String)> {
    let mut names: Vec<_> = EmbeddedFrontEnds::iter().collect();
    names.sort();
    let text = |name: &str| {
        let file = EmbeddedFrontEnds::get(name)?;
        Some((format!("{FRONT_ENDS}/{name}"), String::from_utf8_lossy(&file.data).into_owned()))
    };
    names.iter().filter_map(|name| text(name)).collect()
}

/// Reads a baseline given by path; it is a device file.
pub fn load_baseline(name: &str, path: &Path) -> Result<DeviceFile, DeviceFileError> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|source| DeviceFileError::Unreadable { path: shown.clone(), source })?;
    read_baseline(name, &shown, &text)
}

fn read_baseline(name: &str, path: &str, text: &str) -> Result<DeviceFile, DeviceFileError> {
    let mut device = load_device(name, path, text)?;
    resolve_conditions(&mut device.deviations, overlay::folder())?;
    Ok(device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expectations::baseline::DeviationKind;

    #[test]
    fn every_device_file_is_readable_and_reviewed() {
        for name in names().unwrap() {
            let device = load(&name).unwrap();
            for deviation in &device.deviations {
                let place = format!("{}:{}", deviation.path, deviation.line);
                assert!(
                    deviation.kind != DeviationKind::Unreviewed,
                    "{place}: give it its kind and reason"
                );
            }
        }
    }

    #[test]
    fn every_cause_is_that_of_an_entry_and_current_devices_are_there() {
        let causes = causes().unwrap();
        let devices: Vec<DeviceFile> =
            names().unwrap().iter().map(|name| load(name).unwrap()).collect();
        let shared = shared_deviations().unwrap();
        let entries = devices.iter().flat_map(|device| &device.deviations).chain(&shared);
        causes.check_used(entries).unwrap_or_else(|error| panic!("{error}"));
        let newest = newest_versions().unwrap();
        let first = newest.iter().map(|device| device.name.as_str()).take(causes.current.len());
        assert_eq!(first.collect::<Vec<_>>(), causes.current);
    }

    #[test]
    fn a_users_entries_need_no_cause() {
        let text = "what = \"x\"\nown-front-end = \"x\"\ndevice = { type = \"checker\" }\n[[deviation]]\ncases = [\"a/*\"]\nfindings = [\"crash\"]\nkind = \"driver-bug\"\nreason = \"r\"\n";
        let check = |path: &str| {
            let device = load_device("d", path, text).unwrap();
            check_causes(&device.deviations).map_err(|error| error.to_string())
        };
        assert_eq!(check("mine.toml"), Ok(()));
        assert_eq!(check("expectations/devices/mine.toml"), Ok(()));
        let error = check("expectations/devices/pocl.toml").unwrap_err();
        assert!(
            error.starts_with("expectations/devices/pocl.toml:5:1: a driver bug of"),
            "{error}"
        );
    }

    #[test]
    fn shared_deviations_name_devices_and_front_ends_that_there_are() {
        let devices: Vec<DeviceFile> =
            names().unwrap().iter().map(|name| load(name).unwrap()).collect();
        for deviation in shared_deviations().unwrap() {
            for name in &deviation.implementations {
                assert!(
                    devices.iter().any(|device| name.is(&device.identity())),
                    "{}:{}: `{name}` is neither a device nor the front end of one",
                    deviation.path,
                    deviation.line
                );
            }
        }
    }
}
