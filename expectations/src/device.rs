//! Device files: how a device is reached and installed, and what it is known to get wrong.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use serde::{Deserialize, Serialize, de::IgnoredAny};
use toml::Spanned;
use wildmatch::WildMatch;

use crate::{
    case_id::CaseId,
    dialect::Dialect,
    implementation::Implementation,
    judge::{Direction, Finding, FindingKind},
    load::{FileError, from_toml, place, prompt},
    located,
    predicate::{self, Axes, Predicate, suggestion},
    renamed,
    requirement::Requirement,
    rule::{Rule, choice},
};

/// One device, as its file describes it.
#[derive(Clone, Debug)]
pub struct DeviceFile {
    /// Name on the command line: the file's stem.
    pub name: String,
    /// A sentence on what it is.
    pub what: String,
    /// How it is driven.
    pub kind: DeviceKind,
    /// The front end inside; devices that share one count once in votes.
    pub front_end: String,
    /// Dialects it reports and cannot build even a good program in, each with what goes wrong.
    pub broken_dialects: Vec<(Dialect, String)>,
    /// Where the whole device is known to be broken on some machines.
    pub broken: Option<Broken>,
    /// How it gets here.
    pub install: Install,
    /// Environment its worker runs in; `{install}` and `{scratch}` are filled in by the runner.
    pub environment: Vec<(String, String)>,
    /// Where its worker runs.
    pub place: Place,
    /// Versions of the driver that the entries were confirmed with; they never decide a match.
    pub confirmed: Vec<String>,
    /// Baseline entries.
    pub deviations: Vec<Deviation>,
    /// The file, for messages.
    pub path: String,
}

impl DeviceFile {
    /// Whether the entries were confirmed with the version that a driver reports. Where none is named, nothing is said
    /// of versions.
    pub fn is_confirmed_with(&self, reported: &str) -> bool {
        let names = |confirmed: &String| {
            let part_of_a_number = |c: char| c.is_ascii_digit();
            reported.match_indices(confirmed.as_str()).any(|(start, _)| {
                let (before, after) = (&reported[..start], &reported[start + confirmed.len()..]);
                let mut following = after.chars();
                let goes_on = match following.next() {
                    Some('.') => following.next().is_some_and(part_of_a_number),
                    next => next.is_some_and(part_of_a_number),
                };
                !goes_on && !before.ends_with(|c: char| part_of_a_number(c) || c == '.')
            })
        };
        self.confirmed.is_empty() || self.confirmed.iter().any(names)
    }

    /// A folder's name that is the device's alone: whatever no file system takes, or takes for something else, is `-`.
    pub fn folder_name(&self) -> String {
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let name: String = self.name.chars().map(|c| if safe(c) { c } else { '-' }).collect();
        let name = name.trim_start_matches(['.', '-']);
        name.strip_suffix(".toml").unwrap_or(name).to_owned()
    }
}

/// Where a device's worker runs; here, where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// A command that leads elsewhere and carries standard input and output.
    pub via: Vec<String>,
    /// The worker's program there.
    pub worker: Option<String>,
    /// The folder that is its root.
    pub root: Option<String>,
}

impl Place {
    /// Whether files of this machine, as they are named here, are none of the worker's.
    pub fn is_elsewhere(&self) -> bool {
        !self.via.is_empty() || self.root.is_some()
    }
}

/// How a device is driven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum DeviceKind {
    /// Our own front end, in the process.
    Checker,
    /// A platform behind the `OpenCL` loader.
    Opencl {
        /// Part of the platform's name.
        platform: String,
        /// The ICD: a file name under `/etc/OpenCL/vendors` or a library path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        icd: Option<String>,
    },
    /// A command-line compiler.
    Command {
        /// Program and arguments; `{file}`, `{std}` and `{features}` are replaced.
        command: Vec<String>,
        /// Program and arguments that print the version.
        version: Vec<String>,
        /// Exit statuses from 126 on by which it rejects a program; others are those of programs that died or were
        /// never started.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rejects_with: Vec<i32>,
        /// The dialects its switches select; all where none is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dialects: Vec<String>,
        /// Requirements its target does not meet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lacks: Vec<Requirement>,
    },
}

/// A device that is known not to work on some machines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broken {
    /// What the failure says where it is the known one.
    pub says: String,
    /// Where and why it does not work.
    pub reason: String,
}

/// How a device gets onto a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Install {
    /// Debian packages.
    #[serde(default)]
    pub apt: Vec<String>,
    /// `PyPI` packages, installed into a folder: all that are needed, those that others need too.
    #[serde(default)]
    pub pip: Vec<PinnedPackage>,
    /// What a person has to install, where no package manager can.
    #[serde(default)]
    pub by_hand: Option<String>,
}

/// A `PyPI` package in one version, with the hash of every file that may be taken for it: a line of pip's requirements,
/// `NAME==VERSION --hash=sha256:HASH ...`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PinnedPackage(String);

impl PinnedPackage {
    /// The line.
    pub fn requirement(&self) -> &str {
        &self.0
    }

    /// `NAME==VERSION`.
    pub fn name_and_version(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }
}

impl TryFrom<String> for PinnedPackage {
    type Error = String;

    fn try_from(line: String) -> Result<Self, String> {
        let is_hash = |word: &str| {
            let digits = word.strip_prefix("--hash=sha256:");
            digits.is_some_and(|d| d.len() == 64 && d.chars().all(|c| c.is_ascii_hexdigit()))
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_version = |word: &str| {
            let parts = word.split_once("==");
            parts.is_some_and(|(n, v)| [n, v].iter().all(|t| !t.is_empty() && t.chars().all(plain)))
        };
        let mut words = line.split(' ');
        if words.next().is_some_and(is_version) && words.clone().count() > 0 && words.all(is_hash) {
            return Ok(Self(line));
        }
        Err(format!(
            "`{}` names no version and hash: write `NAME==VERSION --hash=sha256:HASH`, as `pip hash` of the file that `pip download NAME` brings prints it",
            line.escape_debug()
        ))
    }
}

/// Why a device deviates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviationKind {
    /// The driver is wrong.
    DriverBug,
    /// The driver claims, or was asked for, something it does not have.
    FeatureNotSupported,
    /// The driver follows another reading of the text.
    DisputedReading,
    /// Written by `--bless`, not yet looked at: may not land.
    Unreviewed,
}

/// What a deviation explains.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// The case deviates in one of these ways.
    Findings(Vec<Direction>),
    /// Whatever follows from taking the case for one of this dialect: it accepts what is to be accepted there and
    /// rejects what is to be rejected there.
    BehavesAs(Dialect),
    /// Deviations of random programs that look like this.
    Shape(WildMatch),
}

/// A baseline entry: every case it matches may have such a finding, and some case must.
#[derive(Clone, Debug)]
pub struct Deviation {
    /// Case ids, with `*` and `?`.
    pub cases: Vec<String>,
    patterns: Vec<WildMatch>,
    /// Which of them, by the axes of their rules; all of them where there is none.
    when: Option<When>,
    /// What is known.
    pub known: Known,
    /// Why it deviates.
    pub kind: DeviationKind,
    /// What is wrong, for a driver developer.
    pub reason: String,
    /// The case that shows it best, with its control: one whose finding the entry explains.
    pub example: Option<String>,
    /// The program that shows it best, where no case of the suite does.
    pub program: Option<Program>,
    /// The front ends and devices it speaks of, for entries of a front end's file.
    pub implementations: Vec<Implementation>,
    /// A bug report or passage.
    pub link: Option<String>,
    /// The file it stands in.
    pub path: String,
    /// Line in that file.
    pub line: usize,
}

/// A condition over the axes of the rules an entry speaks of.
#[derive(Clone, Debug)]
struct When {
    text: String,
    /// Line and column of its first character.
    place: (usize, usize),
    /// What it means for each rule; nothing until [`DeviceFile::resolve`] has seen the rules.
    of_rules: Vec<(String, Axes, Predicate)>,
}

impl When {
    fn resolve(
        &mut self,
        path: &str,
        cases: &[String],
        rules: &[Rule],
        known: &[&str],
    ) -> Result<(), FileError> {
        let (line, column) = self.place;
        let error = |offset: usize, message: String| FileError {
            path: path.to_owned(),
            line,
            column: column + offset,
            message,
        };
        self.of_rules.clear();
        for pattern in cases {
            let rule = rule_of(pattern);
            if rule.contains(['*', '?']) {
                let message = format!(
                    "`when` is about the axes of a rule: name the rule in `{pattern}`, as `family/rule/*`"
                );
                return Err(error(0, message));
            }
            if self.of_rules.iter().any(|(other, ..)| *other == rule) {
                continue;
            }
            let Some(found) = rules.iter().find(|known| known.id == rule) else {
                return Err(error(0, format!("`{rule}` is no rule{}", suggestion(&rule, known))));
            };
            let predicate = predicate::parse(&self.text, &found.axes)
                .map_err(|wrong| error(wrong.offset, format!("of `{rule}`: {}", wrong.message)))?;
            self.of_rules.push((rule, found.axes.clone(), predicate));
        }
        Ok(())
    }

    fn holds(&self, case: &str) -> bool {
        let id = CaseId::new(case);
        let Some(dialect) = Dialect::from_name(id.dialect()) else { return false };
        self.of_rules.iter().any(|(rule, axes, predicate)| {
            rule == id.rule()
                && choice(axes, id.point()).is_some_and(|choice| predicate.holds(&choice, dialect))
        })
    }
}

/// The rule that a pattern names, by the name it has today.
fn rule_of(pattern: &str) -> String {
    CaseId::new(&renamed::current(pattern)).rule().to_owned()
}

/// A valid program that a device does not take: what a deviation of random programs comes down to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// Its text.
    pub source: String,
}

impl Deviation {
    /// Whether it knows of the case's finding, were the case one of its own; `meets` says whether the outcome is right
    /// for another dialect.
    fn knows(&self, case: &JudgedCase<'_>, meets: impl FnOnce(Dialect) -> bool) -> bool {
        let finding = case.finding.kind;
        match &self.known {
            Known::Findings(directions) => {
                directions.iter().any(|direction| direction.includes(case.finding))
            }
            Known::BehavesAs(dialect) => finding.needs_explanation() && meets(*dialect),
            Known::Shape(pattern) => {
                finding.needs_explanation()
                    && case.shape.is_some_and(|shape| pattern.matches(shape))
            }
        }
    }

    /// The ways of deviating it names.
    pub fn directions(&self) -> &[Direction] {
        match &self.known {
            Known::Findings(directions) => directions,
            Known::BehavesAs(_) | Known::Shape(_) => &[],
        }
    }

    /// Whether it says that its cases answer now so, now so: that they pass in one run says nothing of it.
    fn is_flaky(&self) -> bool {
        self.directions().contains(&Direction::Flaky)
    }

    /// Whether it speaks of random programs: a run need not meet any that show it.
    pub fn is_of_random_programs(&self) -> bool {
        self.cases.iter().all(|cases| CaseId::new(cases).is_random())
    }

    /// Whether the entry speaks of the case, whatever was found. It may call the rule by the name it once had.
    pub fn matches(&self, case: &str) -> bool {
        (0..self.patterns.len()).any(|pattern| self.pattern_matches(pattern, case))
            && self.is_meant(case)
    }

    /// Whether its condition holds.
    fn is_meant(&self, case: &str) -> bool {
        self.when.as_ref().is_none_or(|when| when.holds(case))
    }

    /// The condition on its cases, as written.
    pub fn when(&self) -> Option<&str> {
        self.when.as_ref().map(|when| when.text.as_str())
    }

    /// Whether fewer than nine in ten of the cases it speaks of deviate as it says: it would hide what goes wrong with
    /// the others. Baselines that name no direction are not held to it.
    pub fn is_too_wide(&self, coverage: &Coverage) -> bool {
        let directions = self.directions();
        !directions.is_empty()
            && !directions.contains(&Direction::Fail)
            && !self.is_flaky()
            && !self.is_of_random_programs()
            && coverage.deviating * 10 < coverage.cases * 9
    }

    /// Whether one of its patterns speaks of the case.
    pub fn part_matches(&self, pattern: usize, case: &str) -> bool {
        self.pattern_matches(pattern, case) && self.is_meant(case)
    }

    /// Whether one of its patterns does, whatever its condition.
    fn pattern_matches(&self, pattern: usize, case: &str) -> bool {
        let pattern = &self.patterns[pattern];
        pattern.matches(case) || renamed::former(case).is_some_and(|old| pattern.matches(&old))
    }

    /// A part of it in words.
    pub fn part_text(&self, part: Part) -> String {
        match part {
            Part::Pattern(index) => self.cases[index].clone(),
            Part::Finding(direction) => format!("the finding `{}`", direction.name()),
            Part::Example => format!("the example {}", self.example.as_deref().unwrap_or_default()),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawDeviceFile {
    what: String,
    device: DeviceKind,
    /// By the other name where no other device has it; see [`crate::front_end`].
    #[serde(alias = "own-front-end")]
    front_end: String,
    #[serde(default)]
    via: Vec<String>,
    worker: Option<Spanned<String>>,
    root: Option<String>,
    #[serde(default)]
    broken_dialects: std::collections::BTreeMap<Spanned<String>, String>,
    broken: Option<Broken>,
    #[serde(default)]
    install: Install,
    #[serde(default)]
    environment: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    confirmed: Vec<String>,
    #[serde(default)]
    deviation: Vec<RawDeviation>,
}

/// An entry of either kind of file; see [`RawDeviation::reject_keys_of`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawDeviation {
    implementations: Option<Spanned<Vec<Spanned<String>>>>,
    cases: Spanned<Vec<String>>,
    when: Option<Spanned<String>>,
    findings: Option<Vec<Direction>>,
    behaves_as: Option<Spanned<String>>,
    shape: Option<String>,
    kind: DeviationKind,
    reason: Spanned<String>,
    example: Option<Spanned<String>>,
    program: Option<RawProgram>,
    link: Option<String>,
    // Keys of former files.
    first_seen: Option<Spanned<IgnoredAny>>,
    last_seen: Option<Spanned<IgnoredAny>>,
    seen_in: Option<Spanned<IgnoredAny>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawProgram {
    dialect: Spanned<String>,
    source: Spanned<String>,
}

/// Whose baseline entries a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Device,
    FrontEnd,
}

impl RawDeviation {
    /// Some keys say something of one device, or of several, only.
    fn reject_keys_of(&self, other: Owner, path: &str, text: &str) -> Result<(), FileError> {
        let (key, span, whose) = match other {
            Owner::FrontEnd => {
                let span = self.implementations.as_ref().map(Spanned::span);
                ("implementations", span, "front ends")
            }
            Owner::Device => ("behaves-as", self.behaves_as.as_ref().map(Spanned::span), "devices"),
        };
        let former = [&self.first_seen, &self.last_seen, &self.seen_in];
        if let Some(former) = former.into_iter().flatten().next() {
            let message = "versions stand once in a file, as `confirmed = [...]` at its beginning, and front ends in `implementations`: remove it";
            return Err(place(path, text, former.span().start, message.to_owned()));
        }
        match span {
            Some(span) => {
                let message = format!("`{key}` is a key of the files of {whose}: remove it");
                Err(place(path, text, span.start, message))
            }
            None => Ok(()),
        }
    }
}

/// Read a device file named `name`.
pub fn load_device(name: &str, path: &str, text: &str) -> Result<DeviceFile, FileError> {
    let raw: RawDeviceFile = from_toml(path, text)?;
    let platform = match &raw.device {
        DeviceKind::Opencl { platform, .. } => Some(platform),
        _ => None,
    };
    let texts = [
        ("what", Some(&raw.what)),
        ("front-end", Some(&raw.front_end)),
        ("platform", platform),
        ("by-hand", raw.install.by_hand.as_ref()),
    ];
    for (key, value) in texts {
        if value.is_some_and(|value| value.trim().is_empty()) {
            let what = prompt(key).unwrap_or("fill it in");
            let offset = located::offset(text, located::Part::Key(key)).unwrap_or(0);
            return Err(place(path, text, offset, format!("`{key}` is empty: {what}")));
        }
    }
    if let (Some(worker), []) = (&raw.worker, raw.via.as_slice()) {
        let message =
            "`worker` is the program that the command `via` starts: name one, or remove it";
        return Err(place(path, text, worker.span().start, message.to_owned()));
    }
    let place_of_worker =
        Place { via: raw.via, worker: raw.worker.map(Spanned::into_inner), root: raw.root };
    let mut lines = LineCounter::new(text);
    let mut broken_dialects = Vec::new();
    for (name, reason) in raw.broken_dialects {
        broken_dialects.push((dialect(&name, path, text)?, reason));
    }
    Ok(DeviceFile {
        name: name.to_owned(),
        what: raw.what,
        kind: raw.device,
        front_end: raw.front_end,
        broken_dialects,
        broken: raw.broken,
        install: raw.install,
        environment: raw.environment.into_iter().collect(),
        place: place_of_worker,
        confirmed: raw.confirmed,
        deviations: raw
            .deviation
            .into_iter()
            .map(|entry| {
                entry.reject_keys_of(Owner::FrontEnd, path, text)?;
                deviation(entry, path, text, &mut lines)
            })
            .collect::<Result<_, _>>()?,
        path: path.to_owned(),
    })
}

/// Read what is known of a front end that several devices share.
pub fn load_front_end(path: &str, text: &str) -> Result<Vec<Deviation>, FileError> {
    let raw: RawFrontEndFile = from_toml(path, text)?;
    let (mut deviations, mut lines) = (Vec::new(), LineCounter::new(text));
    for entry in raw.deviation {
        entry.reject_keys_of(Owner::Device, path, text)?;
        let mut implementations = Vec::new();
        for name in entry.implementations.iter().flat_map(Spanned::get_ref) {
            let implementation = Implementation::parse(name.get_ref());
            implementations
                .push(implementation.map_err(|wrong| place(path, text, name.span().start, wrong))?);
        }
        if implementations.is_empty() {
            let span = entry.implementations.as_ref().map_or(entry.cases.span(), Spanned::span);
            let message = "name the front ends or devices that the entry speaks of, as `implementations = [\"clang >=13, <22\", \"pocl\"]`";
            return Err(place(path, text, span.start, message.to_owned()));
        }
        deviations.push(Deviation { implementations, ..deviation(entry, path, text, &mut lines)? });
    }
    Ok(deviations)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawFrontEndFile {
    #[serde(default)]
    deviation: Vec<RawDeviation>,
}

fn dialect(name: &Spanned<String>, path: &str, text: &str) -> Result<Dialect, FileError> {
    Dialect::from_name(name.get_ref()).ok_or_else(|| {
        let known = Dialect::ALL.map(Dialect::name);
        let hint = suggestion(name.get_ref(), &known);
        let message = format!("`{}` is no dialect{hint}", name.get_ref().escape_debug());
        place(path, text, name.span().start, message)
    })
}

/// Lines of places that come one after the other: a text of many entries is gone through once.
struct LineCounter<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    const fn new(text: &'t str) -> Self {
        Self { text, offset: 0, line: 1 }
    }

    fn line_of(&mut self, offset: usize) -> usize {
        if offset < self.offset {
            (self.offset, self.line) = (0, 1);
        }
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.offset = offset;
        self.line
    }
}

fn deviation(
    raw: RawDeviation,
    path: &str,
    text: &str,
    lines: &mut LineCounter<'_>,
) -> Result<Deviation, FileError> {
    let start = raw.cases.span().start;
    let error = |start, message: &str| place(path, text, start, message.to_owned());
    let reject = |start, message: &str| Err(error(start, message));
    if raw.reason.get_ref().trim().is_empty() {
        let start = raw.reason.span().start;
        return reject(start, "a deviation needs a reason: say what the driver does wrong");
    }
    if raw.cases.get_ref().is_empty() {
        return reject(start, "a deviation needs cases");
    }
    let is_random = raw.cases.get_ref().iter().all(|cases| CaseId::new(cases).is_random());
    let known = match (raw.findings, &raw.behaves_as, &raw.shape) {
        (None, None, Some(shape)) if is_random => {
            Known::Shape(WildMatch::new(&todays_shape(shape)))
        }
        (None, None, Some(_)) => {
            let message = "only random programs have a shape: their ids begin with `random/`";
            return reject(start, message);
        }
        (Some(findings), None, None) if !findings.is_empty() => Known::Findings(findings),
        (None, Some(name), None) => Known::BehavesAs(dialect(name, path, text)?),
        _ => {
            let message = "say what is known: either `findings`, `behaves-as` or, of random programs, `shape`";
            return reject(start, message);
        }
    };
    let when = raw.when.map(|when| {
        // One more for the opening quote.
        let place = place(path, text, when.span().start + 1, String::new());
        let place = (place.line, place.column);
        When { text: when.into_inner(), place, of_rules: Vec::new() }
    });
    if let (true, Some(When { place: (line, column), .. })) = (is_random, &when) {
        let message = "random programs have no axes: say what they look like in `shape`".to_owned();
        return Err(FileError { path: path.to_owned(), line: *line, column: *column, message });
    }
    let program = raw.program.map(|program| {
        if !is_random {
            let message =
                "only an entry of random programs has a program: the others have an `example`";
            return Err(error(program.source.span().start, message));
        }
        let dialect = dialect(&program.dialect, path, text)?;
        Ok(Program { dialect, source: program.source.into_inner() })
    });
    let program = program.transpose()?;
    let cases = raw.cases.into_inner();
    let deviation = Deviation {
        program,
        patterns: cases.iter().map(|pattern| WildMatch::new(pattern)).collect(),
        cases,
        when,
        known,
        kind: raw.kind,
        reason: raw.reason.into_inner(),
        example: raw
            .example
            .as_ref()
            .map(|example| renamed::current(example.get_ref()).into_owned()),
        implementations: Vec::new(),
        link: raw.link,
        path: path.to_owned(),
        line: lines.line_of(start),
    };
    if let Some(example) = &raw.example
        && !(0..deviation.patterns.len())
            .any(|pattern| deviation.pattern_matches(pattern, &renamed::current(example.get_ref())))
    {
        return reject(example.span().start, "the example is none of the entry's cases");
    }
    Ok(deviation)
}

/// The rules that [`resolve`] needs: those that entries with a condition speak of.
pub fn rules_of_conditions(deviations: &[Deviation]) -> BTreeSet<String> {
    let with_condition = deviations.iter().filter(|deviation| deviation.when.is_some());
    with_condition.flat_map(|deviation| &deviation.cases).map(|pattern| rule_of(pattern)).collect()
}

/// Check the conditions of entries against the axes of their rules; `known` are the names of all rules. Before, an
/// entry with a condition speaks of no case.
pub fn resolve(
    deviations: &mut [Deviation],
    rules: &[Rule],
    known: &[&str],
) -> Result<(), FileError> {
    for deviation in deviations {
        if let Some(when) = &mut deviation.when {
            when.resolve(&deviation.path, &deviation.cases, rules, known)?;
        }
    }
    Ok(())
}

/// A case's finding, as a baseline sees it.
#[derive(Clone, Copy, Debug)]
pub struct JudgedCase<'c> {
    /// What a deviation of a random program looks like; `None` of other cases.
    pub shape: Option<&'c str>,
    /// The case.
    pub id: &'c str,
    /// The verdict expected of it, as [`crate::rule::Expectation::name`] gives it.
    pub expectation: &'c str,
    /// What was found.
    pub finding: Finding,
}

/// What a run says against a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineReport {
    /// Indices of cases whose finding nothing explains.
    pub unexpected: Vec<usize>,
    /// Indices of cases that an entry explains, with the entry.
    pub explained: Vec<(usize, usize)>,
    /// Entries that speak of selected cases none of which has a finding of theirs any more.
    pub stale: Vec<usize>,
    /// Parts of other entries that explain nothing any more.
    pub stale_parts: Vec<(usize, Part)>,
    /// Of each entry, how many of the cases it speaks of deviate.
    pub coverage: Vec<Coverage>,
}

/// How many of the cases that an entry speaks of deviate as it says. Those that cannot are left out: disputed and
/// unsupported ones, valid ones where invalid ones are accepted, and the other way round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Cases of this run it speaks of.
    pub cases: usize,
    /// Those that deviate as it says.
    pub deviating: usize,
    /// The first that passes.
    pub passing: Option<String>,
}

/// Whether an entry of a baseline explains a finding; see [`compare_with_baseline`].
pub fn is_explained(
    deviations: &[Deviation],
    case: &JudgedCase<'_>,
    meets: impl Fn(Dialect) -> bool,
) -> bool {
    deviations.iter().any(|deviation| deviation.matches(case.id) && deviation.knows(case, &meets))
}

/// A part of a deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One of its patterns, by index.
    Pattern(usize),
    /// One of its findings.
    Finding(Direction),
    /// Its example.
    Example,
}

/// Hold a run against the baseline entries. An entry, or a part of one, is stale only when cases it matches were
/// selected and judged, and it explains none of them: a filtered run says nothing of the others. `meets(index, dialect)`
/// says whether the outcome of a case is right for the same case of another dialect.
pub fn compare_with_baseline(
    deviations: &[Deviation],
    cases: &[JudgedCase<'_>],
    meets: impl Fn(usize, Dialect) -> bool,
) -> BaselineReport {
    let mut report = BaselineReport::default();
    let mut baseline = Baseline::new(deviations);
    for (index, case) in cases.iter().enumerate() {
        match baseline.hold(case, |dialect| meets(index, dialect)) {
            _ if !case.finding.kind.needs_explanation() => {}
            Some(entry) => report.explained.push((index, entry)),
            None => report.unexpected.push(index),
        }
    }
    (report.stale, report.stale_parts) = baseline.stale();
    report.coverage = baseline.coverage();
    report
}

/// The baseline entries of a device, against which cases are held one by one.
pub struct Baseline<'d> {
    index: PatternIndex<'d>,
    used: Vec<Use>,
}

impl<'d> Baseline<'d> {
    /// Nothing is compared with them yet.
    pub fn new(deviations: &'d [Deviation]) -> Self {
        let used = deviations.iter().map(Use::new).collect();
        Self { index: PatternIndex::new(deviations), used }
    }

    /// Take in a case; gives the entry that explains its finding. `meets` says whether its outcome is right for the same
    /// case of another dialect.
    pub fn hold(
        &mut self,
        case: &JudgedCase<'_>,
        meets: impl Fn(Dialect) -> bool,
    ) -> Option<usize> {
        if case.finding.kind == FindingKind::Unsupported {
            return None;
        }
        let mut explaining = None;
        for patterns in self.index.matching(case.id).chunk_by(|a, b| a.0 == b.0) {
            let entry = patterns[0].0;
            let deviation = &self.index.deviations[entry];
            let explains = deviation.knows(case, &meets);
            self.used[entry].see(deviation, case, patterns, explains);
            if explains && explaining.is_none() {
                explaining = Some(entry);
            }
        }
        explaining
    }

    /// Entries that speak of cases none of which has a finding of theirs any more, and parts of other entries that
    /// explain nothing.
    pub fn stale(&self) -> (Vec<usize>, Vec<(usize, Part)>) {
        let (mut entries, mut parts) = (Vec::new(), Vec::new());
        for (entry, (used, deviation)) in self.used.iter().zip(self.index.deviations).enumerate() {
            if deviation.is_of_random_programs() || deviation.is_flaky() {
                continue;
            }
            if used.spoke() && !used.explained() {
                entries.extend((!used.is_open()).then_some(entry));
            } else {
                let stale = used.stale_parts(deviation);
                parts.extend(stale.into_iter().map(|part| (entry, part)));
            }
        }
        (entries, parts)
    }

    /// Of each entry, how many of the cases it speaks of deviate.
    pub fn coverage(&self) -> Vec<Coverage> {
        self.used.iter().map(|used| used.coverage.clone()).collect()
    }
}

/// Finds the patterns that match a case by what they begin with: of twenty thousand few are tried.
pub struct PatternIndex<'d> {
    deviations: &'d [Deviation],
    /// Entry and pattern, by the whole pattern where it has no wildcard.
    plain: HashMap<&'d str, Vec<(usize, usize)>>,
    /// Entry and pattern, by what stands before the first wildcard.
    by_beginning: HashMap<&'d str, Vec<(usize, usize)>>,
    /// Lengths of what stands there.
    lengths: BTreeSet<usize>,
}

impl<'d> PatternIndex<'d> {
    /// The patterns of these entries.
    pub fn new(deviations: &'d [Deviation]) -> Self {
        let mut plain: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        let mut by_beginning: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        let mut lengths = BTreeSet::new();
        for (entry, deviation) in deviations.iter().enumerate() {
            for (pattern, text) in deviation.cases.iter().enumerate() {
                let found = match text.find(['*', '?']) {
                    None => plain.entry(text).or_default(),
                    Some(length) => {
                        lengths.insert(length);
                        by_beginning.entry(&text[..length]).or_default()
                    }
                };
                found.push((entry, pattern));
            }
        }
        Self { deviations, plain, by_beginning, lengths }
    }

    /// Entry and pattern of every one that matches the case, by the name of its rule or the one it once had, in the
    /// order of the entries.
    pub fn matching(&self, case: &str) -> Vec<(usize, usize)> {
        let mut found = self.matching_name(case);
        if let Some(old) = renamed::former(case) {
            found.extend(self.matching_name(&old));
        }
        found.retain(|&(entry, _)| self.deviations[entry].is_meant(case));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn matching_name(&self, case: &str) -> Vec<(usize, usize)> {
        let beginnings = self.lengths.iter().filter_map(|&length| case.get(..length));
        let tried = beginnings.filter_map(|beginning| self.by_beginning.get(beginning)).flatten();
        let matches = |&&(entry, pattern): &&(usize, usize)| {
            self.deviations[entry].patterns[pattern].matches(case)
        };
        let plain = self.plain.get(case).into_iter().flatten();
        plain.chain(tried.filter(matches)).copied().collect()
    }

    /// Whether some entry says that the case kills or hangs the driver, or that nobody knows what it does.
    pub fn is_quarantined(&self, case: &str) -> bool {
        let harms = |direction: &Direction| {
            matches!(direction, Direction::Crash | Direction::Timeout | Direction::Flaky)
        };
        let matching = self.matching(case);
        matching.iter().any(|&(entry, _)| self.deviations[entry].directions().iter().any(harms))
    }
}

/// What became of the parts of an entry in a run.
struct Use {
    patterns: Vec<UsedPattern>,
    /// For each direction, whether a case shows it.
    directions: Vec<bool>,
    /// Whether the example passes.
    example_is_fine: bool,
    coverage: Coverage,
}

#[derive(Clone, Copy, Default)]
struct UsedPattern {
    /// It matched a case.
    matched: bool,
    /// It explained one.
    explained: bool,
    /// A case it matched deviates otherwise than the entry says: nothing is mended by that.
    is_open: bool,
}

impl Use {
    fn new(deviation: &Deviation) -> Self {
        Self {
            patterns: vec![UsedPattern::default(); deviation.patterns.len()],
            directions: vec![false; deviation.directions().len()],
            example_is_fine: false,
            coverage: Coverage::default(),
        }
    }

    /// Take in a case that these of the entry's patterns match.
    fn see(
        &mut self,
        deviation: &Deviation,
        case: &JudgedCase<'_>,
        matching: &[(usize, usize)],
        explains: bool,
    ) {
        for &(_, pattern) in matching {
            let used = &mut self.patterns[pattern];
            used.matched = true;
            used.explained |= explains;
            used.is_open |= !explains && case.finding.kind.needs_explanation();
        }
        for (known, used) in deviation.directions().iter().zip(&mut self.directions) {
            *used |= known.includes(case.finding);
        }
        let passes = case.finding.kind == FindingKind::Pass;
        self.example_is_fine |= passes && deviation.example.as_deref() == Some(case.id);
        let could = deviation.directions().iter().any(|way| way.concerns(case.expectation));
        if explains || could && case.finding.kind != FindingKind::Disputed {
            self.coverage.cases += 1;
            self.coverage.deviating += usize::from(explains);
            if passes && self.coverage.passing.is_none() {
                self.coverage.passing = Some(case.id.to_owned());
            }
        }
    }

    fn spoke(&self) -> bool {
        self.patterns.iter().any(|used| used.matched)
    }

    fn explained(&self) -> bool {
        self.patterns.iter().any(|used| used.explained)
    }

    fn is_open(&self) -> bool {
        self.patterns.iter().any(|used| used.is_open)
    }

    fn stale_parts(&self, deviation: &Deviation) -> Vec<Part> {
        let mut parts = Vec::new();
        for (index, used) in self.patterns.iter().enumerate() {
            if used.matched && !used.explained && !used.is_open {
                parts.push(Part::Pattern(index));
            }
        }
        // A part of the cases need not show every direction.
        if self.patterns.iter().all(|used| used.matched) && !self.is_open() {
            let unused =
                deviation.directions().iter().zip(&self.directions).filter(|(_, used)| !**used);
            parts.extend(unused.map(|(direction, _)| Part::Finding(*direction)));
        }
        parts.extend(self.example_is_fine.then_some(Part::Example));
        parts
    }
}

/// A shape as runs print it today: it began with `refuses:` once.
fn todays_shape(shape: &str) -> Cow<'_, str> {
    match shape.strip_prefix("refuses:") {
        Some(rest) => Cow::Owned(format!("rejects:{rest}")),
        None => Cow::Borrowed(shape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Reason;

    const FILE: &str = r#"what = "a device"
front-end = "clang 15"

[device]
type = "opencl"
platform = "Portable Computing Language"

[install]
apt = ["pocl-opencl-icd"]

[[deviation]]
cases = ["conversion/*/cl12/*"]
findings = ["fail"]
kind = "driver-bug"
reason = "accepts it"
"#;

    fn finding(kind: FindingKind) -> Finding {
        Finding { kind, reason: Reason::AcceptsInvalid }
    }

    #[test]
    fn shapes_of_old_baselines_read_as_todays() {
        assert_eq!(todays_shape("refuses: SIGSEGV"), "rejects: SIGSEGV");
        for today in ["rejects: *", "accepts a/b: refuses: x", ""] {
            assert_eq!(todays_shape(today), today);
        }
    }

    #[test]
    fn runs_are_held_against_known_deviations() {
        let device = load_device("x", "x.toml", FILE).unwrap();
        let judged = |id, kind| JudgedCase {
            id,
            shape: None,
            expectation: "reject",
            finding: finding(kind),
        };
        let cases = [
            judged("conversion/a/cl12/x=1", FindingKind::Fail),
            judged("conversion/a/cl20/x=1", FindingKind::Fail),
            judged("conversion/a/cl12/x=2", FindingKind::Crash),
            judged("conversion/a/cl12/x=3", FindingKind::Pass),
        ];
        let compare =
            |cases| compare_with_baseline(&device.deviations, cases, |_, _| unreachable!());
        let expected = BaselineReport {
            unexpected: vec![1, 2],
            explained: vec![(0, 0)],
            coverage: vec![Coverage {
                cases: 3,
                deviating: 1,
                passing: Some("conversion/a/cl12/x=3".to_owned()),
            }],
            ..BaselineReport::default()
        };
        assert_eq!(compare(&cases), expected);
        assert_eq!(compare(&cases[3..]).stale, [0]);
        assert_eq!(compare(&cases[1..2]).stale, [] as [usize; 0]);
    }

    #[test]
    fn entries_may_call_a_rule_by_its_former_name() {
        let text = FILE.replacen("conversion/*/cl12/*", "run/*/cl12/*", 1)
            + "example = \"run/barrier/cl12/flags=both\"\n";
        let device = load_device("x", "x.toml", &text).unwrap();
        let judged = |id| JudgedCase {
            id,
            shape: None,
            expectation: "reject",
            finding: finding(FindingKind::Fail),
        };
        let cases = [
            judged("execution/barrier/cl12/flags=both"),
            judged("execution/barrier/cl20/flags=both"),
            judged("codegen/built-in-names/cl12/a=b"),
        ];
        let report = compare_with_baseline(&device.deviations, &cases, |_, _| unreachable!());
        let expected = BaselineReport {
            unexpected: vec![1, 2],
            explained: vec![(0, 0)],
            coverage: vec![Coverage { cases: 1, deviating: 1, passing: None }],
            ..BaselineReport::default()
        };
        assert_eq!(report, expected);
    }

    #[test]
    fn one_dialect_may_be_taken_for_another() {
        let text = FILE.replacen("findings = [\"fail\"]", "behaves-as = \"cl30-generic\"", 1);
        let device = load_device("x", "x.toml", &text).unwrap();
        let judged = |kind| JudgedCase {
            id: "conversion/a/cl12/x=1",
            shape: None,
            expectation: "reject",
            finding: finding(kind),
        };
        let cases = [FindingKind::Fail, FindingKind::Fail, FindingKind::Pass].map(judged);
        let report = compare_with_baseline(&device.deviations, &cases, |index, dialect| {
            index != 1 && dialect.name() == "cl30-generic"
        });
        let expected = BaselineReport {
            unexpected: vec![1],
            explained: vec![(0, 0)],
            coverage: vec![Coverage { cases: 1, deviating: 1, passing: None }],
            ..BaselineReport::default()
        };
        assert_eq!(report, expected);
    }

    #[test]
    fn every_part_of_an_entry_has_to_explain_something() {
        let text = FILE
            .replace("[\"conversion/*/cl12/*\"]", "[\"a/*\", \"b/*\", \"c/*\"]")
            .replace("[\"fail\"]", "[\"fail\", \"crash\"]")
            + "example = \"a/x\"\n";
        let device = load_device("x", "x.toml", &text).unwrap();
        let judged = |id, kind| JudgedCase {
            id,
            shape: None,
            expectation: "reject",
            finding: finding(kind),
        };
        let parts = |cases: &[JudgedCase<'_>]| {
            let report = compare_with_baseline(&device.deviations, cases, |_, _| false);
            assert_eq!(report.stale, [] as [usize; 0]);
            report.stale_parts
        };
        let some = [judged("a/x", FindingKind::Fail), judged("b/x", FindingKind::Crash)];
        assert_eq!(parts(&some), []);
        let fixed = [
            judged("a/x", FindingKind::Pass),
            judged("a/y", FindingKind::Fail),
            judged("b/x", FindingKind::Pass),
            judged("c/x", FindingKind::Fail),
        ];
        let expected = [Part::Pattern(1), Part::Finding(Direction::Crash), Part::Example];
        assert_eq!(parts(&fixed), expected.map(|part| (0, part)));
    }

    #[test]
    fn versions_are_confirmed_by_their_numbers() {
        let confirmed = FILE.replace("front-end", "confirmed = [\"3.1\", \"21.10\"]\nfront-end");
        let device = load_device("x", "x.toml", &confirmed).unwrap();
        for (reported, expected) in [
            ("3.1", true),
            ("3.1+debian", true),
            ("Oclgrind 21.10", true),
            ("3.1.2", false),
            ("3.10", false),
            ("13.1", false),
            ("2.3.1", false),
            ("7.1", false),
            ("", false),
        ] {
            assert_eq!(device.is_confirmed_with(reported), expected, "{reported}");
        }
        assert!(load_device("x", "x.toml", FILE).unwrap().is_confirmed_with("7.1"));
    }

    #[test]
    fn only_a_pass_mends_an_example() {
        let text = format!("{FILE}example = \"conversion/a/cl12/x=1\"\n");
        let device = load_device("x", "x.toml", &text).unwrap();
        for (kind, stale, mended) in [
            (FindingKind::Fail, 0, false),
            (FindingKind::Inconclusive, 0, false),
            (FindingKind::Crash, 0, false),
            (FindingKind::Pass, 0, true),
        ] {
            let judged = |id, kind| JudgedCase {
                id,
                shape: None,
                expectation: "reject",
                finding: finding(kind),
            };
            let cases = [
                judged("conversion/a/cl12/x=1", kind),
                judged("conversion/a/cl12/x=2", FindingKind::Fail),
            ];
            let report = compare_with_baseline(&device.deviations, &cases, |_, _| false);
            assert_eq!(report.stale.len(), stale);
            assert_eq!(report.stale_parts == [(0, Part::Example)], mended, "{kind:?}");
            // Nor is an entry without it.
            let alone = compare_with_baseline(&device.deviations, &cases[..1], |_, _| false);
            assert_eq!(alone.stale == [0], mended, "{kind:?}");
        }
    }

    #[test]
    fn entries_name_what_a_device_does() {
        let text = FILE.replace("[\"fail\"]", "[\"accepts-invalid\", \"wrong-line\"]");
        let device = load_device("x", "x.toml", &text).unwrap();
        for (kind, reason, explained) in [
            (FindingKind::Fail, Reason::AcceptsInvalid, true),
            (FindingKind::Fail, Reason::WrongPlace, true),
            (FindingKind::Fail, Reason::RejectsValid, false),
            (FindingKind::Crash, Reason::DriverDied, false),
        ] {
            let finding = Finding { kind, reason };
            let case = JudgedCase {
                id: "conversion/a/cl12/x=1",
                shape: None,
                expectation: "reject",
                finding,
            };
            let report = compare_with_baseline(&device.deviations, &[case], |_, _| false);
            assert_eq!(report.unexpected.is_empty(), explained, "{reason:?}");
        }
    }

    #[test]
    fn entries_that_cover_what_passes_are_too_wide() {
        for (findings, deviating, of, too_wide) in [
            ("accepts-invalid", 9, 10, false),
            ("accepts-invalid", 8, 9, true),
            ("accepts-invalid", 89, 100, true),
            ("rejects-valid", 10, 10, true),
            ("wrong-value", 0, 10, false),
            // As baselines were written before findings had a direction.
            ("fail", 1, 10, false),
        ] {
            let text = FILE.replace("\"fail\"", &format!("\"{findings}\""));
            let device = load_device("x", "x.toml", &text).unwrap();
            let ids: Vec<String> = (0..of).map(|n| format!("conversion/a/cl12/x={n}")).collect();
            let judged = |(index, id): (usize, &'static str)| JudgedCase {
                id,
                shape: None,
                expectation: if findings == "rejects-valid" { "accept" } else { "reject" },
                finding: finding(if index < deviating {
                    FindingKind::Fail
                } else {
                    FindingKind::Pass
                }),
            };
            let ids: Vec<&'static str> = ids.into_iter().map(|id| &*id.leak()).collect();
            let cases: Vec<JudgedCase<'_>> = ids.into_iter().enumerate().map(judged).collect();
            let report = compare_with_baseline(&device.deviations, &cases, |_, _| false);
            let entry = &device.deviations[0];
            assert_eq!(
                entry.is_too_wide(&report.coverage[0]),
                too_wide,
                "{findings} {deviating} of {of}"
            );
        }
    }

    #[test]
    fn a_condition_narrows_an_entry() {
        let axes: Axes = [("from", ["local", "global"]), ("to", ["local", "global"])]
            .map(|(name, values)| (name.to_owned(), values.map(str::to_owned).to_vec()))
            .into();
        let entry = |when: &str, cases: &str| {
            let text = FILE
                .replace("[\"conversion/*/cl12/*\"]", &format!("[\"{cases}\"]\nwhen = \"{when}\""));
            let mut device = load_device("x", "x.toml", &text).unwrap();
            let rules = [Rule::of_axes("conversion/a", axes.clone())];
            resolve(&mut device.deviations, &rules, &["conversion/a"]).map(|()| device)
        };
        let device = entry("not overlaps(from, to) and version >= 1.2", "conversion/a/*").unwrap();
        for (id, covered) in [
            ("conversion/a/cl12/from=local,to=global", true),
            ("conversion/a/cl11/from=local,to=global", false),
            ("conversion/a/cl12/from=local,to=local", false),
            ("conversion/b/cl12/from=local,to=global", false),
        ] {
            assert_eq!(device.deviations[0].matches(id), covered, "{id}");
        }
        for (when, cases, expected) in [
            (
                "form == x",
                "conversion/a/*",
                "x.toml:13:9: of `conversion/a`: `form` is no axis of this rule; did you mean `from`?",
            ),
            (
                "from == loca",
                "conversion/a/*",
                "x.toml:13:17: of `conversion/a`: `loca` is no value of the axis `from`; did you mean `local`?",
            ),
            (
                "from == local",
                "conversion/*",
                "x.toml:13:9: `when` is about the axes of a rule: name the rule in `conversion/*`, as `family/rule/*`",
            ),
            (
                "from == local",
                "conversion/x/*",
                "x.toml:13:9: `conversion/x` is no rule; did you mean `conversion/a`?",
            ),
        ] {
            let error = entry(when, cases).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some(expected));
        }
    }

    #[test]
    fn bad_files_are_rejected() {
        for (from, to, expected) in [
            (
                "[install]",
                "[broken-dialects]\ncl3 = \"x\"\n\n[install]",
                "x.toml:9:1: `cl3` is no dialect; did you mean `cl30`?",
            ),
            ("\"fail\"", "\"fale\"", "x.toml:13:13: unknown value `fale`; did you mean `fail`?"),
            (
                "accepts it",
                " ",
                "x.toml:15:10: a deviation needs a reason: say what the driver does wrong",
            ),
            (
                "\"fail\"",
                "\"pass\"",
                "x.toml:13:13: unknown value `pass`; there is `accepts-invalid`, `rejects-valid`, `wrong-line`, `wrong-rule`, `fails-later`, `wrong-value`, `timeout`, `crash`, `inconclusive`, `flaky`, `fail`",
            ),
            (
                "findings = [\"fail\"]",
                "",
                "x.toml:12:9: say what is known: either `findings`, `behaves-as` or, of random programs, `shape`",
            ),
            (
                "findings = [\"fail\"]",
                "behaves-as = \"cl3\"",
                "x.toml:13:14: `cl3` is no dialect; did you mean `cl30`?",
            ),
            (
                "kind = \"driver-bug\"",
                "kind = \"driver-bug\"\nexample = \"a/b\"",
                "x.toml:15:11: the example is none of the entry's cases",
            ),
            (
                "kind = \"driver-bug\"",
                "kind = \"driver-bug\"\nimplementations = [\"clang 15\"]",
                "x.toml:15:19: `implementations` is a key of the files of front ends: remove it",
            ),
            (
                "kind = \"driver-bug\"",
                "kind = \"driver-bug\"\nfirst-seen = \"3.1\"",
                "x.toml:15:14: versions stand once in a file, as `confirmed = [...]` at its beginning, and front ends in `implementations`: remove it",
            ),
            (
                "[install]\n",
                "[install]\npip = [\"tbb==2023.2.0\"]\n",
                "x.toml:9:7: `tbb==2023.2.0` names no version and hash: write `NAME==VERSION --hash=sha256:HASH`, as `pip hash` of the file that `pip download NAME` brings prints it",
            ),
            (
                "[install]\n",
                "[install]\npip = [\"tbb --hash=sha256:12\"]\n",
                "x.toml:9:7: `tbb --hash=sha256:12` names no version and hash: write `NAME==VERSION --hash=sha256:HASH`, as `pip hash` of the file that `pip download NAME` brings prints it",
            ),
            (
                "front-end",
                "worker = \"w\"\nfront-end",
                "x.toml:2:10: `worker` is the program that the command `via` starts: name one, or remove it",
            ),
            (
                "front-end",
                "frontend",
                "x.toml:2:1: unknown key `frontend`; did you mean `front-end`?",
            ),
        ] {
            let error = load_device("x", "x.toml", &FILE.replacen(from, to, 1)).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn bad_files_of_front_ends_are_rejected() {
        let file = "[[deviation]]\nimplementations = [\"clang 15\"]\ncases = [\"a/*\"]\nfindings = [\"fail\"]\nkind = \"driver-bug\"\nreason = \"accepts it\"\n";
        let read = load_front_end("f.toml", file).unwrap();
        assert!(read[0].implementations[0].is("pocl", "clang 15"));
        let missing = "name the front ends or devices that the entry speaks of, as `implementations = [\"clang >=13, <22\", \"pocl\"]`";
        for (from, to, expected) in [
            ("implementations = [\"clang 15\"]\n", "", &*format!("f.toml:2:9: {missing}")),
            ("[\"clang 15\"]", "[]", &*format!("f.toml:2:19: {missing}")),
            (
                "clang 15",
                "clang >=15,",
                "f.toml:2:20: unexpected end of input while parsing major version number: write versions as `clang >=13, <22`",
            ),
            (
                "implementations",
                "seen-in",
                "f.toml:2:11: versions stand once in a file, as `confirmed = [...]` at its beginning, and front ends in `implementations`: remove it",
            ),
            (
                "findings = [\"fail\"]",
                "behaves-as = \"cl30\"",
                "f.toml:4:14: `behaves-as` is a key of the files of devices: remove it",
            ),
            (
                "implementations",
                "implementation",
                "f.toml:2:1: unknown key `implementation`; did you mean `implementations`?",
            ),
        ] {
            let error = load_front_end("f.toml", &file.replacen(from, to, 1)).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
