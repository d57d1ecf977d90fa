//! Outcomes of the programs that a reduction tried, kept in a file from which an interrupted reduction continues.

use std::{
    cell::RefCell,
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use expectations::{
    case_id::CaseId,
    outcome::{Outcome, OutcomeKind},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::engine::Job;

/// The version of the file's format.
const FORMAT: u32 = 1;

/// The first line of the file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    format: u32,
    /// The device's name.
    device: String,
    /// The program that is reduced.
    program: String,
}

/// A line of the file: a program that was tried.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// The driver's version.
    driver: String,
    /// The digest of the program, its options and its probe.
    program: String,
    outcome: Outcome,
}

/// An outcome log that cannot be used.
#[derive(Debug, Error)]
pub enum OutcomeLogError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error(
        "{}:{line}: this is not a progress file: name a new file, or one that `--progress` wrote",
        path.display()
    )]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The file is of another reduction.
    #[error(
        "{}: it has the progress of another command, `reduce {program} --device {device}`: name \
         another file",
        path.display()
    )]
    OfAnother {
        /// The file.
        path: PathBuf,
        /// The program of the other reduction.
        program: String,
        /// The device of the other reduction.
        device: String,
    },
}

/// The outcomes that are known, by program, with the file that keeps them.
#[derive(Debug)]
pub struct OutcomeLog {
    path: PathBuf,
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    /// The driver's version in this run, once it is open.
    driver: Option<String>,
    known: HashMap<(String, String), Outcome>,
}

impl OutcomeLog {
    /// Opens the log of the reduction of `program` on `device`, or begins one where `path` has no file. A last line
    /// that was not written to its end is dropped.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, is not such a log, or is of another reduction.
    pub fn open(path: &Path, device: &str, program: &str) -> Result<Self, OutcomeLogError> {
        let failed = |source| OutcomeLogError::File { path: path.to_owned(), source };
        let malformed = |line| OutcomeLogError::Malformed { path: path.to_owned(), line };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let text = std::str::from_utf8(&bytes[..whole]).map_err(|_| malformed(1))?;
        let mut lines = text.lines();
        let own = Header { format: FORMAT, device: device.to_owned(), program: program.to_owned() };
        let mut known = HashMap::new();
        match lines.next() {
            None if bytes.is_empty() => {
                writeln!(file, "{}", json(&own)).map_err(failed)?;
            }
            None => return Err(malformed(1)),
            Some(line) => {
                let header: Header = serde_json::from_str(line).map_err(|_| malformed(1))?;
                if header != own {
                    let Header { device, program, .. } = header;
                    return Err(OutcomeLogError::OfAnother {
                        path: path.to_owned(),
                        program,
                        device,
                    });
                }
                for (number, line) in (2..).zip(lines) {
                    let Entry { driver, program, outcome } =
                        serde_json::from_str(line).map_err(|_| malformed(number))?;
                    known.insert((driver, program), outcome);
                }
                file.set_len(whole as u64).map_err(failed)?;
                file.seek(SeekFrom::End(0)).map_err(failed)?;
            }
        }
        let state = State { file, driver: None, known };
        Ok(Self { path: path.to_owned(), state: RefCell::new(state) })
    }

    /// Takes the driver's version: outcomes of other versions are not used.
    pub(super) fn set_driver(&self, version: &str) {
        self.state.borrow_mut().driver.get_or_insert_with(|| version.to_owned());
    }

    /// Returns the outcome of a program where this driver was seen to build it.
    pub(super) fn get(&self, job: &Job) -> Option<Outcome> {
        let state = self.state.borrow();
        state.known.get(&(state.driver.clone()?, digest(job))).cloned()
    }

    /// Keeps the outcome of a program, unless it was not built.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(super) fn add(&self, job: &Job, outcome: &Outcome) -> Result<(), OutcomeLogError> {
        let mut state = self.state.borrow_mut();
        let Some(driver) = state.driver.clone() else { return Ok(()) };
        if outcome.kind == OutcomeKind::Failed {
            return Ok(());
        }
        let entry = Entry { driver, program: digest(job), outcome: outcome.clone() };
        // Two cuts may leave the same program.
        if state.known.contains_key(&(entry.driver.clone(), entry.program.clone())) {
            return Ok(());
        }
        writeln!(state.file, "{}", json(&entry))
            .map_err(|source| OutcomeLogError::File { path: self.path.clone(), source })?;
        state.known.insert((entry.driver, entry.program), entry.outcome);
        Ok(())
    }
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("strings and outcomes can be written")
}

/// Returns a digest of everything a build depends on except for the name of the job, which is the prefix of its own
/// names.
fn digest(job: &Job) -> String {
    let prefix = CaseId::new(&job.id).prefix();
    let parts = format!(
        "{}\n{:?}\n{:?}\n{:?}\n{}",
        job.dialect,
        job.requirements,
        job.until,
        job.run_with.probe(),
        job.source
    );
    HEXLOWER.encode(&Sha256::digest(parts.replace(&prefix, "")))
}

#[cfg(test)]
mod tests {
    use expectations::dialect::Dialect;

    use super::*;
    use crate::engine::{ExpectedVerdict, Placement, RunWith, Until};

    fn job(id: &str, text: &str) -> Job {
        Job {
            id: id.to_owned(),
            dialect: Dialect::from_name("cl12").unwrap(),
            requirements: Vec::new(),
            source: format!("int {}{text};\n", CaseId::new(id).prefix()),
            required: ExpectedVerdict::Either,
            expected: ExpectedVerdict::Either,
            until: Until::Code,
            placement: Placement::Batch,
            run_with: RunWith::Nothing,
        }
    }

    #[test]
    fn what_was_tried_is_known_to_the_next_reduction() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("progress");
        let rejected = Outcome::new(OutcomeKind::Rejected);
        let open = |driver: &str| {
            let log = OutcomeLog::open(&path, "nvidia", "random/x").unwrap();
            log.set_driver(driver);
            log
        };
        let log = open("1.0");
        log.add(&job("0/1", "x"), &rejected).unwrap();
        log.add(&job("0/2", "y"), &Outcome::new(OutcomeKind::Failed)).unwrap();
        // A line that was not written to its end.
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"driver\":\"1").unwrap();
        for _ in 0..2 {
            let log = open("1.0");
            assert_eq!(log.get(&job("7/3", "x")), Some(rejected.clone()));
            assert_eq!(log.get(&job("0/2", "y")), None);
        }
        assert_eq!(open("1.1").get(&job("0/1", "x")), None);
    }

    #[test]
    fn a_file_of_something_else_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("progress");
        let header = "{\"format\":1,\"device\":\"nvidia\",\"program\":\"random/x\"}\n";
        for (text, program, expected) in [
            ("", "random/x", None),
            (header, "random/x", None),
            (header, "random/y", Some("reduce random/x --device nvidia")),
            ("kernel void k() {}\n", "random/x", Some("progress:1: this is not a progress file")),
            ("no line", "random/x", Some("progress:1: this is not a progress file")),
            ("\u{ff}", "random/x", Some("progress:1: this is not a progress file")),
            (
                &format!("{header}{{}}\n"),
                "random/x",
                Some("progress:2: this is not a progress file"),
            ),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = OutcomeLog::open(&path, "nvidia", program).err().map(|e| e.to_string());
            match (expected, error) {
                (None, None) => {}
                (Some(expected), Some(error)) => assert!(error.contains(expected), "{error}"),
                (expected, error) => panic!("{text:?}: {error:?}, not {expected:?}"),
            }
            if expected.is_some() {
                assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "a foreign file is kept");
            }
        }
    }
}
