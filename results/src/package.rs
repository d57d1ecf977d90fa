//! A package: the results of a run with all that it takes to check them elsewhere, and its manifest.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    line::{EntryFileRole, Header},
    run::{Run, Status},
};

/// Version of the manifest's format. Readers accept no other.
pub const FORMAT: u32 = 1;

/// Name of the manifest in its package.
pub const MANIFEST: &str = "package.json";

/// The manifest of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Package {
    /// Version of this format.
    pub format: u32,
    /// Version of the program that made the results.
    pub program: String,
    /// Hash of the suite's rules and templates.
    pub suite: String,
    /// Name of the device.
    pub device: String,
    /// Facts that the device reported about itself, the version of its driver and the hash of its library among them.
    pub identity: BTreeMap<String, String>,
    /// Options that selected the cases; empty if these are the whole suite.
    pub selection: BTreeMap<String, String>,
    /// Moment at which the run began, in UTC.
    pub begun: String,
    /// Verdict on the results.
    pub verdict: PackageVerdict,
    /// Files of the package, with their hashes.
    pub files: Vec<PackageFile>,
}

/// The verdict on the results of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PackageVerdict {
    /// Whether every case does what the text or a baseline entry says, and nothing else makes the run red.
    pub is_as_expected: bool,
    /// Number of cases by status.
    pub cases: BTreeMap<String, usize>,
}

/// A file with the hash that it must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PackageFile {
    /// Name of the file.
    pub name: String,
    /// SHA-256 of the file.
    pub sha256: String,
}

impl Package {
    /// Returns the manifest of a judged run, without files.
    pub fn of(run: &Run) -> Self {
        let Header { program, suite, device, identity, selection, begun, .. } = &run.header;
        let mut selection = selection.clone();
        selection
            .extend(run.header.shard.iter().map(|shard| ("--shard".to_owned(), shard.clone())));
        Self {
            format: FORMAT,
            program: program.clone(),
            suite: suite.clone(),
            device: device.clone(),
            identity: identity.clone(),
            selection,
            begun: begun.clone(),
            verdict: PackageVerdict::of(run),
            files: Vec::new(),
        }
    }
}

impl PackageVerdict {
    /// Returns the verdict on a judged run.
    pub fn of(run: &Run) -> Self {
        let mut cases = BTreeMap::new();
        for (index, case) in run.cases.briefs().enumerate() {
            let status = run.status(index, case.finding.kind);
            *cases.entry(status_name(status).to_owned()).or_default() += 1;
        }
        Self { is_as_expected: run.is_as_expected(), cases }
    }
}

/// Returns the name of a status in the manifest.
const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Pass => "pass",
        Status::ExpectedFailure => "expected-failure",
        Status::Fail => "unexpected-failure",
        Status::Disputed => "disputed",
        Status::Unsupported => "unsupported",
    }
}

/// Returns the files that results hold, by the names that they have in a package.
pub fn kept_files(header: &Header) -> Vec<(&'static str, &str)> {
    let names =
        [(EntryFileRole::Device, "device.toml"), (EntryFileRole::Baseline, "baseline.toml")];
    let kept = names.into_iter();
    kept.filter_map(|(role, name)| Some((name, header.kept_file(role)?.1))).collect()
}
