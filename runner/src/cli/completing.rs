//! Completion of words in a shell. The shell calls this program, which knows the current rules and cases.

use std::{collections::BTreeSet, ffi::OsStr, io};

use clap::Command;
use clap_complete::{
    Shell,
    engine::CompletionCandidate,
    env::{CompleteEnv, Shells},
};
use expectations::{device::INSTANCE, dialect::Dialect, rule::Rule};
use generator::suite::{Case, Suite};
use results::text::one_line;

use super::ALL;
use crate::{
    PROGRAM,
    device::{files, releases},
    overlay,
};

/// The variable by which the script of a shell asks; its value is the shell's name.
const ASKED: &str = "COMPLETE";
/// Largest length of an explanation beside a candidate, in characters.
const EXPLAINED: usize = 60;

/// Answers the request of a shell for completions of the command line that `command` makes, and ends the program.
/// Returns if there is no such request.
pub fn answer(command: fn() -> Command) {
    CompleteEnv::with_factory(command).var(ASKED).bin(PROGRAM).completer(PROGRAM).complete();
}

/// Returns the script that lets a shell call this program for completions.
pub fn script(shell: Shell) -> io::Result<String> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let name = shell.to_string();
    let completer = shells
        .completer(&name)
        .ok_or_else(|| io::Error::other(format!("no completion for {name}")))?;
    completer.write_registration(ASKED, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// Returns the devices that have a file, the releases of a device whose name was typed, and the name that stands for
/// all devices.
pub(super) fn devices(typed: &OsStr) -> Vec<CompletionCandidate> {
    // Unreadable files are reported when the command is run.
    let mut names = files::names().unwrap_or_default();
    if let Some((family, _)) = typed.to_str().and_then(|typed| typed.split_once(INSTANCE)) {
        names.extend(releases::names(overlay::folder(), family).unwrap_or_default());
    }
    offered(typed, names.into_iter().chain([ALL.to_owned()]).map(|name| (name, None)))
}

/// Returns the dialects that begin with the typed text.
pub(super) fn dialects(typed: &OsStr) -> Vec<CompletionCandidate> {
    offered(typed, Dialect::ALL.map(|dialect| (dialect.name().to_owned(), None)))
}

/// Families, and the rules of the one that is begun.
pub(super) fn rules(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(suite) = suite() else { return Vec::new() };
    match typed.to_str().and_then(|typed| typed.split_once('/')) {
        Some((family, _)) => offered(
            typed,
            of_family(&suite, family)
                .map(|rule| (rule.id.clone(), Some(one_line(&rule.statement, EXPLAINED)))),
        ),
        None => offered(typed, families(&suite)),
    }
}

/// Returns ids of cases, part by part: family, rule, dialect, then the cases.
pub(super) fn cases(typed: &OsStr) -> Vec<CompletionCandidate> {
    let (Some(suite), Some(text)) = (suite(), typed.to_str()) else { return Vec::new() };
    let parts: Vec<&str> = text.split('/').collect();
    match *parts.as_slice() {
        [_] => offered(typed, families(&suite)),
        [family, _] => offered(
            typed,
            of_family(&suite, family)
                .map(|rule| (format!("{}/", rule.id), Some(one_line(&rule.statement, EXPLAINED)))),
        ),
        [family, rule, _] => {
            let id = format!("{family}/{rule}");
            let has_cases = |dialect: &Dialect| !of_rule(&suite, &id, *dialect).is_empty();
            let dialects = Dialect::ALL.into_iter().filter(has_cases);
            offered(typed, dialects.map(|dialect| (format!("{id}/{}/", dialect.name()), None)))
        }
        [family, rule, dialect, _] => {
            let Some(dialect) = Dialect::from_name(dialect) else { return Vec::new() };
            let cases = of_rule(&suite, &format!("{family}/{rule}"), dialect);
            offered(typed, cases.into_iter().map(|case| (case.id, None)))
        }
        _ => Vec::new(),
    }
}

/// Returns the causes of baseline entries.
pub(super) fn causes(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Ok(causes) = files::causes() else { return Vec::new() };
    let titled = causes.causes.iter();
    offered(typed, titled.map(|cause| (cause.id.clone(), Some(one_line(&cause.title, EXPLAINED)))))
}

fn suite() -> Option<Suite> {
    overlay::suite().ok()
}

fn families(suite: &Suite) -> impl Iterator<Item = (String, Option<String>)> {
    let names: BTreeSet<&str> = suite.rules().iter().map(Rule::family).collect();
    names.into_iter().map(|name| (format!("{name}/"), None))
}

fn of_family<'suite>(suite: &'suite Suite, family: &str) -> impl Iterator<Item = &'suite Rule> {
    suite.rules().iter().filter(move |rule| rule.family() == family)
}

fn of_rule(suite: &Suite, rule: &str, dialect: Dialect) -> Vec<Case> {
    suite.rule_place(rule).map(|place| suite.cases(&[place], &[dialect])).unwrap_or_default()
}

/// Returns the names that begin with the typed text.
fn offered(
    typed: &OsStr,
    names: impl IntoIterator<Item = (String, Option<String>)>,
) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let begun = names.into_iter().filter(|(name, _)| name.starts_with(&*typed));
    begun.map(|(name, help)| CompletionCandidate::new(name).help(help.map(Into::into))).collect()
}
