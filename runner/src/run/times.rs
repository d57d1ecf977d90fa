//! Times of earlier runs on this machine, kept for forecasts.

use std::{collections::BTreeMap, fs, io, path::Path};

use results::run::Run;
use serde::{Deserialize, Serialize};

use crate::device::places;

/// Least number of cases of a run whose time is kept: smaller runs mostly start their device.
const LEAST_CASES: usize = 1000;
/// Number of runs of a device that are kept.
const KEPT: usize = 8;
/// Options that a run's time depends on most.
const OPTIONS: [&str; 4] = ["builds", "laws of modules", "--depth", "--test-threads"];

/// A run that came to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct TimedRun {
    #[serde(flatten)]
    pub(super) kind: RunKind,
    /// Number of cases.
    pub(super) cases: usize,
    /// Seconds that the run took.
    pub(super) seconds: f64,
    /// Moment at which the run began, `2026-11-20T15:00:00Z`.
    pub(super) begun: String,
}

/// Device, cases and options of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct RunKind {
    /// Name of the device, with the compiler whose modules it is given.
    pub(super) device: String,
    /// Options that select cases.
    pub(super) selection: BTreeMap<String, String>,
    /// Options that the time depends on.
    pub(super) options: BTreeMap<String, String>,
}

impl RunKind {
    /// Creates the kind of a run; keeps the options that the time depends on.
    pub(super) fn new(
        device: String,
        selection: BTreeMap<String, String>,
        mut options: BTreeMap<String, String>,
    ) -> Self {
        options.retain(|name, _| OPTIONS.contains(&name.as_str()));
        Self { device, selection, options }
    }
}

/// Keeps what a run took that came to its end. A forecast is no reason for an error: a file that cannot be written stays as it is.
pub(super) fn keep(run: &Run) {
    let (header, Some(end)) = (&run.header, run.end()) else { return };
    let kind =
        RunKind::new(header.name().into_owned(), header.selection.clone(), header.options.clone());
    let (cases, seconds, begun) = (header.cases, end.seconds, header.begun.clone());
    if cases >= LEAST_CASES
        && let Some(path) = places::times()
    {
        let runs = added(read(&path), TimedRun { kind, cases, seconds, begun });
        let _ = write(&path, &runs);
    }
}

/// Returns the runs that are kept, of each device the oldest first.
pub(super) fn kept() -> Vec<TimedRun> {
    places::times().map(|path| read(&path)).unwrap_or_default()
}

/// Adds a run in the place of the last one of its kind, and removes the oldest runs of a device that has too many.
fn added(mut runs: Vec<TimedRun>, new: TimedRun) -> Vec<TimedRun> {
    runs.retain(|run| run.kind != new.kind);
    let of_device = |run: &TimedRun| run.kind.device == new.kind.device;
    let mut surplus = (runs.iter().filter(|run| of_device(run)).count() + 1).saturating_sub(KEPT);
    runs.retain(|run| {
        let is_surplus = surplus > 0 && of_device(run);
        surplus -= usize::from(is_surplus);
        !is_surplus
    });
    runs.push(new);
    runs
}

/// Reads a file; one that is missing or spoilt has no runs.
fn read(path: &Path) -> Vec<TimedRun> {
    let text = fs::read(path).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn write(path: &Path, runs: &[TimedRun]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    // Another run may read it meanwhile.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(file.as_file_mut(), runs)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_runs_of_each_kind_are_kept() {
        let run = |device: &str, rule: usize, seconds| {
            let selection = BTreeMap::from([("--rule".to_owned(), rule.to_string())]);
            let kind = RunKind::new(device.to_owned(), selection, BTreeMap::new());
            TimedRun { kind, cases: 2000, seconds, begun: "2026-11-20T15:00:00Z".to_owned() }
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/times.json");
        assert!(read(&path).is_empty());
        let mut runs = added(Vec::new(), run("other", 0, 1.0));
        for rule in 0..KEPT + 2 {
            runs = added(runs, run("one", rule, 1.0));
        }
        runs = added(runs, run("one", KEPT, 2.5));
        write(&path, &runs).unwrap();
        let read = read(&path);
        let of_one = read.iter().filter(|run| run.kind.device == "one");
        let of_one: Vec<(String, f64)> =
            of_one.map(|run| (run.kind.selection["--rule"].clone(), run.seconds)).collect();
        let mut expected: Vec<(String, f64)> =
            (2..KEPT + 2).map(|rule| (rule.to_string(), 1.0)).collect();
        let again = expected.remove(KEPT - 2);
        expected.push((again.0, 2.5));
        assert_eq!(of_one, expected);
        assert_eq!(read[0], run("other", 0, 1.0));
        fs::write(&path, "{").unwrap();
        assert!(super::read(&path).is_empty());
    }

    #[test]
    fn time_depends_on_some_options() {
        let options =
            ["--depth", "--memory", "--test-threads"].map(|name| (name.to_owned(), "1".to_owned()));
        let kind = RunKind::new("d".to_owned(), BTreeMap::new(), options.into());
        assert_eq!(kind.options.keys().collect::<Vec<_>>(), ["--depth", "--test-threads"]);
    }
}
