//! Releases of a device's driver: each with the packages that install it.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::{
    implementation::{Version, number},
    load::{FileError, from_toml, place},
    package::PinnedPackage,
};

/// Folder of the files of releases, one for each device that has them.
pub const RELEASES_FOLDER: &str = "expectations/releases";

/// A release of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Number of the release, as its archive writes it: `2025.0.0`.
    pub number: String,
    /// Order among the releases.
    version: Version,
    /// `PyPI` packages that install it.
    pub pip: Vec<PinnedPackage>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReleases {
    release: BTreeMap<Spanned<String>, RawRelease>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRelease {
    pip: Vec<PinnedPackage>,
}

/// Reads a file of releases. Returns them with the oldest first.
///
/// # Errors
///
/// The file is not TOML of that form, or the name of a release is not a version.
pub fn load_releases(path: &str, text: &str) -> Result<Vec<Release>, FileError> {
    let RawReleases { release } = from_toml(path, text)?;
    let mut releases = Vec::new();
    for (name, RawRelease { pip }) in release {
        let span = name.span();
        let name = name.into_inner();
        let is_version = |c: char| c.is_ascii_digit() || c == '.';
        let version = number(&name).filter(|_| name.chars().all(is_version));
        let Some(version) = version else {
            let message = format!(
                "`{}` is not a version: write numbers with dots between them, as `2025.0.0`",
                name.escape_debug()
            );
            return Err(place(path, text, span.start, message));
        };
        releases.push(Release { number: name, version, pip });
    }
    releases.sort_by(|one, other| one.version.cmp(&other.version));
    Ok(releases)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: &str =
        "x==1 --hash=sha256:0000000000000000000000000000000000000000000000000000000000000000";

    #[test]
    fn releases_are_sorted_by_number() {
        let release = |name: &str| format!("[release.\"{name}\"]\npip = [\"{PACKAGE}\"]\n");
        let text = ["10.0.0", "9.1", "9.0.2"].map(release).concat();
        let releases = load_releases("x.toml", &text).unwrap();
        let numbers: Vec<&str> = releases.iter().map(|release| release.number.as_str()).collect();
        assert_eq!(numbers, ["9.0.2", "9.1", "10.0.0"]);
        assert_eq!(releases[0].pip[0].name_and_version(), "x==1");
    }

    #[test]
    fn a_mistake_has_its_place() {
        for (text, expected) in [
            ("[release.sid]\npip = []\n", "x.toml:1:10: `sid` is not a version"),
            ("[release.\"1.0\"]\npip = [\"x\"]\n", "x.toml:2:"),
            ("[release.\"1.0\"]\napt = []\n", "x.toml:2:"),
        ] {
            let error = load_releases("x.toml", text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
