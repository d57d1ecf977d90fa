//! The cases of `--quick` are few and cover what they should.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use expectations::{
    case_id::CaseId,
    dialect::{Dialect, Language},
    rule::Expectation,
};
use generator::suite::{Case, Suite};
use runner::{commands::choose_quick::chosen, run::quick::listed};

/// Few enough to wait for after each build of a driver.
const MOST: usize = 2000;

fn runner(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_address-spaces")).args(arguments).output().unwrap()
}

/// Returns the ids that `list` prints with these options.
fn list(options: &[&str]) -> BTreeSet<String> {
    let output = runner(&[&["list"], options].concat());
    assert!(output.status.success(), "{options:?}: {output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(str::to_owned).collect()
}

#[test]
fn the_list_is_what_the_command_would_write() {
    let suite = Suite::embedded().unwrap();
    let listed = listed();
    let chosen = chosen(&suite, &listed).unwrap();
    assert!(chosen.len() <= MOST, "{} cases", chosen.len());
    let new: Vec<&String> = chosen.difference(&listed).collect();
    let gone: Vec<&String> = listed.difference(&chosen).collect();
    assert!(new.is_empty() && gone.is_empty(), "run `.ci/bless`: new {new:#?}, gone {gone:#?}");
}

#[test]
fn every_rule_has_both_sides_in_every_kind_of_dialect() {
    let suite = Suite::embedded().unwrap();
    let side = |case: &Case| {
        let Dialect { language, generic, .. } = case.dialect;
        let is_generic = generic && language == Language::OpenclC;
        let accepts = match suite.expectation(case) {
            Expectation::Accept => true,
            Expectation::Reject { .. } => false,
            Expectation::Disputed { .. } => return None,
        };
        Some((suite.rule(case).id.clone(), accepts, language, is_generic))
    };
    let of_list = listed().into_iter().map(|id| suite.case(&id).unwrap());
    let kept: BTreeSet<_> = of_list.filter_map(|case| side(&case)).collect();
    let all = suite.all_cases();
    let lost: Vec<_> = all.iter().filter_map(side).filter(|side| !kept.contains(side)).collect();
    assert!(lost.is_empty(), "{:?} and others", lost[0]);
}

#[test]
fn every_entry_of_the_suite_keeps_its_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("expectations");
    let files = ["devices", "front-ends"].iter().flat_map(|folder| {
        fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path())
    });
    let examples = |file: PathBuf| -> Vec<String> {
        let text = fs::read_to_string(file).unwrap();
        let file: toml_edit::DocumentMut = text.parse().unwrap();
        let entries = file.get("deviation").and_then(toml_edit::Item::as_array_of_tables);
        let example = |entry: &toml_edit::Table| Some(entry.get("example")?.as_str()?.to_owned());
        entries.into_iter().flatten().filter_map(example).collect()
    };
    let examples: BTreeSet<String> = files.flat_map(examples).collect();
    let of_suite = |id: &&String| !CaseId::new(id).is_random();
    assert!(examples.len() > 200, "{} examples", examples.len());
    let listed = listed();
    let lost: Vec<_> =
        examples.iter().filter(of_suite).filter(|id| !listed.contains(*id)).collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn every_mutant_of_the_checker_is_noticed() {
    let output = runner(&["dev", "adequacy", "--quick"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
}

#[test]
fn the_list_is_selected_with_other_filters() {
    let listed = listed();
    assert_eq!(list(&["--quick"]), listed);
    let is_of_both = |id: &&String| id.starts_with("constant/") && id.contains("/cl12/");
    let of_both: BTreeSet<String> = listed.iter().filter(is_of_both).cloned().collect();
    assert!(!of_both.is_empty());
    assert_eq!(list(&["--quick", "--dialect", "cl12", "--rule", "constant"]), of_both);
    let one = of_both.first().unwrap();
    assert_eq!(list(&["--quick", "--exact", one]), BTreeSet::from([one.clone()]));
    let all = list(&["--rule", "constant/write", "--dialect", "cl12"]);
    let other = all.iter().find(|id| !listed.contains(*id)).unwrap();
    for id in [other.as_str(), "random/valid/cl10/seed=7"] {
        let output = runner(&["--quick", "--exact", id]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("no case matches `--quick` with the exact filter"), "{said}");
    }
}
