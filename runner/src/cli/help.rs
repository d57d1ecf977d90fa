//! The command line with its first help: the commands by role, on one screen.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _, builder::UnknownArgumentValueParser};

use super::Cli;

/// The commands by role, in the order of the help.
const ROLES: [(&str, &[&str]); 6] = [
    ("Test", &["run", "list", "devices"]),
    ("Check", &["check"]),
    ("Understand", &["show", "explain", "blame", "since", "reduce"]),
    (
        "Results",
        &["report", "compare", "judge", "convert", "history", "handover", "package", "merge"],
    ),
    ("Cluster", &["submit", "gather"]),
    ("Other", &["completions", "dev"]),
];

/// The checker as a command of this program.
pub const CHECK: &str = "address-spaces check";

const START: &str = "\
Start with  address-spaces --device pocl --install  everything on PoCL
            address-spaces --icd ./libMyDriver.so   everything on your driver
`address-spaces COMMAND --help` lists the options of a command.";

/// Returns the command line.
pub fn command() -> Command {
    let command = Cli::command();
    let overview = overview(&command);
    with_hints(command.mut_subcommand("check", as_command)).override_help(overview)
}

/// Adds names that options have elsewhere, so that the error names the option of this program. The checker's command line
/// has its own.
fn with_hints(command: Command) -> Command {
    let mut command = command.mut_subcommands(with_hints);
    for (typed, meant) in [("std", "--dialect"), ("first", "--failed-first")] {
        let has = |name: &str| command.get_arguments().any(|own| own.get_long() == Some(name));
        if has(meant.trim_start_matches('-')) && !has(typed) {
            let hint = UnknownArgumentValueParser::suggest_arg(meant);
            command = command.arg(Arg::new(typed).long(typed).hide(true).value_parser(hint));
        }
    }
    command
}

/// Returns the checker's command line with examples that call it as a command of this program.
fn as_command(check: Command) -> Command {
    let examples = check.get_after_help().map(ToString::to_string).unwrap_or_default();
    check.after_help(examples.replace(checker::cli::PROGRAM, CHECK))
}

/// Returns the command line as a shell completes it: the options of `run` can be used without it.
pub fn command_to_complete() -> Command {
    let command = command();
    let run = command.find_subcommand("run").cloned().unwrap_or_default();
    let own: Vec<_> = command.get_arguments().map(|own| own.get_id().clone()).collect();
    let options = run.get_arguments().filter(|option| !own.contains(option.get_id()));
    let options: Vec<_> = options.cloned().map(|option| option.help_heading("Run")).collect();
    command.subcommand_required(false).args(options)
}

fn overview(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!(
        "{about}\n\nUsage: address-spaces [run] [OPTIONS] [FILTER]\n       address-spaces COMMAND ...\n\n"
    );
    for (role, names) in ROLES {
        for (place, name) in names.iter().enumerate() {
            let role = if place == 0 { role } else { "" };
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "{role:<11} {name:<12} {about}");
        }
    }
    text + "\n" + START
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
        command_to_complete().debug_assert();
    }

    #[test]
    fn the_first_help_names_every_command_and_fits_a_screen() {
        let command = command();
        let text = overview(&command);
        let named: Vec<&str> = ROLES.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let known = command.get_subcommands().filter(|known| !known.is_hide_set());
        for known in known {
            assert!(named.contains(&known.get_name()), "{} has no role", known.get_name());
        }
        for name in named {
            assert!(command.find_subcommand(name).is_some(), "{name} is not a command");
        }
        assert!(text.lines().count() <= 30, "{text}");
        let long = text.lines().find(|line| line.chars().count() > 80);
        assert!(long.is_none(), "{long:?}");
    }
}
