//! Releases of the devices' drivers, from the files that ship with the program.

use std::path::Path;

use expectations::{
    device::INSTANCE,
    load::FileError,
    release::{RELEASES_FOLDER, Release, load_releases},
};
use rust_embed::RustEmbed;
use thiserror::Error;

use crate::overlay::{self, OverlayError};

/// A file of releases that cannot be used.
#[derive(Debug, Error)]
pub enum ReleasesError {
    /// The file has a mistake.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder with further files cannot be read.
    #[error(transparent)]
    Overlay(#[from] OverlayError),
}

#[derive(RustEmbed)]
#[folder = "../expectations/releases"]
struct EmbeddedReleases;

/// Returns the releases of a device, the oldest first; none of a device that has no file of releases. A folder laid out
/// like the repository may have a file of its own.
pub fn of_family(folder: Option<&Path>, family: &str) -> Result<Vec<Release>, ReleasesError> {
    let name = format!("{family}.toml");
    let path = format!("{RELEASES_FOLDER}/{name}");
    if let Some(folder) = folder
        && let Some(text) = overlay::texts(folder, RELEASES_FOLDER)?.get(&path)
    {
        let shown = folder.join(&path).display().to_string();
        return Ok(load_releases(&shown, text)?);
    }
    let Some(file) = EmbeddedReleases::get(&name) else { return Ok(Vec::new()) };
    Ok(load_releases(&path, &String::from_utf8_lossy(&file.data))?)
}

/// Returns the names of the devices that are releases of a device, the oldest first.
pub fn names(folder: Option<&Path>, family: &str) -> Result<Vec<String>, ReleasesError> {
    let releases = of_family(folder, family)?;
    Ok(releases.iter().map(|release| format!("{family}{INSTANCE}{}", release.number)).collect())
}
