//! The folder of a run's results: one run per folder, locked while it runs, resumable after a kill.

use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions, TryLockError},
    io::{BufRead as _, BufReader, BufWriter, Seek as _, Write as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::{
    cases::Cases,
    line::{End, Header, Line, to_json},
    load::LoadedFile,
    reader::{Reader, Record, ResultsError},
    run::Run,
};

/// Name of the results file in its folder.
pub const RESULTS_FILE: &str = "results.jsonl";

/// Results that cannot be kept or read.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The folder holds a run already.
    #[error(
        "{path} already contains a run; resume it with `--resume {folder}`, or name another folder"
    )]
    Occupied {
        /// The results file.
        path: String,
        folder: String,
    },
    /// There is no run to resume.
    #[error("{path} contains no run to resume; start one with `--results {path}`")]
    Nothing {
        /// The folder.
        path: String,
    },
    /// A folder given as one with results has none.
    #[error(
        "{path} contains no results: neither {RESULTS_FILE} nor folders with one, as `--results` \
         writes them"
    )]
    NoRuns {
        /// The folder.
        path: String,
    },
    /// A run is incomplete, and complete runs are required.
    #[error("{path} is not intact: {faults}; {remedy}")]
    NotWhole {
        /// The folder or file.
        path: String,
        /// Faults of the file.
        faults: String,
        /// Remedy for the user.
        remedy: String,
    },
    /// Another run writes into the folder.
    #[error("{path} is in use by another run: wait for it, or name another folder")]
    Locked {
        /// The results file.
        path: String,
    },
    /// The folder holds another run.
    #[error(
        "cannot resume {path}: {differences}; repeat the options that it was started with, or \
         start another run with `--results` and a new folder"
    )]
    Different {
        /// The results file.
        path: String,
        /// Differences between the runs.
        differences: String,
    },
    /// The folder is a file.
    #[error("cannot keep results in {path}: it is a file; name a folder that can be written to")]
    NotAFolder {
        /// The file.
        path: String,
    },
    /// The file cannot be read, locked or created.
    #[error("cannot keep results in {path}: {source}; name a folder that can be written to")]
    Io {
        /// The results file.
        path: String,
        /// Cause of the error.
        source: std::io::Error,
    },
    /// The file cannot be written to any more.
    #[error(
        "cannot continue writing in {path}: {source}; the results in it are intact: make room, \
         then resume with `--resume {folder}`"
    )]
    Full {
        /// The results file.
        path: String,
        folder: String,
        /// Cause of the error.
        source: std::io::Error,
    },
    /// The file does not exist or cannot be read.
    #[error("no results can be read from {path}: {source}; name a folder that `--results` wrote")]
    Unreadable {
        /// The file or folder.
        path: String,
        /// Cause of the error.
        source: std::io::Error,
    },
    /// The file is not a results file.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// A results file, locked for this process.
#[derive(Debug)]
pub struct ResultsFolder {
    file: File,
    folder: PathBuf,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nothing is written yet.
    New(Remains),
    /// The header is written.
    Begun,
    /// The file has no name: it vanishes with the process.
    Unnamed,
    /// The file holds a run to resume.
    Resumed(Box<ResumedRun>),
}

/// The file or folder to remove where a run does not begin.
#[derive(Debug)]
enum Remains {
    File,
    Folder,
}

/// The state of a run that is resumed.
#[derive(Debug)]
struct ResumedRun {
    header: Header,
    intact_bytes: u64,
    is_ended: bool,
}

impl ResultsFolder {
    /// Takes a folder that holds no run for a new one; makes the folder if need be. Writes nothing yet, and leaves
    /// nothing behind where the run does not begin.
    pub fn claim(folder: &Path) -> Result<Self, FolderError> {
        let io = |source| FolderError::Io { path: file_name(folder), source };
        if folder.is_file() {
            return Err(FolderError::NotAFolder { path: folder.display().to_string() });
        }
        loop {
            let is_new = !folder.exists();
            std::fs::create_dir_all(folder).map_err(io)?;
            let path = folder.join(RESULTS_FILE);
            let opened =
                OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(io)?;
            // Not ours to take away before all is well.
            let mut results = Self { file: opened, folder: folder.to_owned(), state: State::Begun };
            results.lock()?;
            // Another run may have given up meanwhile, and have taken its file along.
            if inode(std::fs::metadata(&path)) != inode(results.file.metadata()) {
                continue;
            }
            if is_begun(&results.file).map_err(io)? {
                return Err(FolderError::Occupied {
                    path: file_name(folder),
                    folder: folder.display().to_string(),
                });
            }
            results.file.set_len(0).map_err(io)?;
            results.state = State::New(if is_new { Remains::Folder } else { Remains::File });
            return Ok(results);
        }
    }

    /// Makes a file without a name, for results that are read again and not kept.
    pub fn unnamed() -> Result<Self, FolderError> {
        let folder = std::env::temp_dir();
        let file = tempfile::tempfile_in(&folder)
            .map_err(|source| FolderError::Io { path: file_name(&folder), source })?;
        Ok(Self { file, folder, state: State::Unnamed })
    }

    /// Reads the cases in the file.
    pub fn results(&self) -> Result<Cases, FolderError> {
        let io = |source| FolderError::Io { path: file_name(&self.folder), source };
        let file = self.file.try_clone().map_err(io)?;
        Ok(LoadedFile::read(&self.folder, &file_name(&self.folder), file)?.run.cases)
    }

    /// Takes a folder to resume its run, and reads the run. Changes nothing yet, except for lines that are not records
    /// and cases with more than one result: removes these, to be run again.
    pub fn reopen(folder: &Path) -> Result<(Self, Run), FolderError> {
        let io = |source| FolderError::Io { path: file_name(folder), source };
        let mut opened = Self::locked(folder)?;
        let reader = |file: &File| -> Result<Reader<BufReader<File>>, FolderError> {
            let file = file.try_clone().map_err(io)?;
            (&file).rewind().map_err(io)?;
            Ok(Reader::new(&file_name(folder), BufReader::new(file))?)
        };
        let read = |file: &File| -> Result<LoadedFile, FolderError> {
            Ok(LoadedFile::read(folder, &file_name(folder), file.try_clone().map_err(io)?)?)
        };
        let mut loaded = read(&opened.file)?;
        if loaded.run.is_spoilt() {
            opened.file = salvage(folder, reader(&opened.file)?, &loaded)?;
            let faults = loaded.run.faults;
            loaded = read(&opened.file)?;
            loaded.run.faults = faults;
        }
        let LoadedFile { run, intact_bytes, .. } = loaded;
        opened.state = State::Resumed(Box::new(ResumedRun {
            header: run.header.clone(),
            intact_bytes,
            is_ended: run.end().is_some(),
        }));
        Ok((opened, run))
    }

    /// Opens and locks the file of a folder's run.
    fn locked(folder: &Path) -> Result<Self, FolderError> {
        let io = |source| FolderError::Io { path: file_name(folder), source };
        let nothing = || FolderError::Nothing { path: folder.display().to_string() };
        loop {
            let path = folder.join(RESULTS_FILE);
            let file = match OpenOptions::new().read(true).append(true).open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Err(nothing());
                }
                Err(error) => return Err(io(error)),
            };
            let opened = Self { file, folder: folder.to_owned(), state: State::Begun };
            opened.lock()?;
            // Another run may have put a salvaged file in its place meanwhile.
            if inode(std::fs::metadata(&path)) != inode(opened.file.metadata()) {
                continue;
            }
            if !is_begun(&opened.file).map_err(io)? {
                return Err(nothing());
            }
            return Ok(opened);
        }
    }

    /// Begins the run, or resumes the one in the folder, if it is the same.
    pub fn begin(&mut self, header: &Header) -> Result<(), FolderError> {
        if let State::Resumed(found) = &self.state {
            self.compare(found, header)?;
            let io = |source| FolderError::Io { path: file_name(&self.folder), source };
            return self.file.set_len(found.intact_bytes).map_err(io);
        }
        if matches!(self.state, State::New(_)) {
            self.state = State::Begun;
        }
        self.append(&Line::Header(header.clone()))
    }

    /// Rejects a run that differs already before the device is open.
    pub fn reject_another(&self, header: &Header) -> Result<(), FolderError> {
        let State::Resumed(found) = &self.state else { return Ok(()) };
        let identity = found.header.identity.clone();
        self.compare(found, &Header { identity, ..header.clone() })
    }

    fn compare(&self, found: &ResumedRun, header: &Header) -> Result<(), FolderError> {
        let mut differences = differences(&found.header, header);
        if found.header.shard != header.shard {
            let name = |shard: &Option<String>| shard.as_deref().unwrap_or("all").to_owned();
            differences.push(format!(
                "its shard is {}, here it is {}",
                name(&found.header.shard),
                name(&header.shard)
            ));
        }
        if differences.is_empty() {
            return Ok(());
        }
        Err(FolderError::Different {
            path: file_name(&self.folder),
            differences: differences.join("; "),
        })
    }

    /// Adds a line, and hands it to the system at once.
    pub fn append(&mut self, line: &Line) -> Result<(), FolderError> {
        self.append_lines(to_json(line).as_bytes())
    }

    /// Adds lines that are already JSON.
    pub fn append_lines(&mut self, lines: &[u8]) -> Result<(), FolderError> {
        let path = || file_name(&self.folder);
        self.file.write_all(lines).map_err(|source| match self.state {
            State::Unnamed => FolderError::Io { path: path(), source },
            State::New(_) | State::Begun | State::Resumed(_) => FolderError::Full {
                path: path(),
                folder: self.folder.display().to_string(),
                source,
            },
        })
    }

    /// Takes the results of these cases out of the file.
    pub fn withdraw(&mut self, ids: &BTreeSet<&str>) -> Result<(), FolderError> {
        let is_kept = |line: &Line| match line {
            Line::Case(case) => !ids.contains(case.id.as_str()),
            Line::Unreproduced(_) | Line::Interaction(_) => true,
            Line::End(_) | Line::Header(_) => false,
        };
        if let State::Unnamed = self.state {
            let path = file_name(&self.folder);
            let io = |source| FolderError::Io { path: path.clone(), source };
            let mut file = self.file.try_clone().map_err(io)?;
            file.rewind().map_err(io)?;
            let reader = Reader::new(&path, BufReader::new(file))?;
            let mut kept = tempfile::tempfile_in(&self.folder).map_err(io)?;
            write_kept(&mut kept, reader, is_kept, &path)?;
            self.file = kept;
            return Ok(());
        }
        let (path, file) = open_results(&self.folder.join(RESULTS_FILE))?;
        self.file = rewritten(&self.folder, Reader::new(&path, file)?, is_kept)?;
        Ok(())
    }

    /// Removes the written file, which is of no use.
    pub fn give_up(mut self) {
        self.state = State::New(Remains::Folder);
    }

    /// Adds the last line, where the run has none yet.
    pub fn end(&mut self, end: End) -> Result<(), FolderError> {
        match &self.state {
            State::Resumed(found) if found.is_ended => Ok(()),
            _ => self.append(&Line::End(end)),
        }
    }

    fn lock(&self) -> Result<(), FolderError> {
        // The system gives the lock back when the process ends, however it ends: no lock can be stale.
        match self.file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => {
                Err(FolderError::Locked { path: file_name(&self.folder) })
            }
            Err(TryLockError::Error(source)) => {
                Err(FolderError::Io { path: file_name(&self.folder), source })
            }
        }
    }
}

impl Drop for ResultsFolder {
    fn drop(&mut self) {
        let State::New(left) = &self.state else { return };
        // What cannot be taken away is an empty file, which the next run takes for its own.
        let _ = std::fs::remove_file(self.folder.join(RESULTS_FILE));
        if matches!(left, Remains::Folder) {
            let _ = std::fs::remove_dir(&self.folder);
        }
    }
}

/// Whether the folder holds a run that can be resumed.
pub fn holds_run(folder: &Path) -> bool {
    File::open(folder.join(RESULTS_FILE)).is_ok_and(|file| is_begun(&file).unwrap_or(false))
}

/// Whether the file has a whole line: a run that was killed before it began has none.
fn is_begun(mut file: &File) -> std::io::Result<bool> {
    let mut first = Vec::new();
    BufReader::new(file).read_until(b'\n', &mut first)?;
    file.rewind()?;
    Ok(first.last() == Some(&b'\n'))
}

fn inode(data: std::io::Result<std::fs::Metadata>) -> Option<u64> {
    data.ok().map(|data| data.ino())
}

/// Puts a file with the whole lines in the place of the damaged one.
fn salvage(
    folder: &Path,
    reader: Reader<BufReader<File>>,
    LoadedFile { run, doubled, .. }: &LoadedFile,
) -> Result<File, FolderError> {
    let doubled: BTreeSet<String> =
        doubled.iter().map(|&number| run.cases.get(number).id.clone()).collect();
    rewritten(folder, reader, |line| match line {
        Line::Case(case) => !doubled.contains(&case.id),
        Line::Unreproduced(_) | Line::Interaction(_) => true,
        // There are cases to be run again: this is not its end.
        Line::End(_) | Line::Header(_) => false,
    })
}

/// Writes the header and the lines that are kept.
fn write_kept(
    file: &mut File,
    mut reader: Reader<BufReader<File>>,
    is_kept: impl Fn(&Line) -> bool,
    path: &str,
) -> Result<(), FolderError> {
    let io = |source| FolderError::Io { path: path.to_owned(), source };
    let mut lines = BufWriter::new(file);
    lines.write_all(to_json(&Line::Header(reader.header().clone())).as_bytes()).map_err(io)?;
    while let Some(record) = reader.next_record()? {
        let Record::Whole(line, text) = record else { continue };
        if is_kept(&line) {
            lines.write_all(&text).map_err(io)?;
        }
    }
    lines.flush().map_err(io)
}

/// Puts a file with the lines that are kept in the place of the one that is read, and locks it: a kill leaves one or
/// the other.
fn rewritten(
    folder: &Path,
    reader: Reader<BufReader<File>>,
    is_kept: impl Fn(&Line) -> bool,
) -> Result<File, FolderError> {
    let path = file_name(folder);
    let io = |source| FolderError::Io { path: path.clone(), source };
    let mut kept = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    write_kept(kept.as_file_mut(), reader, is_kept, &path)?;
    let permissions = std::fs::metadata(&path).map_err(io)?.permissions();
    kept.as_file().set_permissions(permissions).map_err(io)?;
    kept.as_file().sync_all().map_err(io)?;
    let file = OpenOptions::new().read(true).append(true).open(kept.path()).map_err(io)?;
    file.try_lock().map_err(|error| io(error.into()))?;
    kept.persist(folder.join(RESULTS_FILE)).map_err(|error| io(error.error))?;
    Ok(file)
}

/// Returns the name of the results file in errors.
fn file_name(folder: &Path) -> String {
    folder.join(RESULTS_FILE).display().to_string()
}

/// The results of a folder or file, read line by line.
#[derive(Debug)]
pub struct ResultsReader(Reader<BufReader<File>>);

impl ResultsReader {
    /// Reads the header.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let (shown, file) = open_results(path)?;
        Ok(Self(Reader::new(&shown, file)?))
    }

    pub fn header(&self) -> &Header {
        self.0.header()
    }

    /// Reads the next line after the header; returns it with its text.
    pub fn next_line(&mut self) -> Result<Option<(Line, Vec<u8>)>, FolderError> {
        Ok(self.0.next_line()?)
    }
}

fn open_results(path: &Path) -> Result<(String, BufReader<File>), FolderError> {
    let file_path = results_file(path);
    let shown = file_path.display().to_string();
    let file = File::open(&file_path)
        .map_err(|source| FolderError::Unreadable { path: shown.clone(), source })?;
    Ok((shown, BufReader::new(file)))
}

/// Returns the results file of a folder, or the file itself.
pub fn results_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(RESULTS_FILE) } else { path.to_owned() }
}

/// The runs that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Only whole runs.
    Whole,
    /// Partial runs too; every report on them states this.
    Partial,
}

impl Completeness {
    /// Returns the value that the option `--partial` stands for.
    pub const fn of(partial: bool) -> Self {
        if partial { Self::Partial } else { Self::Whole }
    }
}

/// Reads the run of a folder or file: everything that judges, counts or shows stored results reads them here.
pub fn read_run(path: &Path, wanted: Completeness) -> Result<Run, FolderError> {
    let (shown, file) = open_results(path)?;
    let run = LoadedFile::read(path, &shown, file.into_inner())?.run;
    match (wanted, run.partial()) {
        (Completeness::Whole, Some(faults)) => {
            let shown = path.display();
            let first = if run.is_resumable() {
                format!("resume it with `--resume {shown}`")
            } else {
                "copy it again from where it was made".to_owned()
            };
            let remedy = format!("{first}, or add `--partial` to accept what is there");
            Err(FolderError::NotWhole { path: shown.to_string(), faults, remedy })
        }
        _ => Ok(run),
    }
}

/// Reads every run of a path: the run of a results file or folder, or the runs of its direct subfolders, as
/// `--results` lays out the runs of several devices, in the order of the folders' names.
pub fn read_runs(path: &Path, wanted: Completeness) -> Result<Vec<Run>, FolderError> {
    run_folders(path)?.into_iter().map(|path| read_run(&path, wanted)).collect()
}

/// Returns the folders that [`read_runs`] reads.
pub fn run_folders(path: &Path) -> Result<Vec<PathBuf>, FolderError> {
    let io = |source| FolderError::Unreadable { path: path.display().to_string(), source };
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

/// Describes the differences that keep one run from being a part of another. The caller compares the shards.
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
    let (format, other) = (found.format.to_string(), wanted.format.to_string());
    compare("format", Some(&format), Some(&other));
    compare("suite", Some(&found.suite), Some(&wanted.suite));
    compare("device", Some(&found.device), Some(&wanted.device));
    let through = |header: &Header| Some(header.through.clone()).filter(|name| !name.is_empty());
    compare("`--through`", through(found).as_deref(), through(wanted).as_deref());
    for (found, wanted) in [
        (&found.selection, &wanted.selection),
        (&found.identity, &wanted.identity),
        (&found.environment, &wanted.environment),
    ] {
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
        rule::Expectation,
    };

    use crate::{
        line::{CaseResult, FORMAT},
        worker_time::WorkerTime,
    };

    fn header(suite: &str) -> Header {
        Header {
            format: FORMAT,
            program: "0".to_owned(),
            suite: suite.to_owned(),
            selection: BTreeMap::new(),
            cases: 2,
            device: "pocl".to_owned(),
            device_as_typed: String::new(),
            through: String::new(),
            judged_by: Vec::new(),
            front_end: "clang 15".to_owned(),
            begun: String::new(),
            options: BTreeMap::new(),
            machine: BTreeMap::new(),
            identity: BTreeMap::from([("driver".to_owned(), "3.1".to_owned())]),
            shard: None,
            unsupported: BTreeMap::new(),
            environment: BTreeMap::new(),
        }
    }

    fn case(id: &str) -> Line {
        let finding = Finding { kind: FindingKind::Pass, reason: Reason::AsExpected };
        let outcome = Outcome::new(OutcomeKind::Accepted);
        Line::Case(CaseResult::new(
            id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &Expectation::Accept,
            outcome,
            finding,
        ))
    }

    #[test]
    fn a_killed_run_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(RESULTS_FILE);
        let mut results = begun(folder.path(), "a");
        results.append(&case("x")).unwrap();
        drop(results);
        let mut torn = OpenOptions::new().append(true).open(&path).unwrap();
        torn.write_all(b"{\"record\":\"case\",\"id\":").unwrap();
        drop(torn);

        let (mut results, found) = ResultsFolder::reopen(folder.path()).unwrap();
        results.begin(&header("a")).unwrap();
        assert_eq!(ids(&found), ["x"]);
        results.append(&case("y")).unwrap();
        drop(results);
        assert_eq!(ids(&read_run(folder.path(), Completeness::Partial).unwrap()), ["x", "y"]);
    }

    fn ids(run: &Run) -> Vec<String> {
        run.cases.iter().map(|case| case.id.clone()).collect()
    }

    #[test]
    fn what_is_whole_of_a_damaged_file_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(RESULTS_FILE);
        let mut results = begun(folder.path(), "a");
        for id in ["x", "y", "z", "y"] {
            results.append(&case(id)).unwrap();
        }
        results.append_lines(b"{\"record\":\"case\",\"id\":\"w\n\0\0\0\n").unwrap();
        let worker_time = WorkerTime::default();
        let findings = BTreeMap::new();
        results.end(End { findings, seconds: 1.0, worker_time, shared_check: None }).unwrap();
        drop(results);
        let (mut results, found) = ResultsFolder::reopen(folder.path()).unwrap();
        assert_eq!(ids(&found), ["x", "z"]);
        let said = found.partial().unwrap();
        for part in ["1 case is in it more than once, the first y", "2 lines in it are damaged"] {
            assert!(said.contains(part), "{said}");
        }
        let locked = ResultsFolder::reopen(folder.path()).unwrap_err();
        assert!(matches!(locked, FolderError::Locked { .. }), "{locked}");
        results.begin(&header("a")).unwrap();
        results.append(&case("y")).unwrap();
        drop(results);
        let whole = read_run(folder.path(), Completeness::Partial).unwrap();
        assert_eq!(ids(&whole), ["x", "y", "z"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 4);
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_folder_of_runs_is_read_run_by_run() {
        let folder = tempfile::tempdir().unwrap();
        let read_runs = |path: &Path| super::read_runs(path, Completeness::Partial);
        let none = read_runs(folder.path()).unwrap_err();
        assert!(none.to_string().contains("contains no results: neither results.jsonl"), "{none}");
        for name in ["b", "a"] {
            begun(&folder.path().join(name), name);
        }
        std::fs::create_dir(folder.path().join("notes")).unwrap();
        let suites = |path: &Path| -> Vec<String> {
            read_runs(path).unwrap().into_iter().map(|run| run.header.suite).collect()
        };
        assert_eq!(suites(folder.path()), ["a", "b"]);
        assert_eq!(suites(&folder.path().join("a")), ["a"]);
        assert_eq!(suites(&folder.path().join("a").join(RESULTS_FILE)), ["a"]);
        begun(folder.path(), "own");
        assert_eq!(suites(folder.path()), ["own"]);
        let missing = read_runs(&folder.path().join("c")).unwrap_err();
        assert!(matches!(missing, FolderError::Unreadable { .. }), "{missing}");
    }

    #[test]
    fn runs_are_never_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let shown = folder.path().display().to_string();
        let nothing = ResultsFolder::reopen(folder.path()).unwrap_err();
        assert_eq!(
            nothing.to_string(),
            format!("{shown} contains no run to resume; start one with `--results {shown}`")
        );
        let running = begun(folder.path(), "a");
        for second in [
            ResultsFolder::reopen(folder.path()).unwrap_err(),
            ResultsFolder::claim(folder.path()).unwrap_err(),
        ] {
            assert!(matches!(second, FolderError::Locked { .. }), "{second}");
        }
        drop(running);
        let occupied = ResultsFolder::claim(folder.path()).unwrap_err();
        assert!(matches!(occupied, FolderError::Occupied { .. }), "{occupied}");
        let (mut other, _) = ResultsFolder::reopen(folder.path()).unwrap();
        for error in [
            other.reject_another(&header("b")).unwrap_err(),
            other.begin(&header("b")).unwrap_err(),
        ] {
            assert!(error.to_string().contains("its suite is \"a\", here it is \"b\""), "{error}");
        }
    }

    #[test]
    fn a_run_killed_before_it_began_leaves_the_folder_free() {
        let folder = tempfile::tempdir().unwrap();
        drop(ResultsFolder::claim(&folder.path().join("new")).unwrap());
        drop(ResultsFolder::claim(folder.path()).unwrap());
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        for begun in ["", "{\"record\":\"hea"] {
            std::fs::write(folder.path().join(RESULTS_FILE), begun).unwrap();
            let error = ResultsFolder::reopen(folder.path()).unwrap_err();
            assert!(matches!(error, FolderError::Nothing { .. }), "{error}");
        }
        drop(begun(folder.path(), "a"));
        let run = read_run(folder.path(), Completeness::Partial).unwrap();
        assert_eq!(run.header, header("a"));
    }

    fn begun(folder: &Path, suite: &str) -> ResultsFolder {
        let mut results = ResultsFolder::claim(folder).unwrap();
        results.begin(&header(suite)).unwrap();
        results
    }
}
