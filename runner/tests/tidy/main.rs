//! Doc comments, names of types and lines of help keep to the rules of plain English; lists of names name what is
//! there.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

mod rules;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Arg, Command};
use regex::Regex;
use runner::cli::help::command;

use self::rules::{Banned, Fault, faults_of};

const CRATES: [&str; 8] =
    ["expectations", "generator", "results", "reports", "worker", "checker", "lowering", "runner"];

/// File, name of the item, rule, and reason for the exception.
type Exception = (&'static str, &'static str, &'static str, &'static str);
/// Places that may break a rule.
const EXCEPTIONS: [Exception; 0] = [];
const MOST_EXCEPTIONS: usize = 20;

/// Largest number of characters in a line of help.
const LONGEST_HELP: usize = 100;

/// Returns whether an exception is about this place.
fn covers(&(file, item, rule, _): &Exception, fault: &Fault) -> bool {
    (file, item, rule) == (fault.file.as_str(), fault.item.as_str(), fault.rule)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the words that the glossary bans, each with the word to use.
fn banned() -> Vec<Banned> {
    let glossary = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let mut banned = Vec::new();
    for line in glossary.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &["", word, _, _, not, ""] = cells.as_slice() else { continue };
        if word == "word" || word.starts_with('-') {
            continue;
        }
        for replaced in not.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let pattern = format!(r"(?i)\b{}\b", replaced.replace(' ', r"\s+"));
            banned.push(Banned { pattern: Regex::new(&pattern).unwrap(), word: word.to_owned() });
        }
    }
    banned
}

/// Returns the files of Rust below a folder of the project.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn comments_and_names_are_plain_english() {
    let banned = banned();
    assert!(banned.len() > 20, "the glossary's table was not read");
    let (mut files, mut faults) = (0, Vec::new());
    for path in CRATES.iter().flat_map(|name| sources(&root().join(name).join("src"))) {
        let shown = path.strip_prefix(root()).unwrap();
        files += 1;
        faults.extend(faults_of(shown, &fs::read_to_string(&path).unwrap(), &banned));
    }
    assert!(files > 200, "{files} files: the sources were not read");
    let unused: Vec<&str> = EXCEPTIONS
        .iter()
        .filter(|exception| !faults.iter().any(|fault| covers(exception, fault)))
        .map(|exception| exception.1)
        .collect();
    assert!(unused.is_empty(), "exceptions that nothing needs: {unused:?}");
    assert!(EXCEPTIONS.len() <= MOST_EXCEPTIONS, "more than {MOST_EXCEPTIONS} exceptions");
    faults.retain(|fault| !EXCEPTIONS.iter().any(|exception| covers(exception, fault)));
    let shown: Vec<String> = faults.iter().map(Fault::to_string).collect();
    assert!(shown.is_empty(), "{} places:\n{}", shown.len(), shown.join("\n"));
}

#[test]
fn lines_of_help_are_short() {
    let mut commands = vec![command()];
    let mut long = Vec::new();
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        long.extend(long_lines(&command));
    }
    assert!(long.is_empty(), "{} lines of help:\n{}", long.len(), long.join("\n"));
}

/// Returns the summaries of a command and its options that are longer than a line.
fn long_lines(command: &Command) -> Vec<String> {
    let own = command.get_about().map(|about| (command.get_name().to_owned(), about.to_string()));
    let of_arguments = command.get_arguments().filter_map(|argument| {
        let name = format!("{} {}", command.get_name(), argument.get_id());
        argument.get_help().filter(|_| !argument.is_hide_set()).map(|help| (name, help.to_string()))
    });
    let lines = own.into_iter().chain(of_arguments);
    lines
        .filter(|(_, text)| text.chars().count() > LONGEST_HELP)
        .map(|(name, text)| format!("{name}: {} characters: {text}", text.chars().count()))
        .collect()
}

#[test]
fn a_long_summary_is_found() {
    let check = |length: usize, expected: usize| {
        let option = Arg::new("o").long("option").help("x".repeat(length));
        let command = Command::new("c").about("x".repeat(length)).arg(option);
        assert_eq!(long_lines(&command).len(), expected, "{length}");
    };
    check(LONGEST_HELP, 0);
    check(LONGEST_HELP + 1, 2);
}

#[test]
fn faults_have_a_line_and_a_rule() {
    let banned =
        [Banned { pattern: Regex::new("(?i)\\btwin\\b").unwrap(), word: "control".to_owned() }];
    let check = |source: &str, expected: &[(usize, &str)]| {
        let faults = faults_of(Path::new("a.rs"), source, &banned);
        let found: Vec<_> = faults.iter().map(|fault| (fault.line, fault.rule)).collect();
        assert_eq!(found, expected, "{source}");
    };
    check("//! What it is.\n", &[(1, "opening")]);
    check("/// In which folder.\nstruct Folder;", &[(1, "opening")]);
    check("/// In a folder.\nstruct Place;", &[]);
    check("/// A case.\n///\n/// Of a rule.\nstruct Address;", &[(1, "opening")]);
    check("struct A {\n    /// How many.\n    count: u32,\n}", &[(2, "opening")]);
    check("enum A {\n    /// It ended.\n    Over,\n}", &[(2, "opening")]);
    check("/// Returns the cases.\nfn list() {}", &[]);
    check("/// Whether it is there.\nfn exists() {}", &[]);
    check("/// Return the cases.\nfn list() {}", &[(1, "verb")]);
    check("/// The cases.\nfn list() {}", &[(1, "verb")]);
    check("/// Cases of a rule.\nfn list() {}", &[(1, "verb")]);
    check("impl A {\n    /// An address.\n    fn place(&self) {}\n}", &[(2, "verb")]);
    check("trait A {\n    /// An address.\n    fn place(&self);\n}", &[(2, "verb")]);
    check("/// A view of cases.\nstruct Shown;", &[(2, "participle")]);
    check("enum Failed {}", &[(1, "participle")]);
    check("struct Seed; struct FailedCall; enum State { Failed }", &[]);
    check("struct A {\n    /// The folder.\n    folder: u8,\n}", &[(2, "repeated-name")]);
    check("/// Returns the twin.\nfn control() {}", &[(1, "glossary")]);
    check("#[cfg(test)]\nmod tests {\n    /// What it is.\n    struct Seen;\n}", &[]);
}

#[test]
fn names_of_slow_tests_are_those_of_tests() {
    let folders = CRATES.map(|name| ["src", "tests"].map(|part| root().join(name).join(part)));
    let folders = folders.as_flattened().iter().filter(|folder| folder.is_dir());
    let files = folders.flat_map(|folder| sources(folder));
    let texts: Vec<String> = files.map(|path| fs::read_to_string(path).unwrap()).collect();
    let slow = fs::read_to_string(root().join(".ci/slow-tests")).unwrap();
    for name in slow.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        // Names may be put together from parts, the last of which says most; pages of the book have a test each.
        let last = name.rsplit('/').next().unwrap();
        let page = name.strip_prefix("commands_of_").map(|page| root().join("docs").join(page));
        let is_page = page.is_some_and(|page| page.is_file());
        assert!(
            is_page || texts.iter().any(|text| text.contains(last)),
            "{name} is the name of no test"
        );
    }
}
