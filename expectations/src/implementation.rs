//! Names of implementations in baseline entries: a front end in some of its versions, or a device.

use std::fmt;

use semver::{Version, VersionReq};

/// `clang >=13, <22`: a front end in these versions; `clang 15`, `Intel's clang`: just this front end; `pocl`: the
/// device of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implementation {
    text: String,
    name: String,
    versions: Option<VersionReq>,
}

impl Implementation {
    /// Read a name, with a condition on versions where one follows it.
    ///
    /// # Errors
    /// What is wrong with the condition.
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

    /// Whether it is this device, or the front end inside it.
    pub fn is(&self, device: &str, front_end: &str) -> bool {
        match &self.versions {
            None => self.name == device || self.name == front_end,
            Some(versions) => {
                let (name, version) = name_and_version(front_end);
                self.name == name && version.is_some_and(|version| versions.matches(&version))
            }
        }
    }
}

impl fmt::Display for Implementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// `clang 14` is clang in version 14.
fn name_and_version(front_end: &str) -> (&str, Option<Version>) {
    let parts = front_end.rsplit_once(' ');
    let parts = parts.and_then(|(name, number)| Some((name, version(number)?)));
    parts.map_or((front_end, None), |(name, version)| (name, Some(version)))
}

/// One to three numbers with dots between them.
fn version(text: &str) -> Option<Version> {
    let mut numbers = [0; 3];
    let mut parts = text.split('.');
    for (number, part) in numbers.iter_mut().zip(parts.by_ref()) {
        *number = part.parse().ok()?;
    }
    let [major, minor, patch] = numbers;
    parts.next().is_none().then(|| Version::new(major, minor, patch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_devices_front_ends_and_versions_of_them() {
        for (text, device, front_end, expected) in [
            ("pocl", "pocl", "clang 15", true),
            ("pocl", "pocl-3.0", "clang 14", false),
            ("clang 15", "pocl", "clang 15", true),
            ("Intel's clang", "intel-cpu", "Intel's clang", true),
            ("Intel's clang", "ocloc", "Intel's clang (GPU)", false),
            ("clang >=13, <22", "pocl", "clang 15", true),
            ("clang >=13, <22", "clang-22", "clang 22", false),
            ("clang >=13", "clang-22", "clang 22.1.4", true),
            ("clang <15", "pocl", "clang 15", false),
            ("clang >=13", "intel-cpu", "Intel's clang", false),
        ] {
            let implementation = Implementation::parse(text).unwrap();
            assert_eq!(implementation.is(device, front_end), expected, "{text} {front_end}");
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
