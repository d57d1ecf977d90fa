//! Hashes of files.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// Returns the SHA-256 of a file.
///
/// # Errors
///
/// The file cannot be read, or is none.
pub fn sha256_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let (mut hasher, mut part) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(HEXLOWER.encode(&hasher.finalize())),
            read => hasher.update(&part[..read]),
        }
    }
}
