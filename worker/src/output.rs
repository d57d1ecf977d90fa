//! Standard output while a kernel runs: drivers write there what `printf` prints.

#![expect(unsafe_code, reason = "streams of the C library belong to it")]

use std::{
    fs::File,
    io::{self, Seek as _},
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::fs::FileExt as _,
    },
    ptr,
};

use expectations::probe::plan::MOST_PRINTED;
use rustix::{
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create},
    io::fcntl_dupfd_cloexec,
    stdio::{dup2_stdout, stdout},
};

/// Standard output that is kept, until it is read or dropped.
pub(crate) struct KeptOutput {
    file: File,
    /// Standard output before and afterwards.
    usual: OwnedFd,
}

impl KeptOutput {
    /// Keeps what this process writes to standard output from now on. A write that exceeds the limit fails.
    pub(crate) fn begin() -> io::Result<Self> {
        let memory = memfd_create("printed", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&memory, MOST_PRINTED as u64)?;
        fcntl_add_seals(&memory, SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
        // Linux takes the position of a file for one write at a time only if the file was opened: threads of a driver
        // would overwrite each other's text.
        let path = format!("/proc/self/fd/{}", memory.as_raw_fd());
        let file = File::options().read(true).write(true).open(path)?;
        let usual = fcntl_dupfd_cloexec(stdout(), 3)?;
        flush();
        dup2_stdout(&file)?;
        Ok(Self { file, usual })
    }

    /// Returns what was written.
    pub(crate) fn read(mut self) -> io::Result<Vec<u8>> {
        flush();
        // Both descriptors share one position.
        let written = usize::try_from(self.file.stream_position()?).unwrap_or(MOST_PRINTED);
        let mut bytes = vec![0; written.min(MOST_PRINTED)];
        self.file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}

impl Drop for KeptOutput {
    fn drop(&mut self) {
        flush();
        // Standard output stays where it is only where the system has no more descriptors.
        let _ = dup2_stdout(&self.usual);
        // A stream keeps what it could not write, and would write it into what is kept next.
        flush();
    }
}

/// Has the streams of the C library write what they hold.
fn flush() {
    // SAFETY: without a stream the function takes all of them.
    unsafe { libc::fflush(ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// Writes through the C library, as drivers do.
    fn print(text: &str) {
        let text = std::ffi::CString::new(text).unwrap();
        // SAFETY: the format takes one string, which ends with a null character.
        unsafe { libc::printf(c"%s".as_ptr(), text.as_ptr()) };
    }

    /// One test: there is one standard output.
    #[test]
    fn output_is_kept_and_bounded() {
        print("before");
        let kept = KeptOutput::begin().unwrap();
        print("first ");
        File::from(fcntl_dupfd_cloexec(stdout(), 3).unwrap()).write_all(b"unbuffered ").unwrap();
        print("last");
        let read = String::from_utf8(kept.read().unwrap()).unwrap();
        assert_eq!(read, "unbuffered first last");
        print("between");
        let kept = KeptOutput::begin().unwrap();
        assert_eq!(kept.read().unwrap(), b"");
        let kept = KeptOutput::begin().unwrap();
        for _ in 0..1000 {
            print(&"x".repeat(1000));
        }
        let read = kept.read().unwrap();
        assert!(read.len() <= MOST_PRINTED && read.len() > MOST_PRINTED / 2, "{}", read.len());
        let kept = KeptOutput::begin().unwrap();
        let write = |text: &[u8]| {
            let mut file = File::from(fcntl_dupfd_cloexec(stdout(), 3).unwrap());
            (0..1000).for_each(|_| file.write_all(text).unwrap());
        };
        std::thread::scope(|scope| {
            for text in [b"one\n", b"two\n", b"six\n", b"ten\n"] {
                scope.spawn(|| write(text));
            }
        });
        let read = String::from_utf8(kept.read().unwrap()).unwrap();
        for text in ["one", "two", "six", "ten"] {
            assert_eq!(read.lines().filter(|line| *line == text).count(), 1000, "{text}");
        }
        let kept = KeptOutput::begin().unwrap();
        print("again");
        assert_eq!(kept.read().unwrap(), b"again");
    }
}
