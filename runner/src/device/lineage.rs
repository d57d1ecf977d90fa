//! Versions of one driver or compiler, the oldest first.

use expectations::{
    device::{DeviceFile, DeviceKind, lineage},
    implementation::{Version, number},
};

use super::{
    files::{self, DeviceFileError},
    releases,
};
use crate::overlay;

/// Releases of Debian, the oldest first.
const RELEASES: [&str; 2] = ["trixie", "sid"];

/// Returns every version of a device that can be had, the oldest first: the releases of its driver, or else the devices
/// of its lineage (`clang-13` to `clang-23`, `pocl-3.0` to `pocl@sid`).
pub fn versions(device: &DeviceFile) -> Result<Vec<DeviceFile>, DeviceFileError> {
    let names = releases::names(overlay::folder(), &device.family)?;
    if !names.is_empty() {
        return names.iter().map(|name| files::load(name)).collect();
    }
    let mut versions = Vec::new();
    for name in files::names()? {
        if lineage(&name) == lineage(&device.name) {
            versions.push(files::load(&name)?);
        }
    }
    versions.sort_by_key(|device| (place(device), version(device)));
    Ok(versions)
}

/// Returns the place of a driver's release of Debian among these: a driver of this system is older than one of another
/// release.
fn place(device: &DeviceFile) -> Option<usize> {
    let is_driver = matches!(device.kind, DeviceKind::Opencl { .. });
    let release = device.release.as_deref().filter(|_| is_driver)?;
    RELEASES.iter().position(|known| *known == release)
}

/// Returns the version of a compiler's front end, or that which a driver was confirmed with or is named after; `None`
/// for a driver without a known one.
fn version(device: &DeviceFile) -> Option<Version> {
    if !matches!(device.kind, DeviceKind::Opencl { .. }) {
        return number(&device.front_end);
    }
    let confirmed = device.newest_confirmed().and_then(|confirmed| device.version_in(confirmed));
    confirmed.or_else(|| number(device.name.rsplit('-').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_one_driver_with_the_oldest_first() {
        let names = |device: &str| -> Vec<String> {
            let versions = versions(&files::load(device).unwrap()).unwrap();
            versions.into_iter().map(|device| device.name).collect()
        };
        assert_eq!(names("pocl"), ["pocl-3.0", "pocl", "pocl@trixie", "pocl@sid"]);
        assert_eq!(names("rusticl@sid"), ["rusticl", "rusticl@trixie", "rusticl@sid"]);
        let clang = names("clang-19");
        assert_eq!((clang[0].as_str(), clang.last().unwrap().as_str()), ("clang-13", "clang-23"));
        assert!(clang.iter().all(|name| !name.contains("amdgcn")), "{clang:?}");
        let intel = names("intel-cpu");
        assert_eq!(intel[0], "intel-cpu@2021.4.0");
        assert!(intel.len() > 30, "{intel:?}");
    }
}
