//! Names of devices and of their instances.

use serde::Deserialize;

/// Character between the name of a device and the origin of its instance.
pub const INSTANCE: char = '@';

/// Returns the name of an instance, such as `pocl@sid`.
pub(super) fn instance_name(family: &str, place: &str) -> String {
    format!("{family}{INSTANCE}{place}")
}

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

/// Whether a text can be the name of a device that a user's file describes.
pub fn is_device_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -+._".contains(c);
    name.chars().all(is_plain)
        && name.trim() == name
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}
