//! What a run is shown as: Rust's test harness, the summary of a device, the matrix of several.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::File,
    io::{BufWriter, IsTerminal as _, Write as _},
    path::Path,
};

use anstream::{AutoStream, ColorChoice};
use expectations::{device::DeviceFile, judge::FindingKind};
use libtest_mimic::{Arguments, ColorSetting, Completion, Failed, FormatSetting, Trial};
use reports::{
    formats::{JudgedRun, junit},
    matrix::{self, Matrix, Row},
    probes::{lacking, told},
    summary,
    text::one_line,
};

use crate::{
    exit,
    findings::{clusters::Cluster, device_run::DeviceRun},
    output::{self, note, print},
    run::devices::{how_to_get, known_broken},
    run::error::RunError,
};

/// More cases than this are not listed one by one unless a format is asked for.
const LISTED_UP_TO: usize = 100;

/// What became of every device of a run.
#[derive(Default)]
pub struct Ended {
    /// Those that were run, the last one perhaps not to its end.
    pub runs: Vec<DeviceRun>,
    /// Those that are not on this machine and that nobody named.
    pub absent: Vec<(DeviceFile, RunError)>,
    /// Those that are known not to work on machines like this one, and that nobody named.
    pub known_broken: Vec<DeviceFile>,
    /// Those that could not be run.
    pub broken: Vec<(DeviceFile, RunError)>,
    /// Those whose turn never came.
    pub not_begun: Vec<String>,
}

/// Show a run; gives the exit status.
pub fn show(harness: &Arguments, ended: &Ended, several: bool) -> u8 {
    let failed = present(harness, &ended.runs);
    let text = if several {
        matrix_of(ended)
    } else {
        ended.runs.iter().map(|run| summary::render(&run.summary())).collect()
    };
    let text = ended.runs.iter().map(clusters_of).collect::<String>() + &text;
    print_summary(harness, &text);
    status(ended, failed)
}

/// Deviations of random programs: each kind once, with how many showed it.
fn clusters_of(run: &DeviceRun) -> String {
    let mut text = String::new();
    for Cluster { shape, count, smallest } in &run.clusters {
        let smallest = run.results.get(*smallest).id.clone();
        let _ = writeln!(
            text,
            "{}: {} of {}, the smallest {smallest}",
            run.device.name,
            reports::text::printable(shape),
            reports::text::plural(*count, "program"),
        );
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The worst that is to be said of any device.
fn status(ended: &Ended, failed: bool) -> u8 {
    if !ended.not_begun.is_empty() {
        note(&format!("the run was stopped before these devices: {}", ended.not_begun.join(", ")));
    }
    if ended.runs.iter().all(DeviceRun::tested_nothing) {
        let names: Vec<&str> = ended.runs.iter().map(|run| run.device.name.as_str()).collect();
        note(&match names.as_slice() {
            [] => "no device could be run: nothing was tested".to_owned(),
            [name] => {
                format!("device `{name}` supports nothing of what was selected: nothing was tested")
            }
            _ => "no device supports anything of what was selected: nothing was tested".to_owned(),
        });
        return exit::COULD_NOT_RUN;
    }
    let whole = ended.runs.iter().all(|run| run.complete);
    if !whole || !ended.not_begun.is_empty() || !ended.broken.is_empty() {
        return exit::COULD_NOT_RUN;
    }
    let unexpected = |run: &DeviceRun| !run.is_as_expected();
    if failed || ended.runs.iter().any(unexpected) { exit::UNEXPECTED } else { exit::EXPECTED }
}

fn matrix_of(ended: &Ended) -> String {
    let mut text = String::new();
    for run in &ended.runs {
        summary::attention(&mut text, &run.summary());
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let rows: Vec<Row<'_>> = ended
        .runs
        .iter()
        .map(|run| Row { summary: run.summary(), front_end: &run.device.front_end })
        .collect();
    let absent: Vec<(String, String)> = ended
        .absent
        .iter()
        .map(|(device, error)| {
            let how = how_to_get(device).map(|how| format!("get it by {how}"));
            (device.name.clone(), how.unwrap_or_else(|| error.to_string()))
        })
        .collect();
    let unknown = ended.broken.iter().map(|(device, error)| {
        let known = known_broken(device, error).unwrap_or_default();
        (device.name.clone(), format!("{error} {known}"))
    });
    let known = ended.known_broken.iter().map(|device| {
        let reason = device.broken.as_ref().map(|broken| broken.reason.as_str());
        (device.name.clone(), format!("as known: {}", reason.unwrap_or_default()))
    });
    let broken: Vec<(String, String)> = known.chain(unknown).collect();
    text + &matrix::render(&Matrix { rows: &rows, absent: &absent, broken: &broken })
}

/// Write what a run left as `JUnit` XML.
pub fn write_junit(path: &Path, ended: &Ended) -> Result<(), RunError> {
    let judged: Vec<JudgedRun<'_>> = ended.runs.iter().map(DeviceRun::judged).collect();
    let broken =
        ended.broken.iter().map(|(device, error)| (device.name.clone(), error.to_string()));
    let stopped = "the run was stopped before its turn".to_owned();
    let not_begun = ended.not_begun.iter().map(|device| (device.clone(), stopped.clone()));
    let broken: Vec<(String, String)> = broken.chain(not_begun).collect();
    let file = File::create(path).and_then(|file| {
        let mut file = BufWriter::new(file);
        junit::write(&mut file, &judged, &broken)?;
        file.flush()
    });
    file.map_err(|source| RunError::File { path: path.display().to_string(), source })
}

/// Show the cases as Rust's test harness does, or, where that would be thousands of lines nobody asked for, its
/// closing line only; gives whether some failed.
fn present(harness: &Arguments, runs: &[DeviceRun]) -> bool {
    let asked = harness.format.is_some() || harness.quiet || harness.logfile.is_some();
    let results: usize = runs.iter().map(|run| run.results.len()).sum();
    if asked || results <= LISTED_UP_TO {
        let trials = runs.iter().flat_map(trials).collect();
        return libtest_mimic::run(harness, trials).has_failed();
    }
    let all = || runs.iter().flat_map(|run| run.results.briefs());
    let passed = all().filter(|result| result.finding.kind == FindingKind::Pass).count();
    let failed = runs.iter().map(|run| run.baseline.unexpected.len()).sum();
    let seconds = runs.iter().map(|run| run.seconds).sum();
    let line = summary::harness_line(passed, failed, results - passed - failed, seconds);
    print(&line);
    failed > 0
}

fn trials(run: &DeviceRun) -> Vec<Trial> {
    let DeviceRun { device, results, baseline, .. } = run;
    let explained: BTreeMap<usize, usize> = baseline.explained.iter().copied().collect();
    let trials = results.iter().enumerate().map(|(index, result)| {
        let completion = match (result.finding.kind, explained.get(&index)) {
            (FindingKind::Pass, _) => Ok(Completion::Completed),
            (FindingKind::Unsupported, _) => Ok(Completion::ignored_with(one_line(
                &format!("unsupported: {}", lacking(&result.outcome)),
                120,
            ))),
            (FindingKind::Disputed, _) => {
                Ok(Completion::ignored_with("disputed text: shown, not judged"))
            }
            (_, Some(&entry)) => {
                let reason = &device.deviations[entry].reason;
                Ok(Completion::ignored_with(one_line(&format!("expected failure: {reason}"), 120)))
            }
            (kind, None) => {
                let mut text = format!("{}: {}", kind.name(), result.finding.reason.text());
                for line in result.outcome.run.as_deref().map(told).unwrap_or_default() {
                    let _ = write!(text, "\n  {line}");
                }
                Err(Failed::from(text))
            }
        };
        Trial::ignorable_test(result.id.as_str(), move || completion)
            .with_kind(device.name.as_str())
    });
    trials.collect()
}

fn print_summary(harness: &Arguments, text: &str) {
    let choice = match harness.color {
        Some(ColorSetting::Always) => ColorChoice::Always,
        Some(ColorSetting::Never) => ColorChoice::Never,
        _ => ColorChoice::Auto,
    };
    // Standard output belongs to the format that was asked for.
    let written = if matches!(harness.format, Some(FormatSetting::Json))
        || !std::io::stdout().is_terminal() && harness.format.is_some()
    {
        write!(AutoStream::new(std::io::stderr(), choice), "{text}")
    } else {
        write!(AutoStream::new(std::io::stdout(), choice), "{text}")
    };
    output::written(written);
}
