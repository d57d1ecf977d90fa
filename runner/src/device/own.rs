//! Device files of a user's own, outside the suite: folders of them, and single ones by path.

use std::{
    io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use expectations::device::name_in_file;

use super::places::configured;

/// Largest size of a device file: an endless one is rejected.
const LONGEST: u64 = 64 << 20;

/// The folder named on the command line: decided once, before anything is read.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Adds a folder of device files.
pub fn choose(folder: PathBuf) -> io::Result<()> {
    if !folder.is_dir() {
        let message = format!("{} is not a folder: name one with device files", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotADirectory, message));
    }
    // Nobody chooses twice: the command line is read once.
    let _ = FOLDER.set(folder);
    Ok(())
}

/// Returns the folders of the user's device files: that of the command line, and that of the configuration where it
/// exists.
pub fn folders() -> Vec<PathBuf> {
    FOLDER.get().cloned().into_iter().chain(configured().filter(|folder| folder.is_dir())).collect()
}

/// Whether the name of a device is the path of a file.
pub fn is_path(name: &str) -> bool {
    name.contains('/') || Path::new(name).extension().is_some_and(|ending| ending == "toml")
}

/// Returns the name of a device: the one that its file gives it, or the file's stem.
pub fn name(path: &Path, text: &str) -> String {
    let stem = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    name_in_file(text).or_else(stem).unwrap_or_default()
}

/// A device file of a user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnFile {
    /// The device's name: the one that the file gives, or the file's stem.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Text of the file.
    pub text: String,
}

/// A file or folder that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// Path of the file or folder.
    pub path: PathBuf,
    /// Error of the system.
    pub source: io::Error,
}

/// Returns every device file of a folder, in the order of the names.
pub fn files(folder: &Path) -> Result<Vec<OwnFile>, Unreadable> {
    let failed = |source| Unreadable { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|ending| ending == "toml")
            && path.file_stem().is_some_and(|name| name.to_str().is_some())
        {
            let text = text(&path).map_err(|source| Unreadable { path: path.clone(), source })?;
            files.push(OwnFile { name: name(&path, &text), path: path.clone(), text });
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Reads the text of a device file.
pub fn text(path: &Path) -> io::Result<String> {
    let data = std::fs::metadata(path)?;
    // A pipe would be waited for, and a device has no end.
    if !data.is_file() || data.len() > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a device file"));
    }
    std::fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_names_are_told_apart() {
        for (name, path) in [
            ("pocl", false),
            ("pocl-3.0", false),
            ("mine.toml", true),
            ("./mine", true),
            ("/etc/mine.toml", true),
            ("toml", false),
        ] {
            assert_eq!(is_path(name), path, "{name}");
        }
    }
}
