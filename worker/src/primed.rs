//! Files that a driver writes into its cache when it starts and builds its first program. They are kept for later
//! workers, which start faster with them; they hold no answer to any other program.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Drivers write on threads of their own: this long no new file may have come.
const QUIET: Duration = Duration::from_millis(200);
/// Interval between two looks at the folder.
const TICK: Duration = Duration::from_millis(20);
/// Longest time to wait until a driver stops writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// A folder as it was.
pub(crate) struct PrimedCache {
    folder: TempDir,
    files: BTreeSet<PathBuf>,
}

impl PrimedCache {
    /// Copies the files of a folder once they no longer change.
    pub(crate) fn of(folder: &Path) -> io::Result<Self> {
        settle(folder)?;
        let kept = TempDir::with_prefix("address-spaces-primed-")?;
        let files = files(folder)?;
        copy(folder, &files, kept.path())?;
        Ok(Self { folder: kept, files })
    }

    /// Copies the files into another folder.
    pub(crate) fn fill(&self, folder: &Path) -> io::Result<()> {
        copy(self.folder.path(), &self.files, folder)
    }

    /// Removes the files that were added to a filled folder since.
    pub(crate) fn restore(&self, folder: &Path) -> io::Result<()> {
        for file in files(folder)?.difference(&self.files) {
            match fs::remove_file(folder.join(file)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Waits until the files of a folder no longer change.
fn settle(folder: &Path) -> io::Result<()> {
    let begun = Instant::now();
    let look = || -> io::Result<Vec<(PathBuf, u64)>> {
        let sizes = files(folder)?.into_iter().map(|file| {
            let size = fs::metadata(folder.join(&file)).map_or(0, |data| data.len());
            (file, size)
        });
        Ok(sizes.collect())
    };
    let (mut seen, mut since) = (look()?, Instant::now());
    while since.elapsed() < QUIET && begun.elapsed() < PATIENCE {
        thread::sleep(TICK);
        let now = look()?;
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
    }
    Ok(())
}

/// Returns the paths of the files below a folder, relative to it.
fn files(folder: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else if let Ok(path) = entry.path().strip_prefix(folder) {
                found.insert(path.to_owned());
            }
        }
    }
    Ok(found)
}

fn copy(from: &Path, files: &BTreeSet<PathBuf>, to: &Path) -> io::Result<()> {
    for file in files {
        let target = to.join(file);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        match fs::copy(from.join(file), target) {
            // A driver's temporary file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            copied => drop(copied?),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_taken_out_and_what_was_there_stays() {
        let [first, second] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        fs::create_dir_all(first.path().join("a/b")).unwrap();
        fs::write(first.path().join("a/b/start"), "1").unwrap();
        let primed = PrimedCache::of(first.path()).unwrap();
        primed.fill(second.path()).unwrap();
        fs::write(second.path().join("a/b/answer"), "2").unwrap();
        fs::write(second.path().join("answer"), "3").unwrap();
        primed.restore(second.path()).unwrap();
        assert_eq!(files(second.path()).unwrap(), BTreeSet::from([PathBuf::from("a/b/start")]));
        assert_eq!(fs::read(second.path().join("a/b/start")).unwrap(), b"1");
    }
}
