//! A worker's temporary folder.

use std::{
    collections::BTreeSet,
    env, fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};
use tempfile::TempDir;

/// The placeholder for the folder in the variables of a worker.
const PLACEHOLDER: &str = "{scratch}";
/// The placeholder for a folder in it with what the driver wrote when it was started first.
const PRIMED: &str = "{primed}";
/// Name of that folder.
const PRIMED_FOLDER: &str = "primed";

/// A file system in memory: drivers write, link and delete thousands of small files, and wait for a disk.
const IN_MEMORY: &str = "/dev/shm";
/// Smallest free space for the folder there, in bytes. Most containers have less, and then the folder is put where all
/// temporary files are.
const LEAST_ROOM: u64 = 1 << 30;

/// A temporary folder, which is deleted when the worker is gone.
pub(crate) struct Scratch {
    folder: TempDir,
    identity: Option<(u64, u64)>,
}

/// A reason why there is no folder.
pub(crate) struct NoScratch {
    pub(crate) action: &'static str,
    pub(crate) source: io::Error,
}

impl Scratch {
    /// Creates a folder, whose path is UTF-8.
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

    /// Returns the path of the driver's cache.
    pub(crate) fn primed(&self) -> PathBuf {
        self.path().join(PRIMED_FOLDER)
    }

    /// Whether the folder still exists: without it, an answer is not evidence about a program.
    pub(crate) fn is_there(&self) -> bool {
        identity(self.folder.path()) == self.identity
    }

    /// Returns variables with the folder in them, and `TMPDIR`.
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

/// Returns where to create the folders of workers: in memory if there is room, unless `TMPDIR` is set.
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

/// A measurement of a folder's files that costs little, however many they are.
#[derive(Debug, Default)]
pub(crate) struct FileMeter {
    bytes: u64,
    /// The time of the next count.
    due: Option<Instant>,
    /// Bytes that the whole file system held at the last count.
    held: u64,
}

impl FileMeter {
    /// Least time between two counts.
    const PAUSE: Duration = Duration::from_millis(100);
    /// Length of the pause, in times of the count before it.
    const PAUSE_BY_COST: u32 = 50;

    /// Returns how many bytes the files of a folder took at the last count. If its whole file system holds less than
    /// `floor`, nothing is counted and the answer is 0. A file system that has grown by `floor` since the last count is
    /// counted at once: a driver may fill it between two counts.
    pub(crate) fn measure(&mut self, folder: &Path, floor: u64) -> u64 {
        let used = statvfs(folder).map_or(u64::MAX, |system| {
            system.f_blocks.saturating_sub(system.f_bfree).saturating_mul(system.f_frsize)
        });
        if used < floor {
            self.bytes = 0;
            return 0;
        }
        let begun = Instant::now();
        let has_grown = used >= self.held.saturating_add(floor);
        if has_grown || self.due.is_none_or(|due| due <= begun) {
            self.held = used;
            self.bytes = bytes_below(folder);
            let pause = (begun.elapsed() * Self::PAUSE_BY_COST).max(Self::PAUSE);
            self.due = Some(Instant::now() + pause);
        }
        self.bytes
    }
}

/// Returns how many bytes the files below a folder take; one with several names is counted once.
fn bytes_below(folder: &Path) -> u64 {
    let mut bytes = 0;
    let mut linked = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // Of a link it is the link's own.
            let Ok(data) = entry.metadata() else { continue };
            if data.is_dir() {
                folders.push(entry.path());
            } else if data.nlink() <= 1 || linked.insert((data.dev(), data.ino())) {
                bytes += data.blocks() * 512;
            }
        }
    }
    bytes
}

/// Returns the device and inode of a folder.
fn identity(folder: &Path) -> Option<(u64, u64)> {
    fs::metadata(folder).ok().map(|data| (data.dev(), data.ino()))
}

/// Returns the variables that depend on the folder.
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

    #[test]
    fn files_are_measured_once_each() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        fs::write(below.join("one"), vec![1; 1 << 20]).unwrap();
        fs::hard_link(below.join("one"), folder.path().join("linked")).unwrap();
        std::os::unix::fs::symlink(&below, folder.path().join("pointer")).unwrap();
        let mut meter = FileMeter::default();
        let bytes = meter.measure(folder.path(), 64 << 20);
        assert!((1 << 20..(1 << 20) + 65536).contains(&bytes), "{bytes}");
        fs::write(below.join("two"), vec![1; 1 << 20]).unwrap();
        assert_eq!(meter.measure(folder.path(), 64 << 20), bytes, "not again at once");
        std::thread::sleep(FileMeter::PAUSE * 2);
        assert!(meter.measure(folder.path(), 64 << 20) >= 2 << 20);
        assert_eq!(meter.measure(folder.path(), u64::MAX), 0, "the whole disk has less");
    }

    #[test]
    fn what_fills_a_folder_between_two_counts_is_counted() {
        let scratch = Scratch::new().map_err(|fault| fault.source).unwrap();
        let mut meter = FileMeter {
            due: Some(Instant::now() + Duration::from_mins(1)),
            ..FileMeter::default()
        };
        meter.held = statvfs(scratch.path())
            .map(|system| system.f_blocks.saturating_sub(system.f_bfree) * system.f_frsize)
            .unwrap();
        let floor = 1 << 20;
        assert_eq!(meter.measure(scratch.path(), floor), 0);
        fs::write(scratch.path().join("filled"), vec![1; 4 << 20]).unwrap();
        fs::File::open(scratch.path().join("filled")).unwrap().sync_all().unwrap();
        assert!(meter.measure(scratch.path(), floor) >= 4 << 20);
    }
}
