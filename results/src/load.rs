//! A results file read into a [`Run`], whole or damaged: each case once, faults counted.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufReader, Seek as _},
    path::Path,
};

use crate::{
    cases::Cases,
    line::{CaseResult, End, Header, Interaction, Line, UnreproducedFailure},
    reader::{Place, Reader, Record, ResultsError},
    run::{Ending, Fault, Run},
    sorted_lines::Sorter,
};

/// Bytes of a file whose cases are held in memory; cases of a longer file are read from it on demand.
const HELD: u64 = 8 << 20;
/// Bytes of ids that are sorted in memory at a time.
const SORTED_AT_ONCE: usize = 4 << 20;

/// A run with the facts about its file that mending needs.
pub(crate) struct LoadedFile {
    pub(crate) run: Run,
    /// Number of bytes of the whole lines; what follows is a torn last line.
    pub(crate) intact_bytes: u64,
    /// Numbers of the cases with more than one result.
    pub(crate) doubled: Vec<usize>,
}

impl LoadedFile {
    /// Reads a file, whole or not; `name` is its name in errors.
    pub(crate) fn read(path: &Path, name: &str, file: File) -> Result<Self, ResultsError> {
        Self::read_holding(path, name, file, HELD)
    }

    fn read_holding(path: &Path, name: &str, file: File, held: u64) -> Result<Self, ResultsError> {
        let io = |source| ResultsError::Io { path: name.to_owned(), source };
        let is_held = file.metadata().map_err(io)?.len() <= held;
        (&file).rewind().map_err(io)?;
        let mut reader = Reader::new(name, BufReader::new(&file))?;
        let mut lines = Lines::new(reader.header().clone(), is_held);
        while let Some(record) = reader.next_record()? {
            lines.add(record, reader.last_place()).map_err(io)?;
        }
        let intact_bytes = reader.intact_bytes();
        let (run, doubled) = lines.into_run(path, name, file).map_err(io)?;
        Ok(Self { run, intact_bytes, doubled })
    }
}

/// The lines of a file that were read so far.
struct Lines {
    header: Header,
    cases: Collection,
    unreproduced: Vec<UnreproducedFailure>,
    interactions: Vec<Interaction>,
    end: Option<End>,
    damaged: usize,
    first_damaged: String,
}

/// The cases that were read so far.
enum Collection {
    InMemory {
        cases: BTreeMap<String, CaseResult>,
        doubled: BTreeSet<String>,
    },
    /// Places of the cases, to be sorted by the ids.
    InFile(Sorter),
}

impl Lines {
    fn new(header: Header, is_held: bool) -> Self {
        let cases = if is_held {
            Collection::InMemory { cases: BTreeMap::new(), doubled: BTreeSet::new() }
        } else {
            Collection::InFile(Sorter::new(&std::env::temp_dir(), SORTED_AT_ONCE))
        };
        Self {
            header,
            cases,
            unreproduced: Vec::new(),
            interactions: Vec::new(),
            end: None,
            damaged: 0,
            first_damaged: String::new(),
        }
    }

    /// Takes the line at a place.
    fn add(&mut self, record: Record, place: Option<Place>) -> io::Result<()> {
        match record {
            Record::Whole(line, _) => match *line {
                Line::Case(case) => self.add_case(case, place)?,
                Line::Unreproduced(line) => self.unreproduced.push(line),
                Line::Interaction(line) => self.interactions.push(line),
                Line::End(end) => self.end = Some(end),
                Line::Header(_) => {}
            },
            Record::Damaged(error) => self.add_damaged(error.to_string()),
        }
        Ok(())
    }

    fn add_damaged(&mut self, what: String) {
        if self.damaged == 0 {
            self.first_damaged = what;
        }
        self.damaged += 1;
    }

    fn add_case(&mut self, case: CaseResult, place: Option<Place>) -> io::Result<()> {
        match (&mut self.cases, place) {
            (Collection::InMemory { cases, doubled }, _) => match cases.get_mut(&case.id) {
                Some(other) => {
                    doubled.insert(case.id.clone());
                    if badness(&case) > badness(other) {
                        *other = case;
                    }
                }
                None => {
                    cases.insert(case.id.clone(), case);
                }
            },
            (Collection::InFile(sorter), Some(place)) => {
                let bytes = place.to_bytes().to_vec();
                sorter.push(case.id, bytes).map_err(|error| sorting_error(&error))?;
            }
            (Collection::InFile(_), None) => {
                self.add_damaged(format!("{}: the line is too long", case.id));
            }
        }
        Ok(())
    }

    /// Returns the run, and the numbers of the cases with more than one result.
    fn into_run(self, path: &Path, name: &str, file: File) -> io::Result<(Run, Vec<usize>)> {
        let (cases, doubled) = match self.cases {
            Collection::InMemory { cases, doubled } => {
                let numbers = cases.keys().enumerate().filter(|(_, id)| doubled.contains(*id));
                let numbers = numbers.map(|(number, _)| number).collect();
                (Cases::new(cases.into_values().collect()), numbers)
            }
            Collection::InFile(sorter) => {
                cases_in_file(name, file, sorter).map_err(|error| sorting_error(&error))?
            }
        };
        let (found, selected) = (cases.len(), self.header.cases);
        let mut faults = Vec::new();
        if self.end.is_none() {
            faults.push(Fault::Unfinished { found, selected });
        } else if found != selected {
            faults.push(Fault::Count { found, selected });
        }
        if let Some(&first) = doubled.first() {
            let first = cases.get(first).id.clone();
            faults.push(Fault::Doubled { cases: doubled.len(), first });
        }
        if self.damaged > 0 {
            faults.push(Fault::Damaged { lines: self.damaged, first: self.first_damaged });
        }
        let ending = self.end.map_or(Ending::Missing, Ending::Finished);
        let run = Run {
            path: path.to_owned(),
            unreproduced: self.unreproduced,
            interactions: self.interactions,
            faults,
            ..Run::new(self.header, cases, ending)
        };
        Ok((run, doubled))
    }
}

fn sorting_error(error: &io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    let message = format!(
        "sorting its cases in {} failed: {error}; make room there, or name another folder with \
         TMPDIR",
        folder.display()
    );
    io::Error::new(error.kind(), message)
}

/// Returns how bad a result is: where one case has several, the worst counts.
fn badness(case: &CaseResult) -> u8 {
    case.finding.kind.badness().map_or(0, |badness| badness + 1)
}

/// Returns the cases at the sorted places, each once, and the numbers of those with more than one result.
fn cases_in_file(name: &str, file: File, sorter: Sorter) -> io::Result<(Cases, Vec<usize>)> {
    let (mut places, mut doubled): (Vec<Place>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut last = String::new();
    for sorted in sorter.finish()? {
        let (id, place) = sorted?;
        let bytes = place.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
        let place = Place::from_bytes(bytes);
        match places.last_mut() {
            Some(other) if last == id => {
                let both = Cases::stored(name, file.try_clone()?, vec![*other, place]);
                if badness(&both.get(1)) > badness(&both.get(0)) {
                    *other = place;
                }
                doubled.push(places.len() - 1);
            }
            _ => places.push(place),
        }
        last = id;
    }
    doubled.dedup();
    Ok((Cases::stored(name, file, places), doubled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{FORMAT, to_json};
    use expectations::{
        judge::{Finding, FindingKind, Reason},
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };

    #[test]
    fn cases_on_disk_are_those_in_memory() {
        let header = serde_json::json!({
            "format": FORMAT, "program": "0", "suite": "a", "cases": 300, "device": "pocl", "identity": {},
        });
        let mut lines = to_json(&Line::Header(serde_json::from_value(header).unwrap()));
        // Scattered, and some twice, the worse finding first or last.
        for number in (0..600).map(|number| number * 7 % 300) {
            let kinds = [FindingKind::Pass, FindingKind::Fail, FindingKind::Crash];
            let kind = kinds[(lines.len() + number) % 3];
            let finding = Finding { kind, reason: Reason::NoVerdict };
            let outcome = Outcome::new(OutcomeKind::Accepted);
            let id = format!("a/b/cl12/x={number}");
            let case = CaseResult::new(
                id,
                expectations::dialect::Dialect::from_name("cl12").unwrap(),
                &Expectation::Accept,
                outcome,
                finding,
            );
            lines.push_str(&to_json(&Line::Case(case)));
        }
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(path.path(), &lines).unwrap();
        let read = |held| {
            let file = File::open(path.path()).unwrap();
            LoadedFile::read_holding(path.path(), "r", file, held).unwrap().run
        };
        let (held, stored) = (read(u64::MAX), read(0));
        assert_eq!(held.faults, stored.faults);
        assert_eq!(held.cases.len(), 300);
        for (held, stored) in held.cases.iter().zip(stored.cases.iter()) {
            assert_eq!(held, stored);
        }
        let found = stored.cases.find("a/b/cl12/x=17").unwrap();
        assert_eq!(found.id, "a/b/cl12/x=17");
        assert!(stored.cases.find("a/b/cl12/x=300").is_none());
        stored.cases.check().unwrap();
        // A change of the file meanwhile is noticed.
        std::fs::write(path.path(), "").unwrap();
        let _ = stored.cases.get(0);
        assert!(
            stored.cases.check().unwrap_err().to_string().contains("changed while it was read")
        );
    }
}
