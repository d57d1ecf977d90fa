//! Names of implementations in baseline entries: a front end or a device, all of its versions or some.

use std::{cmp::Ordering, fmt};

use regex::Regex;

/// `clang >=13, <22`: a front end in these versions; `clang 15`, `Intel's clang`: just this front end; `pocl`: the
/// device of that name, wherever it comes from; `pocl@sid`: just this instance of it; `pocl >=3.1, <7`: the device
/// where its driver reports one of these versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implementation {
    text: String,
    name: String,
    versions: Option<Versions>,
}

impl Implementation {
    /// Parses a name, with a condition on versions where one follows it.
    ///
    /// # Errors
    /// Fails if the condition is wrong; the message says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let start = text.find(['<', '>', '=', '^', '~', '*']);
        let (name, versions) = text.split_at(start.unwrap_or(text.len()));
        let (name, text) = (name.trim().to_owned(), text.to_owned());
        if name.is_empty() {
            return Err("name a front end or a device, as `clang >=13, <22` or `pocl`".to_owned());
        }
        let versions = start.map(|_| {
            let wrong = |condition: &str| {
                format!(
                    "`{}` is not a condition on versions: write them as `{name} >=13, <22`",
                    condition.escape_debug()
                )
            };
            Versions::parse(versions).map_err(|condition| wrong(&condition))
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
            return identity.version().is_none_or(|driver| versions.hold(&driver));
        }
        let (name, version) = name_and_version(identity.front_end);
        self.name == name && version.is_some_and(|version| versions.hold(&version))
    }
}

/// Identity of a device, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'i> {
    /// The device's name: `pocl@sid`.
    pub device: &'i str,
    /// The device whose instance it is: `pocl`; itself, where it is none.
    pub family: &'i str,
    /// The version that the driver reports; `None` before it was queried.
    pub driver: Option<&'i str>,
    /// The front end inside: `clang 15`.
    pub front_end: &'i str,
    /// The pattern that finds the version in what the driver reports, where the device file has one.
    pub version_pattern: Option<&'i VersionPattern>,
}

impl Identity<'_> {
    /// Returns the version of the driver, where one is known.
    pub fn version(&self) -> Option<Version> {
        match self.version_pattern {
            Some(pattern) => pattern.version(self.driver?),
            None => number(self.driver?),
        }
    }
}

/// A version: numbers, as many as there are.
#[derive(Clone, Debug)]
pub struct Version(Vec<u64>);

impl Version {
    /// Returns the order of the two up to as many numbers as `other` has.
    fn compare_beginning(&self, other: &Self) -> Ordering {
        let beginning = self.0.iter().copied().chain(std::iter::repeat(0));
        beginning.take(other.0.len()).cmp(other.0.iter().copied())
    }
}

impl Ord for Version {
    /// Numbers that are not there are zeros.
    fn cmp(&self, other: &Self) -> Ordering {
        let padded = |version: &Self, length: usize| -> Vec<u64> {
            version.0.iter().copied().chain(std::iter::repeat(0)).take(length).collect()
        };
        let length = self.0.len().max(other.0.len());
        padded(self, length).cmp(&padded(other, length))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

/// Conditions on a version, all of which hold: `>=13, <22`. Each compares as many numbers as it has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Versions(Vec<(Comparison, Version)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    AtMost,
    Equal,
    AtLeast,
    Greater,
}

impl Versions {
    /// Reads conditions; an error is the one that is none.
    fn parse(text: &str) -> Result<Self, String> {
        let condition = |text: &str| {
            let text = text.trim();
            let comparisons = [
                ("<=", Comparison::AtMost),
                (">=", Comparison::AtLeast),
                ("<", Comparison::Less),
                (">", Comparison::Greater),
                ("=", Comparison::Equal),
            ];
            let found = comparisons.into_iter().find_map(|(sign, comparison)| {
                Some((comparison, version(text.strip_prefix(sign)?.trim())?))
            });
            found.ok_or_else(|| text.to_owned())
        };
        text.split(',').map(condition).collect::<Result<_, _>>().map(Self)
    }

    fn hold(&self, version: &Version) -> bool {
        self.0.iter().all(|(comparison, wanted)| {
            let order = version.compare_beginning(wanted);
            match comparison {
                Comparison::Less => order.is_lt(),
                Comparison::AtMost => order.is_le(),
                Comparison::Equal => order.is_eq(),
                Comparison::AtLeast => order.is_ge(),
                Comparison::Greater => order.is_gt(),
            }
        })
    }
}

/// A regular expression whose groups are the numbers of a version: `r(\d+)p(\d+)`.
#[derive(Clone, Debug)]
pub struct VersionPattern(Regex);

impl VersionPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// The text is not a regular expression, or has no group.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wanted = "write a regular expression whose groups are the numbers, as 'r(\\d+)p(\\d+)'";
        let pattern = Regex::new(text).map_err(|_| format!("it is not one: {wanted}"))?;
        if pattern.captures_len() < 2 {
            return Err(format!("it has no group: {wanted}"));
        }
        Ok(Self(pattern))
    }

    /// Returns the version in what a driver reports.
    pub fn version(&self, reported: &str) -> Option<Version> {
        let groups = self.0.captures(reported)?;
        let numbers = groups.iter().skip(1).flatten();
        let numbers = numbers.map(|group| group.as_str().parse().ok());
        Some(Version(numbers.collect::<Option<_>>()?))
    }
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

/// Parses numbers separated by dots.
fn version(text: &str) -> Option<Version> {
    text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>().map(Version)
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
            ("ours <31.0.101.2125", "ours", Some("31.0.101.2115"), "x", true),
            ("ours <31.0.101.2125", "ours", Some("31.0.101.2125"), "x", false),
            ("ours >=31.0.101.2125", "ours", Some("31.0.101.2125"), "x", true),
            ("ours =1.1", "ours", Some("1.1.7"), "x", true),
            ("ours >1.1", "ours", Some("1.1.7"), "x", false),
            ("ours <=1", "ours", Some("1.1.7"), "x", true),
            ("ours >=1.1.0", "ours", Some("1.1"), "x", true),
        ] {
            let implementation = Implementation::parse(text).unwrap();
            let family = device.split('@').next().unwrap();
            let identity = Identity { device, family, driver, front_end, version_pattern: None };
            assert_eq!(implementation.is(&identity), expected, "{text} {device} {driver:?}");
            assert_eq!(implementation.to_string(), text);
        }
    }

    #[test]
    fn versions_keep_their_numbers() {
        for (reported, read) in [
            ("1.0", "1.0"),
            ("31.0.101.2115", "31.0.101.2115"),
            ("PoCL 6.0-pre main-0-gabc", "6.0"),
            ("r45p1-00eac0", "45"),
        ] {
            assert_eq!(number(reported).unwrap().to_string(), read);
        }
        assert_eq!(number("1.0"), number("1.0.0"));
        assert!(number("31.0.101.2115") < number("31.0.101.2125"));
        let pattern = VersionPattern::parse(r"r(\d+)p(\d+)").unwrap();
        assert_eq!(pattern.version("v1.r45p1-00eac0").unwrap().to_string(), "45.1");
        assert!(pattern.version("1.0").is_none());
        assert!(
            VersionPattern::parse("(").unwrap_err().starts_with("it is not one: write a regular")
        );
        assert!(VersionPattern::parse("r1").unwrap_err().starts_with("it has no group: write a"));
    }

    #[test]
    fn mistakes_are_answered() {
        for (text, expected) in [
            ("clang >=x", "`>=x` is not a condition on versions: write them as `clang >=13, <22`"),
            ("pocl <7,", "`` is not a condition on versions: write them as `pocl >=13, <22`"),
            ("pocl ~7", "`~7` is not a condition on versions: write them as `pocl >=13, <22`"),
            (">=13", "name a front end or a device, as `clang >=13, <22` or `pocl`"),
        ] {
            assert_eq!(Implementation::parse(text).unwrap_err(), expected);
        }
    }
}
