//! A run of the suite on one device: every summary, page, comparison and history is a function of it.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

use expectations::{
    baseline::{BaselineReport, Deviation},
    device::DeviceFile,
    implementation::{Version, number},
    judge::FindingKind,
};

use crate::{
    cases::Cases,
    cluster::{Cluster, Reductions},
    line::{End, Header, Interaction, UnreproducedFailure},
    shared_check::SharedCheck,
    text::{one_line, plural},
};

/// A run of the suite on one device.
#[derive(Clone, Debug)]
pub struct Run {
    /// Folder or file of the results; empty if nothing keeps them.
    pub path: PathBuf,
    /// The device, the suite and the options.
    pub header: Header,
    /// Cases with a result, each once.
    pub cases: Cases,
    /// Failures of builds that no smaller build shows.
    pub unreproduced: Vec<UnreproducedFailure>,
    /// Faults that take several programs or kernels.
    pub interactions: Vec<Interaction>,
    /// The way in which the run ended.
    pub ending: Ending,
    /// Faults of the results file; empty if it is whole.
    pub faults: Vec<Fault>,
    /// File of the device with its baseline entries; `None` if the device has no file, and before the run is judged.
    pub device: Option<DeviceFile>,
    /// Findings compared with the baseline entries; empty before the run is judged.
    pub judgement: Judgement,
}

/// The way in which a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The last line of a run that came to its end.
    Finished(End),
    /// A user stopped it in this process.
    Stopped {
        /// Seconds it took until then.
        seconds: f64,
        /// Check of the verdicts that shared builds gave until then.
        shared_check: SharedCheck,
    },
    /// The results file has no last line.
    Missing,
}

/// The findings of a run compared with the baseline entries of its device.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Explained and unexpected cases, and the entries that explain nothing.
    pub baseline: BaselineReport,
    /// Unexpected deviations of random programs that look alike; `baseline` has one case of each.
    pub clusters: Vec<Cluster>,
    /// Random programs whose wrong values an entry explains, by entry.
    pub wrong_values: BTreeMap<usize, Reductions>,
    /// Entries, and parts of entries, that explain nothing.
    pub stale: Vec<StaleEntry>,
    /// Entries that cover too many passing cases.
    pub wide: Vec<WideEntry>,
    /// Stale entries that make no run red: nobody has confirmed the entries with this version of the driver, or they
    /// are in the suite's files on front ends and the device is a user's.
    pub tolerated_stale: Vec<StaleEntry>,
    /// Wide entries that make no run red, for the same reasons.
    pub tolerated_wide: Vec<WideEntry>,
    /// Deviating cases by cause, in the order of the entries.
    pub coverage: Vec<ExplainedCases>,
    /// Number of cases by rule, for rules that the suite does not have: their findings cannot be judged.
    pub unknown_rules: BTreeMap<String, usize>,
}

/// Cases whose deviations have one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedCases {
    /// Id of the cause; `None` if the entry names none.
    pub cause: Option<String>,
    /// Reason of the first entry.
    pub reason: String,
    /// Number of deviating cases.
    pub deviating: usize,
    /// Entries with their file, line and patterns, each with the number of its cases.
    pub entries: Vec<String>,
}

/// A baseline entry that explains nothing, or some of whose parts do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleEntry {
    /// Index of the entry.
    pub entry: usize,
    /// File and line of the entry.
    pub place: String,
    /// The patterns of the entry, or its parts that explain nothing.
    pub parts: Vec<String>,
    /// Reason why they explain nothing.
    pub why: String,
    /// Whether the whole entry explains nothing.
    pub is_whole: bool,
}

impl StaleEntry {
    /// Number of parts that a text lists.
    const LISTED: usize = 8;

    /// Returns the entry in lines: where it is and why, then its parts.
    pub fn lines(&self) -> Vec<String> {
        let Self { parts, why, .. } = self;
        let place = one_line(&self.place, 200);
        if let [part] = parts.as_slice() {
            return vec![format!("{place}: {} ({why})", one_line(part, 400))];
        }
        let listed = parts.iter().take(Self::LISTED).map(|part| one_line(part, 400));
        let more = parts.len().saturating_sub(Self::LISTED);
        let more = (more > 0)
            .then(|| format!("and {more} more; `address-spaces explain {place}` prints the entry"));
        let noun = if self.is_whole { "pattern" } else { "part" };
        let first = format!("{place}: {} ({why})", plural(parts.len(), noun));
        [first].into_iter().chain(listed).chain(more).collect()
    }
}

impl fmt::Display for StaleEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        let (first, rest) = lines.split_first().ok_or(fmt::Error)?;
        f.write_str(first)?;
        if rest.is_empty() { Ok(()) } else { write!(f, ": {}", rest.join(", ")) }
    }
}

/// A baseline entry that covers too many passing cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WideEntry {
    /// Index of the entry.
    pub entry: usize,
    /// Description of the entry and of what it covers.
    pub text: String,
}

impl Run {
    /// Returns a run that nothing keeps and nobody has judged.
    pub fn new(header: Header, cases: Cases, ending: Ending) -> Self {
        Self {
            path: PathBuf::new(),
            header,
            cases,
            unreproduced: Vec::new(),
            interactions: Vec::new(),
            ending,
            faults: Vec::new(),
            device: None,
            judgement: Judgement::default(),
        }
    }

    /// Returns the name of the device, as [`Header::name`] does.
    pub fn name(&self) -> Cow<'_, str> {
        self.header.name()
    }

    /// Returns the selected dialects that were not run, each with its reason, in the order of their names.
    pub fn unsupported_dialects(&self) -> Vec<(&str, &str)> {
        let selected: BTreeSet<&str> =
            self.cases.briefs().map(|case| case.dialect.name()).collect();
        let reasons = self.header.unsupported.iter();
        let reasons = reasons.map(|(dialect, why)| (dialect.as_str(), why.as_str()));
        reasons.filter(|(dialect, _)| selected.contains(dialect)).collect()
    }

    /// Returns the front end inside the device.
    pub fn front_end(&self) -> &str {
        self.device.as_ref().map_or(&self.header.front_end, |device| &device.front_end)
    }

    /// Returns the version of the driver as the driver reports it; empty if it reports none.
    pub fn reported_driver(&self) -> &str {
        self.header.identity.get("driver").map_or("", String::as_str)
    }

    /// Returns the version in what the driver reports, as the device file finds it; `None` if there is none.
    pub fn version(&self) -> Option<Version> {
        let reported = self.header.driver();
        match &self.device {
            Some(device) => device.version_in(reported),
            None => number(reported),
        }
    }

    /// Returns the end of a run that finished.
    pub fn end(&self) -> Option<&End> {
        match &self.ending {
            Ending::Finished(end) => Some(end),
            Ending::Stopped { .. } | Ending::Missing => None,
        }
    }

    /// Returns the seconds the run took; 0 if its file does not say.
    pub fn seconds(&self) -> f64 {
        match &self.ending {
            Ending::Finished(end) => end.seconds,
            Ending::Stopped { seconds, .. } => *seconds,
            Ending::Missing => 0.0,
        }
    }

    /// Returns the check of the verdicts that shared builds gave, where one was made.
    pub fn shared_check(&self) -> Option<&SharedCheck> {
        match &self.ending {
            Ending::Finished(end) => end.shared_check.as_ref(),
            Ending::Stopped { shared_check, .. } => Some(shared_check),
            Ending::Missing => None,
        }
    }

    /// Whether every selected case has a result.
    pub fn is_complete(&self) -> bool {
        self.end().is_some() && self.faults.is_empty()
    }

    /// Returns the number of selected cases without a result.
    pub fn missing(&self) -> usize {
        self.header.cases.saturating_sub(self.cases.len())
    }

    /// Describes how many of the cases that the device supports have a result.
    pub fn progress(&self) -> String {
        let is_unsupported = |kind: FindingKind| kind == FindingKind::Unsupported;
        let unsupported = self.cases.briefs().filter(|case| is_unsupported(case.finding.kind));
        let unsupported = unsupported.count();
        let (done, all) =
            (self.cases.len() - unsupported, self.header.cases.saturating_sub(unsupported));
        let beside = match unsupported {
            0 => String::new(),
            1 => ", plus 1 that the device does not support".to_owned(),
            count => format!(", plus {count} that the device does not support"),
        };
        format!("{done} of {all} cases are done{beside}")
    }

    /// Describes the faults of the results file; returns `None` if it is whole.
    pub fn partial(&self) -> Option<String> {
        let faults: Vec<String> = self.faults.iter().map(ToString::to_string).collect();
        (!faults.is_empty()).then(|| faults.join("; "))
    }

    /// Whether `--resume` mends the results file.
    pub fn is_resumable(&self) -> bool {
        let is_mended =
            |fault: &Fault| matches!(fault, Fault::Unfinished { .. } | Fault::Damaged { .. });
        self.faults.iter().all(is_mended)
    }

    /// Whether the results file holds something that it should not.
    pub fn is_spoilt(&self) -> bool {
        let spoils = |fault: &Fault| matches!(fault, Fault::Doubled { .. } | Fault::Damaged { .. });
        self.faults.iter().any(spoils)
    }

    /// Returns the baseline entries of the device.
    pub fn deviations(&self) -> &[Deviation] {
        self.device.as_ref().map_or(&[], |device| &device.deviations)
    }

    /// Returns the index of the baseline entry that explains a case.
    pub fn entry_index(&self, case: usize) -> Option<usize> {
        let explained = &self.judgement.baseline.explained;
        let place = explained.binary_search_by_key(&case, |&(case, _)| case).ok()?;
        Some(explained[place].1)
    }

    /// Returns the baseline entry that explains a case.
    pub fn entry(&self, case: usize) -> Option<&Deviation> {
        self.deviations().get(self.entry_index(case)?)
    }

    /// Returns the status of a case with this finding.
    pub fn status(&self, case: usize, finding: FindingKind) -> Status {
        Status::of(finding, self.entry_index(case).is_none())
    }

    /// Returns the numbers of the cases that no baseline entry explains; of random programs that look alike, one.
    pub fn unexpected(&self) -> &[usize] {
        &self.judgement.baseline.unexpected
    }

    /// Whether the run is whole and the device could try none of its cases.
    pub fn has_tested_nothing(&self) -> bool {
        self.is_complete()
            && self.cases.briefs().all(|case| case.finding.kind == FindingKind::Unsupported)
    }

    /// Whether every case does what the text or the baseline says, no baseline entry says more, no build of a case
    /// alone contradicts a shared build, and nothing goes wrong with several programs.
    pub fn is_as_expected(&self) -> bool {
        let Judgement { baseline, stale, wide, unknown_rules, .. } = &self.judgement;
        let is_contradicted = self.shared_check().is_some_and(|check| !check.differing.is_empty());
        baseline.unexpected.is_empty()
            && self.interactions.is_empty()
            && stale.is_empty()
            && wide.is_empty()
            && unknown_rules.is_empty()
            && !is_contradicted
    }
}

/// The status of a case under the baseline of its device. Every case has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The device does what the text asks.
    Pass,
    /// The device deviates, and a baseline entry explains it.
    ExpectedFailure,
    /// The device deviates, and nothing explains it.
    Fail,
    /// The text is disputed: the case is not judged.
    Disputed,
    /// The device does not have a feature that the case needs.
    Unsupported,
}

impl Status {
    /// Every status, in the order of tables.
    pub const ALL: [Self; 5] =
        [Self::Pass, Self::ExpectedFailure, Self::Fail, Self::Disputed, Self::Unsupported];

    /// Returns the status of a finding; `is_unexpected` is whether no baseline entry explains the case.
    pub const fn of(finding: FindingKind, is_unexpected: bool) -> Self {
        match finding {
            FindingKind::Pass => Self::Pass,
            FindingKind::Disputed => Self::Disputed,
            FindingKind::Unsupported => Self::Unsupported,
            _ if is_unexpected => Self::Fail,
            _ => Self::ExpectedFailure,
        }
    }

    /// Returns the name that people read.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::ExpectedFailure => "expected failure",
            Self::Fail => "FAIL",
            Self::Disputed => "disputed",
            Self::Unsupported => "unsupported",
        }
    }
}

/// A fault of a results file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The file has no last line.
    Unfinished {
        /// Number of cases in the file.
        found: usize,
        /// Number of selected cases.
        selected: usize,
    },
    /// The file has a last line, and not as many cases as were selected.
    Count {
        /// Number of cases in the file.
        found: usize,
        /// Number of selected cases.
        selected: usize,
    },
    /// Cases have more than one result.
    Doubled {
        /// Number of such cases.
        cases: usize,
        /// Id of the first.
        first: String,
    },
    /// Lines are not records.
    Damaged {
        /// Number of such lines.
        lines: usize,
        /// Error of the first, with its place.
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
                if *cases == 1 { "1 case is".to_owned() } else { format!("{cases} cases are") },
                one_line(first, 200)
            ),
            Self::Damaged { lines, first } => write!(
                f,
                "{} in it {}, the first {}",
                plural(*lines, "line"),
                if *lines == 1 { "is damaged" } else { "are damaged" },
                one_line(first, 200)
            ),
        }
    }
}
