//! The state of a cause upstream.

use serde::Deserialize;

use crate::implementation::number;

/// A change that mends a cause.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// Address of the change; `None` if it is unknown.
    pub change: Option<String>,
    /// The first release that has it; `None` if none has, or if it is not known which.
    pub release: Option<String>,
}

impl Fix {
    /// Whether a driver of that version has the change; no version and no release have it.
    pub fn is_in(&self, version: Option<&str>) -> bool {
        let (release, version) =
            (self.release.as_deref().and_then(number), version.and_then(number));
        release.zip(version).is_some_and(|(release, version)| version >= release)
    }
}

/// The state of a cause upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing, as far as was found.
    Unreported,
    /// A report of this project's, by its address.
    Reported(String),
    /// The report of somebody else about the same, by its address.
    DuplicateOf(String),
    /// They mended it.
    FixedIn(Fix),
}

impl State {
    /// Returns the state that a file gives; `None` if it gives more than one.
    pub(super) fn new(
        reported: Option<String>,
        duplicate_of: Option<String>,
        fixed_in: Option<Fix>,
    ) -> Option<Self> {
        match (reported, duplicate_of, fixed_in) {
            (None, None, None) => Some(Self::Unreported),
            (Some(report), None, None) => Some(Self::Reported(report)),
            (None, Some(report), None) => Some(Self::DuplicateOf(report)),
            (None, None, Some(fix)) => Some(Self::FixedIn(fix)),
            _ => None,
        }
    }

    /// Returns a few words for tables.
    pub fn text(&self) -> String {
        match self {
            Self::Unreported => "not reported".to_owned(),
            Self::Reported(_) => "reported".to_owned(),
            Self::DuplicateOf(_) => "reported by others".to_owned(),
            Self::FixedIn(Fix { release: Some(release), .. }) => format!("mended in {release}"),
            Self::FixedIn(_) => "mended, not released".to_owned(),
        }
    }

    /// Returns the link to the report or the change, if there is one.
    pub fn link(&self) -> Option<&str> {
        match self {
            Self::Unreported => None,
            Self::Reported(link) | Self::DuplicateOf(link) => Some(link),
            Self::FixedIn(fix) => fix.change.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_has_what_an_older_one_got() {
        let fix = |release: Option<&str>| Fix { change: None, release: release.map(str::to_owned) };
        for (release, version, expected) in [
            (Some("7.2"), Some("7.1"), false),
            (Some("7.2"), Some("7.2"), true),
            (Some("7.2"), Some("8.0"), true),
            (Some("7.2"), None, false),
            (None, Some("7.1"), false),
        ] {
            assert_eq!(fix(release).is_in(version), expected, "{release:?} {version:?}");
        }
    }
}
