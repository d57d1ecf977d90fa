//! The evidence for a verdict on one case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The evidence for a device's verdict on one case.
///
/// A build of one case is a verdict on that case. A build that several cases share is a verdict on the program as a
/// whole, and counts for a case only with one of the other kinds of evidence.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// A build of the case and of nothing else.
    Alone,
    /// The acceptance of a program that has the case in it.
    Program,
    /// The rejection of a program, with an error at a place within the case.
    Line,
    /// The rejection of a program, with an error of a linker or assembler about a symbol that only this case declares.
    Symbol,
}

impl Evidence {
    /// Every kind of evidence.
    pub const ALL: [Self; 4] = [Self::Alone, Self::Program, Self::Line, Self::Symbol];

    /// Returns `alone`, `program`, `line` or `symbol`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Program => "program",
            Self::Line => "line",
            Self::Symbol => "symbol",
        }
    }

    /// Returns a phrase that follows "judged by".
    pub const fn text(self) -> &'static str {
        match self {
            Self::Alone => "a build of the case alone",
            Self::Program => "the acceptance of a program that it shares with others",
            Self::Line => "an error at one of its lines, in a program that it shares with others",
            Self::Symbol => {
                "a linker's error about one of its symbols, in a program that it shares with others"
            }
        }
    }

    /// Whether the build had other cases in it.
    pub const fn is_shared(self) -> bool {
        !matches!(self, Self::Alone)
    }
}
