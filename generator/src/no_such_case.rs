//! The answer to an id that names no case.

use thiserror::Error;

/// An id that names no case.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct NoSuchCase {
    message: String,
}

impl NoSuchCase {
    pub(crate) fn new(message: String) -> Self {
        Self { message }
    }
}
