//! The files that `#include` reads.

use std::{
    fmt, fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::source::MAX_TOTAL_SIZE;

/// A source of included files.
pub trait Loader: fmt::Debug + Send + Sync {
    /// Returns the bytes of the file at `path`; an error of kind `NotFound` lets the search continue.
    fn load(&self, path: &Path) -> io::Result<Vec<u8>>;
}

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

impl Loader for FileSystem {
    fn load(&self, path: &Path) -> io::Result<Vec<u8>> {
        let file = fs::metadata(path)?;
        if !file.is_file() {
            let message = "it is not a regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        read_capped(fs::File::open(path)?)
    }
}

/// Reads `source` to its end, or to the largest size of a program: devices have no end.
pub fn read_capped(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_TOTAL_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    if read > MAX_TOTAL_SIZE {
        let message = format!("it is larger than {MAX_TOTAL_SIZE} bytes, the most that is read");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let message = "it is written in UTF-16: convert it by `iconv -f UTF-16 -t UTF-8`";
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(bytes)
}

/// No files at all: every `#include` fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// Returns the paths to try for `name`, in order: beside the including file for `"name"`, then the include folders.
pub(super) fn candidates(
    name: &str,
    quoted: bool,
    including: &str,
    folders: &[PathBuf],
) -> impl Iterator<Item = PathBuf> {
    let beside = quoted.then(|| Path::new(including).with_file_name("").join(name));
    beside.into_iter().chain(folders.iter().map(move |folder| folder.join(name)))
}
