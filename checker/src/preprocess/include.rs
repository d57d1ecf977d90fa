//! How `#include` finds files.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// Where the text of included files comes from.
pub trait Loader: fmt::Debug + Send + Sync {
    /// The bytes of the file at `path`; an error of kind `NotFound` lets the search go on.
    fn load(&self, path: &Path) -> io::Result<Vec<u8>>;
}

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

impl Loader for FileSystem {
    fn load(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }
}

/// No files at all: every `#include` fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// The places to look for `name`, best first: beside the including file for `"name"`, then the include folders.
pub(super) fn candidates(
    name: &str,
    quoted: bool,
    including: &str,
    folders: &[PathBuf],
) -> impl Iterator<Item = PathBuf> {
    let beside = quoted.then(|| Path::new(including).with_file_name("").join(name));
    beside.into_iter().chain(folders.iter().map(move |folder| folder.join(name)))
}
