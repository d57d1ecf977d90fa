//! `address-spaces run`: a run of the suite or of random programs.

use expectations::predicate::nearest;

use super::CommandError;
use crate::{
    PROGRAM,
    cli::{help::command, run::RunArgs},
    run::{error::RunError, rounds, select::SelectError, start},
};

/// Words that read like commands, and the command line that does what they ask for.
const NO_COMMANDS: [(&str, &str); 4] = [
    ("test", "`address-spaces run` runs the suite"),
    ("cases", "`address-spaces list` prints them"),
    ("rules", "`address-spaces explain` lists them"),
    ("version", "`address-spaces --version` prints it"),
];

/// Runs what the options select and returns the exit status.
pub fn run(args: &RunArgs) -> Result<u8, CommandError> {
    if let Some(word) = &args.tested.texts.filter
        && !args.tested.texts.exact
        && let Some(instead) = instead_of(word)
    {
        return Err(CommandError::Usage(format!(
            "`{word}` is not a command: {instead}. To filter cases, write more of their ids"
        )));
    }
    let plan = args.plan().map_err(CommandError::Usage)?;
    let ran = match &plan.rounds {
        Some(rounds) => rounds::run(&plan, rounds),
        None => start::run(&plan),
    };
    ran.map_err(|error| match (error, &args.tested.texts.filter) {
        (RunError::Select(nothing @ SelectError::Nothing { .. }), Some(word)) => {
            match command_like(word) {
                Some(line) => CommandError::Selection(format!(
                    "`{}` is neither a command nor a part of a case's id; did you mean `{line}`?",
                    word.escape_debug()
                )),
                None => nothing.into(),
            }
        }
        (error, _) => error.into(),
    })
}

fn instead_of(word: &str) -> Option<String> {
    let of_developers = || {
        let line = command_lines().into_iter().find(|line| line.ends_with(&format!(" dev {word}")));
        line.map(|line| format!("`{line}` is one"))
    };
    let known = NO_COMMANDS.iter().find(|(name, _)| *name == word);
    known.map(|(_, instead)| (*instead).to_owned()).or_else(of_developers)
}

/// Returns the command whose name is similar to a word, as it is typed.
pub fn command_like(word: &str) -> Option<String> {
    let lines = command_lines();
    let names = lines.iter().filter_map(|line| line.rsplit(' ').next());
    let name = nearest(word, names)?;
    lines.iter().find(|line| line.ends_with(&format!(" {name}"))).cloned()
}

/// Returns each command as it is typed.
fn command_lines() -> Vec<String> {
    let command = command();
    let visible = |command: &&clap::Command| !command.is_hide_set();
    let mut lines = Vec::new();
    for own in command.get_subcommands().filter(visible) {
        let line = format!("{PROGRAM} {}", own.get_name());
        if own.get_name() == "dev" {
            let names = own.get_subcommands().map(clap::Command::get_name);
            lines.extend(names.map(|name| format!("{line} {name}")));
        }
        lines.push(line);
    }
    lines
}
