//! `address-spaces submit`: a run cut into tasks and handed to a scheduler.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{ArgMatches, ValueEnum as _, parser::ValueSource};
use expectations::device::DeviceFile;
use generator::suite::Suite;
use results::{
    folder::{ResultsReader, run_folders},
    line::Line,
    text::plural,
};

use super::{CommandError, gather};
use crate::{
    PROGRAM,
    cli::{cluster::SubmitArgs, exit, help::command},
    device::files,
    output::{note, print},
    overlay,
    run::{
        plan::{Devices, Keep, RunPlan},
        select,
    },
    submit::{
        cluster::{self, Cluster},
        folder::{SubmissionFolder, SubmittedJob},
        on::On,
        plan::{self, Plan, Times, cut},
        scheduler::{Place, Scheduler, Submission},
    },
};

/// Interval between two looks of `--wait`.
const PATIENCE: Duration = Duration::from_secs(2);

/// Options of a run that `submit` handles itself, and does not pass on unchanged: those for the place and the amount of
/// work.
const OWN: [&str; 13] = [
    "on",
    "tasks",
    "dry_run",
    "wait",
    "cluster",
    "times",
    "device",
    "dialect",
    "results",
    "resume",
    "baseline",
    "test_threads",
    "help",
];

/// Submits what the options select, or the missing tasks of a submission, and returns the exit status. `line` is the
/// command line that the options were read from.
pub fn submit(args: &SubmitArgs, line: Vec<OsString>) -> Result<u8, CommandError> {
    let cluster = match &args.cluster {
        Some(path) => cluster::read(path)?,
        None => Cluster::default(),
    };
    let suite = overlay::suite()?;
    let scheduler = args.on.scheduler();
    let run = args.plan().map_err(CommandError::Usage)?;
    let (folder, tasks) = match &run.keep {
        Keep::New(path) => {
            let plan = plan_of(&suite, args, &run, line)?;
            let tasks = (0..plan.tasks.len()).collect();
            (SubmissionFolder::planned(&absolute(path)?, plan), tasks)
        }
        Keep::GoOn(path) => {
            let folder = SubmissionFolder::open(&absolute(path)?)?;
            folder.check_suite(suite.hash())?;
            let tasks = tasks_to_submit(&folder, scheduler.as_ref())?;
            (folder, tasks)
        }
        Keep::Nothing => {
            let message = "name a folder that every node can reach: `--results DIR` begins a run, \
                 `--resume DIR` submits the missing tasks of one";
            return Err(CommandError::Usage(message.to_owned()));
        }
    };
    let shown = folder.path().display().to_string();
    if tasks.is_empty() {
        note(&format!("every task of {shown} is done or under way"));
        return if args.wait { wait(&folder, scheduler.as_ref()) } else { Ok(exit::EXPECTED) };
    }
    let submission = Submission {
        folder: &folder,
        devices: by_device(folder.plan(), &tasks),
        runner: runner_of(&cluster, args.on)?,
        cluster: &cluster,
    };
    let text = scheduler.text(&submission)?;
    if args.dry_run {
        print(&text);
        return Ok(exit::EXPECTED);
    }
    // Whatever can be rejected is rejected before anything is written.
    scheduler.check()?;
    if matches!(run.keep, Keep::New(_)) {
        folder.write()?;
    }
    hand_over(args.on, scheduler.as_ref(), &submission)?;
    if args.wait {
        return wait(&folder, scheduler.as_ref());
    }
    note(&format!("when they have ended: {shown}/report.txt, or `address-spaces gather {shown}`"));
    Ok(exit::EXPECTED)
}

fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    std::path::absolute(path)
        .map_err(|source| CommandError::File { path: path.display().to_string(), source })
}

/// Returns the path of this program, or of the one that the cluster's nodes have.
fn runner_of(cluster: &Cluster, on: On) -> Result<PathBuf, CommandError> {
    match (&cluster.runner, on) {
        (Some(path), _) => Ok(path.into()),
        // The image has it where its Containerfile puts it.
        (None, On::Kubernetes) => Ok(PROGRAM.into()),
        (None, On::Slurm) => std::env::current_exe().map_err(|source| CommandError::File {
            path: "the running program".to_owned(),
            source,
        }),
    }
}

fn plan_of(
    suite: &Suite,
    args: &SubmitArgs,
    run: &RunPlan,
    line: Vec<OsString>,
) -> Result<Plan, CommandError> {
    let devices = match &run.devices {
        Devices::All => {
            let message =
                "`--device all` means the devices of this machine: name the devices of the cluster";
            return Err(CommandError::Usage(message.to_owned()));
        }
        Devices::Named(names) => names.clone(),
        Devices::Judged { name, .. } | Devices::New { name, .. } => vec![name.clone()],
    };
    let files: Vec<DeviceFile> =
        devices.iter().map(|name| files::load(name)).collect::<Result<_, _>>()?;
    select::select(suite, &run.filter, &files)?;
    if args.tasks < devices.len() {
        return Err(CommandError::Usage(format!(
            "{} cannot be run in {}: use at least `--tasks {}`",
            plural(devices.len(), "device"),
            plural(args.tasks, "task"),
            devices.len()
        )));
    }
    let times = args.times.as_deref().map(times_of).transpose()?;
    let baseline = run.devices.baseline().map(|path| absolute(path)).transpose()?;
    Ok(Plan {
        format: plan::FORMAT,
        suite: suite.hash().to_owned(),
        options: options(run, line)?,
        baseline,
        workers: args.tested.builds.test_threads.unwrap_or(1).max(1),
        tasks: cut(&devices, &select::dialects(&run.filter), times.as_ref(), args.tasks),
    })
}

/// Returns the options that hold for every task, as typed.
fn options(run: &RunPlan, line: Vec<OsString>) -> Result<Vec<String>, CommandError> {
    if run.filter.shard.is_some() {
        let message = "`--shard` cannot be submitted: the tasks are shards already";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let usage = |error: clap::Error| CommandError::Usage(error.to_string());
    let command = command();
    let matches = command.clone().try_get_matches_from(line).map_err(usage)?;
    let (Some(own), Some(matches)) =
        (command.find_subcommand("submit"), matches.subcommand_matches("submit"))
    else {
        return Ok(Vec::new());
    };
    let handed_on = own.get_arguments().filter(|arg| !OWN.contains(&arg.get_id().as_str()));
    Ok(handed_on.flat_map(|arg| as_typed(arg, matches)).collect())
}

fn as_typed(arg: &clap::Arg, matches: &ArgMatches) -> Vec<String> {
    let id = arg.get_id().as_str();
    let typed = matches.value_source(id).is_some_and(|source| source != ValueSource::DefaultValue);
    if !typed {
        return Vec::new();
    }
    let long = arg.get_long().map(|long| format!("--{long}"));
    if !arg.get_action().takes_values() {
        return long.into_iter().collect();
    }
    let values = matches.get_raw(id).into_iter().flatten();
    let values = values.map(|value| value.to_string_lossy().into_owned());
    match long {
        Some(long) => values.map(|value| format!("{long}={value}")).collect(),
        None => values.collect(),
    }
}

/// Seconds that each device took for each dialect in an earlier run.
fn times_of(path: &Path) -> Result<Times, CommandError> {
    let mut times = Times::new();
    for folder in run_folders(path)? {
        let mut reader = ResultsReader::open(&folder)?;
        let device = times.entry(reader.header().device.clone()).or_default();
        while let Some((line, _)) = reader.next_line()? {
            if let Line::Case(case) = line {
                *device.entry(case.dialect.name().to_owned()).or_default() += case.seconds;
            }
        }
    }
    Ok(times)
}

/// Tasks with missing results that no job will provide.
fn tasks_to_submit(
    folder: &SubmissionFolder,
    scheduler: &dyn Scheduler,
) -> Result<Vec<usize>, CommandError> {
    let under_way: BTreeSet<usize> = places(folder, scheduler)?.into_keys().collect();
    let unfinished = folder.unfinished_tasks()?.into_iter().map(|(task, _)| task);
    Ok(unfinished.filter(|task| !under_way.contains(task)).collect())
}

fn by_device(plan: &Plan, tasks: &[usize]) -> Vec<(String, Vec<usize>)> {
    let mut devices: Vec<(String, Vec<usize>)> = plan
        .devices()
        .into_iter()
        .map(|(device, own)| {
            (device.to_owned(), own.into_iter().filter(|task| tasks.contains(task)).collect())
        })
        .collect();
    devices.retain(|(_, tasks)| !tasks.is_empty());
    devices
}

fn hand_over(
    on: On,
    scheduler: &dyn Scheduler,
    submission: &Submission<'_>,
) -> Result<(), CommandError> {
    let on = on.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let mut jobs = Vec::new();
    for (job, tasks) in scheduler.submit(submission)? {
        note(&format!("job {job}: {}", plural(tasks.len(), "task")));
        // Noted at once: should the next one be rejected, this one is known.
        submission.folder.note(&SubmittedJob { on: on.clone(), job: job.clone(), tasks })?;
        jobs.push(job);
    }
    let gathering = scheduler.submit_gathering(submission, &jobs)?;
    note(&format!("job {gathering}: joins and judges their results"));
    submission.folder.note(&SubmittedJob { on, job: gathering, tasks: Vec::new() })?;
    Ok(())
}

/// Returns the tasks that are in a queue or on a node.
fn places(
    folder: &SubmissionFolder,
    scheduler: &dyn Scheduler,
) -> Result<BTreeMap<usize, Place>, CommandError> {
    let handed = folder.handed()?;
    let jobs: Vec<String> = handed
        .iter()
        .filter(|handed| !handed.tasks.is_empty())
        .map(|handed| handed.job.clone())
        .collect();
    let places = scheduler.places(&jobs)?;
    Ok(places.into_iter().map(|((_, task), place)| (task, place)).collect())
}

/// Reports the progress until no task is running, then joins and judges the parts, and returns the exit status.
fn wait(folder: &SubmissionFolder, scheduler: &dyn Scheduler) -> Result<u8, CommandError> {
    let shown = folder.path().display();
    note(&format!(
        "waiting; an interrupt ends only the waiting: run `address-spaces gather {shown}` later"
    ));
    let all = folder.plan().tasks.len();
    let mut said = String::new();
    loop {
        let places = places(folder, scheduler)?;
        let running = places.values().filter(|place| **place == Place::Running).count();
        let waiting = places.len() - running;
        let ended = all - folder.unfinished_tasks()?.len();
        let progress = format!(
            "{ended} of {} ended, {running} running, {waiting} waiting",
            plural(all, "task")
        );
        if progress != said {
            note(&progress);
            said = progress;
        }
        if places.is_empty() {
            break;
        }
        std::thread::sleep(PATIENCE);
    }
    // The job that gathers writes the same files.
    let handed = folder.handed()?;
    let gathering: Vec<String> = handed
        .into_iter()
        .filter(|handed| handed.tasks.is_empty())
        .map(|handed| handed.job)
        .collect();
    while !scheduler.places(&gathering)?.is_empty() {
        std::thread::sleep(PATIENCE);
    }
    gather::gather(folder.path())
}
