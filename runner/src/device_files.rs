//! The device files that ship with the program.

use std::path::Path;

use expectations::{
    device::{DeviceFile, load_device, load_front_end},
    load::FileError,
    predicate::suggestion,
};
use reports::results::Header;
use rust_embed::RustEmbed;
use thiserror::Error;

#[derive(RustEmbed)]
#[folder = "../expectations/devices"]
#[include = "*.toml"]
struct EmbeddedDevices;

#[derive(RustEmbed)]
#[folder = "../expectations/front-ends"]
#[include = "*.toml"]
struct EmbeddedFrontEnds;

/// A device that cannot be described.
#[derive(Debug, Error)]
pub enum DeviceFileError {
    /// No device of that name.
    #[error("no device is called `{name}`{hint}")]
    Unknown {
        /// As typed.
        name: String,
        /// What was probably meant.
        hint: String,
    },
    /// Its file is wrong.
    #[error(transparent)]
    File(#[from] FileError),
    /// A baseline given by path cannot be read.
    #[error("cannot read the baseline {path}: {source}")]
    Unreadable {
        /// The path.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// Names of all devices, sorted.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> = EmbeddedDevices::iter()
        .filter_map(|path| path.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// The device of that name.
pub fn load(name: &str) -> Result<DeviceFile, DeviceFileError> {
    match EmbeddedDevices::get(&format!("{name}.toml")) {
        Some(file) => {
            let path = format!("expectations/devices/{name}.toml");
            let device = load_device(name, &path, &String::from_utf8_lossy(&file.data))?;
            with_shared_deviations(device)
        }
        None => {
            let known = names();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            Err(DeviceFileError::Unknown {
                name: name.escape_debug().to_string(),
                hint: suggestion(name, &known),
            })
        }
    }
}

/// The device a stored run was made on, with the front end it had then; a results file may name any device.
/// `baseline` takes the place of its own known deviations.
pub fn of_run(
    header: &Header,
    baseline: Option<&Path>,
) -> Result<Option<DeviceFile>, DeviceFileError> {
    if let Some(path) = baseline {
        return load_baseline(&header.device, path).map(Some);
    }
    match load(&header.device) {
        Ok(device) if header.front_end.is_empty() || header.front_end == device.front_end => {
            Ok(Some(device))
        }
        Ok(device) => with_front_end(device, header.front_end.clone()).map(Some),
        Err(DeviceFileError::Unknown { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The same device with another front end inside, as newer versions of a driver have.
pub fn with_front_end(
    device: DeviceFile,
    front_end: String,
) -> Result<DeviceFile, DeviceFileError> {
    let mut deviations = device.deviations;
    deviations.retain(|deviation| deviation.path == device.path);
    with_shared_deviations(DeviceFile { front_end, deviations, ..device })
}

/// Add what is known of the front end inside; the device's own entries stay first.
fn with_shared_deviations(mut device: DeviceFile) -> Result<DeviceFile, DeviceFileError> {
    for name in EmbeddedFrontEnds::iter() {
        let Some(file) = EmbeddedFrontEnds::get(&name) else { continue };
        let path = format!("expectations/front-ends/{name}");
        for (seen_in, deviation) in load_front_end(&path, &String::from_utf8_lossy(&file.data))? {
            if seen_in.contains(&device.front_end) {
                device.deviations.push(deviation);
            }
        }
    }
    Ok(device)
}

/// A baseline given by path; it is a device file.
pub fn load_baseline(name: &str, path: &Path) -> Result<DeviceFile, DeviceFileError> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|source| DeviceFileError::Unreadable { path: shown.clone(), source })?;
    Ok(load_device(name, &shown, &text)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expectations::device::DeviationKind;

    #[test]
    fn every_device_file_is_readable_and_reviewed() {
        for name in names() {
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
}
