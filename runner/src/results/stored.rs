//! Runs as they lie on disk, and whether they are whole.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    io::BufRead,
    path::{Path, PathBuf},
};

use reports::{
    results::{CaseResult, End, Header, Line, Reader, Record, Results, ResultsError, Unreproduced},
    text::plural,
};

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
    /// Cases with more than one result.
    pub doubled: BTreeSet<String>,
}

impl StoredRun {
    /// Take what a reader gives, whole or not.
    pub fn take(path: &Path, mut reader: Reader<impl BufRead>) -> Result<Self, ResultsError> {
        let mut lines = Lines::new(reader.header().clone());
        while let Some(record) = reader.next_record()? {
            lines.add(record);
        }
        Ok(lines.into_run(path.to_owned(), reader.intact_bytes()))
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

/// The lines of a file as they come.
struct Lines {
    header: Header,
    cases: BTreeMap<String, CaseResult>,
    unreproduced: Vec<Unreproduced>,
    end: Option<End>,
    doubled: BTreeSet<String>,
    damaged: usize,
    first_damaged: String,
}

impl Lines {
    fn new(header: Header) -> Self {
        Self {
            header,
            cases: BTreeMap::new(),
            unreproduced: Vec::new(),
            end: None,
            doubled: BTreeSet::new(),
            damaged: 0,
            first_damaged: String::new(),
        }
    }

    fn add(&mut self, record: Record) {
        match record {
            Record::Whole(line, _) => match *line {
                Line::Case(case) => self.add_case(case),
                Line::Unreproduced(line) => self.unreproduced.push(line),
                Line::End(end) => self.end = Some(end),
                Line::Header(_) => {}
            },
            Record::Damaged(error) => {
                if self.damaged == 0 {
                    self.first_damaged = error.to_string();
                }
                self.damaged += 1;
            }
        }
    }

    fn add_case(&mut self, case: CaseResult) {
        let badness =
            |case: &CaseResult| case.finding.kind.badness().map_or(0, |badness| badness + 1);
        match self.cases.get_mut(&case.id) {
            Some(there) => {
                self.doubled.insert(case.id.clone());
                if badness(&case) > badness(there) {
                    *there = case;
                }
            }
            None => {
                self.cases.insert(case.id.clone(), case);
            }
        }
    }

    fn into_run(self, path: PathBuf, intact_bytes: u64) -> StoredRun {
        let (found, selected) = (self.cases.len(), self.header.cases);
        let mut faults = Vec::new();
        if self.end.is_none() {
            faults.push(Fault::Unfinished { found, selected });
        } else if found != selected {
            faults.push(Fault::Count { found, selected });
        }
        if let Some(first) = self.doubled.first() {
            faults.push(Fault::Doubled { cases: self.doubled.len(), first: first.clone() });
        }
        if self.damaged > 0 {
            faults.push(Fault::Damaged { lines: self.damaged, first: self.first_damaged });
        }
        let results = Results {
            header: self.header,
            cases: self.cases.into_values().collect(),
            unreproduced: self.unreproduced,
            end: self.end,
            intact_bytes,
        };
        StoredRun { path, results, faults, doubled: self.doubled }
    }
}
