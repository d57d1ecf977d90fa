//! The device files that ship with the program.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    iter, mem,
    path::{self, Path},
    sync::LazyLock,
};

use expectations::{
    baseline::{Deviation, load_front_end, resolve, rules_of_conditions},
    cause::{CAUSES_PATH, Causes, load_causes},
    device::{CodeGeneration, DeviceFile, DeviceKind, INSTANCE, instance_names, load_device},
    front_end,
    load::FileError,
    observation::{OBSERVATIONS_PATH, Observation, load_observations},
    predicate::suggestion,
};
use generator::suite::SuiteError;
use results::line::Header;
use rust_embed::RustEmbed;
use thiserror::Error;

use super::{
    environment::without_caches,
    own::{self, OwnFile, Unreadable},
    roots,
};
use crate::overlay::{self, OverlayError};

/// What the name of a device begins with that is nothing but a platform the loader offers.
pub const BY_PLATFORM: &str = "platform:";

/// What the name of a device begins with that is nothing but a driver: an ICD file, or a library.
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

/// Where what front ends are known to get wrong lies.
const FRONT_ENDS: &str = "expectations/front-ends";

/// A device that cannot be described.
#[derive(Debug, Error)]
pub enum DeviceFileError {
    /// No device of that name.
    #[error("unknown device `{name}`{hint}")]
    Unknown {
        /// As typed.
        name: String,
        /// What was probably meant.
        hint: String,
    },
    /// A platform is asked for and not named.
    #[error("`platform:` wants a platform's name after it; `address-spaces devices` lists them")]
    NoPlatform,
    /// A driver is asked for and not named.
    #[error("`icd:` wants a driver's file after it: `--icd FILE`")]
    NoIcd,
    /// Two files say what one device is.
    #[error("there are two files for device `{name}`, {first} and {second}: rename {second}")]
    Twice {
        /// The device.
        name: String,
        /// That of the program, or of the folder that was named first.
        first: String,
        /// The other.
        second: String,
    },
    /// A device file of a user's own cannot be read.
    #[error("cannot read the device file {path}: {source}")]
    NoFile {
        /// The path.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// Its file is wrong.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder with more device files cannot be read.
    #[error(transparent)]
    Overlay(#[from] OverlayError),
    /// A baseline given by path cannot be read.
    #[error("cannot read the baseline {path}: {source}")]
    Unreadable {
        /// The path.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// Names of the suite's devices, sorted.
pub fn names_of_suite() -> Result<Vec<String>, DeviceFileError> {
    Ok(texts_of_suite(overlay::folder())?.into_keys().collect())
}

/// Names of all devices, those of the user too, sorted, each with its instances after it.
pub fn names() -> Result<Vec<String>, DeviceFileError> {
    Ok(names_of(&texts(overlay::folder())?))
}

fn names_of(texts: &BTreeMap<String, (String, String)>) -> Vec<String> {
    let with_instances = texts
        .iter()
        .flat_map(|(name, (_, text))| iter::once(name.clone()).chain(instance_names(name, text)));
    with_instances.collect()
}

/// Where device files lie.
pub const FOLDER: &str = "expectations/devices";

/// Path and text of every device file by the device's name: those of the program, those of a folder laid out as the
/// repository, then those of the user, none of which may be called as one that is there.
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

/// The same without those of the user.
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

/// The device of that name: that of a file, or any platform by its name.
pub fn load(name: &str) -> Result<DeviceFile, DeviceFileError> {
    load_with(overlay::folder(), name)
}

/// The device of that name, where the program's device files and those of a folder are known.
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
        (None, Some((family, place, path, text))) => instance(&read(family, path, text)?, place),
        (None, None) if own::is_path(name) => {
            let text = own::text(Path::new(name));
            Some(read(name, name, &text.map_err(|source| no_file(Path::new(name), source))?)?)
        }
        (None, None) => None,
    };
    let Some(mut device) = device else {
        let known = names_of(&texts);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let hint = suggestion(name, &known);
        return Err(DeviceFileError::Unknown { name: name.escape_debug().to_string(), hint });
    };
    if let Some(release) = &device.release {
        device.place.root = Some(roots::folder(release).display().to_string());
    }
    with_shared_deviations(device, folder)
}

/// The instance of a device that comes from a release of Debian or from a folder.
fn instance(device: &DeviceFile, place: &str) -> Option<DeviceFile> {
    if !place.contains('/') {
        return device.in_release(place);
    }
    let folder = path::absolute(place).ok()?;
    device.in_folder(&folder.to_string_lossy())
}

/// The device a stored run was made on, with the front end it had then; a results file may name any device.
/// `baseline` takes the place of its own baseline entries.
pub fn of_run(
    header: &Header,
    baseline: Option<&Path>,
) -> Result<Option<DeviceFile>, DeviceFileError> {
    if let Some(path) = baseline {
        return load_baseline(&header.device, path).map(Some);
    }
    match load(&header.device) {
        Ok(device) => as_of(device, header).map(Some),
        Err(DeviceFileError::Unknown { .. } | DeviceFileError::NoFile { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A device as a stored run has found it.
pub fn as_of(device: DeviceFile, header: &Header) -> Result<DeviceFile, DeviceFileError> {
    let front_end = Some(&header.front_end).filter(|front_end| !front_end.is_empty());
    let front_end = front_end.unwrap_or(&device.front_end).clone();
    let driver = header.identity.get("driver").cloned().unwrap_or_default();
    as_reported(device, front_end, driver)
}

/// A device without a file: nothing is known of it, so nothing it deviates in is explained.
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

/// A driver without a file.
fn by_icd(name: &str, icd: &str) -> Result<DeviceFile, DeviceFileError> {
    if icd.trim().is_empty() {
        return Err(DeviceFileError::NoIcd);
    }
    // Whatever its platform is called: the loader has no other.
    let kind = DeviceKind::Opencl {
        platform: String::new(),
        icd: Some(icd.to_owned()),
        generates_code: CodeGeneration::default(),
    };
    let inside = icd.rsplit('/').next().unwrap_or(icd);
    Ok(without_file(name, "a driver given by its file, without a device file", inside, kind))
}

fn without_file(name: &str, what: &str, inside: &str, kind: DeviceKind) -> DeviceFile {
    let front_end = format!("unknown ({inside})");
    let mut device = DeviceFile::without_file(name, what, front_end, kind);
    device.environment = without_caches();
    device.path = format!("{FOLDER}/{}.toml", device.folder_name());
    device
}

/// A device with the front end and the version of the driver that it reports, and the entries that speak of these.
pub fn as_reported(
    mut device: DeviceFile,
    front_end: String,
    driver: String,
) -> Result<DeviceFile, DeviceFileError> {
    device.front_end = front_end;
    device.driver = Some(driver).filter(|driver| !driver.is_empty());
    device.deviations.retain(|deviation| deviation.path == device.path);
    forget_others(&mut device);
    with_shared_deviations(device, overlay::folder())
}

/// Leave out what is known of other versions of the device.
pub fn forget_others(device: &mut DeviceFile) {
    let mut deviations = mem::take(&mut device.deviations);
    deviations.retain(|deviation| deviation.is_of(&device.identity()));
    device.deviations = deviations;
}

/// Add what is known of the front end inside; the device's own entries stay first.
fn with_shared_deviations(
    mut device: DeviceFile,
    folder: Option<&Path>,
) -> Result<DeviceFile, DeviceFileError> {
    let mut known = shared_deviations()?;
    known.retain(|deviation| deviation.is_of(&device.identity()));
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

/// The causes that the suite's own entries name.
pub fn causes() -> Result<&'static Causes, FileError> {
    static CAUSES: LazyLock<Result<Causes, FileError>> =
        LazyLock::new(|| load_causes(CAUSES_PATH, EMBEDDED_CAUSES));
    CAUSES.as_ref().map_err(Clone::clone)
}

/// Returns the outputs of the commands of causes' issues.
pub fn observations() -> Result<Vec<Observation>, FileError> {
    load_observations(OBSERVATIONS_PATH, EMBEDDED_OBSERVATIONS)
}

/// Check that the suite's own driver bugs have their causes; a user's entries may.
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

/// What each device is in the newest version that somebody has looked at, with the entries of that version alone; a
/// driver nobody has looked at is left out. The current ones stand first, in the order of the file of causes.
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
        let mut device = as_reported(device, front_end, driver)?;
        forget_others(&mut device);
        device.driver = confirmed;
        devices.push(device);
    }
    Ok(devices)
}

/// Conditions of entries are about the axes of the rules that this folder has, or the program. Only these rules are
/// read: a mistake in another one is told when it is run.
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

/// What is known of front ends that several devices share.
pub fn shared_deviations() -> Result<Vec<Deviation>, DeviceFileError> {
    let mut deviations = Vec::new();
    let mut names: Vec<_> = EmbeddedFrontEnds::iter().collect();
    names.sort();
    for name in names {
        let Some(file) = EmbeddedFrontEnds::get(&name) else { continue };
        let path = format!("{FRONT_ENDS}/{name}");
        deviations.append(&mut load_front_end(&path, &String::from_utf8_lossy(&file.data))?);
    }
    Ok(deviations)
}

/// A baseline given by path; it is a device file.
pub fn load_baseline(name: &str, path: &Path) -> Result<DeviceFile, DeviceFileError> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|source| DeviceFileError::Unreadable { path: shown.clone(), source })?;
    let mut device = load_device(name, &shown, &text)?;
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
