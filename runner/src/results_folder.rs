//! The folder a run keeps its results in: one run per folder, locked while it runs, resumable after a kill.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{BufReader, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use reports::results::{CaseResult, Header, Line, Results, ResultsError, read, to_json};
use thiserror::Error;

/// Name of the results file in its folder.
pub const RESULTS_FILE: &str = "results.jsonl";

/// Why results cannot be kept.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The folder holds a run already.
    #[error(
        "{path} already holds a run; go on with it by `--resume {folder}`, or name another folder"
    )]
    Occupied {
        /// The results file.
        path: String,
        /// The folder.
        folder: String,
    },
    /// There is no run to go on with.
    #[error("{path} holds no run to go on with; start one with `--results {path}`")]
    Nothing {
        /// The folder.
        path: String,
    },
    /// A folder given as one with results has none.
    #[error(
        "{path} holds no results: neither {RESULTS_FILE} nor folders with one, as `--results` writes them"
    )]
    NoRuns {
        /// The folder.
        path: String,
    },
    /// Another run writes there.
    #[error("{path} is in use by another run: wait for it, or name another folder")]
    Locked {
        /// The results file.
        path: String,
    },
    /// The run there was another one.
    #[error("cannot go on with {path}: {differences}")]
    Different {
        /// The results file.
        path: String,
        /// What differs.
        differences: String,
    },
    /// The file cannot be read, written or created.
    #[error("cannot keep results in {path}: {source}")]
    Io {
        /// The results file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no results file.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// An open results file.
#[derive(Debug)]
pub struct ResultsFolder {
    file: File,
    path: PathBuf,
}

impl ResultsFolder {
    /// Begin a run in a folder that holds none; the folder is made if need be.
    pub fn create(folder: &Path, header: &Header) -> Result<Self, FolderError> {
        let path = folder.join(RESULTS_FILE);
        let io = |source| FolderError::Io { path: path.display().to_string(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
        let file = match OpenOptions::new().append(true).create_new(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(FolderError::Occupied {
                    path: path.display().to_string(),
                    folder: folder.display().to_string(),
                });
            }
            Err(error) => return Err(io(error)),
        };
        let mut results = Self { file, path };
        results.lock()?;
        results.append(&Line::Header(header.clone()))?;
        Ok(results)
    }

    /// Go on with the run of a folder: what it has, and the file cut after its last whole line.
    pub fn resume(folder: &Path, header: &Header) -> Result<(Self, Vec<CaseResult>), FolderError> {
        let path = folder.join(RESULTS_FILE);
        let io = |source| FolderError::Io { path: path.display().to_string(), source };
        let file = match OpenOptions::new().read(true).append(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(FolderError::Nothing { path: folder.display().to_string() });
            }
            Err(error) => return Err(io(error)),
        };
        let mut results = Self { file, path: path.clone() };
        results.lock()?;
        let found = read(&path.display().to_string(), BufReader::new(&results.file))?;
        let mut differences = differences(&found.header, header);
        if found.header.shard != header.shard {
            differences.push("its shard is another".to_owned());
        }
        if !differences.is_empty() {
            return Err(FolderError::Different {
                path: path.display().to_string(),
                differences: differences.join("; "),
            });
        }
        results.file.set_len(found.intact_bytes).map_err(io)?;
        results.file.seek(SeekFrom::End(0)).map_err(io)?;
        Ok((results, found.cases))
    }

    /// Add a line; it is handed to the system at once.
    pub fn append(&mut self, line: &Line) -> Result<(), FolderError> {
        let result = self.file.write_all(to_json(line).as_bytes());
        result.map_err(|source| FolderError::Io { path: self.path.display().to_string(), source })
    }

    fn lock(&self) -> Result<(), FolderError> {
        // The system gives the lock back when the process ends, however it ends: no lock can be stale.
        match self.file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => {
                Err(FolderError::Locked { path: self.path.display().to_string() })
            }
            Err(TryLockError::Error(source)) => {
                Err(FolderError::Io { path: self.path.display().to_string(), source })
            }
        }
    }
}

/// Read the results of a folder, or of a file.
pub fn read_results(path: &Path) -> Result<Results, FolderError> {
    let file_path = if path.is_dir() { path.join(RESULTS_FILE) } else { path.to_owned() };
    let shown = file_path.display().to_string();
    let file =
        File::open(&file_path).map_err(|source| FolderError::Io { path: shown.clone(), source })?;
    Ok(read(&shown, BufReader::new(file))?)
}

/// One run as it lies in a folder.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// The folder, or the file.
    pub path: PathBuf,
    /// What it holds.
    pub results: Results,
}

/// Read every run of `path`: that of a results file or folder, or those of its direct subfolders, as `--results`
/// lays out the runs of several devices. In the order of the folders' names.
pub fn read_runs(path: &Path) -> Result<Vec<StoredRun>, FolderError> {
    run_folders(path)?
        .into_iter()
        .map(|path| Ok(StoredRun { results: read_results(&path)?, path }))
        .collect()
}

/// The folders [`read_runs`] would read.
pub fn run_folders(path: &Path) -> Result<Vec<PathBuf>, FolderError> {
    let io = |source| FolderError::Io { path: path.display().to_string(), source };
    if !path.is_dir() || path.join(RESULTS_FILE).exists() {
        return Ok(vec![path.to_owned()]);
    }
    let mut folders = Vec::new();
    for entry in path.read_dir().map_err(io)? {
        let folder = entry.map_err(io)?.path();
        if folder.join(RESULTS_FILE).is_file() {
            folders.push(folder);
        }
    }
    folders.sort_unstable();
    if folders.is_empty() {
        return Err(FolderError::NoRuns { path: path.display().to_string() });
    }
    Ok(folders)
}

/// What keeps one run from being a part of another, in words. The shard is left to the caller.
pub fn differences(found: &Header, wanted: &Header) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |what: &str, found: Option<&str>, wanted: Option<&str>| {
        if found != wanted {
            let shown = |value: Option<&str>| {
                value.map_or("not given".to_owned(), |value| format!("{value:?}"))
            };
            differences.push(format!(
                "its {what} is {}, here it is {}",
                shown(found),
                shown(wanted)
            ));
        }
    };
    compare("suite", Some(&found.suite), Some(&wanted.suite));
    compare("device", Some(&found.device), Some(&wanted.device));
    for (found, wanted) in
        [(&found.selection, &wanted.selection), (&found.identity, &wanted.identity)]
    {
        let names: std::collections::BTreeSet<&String> =
            found.keys().chain(wanted.keys()).collect();
        for name in names {
            compare(
                name,
                found.get(name).map(String::as_str),
                wanted.get(name).map(String::as_str),
            );
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use expectations::{
        judge::{Finding, FindingKind, Reason},
        outcome::{Outcome, OutcomeKind},
    };
    use reports::results::FORMAT;

    fn header(suite: &str) -> Header {
        Header {
            format: FORMAT,
            program: "0".to_owned(),
            suite: suite.to_owned(),
            selection: BTreeMap::new(),
            cases: 2,
            device: "pocl".to_owned(),
            front_end: "clang 15".to_owned(),
            identity: BTreeMap::from([("driver".to_owned(), "3.1".to_owned())]),
            shard: None,
            unsupported: BTreeMap::new(),
            environment: BTreeMap::new(),
        }
    }

    fn case(id: &str) -> Line {
        Line::Case(CaseResult {
            id: id.to_owned(),
            dialect: "cl12".to_owned(),
            expectation: "accept".to_owned(),
            breaks: None,
            control: None,
            outcome: Outcome::new(OutcomeKind::Accepted),
            finding: Finding { kind: FindingKind::Pass, reason: Reason::AsExpected },
            seconds: 0.1,
            attempts: 1,
            remarks: Vec::new(),
        })
    }

    #[test]
    fn a_killed_run_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(RESULTS_FILE);
        let mut results = ResultsFolder::create(folder.path(), &header("a")).unwrap();
        results.append(&case("x")).unwrap();
        drop(results);
        let mut torn = OpenOptions::new().append(true).open(&path).unwrap();
        torn.write_all(b"{\"record\":\"case\",\"id\":").unwrap();
        drop(torn);

        let (mut results, cases) = ResultsFolder::resume(folder.path(), &header("a")).unwrap();
        assert_eq!(cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["x"]);
        results.append(&case("y")).unwrap();
        drop(results);
        let ids: Vec<String> =
            read_results(folder.path()).unwrap().cases.into_iter().map(|case| case.id).collect();
        assert_eq!(ids, ["x", "y"]);
    }

    #[test]
    fn a_folder_of_runs_is_read_run_by_run() {
        let folder = tempfile::tempdir().unwrap();
        let none = read_runs(folder.path()).unwrap_err();
        assert!(none.to_string().contains("holds no results: neither results.jsonl"), "{none}");
        for name in ["b", "a"] {
            ResultsFolder::create(&folder.path().join(name), &header(name)).unwrap();
        }
        std::fs::create_dir(folder.path().join("notes")).unwrap();
        let suites = |path: &Path| -> Vec<String> {
            read_runs(path).unwrap().into_iter().map(|run| run.results.header.suite).collect()
        };
        assert_eq!(suites(folder.path()), ["a", "b"]);
        assert_eq!(suites(&folder.path().join("a")), ["a"]);
        assert_eq!(suites(&folder.path().join("a").join(RESULTS_FILE)), ["a"]);
        ResultsFolder::create(folder.path(), &header("own")).unwrap();
        assert_eq!(suites(folder.path()), ["own"]);
        let missing = read_runs(&folder.path().join("c")).unwrap_err();
        assert!(matches!(missing, FolderError::Io { .. }), "{missing}");
    }

    #[test]
    fn runs_are_never_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let shown = folder.path().display().to_string();
        let nothing = ResultsFolder::resume(folder.path(), &header("a")).unwrap_err();
        assert_eq!(
            nothing.to_string(),
            format!("{shown} holds no run to go on with; start one with `--results {shown}`")
        );
        let running = ResultsFolder::create(folder.path(), &header("a")).unwrap();
        let locked = ResultsFolder::resume(folder.path(), &header("a")).unwrap_err();
        assert!(matches!(locked, FolderError::Locked { .. }), "{locked}");
        drop(running);
        let occupied = ResultsFolder::create(folder.path(), &header("a")).unwrap_err();
        assert!(matches!(occupied, FolderError::Occupied { .. }), "{occupied}");
        let other = ResultsFolder::resume(folder.path(), &header("b")).unwrap_err();
        assert!(other.to_string().ends_with("its suite is \"a\", here it is \"b\""), "{other}");
    }
}
