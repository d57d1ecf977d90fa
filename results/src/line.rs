//! Lines of a results file, JSON each: a header first, then one line per case; the file is append-only.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use expectations::{
    case_id::CaseId,
    dialect::Dialect,
    evidence::Evidence,
    judge::Finding,
    outcome::{Outcome, OutcomeKind},
    renamed,
    rule::Expectation,
    rule_name::RuleName,
    verdict::Verdict,
    wrong_values::RemainingConstructs,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    shared_check::SharedCheck,
    text::{escaped_json, is_dangerous, one_line},
    worker_time::WorkerTime,
};

/// Version of the file format. Readers accept no other.
pub const FORMAT: u32 = 6;

/// One line of a results file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum Line {
    /// The first line.
    Header(Header),
    /// The result of one case.
    Case(CaseResult),
    /// A failure of a build that no smaller build shows.
    Unreproduced(UnreproducedFailure),
    /// A fault that takes several programs in one process, or several kernels in one program.
    Interaction(Interaction),
    /// The last line of a run that finished.
    End(End),
}

/// The device, the suite and the options of a run: two files can be compared, joined or continued when these agree.
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
    /// Selection of cases, by option; only the shard may differ between parts of one run.
    #[serde(default)]
    pub selection: BTreeMap<String, String>,
    /// Number of selected cases.
    pub cases: usize,
    /// Name of the device.
    pub device: String,
    /// Word that named the device on the command line, where it is not its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub device_as_typed: String,
    /// Name of the compiler whose modules the driver is given; empty if it is given sources.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub through: String,
    /// Front end inside the device; devices that share one count once in votes.
    #[serde(default)]
    pub front_end: String,
    /// Moment at which the run began, `2026-11-20T15:00:00Z`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub begun: String,
    /// Facts that the device reports about itself, by name: platform, driver, versions, features.
    pub identity: BTreeMap<String, String>,
    /// Part of the selection, `K/N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Reasons for which dialects were not run on the device, by dialect.
    #[serde(default)]
    pub unsupported: BTreeMap<String, String>,
    /// Options of the run that a result can depend on, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Facts about the machine, by name; joined parts keep those that all of them share.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub machine: BTreeMap<String, String>,
    /// Environment variables given to the device's worker.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Files by whose baseline entries the run was judged, in the order in which they explain a case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged_by: Vec<EntryFile>,
}

/// A file with baseline entries, as it was when a run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EntryFile {
    /// Part that the file has in the judgement.
    pub role: EntryFileRole,
    /// Path of the file in messages; nothing is read from there.
    pub path: String,
    /// Hash of the file.
    pub sha256: String,
    /// Text of the file; absent if the program has the file inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The part that a file has in the judgement of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryFileRole {
    /// File that describes the device, and what the device is known to get wrong.
    Device,
    /// File whose entries take the place of those of the device's own file.
    Baseline,
    /// File of the suite whose entries speak of the front end inside the device, or of several devices.
    FrontEnd,
}

impl Header {
    /// Returns the version of the driver, or the nearest fact that the device reports.
    pub fn driver(&self) -> &str {
        ["driver", "platform version", "device version"]
            .into_iter()
            .filter_map(|name| self.identity.get(name))
            .find(|value| !value.is_empty())
            .map_or("version not reported", String::as_str)
    }

    /// Returns the name of the run's device, with the compiler whose modules it was given: `pocl@sid through
    /// llvm-spirv`.
    pub fn name(&self) -> Cow<'_, str> {
        match self.through.as_str() {
            "" => Cow::Borrowed(&self.device),
            producer => Cow::Owned(format!("{} through {producer}", self.device)),
        }
    }

    /// Returns the word that names the device on the command line.
    pub fn typed_device(&self) -> &str {
        if self.device_as_typed.is_empty() { &self.device } else { &self.device_as_typed }
    }

    /// Returns the text of the file of this role that the results hold.
    pub fn kept_file(&self, role: EntryFileRole) -> Option<(&str, &str)> {
        let file = self.judged_by.iter().find(|file| file.role == role)?;
        Some((&file.path, file.text.as_deref()?))
    }
}

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CaseResult {
    /// Id of the case.
    pub id: String,
    /// Dialect of the case.
    pub dialect: Dialect,
    /// Verdict of the text on the program.
    pub expectation: Verdict,
    /// Rule that the program breaks, for cases that should be rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<RuleName>,
    /// Control of the case, of cases to reject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// Line of the device's log on the control that gives the reason, if the device rejected the control too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_log: Option<String>,
    /// Outcome on the device.
    pub outcome: Outcome,
    /// Evidence for the outcome; absent if the case was not built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Judgement of the outcome.
    pub finding: Finding,
    /// Seconds the case took; its part of the batch where it was built with others.
    pub seconds: f64,
    /// Number of attempts.
    pub attempts: u32,
    /// Outcomes alone in a fresh worker, each with its count, where they were not the same each time: the case is
    /// flaky.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<Tries>,
    /// Way in which a finding that no baseline entry explains was confirmed; absent from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Confirmation>,
    /// Other outcomes of a flaky case, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Outcome>,
    /// Constructs to which a random program that computes wrong values was reduced; absent from others, and from
    /// programs that were not reduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<RemainingConstructs>,
    /// Remarks of the engine: batches left, cases it failed after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl CaseResult {
    /// Returns the result of a case that has no control, was tried once, took no time and calls for no remark.
    pub fn new(
        id: impl Into<String>,
        dialect: Dialect,
        expectation: &Expectation,
        outcome: Outcome,
        finding: Finding,
    ) -> Self {
        Self {
            id: id.into(),
            dialect,
            expectation: expectation.verdict(),
            breaks: expectation.breaks().cloned(),
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

    /// Returns the first line of the log that names an error, else its first line, else the detail of the outcome.
    pub fn telling_line(&self) -> Option<&str> {
        let lines = || self.outcome.log.lines().filter(|line| !line.trim().is_empty());
        let line_of_log = lines().find(|line| line.contains("error")).or_else(|| lines().next());
        line_of_log.or_else(|| self.outcome.detail.lines().next())
    }

    /// Returns the first lines of the log that show the reason, at most three: those that name an error and what a
    /// headline announces, else the first line, else the detail of the outcome.
    pub fn telling_lines(&self) -> Vec<&str> {
        const LINES: usize = 3;
        let lines: Vec<&str> =
            self.outcome.log.lines().filter(|line| !line.trim().is_empty()).collect();
        let is_headline = |line: &str| line.trim_end().ends_with(':') && names_error(line);
        let mut told: Vec<&str> = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            let is_announced = number > 0 && is_headline(lines[number - 1]);
            if names_error(line) || is_announced {
                told.push(line);
            }
        }
        if told.is_empty() {
            told.extend(lines.first().copied().or_else(|| self.outcome.detail.lines().next()));
        }
        told.truncate(LINES);
        told
    }
}

/// Whether a line of a log reports that something is wrong.
fn names_error(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ["error", "undefined", "unresolved"].iter().any(|word| line.contains(word))
}

/// The way in which a finding was seen a second time before it was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Confirmation {
    /// Alone, in a worker that had built nothing else.
    Alone,
    /// In another batch: enough findings of its kind were seen alone.
    Batch,
}

impl Confirmation {
    /// Returns a phrase for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Alone => "again, alone in a new worker",
            Self::Batch => "again, in another batch",
        }
    }
}

/// An outcome of a case that was tried several times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tries {
    pub outcome: OutcomeKind,
    /// Number of tries with this outcome.
    pub times: u32,
}

/// A build of several cases that failed, while no part of it fails alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UnreproducedFailure {
    /// The cases, in the order they were built.
    pub cases: Vec<String>,
    /// Description of the failure.
    pub what: String,
}

impl UnreproducedFailure {
    /// Number of cases that a text names.
    const NAMED: usize = 3;

    /// Returns the failure on one line, with the first of its cases.
    pub fn text(&self) -> String {
        let what = one_line(&self.what, 400);
        let named: Vec<&str> = self.cases.iter().take(Self::NAMED).map(String::as_str).collect();
        let more = match self.cases.len().saturating_sub(Self::NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = format!("{}{more}", named.join(", "));
        match self.cases.len() {
            1 => format!("{what}, building {named}; a second build does not show it"),
            count => format!(
                "{what}, building {count} cases at once; no smaller build shows it: {named}"
            ),
        }
    }

    /// Returns the options that select these cases, and others of their rules where they are several.
    pub fn selection(&self) -> Vec<String> {
        if let [case] = self.cases.as_slice() {
            return vec!["--exact".to_owned(), case.clone()];
        }
        let ids = || self.cases.iter().map(|case| CaseId::new(case));
        let rules: BTreeSet<&str> = ids().map(CaseId::rule).collect();
        let dialects: BTreeSet<&str> = ids().map(CaseId::dialect).collect();
        let options = |name: &'static str, values: BTreeSet<&str>| -> Vec<String> {
            values.into_iter().flat_map(|value| [name.to_owned(), value.to_owned()]).collect()
        };
        [options("--rule", rules), options("--dialect", dialects)].concat()
    }
}

/// A fault of a driver that takes several programs in one process, or several kernels in one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Interaction {
    /// The fewest programs that show the fault, in the order they are built: the cases of each. A program without cases
    /// is known to be good.
    pub programs: Vec<Vec<String>>,
    /// Description of the fault.
    pub what: String,
    /// Number of builds of these programs that showed the fault.
    pub times: u32,
    /// Number of builds of these programs.
    pub builds: u32,
}

impl Interaction {
    /// Returns the fault on one line.
    pub fn text(&self) -> String {
        let Self { what, times, builds, .. } = self;
        let what = format!("{}, {times} of {builds} times, with", one_line(what, 300));
        let programs: Vec<String> = self.programs.iter().map(|cases| program_text(cases)).collect();
        match &programs[..] {
            [program] => format!("{what} {} as one program", one_line(program, 2000)),
            _ => format!(
                "{what} {} programs in one process: {}",
                programs.len(),
                one_line(&programs.join("; "), 2000)
            ),
        }
    }
}

fn program_text(cases: &[String]) -> String {
    if cases.is_empty() { "a known-good program".to_owned() } else { cases.join(" + ") }
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct End {
    /// Number of findings by kind.
    pub findings: BTreeMap<String, usize>,
    /// Seconds the run took.
    pub seconds: f64,
    /// Time of the workers by activity; absent if the device needs no worker.
    #[serde(default, skip_serializing_if = "WorkerTime::is_empty")]
    pub worker_time: WorkerTime,
    /// Check of the verdicts that shared builds gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_check: Option<SharedCheck>,
}

/// Returns the record on a line.
pub(crate) fn parse(text: &[u8]) -> Result<Line, String> {
    let line = parse_any(text)?;
    let begins = |name: &str| name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_wrong = |name: &&str| !begins(name) || !name.chars().all(is_of_a_name);
    let wrong = names(&line).find(is_wrong);
    if let Some(wrong) = wrong {
        let wrong = one_line(wrong, 200);
        return Err(format!("not a record of a run: {wrong:?} is not an id of a case or rule"));
    }
    Ok(line)
}

/// Whether ids and names of rules may have a character: none has one that a terminal, a shell or a page could act on.
const fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '/' | '=' | ',' | '-' | '_' | '.' | ':' | '+' | '@')
}

/// Returns the ids and names of rules on a line.
fn names(line: &Line) -> Box<dyn Iterator<Item = &str> + '_> {
    match line {
        Line::Case(case) => {
            let breaks = case.breaks.as_ref().map(RuleName::as_str);
            Box::new([Some(&*case.id), case.control.as_deref(), breaks].into_iter().flatten())
        }
        Line::Unreproduced(build) => Box::new(build.cases.iter().map(String::as_str)),
        Line::Interaction(fault) => Box::new(fault.programs.iter().flatten().map(String::as_str)),
        Line::End(end) => {
            let checked = end.shared_check.iter();
            let checked = checked.flat_map(|check| check.confirmed.iter().chain(&check.differing));
            Box::new(checked.map(String::as_str))
        }
        Line::Header(_) => Box::new(std::iter::empty()),
    }
}

fn parse_any(text: &[u8]) -> Result<Line, String> {
    // Nearly all lines are cases as this program writes them; a tagged enumeration takes three times as long to read.
    if let Some(rest) = text.strip_prefix(b"{\"record\":\"case\",")
        && let Ok(case) = serde_json::from_slice(&[b"{", rest].concat())
    {
        return Ok(Line::Case(case));
    }
    serde_json::from_slice(text).map_err(|error| format!("not a record of a run: {error}"))
}

/// Gives renamed rules on a line their current names; returns whether there was one.
pub(crate) fn rename_rules(line: &mut Line) -> bool {
    match line {
        Line::Case(case) => {
            let ids = [Some(&mut case.id), case.control.as_mut()].into_iter().flatten();
            let is_renamed = ids.fold(false, |is_renamed, id| rename(id) | is_renamed);
            case.breaks.as_mut().is_some_and(RuleName::make_current) | is_renamed
        }
        Line::Unreproduced(build) => {
            build.cases.iter_mut().fold(false, |is_renamed, id| rename(id) | is_renamed)
        }
        Line::Interaction(fault) => {
            let ids = fault.programs.iter_mut().flatten();
            ids.fold(false, |is_renamed, id| rename(id) | is_renamed)
        }
        Line::Header(_) | Line::End(_) => false,
    }
}

/// Gives the rule in an id its current name; returns whether it had another.
pub(crate) fn rename(id: &mut String) -> bool {
    let Cow::Owned(current) = renamed::current(id) else { return false };
    *id = current;
    true
}

/// Returns a line as it is written, with its line break: what a terminal could act on is an escape of JSON.
pub fn to_json(line: &Line) -> String {
    let mut text =
        serde_json::to_string(line).expect("records contain only what JSON can represent");
    if text.chars().any(is_dangerous) {
        text = escaped_json(&text);
    }
    text.push('\n');
    text
}
