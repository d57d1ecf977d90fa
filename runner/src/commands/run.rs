//! The main job: select, render, build on the device, judge, hold against the baseline, report.

use std::{
    collections::BTreeMap,
    io::{IsTerminal as _, Write as _},
    time::{Duration, Instant},
};

use anstream::{AutoStream, ColorChoice};
use expectations::{
    device::{BaselineReport, Deviation, DeviceFile, JudgedCase, compare_with_baseline},
    judge::FindingKind,
    rule::Expectation,
};
use generator::suite::Suite;
use indicatif::{ProgressBar, ProgressStyle};
use libtest_mimic::{Arguments, ColorSetting, Completion, Failed, FormatSetting, Trial};
use rayon::prelude::*;
use reports::{
    results::{CaseResult, End, FORMAT, Header, Line, Unreproduced},
    summary::{self, Summary},
    text::one_line,
};

use super::CommandError;
use crate::{
    cli::{RunArgs, exit},
    device::DeviceFacts,
    device_files,
    engine::{self, Cancel, Config, Event, Hope, Job, WorkerCommand},
    install,
    judging::{Judging, Prepared},
    results_folder::ResultsFolder,
    select::{self, Selection},
};

/// More cases than this are not listed one by one unless a format is asked for.
const LISTED_UP_TO: usize = 100;

/// Run what the options select; gives the exit status.
pub fn run(args: &RunArgs) -> Result<u8, CommandError> {
    check_logfile(args)?;
    let suite = Suite::embedded()?;
    let selection = select::select(&suite, &args.select, &args.libtest)?;
    if args.libtest.list {
        return Ok(list(args, &selection));
    }
    let device = load_device(args)?;
    if args.install {
        install::install(&device, &mut |command| note(&format!("installing: {command}")))?;
    }
    let prepared = prepare(&suite, selection)?;
    let cancel = Cancel::default();
    stop_on_interrupt(&cancel);
    let begun = Instant::now();
    let run = execute(&suite, args, &device, &prepared, &cancel)?;
    let seconds = begun.elapsed().as_secs_f64();
    report(&suite, args, &device, &prepared, run, seconds)
}

/// What a run left.
struct Executed {
    results: Vec<CaseResult>,
    facts: Option<DeviceFacts>,
    cancelled: bool,
    folder: Option<ResultsFolder>,
}

/// The device, with the baseline the options name.
pub fn load_device(args: &RunArgs) -> Result<DeviceFile, CommandError> {
    let mut device = device_files::load(&args.device)?;
    if let Some(path) = &args.baseline {
        device.deviations = device_files::load_baseline(&args.device, path)?.deviations;
    }
    Ok(device)
}

fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// The harness would end in a panic on a log file it cannot make.
fn check_logfile(args: &RunArgs) -> Result<(), CommandError> {
    let Some(path) = &args.libtest.logfile else { return Ok(()) };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.map(drop).map_err(|source| CommandError::File { path: path.clone(), source })
}

fn list(args: &RunArgs, selection: &Selection) -> u8 {
    let trials = selection
        .cases
        .iter()
        .map(|case| Trial::test(case.id.as_str(), || Ok(())).with_kind(&args.device));
    let _ = libtest_mimic::run(
        &Arguments { list: true, ..unfiltered(&args.libtest) },
        trials.collect(),
    );
    exit::EXPECTED
}

/// Selection is done: the harness shall show what it is given.
fn unfiltered(libtest: &Arguments) -> Arguments {
    Arguments { filter: None, skip: Vec::new(), exact: false, ..libtest.clone() }
}

/// Render the cases and their controls.
pub fn prepare(suite: &Suite, selection: Selection) -> Result<Vec<Prepared<'_>>, CommandError> {
    let selected = selection.cases.into_iter().map(|case| (case, true));
    let cases: Vec<_> =
        selected.chain(selection.controls.into_iter().map(|case| (case, false))).collect();
    let prepared =
        cases.into_par_iter().map(|(case, selected)| Prepared::new(suite, case, selected));
    Ok(prepared.collect::<Result<Vec<_>, _>>()?)
}

fn stop_on_interrupt(cancel: &Cancel) {
    let cancel = cancel.clone();
    // A handler can be set once per process; a second run in it keeps the first one's.
    let _ = ctrlc::set_handler(move || {
        if cancel.is_cancelled() {
            #[expect(clippy::exit, reason = "the second interrupt asks for an end at once")]
            std::process::exit(i32::from(exit::COULD_NOT_RUN));
        }
        note("stopping; interrupt again to end at once");
        cancel.cancel();
    });
}

/// How the engine runs, by the options.
pub fn config(args: &RunArgs) -> Result<Config, CommandError> {
    let worker = WorkerCommand::this_program(vec!["worker".into()])
        .map_err(|source| CommandError::File { path: "the running program".to_owned(), source })?;
    Ok(Config {
        workers: args.libtest.test_threads.unwrap_or_else(engine::default_workers).max(1),
        isolate: args.isolate,
        build_timeout: args.timeout,
        memory_limit: Some(args.memory << 20),
        retries: args.retries,
        ..Config::new(worker, install::folder(&args.device))
    })
}

/// What the engine is given for a case.
pub fn job(prepared: &Prepared<'_>) -> Job {
    Job {
        id: prepared.case.id.clone(),
        dialect: prepared.case.dialect,
        requirements: prepared.case.requirements.clone(),
        source: prepared.kernel.source.clone(),
        hope: match prepared.expectation {
            Expectation::Accept => Hope::Accept,
            Expectation::Reject { .. } => Hope::Reject,
            Expectation::Disputed { .. } => Hope::Either,
        },
    }
}

/// A case that is known to kill or hang the device is kept away from the others.
fn with_known_trouble(device: &DeviceFile, job: Job) -> Job {
    let harmful = |deviation: &Deviation| {
        matches!(deviation.finding, FindingKind::Crash | FindingKind::Timeout)
            && deviation.matches(&job.id)
    };
    let hope = if device.deviations.iter().any(harmful) { Hope::Trouble } else { job.hope };
    Job { hope, ..job }
}

fn execute<'s>(
    suite: &'s Suite,
    args: &RunArgs,
    device: &DeviceFile,
    prepared: &[Prepared<'s>],
    cancel: &Cancel,
) -> Result<Executed, CommandError> {
    let mut judging = Judging::new(prepared);
    let mut folder = None;
    let mut facts = None;
    let mut trouble = None;
    let config = config(args)?;
    let header = header(suite, args, device, prepared);
    let mut resumed = Vec::new();
    if let Some(path) = &args.resume {
        // The device's identity is compared once it is open; the rest can be refused at once.
        resumed = crate::results_folder::read_results(path)?.cases;
    }
    for result in &resumed {
        judging.recall(result.clone());
    }
    let left: Vec<usize> =
        (0..prepared.len()).filter(|&index| !judging.is_finished(index)).collect();
    let jobs: Vec<Job> =
        left.iter().map(|&index| with_known_trouble(device, job(&prepared[index]))).collect();
    let bar = progress(jobs.len(), &device.name);
    let mut sink = |event: Event| {
        let mut lines = Vec::new();
        match event {
            Event::Opened(opened) => {
                match open_folder(args, &header, &opened) {
                    Ok(opened_folder) => folder = opened_folder,
                    Err(error) => {
                        trouble.get_or_insert(error);
                        cancel.cancel();
                    }
                }
                facts = Some(*opened);
            }
            Event::Finished { job, record } => {
                bar.inc(1);
                lines.extend(judging.finish(left[job], record).iter().cloned().map(Line::Case));
            }
            Event::Unreproduced { jobs: built, what } => {
                let what = reports::text::printable(&what);
                let warning = format!(
                    "warning: {what}, building {} at once; no smaller build shows it",
                    built.len()
                );
                bar.suspend(|| note(&warning));
                let cases = built.into_iter().map(|job| jobs[job].id.clone()).collect();
                lines.push(Line::Unreproduced(Unreproduced { cases, what }));
            }
            Event::Warning(text) => {
                let warning = format!("warning: {}", reports::text::printable(&text));
                bar.suspend(|| note(&warning));
            }
        }
        for line in lines {
            if let Some(Err(error)) =
                folder.as_mut().map(|folder: &mut ResultsFolder| folder.append(&line))
            {
                trouble.get_or_insert(error.into());
                cancel.cancel();
                folder = None;
            }
        }
    };
    let outcome = engine::run(device, &jobs, &config, cancel, &mut sink);
    bar.finish_and_clear();
    if let Some(error) = trouble {
        return Err(error);
    }
    let report = outcome?;
    Ok(Executed { results: judging.into_results(), facts, cancelled: report.cancelled, folder })
}

fn progress(cases: usize, device: &str) -> ProgressBar {
    // Hidden by itself where standard error is no terminal.
    let bar = ProgressBar::new(cases as u64);
    let template = "{prefix} {wide_bar} {pos}/{len} cases, {per_sec}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_prefix(device.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn header(suite: &Suite, args: &RunArgs, device: &DeviceFile, prepared: &[Prepared<'_>]) -> Header {
    Header {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        suite: suite.hash().to_owned(),
        selection: select::describe(&args.select, &args.libtest),
        cases: prepared.iter().filter(|p| p.selected).count(),
        device: device.name.clone(),
        identity: BTreeMap::new(),
        shard: args.select.shard.map(|shard| shard.to_string()),
        unsupported: BTreeMap::new(),
        environment: device.environment.iter().cloned().collect(),
    }
}

fn open_folder(
    args: &RunArgs,
    header: &Header,
    facts: &DeviceFacts,
) -> Result<Option<ResultsFolder>, CommandError> {
    let capabilities = &facts.capabilities;
    let identity = [
        ("platform", &capabilities.platform),
        ("platform version", &capabilities.platform_version),
        ("device", &capabilities.device),
        ("device version", &capabilities.device_version),
        ("driver", &capabilities.driver_version),
    ];
    let header = Header {
        identity: identity
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect(),
        unsupported: unsupported(facts),
        ..header.clone()
    };
    Ok(match (&args.results, &args.resume) {
        (Some(path), _) => Some(ResultsFolder::create(path, &header)?),
        (_, Some(path)) => Some(ResultsFolder::resume(path, &header)?.0),
        _ => None,
    })
}

fn unsupported(facts: &DeviceFacts) -> BTreeMap<String, String> {
    let missing = facts
        .dialects
        .iter()
        .filter_map(|support| Some((support.dialect, support.missing.clone()?)));
    missing.map(|(dialect, why)| (dialect.name().to_owned(), why)).collect()
}

fn report(
    suite: &Suite,
    args: &RunArgs,
    device: &DeviceFile,
    prepared: &[Prepared<'_>],
    mut run: Executed,
    seconds: f64,
) -> Result<u8, CommandError> {
    let selected = prepared.iter().filter(|p| p.selected).count();
    let judged: Vec<JudgedCase<'_>> = run
        .results
        .iter()
        .map(|result| JudgedCase { id: &result.id, finding: result.finding })
        .collect();
    let baseline = compare_with_baseline(&device.deviations, &judged);
    let complete = !run.cancelled && run.results.len() == selected;
    if complete && let Some(folder) = &mut run.folder {
        let mut findings = BTreeMap::new();
        for result in &run.results {
            *findings.entry(result.finding.kind.name().to_owned()).or_default() += 1;
        }
        folder.append(&Line::End(End { findings, seconds }))?;
    }
    let stale = stale(suite, args, device, &baseline, complete);
    let failed = present(args, device, &run.results, &baseline, seconds);
    let unsupported = run.facts.as_ref().map(unsupported).unwrap_or_default();
    print_summary(
        args,
        &Summary {
            device: &device.name,
            cases: &run.results,
            unexplained: &baseline.unexplained,
            explained: baseline.explained.len(),
            stale: &stale,
            unsupported: &unsupported,
            seconds,
        },
    );
    if args.bless && complete {
        let path = crate::bless::bless(device, args.baseline.as_deref(), &run.results, &baseline)?;
        note(&format!("rewrote the baseline {}", path.display()));
    }
    if !complete {
        let go_on = args.results.as_ref().or(args.resume.as_ref());
        let how = go_on.map_or_else(String::new, |path| {
            format!("; go on with it by `--resume {}`", path.display())
        });
        note(&format!(
            "the run was stopped: {} of {selected} cases are done{how}",
            run.results.len()
        ));
        return Ok(exit::COULD_NOT_RUN);
    }
    if run.results.iter().all(|result| result.finding.kind == FindingKind::Unsupported) {
        note(&format!(
            "device `{}` supports nothing of what was selected: nothing was tested",
            device.name
        ));
        return Ok(exit::COULD_NOT_RUN);
    }
    let unexpected = !baseline.unexplained.is_empty() || !stale.is_empty() || failed;
    Ok(if unexpected { exit::UNEXPECTED } else { exit::EXPECTED })
}

/// Entries of the baseline that explain nothing: those whose cases all do as they should, and, when the whole
/// suite was run, those that speak of no case at all.
fn stale(
    suite: &Suite,
    args: &RunArgs,
    device: &DeviceFile,
    baseline: &BaselineReport,
    complete: bool,
) -> Vec<String> {
    if !complete {
        return Vec::new();
    }
    let describe = |entry: usize, why: &str| {
        let deviation = &device.deviations[entry];
        format!("{}:{}: {} ({why})", deviation.path, deviation.line, deviation.cases)
    };
    let mut stale: Vec<String> = baseline
        .stale
        .iter()
        .map(|&entry| describe(entry, "its cases do as they should now"))
        .collect();
    let whole = args.select.rule.is_empty()
        && args.libtest.filter.is_none()
        && args.select.shard.is_none()
        && args.select.dialect.is_empty();
    if whole && !device.deviations.is_empty() {
        let cases = suite.all_cases();
        for (entry, deviation) in device.deviations.iter().enumerate() {
            if !cases.iter().any(|case| deviation.matches(&case.id)) {
                stale.push(describe(entry, "no case has such an id"));
            }
        }
    }
    stale
}

/// Show the cases as Rust's test harness does, or, where that would be thousands of lines nobody asked for, its
/// closing line only; gives whether some failed.
fn present(
    args: &RunArgs,
    device: &DeviceFile,
    results: &[CaseResult],
    baseline: &BaselineReport,
    seconds: f64,
) -> bool {
    let asked =
        args.libtest.format.is_some() || args.libtest.quiet || args.libtest.logfile.is_some();
    if asked || results.len() <= LISTED_UP_TO {
        return libtest_mimic::run(&unfiltered(&args.libtest), trials(device, results, baseline))
            .has_failed();
    }
    let passed = results.iter().filter(|result| result.finding.kind == FindingKind::Pass).count();
    let failed = baseline.unexplained.len();
    let line = summary::harness_line(passed, failed, results.len() - passed - failed, seconds);
    super::print(&line);
    failed > 0
}

fn trials(device: &DeviceFile, results: &[CaseResult], baseline: &BaselineReport) -> Vec<Trial> {
    let explained: BTreeMap<usize, usize> = baseline.explained.iter().copied().collect();
    let trials = results.iter().enumerate().map(|(index, result)| {
        let completion = match (result.finding.kind, explained.get(&index)) {
            (FindingKind::Pass, _) => Ok(Completion::Completed),
            (FindingKind::Unsupported, _) => Ok(Completion::ignored_with(one_line(
                &format!("unsupported: {}", result.outcome.detail),
                120,
            ))),
            (FindingKind::Disputed, _) => {
                Ok(Completion::ignored_with("disputed text: shown, not judged"))
            }
            (_, Some(&entry)) => {
                let reason = &device.deviations[entry].reason;
                Ok(Completion::ignored_with(one_line(&format!("known deviation: {reason}"), 120)))
            }
            (kind, None) => {
                Err(Failed::from(format!("{}: {}", kind.name(), result.finding.reason.text())))
            }
        };
        Trial::ignorable_test(result.id.as_str(), move || completion)
            .with_kind(device.name.as_str())
    });
    trials.collect()
}

fn print_summary(args: &RunArgs, summary: &Summary<'_>) {
    let text = summary::render(summary);
    let choice = match args.libtest.color {
        Some(ColorSetting::Always) => ColorChoice::Always,
        Some(ColorSetting::Never) => ColorChoice::Never,
        _ => ColorChoice::Auto,
    };
    // Standard output belongs to the format that was asked for.
    let written = if matches!(args.libtest.format, Some(FormatSetting::Json))
        || !std::io::stdout().is_terminal() && args.libtest.format.is_some()
    {
        write!(AutoStream::new(std::io::stderr(), choice), "{text}")
    } else {
        write!(AutoStream::new(std::io::stdout(), choice), "{text}")
    };
    // A closed pipe is the reader's decision.
    let _ = written;
}
