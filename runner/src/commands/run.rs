//! `runner` without a command: a run.

use expectations::predicate::nearest;

use super::CommandError;
use crate::{
    cli::{RunArgs, help::command},
    run::{error::RunError, select::SelectError, start},
};

/// Runs what the options select and returns the exit status.
pub fn run(args: &RunArgs) -> Result<u8, CommandError> {
    let ran = start::run(&args.plan().map_err(CommandError::Usage)?);
    ran.map_err(|error| match (error, &args.libtest.filter) {
        (RunError::Select(nothing @ SelectError::Nothing { .. }), Some(word)) => {
            match command_like(word) {
                Some(name) => CommandError::Selection(format!(
                    "`{}` is neither a command nor a part of a case's id; did you mean `address-spaces {name}`?",
                    word.escape_debug()
                )),
                None => nothing.into(),
            }
        }
        (error, _) => error.into(),
    })
}

/// Returns the command whose name is similar to a word.
fn command_like(word: &str) -> Option<String> {
    let command = command();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    nearest(word, names).map(str::to_owned)
}
