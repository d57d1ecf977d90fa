//! The cases that are being built, kept on disk: if the run is killed, the next one knows them.

use std::{io::Write as _, os::unix::fs::FileExt as _, path::Path};

use tempfile::NamedTempFile;

use super::types::Job;

/// Beginning of the names of the files. A file exists as long as its worker slot, or until a resumed run has read it.
pub const BUILDING: &str = "building-";
/// The byte after the last case that is being built.
pub const END: u8 = 0;

/// A record of what one worker slot builds.
pub(super) struct Journal<'r> {
    jobs: &'r [Job],
    file: NamedTempFile,
}

impl<'r> Journal<'r> {
    /// Returns a journal in a folder; `None` if the folder takes no file.
    pub(super) fn new(folder: &Path, jobs: &'r [Job]) -> Option<Self> {
        let file = tempfile::Builder::new().prefix(BUILDING).tempfile_in(folder).ok()?;
        Some(Self { jobs, file })
    }

    /// Records that these jobs are being built.
    pub(super) fn begin(&mut self, jobs: &[usize]) {
        let mut text: Vec<u8> = Vec::new();
        for &job in jobs {
            // Writing to memory cannot fail.
            let _ = writeln!(text, "{}", self.jobs[job].id);
        }
        text.push(END);
        self.write(&text);
    }

    /// Records that nothing is being built.
    pub(super) fn end(&mut self) {
        self.write(&[END]);
    }

    /// Writes the text at the beginning of the file. Errors are ignored: a full disk stops the run elsewhere.
    fn write(&mut self, text: &[u8]) {
        let _ = self.file.as_file().write_all_at(text, 0);
    }
}
