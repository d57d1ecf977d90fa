//! A worker's temporary folder.

use std::{
    env, fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};
use tempfile::TempDir;

/// Stands for the folder in the variables of a worker.
const PLACEHOLDER: &str = "{scratch}";
/// Stands there for a folder in it that holds what the driver wrote when it was started first.
const PRIMED: &str = "{primed}";
/// What that is called.
const PRIMED_FOLDER: &str = "primed";

/// Where files lie in memory: drivers write, link and delete thousands of small ones, and wait for the disk.
const IN_MEMORY: &str = "/dev/shm";
/// Where there is less room, as in most containers, the folder lies with all temporary files.
const LEAST_ROOM: u64 = 1 << 30;

/// Deleted when the worker is gone.
pub(crate) struct Scratch {
    folder: TempDir,
    identity: Option<(u64, u64)>,
}

/// What could not be done, and why.
pub(crate) struct NoScratch {
    pub(crate) action: &'static str,
    pub(crate) source: io::Error,
}

impl Scratch {
    /// Make one; its path is UTF-8, as whoever is told of it wants.
    pub(crate) fn new() -> Result<Self, NoScratch> {
        let machine = |action| move |source| NoScratch { action, source };
        let folder = TempDir::with_prefix_in("address-spaces-", parent(Path::new(IN_MEMORY)))
            .map_err(machine("creating a temporary folder"))?;
        if folder.path().to_str().is_none() {
            let message = format!(
                "its path {} is not UTF-8: set TMPDIR to a folder whose path is",
                folder.path().display()
            );
            let source = io::Error::new(io::ErrorKind::InvalidInput, message);
            return Err(machine("using the temporary folder")(source));
        }
        let identity = identity(folder.path());
        Ok(Self { folder, identity })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder for a driver's cache.
    pub(crate) fn primed(&self) -> PathBuf {
        self.path().join(PRIMED_FOLDER)
    }

    /// Whether it is still there: without it, an answer says nothing of a program.
    pub(crate) fn is_there(&self) -> bool {
        identity(self.folder.path()) == self.identity
    }

    /// Variables with the folder in them, and the one that has programs put their files there.
    pub(crate) fn variables(&self, environment: &[(String, String)]) -> Vec<(String, String)> {
        let path = self.path().to_string_lossy();
        let primed = self.primed();
        let filled = environment.iter().map(|(name, value)| {
            let value = value.replace(PLACEHOLDER, &path);
            (name.clone(), value.replace(PRIMED, &primed.to_string_lossy()))
        });
        [("TMPDIR".to_owned(), path.clone().into_owned())].into_iter().chain(filled).collect()
    }
}

/// Where the folders of workers are made: in memory where that will do, unless somebody says where temporary files go.
fn parent(in_memory: &Path) -> PathBuf {
    if env::var_os("TMPDIR").is_none() && will_do(in_memory) {
        in_memory.to_owned()
    } else {
        env::temp_dir()
    }
}

/// Whether drivers have room for their files there, and can load what they link of them.
fn will_do(folder: &Path) -> bool {
    statvfs(folder).is_ok_and(|system| {
        system.f_bavail.saturating_mul(system.f_frsize) >= LEAST_ROOM
            && !system.f_flag.contains(StatVfsMountFlags::NOEXEC)
    }) && access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// What makes a folder this one and no other.
fn identity(folder: &Path) -> Option<(u64, u64)> {
    fs::metadata(folder).ok().map(|data| (data.dev(), data.ino()))
}

/// The variables that depend on the folder.
pub(crate) fn that_name_it(environment: &[(String, String)]) -> Vec<(String, String)> {
    let names_it = |value: &str| value.contains(PLACEHOLDER) || value.contains(PRIMED);
    environment.iter().filter(|(_, value)| names_it(value)).cloned().collect()
}

/// Whether a worker's driver is given a cache that was written when it was started first.
pub(crate) fn are_primed(environment: &[(String, String)]) -> bool {
    environment.iter().any(|(_, value)| value.contains(PRIMED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_lie_where_files_can_be_written_and_executed() {
        assert!(!will_do(Path::new("/proc")), "nothing can be written there");
        assert!(!will_do(Path::new("/no/such/folder")));
        assert_eq!(parent(Path::new("/no/such/folder")), env::temp_dir());
        let scratch = Scratch::new().map_err(|fault| fault.source).unwrap();
        assert!(scratch.is_there());
        assert!(scratch.path().starts_with(parent(Path::new(IN_MEMORY))));
    }
}
