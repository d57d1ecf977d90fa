//! Parts of one run joined device by device; parts that do not belong together, overlap or are missing are rejected.
//! The cases stream: memory does not grow with their number.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use expectations::{dialect::Dialect, judge::Finding};
use serde::Deserialize;
use thiserror::Error;

use crate::{
    folder::{FolderError, ResultsFolder, ResultsReader, differences, run_folders},
    line::{End, Header, Line},
    shard::Shard,
    shared_check::SharedCheck,
    sorted_lines::Sorter,
    text::one_line,
    worker_time::WorkerTime,
};

/// Number of bytes of lines that are sorted in memory at a time.
const SORTED_AT_ONCE: usize = 64 << 20;
/// Number of bytes that are written at once.
const WRITTEN_AT_ONCE: usize = 1 << 20;

/// Folders that cannot be joined.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A folder cannot be read, or the new one not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Nothing was given.
    #[error("name the folders of the shards to merge")]
    Nothing,
    /// Two folders are not parts of one run.
    #[error("{} and {} are not parts of one run: {differences}; `address-spaces report` shows \
         separate runs side by side", .first.display(), .second.display())]
    Different {
        /// The first folder.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
        /// Differences between the runs.
        differences: String,
    },
    /// A folder is not a shard, or not one of the same count.
    #[error("{} is not a shard of {count}: {found}", .folder.display())]
    NoShard {
        folder: PathBuf,
        /// Number of shards that the first folder names.
        count: u64,
        /// Description of what it is instead.
        found: String,
    },
    /// A shard is missing, or given twice.
    #[error("{0}")]
    Shards(String),
    /// A run did not reach its end.
    #[error("{} did not reach its end: resume it with `--resume {}`", .folder.display(), .folder.display())]
    Unfinished { folder: PathBuf },
    /// A part does not have as many cases as its header states.
    #[error("{} has {found} of {wanted} cases: it was changed after it was written", .folder.display())]
    Count {
        folder: PathBuf,
        /// Number of cases it has.
        found: usize,
        /// Number of cases its header names.
        wanted: usize,
    },
    /// One case has two results.
    #[error("the case {} is in more than one part, or twice in one", one_line(.case, 200))]
    Overlap { case: String },
    /// The parts cannot be sorted on disk.
    #[error("sorting the cases in {} failed: {source}; make room there", .folder.display())]
    Sort {
        folder: PathBuf,
        /// Cause of the error.
        source: std::io::Error,
    },
}

/// Joins folders into a new one, those of several devices device by device; returns the number of cases.
pub fn merge(folders: &[PathBuf], into: &Path) -> Result<usize, MergeError> {
    let mut by_device: BTreeMap<PathBuf, Vec<Part>> = BTreeMap::new();
    for folder in folders {
        for path in run_folders(folder)? {
            // A run of its own folder goes into the new folder itself.
            let below = path.strip_prefix(folder).map(Path::to_owned).unwrap_or_default();
            by_device.entry(below).or_default().push(Part::open(path)?);
        }
    }
    let mut count = 0;
    for (below, parts) in by_device {
        count += join(parts, &into.join(below))?;
    }
    Ok(count)
}

/// A part of a run whose header was read.
struct Part {
    path: PathBuf,
    reader: ResultsReader,
}

impl Part {
    fn open(path: PathBuf) -> Result<Self, FolderError> {
        Ok(Self { reader: ResultsReader::open(&path)?, path })
    }

    fn header(&self) -> &Header {
        self.reader.header()
    }
}

/// Joins the parts of one device's run into a new folder; returns the number of cases.
fn join(parts: Vec<Part>, into: &Path) -> Result<usize, MergeError> {
    let header = check(&parts)?;
    let mut results = ResultsFolder::claim(into)?;
    let written = write(parts, &header, into, &mut results);
    if written.is_err() {
        // An unfinished merge is worth nothing, and would be in the way of the next.
        results.give_up();
    }
    written
}

fn write(
    parts: Vec<Part>,
    header: &Header,
    into: &Path,
    results: &mut ResultsFolder,
) -> Result<usize, MergeError> {
    let sort = |source| MergeError::Sort { folder: into.to_owned(), source };
    let mut sorter = Sorter::new(into, SORTED_AT_ONCE);
    let mut beside: Vec<Line> = Vec::new();
    let (mut seconds, mut worker_time) = (0.0, WorkerTime::default());
    let mut shared_check = None;
    for part in parts {
        let end = take(part, &mut sorter, &mut beside)?;
        seconds += end.seconds;
        worker_time.join(&end.worker_time);
        if let Some(check) = end.shared_check {
            shared_check.get_or_insert_with(SharedCheck::default).join(check);
        }
    }
    results.begin(header)?;
    let mut findings: BTreeMap<String, usize> = BTreeMap::new();
    let (mut count, mut last, mut lines) = (0, String::new(), Vec::new());
    for sorted in sorter.finish().map_err(sort)? {
        let (id, line) = sorted.map_err(sort)?;
        if count > 0 && id == last {
            return Err(MergeError::Overlap { case: id });
        }
        let case: CaseFinding = serde_json::from_slice(&line).expect("it was read before");
        *findings.entry(case.finding.kind.name().to_owned()).or_default() += 1;
        lines.extend_from_slice(&line);
        if lines.len() >= WRITTEN_AT_ONCE {
            results.append_lines(&lines)?;
            lines.clear();
        }
        (count, last) = (count + 1, id);
    }
    results.append_lines(&lines)?;
    for line in beside {
        results.append(&line)?;
    }
    results.end(End { findings, seconds, worker_time, shared_check })?;
    Ok(count)
}

/// The finding of a case, for counting.
#[derive(Deserialize)]
struct CaseFinding {
    finding: Finding,
}

/// Hands the cases of a part to the sorter, and takes the other records; returns the end of the part.
fn take(mut part: Part, sorter: &mut Sorter, beside: &mut Vec<Line>) -> Result<End, MergeError> {
    let (mut found, mut ended) = (0, None);
    while let Some((line, text)) = part.reader.next_line()? {
        match line {
            Line::Header(_) => {}
            Line::Case(case) => {
                found += 1;
                let sort = |source| MergeError::Sort { folder: part.path.clone(), source };
                sorter.push(case.id, text).map_err(sort)?;
            }
            line @ (Line::Unreproduced(_) | Line::Interaction(_)) => beside.push(line),
            Line::End(end) => ended = Some(end),
        }
    }
    let wanted = part.header().cases;
    let Some(end) = ended else {
        return Err(MergeError::Unfinished { folder: part.path });
    };
    if found != wanted {
        return Err(MergeError::Count { folder: part.path, found, wanted });
    }
    Ok(end)
}

/// Checks that the parts are those of one run, each once; returns the header of the whole.
fn check(parts: &[Part]) -> Result<Header, MergeError> {
    let first = parts.first().ok_or(MergeError::Nothing)?;
    let mut by_dialects: BTreeMap<Option<&str>, Vec<&Part>> = BTreeMap::new();
    for part in parts {
        // Parts may be of different dialects: together they are the run of all of them.
        let different =
            differences(&without_dialects(part.header()), &without_dialects(first.header()));
        if !different.is_empty() {
            return Err(MergeError::Different {
                first: first.path.clone(),
                second: part.path.clone(),
                differences: different.join("; "),
            });
        }
        let dialects = part.header().selection.get(DIALECT).map(String::as_str);
        by_dialects.entry(dialects).or_default().push(part);
    }
    for parts in by_dialects.values() {
        check_shards(parts)?;
    }
    let mut header = Header {
        shard: None,
        cases: parts.iter().map(|part| part.header().cases).sum(),
        ..without_dialects(first.header())
    };
    // The run began when its first part did.
    let begun = parts.iter().map(|part| part.header().begun.as_str()).min();
    begun.unwrap_or_default().clone_into(&mut header.begun);
    // Facts about machine and options stay where all parts share them.
    for part in parts {
        let other = part.header();
        header.machine.retain(|name, value| other.machine.get(name) == Some(value));
        header.options.retain(|name, value| other.options.get(name) == Some(value));
    }
    if let Some(dialects) = joined(by_dialects.keys().copied()) {
        header.selection.insert(DIALECT.to_owned(), dialects);
    }
    Ok(header)
}

const DIALECT: &str = "--dialect";

fn without_dialects(header: &Header) -> Header {
    let mut header = header.clone();
    header.selection.remove(DIALECT);
    header
}

/// Returns the value of `--dialect` that selects all of these; `None` if it is every dialect.
fn joined<'a>(mut parts: impl Iterator<Item = Option<&'a str>>) -> Option<String> {
    let named: Option<Vec<&str>> = parts.try_fold(Vec::new(), |mut named, dialects| {
        named.extend(dialects?.split(' '));
        Some(named)
    });
    let named = named?;
    let chosen: Vec<&str> =
        Dialect::ALL.map(Dialect::name).into_iter().filter(|name| named.contains(name)).collect();
    (chosen.len() < Dialect::ALL.len()).then(|| chosen.join(" "))
}

/// Checks that each shard is given once.
fn check_shards(parts: &[&Part]) -> Result<(), MergeError> {
    let mut seen: BTreeMap<u64, &PathBuf> = BTreeMap::new();
    let mut count = None;
    for part in parts {
        let written = part.header().shard.as_deref();
        // All of some dialects is a part of a run of more.
        let shard = written.map_or(Some(Shard { index: 1, count: 1 }), |text| text.parse().ok());
        let expected = *count.get_or_insert(shard.map_or(1, |shard| shard.count));
        let Some(shard) = shard.filter(|shard| shard.count == expected) else {
            return Err(MergeError::NoShard {
                folder: part.path.clone(),
                count: expected,
                found: written.unwrap_or("the whole run").to_owned(),
            });
        };
        if let Some(other) = seen.insert(shard.index, &part.path) {
            let message =
                format!("{} and {} are both shard {shard}", other.display(), part.path.display());
            return Err(MergeError::Shards(message));
        }
    }
    let missing: Vec<String> = (1..=count.unwrap_or(0))
        .filter(|index| !seen.contains_key(index))
        .map(|index| format!("{index}/{}", count.unwrap_or(0)))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(MergeError::Shards(format!("missing: shard {}", missing.join(", "))))
    }
}
