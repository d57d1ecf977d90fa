//! Presentation of a run: as Rust's test harness, as the summary of a device, and as the matrix of several.

use std::{
    fmt::Write as _,
    fs::File,
    io::{BufWriter, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use anstream::{AutoStream, ColorChoice};
use expectations::{baseline::Explanation, device::DeviceFile, wrong_values::WRONG_VALUES};
use generator::suite::Suite;
use libtest_mimic::{Arguments, ColorSetting, Completion, Failed, FormatSetting, Trial};
use reports::{
    folding::folded,
    formats::junit,
    matrix::{self, Matrix},
    probes::{reason_not_judged, run_lines},
    statuses::style,
    summary,
};
use results::{
    cluster::Cluster,
    run::{Run, Status},
    text::one_line,
};

use crate::{
    exit,
    findings::programs,
    output::{self, note},
    run::{
        choosing::ChosenRun,
        devices::{Breadth, how_to_get, is_absent, known_broken},
        error::RunError,
        plan::RunPlan,
    },
};

/// Largest number of cases that are listed one by one without a requested format.
const LISTED_UP_TO: usize = 100;

/// Results of every device of a run.
#[derive(Default)]
pub struct RunResults {
    /// Devices that were run, the last one perhaps not to its end.
    pub runs: Vec<Run>,
    /// Devices that are not on this machine and that nobody named, each with how to get it.
    pub absent: Vec<(String, String)>,
    /// Devices that are known to fail on machines like this one and that nobody named, each with the reason.
    pub known_broken: Vec<(String, String)>,
    /// Devices that could not be run.
    pub broken: Vec<(DeviceFile, RunError)>,
    /// Devices that were not begun.
    pub not_begun: Vec<String>,
}

impl RunResults {
    /// Adds a device that could not be run; returns the error if there is no other device.
    pub fn add_error(
        &mut self,
        breadth: Breadth,
        device: &DeviceFile,
        error: RunError,
    ) -> Result<(), RunError> {
        let (name, known) = (device.name.clone(), known_broken(device, &error));
        match (breadth, known) {
            (Breadth::One, known) => {
                if let Some(reason) = known {
                    note(&format!("device `{name}` is known to be broken here: {reason}"));
                }
                return Err(error);
            }
            (Breadth::All, _) if is_absent(&error) => {
                let how = how_to_get(device).map(|how| format!("get it by {how}"));
                self.absent.push((name, how.unwrap_or_else(|| error.to_string())));
            }
            (Breadth::All, Some(reason)) => {
                self.known_broken.push((name, format!("as known: {reason}")));
            }
            // The others are worth running, and worth keeping.
            (Breadth::Several | Breadth::All, _) => self.broken.push((device.clone(), error)),
        }
        Ok(())
    }
}

/// Prints how to resume a run that was stopped.
pub fn note_stop(plan: &RunPlan, run: &Run) {
    if !run.is_complete() {
        let resume = |folder: &PathBuf| format!("; resume it with `--resume {}`", folder.display());
        let how = plan.keep.folder().map(resume).unwrap_or_default();
        note(&format!("the run was stopped: {}{how}", run.progress()));
    }
}

/// Shows the runs; returns the exit status.
pub fn show(chosen: &ChosenRun, ended: &RunResults) -> u8 {
    let ChosenRun { plan: RunPlan { harness, detail, .. }, suite, breadth, .. } = chosen;
    let failed = present(harness, &ended.runs);
    let summary = |run: &Run| {
        summary::render(run, &programs::of_unexpected(suite, run), output::columns(), *detail)
    };
    let text = match breadth {
        Breadth::One => ended.runs.iter().map(summary).collect(),
        Breadth::Several | Breadth::All => matrix_of(suite, ended),
    };
    let text = ended.runs.iter().map(clusters_of).collect::<String>() + &text;
    print_summary(harness, &text);
    status(ended, failed)
}

/// Returns the clusters of deviations of random programs, each with the number of its programs. For wrong values this
/// includes those that entries explain, because the certainty differs.
fn clusters_of(run: &Run) -> String {
    let mut text = String::new();
    for Cluster { shape, count, smallest, reductions } in &run.judgement.clusters {
        let smallest = run.cases.get(*smallest).id.clone();
        let _ = writeln!(
            text,
            "{}: {} of {}, the smallest {smallest}",
            one_line(&run.name(), 60),
            results::text::printable(shape),
            results::text::plural(*count, "program"),
        );
        if let Some(reductions) = reductions {
            let _ = writeln!(text, "  {reductions}");
        } else if shape == WRONG_VALUES {
            text.push_str("  not fully reduced, and without the constructs of any known kind\n");
        }
    }
    for (&entry, reductions) in &run.judgement.wrong_values {
        let Explanation::Shape(pattern) = &run.deviations()[entry].known else { continue };
        let name = one_line(&run.name(), 60);
        let _ = writeln!(text, "{name}: as known, {pattern}\n  {reductions}");
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Returns the exit status of the worst result on any device.
fn status(ended: &RunResults, failed: bool) -> u8 {
    if !ended.not_begun.is_empty() {
        note(&format!("the run was stopped before these devices: {}", ended.not_begun.join(", ")));
    }
    if ended.runs.iter().all(Run::has_tested_nothing) {
        let names: Vec<_> = ended.runs.iter().map(Run::name).collect();
        note(&match names.as_slice() {
            [] => "no device could be run: nothing was tested".to_owned(),
            [name] => {
                format!("device `{name}` supports none of the selected cases: nothing was tested")
            }
            _ => "no device supports any of the selected cases: nothing was tested".to_owned(),
        });
        return exit::COULD_NOT_RUN;
    }
    let whole = ended.runs.iter().all(Run::is_complete);
    if !whole || !ended.not_begun.is_empty() || !ended.broken.is_empty() {
        return exit::COULD_NOT_RUN;
    }
    let unexpected = |run: &Run| !run.is_as_expected();
    if failed || ended.runs.iter().any(unexpected) { exit::UNEXPECTED } else { exit::EXPECTED }
}

fn matrix_of(suite: &Suite, ended: &RunResults) -> String {
    let mut text = String::new();
    for run in &ended.runs {
        let programs = programs::of_unexpected(suite, run);
        summary::attention(&mut text, run, &programs, output::columns());
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let unknown = ended.broken.iter().map(|(device, error)| {
        let known = known_broken(device, error).unwrap_or_default();
        (device.name.clone(), format!("{error} {known}"))
    });
    let broken: Vec<(String, String)> = ended.known_broken.iter().cloned().chain(unknown).collect();
    text + &matrix::render(&Matrix {
        runs: &ended.runs,
        absent: &ended.absent,
        broken: &broken,
        columns: output::columns(),
    })
}

/// Writes the results of a run as `JUnit` XML.
pub fn write_junit(path: &Path, ended: &RunResults) -> Result<(), RunError> {
    let broken =
        ended.broken.iter().map(|(device, error)| (device.name.clone(), error.to_string()));
    let stopped = "the run was stopped before its turn".to_owned();
    let not_begun = ended.not_begun.iter().map(|device| (device.clone(), stopped.clone()));
    let broken: Vec<(String, String)> = broken.chain(not_begun).collect();
    let file = File::create(path).and_then(|file| {
        let mut file = BufWriter::new(file);
        junit::write(&mut file, &ended.runs, &broken)?;
        file.flush()
    });
    file.map_err(|source| RunError::File { path: path.display().to_string(), source })
}

/// Prints the cases and returns whether some failed. They are printed like Rust's test harness does where one of its
/// formats is requested, else one on each line unless these are thousands that nobody requested.
fn present(harness: &Arguments, runs: &[Run]) -> bool {
    if harness.format.is_some() || harness.quiet || harness.logfile.is_some() {
        let trials = runs.iter().flat_map(trials).chain(runs.iter().filter_map(stopped)).collect();
        return libtest_mimic::run(harness, trials).has_failed();
    }
    let results: usize = runs.iter().map(|run| run.cases.len()).sum();
    if results <= LISTED_UP_TO {
        print_colored(harness, &runs.iter().map(list).collect::<String>());
    }
    runs.iter().any(|run| !run.unexpected().is_empty())
}

/// Returns a failed test for a run that was stopped: by its cases alone the harness would report `ok`.
fn stopped(run: &Run) -> Option<Trial> {
    let progress = run.progress();
    let trial = Trial::test("the run was stopped", move || Err(Failed::from(progress)));
    (!run.is_complete()).then(|| trial.with_kind(run.name()))
}

/// Returns a line for each case.
fn list(run: &Run) -> String {
    let mut out = String::new();
    for (index, result) in run.cases.iter().enumerate() {
        let entry = run.entry(index);
        let status = Status::of(result.finding.kind, entry.is_none());
        let why = match status {
            Status::Pass | Status::Disputed => String::new(),
            Status::Unsupported => reason_not_judged(&result.outcome).to_owned(),
            Status::Fail => {
                format!("{}: {}", result.finding.kind.name(), result.finding.reason.text())
            }
            Status::ExpectedFailure => entry.map(|entry| entry.reason.clone()).unwrap_or_default(),
        };
        let why = one_line(&why, 120);
        let why = if why.is_empty() { why } else { format!("  ({why})") };
        let style = style(status);
        let line = format!("{style}{:<16}{style:#}  {}{why}\n", status.name(), result.id);
        out.push_str(&folded(&line, output::columns()));
    }
    out.push('\n');
    out
}

fn trials(run: &Run) -> Vec<Trial> {
    let trials = run.cases.iter().enumerate().map(|(index, result)| {
        let entry = run.entry(index);
        let completion = match Status::of(result.finding.kind, entry.is_none()) {
            Status::Pass => Ok(Completion::Completed),
            Status::Unsupported => Ok(Completion::ignored_with(one_line(
                &format!("unsupported: {}", reason_not_judged(&result.outcome)),
                120,
            ))),
            Status::Disputed => Ok(Completion::ignored_with("disputed text: shown, not judged")),
            Status::ExpectedFailure => {
                let reason = entry.map_or("", |entry| entry.reason.as_str());
                Ok(Completion::ignored_with(one_line(&format!("expected failure: {reason}"), 120)))
            }
            Status::Fail => {
                let finding = result.finding;
                let mut text = format!("{}: {}", finding.kind.name(), finding.reason.text());
                for line in result.outcome.run.as_deref().map(run_lines).unwrap_or_default() {
                    let _ = write!(text, "\n  {line}");
                }
                Err(Failed::from(text))
            }
        };
        Trial::ignorable_test(result.id.as_str(), move || completion).with_kind(run.name())
    });
    trials.collect()
}

fn color(harness: &Arguments) -> ColorChoice {
    match harness.color {
        Some(ColorSetting::Always) => ColorChoice::Always,
        Some(ColorSetting::Never) => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

fn print_colored(harness: &Arguments, text: &str) {
    output::written(write!(AutoStream::new(std::io::stdout(), color(harness)), "{text}"));
}

fn print_summary(harness: &Arguments, text: &str) {
    // Standard output belongs to the requested format.
    if matches!(harness.format, Some(FormatSetting::Json))
        || !std::io::stdout().is_terminal() && harness.format.is_some()
    {
        output::written(write!(AutoStream::new(std::io::stderr(), color(harness)), "{text}"));
    } else {
        print_colored(harness, text);
    }
}
