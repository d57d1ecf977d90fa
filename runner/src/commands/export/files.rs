//! Files and folders of an export.

use std::{fs, io, path::Path};

use crate::commands::CommandError;

/// Writes a file, and creates the folders that it lies in.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    if let Some(parent) = path.parent() {
        create_folder(parent)?;
    }
    fs::write(path, text).map_err(|source| failed(path, source))
}

/// Creates a folder if there is none.
pub(super) fn create_folder(path: &Path) -> Result<(), CommandError> {
    fs::create_dir_all(path).map_err(|source| failed(path, source))
}

/// Returns the error about a file or folder.
pub(super) fn failed(path: &Path, source: io::Error) -> CommandError {
    CommandError::File { path: path.display().to_string(), source }
}
