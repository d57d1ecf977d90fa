//! Releases of a driver that were asked for a cause.

use serde::Deserialize;

use crate::implementation::number;

/// Releases of a driver, by whether they have a cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedReleases {
    /// Releases that have it, the oldest first.
    pub wrong: Vec<String>,
    /// Releases that do not have it, the oldest first.
    #[serde(default)]
    pub right: Vec<String>,
}

impl AskedReleases {
    /// Whether both lists begin with their oldest release, and no release is in both.
    pub(super) fn is_sorted(&self) -> bool {
        let is_sorted = |releases: &[String]| releases.is_sorted_by_key(|release| number(release));
        let is_in_both = |release: &String| self.right.contains(release);
        is_sorted(&self.wrong) && is_sorted(&self.right) && !self.wrong.iter().any(is_in_both)
    }

    /// Returns the first release that is known to have the cause, or states that the oldest tested one has it; `None`
    /// where none has it.
    pub fn since(&self) -> Option<String> {
        let first = self.wrong.first()?;
        let is_older = |right: &String| number(right) < number(first);
        let before = if self.right.iter().any(is_older) { "" } else { " or before" };
        Some(format!("{first}{before}"))
    }

    /// Returns a few words, as `2 and 3 are wrong, 1 is right`; nothing if no release was tested.
    pub fn text(&self) -> String {
        let part = |releases: &[String], word: &str| {
            let (last, others) = releases.split_last()?;
            Some(match others {
                [] => format!("{last} is {word}"),
                others => format!("{} and {last} are {word}", others.join(", ")),
            })
        };
        let parts = [part(&self.wrong, "wrong"), part(&self.right, "right")];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_began_with_its_first_release_where_an_older_one_is_right() {
        for (wrong, right, since, text) in [
            (
                &["2.1", "3"][..],
                &["1", "2"][..],
                Some("2.1"),
                "2.1 and 3 are wrong, 1 and 2 are right",
            ),
            (&["9", "10"][..], &[][..], Some("9 or before"), "9 and 10 are wrong"),
            (&["9"][..], &["10"][..], Some("9 or before"), "9 is wrong, 10 is right"),
            (&[][..], &[][..], None, ""),
        ] {
            let owned =
                |releases: &[&str]| releases.iter().map(|&release| release.to_owned()).collect();
            let asked = AskedReleases { wrong: owned(wrong), right: owned(right) };
            assert!(asked.is_sorted(), "{asked:?}");
            assert_eq!((asked.since().as_deref(), asked.text().as_str()), (since, text));
        }
        let unsorted =
            AskedReleases { wrong: vec!["10".to_owned(), "9".to_owned()], right: Vec::new() };
        assert!(!unsorted.is_sorted());
    }
}
