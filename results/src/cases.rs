//! The cases of a run, numbered in the order of their ids: in memory where they are few, else in their file, with eight
//! bytes of memory for each.

use std::{
    borrow::Cow,
    cmp::Ordering,
    fs::File,
    io,
    ops::Range,
    os::unix::fs::FileExt as _,
    sync::{Arc, OnceLock},
};

use expectations::{
    dialect::Dialect,
    evidence::Evidence,
    judge::{Finding, FindingKind, Reason},
    outcome::{CodeState, Outcome, OutcomeKind, Phase, RunKind, reached},
    rule::Expectation,
    rule_name::RuleName,
    verdict::Verdict,
};
use serde::{Deserialize, de::IgnoredAny};

use crate::{
    line::{CaseResult, Line, parse, rename, rename_rules},
    reader::{Place, ResultsError},
};

/// The cases of a run, in the order of their ids.
#[derive(Clone, Debug)]
pub struct Cases(Storage);

#[derive(Clone, Debug)]
enum Storage {
    InMemory(Vec<CaseResult>),
    InFile(StoredCases),
}

/// Cases in a file, each read on demand.
#[derive(Clone, Debug)]
struct StoredCases {
    /// Name of the file in errors.
    path: Arc<str>,
    file: Arc<File>,
    places: Arc<[Place]>,
    /// Error of the first case that could not be read: the file was changed meanwhile.
    error: Arc<OnceLock<String>>,
}

/// A case without its texts, for counting.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Brief {
    /// Id of the case.
    pub id: String,
    /// Dialect of the case.
    pub dialect: Dialect,
    /// Verdict of the text on the program.
    pub expectation: Verdict,
    /// Rule that the program breaks, for cases that should be rejected.
    #[serde(default)]
    pub breaks: Option<RuleName>,
    /// Judgement of the outcome.
    pub finding: Finding,
    /// Outcome on the device.
    pub outcome: BriefOutcome,
    /// The evidence for the outcome.
    #[serde(default)]
    pub evidence: Option<Evidence>,
    /// Seconds the case took.
    pub seconds: f64,
    /// One element for each remark of the engine.
    #[serde(default)]
    remarks: Vec<IgnoredAny>,
}

/// An outcome without its texts.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct BriefOutcome {
    /// Kind of the outcome.
    pub kind: OutcomeKind,
    /// Phase in which it showed.
    pub phase: Phase,
    /// State of the code, if code was requested.
    #[serde(default)]
    pub code: Option<BriefCode>,
    /// Comparison of its module with the text, if there is one.
    #[serde(default)]
    pub module: Option<BriefModule>,
    /// Execution of the probe, where the case was executed.
    #[serde(default)]
    pub run: Option<BriefRun>,
}

impl BriefOutcome {
    /// Returns the phase that the program reached: the phase in which it failed, or the last that it passed.
    pub fn reached(&self) -> Phase {
        let is_generated = self.code == Some(BriefCode::Generated);
        reached(self.kind, self.phase, is_generated, self.run.map(|run| run.kind))
    }
}

/// The state of the code of a program.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BriefCode {
    /// Code was generated.
    Generated,
    /// No code was generated, for a reason that is not counted.
    NotGenerated(IgnoredAny),
}

/// The comparison of a module with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct BriefModule {}

/// The execution of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct BriefRun {
    /// The way in which it ended.
    pub kind: RunKind,
    /// Number of wrong values.
    #[serde(default)]
    pub differing: usize,
}

impl Brief {
    /// Whether the engine has remarks on the case.
    pub fn has_remarks(&self) -> bool {
        !self.remarks.is_empty()
    }
}

impl From<&CaseResult> for Brief {
    fn from(case: &CaseResult) -> Self {
        let Outcome { kind, phase, code, module, run, .. } = &case.outcome;
        let code = code.as_deref().map(|code| match code {
            CodeState::Generated => BriefCode::Generated,
            CodeState::NotGenerated(_) => BriefCode::NotGenerated(IgnoredAny),
        });
        let module = module.as_ref().map(|_| BriefModule {});
        let run = run.as_deref();
        let run = run.map(|run| BriefRun { kind: run.kind, differing: run.differing });
        Self {
            id: case.id.clone(),
            dialect: case.dialect,
            expectation: case.expectation,
            breaks: case.breaks.clone(),
            finding: case.finding,
            outcome: BriefOutcome { kind: *kind, phase: *phase, code, module, run },
            evidence: case.evidence,
            seconds: case.seconds,
            remarks: case.remarks.iter().map(|_| IgnoredAny).collect(),
        }
    }
}

/// Number of bytes read at once where one line follows the other.
const AHEAD: usize = 1 << 16;

/// A part of a file.
#[derive(Default)]
struct Window {
    begin: u64,
    bytes: Vec<u8>,
    /// Offset after the last line read.
    end_of_last: u64,
}

impl Window {
    /// Returns the text of a line.
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
            rename_rules(&mut line);
            match line {
                Line::Case(case) => Ok(case),
                _ => Err("another record is in the place of a case".to_owned()),
            }
        });
        case.unwrap_or_else(|error| {
            let _ = self.error.set(error);
            let finding = Finding { kind: FindingKind::Inconclusive, reason: Reason::NoVerdict };
            let outcome = Outcome::new(OutcomeKind::Failed);
            CaseResult::new("", Dialect::ALL[0], &Expectation::Accept, outcome, finding)
        })
    }

    fn brief(&self, window: &mut Window, index: usize) -> Brief {
        let text = window.text(&self.file, self.places[index]);
        match text.map(serde_json::from_slice::<Brief>) {
            Ok(Ok(mut brief)) => {
                rename(&mut brief.id);
                if let Some(breaks) = &mut brief.breaks {
                    breaks.make_current();
                }
                brief
            }
            _ => Brief::from(&self.case(window, index)),
        }
    }
}

impl Cases {
    /// Returns these cases, in the order of their ids.
    pub fn new(mut cases: Vec<CaseResult>) -> Self {
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        Self(Storage::InMemory(cases))
    }

    /// Returns the cases at these places of a file, in the order of their ids; `path` is its name in errors.
    pub(crate) fn stored(path: &str, file: File, places: Vec<Place>) -> Self {
        let (path, file, places) = (path.into(), Arc::new(file), places.into());
        Self(Storage::InFile(StoredCases { path, file, places, error: Arc::default() }))
    }

    /// Returns the number of cases.
    pub fn len(&self) -> usize {
        match &self.0 {
            Storage::InMemory(cases) => cases.len(),
            Storage::InFile(cases) => cases.places.len(),
        }
    }

    /// Whether there are no cases.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the case of a number below [`Self::len`].
    pub fn get(&self, index: usize) -> Cow<'_, CaseResult> {
        self.get_in(&mut Window::default(), index)
    }

    fn get_in(&self, window: &mut Window, index: usize) -> Cow<'_, CaseResult> {
        match &self.0 {
            Storage::InMemory(cases) => Cow::Borrowed(&cases[index]),
            Storage::InFile(cases) => Cow::Owned(cases.case(window, index)),
        }
    }

    /// Returns every case, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, CaseResult>> {
        self.iter_of(0..self.len())
    }

    /// Returns the cases of these numbers.
    pub fn iter_of(
        &self,
        numbers: Range<usize>,
    ) -> impl ExactSizeIterator<Item = Cow<'_, CaseResult>> {
        let mut window = Window::default();
        numbers.map(move |index| self.get_in(&mut window, index))
    }

    /// Returns every case without its texts, in order: several times as fast as [`Self::iter`].
    pub fn briefs(&self) -> impl ExactSizeIterator<Item = Brief> {
        self.briefs_of(0..self.len())
    }

    /// Returns the cases of these numbers without their texts.
    pub fn briefs_of(&self, numbers: Range<usize>) -> impl ExactSizeIterator<Item = Brief> {
        let mut window = Window::default();
        numbers.map(move |index| match &self.0 {
            Storage::InMemory(cases) => Brief::from(&cases[index]),
            Storage::InFile(cases) => cases.brief(&mut window, index),
        })
    }

    /// Returns the case of an id.
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

    /// Checks, after all is read, that every case could be read.
    ///
    /// # Errors
    ///
    /// A case could not be read any more: what was made of the cases is worth nothing.
    pub fn check(&self) -> Result<(), ResultsError> {
        let Storage::InFile(StoredCases { path, error, .. }) = &self.0 else { return Ok(()) };
        let Some(why) = error.get() else { return Ok(()) };
        let source = io::Error::other(format!("it changed while it was read: {why}"));
        Err(ResultsError::Io { path: path.to_string(), source })
    }
}

/// Numbers of cases, kept as ranges: cases that belong together mostly follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Vec<Range<usize>>);

impl Numbers {
    /// Adds a number, greater than all before.
    pub fn push(&mut self, number: usize) {
        match self.0.last_mut() {
            Some(last) if last.end == number => last.end = number + 1,
            _ => self.0.push(number..number + 1),
        }
    }

    /// Whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the ranges, in order.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.iter().cloned()
    }
}
