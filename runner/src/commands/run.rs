//! `runner` without a command: a run.

use super::CommandError;
use crate::{cli::RunArgs, run::start};

/// Run what the options select; gives the exit status.
pub fn run(args: &RunArgs) -> Result<u8, CommandError> {
    Ok(start::run(&args.plan().map_err(CommandError::Usage)?)?)
}
