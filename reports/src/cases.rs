//! The cases of a run, by their number in the order of their ids: in memory where they are few, else in their file,
//! with eight bytes of memory for each.

use std::{
    borrow::Cow,
    cmp::Ordering,
    fs::File,
    io::{self, BufRead},
    ops::Range,
    os::unix::fs::FileExt as _,
    sync::{Arc, OnceLock},
};

use expectations::{
    evidence::Evidence,
    judge::{Finding, FindingKind, Reason},
    outcome::{CodeState, Outcome, OutcomeKind, Phase, RunKind, reached},
    renamed,
    rule::Expectation,
};
use serde::{Deserialize, de::IgnoredAny};

use crate::results::{
    CaseResult, End, Header, Line, Place, Reader, ResultsError, Unreproduced, as_today, parse,
};

/// A results file, read.
#[derive(Clone, Debug)]
pub struct Results {
    /// The header.
    pub header: Header,
    /// The cases.
    pub cases: Cases,
    /// Failures nothing reproduces.
    pub unreproduced: Vec<Unreproduced>,
    /// The end, if the run reached it.
    pub end: Option<End>,
    /// Bytes of the whole lines read; what follows is a torn last line.
    pub intact_bytes: u64,
}

/// Read a results file. A last line without its line break was torn by a kill: it is left out, not rejected.
pub fn read(path: &str, input: impl BufRead) -> Result<Results, ResultsError> {
    let mut reader = Reader::new(path, input)?;
    let mut cases = Vec::new();
    let mut unreproduced = Vec::new();
    let mut end = None;
    while let Some((line, _)) = reader.next_line()? {
        match line {
            Line::Header(_) => {}
            Line::Case(case) => cases.push(case),
            Line::Unreproduced(found) => unreproduced.push(found),
            Line::End(found) => end = Some(found),
        }
    }
    let (header, intact_bytes) = (reader.header().clone(), reader.intact_bytes());
    Ok(Results { header, cases: Cases::new(cases), unreproduced, end, intact_bytes })
}

/// The cases of a run, in the order of their ids.
#[derive(Clone, Debug)]
pub struct Cases(Held);

#[derive(Clone, Debug)]
enum Held {
    InMemory(Vec<CaseResult>),
    InFile(StoredCases),
}

/// Cases that lie in a file, read when they are asked for.
#[derive(Clone, Debug)]
struct StoredCases {
    /// The file's name, for errors.
    path: Arc<str>,
    file: Arc<File>,
    /// The format of the file.
    format: u32,
    places: Arc<[Place]>,
    /// Why one could not be read: the file was changed meanwhile.
    lost: Arc<OnceLock<String>>,
}

/// What is counted of a case: all but its texts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Brief {
    /// The case.
    pub id: String,
    /// Its dialect.
    pub dialect: String,
    /// `accept`, `reject` or `disputed`.
    pub expectation: String,
    /// The rule broken, for cases to reject.
    #[serde(default)]
    pub breaks: Option<String>,
    /// The judgement.
    pub finding: Finding,
    /// What the device did.
    pub outcome: BriefOutcome,
    /// The evidence for the outcome.
    #[serde(default)]
    pub evidence: Option<Evidence>,
    /// Seconds the case took.
    pub seconds: f64,
    /// One for each remark of the engine.
    #[serde(default)]
    remarks: Vec<IgnoredAny>,
}

/// What is counted of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct BriefOutcome {
    /// What the device did.
    pub kind: OutcomeKind,
    /// When.
    pub phase: Phase,
    /// What came of asking for code.
    #[serde(default)]
    pub code: Option<BriefCode>,
    /// What came of running it.
    #[serde(default)]
    pub run: Option<BriefRun>,
}

impl BriefOutcome {
    /// The phase that the program came to: where it failed, or the last that it is known to have passed.
    pub fn reached(&self) -> Phase {
        let is_generated = self.code == Some(BriefCode::Generated);
        reached(self.kind, self.phase, is_generated, self.run.map(|run| run.kind))
    }
}

/// Whether code was generated.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BriefCode {
    /// It was.
    Generated,
    /// It was not, for a reason that is not counted.
    NotGenerated(IgnoredAny),
}

/// How a probe ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct BriefRun {
    /// How.
    pub kind: RunKind,
    /// How many values were wrong.
    #[serde(default)]
    pub differing: usize,
}

impl Brief {
    /// Whether the engine has something to say of the case.
    pub fn has_remarks(&self) -> bool {
        !self.remarks.is_empty()
    }
}

impl From<&CaseResult> for Brief {
    fn from(case: &CaseResult) -> Self {
        let Outcome { kind, phase, code, run, .. } = &case.outcome;
        let code = code.as_deref().map(|code| match code {
            CodeState::Generated => BriefCode::Generated,
            CodeState::NotGenerated(_) => BriefCode::NotGenerated(IgnoredAny),
        });
        let run = run.as_deref();
        let run = run.map(|run| BriefRun { kind: run.kind, differing: run.differing });
        Self {
            id: case.id.clone(),
            dialect: case.dialect.clone(),
            expectation: case.expectation.clone(),
            breaks: case.breaks.clone(),
            finding: case.finding,
            outcome: BriefOutcome { kind: *kind, phase: *phase, code, run },
            evidence: case.evidence,
            seconds: case.seconds,
            remarks: case.remarks.iter().map(|_| IgnoredAny).collect(),
        }
    }
}

/// Bytes read at once where one line follows the other.
const AHEAD: usize = 1 << 16;

/// Part of a file.
#[derive(Default)]
struct Window {
    begin: u64,
    bytes: Vec<u8>,
    /// Where the last line read ended.
    end_of_last: u64,
}

impl Window {
    /// The text of a line.
    fn text(&mut self, file: &File, place: Place) -> io::Result<&[u8]> {
        let (offset, length) = (place.offset(), place.length());
        let end = offset + length as u64;
        if offset < self.begin || end > self.begin + self.bytes.len() as u64 {
            let follows = offset == self.end_of_last;
            self.begin = offset;
            self.bytes.resize(if follows { length.max(AHEAD) } else { length }, 0);
            let mut filled = 0;
            while filled < length {
                match file.read_at(&mut self.bytes[filled..], offset + filled as u64)? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    read => filled += read,
                }
            }
            self.bytes.truncate(filled);
        }
        self.end_of_last = end;
        let from = (offset - self.begin) as usize;
        Ok(&self.bytes[from..from + length])
    }
}

impl StoredCases {
    fn case(&self, window: &mut Window, index: usize) -> CaseResult {
        let case = window.text(&self.file, self.places[index]).map_err(|error| error.to_string());
        let case = case.and_then(|text| {
            let mut line = parse(text)?;
            as_today(&mut line, self.format);
            match line {
                Line::Case(case) => Ok(case),
                _ => Err("another record stands in the place of a case".to_owned()),
            }
        });
        case.unwrap_or_else(|error| {
            let _ = self.lost.set(error);
            let finding = Finding { kind: FindingKind::Inconclusive, reason: Reason::NoVerdict };
            let outcome = Outcome::new(OutcomeKind::Failed);
            CaseResult::new("", "", &Expectation::Accept, outcome, finding)
        })
    }

    fn brief(&self, window: &mut Window, index: usize) -> Brief {
        let text = window.text(&self.file, self.places[index]);
        match text.map(serde_json::from_slice::<Brief>) {
            // Remarks of format 1 are no remarks today.
            Ok(Ok(mut brief)) if self.format > 1 || brief.remarks.is_empty() => {
                for name in [Some(&mut brief.id), brief.breaks.as_mut()].into_iter().flatten() {
                    if let Cow::Owned(current) = renamed::current(name) {
                        *name = current;
                    }
                }
                brief
            }
            _ => Brief::from(&self.case(window, index)),
        }
    }
}

impl Cases {
    /// These cases.
    pub fn new(mut cases: Vec<CaseResult>) -> Self {
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        Self(Held::InMemory(cases))
    }

    /// The cases at these places of a file of that format, in the order of their ids; `path` names it in errors.
    pub fn stored(path: &str, file: File, format: u32, places: Vec<Place>) -> Self {
        let (path, file, places) = (path.into(), Arc::new(file), places.into());
        Self(Held::InFile(StoredCases { path, file, format, places, lost: Arc::default() }))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Held::InMemory(cases) => cases.len(),
            Held::InFile(cases) => cases.places.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The case of that number, below [`Self::len`].
    pub fn get(&self, index: usize) -> Cow<'_, CaseResult> {
        self.get_in(&mut Window::default(), index)
    }

    fn get_in(&self, window: &mut Window, index: usize) -> Cow<'_, CaseResult> {
        match &self.0 {
            Held::InMemory(cases) => Cow::Borrowed(&cases[index]),
            Held::InFile(cases) => Cow::Owned(cases.case(window, index)),
        }
    }

    /// Every case, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, CaseResult>> {
        self.iter_of(0..self.len())
    }

    /// The cases of these numbers.
    pub fn iter_of(
        &self,
        numbers: Range<usize>,
    ) -> impl ExactSizeIterator<Item = Cow<'_, CaseResult>> {
        let mut window = Window::default();
        numbers.map(move |index| self.get_in(&mut window, index))
    }

    /// What is counted of every case, in order: several times as fast as [`Self::iter`].
    pub fn briefs(&self) -> impl ExactSizeIterator<Item = Brief> {
        self.briefs_of(0..self.len())
    }

    /// What is counted of the cases of these numbers.
    pub fn briefs_of(&self, numbers: Range<usize>) -> impl ExactSizeIterator<Item = Brief> {
        let mut window = Window::default();
        numbers.map(move |index| match &self.0 {
            Held::InMemory(cases) => Brief::from(&cases[index]),
            Held::InFile(cases) => cases.brief(&mut window, index),
        })
    }

    /// The case of that id.
    pub fn find(&self, id: &str) -> Option<Cow<'_, CaseResult>> {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from.midpoint(to);
            let case = self.get(middle);
            match case.id.as_str().cmp(id) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Some(case),
                Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// To be asked when all is read.
    ///
    /// # Errors
    ///
    /// Where some case could not be read any more: what was made of them is worth nothing.
    pub fn check(&self) -> Result<(), ResultsError> {
        let Held::InFile(StoredCases { path, lost, .. }) = &self.0 else { return Ok(()) };
        let Some(why) = lost.get() else { return Ok(()) };
        let source = io::Error::other(format!("it changed while it was read: {why}"));
        Err(ResultsError::Io { path: path.to_string(), source })
    }
}

/// Numbers of cases, as few ranges as they are: cases that belong together mostly follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Vec<Range<usize>>);

impl Numbers {
    /// Add a number, greater than all before.
    pub fn push(&mut self, number: usize) {
        match self.0.last_mut() {
            Some(last) if last.end == number => last.end = number + 1,
            _ => self.0.push(number..number + 1),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges, in order.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.iter().cloned()
    }
}
