//! Folders of a user's own files and of installed packages.

use std::{
    env,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy as _;

/// The program's folder in those of the platform.
const PROGRAM: &str = "opencl-c-address-spaces";

/// File that a checkout of the suite has and an overlay does not.
const OF_A_CHECKOUT: &str = "expectations/Cargo.toml";

/// Returns the folder of device files in the user's configuration, whether or not it exists; `None` if the user has
/// no home.
pub(super) fn configured() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.config_dir().join(PROGRAM).join("devices"))
}

/// Returns the folder for everything installed that is not a package of this system: `target/devices` in a checkout of
/// the suite and its folders, the user's cache folder elsewhere.
pub(super) fn installed() -> PathBuf {
    let here = env::current_dir().unwrap_or_default();
    let cache = etcetera::choose_base_strategy().ok().map(|base| base.cache_dir());
    installed_from(&here, cache.as_deref())
}

/// Returns the file in which what runs took is kept, beside the folder for everything installed; `None` if there is
/// neither a checkout nor a cache folder.
pub fn times() -> Option<PathBuf> {
    let cache = || Some(etcetera::choose_base_strategy().ok()?.cache_dir().join(PROGRAM));
    let folder = checkout().map(|checkout| checkout.join("target")).or_else(cache)?;
    Some(folder.join("times.json"))
}

/// Returns the checkout of the suite that the current folder is in.
pub fn checkout() -> Option<PathBuf> {
    checkout_of(&env::current_dir().ok()?).map(Path::to_owned)
}

fn checkout_of(here: &Path) -> Option<&Path> {
    here.ancestors().find(|folder| folder.join(OF_A_CHECKOUT).is_file())
}

fn installed_from(here: &Path, cache: Option<&Path>) -> PathBuf {
    match (checkout_of(here), cache) {
        (Some(checkout), _) => checkout.join("target/devices"),
        (None, Some(cache)) => cache.join(PROGRAM).join("devices"),
        (None, None) => here.join(PROGRAM),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_installed_lies_in_the_checkout_or_in_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let checkout = folder.path().join("suite");
        fs::create_dir_all(checkout.join("expectations")).unwrap();
        fs::write(checkout.join(OF_A_CHECKOUT), "").unwrap();
        let (target, below) = (checkout.join("target/devices"), checkout.join("runner/src"));
        let elsewhere = folder.path().join("elsewhere");
        let overlay = folder.path().join("overlay");
        fs::create_dir_all(overlay.join("expectations/devices")).unwrap();
        let home = Path::new("/home/me/.cache");
        for (here, cache, expected) in [
            (&checkout, Some(home), target.clone()),
            (&below, Some(home), target.clone()),
            (&checkout, None, target),
            (&elsewhere, Some(home), home.join("opencl-c-address-spaces/devices")),
            (&overlay, Some(home), home.join("opencl-c-address-spaces/devices")),
            (&elsewhere, None, elsewhere.join("opencl-c-address-spaces")),
        ] {
            assert_eq!(installed_from(here, cache), expected, "{}", here.display());
        }
    }
}
