//! The command line with its help in order: options in groups, what the test harness takes and ignores out of sight.

use clap::{Arg, Command, CommandFactory as _};
use clap_complete::engine::ArgValueCompleter;

use super::{Cli, completing};

/// The groups of a run's options, in the order of the help.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Device", &["device", "icd", "install", "devices", "baseline", "bless", "overlay"]),
    ("Selection", &["filter", "dialect", "rule", "quick", "shard", "exact", "skip", "list"]),
    (
        "Building and executing",
        &["depth", "isolate", "timeout", "memory", "retries", "test_threads"],
    ),
    ("Results", &["results", "resume", "junit"]),
    (
        "Random programs",
        &[
            "random",
            "random_for",
            "seed",
            "random_kind",
            "random_size",
            "random_more",
            "random_without",
        ],
    ),
    ("Output", &["format", "quiet", "color", "logfile"]),
];

/// Flags of Rust's test harness that are accepted for compatibility and have no effect.
const WITHOUT_EFFECT: [&str; 7] =
    ["include_ignored", "ignored", "test", "bench", "nocapture", "show_output", "unstable_flags"];

/// Meaning of the options of the test harness in this program.
const MEANINGS: [(&str, &str); 9] = [
    ("filter", "Only cases whose id contains this"),
    ("exact", "FILTER and what is skipped are whole ids, not parts of them"),
    ("skip", "No cases whose id contains this (repeatable)"),
    ("list", "Print the ids of the selected cases, and run nothing"),
    ("test_threads", "Workers: processes that build at the same time [default: one for each core]"),
    ("quiet", "Short for `--format terse`"),
    (
        "format",
        "Format of Rust's test harness for a list of the cases; the summary goes to standard error",
    ),
    ("color", "Colours: on a terminal (auto), always or never"),
    ("logfile", "Write the list to this file, as `--format pretty` does"),
];

/// Returns the command line.
pub fn command() -> Command {
    // The harness has no version of its own and turns the flag off.
    in_order(Cli::command().disable_version_flag(false))
}

fn in_order(command: Command) -> Command {
    let takes_a_run = command.get_arguments().any(|argument| argument.get_id() == "nocapture");
    let command = command.mut_subcommands(in_order);
    if !takes_a_run {
        return command;
    }
    command.mut_args(|argument| {
        let argument = completed(meaning(argument));
        let id = argument.get_id().as_str();
        if WITHOUT_EFFECT.contains(&id) {
            return argument.hide(true);
        }
        match GROUPS.iter().position(|(_, ids)| ids.contains(&id)) {
            Some(group) => argument.help_heading(GROUPS[group].0),
            None => argument,
        }
    })
}

fn meaning(argument: Arg) -> Arg {
    match MEANINGS.iter().find(|(id, _)| argument.get_id() == id) {
        Some((_, meaning)) => {
            let argument = argument.help(*meaning).long_help(*meaning);
            // Its name has the values, where there are some to choose from.
            let takes_values = argument.get_action().takes_values();
            if takes_values { argument.hide_possible_values(true) } else { argument }
        }
        None => argument,
    }
}

/// Adds completion of case ids to options of the test harness that take them.
fn completed(argument: Arg) -> Arg {
    if argument.get_id() == "filter" || argument.get_id() == "skip" {
        argument.add(ArgValueCompleter::new(completing::cases))
    } else {
        argument
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_option_of_a_run_has_a_group_or_no_effect() {
        let command = command();
        let own = ["help", "version"];
        let lost = command.get_arguments().find(|argument| {
            let id = argument.get_id().as_str();
            !own.contains(&id) && !argument.is_hide_set() && argument.get_help_heading().is_none()
        });
        assert!(lost.is_none(), "{lost:?}");
        let known: Vec<&str> = command.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        let named = GROUPS.iter().flat_map(|(_, ids)| ids.iter()).chain(&WITHOUT_EFFECT);
        let named = named.chain(MEANINGS.iter().map(|(id, _)| id));
        for id in named {
            assert!(known.contains(id), "{id} is no option");
        }
    }
}
