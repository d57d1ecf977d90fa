//! `address-spaces part`: one task of a submission, on the node it was given to.

use clap::Parser as _;
use results::folder::holds_run;

use super::CommandError;
use crate::{
    cli::{Cli, Command, cluster::PartArgs, exit},
    overlay,
    run::start,
    submit::folder::{Progress, SubmissionFolder},
};

/// Runs or resumes the task and returns the exit status: 0 once it has all its results, whatever they are.
pub fn part(args: &PartArgs) -> Result<u8, CommandError> {
    let folder = match &args.plan {
        Some(plan) => SubmissionFolder::open_for(&args.folder, plan)?,
        None => SubmissionFolder::open(&args.folder)?,
    };
    folder.check_suite(overlay::suite()?.hash())?;
    let number = args.first + args.task;
    folder.check_task(number)?;
    if let Progress::Ended(_) = folder.progress(number)? {
        return Ok(exit::EXPECTED);
    }
    let task = &folder.plan().tasks[number];
    let place = folder.part(number);
    let flag = if holds_run(&place) { "--resume" } else { "--results" };
    let mut line = folder.plan().command_line(task);
    // Before the options: a positional one may be among them.
    line.splice(2..2, [flag.to_owned(), place.display().to_string()]);
    let cli = Cli::try_parse_from(line).map_err(|error| CommandError::Usage(error.to_string()))?;
    let Command::Run(run) = cli.command else { unreachable!("a task is a run") };
    let status = start::run(&run.plan().map_err(CommandError::Usage)?)?;
    match folder.progress(number)? {
        Progress::Ended(_) => Ok(exit::EXPECTED),
        _ => Ok(status.max(exit::COULD_NOT_RUN)),
    }
}
