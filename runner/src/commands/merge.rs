//! `runner merge`: the shards of one run joined; shards that do not belong together, overlap or are missing are refused.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use reports::results::{CaseResult, End, Header, Line, Results};
use thiserror::Error;

use super::CommandError;
use crate::{
    cli::Shard,
    results_folder::{FolderError, ResultsFolder, differences, read_runs},
};

/// Why folders cannot be joined.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A folder cannot be read, or the new one not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Nothing was given.
    #[error("name the folders of the shards to merge")]
    Nothing,
    /// Two folders are not parts of one run.
    #[error("{} and {} are not parts of one run: {differences}", .first.display(), .second.display())]
    Different {
        /// The first folder.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
        /// What differs.
        differences: String,
    },
    /// A folder is no shard, or not one of the same count.
    #[error("{} is no shard of {count}: {found}", .folder.display())]
    NoShard {
        /// The folder.
        folder: PathBuf,
        /// How many shards the first folder speaks of.
        count: u64,
        /// What it is instead.
        found: String,
    },
    /// A shard is not there, or twice.
    #[error("{0}")]
    Shards(String),
    /// A run did not reach its end.
    #[error("{} did not reach its end: go on with it by `--resume {}`", .folder.display(), .folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
    },
    /// One case has two results.
    #[error("the case {case} stands in more than one shard")]
    Overlap {
        /// The case.
        case: String,
    },
}

/// Join the folders into a new one; gives the number of cases. Folders of several devices' runs are joined device by
/// device.
pub fn merge(folders: &[PathBuf], into: &Path) -> Result<usize, CommandError> {
    let mut by_device: BTreeMap<PathBuf, Vec<(PathBuf, Results)>> = BTreeMap::new();
    for folder in folders {
        for run in read_runs(folder)? {
            // A run of its own folder goes into the new folder itself.
            let below = run.path.strip_prefix(folder).map(Path::to_owned).unwrap_or_default();
            by_device.entry(below).or_default().push((run.path, run.results));
        }
    }
    let mut count = 0;
    for (below, parts) in by_device {
        count += merge_one(parts, &into.join(below))?;
    }
    Ok(count)
}

fn merge_one(parts: Vec<(PathBuf, Results)>, into: &Path) -> Result<usize, CommandError> {
    let (header, cases, seconds) = join(parts)?;
    let mut findings: BTreeMap<String, usize> = BTreeMap::new();
    let mut results = ResultsFolder::claim(into)?;
    results.begin(&header)?;
    let count = cases.len();
    for case in cases {
        *findings.entry(case.finding.kind.name().to_owned()).or_default() += 1;
        results.append(&Line::Case(case))?;
    }
    results.append(&Line::End(End { findings, seconds }))?;
    Ok(count)
}

fn join(parts: Vec<(PathBuf, Results)>) -> Result<(Header, Vec<CaseResult>, f64), MergeError> {
    check(&parts)?;
    let Some((_, first)) = parts.first() else { return Err(MergeError::Nothing) };
    let mut header = Header { shard: None, ..first.header.clone() };
    let mut cases: Vec<CaseResult> = Vec::new();
    let mut seconds = 0.0;
    header.cases = 0;
    for (folder, results) in parts {
        let Some(end) = results.end else { return Err(MergeError::Unfinished { folder }) };
        seconds += end.seconds;
        header.cases += results.header.cases;
        if results.header.begun < header.begun {
            header.begun = results.header.begun;
        }
        cases.extend(results.cases);
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    if let Some(pair) = cases.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(MergeError::Overlap { case: pair[0].id.clone() });
    }
    Ok((header, cases, seconds))
}

/// The parts are those of one run, each once.
fn check(parts: &[(PathBuf, Results)]) -> Result<(), MergeError> {
    let mut seen: BTreeMap<u64, &PathBuf> = BTreeMap::new();
    let mut count = None;
    for (folder, results) in parts {
        let (first_folder, first) = &parts[0];
        let different = differences(&results.header, &first.header);
        if !different.is_empty() {
            return Err(MergeError::Different {
                first: first_folder.clone(),
                second: folder.clone(),
                differences: different.join("; "),
            });
        }
        let written = results.header.shard.as_deref().unwrap_or("the whole run");
        let shard: Option<Shard> = written.parse().ok();
        let expected = *count.get_or_insert(shard.map_or(1, |shard| shard.count));
        let Some(shard) = shard.filter(|shard| shard.count == expected) else {
            return Err(MergeError::NoShard {
                folder: folder.clone(),
                count: expected,
                found: written.to_owned(),
            });
        };
        if let Some(other) = seen.insert(shard.index, folder) {
            let message =
                format!("{} and {} are both shard {shard}", other.display(), folder.display());
            return Err(MergeError::Shards(message));
        }
    }
    let count = count.ok_or(MergeError::Nothing)?;
    let missing: Vec<String> = (1..=count)
        .filter(|index| !seen.contains_key(index))
        .map(|index| format!("{index}/{count}"))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(MergeError::Shards(format!("missing: shard {}", missing.join(", "))))
    }
}
