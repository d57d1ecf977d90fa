//! The results file: JSON lines, a header first, then one line per case; append-only.

use std::{borrow::Cow, collections::BTreeMap, io::BufRead};

use expectations::{
    evidence::Evidence,
    judge::Finding,
    outcome::{Outcome, OutcomeKind},
    renamed,
    rule::Expectation,
    wrong_values::Left,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::worker_time::WorkerTime;

/// Version of the file format. Readers take 1 too, which had no `control-log` (see [`Reader::next_line`]), 2, which had
/// no `worker-time`, 3, which had no `left`, and 4, which had no `evidence` and no `shared-check`.
pub const FORMAT: u32 = 5;

/// In format 1 began the remark that held the control's log.
const CONTROL_LOG_REMARK: &str = "of the control it says: ";

/// One line of a results file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum Line {
    /// The first line.
    Header(Header),
    /// What came of one case.
    Case(CaseResult),
    /// A failure of a build that no smaller build shows.
    Unreproduced(Unreproduced),
    /// The last line of a run that ended by itself.
    End(End),
}

/// What was run, on what: two files can be compared, joined or continued when these agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Header {
    /// Version of the file format.
    #[schemars(extend("const" = FORMAT))]
    pub format: u32,
    /// Version of the program.
    pub program: String,
    /// Hash of every rule file and template.
    pub suite: String,
    /// What was selected of it, by option; nothing but the shard may differ between parts of one run.
    #[serde(default)]
    pub selection: BTreeMap<String, String>,
    /// How many cases were selected.
    pub cases: usize,
    /// Name of the device file.
    pub device: String,
    /// The front end inside; devices that share one count once in votes. Empty in files written before there was one.
    #[serde(default)]
    pub front_end: String,
    /// When the run began, `2026-11-20T15:00:00Z`. Empty in files written before there was one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub begun: String,
    /// What the device says of itself, by name: platform, driver, versions, features.
    pub identity: BTreeMap<String, String>,
    /// Which part of the selection this is, `K/N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Why dialects were not run on the device.
    #[serde(default)]
    pub unsupported: BTreeMap<String, String>,
    /// Options of the run that a result can depend on, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// What it ran on, by name; of joined parts what they have in common.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub machine: BTreeMap<String, String>,
    /// Environment variables given to the device's worker.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

impl Header {
    /// Version of the driver, or what comes nearest to it of what the device says of itself.
    pub fn driver(&self) -> &str {
        ["driver", "platform version", "device version"]
            .into_iter()
            .filter_map(|name| self.identity.get(name))
            .find(|value| !value.is_empty())
            .map_or("version not reported", String::as_str)
    }
}

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CaseResult {
    /// The case.
    pub id: String,
    /// Its dialect.
    pub dialect: String,
    /// `accept`, `reject` or `disputed`.
    #[schemars(extend("enum" = ["accept", "reject", "disputed"]))]
    pub expectation: String,
    /// The rule broken, for cases to reject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<String>,
    /// The control, for cases to reject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// The line of the device's log on the control that tells why, where the control was rejected too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_log: Option<String>,
    /// What the device did.
    pub outcome: Outcome,
    /// The evidence for the outcome; absent where the case was not built, and in files of formats 1 to 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The judgement.
    pub finding: Finding,
    /// Seconds the case took; its part of the batch where it was built with others.
    pub seconds: f64,
    /// How often it was tried.
    pub attempts: u32,
    /// What came of it how often, alone in a fresh worker, where that was not the same each time: it is flaky.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<Tries>,
    /// How a finding that no baseline entry explains was confirmed; absent of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Confirmed>,
    /// What else a flaky case answered, each answer once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Outcome>,
    /// Of a random program that computes wrong values, what building parts of it has told; absent of others, and where
    /// it was not taken apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
    /// Remarks of the engine: batches left, cases it failed after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl CaseResult {
    /// The line of the log that names an error, or else what is known of the outcome.
    pub(crate) fn said(&self) -> Option<&str> {
        let lines = || self.outcome.log.lines().filter(|line| !line.trim().is_empty());
        let of_log = lines().find(|line| line.contains("error")).or_else(|| lines().next());
        of_log.or_else(|| self.outcome.detail.lines().next())
    }

    /// What came of a case that has no control, was tried once, took no time and calls for no remark.
    pub fn new(
        id: impl Into<String>,
        dialect: &str,
        expectation: &Expectation,
        outcome: Outcome,
        finding: Finding,
    ) -> Self {
        Self {
            id: id.into(),
            dialect: dialect.to_owned(),
            expectation: expectation.name().to_owned(),
            breaks: match expectation {
                Expectation::Reject { breaks } => Some(breaks.clone()),
                Expectation::Accept | Expectation::Disputed { .. } => None,
            },
            control: None,
            control_log: None,
            outcome,
            evidence: None,
            finding,
            seconds: 0.0,
            attempts: 1,
            tries: Vec::new(),
            confirmed: None,
            answers: Vec::new(),
            left: None,
            remarks: Vec::new(),
        }
    }
}

/// How a finding was seen once more before it was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Confirmed {
    /// Alone, in a worker that had built nothing else.
    Alone,
    /// In another batch: enough of its kind were seen alone.
    Batch,
}

impl Confirmed {
    /// A phrase for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Alone => "again, alone in a new worker",
            Self::Batch => "again, in another batch",
        }
    }
}

/// How often a case had one outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tries {
    /// The outcome.
    pub outcome: OutcomeKind,
    /// How often.
    pub times: u32,
}

/// A build of several cases failed, and no part of it does when built alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Unreproduced {
    /// The cases, in the order they were built.
    pub cases: Vec<String>,
    /// What happened.
    pub what: String,
}

/// The run's end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct End {
    /// Number of findings by kind.
    pub findings: BTreeMap<String, usize>,
    /// Seconds the run took.
    pub seconds: f64,
    /// What the time of its workers went into; nothing where the device needs none, nor in files of formats 1 and 2.
    #[serde(default, skip_serializing_if = "WorkerTime::is_empty")]
    pub worker_time: WorkerTime,
    /// The check of the verdicts that shared builds gave; absent in files of formats 1 to 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_check: Option<SharedCheck>,
}

/// A check of the verdicts that shared builds gave, by builds of a sample of the cases alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SharedCheck {
    /// Number of verdicts that shared builds gave.
    pub verdicts: usize,
    /// Ids of the cases whose verdict a build of the case alone gave too, ascending.
    pub confirmed: Vec<String>,
    /// Ids of the cases that a build of the case alone gave another verdict, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differing: Vec<String>,
    /// Kinds of evidence whose verdicts were all got again by builds of the cases alone, as one of them differed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<Evidence>,
}

impl SharedCheck {
    /// Adds the check of another part of the run.
    pub fn join(&mut self, other: Self) {
        self.verdicts += other.verdicts;
        self.confirmed.extend(other.confirmed);
        self.differing.extend(other.differing);
        self.withdrawn.extend(other.withdrawn);
        for ids in [&mut self.confirmed, &mut self.differing] {
            ids.sort_unstable();
            ids.dedup();
        }
        self.withdrawn.sort_unstable();
        self.withdrawn.dedup();
    }

    /// Returns the check in a sentence; `None` where no verdict came of a shared build.
    pub fn text(&self) -> Option<String> {
        if self.verdicts == 0 {
            return None;
        }
        let checked = self.confirmed.len() + self.differing.len();
        let of = format!(
            "{checked} of {} verdicts of shared builds were checked by builds of the cases alone",
            self.verdicts
        );
        Some(match (self.differing.first(), self.withdrawn.as_slice()) {
            (None, _) => format!("{of}, and none differs"),
            (Some(first), withdrawn) => {
                let kinds: Vec<&str> = withdrawn.iter().map(|kind| kind.name()).collect();
                format!(
                    "{of}, and {} differ (the first: {first}): all verdicts by {} were got again by such builds",
                    self.differing.len(),
                    kinds.join(" and "),
                )
            }
        })
    }
}

/// A results file that cannot be used.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A line is no record.
    #[error("{path}:{line}: {message}")]
    Line {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Why.
        message: String,
    },
}

/// Where a line lies: the offset in the upper 40 bits, its length in the lower 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    /// The place; `None` where the file or the line is too long for it.
    pub fn new(offset: u64, length: usize) -> Option<Self> {
        (offset < 1 << 40 && length < 1 << 24).then_some(Self(offset << 24 | length as u64))
    }

    /// As bytes, in the order of the places.
    pub const fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// The place of these bytes.
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }

    /// Where it begins.
    pub const fn offset(self) -> u64 {
        self.0 >> 24
    }

    /// Its bytes.
    pub const fn length(self) -> usize {
        (self.0 & 0xff_ffff) as usize
    }
}

/// A line after the header.
#[derive(Debug)]
pub enum Record {
    /// A record, and its text.
    Whole(Box<Line>, Vec<u8>),
    /// None: the file was damaged.
    Damaged(ResultsError),
}

/// A results file, read line by line.
#[derive(Debug)]
pub struct Reader<R> {
    path: String,
    input: R,
    header: Header,
    number: usize,
    intact_bytes: u64,
    last_length: usize,
}

impl<R: BufRead> Reader<R> {
    /// Read the header.
    pub fn new(path: &str, mut input: R) -> Result<Self, ResultsError> {
        let path = path.to_owned();
        let reject = |message: String| ResultsError::Line { path: path.clone(), line: 1, message };
        let Some(text) = whole_line(&path, &mut input)? else {
            return Err(reject(
                "no header: this is no results file, or the run was ended before it began"
                    .to_owned(),
            ));
        };
        match parse(&text).map_err(reject)? {
            Line::Header(header) if (1..=FORMAT).contains(&header.format) => Ok(Self {
                path,
                input,
                header,
                number: 1,
                intact_bytes: text.len() as u64,
                last_length: 0,
            }),
            Line::Header(found) => {
                let found = found.format;
                Err(reject(format!("format {found}, this program reads formats 1 to {FORMAT}")))
            }
            _ => Err(reject("the first line must be the header".to_owned())),
        }
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Where the last line lies; `None` where it is too long for a place.
    pub fn last_place(&self) -> Option<Place> {
        Place::new(self.intact_bytes - self.last_length as u64, self.last_length)
    }

    /// Bytes of the whole lines read.
    pub const fn intact_bytes(&self) -> u64 {
        self.intact_bytes
    }

    /// The next line after the header, and its text, both as they are written today.
    pub fn next_line(&mut self) -> Result<Option<(Line, Vec<u8>)>, ResultsError> {
        match self.next_record()? {
            None => Ok(None),
            Some(Record::Whole(line, text)) => Ok(Some((*line, text))),
            Some(Record::Damaged(error)) => Err(error),
        }
    }

    /// The next line after the header, whether it is a record or not.
    pub fn next_record(&mut self) -> Result<Option<Record>, ResultsError> {
        let Some(text) = whole_line(&self.path, &mut self.input)? else { return Ok(None) };
        self.number += 1;
        let reject = |message: String| ResultsError::Line {
            path: self.path.clone(),
            line: self.number,
            message,
        };
        self.intact_bytes += text.len() as u64;
        self.last_length = text.len();
        match parse(&text) {
            Ok(Line::Header(_)) => {
                Err(reject("a second header: two runs were mixed in one file".to_owned()))
            }
            Ok(mut line) => {
                let changed = as_today(&mut line, self.header.format);
                let text = if changed { to_json(&line).into_bytes() } else { text };
                Ok(Some(Record::Whole(Box::new(line), text)))
            }
            Err(message) => Ok(Some(Record::Damaged(reject(message)))),
        }
    }
}

/// A line with its line break; `None` at the end, and before a line without one.
fn whole_line(path: &str, input: &mut impl BufRead) -> Result<Option<Vec<u8>>, ResultsError> {
    let mut text = Vec::new();
    input
        .read_until(b'\n', &mut text)
        .map_err(|source| ResultsError::Io { path: path.to_owned(), source })?;
    Ok((text.last() == Some(&b'\n')).then_some(text))
}

/// The record on a line.
pub(crate) fn parse(text: &[u8]) -> Result<Line, String> {
    // Nearly all lines are cases as this program writes them; a tagged enumeration takes three times as long to read.
    if let Some(rest) = text.strip_prefix(b"{\"record\":\"case\",")
        && let Ok(case) = serde_json::from_slice(&[b"{", rest].concat())
    {
        return Ok(Line::Case(case));
    }
    serde_json::from_slice(text).map_err(|error| format!("no record of a run: {error}"))
}

/// Bring a line of a file of that format to what is written today; gives whether it was otherwise.
pub(crate) fn as_today(line: &mut Line, format: u32) -> bool {
    rename(line) | (format < 2 && take_control_log(line))
}

/// Give the rules that a line names the names they have today; whether one had another.
fn rename(line: &mut Line) -> bool {
    let mut names: Vec<&mut String> = match line {
        Line::Case(case) => [Some(&mut case.id), case.breaks.as_mut(), case.control.as_mut()]
            .into_iter()
            .flatten()
            .collect(),
        Line::Unreproduced(found) => found.cases.iter_mut().collect(),
        Line::Header(_) | Line::End(_) => Vec::new(),
    };
    let mut renamed = false;
    for name in &mut names {
        if let Cow::Owned(current) = renamed::current(name) {
            **name = current;
            renamed = true;
        }
    }
    renamed
}

/// Give a case of format 1 its `control-log`; whether it has one.
fn take_control_log(line: &mut Line) -> bool {
    let Line::Case(case) = line else { return false };
    let log = |remark: &String| Some(remark.strip_prefix(CONTROL_LOG_REMARK)?.to_owned());
    let Some(index) = case.remarks.iter().position(|remark| log(remark).is_some()) else {
        return false;
    };
    case.control_log = log(&case.remarks.remove(index));
    true
}

/// A line as it is written, with its line break.
pub fn to_json(line: &Line) -> String {
    let mut text = serde_json::to_string(line).expect("records hold nothing JSON cannot");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::read;
    use expectations::judge::{FindingKind, Reason};
    use proptest::prelude::*;

    fn header() -> Header {
        Header {
            format: FORMAT,
            program: "0.1.0".to_owned(),
            suite: "ab".to_owned(),
            selection: BTreeMap::new(),
            cases: 1,
            device: "pocl".to_owned(),
            front_end: "clang 15".to_owned(),
            begun: String::new(),
            options: BTreeMap::new(),
            machine: BTreeMap::new(),
            identity: BTreeMap::new(),
            shard: None,
            unsupported: BTreeMap::new(),
            environment: BTreeMap::new(),
        }
    }

    #[test]
    fn results_of_renamed_rules_go_by_todays_names() {
        let old = Line::Case(CaseResult {
            control: Some("code/null-pointer/cl12/a=c".to_owned()),
            ..case("code/null-pointer/cl12/a=b", "")
        });
        let torn = Line::Unreproduced(Unreproduced {
            cases: vec!["run/barrier/cl12/a=b".to_owned()],
            what: String::new(),
        });
        let text = to_json(&Line::Header(header())) + &to_json(&old) + &to_json(&torn);
        let results = read("r", text.as_bytes()).unwrap();
        assert_eq!(results.cases.get(0).id, "codegen/null-pointer-conversions/cl12/a=b");
        assert_eq!(
            results.cases.get(0).control.as_deref(),
            Some("codegen/null-pointer-conversions/cl12/a=c")
        );
        assert_eq!(results.unreproduced[0].cases, ["execution/barrier/cl12/a=b"]);
        let mut reader = Reader::new("r", text.as_bytes()).unwrap();
        let (line, line_text) = reader.next_line().unwrap().unwrap();
        assert_eq!(line_text, to_json(&line).into_bytes());
    }

    #[test]
    fn the_controls_log_of_format_1_was_a_remark() {
        let old = CaseResult {
            remarks: vec!["flaky: x".to_owned(), format!("{CONTROL_LOG_REMARK}error: no")],
            ..case("a/b/cl12/c=d", "")
        };
        let new = CaseResult {
            control_log: Some("error: no".to_owned()),
            remarks: vec!["flaky: x".to_owned()],
            ..old.clone()
        };
        for (format, read) in [(1, &new), (2, &old)] {
            let header = Header { format, ..header() };
            let text = to_json(&Line::Header(header)) + &to_json(&Line::Case(old.clone()));
            let mut reader = Reader::new("r", text.as_bytes()).unwrap();
            let (line, line_text) = reader.next_line().unwrap().unwrap();
            assert_eq!(line, Line::Case(read.clone()), "format {format}");
            assert_eq!(line_text, to_json(&line).into_bytes());
        }
    }

    fn case(id: &str, log: &str) -> CaseResult {
        let outcome = Outcome { log: log.to_owned(), ..Outcome::new(OutcomeKind::Rejected) };
        let finding = Finding { kind: FindingKind::Fail, reason: Reason::RejectsValid };
        CaseResult::new(id, "cl12", &Expectation::Accept, outcome, finding)
    }

    proptest! {
        #[test]
        fn a_file_cut_anywhere_is_read_up_to_the_last_whole_line(logs in prop::collection::vec(any::<String>(), 0..6), cut in any::<prop::sample::Index>()) {
            let mut text = to_json(&Line::Header(header()));
            let header_length = text.len();
            for (index, log) in logs.iter().enumerate() {
                text.push_str(&to_json(&Line::Case(case(&index.to_string(), log))));
            }
            let cut = cut.index(text.len() + 1);
            let part = &text.as_bytes()[..cut];
            let whole_lines = part.split(|&byte| byte == b'\n').count() - 1;
            let results = read("r", part);
            if cut < header_length {
                prop_assert!(results.is_err());
            } else {
                let results = results.unwrap();
                prop_assert_eq!(results.cases.len(), whole_lines - 1);
                for (case, log) in results.cases.iter().zip(&logs) {
                    prop_assert_eq!(&case.outcome.log, log);
                }
            }
        }

        #[test]
        fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read("r", bytes.as_slice());
        }
    }

    #[test]
    fn rejections_name_the_line() {
        let good = to_json(&Line::Header(header()));
        for (text, expected) in [
            (
                good.replace(&format!("\"format\":{FORMAT}"), "\"format\":9"),
                format!("r:1: format 9, this program reads formats 1 to {FORMAT}"),
            ),
            (
                format!("{good}{good}"),
                "r:2: a second header: two runs were mixed in one file".to_owned(),
            ),
            (
                String::new(),
                "r:1: no header: this is no results file, or the run was ended before it began"
                    .to_owned(),
            ),
        ] {
            assert_eq!(read("r", text.as_bytes()).unwrap_err().to_string(), expected);
        }
    }
}
