//! Sources of rules, templates and device files: the program itself, and a folder laid out like the repository.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use generator::{
    files::SuiteFiles,
    suite::{Suite, SuiteError},
};
use thiserror::Error;

/// Error on reading the suite, or a folder with files for it.
#[derive(Debug, Error)]
pub enum OverlayError {
    /// The folder is none.
    #[error("{} is not a folder: name one with `expectations` or `templates` in it", .0.display())]
    NoFolder(PathBuf),
    /// A file or folder cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The suite is wrong.
    #[error(transparent)]
    Suite(#[from] SuiteError),
}

/// The folder named on the command line: decided once, before anything is read.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Adds the files of a folder to the suite; each is added or replaces the one inside the program.
pub fn choose(folder: PathBuf) -> Result<(), OverlayError> {
    if !folder.is_dir() {
        return Err(OverlayError::NoFolder(folder));
    }
    // Nobody chooses twice: the command line is read once.
    let _ = FOLDER.set(folder);
    Ok(())
}

/// Returns the folder that was chosen.
pub fn folder() -> Option<&'static Path> {
    FOLDER.get().map(PathBuf::as_path)
}

/// Returns the suite of the program with the files of the chosen folder.
pub fn suite() -> Result<Suite, OverlayError> {
    suite_with(folder())
}

/// Returns the suite of the program with the files of a folder.
pub fn suite_with(folder: Option<&Path>) -> Result<Suite, OverlayError> {
    let suite = Suite::from_files(files_with(folder)?)?;
    let known: Vec<&str> = checker::rule::Rule::ALL.iter().map(|rule| rule.id()).collect();
    suite.check_prohibitions(&known)?;
    Ok(suite)
}

/// Returns the files of the program's suite with those of a folder.
pub fn files_with(folder: Option<&Path>) -> Result<SuiteFiles, OverlayError> {
    let mut files = SuiteFiles::embedded();
    if let Some(folder) = folder {
        for below in ["expectations", "templates"] {
            for (path, text) in texts(folder, below)? {
                files.add(&path, &folder.join(&path).display().to_string(), text);
            }
        }
    }
    Ok(files)
}

/// Returns the texts of all files in the subfolder `below` of a folder, by their paths relative to the folder; none
/// where it does not exist.
pub fn texts(root: &Path, below: &str) -> Result<BTreeMap<String, String>, OverlayError> {
    let mut texts = BTreeMap::new();
    let mut folders = vec![root.join(below)];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        let failed = |path: &Path, source: std::io::Error| OverlayError::Unreadable {
            path: path.display().to_string(),
            source,
        };
        for entry in std::fs::read_dir(&folder).map_err(|source| failed(&folder, source))? {
            let path = entry.map_err(|source| failed(&folder, source))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(root)
                && path.extension().is_some_and(|ending| ending == "toml" || ending == "tera")
            {
                let text =
                    std::fs::read_to_string(&path).map_err(|source| failed(&path, source))?;
                texts.insert(name.display().to_string(), text);
            }
        }
    }
    Ok(texts)
}
