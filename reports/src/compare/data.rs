//! Comparisons for programs: JSON with a version.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, Write},
};

use expectations::{judge::Finding, outcome::Outcome, verdict::Verdict};
use results::{line::CaseResult, run::Run, text::escaped_json};
use schemars::JsonSchema;
use serde::{Serialize, Serializer, ser::SerializeSeq as _};

use super::{ChangeKind, Comparison, Pair};
use crate::versions::{Versions, Why};

/// Version of the format; fields are added without a new one.
pub const FORMAT: u32 = 2;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Document<'r> {
    /// Version of the format.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// Number of cases that got worse.
    regressions: usize,
    /// Changes of each device that both sides have.
    comparisons: Vec<DeviceChanges<'r>>,
    /// Devices without a counterpart.
    only_in_old: &'r [String],
    /// Devices without a counterpart.
    only_in_new: &'r [String],
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct DeviceChanges<'r> {
    old: RunFacts<'r>,
    new: RunFacts<'r>,
    /// Reasons for which the runs are less comparable.
    notes: &'r [String],
    /// Number of cases of each kind of change, and of unchanged cases.
    counts: BTreeMap<&'static str, usize>,
    #[schemars(with = "Vec<CaseChange<'r>>")]
    changes: CaseChanges<'r>,
    /// Versions, the oldest first.
    versions: Vec<VersionFacts>,
    /// Causes of deviations in any version.
    causes: Vec<CauseFacts<'r>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct VersionFacts {
    device: String,
    /// The whole version text that the driver reports.
    driver: String,
    /// Version number in that report.
    version: String,
}

/// Cases that deviate for one reason.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct CauseFacts<'r> {
    /// `worse`, `mixed`, `partly-mended`, `stayed`, `came-and-went`, `mended`, `one-version-only`; names may be added.
    course: &'static str,
    /// Reason of the baseline entry that explains the cases, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    /// Finding of the cases, where no entry explains them.
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<&'r str>,
    rules: Vec<&'r str>,
    /// First case of the newest version that has any.
    example: &'r str,
    /// Counts by version.
    counts: Vec<CountFacts>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct CountFacts {
    /// Number of cases that deviate.
    deviating: usize,
    /// Number of cases that were judged.
    judged: usize,
    /// Number of cases that deviate and passed in the version before.
    worse: usize,
    /// Number of cases that pass and deviated in the version before.
    mended: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct RunFacts<'r> {
    path: String,
    device: Cow<'r, str>,
    driver: &'r str,
    suite: &'r str,
    identity: &'r BTreeMap<String, String>,
    cases: usize,
    finished: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct CaseChange<'r> {
    /// Kind of the change; names may be added.
    change: &'static str,
    id: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<CaseState<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<CaseState<'r>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct CaseState<'r> {
    expectation: Verdict,
    finding: Finding,
    outcome: &'r Outcome,
    seconds: f64,
}

/// Returns the schema of the document.
pub fn schema() -> String {
    results::schema::of::<Document<'_>>("compare", FORMAT, "Runs compared with each other.")
}

/// Writes the comparisons as one JSON document; `only_in_old` and `only_in_new` are devices without a counterpart.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn json(
    out: &mut dyn Write,
    pairs: &[Pair<'_>],
    only_in_old: &[String],
    only_in_new: &[String],
) -> io::Result<()> {
    let regressions = pairs.iter().map(|pair| pair.comparison.count(ChangeKind::Regression)).sum();
    let document = Document {
        format: FORMAT,
        regressions,
        comparisons: pairs.iter().map(changes).collect(),
        only_in_old,
        only_in_new,
    };
    serde_json::to_writer_pretty(EscapingWriter(out), &document)?;
    writeln!(out)
}

/// A writer that replaces characters that a terminal could act on by escapes of JSON. Each call must have whole
/// characters, as those of `serde_json` do.
struct EscapingWriter<'w>(&'w mut dyn Write);

impl Write for EscapingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(escaped_json(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The changes of a comparison, each written as it is read.
struct CaseChanges<'c>(&'c Comparison<'c>);

impl Serialize for CaseChanges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(comparison) = self;
        let mut sequence = serializer.serialize_seq(Some(comparison.changes.len()))?;
        for &change in &comparison.changes {
            let changed = comparison.changed(change);
            sequence.serialize_element(&CaseChange {
                change: changed.kind.name(),
                id: changed.id(),
                old: changed.old.as_deref().map(state),
                new: changed.new.as_deref().map(state),
            })?;
        }
        sequence.end()
    }
}

fn changes<'c>(Pair { comparison, versions }: &'c Pair<'_>) -> DeviceChanges<'c> {
    let mut counts: BTreeMap<&'static str, usize> =
        ChangeKind::ALL.iter().map(|kind| (kind.name(), comparison.count(*kind))).collect();
    counts.insert("same", comparison.same);
    DeviceChanges {
        old: facts(comparison.old),
        new: facts(comparison.new),
        notes: &comparison.notes,
        counts,
        changes: CaseChanges(comparison),
        versions: version_facts(versions),
        causes: cause_facts(versions),
    }
}

fn facts(run: &Run) -> RunFacts<'_> {
    RunFacts {
        path: run.path.display().to_string(),
        device: run.name(),
        driver: run.header.driver(),
        suite: &run.header.suite,
        identity: &run.header.identity,
        cases: run.cases.len(),
        finished: run.end().is_some(),
    }
}

fn version_facts(versions: &Versions<'_>) -> Vec<VersionFacts> {
    let facts = versions.versions.iter().map(|version| VersionFacts {
        device: version.run.name().into_owned(),
        driver: version.driver().to_owned(),
        version: version.label(),
    });
    facts.collect()
}

fn cause_facts<'c>(versions: &'c Versions<'_>) -> Vec<CauseFacts<'c>> {
    let facts = versions.causes.iter().map(|cause| {
        let (reason, finding) = match &cause.why {
            Why::Known(reason) => (Some(reason.as_str()), None),
            Why::Unexplained { finding, .. } => (None, Some(finding.as_str())),
        };
        let counts = cause.counts.iter().map(|count| CountFacts {
            deviating: count.deviating,
            judged: count.judged,
            worse: count.worse,
            mended: count.mended,
        });
        CauseFacts {
            course: cause.course().name(),
            reason,
            finding,
            rules: cause.rules.iter().map(String::as_str).collect(),
            example: &cause.example,
            counts: counts.collect(),
        }
    });
    facts.collect()
}

fn state(case: &CaseResult) -> CaseState<'_> {
    CaseState {
        expectation: case.expectation,
        finding: case.finding,
        outcome: &case.outcome,
        seconds: case.seconds,
    }
}
