//! What a run on one device left, just made or read from a folder, compared with what is known of the device.

use std::{collections::BTreeMap, path::Path};

use expectations::{baseline::BaselineReport, device::DeviceFile, outcome::OutcomeKind};
use generator::suite::Suite;
use reports::{
    cases::Cases,
    formats::JudgedRun,
    results::{Header, SharedCheck},
    summary::Summary,
    text::{one_line, plural},
};
use thiserror::Error;

use crate::{
    device::files::{self, DeviceFileError},
    findings::{
        baseline::{Extent, Held, hold},
        clusters::{Cluster, KnownBy},
        programs,
    },
    output,
    results::{
        folder::{FolderError, Wanted, read_runs},
        stored::StoredRun,
    },
};

/// What a run on one device left.
pub struct DeviceRun {
    /// The device.
    pub device: DeviceFile,
    /// What was run, on what.
    pub header: Header,
    /// The selected cases that have an outcome.
    pub results: Cases,
    /// The results judged by the baseline.
    pub baseline: BaselineReport,
    /// Unexpected deviations of random programs, by what they look like; the baseline's report has one of each.
    pub clusters: Vec<Cluster>,
    /// Of each entry that explains wrong values of random programs, how it is known that it does.
    pub wrong_values: BTreeMap<usize, KnownBy>,
    /// The programs of unexpected findings that are shown, by the number of the case.
    pub programs: BTreeMap<usize, String>,
    /// Entries of the baseline that explain nothing, as they read.
    pub stale: Vec<String>,
    /// Entries of the baseline that cover too much of what passes, as they read.
    pub wide: Vec<String>,
    /// Entries that explain nothing, or cover too much, with a version of the driver that nobody has confirmed them with.
    pub unconfirmed: Vec<String>,
    /// Of each entry of the baseline, how many of its cases deviate, as it reads.
    pub coverage: Vec<String>,
    /// The check of the verdicts that shared builds gave, where one was made.
    pub shared_check: Option<SharedCheck>,
    /// How long it took.
    pub seconds: f64,
    /// Every selected case has its outcome.
    pub complete: bool,
    /// Why a stored run is not whole.
    pub partial: Option<String>,
}

impl DeviceRun {
    /// Hold results against what is known of the device.
    pub fn new(
        suite: &Suite,
        device: DeviceFile,
        header: Header,
        results: Cases,
        shared_check: Option<SharedCheck>,
        seconds: f64,
        complete: bool,
    ) -> Self {
        let whole = header.selection.is_empty() && header.shard.is_none();
        let extent = match complete {
            false => Extent::Unfinished,
            // An entry is not wrong for speaking of cases of another suite.
            true if whole && header.suite == suite.hash() => Extent::Suite,
            true => Extent::Selection,
        };
        let Held { mut baseline, mut stale, mut wide, coverage, clusters, wrong_values } =
            hold(suite, &device, &results, extent, shared_check.as_ref());
        let driver = header.identity.get("driver").map_or("", String::as_str);
        let mut unconfirmed = Vec::new();
        // Nobody has said yet that the entries are those of this version.
        if !device.is_confirmed_with(driver) {
            unconfirmed.append(&mut stale);
            unconfirmed.append(&mut wide);
        }
        let clusters = clusters.keep_one_of_each(&mut baseline.unexpected);
        let programs = programs::of_unexpected(suite, &results, &baseline.unexpected);
        Self {
            device,
            header,
            results,
            baseline,
            clusters,
            wrong_values,
            programs,
            stale,
            wide,
            unconfirmed,
            coverage,
            shared_check,
            seconds,
            complete,
            partial: None,
        }
    }

    /// The same for its summary.
    pub fn summary(&self) -> Summary<'_> {
        Summary {
            device: &self.device.name,
            cases: &self.results,
            unexpected: &self.baseline.unexpected,
            programs: &self.programs,
            explained: self.baseline.explained.len(),
            stale: &self.stale,
            wide: &self.wide,
            coverage: &self.coverage,
            shared_check: self.shared_check.as_ref(),
            unsupported: &self.header.unsupported,
            partial: self.partial.as_deref(),
            seconds: self.seconds,
            columns: output::columns(),
        }
    }

    /// The same for formats that tools read.
    pub fn judged(&self) -> JudgedRun<'_> {
        let entry = |case| {
            let explained = &self.baseline.explained;
            let place = explained.binary_search_by_key(&case, |&(case, _)| case).ok()?;
            Some(&self.device.deviations[explained[place].1])
        };
        JudgedRun {
            device: &self.device.name,
            front_end: &self.device.front_end,
            identity: &self.header.identity,
            unsupported: &self.header.unsupported,
            cases: &self.results,
            known: Box::new(move |case| Some(entry(case)?.reason.as_str())),
            cause: Box::new(move |case| entry(case)?.cause.as_deref()),
            stale: &self.stale,
            partial: self.partial.as_deref(),
            wide: &self.wide,
            missing: self.header.cases.saturating_sub(self.results.len()),
            seconds: self.seconds,
        }
    }

    /// The version of the driver, as it reports it; empty where it reports none.
    pub fn driver(&self) -> &str {
        self.header.identity.get("driver").map_or("", String::as_str)
    }

    /// What is to be said of a version of the driver that nobody has confirmed the entries with.
    pub fn of_an_unconfirmed_version(&self) -> Option<String> {
        let explained = self.baseline.explained.len();
        let worth_telling = explained > 0 || !self.unconfirmed.is_empty();
        if !worth_telling || self.device.is_confirmed_with(self.driver()) {
            return None;
        }
        let known = format!(
            "{}: {} by entries that were confirmed with version {} and not with this one, {}: `--bless` adds it to {}",
            self.device.name,
            plural(explained, "expected failure"),
            self.device.confirmed.join(", "),
            one_line(self.driver(), 80),
            self.device.path,
        );
        let others = self.unconfirmed.iter();
        let others = others.map(|entry| format!("not so with this version: {entry}"));
        Some(std::iter::once(known).chain(others).collect::<Vec<_>>().join("\n"))
    }

    /// Everything is as the text says, or as the baseline does, and the baseline says no more than that.
    pub fn is_as_expected(&self) -> bool {
        let contradicted =
            self.shared_check.as_ref().is_some_and(|check| !check.differing.is_empty());
        self.baseline.unexpected.is_empty()
            && self.stale.is_empty()
            && self.wide.is_empty()
            && !contradicted
    }

    /// Nothing of what was selected could be run.
    pub fn tested_nothing(&self) -> bool {
        // Of a run that was stopped nothing can be said.
        self.complete
            && self.results.briefs().all(|result| result.outcome.kind == OutcomeKind::Unsupported)
    }
}

/// Why stored runs cannot be judged.
#[derive(Debug, Error)]
pub enum StoredError {
    /// The results cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// What is known of the device cannot be read.
    #[error(transparent)]
    Device(#[from] DeviceFileError),
    /// Options that do not go together.
    #[error("{0}")]
    Usage(String),
}

/// The runs of a results folder, each compared with its device's baseline entries, or those of `baseline`.
pub fn stored(
    suite: &Suite,
    folder: &Path,
    wanted: Wanted,
    baseline: Option<&Path>,
) -> Result<Vec<DeviceRun>, StoredError> {
    let runs = read_runs(folder, wanted)?;
    if baseline.is_some() && runs.len() > 1 {
        let message =
            "`--baseline` takes the place of one device's file: name the folder of one device";
        return Err(StoredError::Usage(message.to_owned()));
    }
    runs.into_iter().map(|run| judge_again(suite, run, baseline)).collect()
}

/// A stored run compared with what is known of its device, or against `baseline`.
pub fn judge_again(
    suite: &Suite,
    run: StoredRun,
    baseline: Option<&Path>,
) -> Result<DeviceRun, StoredError> {
    let partial = run.partial();
    let StoredRun { path, results, .. } = run;
    let name = results.header.device.as_str();
    let device = match baseline {
        Some(baseline) => files::load_baseline(name, baseline)?,
        None => match files::load(name) {
            Err(DeviceFileError::Unknown { name, .. }) => {
                let message = format!(
                    "{}: unknown device `{name}` here; name its baseline entries with `--baseline FILE`",
                    path.display()
                );
                return Err(StoredError::Usage(message));
            }
            device => device?,
        },
    };
    let device = match baseline {
        Some(_) => device,
        None => files::as_of(device, &results.header)?,
    };
    let complete = partial.is_none();
    let (seconds, check) = results.end.map_or((0.0, None), |end| (end.seconds, end.shared_check));
    let run =
        DeviceRun::new(suite, device, results.header, results.cases, check, seconds, complete);
    Ok(DeviceRun { partial, ..run })
}
