//! The verdict of the text on a program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict of the text on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The program is valid.
    Accept,
    /// The program is invalid.
    Reject,
    /// The program has more than one reading. A compiler must not crash on it in any of them.
    Disputed,
}

impl Verdict {
    /// Returns the name in files: `accept`, `reject` or `disputed`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Disputed => "disputed",
        }
    }
}
