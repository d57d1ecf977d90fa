//! The error of a module that cannot be read.

use std::fmt;

use thiserror::Error;

/// A module that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {message}")]
pub struct ReadError {
    /// Place of the mistake.
    pub place: ModulePlace,
    /// The mistake.
    pub message: String,
}

/// A place in a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModulePlace {
    /// The module as a whole.
    #[default]
    Whole,
    /// A place in LLVM IR, each counted from 1.
    Line {
        line: u32,
        /// The column in bytes.
        column: u32,
    },
    /// A word of SPIR-V, counted from 0.
    Word(u32),
    /// The result id of an instruction of SPIR-V.
    Id(u32),
}

impl fmt::Display for ModulePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("module"),
            Self::Line { line, column: 0 } => write!(f, "line {line}"),
            Self::Line { line, column } => write!(f, "line {line}, column {column}"),
            Self::Word(word) => write!(f, "word {word}"),
            Self::Id(id) => write!(f, "%{id}"),
        }
    }
}
