//! `address-spaces gather` joins and judges the parts of a submission, or names the missing ones.

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use reports::summary::Detail;
use results::{
    folder::{Completeness, ResultsFolder, holds_run},
    merge,
    text::plural,
};

use super::{CommandError, judge};
use crate::{
    cli::exit,
    device::files,
    output::note,
    submit::{
        folder::{Progress, SubmissionFolder},
        on::On,
    },
};

/// Joins and judges the parts, and returns the exit status of the run as a whole.
pub fn gather(path: &Path) -> Result<u8, CommandError> {
    let folder = SubmissionFolder::open(path)?;
    let lacking = folder.unfinished_tasks()?;
    if !lacking.is_empty() {
        name_lacking(&folder, &lacking)?;
        return Ok(exit::COULD_NOT_RUN);
    }
    for (name, tasks) in folder.plan().devices() {
        let into = folder.merged().join(files::load(name)?.folder_name());
        if !is_joined(&into)? {
            let parts: Vec<PathBuf> = tasks.iter().map(|&task| folder.part(task)).collect();
            merge::merge(&parts, &into)?;
        }
    }
    print_balance(&folder)?;
    judge::judge(
        &[folder.merged()],
        Completeness::Whole,
        folder.plan().baseline.as_deref(),
        Detail::default(),
    )
}

/// Whether the folder has the whole result; a part of it from a killed merge is removed.
fn is_joined(into: &Path) -> Result<bool, CommandError> {
    if !holds_run(into) {
        return Ok(false);
    }
    let (folder, found) = ResultsFolder::reopen(into)?;
    if found.end().is_none() {
        folder.give_up();
        return Ok(false);
    }
    Ok(true)
}

fn name_lacking(
    folder: &SubmissionFolder,
    lacking: &[(usize, Progress)],
) -> Result<(), CommandError> {
    let handed = folder.handed()?;
    let mut on = "slurm".to_owned();
    for (task, progress) in lacking {
        let what = match progress {
            Progress::NotBegun => "no results".to_owned(),
            Progress::Begun { done, of } => format!("{done} of {}", plural(*of, "case")),
            Progress::Ended(_) => continue,
        };
        let job = handed.iter().rev().find(|handed| handed.tasks.contains(task));
        let fate = job.map(|handed| {
            on.clone_from(&handed.on);
            let scheduler = On::from_str(&handed.on, true).ok().map(On::scheduler);
            let fate = scheduler.and_then(|scheduler| scheduler.fate(&handed.job, *task));
            let log = folder.logs().join(format!("{}_{task}.txt", handed.job));
            let fate = results::text::one_line(fate.as_deref().unwrap_or("lost"), 60);
            format!("{fate}, its output: {}; ", log.display())
        });
        note(&format!(
            "task {task} ({}): {}{what}",
            folder.plan().tasks[*task],
            fate.unwrap_or_default()
        ));
    }
    let path = folder.path().display();
    note(&format!(
        "{} of {} have no results; submit them again by `address-spaces submit --on {on} --resume {path}`, or run one here by `address-spaces part {path} --task N`",
        lacking.len(),
        plural(folder.plan().tasks.len(), "task")
    ));
    Ok(())
}

/// Prints the balance of the tasks: the slowest task limits scaling.
fn print_balance(folder: &SubmissionFolder) -> Result<(), CommandError> {
    let mut slowest: Option<(usize, f64)> = None;
    let mut sum = 0.0;
    let count = folder.plan().tasks.len();
    for task in 0..count {
        if let Progress::Ended(ended) = folder.progress(task)? {
            let seconds = ended.1.seconds;
            sum += seconds;
            if slowest.is_none_or(|(_, most)| seconds > most) {
                slowest = Some((task, seconds));
            }
        }
    }
    if let Some((task, seconds)) = slowest {
        note(&format!(
            "{}: {:.1} s each on average, {seconds:.1} s the slowest (task {task}, {}); `--times \
             {}` balances the next run by these times",
            plural(count, "task"),
            sum / count as f64,
            folder.plan().tasks[task],
            folder.merged().display()
        ));
    }
    Ok(())
}
