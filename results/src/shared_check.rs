//! The check of the verdicts that shared builds gave.

use expectations::evidence::Evidence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A check of the verdicts that shared builds gave, by builds of a sample of the cases alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SharedCheck {
    /// Number of verdicts that shared builds gave.
    pub verdicts: usize,
    /// Ids of the cases that a build of the case alone gave the same verdict, ascending.
    pub confirmed: Vec<String>,
    /// Ids of the cases that a build of the case alone gave a different verdict, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differing: Vec<String>,
    /// Kinds of evidence whose verdicts were all repeated by building the cases alone, because one of them differed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<Evidence>,
}

impl SharedCheck {
    /// Adds the check of another part of the run.
    pub fn join(&mut self, other: Self) {
        self.verdicts += other.verdicts;
        self.confirmed.extend(other.confirmed);
        self.differing.extend(other.differing);
        self.withdrawn.extend(other.withdrawn);
        for ids in [&mut self.confirmed, &mut self.differing] {
            ids.sort_unstable();
            ids.dedup();
        }
        self.withdrawn.sort_unstable();
        self.withdrawn.dedup();
    }

    /// Returns the check in a sentence; `None` if no verdict came of a shared build.
    pub fn text(&self) -> Option<String> {
        if self.verdicts == 0 {
            return None;
        }
        let checked = self.confirmed.len() + self.differing.len();
        let of = format!(
            "{checked} of {} verdicts of shared builds were checked by building the cases alone",
            self.verdicts
        );
        Some(match (self.differing.first(), self.withdrawn.as_slice()) {
            (None, _) => format!("{of}; none differ"),
            (Some(first), withdrawn) => {
                let kinds: Vec<&str> = withdrawn.iter().map(|kind| kind.name()).collect();
                format!(
                    "{of}; {} differ (the first: {first}): all verdicts by {} were repeated with \
                     such builds",
                    self.differing.len(),
                    kinds.join(" and "),
                )
            }
        })
    }
}
