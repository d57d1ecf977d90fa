//! The words of a command line in the order in which they are read: the command first.

use std::ffi::OsString;

use clap::{Arg, Command};

/// The command that a line without one stands for.
const DEFAULT: &str = "run";

/// Returns the words of a command line, program first, with the command in front of its options. A line that names no
/// command is one of `run`.
pub fn with_command(command: &Command, words: Vec<OsString>) -> Vec<OsString> {
    match place_of_command(command, &words) {
        Place::At(place) => {
            let mut ordered = words;
            let name = ordered.remove(place);
            ordered.insert(1, name);
            ordered
        }
        Place::Program => words,
        Place::Nowhere { .. } => {
            let mut ordered = words;
            ordered.insert(ordered.len().min(1), DEFAULT.into());
            ordered
        }
    }
}

/// Place of the command in a line.
enum Place {
    /// Place of the word.
    At(usize),
    /// The line asks the program itself, for help or its version.
    Program,
    /// No place, and the place of the word that stands where a command would, if there is one.
    Nowhere { filter: Option<usize> },
}

/// Returns the word in the place of a command, in a line without a command.
pub fn in_place_of_command<'w>(command: &Command, words: &'w [OsString]) -> Option<&'w str> {
    match place_of_command(command, words) {
        Place::Nowhere { filter } => words.get(filter?)?.to_str(),
        Place::At(_) | Place::Program => None,
    }
}

fn place_of_command(command: &Command, words: &[OsString]) -> Place {
    let mut place = 1;
    let mut has_options = false;
    while let Some(word) = words.get(place).and_then(|word| word.to_str()) {
        if word == "--" {
            break;
        }
        if !word.starts_with('-') {
            return if is_command(command, word) {
                Place::At(place)
            } else {
                Place::Nowhere { filter: Some(place) }
            };
        }
        if matches!(word, "-h" | "--help" | "-V" | "--version") && !has_options {
            return Place::Program;
        }
        has_options = true;
        place += if takes_next_word(command, word) { 2 } else { 1 };
    }
    Place::Nowhere { filter: None }
}

fn is_command(command: &Command, word: &str) -> bool {
    word == "help" || command.find_subcommand(word).is_some()
}

/// Whether the value of an option is the word after it. An option means the same in every command that has it.
fn takes_next_word(command: &Command, option: &str) -> bool {
    let is_named = |argument: &&Arg| match option.strip_prefix("--") {
        Some(long) => argument.get_long() == Some(long),
        // Behind more letters than one the value is in the word.
        None => argument
            .get_short()
            .is_some_and(|short| option.strip_prefix('-') == Some(short.encode_utf8(&mut [0; 4]))),
    };
    let mut arguments = with_subcommands(command).flat_map(Command::get_arguments);
    arguments.find(is_named).is_some_and(takes_value)
}

fn takes_value(argument: &Arg) -> bool {
    argument.get_action().takes_values()
}

fn with_subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    std::iter::once(command).chain(command.get_subcommands())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help::command;

    fn check(typed: &str, read: &str) {
        let words = typed.split_whitespace().map(OsString::from).collect();
        let ordered = with_command(&command(), words);
        let ordered: Vec<String> =
            ordered.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        assert_eq!(ordered.join(" "), read, "{typed}");
    }

    #[test]
    fn the_command_is_found_behind_options() {
        for (typed, read) in [
            ("as", "as run"),
            ("as --device pocl", "as run --device pocl"),
            ("as --device=pocl conversion", "as run --device=pocl conversion"),
            ("as --device pocl run", "as run --device pocl"),
            ("as --device run", "as run --device run"),
            ("as --overlay DIR show ID", "as show --overlay DIR ID"),
            (
                "as --quick --device pocl run --depth all",
                "as run --quick --device pocl --depth all",
            ),
            ("as conversion show", "as run conversion show"),
            ("as -- show", "as run -- show"),
            ("as --help", "as --help"),
            ("as --device pocl --help", "as run --device pocl --help"),
            ("as help show", "as help show"),
            ("as --partial report out", "as report --partial out"),
            (
                "as --std CL1.2 -D N=4 -Iinclude check k.cl",
                "as check --std CL1.2 -D N=4 -Iinclude k.cl",
            ),
        ] {
            check(typed, read);
        }
    }
}
