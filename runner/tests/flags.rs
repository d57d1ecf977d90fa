//! Every option on every command: it is one of the command, or an error.

use std::collections::BTreeSet;

use clap::{Command, error::ErrorKind};
use runner::cli::help::command;

/// Options that every command has: the files of the suite, and help.
const EVERYWHERE: [&str; 4] = ["overlay", "devices", "help", "version"];

/// A command with the words that name it.
struct Named {
    words: Vec<String>,
    command: Command,
}

/// Returns the commands that have no commands below them.
fn leaves(command: &Command, words: &[String]) -> Vec<Named> {
    let mut leaves = Vec::new();
    for below in command.get_subcommands().filter(|below| below.get_name() != "worker") {
        let words = [words, &[below.get_name().to_owned()]].concat();
        if below.has_subcommands() {
            leaves.extend(self::leaves(below, &words));
        } else {
            leaves.push(Named { words, command: below.clone() });
        }
    }
    leaves
}

fn options(command: &Command) -> BTreeSet<(String, bool)> {
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let options = shown.filter_map(|argument| {
        let takes_value = argument.get_action().takes_values();
        argument.get_long().map(|long| (long.to_owned(), takes_value))
    });
    options.filter(|(long, _)| !EVERYWHERE.contains(&long.as_str())).collect()
}

#[test]
fn an_option_is_of_the_command_or_an_error() {
    let whole = command();
    let leaves = leaves(&whole, &["address-spaces".to_owned()]);
    let all: BTreeSet<(String, bool)> =
        leaves.iter().flat_map(|leaf| options(&leaf.command)).collect();
    assert!(leaves.len() > 25 && all.len() > 50, "{} {}", leaves.len(), all.len());
    for Named { words, command: leaf } in &leaves {
        let own = options(leaf);
        for option in &all {
            let (long, takes_value) = option;
            let word = if *takes_value { format!("--{long}=1") } else { format!("--{long}") };
            let line = [words.as_slice(), &[word]].concat();
            let error = whole.clone().try_get_matches_from(&line).err().map(|error| error.kind());
            let is_unknown = error == Some(ErrorKind::UnknownArgument);
            assert_eq!(is_unknown, !own.contains(option), "{line:?}: {error:?}");
        }
    }
}

/// An option that does nothing beside another is an error beside it.
#[test]
fn options_that_do_nothing_together_are_errors() {
    for line in [
        "run --seed 5",
        "run --random-size large",
        "run --random-kind run",
        "run --random 5 --quick",
        "run --random-for 5s --results out --junit x",
        "run --random-for 5s --results out --quiet",
        "run --failed-first out --random 5",
        "run --failed-first out --failed-in out",
        "run --changed-since v1 --random 5",
        "run --icd x --device pocl",
        "run --results out --resume out",
        "list --seed 5",
        "list --random 5 --quick",
        "dev audit --stored a b --rule conversion",
        "dev audit --stored a b --device pocl",
        "dev coverage --seed 5",
        "devices --names pocl",
        "reduce a.cl --device pocl --progress p --control c",
        "handover --cause c --against old --into packs",
        "submit --on slurm --dry-run --wait --results out",
    ] {
        let words = ["address-spaces"].into_iter().chain(line.split(' '));
        let error = command().try_get_matches_from(words).err();
        assert!(error.is_some_and(|error| error.use_stderr()), "{line}");
    }
}

/// A submission that is resumed keeps its options.
#[test]
fn a_resumed_submission_takes_no_option_of_a_run() {
    let whole = command();
    let submit = whole.find_subcommand("submit").unwrap();
    let of_the_submission = ["on", "dry-run", "wait", "cluster", "resume"];
    for (long, takes_value) in options(submit) {
        // These need `--random`, which is one of the others.
        if of_the_submission.contains(&long.as_str()) || long.starts_with("random-") {
            continue;
        }
        let value = if long == "shard" { "1/2" } else { "1" };
        let word = if takes_value { format!("--{long}={value}") } else { format!("--{long}") };
        let line = ["address-spaces", "submit", "--on", "slurm", "--resume", "out", &word];
        let error = whole.clone().try_get_matches_from(line).err().map(|error| error.kind());
        assert!(error.is_some(), "{line:?}");
    }
}
