//! Runs as they lie on disk, and whether they are whole.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    fs::File,
    io::{self, BufReader, Seek as _},
    path::{Path, PathBuf},
};

use reports::{
    cases::{Cases, Results},
    results::{CaseResult, End, Header, Line, Place, Reader, Record, ResultsError, Unreproduced},
    text::plural,
};

use super::sorted_lines::Sorter;

/// What keeps a run from being whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It has no last line.
    Unfinished {
        /// Cases that are there.
        found: usize,
        /// Cases that were selected.
        selected: usize,
    },
    /// It has a last line, and not as many cases as were selected.
    Count {
        /// Cases that are there.
        found: usize,
        /// Cases that were selected.
        selected: usize,
    },
    /// Cases have more than one result.
    Doubled {
        /// How many.
        cases: usize,
        /// One of them.
        first: String,
    },
    /// Lines are no records.
    Damaged {
        /// How many.
        lines: usize,
        /// The first, with its place.
        first: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfinished { found, selected } => {
                write!(f, "it did not reach its end: {found} of {selected} cases are there")
            }
            Self::Count { found, selected } => {
                write!(f, "it was changed after its end: {found} of {selected} cases are there")
            }
            Self::Doubled { cases, first } => write!(
                f,
                "{} in it more than once, the first {}; the worst finding counts",
                if *cases == 1 {
                    "1 case stands".to_owned()
                } else {
                    format!("{cases} cases stand")
                },
                reports::text::one_line(first, 200)
            ),
            Self::Damaged { lines, first } => write!(
                f,
                "{} in it {}, the first {}",
                plural(*lines, "line"),
                if *lines == 1 { "is damaged" } else { "are damaged" },
                reports::text::one_line(first, 200)
            ),
        }
    }
}

/// One run as it lies in a folder.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// The folder, or the file.
    pub path: PathBuf,
    /// What it holds, each case once.
    pub results: Results,
    /// What keeps it from being whole.
    pub faults: Vec<Fault>,
    /// The numbers of cases with more than one result.
    pub doubled: Vec<usize>,
}

impl StoredRun {
    /// Take what a file holds, whole or not; `shown` names it in errors.
    pub fn take(path: &Path, shown: &str, file: File) -> Result<Self, ResultsError> {
        Self::take_holding(path, shown, file, HELD)
    }

    fn take_holding(path: &Path, shown: &str, file: File, held: u64) -> Result<Self, ResultsError> {
        let io = |source| ResultsError::Io { path: shown.to_owned(), source };
        let is_held = file.metadata().map_err(io)?.len() <= held;
        (&file).rewind().map_err(io)?;
        let mut reader = Reader::new(shown, BufReader::new(&file))?;
        let mut lines = Lines::new(reader.header().clone(), is_held);
        while let Some(record) = reader.next_record()? {
            lines.add(record, reader.last_place()).map_err(io)?;
        }
        let intact_bytes = reader.intact_bytes();
        lines.into_run(path, shown, file, intact_bytes).map_err(io)
    }

    /// Whether `--resume` mends it.
    pub fn can_be_gone_on_with(&self) -> bool {
        let mends =
            |fault: &Fault| matches!(fault, Fault::Unfinished { .. } | Fault::Damaged { .. });
        self.faults.iter().all(mends)
    }

    /// Whether there is something in it that should not be.
    pub fn is_spoilt(&self) -> bool {
        let spoils = |fault: &Fault| matches!(fault, Fault::Doubled { .. } | Fault::Damaged { .. });
        self.faults.iter().any(spoils)
    }

    /// Why it is not whole, in words; `None` where it is.
    pub fn partial(&self) -> Option<String> {
        (!self.faults.is_empty()).then(|| said(&self.faults))
    }
}

fn said(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Bytes of a file whose cases are held in memory; those of a longer one are read from it when they are asked for.
const HELD: u64 = 8 << 20;
/// Bytes of ids that are sorted in memory at a time.
const SORTED_AT_ONCE: usize = 4 << 20;

/// The lines of a file as they come.
struct Lines {
    header: Header,
    cases: Collected,
    unreproduced: Vec<Unreproduced>,
    end: Option<End>,
    damaged: usize,
    first_damaged: String,
}

/// The cases so far.
enum Collected {
    InMemory {
        cases: BTreeMap<String, CaseResult>,
        doubled: BTreeSet<String>,
    },
    /// Their places, to be sorted by their ids.
    InFile(Sorter),
}

/// The cases, each once, and the numbers of those with more than one result.
type Once = (Cases, Vec<usize>);

impl Lines {
    fn new(header: Header, is_held: bool) -> Self {
        let cases = if is_held {
            Collected::InMemory { cases: BTreeMap::new(), doubled: BTreeSet::new() }
        } else {
            Collected::InFile(Sorter::new(&std::env::temp_dir(), SORTED_AT_ONCE))
        };
        Self {
            header,
            cases,
            unreproduced: Vec::new(),
            end: None,
            damaged: 0,
            first_damaged: String::new(),
        }
    }

    /// Take a line that lies there.
    fn add(&mut self, record: Record, place: Option<Place>) -> io::Result<()> {
        match record {
            Record::Whole(line, _) => match *line {
                Line::Case(case) => self.add_case(case, place)?,
                Line::Unreproduced(line) => self.unreproduced.push(line),
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
            (Collected::InMemory { cases, doubled }, _) => match cases.get_mut(&case.id) {
                Some(there) => {
                    doubled.insert(case.id.clone());
                    if badness(&case) > badness(there) {
                        *there = case;
                    }
                }
                None => {
                    cases.insert(case.id.clone(), case);
                }
            },
            (Collected::InFile(sorter), Some(place)) => {
                sorter.push(case.id, place.to_bytes().to_vec()).map_err(|error| sorting(&error))?;
            }
            (Collected::InFile(_), None) => {
                self.add_damaged(format!("{}: a line too long for a case", case.id));
            }
        }
        Ok(())
    }

    fn into_run(
        self,
        path: &Path,
        shown: &str,
        file: File,
        intact_bytes: u64,
    ) -> io::Result<StoredRun> {
        let (cases, doubled) = match self.cases {
            Collected::InMemory { cases, doubled } => {
                let numbers = cases.keys().enumerate().filter(|(_, id)| doubled.contains(*id));
                let numbers = numbers.map(|(number, _)| number).collect();
                (Cases::new(cases.into_values().collect()), numbers)
            }
            Collected::InFile(sorter) => {
                once(shown, file, self.header.format, sorter).map_err(|error| sorting(&error))?
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
        let results = Results {
            header: self.header,
            cases,
            unreproduced: self.unreproduced,
            end: self.end,
            intact_bytes,
        };
        Ok(StoredRun { path: path.to_owned(), results, faults, doubled })
    }
}

fn sorting(error: &io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    let message = format!(
        "sorting its cases in {} failed: {error}; make room there, or name another folder by TMPDIR",
        folder.display()
    );
    io::Error::new(error.kind(), message)
}

/// Where one case has several findings, the worst counts.
fn badness(case: &CaseResult) -> u8 {
    case.finding.kind.badness().map_or(0, |badness| badness + 1)
}

/// The cases at the places that were sorted by their ids.
fn once(shown: &str, file: File, format: u32, sorter: Sorter) -> io::Result<Once> {
    let (mut places, mut doubled): (Vec<Place>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut last = String::new();
    for sorted in sorter.finish()? {
        let (id, place) = sorted?;
        let bytes = place.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
        let place = Place::from_bytes(bytes);
        match places.last_mut() {
            Some(there) if last == id => {
                let both = Cases::stored(shown, file.try_clone()?, format, vec![*there, place]);
                if badness(&both.get(1)) > badness(&both.get(0)) {
                    *there = place;
                }
                doubled.push(places.len() - 1);
            }
            _ => places.push(place),
        }
        last = id;
    }
    doubled.dedup();
    Ok((Cases::stored(shown, file, format, places), doubled))
}

#[cfg(test)]
mod tests {
    use expectations::{
        judge::{Finding, FindingKind, Reason},
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };
    use reports::results::{FORMAT, to_json};

    use super::*;

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
            let case = CaseResult::new(id, "cl12", &Expectation::Accept, outcome, finding);
            lines.push_str(&to_json(&Line::Case(case)));
        }
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(path.path(), &lines).unwrap();
        let read = |held| {
            let file = File::open(path.path()).unwrap();
            StoredRun::take_holding(path.path(), "r", file, held).unwrap()
        };
        let (held, stored) = (read(u64::MAX), read(0));
        assert_eq!(held.faults, stored.faults);
        assert_eq!(held.results.cases.len(), 300);
        for (held, stored) in held.results.cases.iter().zip(stored.results.cases.iter()) {
            assert_eq!(held, stored);
        }
        let found = stored.results.cases.find("a/b/cl12/x=17").unwrap();
        assert_eq!(found.id, "a/b/cl12/x=17");
        assert!(stored.results.cases.find("a/b/cl12/x=300").is_none());
        stored.results.cases.check().unwrap();
        // What becomes of the file meanwhile is noticed.
        std::fs::write(path.path(), "").unwrap();
        let _ = stored.results.cases.get(0);
        assert!(
            stored
                .results
                .cases
                .check()
                .unwrap_err()
                .to_string()
                .contains("changed while it was read")
        );
    }
}
