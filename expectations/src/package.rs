//! Packages of `PyPI`, each pinned to a version and a hash.

use serde::Deserialize;

/// A `PyPI` package in one version, with the hash of every file that may be taken for it: a line of pip's requirements,
/// `NAME==VERSION --hash=sha256:HASH ...`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PinnedPackage(String);

impl PinnedPackage {
    /// Returns the line of pip's requirements.
    pub fn requirement(&self) -> &str {
        &self.0
    }

    pub fn name_and_version(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }
}

impl TryFrom<String> for PinnedPackage {
    type Error = String;

    fn try_from(line: String) -> Result<Self, String> {
        let is_hash = |word: &str| {
            let digits = word.strip_prefix("--hash=sha256:");
            digits.is_some_and(|d| d.len() == 64 && d.chars().all(|c| c.is_ascii_hexdigit()))
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_version = |word: &str| {
            let parts = word.split_once("==");
            parts.is_some_and(|(n, v)| [n, v].iter().all(|t| !t.is_empty() && t.chars().all(plain)))
        };
        let mut words = line.split(' ');
        if words.next().is_some_and(is_version) && words.clone().count() > 0 && words.all(is_hash) {
            return Ok(Self(line));
        }
        Err(format!(
            "`{}` names no version and hash: write `NAME==VERSION --hash=sha256:HASH`, as `pip hash` of the file that `pip download NAME` brings prints it",
            line.escape_debug()
        ))
    }
}
