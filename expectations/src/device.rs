//! Device files: how a device is reached and installed, and what it is known to get wrong.

use serde::Deserialize;
use toml::Spanned;
use wildmatch::WildMatch;

use crate::{
    dialect::Dialect,
    judge::{Finding, FindingKind},
    load::{FileError, from_toml, place},
    predicate::suggestion,
    requirement::Requirement,
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
    /// How it gets here.
    pub install: Install,
    /// Environment its worker runs in; `{install}` and `{scratch}` are filled in by the runner.
    pub environment: Vec<(String, String)>,
    /// Known deviations.
    pub deviations: Vec<Deviation>,
    /// The file, for messages.
    pub path: String,
}

impl DeviceFile {
    /// A folder's name that is the device's alone: whatever no file system takes, or takes for something else, is `-`.
    pub fn folder_name(&self) -> String {
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let name: String = self.name.chars().map(|c| if safe(c) { c } else { '-' }).collect();
        name.trim_start_matches('.').to_owned()
    }
}

/// How a device is driven.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DeviceKind {
    /// Our own front end, in the process.
    Checker,
    /// A platform behind the `OpenCL` loader.
    Opencl {
        /// Part of the platform's name.
        platform: String,
        /// The ICD: a file name under `/etc/OpenCL/vendors` or a library path.
        #[serde(default)]
        icd: Option<String>,
    },
    /// A command-line compiler.
    Command {
        /// Program and arguments; `{file}`, `{std}` and `{features}` are replaced.
        command: Vec<String>,
        /// Program and arguments that print the version.
        version: Vec<String>,
        /// The dialects its switches select; all where none is named.
        #[serde(default)]
        dialects: Vec<String>,
        /// Requirements its target does not meet.
        #[serde(default)]
        lacks: Vec<Requirement>,
    },
}

/// How a device gets onto a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Install {
    /// Debian packages.
    #[serde(default)]
    pub apt: Vec<String>,
    /// `PyPI` packages, installed into a folder.
    #[serde(default)]
    pub pip: Vec<String>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// This finding.
    Finding(FindingKind),
    /// Whatever follows from taking the case for one of this dialect: it accepts what is to be accepted there and
    /// refuses what is to be refused there.
    BehavesAs(Dialect),
}

/// A known deviation: every case it matches may have this finding, and some case must.
#[derive(Clone, Debug)]
pub struct Deviation {
    /// Case ids, with `*` and `?`.
    pub cases: String,
    pattern: WildMatch,
    /// What is known.
    pub known: Known,
    /// Why it deviates.
    pub kind: DeviationKind,
    /// What is wrong, for a driver developer.
    pub reason: String,
    /// A bug report or passage.
    pub link: Option<String>,
    /// First driver version it was seen with.
    pub first_seen: Option<String>,
    /// Last driver version it was seen with.
    pub last_seen: Option<String>,
    /// The file it stands in.
    pub path: String,
    /// Line in that file.
    pub line: usize,
}

impl Deviation {
    /// Whether the case has the finding this entry explains; `meets` says whether the outcome is right for
    /// another dialect.
    fn explains(&self, case: JudgedCase<'_>, meets: impl FnOnce(Dialect) -> bool) -> bool {
        self.pattern.matches(case.id)
            && match self.known {
                Known::Finding(kind) => kind == case.finding.kind,
                Known::BehavesAs(dialect) => {
                    case.finding.kind.needs_explanation() && meets(dialect)
                }
            }
    }

    /// Whether the entry says that the case kills or hangs the driver.
    pub fn is_trouble(&self, case: &str) -> bool {
        matches!(self.known, Known::Finding(FindingKind::Crash | FindingKind::Timeout))
            && self.pattern.matches(case)
    }

    /// Whether the entry speaks of the case, whatever was found.
    pub fn matches(&self, case: &str) -> bool {
        self.pattern.matches(case)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawDeviceFile {
    what: String,
    device: DeviceKind,
    front_end: String,
    #[serde(default)]
    broken_dialects: std::collections::BTreeMap<Spanned<String>, String>,
    #[serde(default)]
    install: Install,
    #[serde(default)]
    environment: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    deviation: Vec<RawDeviation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawDeviation {
    cases: Spanned<String>,
    finding: Option<FindingKind>,
    behaves_as: Option<Spanned<String>>,
    kind: DeviationKind,
    reason: Spanned<String>,
    link: Option<String>,
    first_seen: Option<String>,
    last_seen: Option<String>,
}

/// Read a device file named `name`.
pub fn load_device(name: &str, path: &str, text: &str) -> Result<DeviceFile, FileError> {
    let raw: RawDeviceFile = from_toml(path, text)?;
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
        install: raw.install,
        environment: raw.environment.into_iter().collect(),
        deviations: raw
            .deviation
            .into_iter()
            .map(|entry| deviation(entry, path, text))
            .collect::<Result<_, _>>()?,
        path: path.to_owned(),
    })
}

/// Read what is known of a front end that several devices share: deviations, each with the front ends it was
/// seen in.
pub fn load_front_end(path: &str, text: &str) -> Result<Vec<(Vec<String>, Deviation)>, FileError> {
    let raw: RawFrontEndFile = from_toml(path, text)?;
    let mut deviations = Vec::new();
    for entry in raw.deviation {
        let start = entry.seen_in.span().start;
        if entry.seen_in.get_ref().is_empty() {
            return Err(place(
                path,
                text,
                start,
                "name the front ends the deviation was seen in".to_owned(),
            ));
        }
        let seen_in = entry.seen_in.into_inner();
        let entry = RawDeviation {
            cases: entry.cases,
            finding: Some(entry.finding),
            behaves_as: None,
            kind: entry.kind,
            reason: entry.reason,
            link: entry.link,
            first_seen: None,
            last_seen: None,
        };
        deviations.push((seen_in, deviation(entry, path, text)?));
    }
    Ok(deviations)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawFrontEndFile {
    #[serde(default)]
    deviation: Vec<RawSharedDeviation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawSharedDeviation {
    seen_in: Spanned<Vec<String>>,
    cases: Spanned<String>,
    finding: FindingKind,
    kind: DeviationKind,
    reason: Spanned<String>,
    link: Option<String>,
}

fn dialect(name: &Spanned<String>, path: &str, text: &str) -> Result<Dialect, FileError> {
    Dialect::from_name(name.get_ref()).ok_or_else(|| {
        let known = Dialect::ALL.map(Dialect::name);
        let hint = suggestion(name.get_ref(), &known);
        let message = format!("`{}` is no dialect{hint}", name.get_ref().escape_debug());
        place(path, text, name.span().start, message)
    })
}

fn deviation(raw: RawDeviation, path: &str, text: &str) -> Result<Deviation, FileError> {
    let start = raw.cases.span().start;
    if raw.reason.get_ref().trim().is_empty() {
        let message = "a deviation needs a reason: say what the driver does wrong";
        return Err(place(path, text, raw.reason.span().start, message.to_owned()));
    }
    let known = match (raw.finding, &raw.behaves_as) {
        (Some(finding), None) if finding.needs_explanation() => Known::Finding(finding),
        (Some(finding), None) => {
            let message = format!("`{}` needs no explanation: remove the entry", finding.name());
            return Err(place(path, text, start, message));
        }
        (None, Some(name)) => Known::BehavesAs(dialect(name, path, text)?),
        _ => {
            let message = "say what is known: either `finding` or `behaves-as`";
            return Err(place(path, text, start, message.to_owned()));
        }
    };
    Ok(Deviation {
        pattern: WildMatch::new(raw.cases.get_ref()),
        cases: raw.cases.into_inner(),
        known,
        kind: raw.kind,
        reason: raw.reason.into_inner(),
        link: raw.link,
        first_seen: raw.first_seen,
        last_seen: raw.last_seen,
        path: path.to_owned(),
        line: place(path, text, start, String::new()).line,
    })
}

/// A case's finding, as a baseline sees it.
#[derive(Clone, Copy, Debug)]
pub struct JudgedCase<'c> {
    /// The case.
    pub id: &'c str,
    /// What was found.
    pub finding: Finding,
}

/// What a run says against a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineReport {
    /// Indices of cases whose finding nothing explains.
    pub unexplained: Vec<usize>,
    /// Indices of cases that an entry explains, with the entry.
    pub explained: Vec<(usize, usize)>,
    /// Entries that speak of selected cases none of which has the finding any more.
    pub stale: Vec<usize>,
}

/// Hold a run against the known deviations. An entry is stale only when cases it matches were selected and
/// judged, and none of them has its finding: a filtered run says nothing of the others. `meets(index, dialect)` says
/// whether the outcome of a case is right for the same case of another dialect.
pub fn compare_with_baseline(
    deviations: &[Deviation],
    cases: &[JudgedCase<'_>],
    meets: impl Fn(usize, Dialect) -> bool,
) -> BaselineReport {
    let mut report = BaselineReport::default();
    let mut spoke = vec![false; deviations.len()];
    let mut explained = vec![false; deviations.len()];
    for (index, case) in cases.iter().enumerate() {
        if case.finding.kind != FindingKind::Unsupported {
            for (entry, deviation) in deviations.iter().enumerate() {
                spoke[entry] |= deviation.matches(case.id);
            }
        }
        if !case.finding.kind.needs_explanation() {
            continue;
        }
        match deviations
            .iter()
            .position(|deviation| deviation.explains(*case, |dialect| meets(index, dialect)))
        {
            Some(entry) => {
                explained[entry] = true;
                report.explained.push((index, entry));
            }
            None => report.unexplained.push(index),
        }
    }
    report.stale =
        (0..deviations.len()).filter(|&entry| spoke[entry] && !explained[entry]).collect();
    report
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
cases = "conversion/*/cl12/*"
finding = "fail"
kind = "driver-bug"
reason = "accepts it"
"#;

    fn finding(kind: FindingKind) -> Finding {
        Finding { kind, reason: Reason::AcceptsInvalid }
    }

    #[test]
    fn runs_are_held_against_known_deviations() {
        let device = load_device("x", "x.toml", FILE).unwrap();
        let judged = |id, kind| JudgedCase { id, finding: finding(kind) };
        let cases = [
            judged("conversion/a/cl12/x=1", FindingKind::Fail),
            judged("conversion/a/cl20/x=1", FindingKind::Fail),
            judged("conversion/a/cl12/x=2", FindingKind::Crash),
            judged("conversion/a/cl12/x=3", FindingKind::Pass),
        ];
        let compare =
            |cases| compare_with_baseline(&device.deviations, cases, |_, _| unreachable!());
        let expected =
            BaselineReport { unexplained: vec![1, 2], explained: vec![(0, 0)], stale: vec![] };
        assert_eq!(compare(&cases), expected);
        assert_eq!(compare(&cases[3..]).stale, [0]);
        assert_eq!(compare(&cases[1..2]).stale, [] as [usize; 0]);
    }

    #[test]
    fn one_dialect_may_be_taken_for_another() {
        let text = FILE.replacen("finding = \"fail\"", "behaves-as = \"cl30-generic\"", 1);
        let device = load_device("x", "x.toml", &text).unwrap();
        let judged = |kind| JudgedCase { id: "conversion/a/cl12/x=1", finding: finding(kind) };
        let cases = [FindingKind::Fail, FindingKind::Fail, FindingKind::Pass].map(judged);
        let report = compare_with_baseline(&device.deviations, &cases, |index, dialect| {
            index != 1 && dialect.name() == "cl30-generic"
        });
        let expected =
            BaselineReport { unexplained: vec![1], explained: vec![(0, 0)], stale: vec![] };
        assert_eq!(report, expected);
    }

    #[test]
    fn bad_files_are_refused() {
        for (from, to, expected) in [
            (
                "[install]",
                "[broken-dialects]\ncl3 = \"x\"\n\n[install]",
                "x.toml:9:1: `cl3` is no dialect; did you mean `cl30`?",
            ),
            ("\"fail\"", "\"fale\"", "x.toml:13:11: unknown value `fale`; did you mean `fail`?"),
            (
                "accepts it",
                " ",
                "x.toml:15:10: a deviation needs a reason: say what the driver does wrong",
            ),
            (
                "finding = \"fail\"",
                "finding = \"fail\"\nbehaves-as = \"cl20\"",
                "x.toml:12:9: say what is known: either `finding` or `behaves-as`",
            ),
            (
                "finding = \"fail\"",
                "behaves-as = \"cl3\"",
                "x.toml:13:14: `cl3` is no dialect; did you mean `cl30`?",
            ),
            ("\"fail\"", "\"pass\"", "x.toml:12:9: `pass` needs no explanation: remove the entry"),
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
}
