//! The cases that were being built whenever a run was killed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use expectations::{
    evidence::Evidence,
    outcome::{Outcome, OutcomeKind},
};

use crate::engine::{Attempt, BUILDING, END, Record};

/// The file that keeps them: for each time a line, a JSON array of the ids of cases.
const FILE: &str = "interrupted.jsonl";

/// Number of kills of a run while it builds a case after which the case is blamed for them.
const KILLS: usize = 3;

/// The number of times that a run was killed while it built each case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterruptedCases {
    kills: BTreeMap<String, usize>,
    /// Cases that were built when nothing else was.
    alone: BTreeSet<String>,
}

impl InterruptedCases {
    /// Reads what the runs in a folder left, and keeps it for the next one.
    pub fn take(folder: &Path) -> io::Result<Self> {
        let mut left = Vec::new();
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)?.flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(BUILDING.as_bytes()) {
                let bytes = fs::read(entry.path())?;
                let end = bytes.iter().position(|&byte| byte == END).unwrap_or(bytes.len());
                let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
                left.extend(text.lines().map(str::to_owned));
                files.push(entry.path());
            }
        }
        let path = folder.join(FILE);
        if !left.is_empty() {
            let mut line = serde_json::to_vec(&left).map_err(io::Error::from)?;
            line.push(b'\n');
            OpenOptions::new().create(true).append(true).open(&path)?.write_all(&line)?;
        }
        for file in files {
            fs::remove_file(file)?;
        }
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Self::of(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// Forgets what the runs in a folder left: the run has reached its end.
    pub fn forget(folder: &Path) -> io::Result<()> {
        match fs::remove_file(folder.join(FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Reads the journal of a run that was interrupted; a line that was cut off is ignored.
    fn of(text: &str) -> Self {
        let mut interrupted = Self::default();
        for line in text.lines() {
            let Ok(cases) = serde_json::from_str::<Vec<String>>(line) else { continue };
            if let [case] = cases.as_slice() {
                interrupted.alone.insert(case.clone());
            }
            for case in cases.into_iter().collect::<BTreeSet<_>>() {
                *interrupted.kills.entry(case).or_default() += 1;
            }
        }
        interrupted
    }

    /// Whether a case has to be built alone because a run was killed while it was built.
    pub fn is_suspect(&self, case: &str) -> bool {
        self.kills(case) > 0
    }

    /// Returns how many runs were killed while they built a case. The cases with the fewest are built first: if
    /// something else kills a run soon after its start, it meets a different case each time.
    pub fn kills(&self, case: &str) -> usize {
        self.kills.get(case).copied().unwrap_or_default()
    }

    /// Whether only one worker may be at work, so that the next kill has one suspect.
    pub fn leaves_one_worker(&self) -> bool {
        self.kills.iter().any(|(case, &kills)| kills > 1 && self.verdict(case).is_none())
    }

    /// Returns what is recorded of a case that kills the run whenever it is built; `None` of others.
    pub fn verdict(&self, case: &str) -> Option<Record> {
        let kills = self.kills(case);
        if kills < KILLS || !self.alone.contains(case) {
            return None;
        }
        let kind = OutcomeKind::Crashed;
        let detail = format!("each of {kills} runs that built the case was killed");
        let attempt = Attempt { kind, detail: detail.clone(), fresh: true, from_outside: false };
        Some(Record {
            batch: 1,
            attempts: vec![attempt; kills],
            evidence: Some(Evidence::Alone),
            is_fresh: true,
            ..Record::unbuilt(Outcome::new(kind).with_detail(detail))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_to_blame_when_it_was_there_each_time_and_once_alone() {
        let folder = tempfile::tempdir().unwrap();
        let die = |files: &[&str]| {
            for (number, text) in files.iter().enumerate() {
                fs::write(folder.path().join(format!("{BUILDING}{number}")), text).unwrap();
            }
            InterruptedCases::take(folder.path()).unwrap()
        };
        assert_eq!(die(&[]), InterruptedCases::default());
        assert_eq!(die(&["\0a\nb\n"]), InterruptedCases::default(), "nothing was being built");
        let first = die(&["a\nb\n\0", "c\nd\n\0c\nd\n"]);
        assert!(first.is_suspect("a") && first.is_suspect("d") && !first.is_suspect("e"));
        assert!(!first.leaves_one_worker());
        let second = die(&["a\n\0", "d\n\0b\n"]);
        assert!(second.leaves_one_worker() && second.verdict("a").is_none());
        let third = die(&["a\n\0", "\0d\n"]);
        assert!(third.verdict("a").is_some() && third.verdict("d").is_none());
        assert!(third.leaves_one_worker(), "`d` was there twice");
        assert_eq!(["a", "b", "d", "e"].map(|case| third.kills(case)), [3, 1, 2, 0]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        InterruptedCases::forget(folder.path()).unwrap();
        InterruptedCases::forget(folder.path()).unwrap();
        assert_eq!(die(&[]), InterruptedCases::default());
    }
}
