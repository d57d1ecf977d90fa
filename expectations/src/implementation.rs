//! Names of implementations in baseline entries: a front end or a device, all of its versions or some.

use std::fmt;

use semver::{Version, VersionReq};

/// `clang >=13, <22`: a front end in these versions; `clang 15`, `Intel's clang`: just this front end; `pocl`: the
/// device of that name, wherever it comes from; `pocl@sid`: just this instance of it; `pocl >=3.1, <7`: the device where
/// its driver reports one of these versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implementation {
    text: String,
    name: String,
    versions: Option<VersionReq>,
}

impl Implementation {
    /// Parses a name, with a condition on versions where one follows it.
    ///
    /// # Errors
    /// Fails where the condition is wrong; the message says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let start = text.find(['<', '>', '=', '^', '~', '*']);
        let (name, versions) = text.split_at(start.unwrap_or(text.len()));
        let (name, text) = (name.trim().to_owned(), text.to_owned());
        if name.is_empty() {
            return Err("name a front end or a device, as `clang >=13, <22` or `pocl`".to_owned());
        }
        let versions = start.map(|_| {
            VersionReq::parse(versions)
                .map_err(|wrong| format!("{wrong}: write versions as `{name} >=13, <22`"))
        });
        Ok(Self { versions: versions.transpose()?, text, name })
    }

    /// Whether it is named as a device, and the device is this one.
    pub fn names_device(&self, identity: &Identity<'_>) -> bool {
        [identity.device, identity.family].contains(&self.name.as_str())
    }

    /// Whether this is the device, or its front end. If the version of the driver is unknown, a condition on it may
    /// hold.
    pub fn is(&self, identity: &Identity<'_>) -> bool {
        let device = self.names_device(identity);
        let Some(versions) = &self.versions else {
            return device || self.name == identity.front_end;
        };
        if device {
            return identity.driver.and_then(number).is_none_or(|driver| versions.matches(&driver));
        }
        let (name, version) = name_and_version(identity.front_end);
        self.name == name && version.is_some_and(|version| versions.matches(&version))
    }
}

/// Identity of a device, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity<'i> {
    /// The device's name: `pocl@sid`.
    pub device: &'i str,
    /// The device whose instance it is: `pocl`; itself, where it is none.
    pub family: &'i str,
    /// The version that the driver reports; `None` before it was queried.
    pub driver: Option<&'i str>,
    /// The front end inside: `clang 15`.
    pub front_end: &'i str,
}

impl fmt::Display for Implementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns name and version of a front end: `clang 14` is clang in version 14.
fn name_and_version(front_end: &str) -> (&str, Option<Version>) {
    let parts = front_end.rsplit_once(' ');
    let parts = parts.and_then(|(name, number)| Some((name, version(number)?)));
    parts.map_or((front_end, None), |(name, version)| (name, Some(version)))
}

/// Parses numbers separated by dots, of which the first three count.
fn version(text: &str) -> Option<Version> {
    let mut numbers = [0; 3];
    for (index, part) in text.split('.').enumerate() {
        let read = part.parse().ok()?;
        if let Some(number) = numbers.get_mut(index) {
            *number = read;
        }
    }
    let [major, minor, patch] = numbers;
    Some(Version::new(major, minor, patch))
}

/// Returns the version in the text that a driver or a compiler reports: the first number with dots in it, or else the
/// first number.
pub fn number(reported: &str) -> Option<Version> {
    let candidates = || {
        let parts = reported.split(|c: char| !c.is_ascii_digit() && c != '.');
        parts.map(|part| part.trim_matches('.')).filter(|part| !part.is_empty())
    };
    candidates().find(|part| part.contains('.')).or_else(|| candidates().next()).and_then(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_devices_front_ends_and_versions_of_them() {
        for (text, device, driver, front_end, expected) in [
            ("pocl", "pocl", None, "clang 15", true),
            ("pocl", "pocl@sid", None, "clang 21", true),
            ("pocl@sid", "pocl@sid", None, "clang 21", true),
            ("pocl@sid", "pocl", None, "clang 15", false),
            ("pocl", "pocl-3.0", None, "clang 14", false),
            ("clang 15", "pocl", None, "clang 15", true),
            ("Intel's clang", "intel-cpu", None, "Intel's clang", true),
            ("Intel's clang", "ocloc", None, "Intel's clang (GPU)", false),
            ("clang >=13, <22", "pocl", None, "clang 15", true),
            ("clang >=13, <22", "clang-22", None, "clang 22", false),
            ("clang >=13", "clang-22", None, "clang 22.1.4", true),
            ("clang <15", "pocl", None, "clang 15", false),
            ("clang >=13", "intel-cpu", None, "Intel's clang", false),
            // What has not been asked may be any version.
            ("pocl <7", "pocl", None, "clang 15", true),
            ("pocl <7", "pocl", Some("3.1+debian"), "clang 15", true),
            ("pocl <7", "pocl@sid", Some("7.1"), "clang 21", false),
            (
                "pocl >=3.1, <7",
                "pocl@/opt/pocl",
                Some("PoCL 6.0-pre main-0-gabc"),
                "clang 19",
                true,
            ),
            ("pocl <3.1", "pocl", Some("3.1+debian"), "clang 15", false),
            ("rusticl <26", "rusticl@sid", Some("26.2.6-1"), "clang 22", false),
            ("rusticl <26", "pocl", Some("3.1"), "clang 15", false),
            (
                "clang-23 >=23.1",
                "clang-23",
                Some("Debian clang version 23.1.4 (2)"),
                "clang 23",
                true,
            ),
            ("ocloc >=26", "ocloc@sid", Some("intel-ocloc 26.27.38585.12-1"), "x", true),
            ("nvidia <581", "nvidia", Some("580.159.04"), "x", true),
            ("pocl <7", "pocl", Some("no version"), "clang 15", true),
        ] {
            let implementation = Implementation::parse(text).unwrap();
            let family = device.split('@').next().unwrap();
            let identity = Identity { device, family, driver, front_end };
            assert_eq!(implementation.is(&identity), expected, "{text} {device} {driver:?}");
            assert_eq!(implementation.to_string(), text);
        }
    }

    #[test]
    fn mistakes_are_answered() {
        for (text, expected) in [
            (
                "clang >=x",
                "unexpected character 'x' while parsing major version number: write versions as `clang >=13, <22`",
            ),
            (">=13", "name a front end or a device, as `clang >=13, <22` or `pocl`"),
        ] {
            assert_eq!(Implementation::parse(text).unwrap_err(), expected);
        }
    }
}
