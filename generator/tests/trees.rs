//! Rules, templates and probes lie in trees that mirror each other, and a rule file reads top down.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use expectations::load::SHARED;
use generator::{
    files::{KERNELS, PROBES, RULES, SuiteFiles},
    suite::{Suite, SuiteError},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// `family/name` of every file below the folder, which has one of these endings.
fn names(folder: &str, endings: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for family in std::fs::read_dir(root().join(folder)).unwrap() {
        let family = family.unwrap().path();
        for file in std::fs::read_dir(&family).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_name().unwrap().to_str().unwrap();
            let mut stems = endings.iter().filter_map(|ending| name.strip_suffix(ending));
            let stem = stems.next().unwrap_or_else(|| panic!("{}", file.display()));
            let family = family.file_name().unwrap().to_str().unwrap();
            found.insert(format!("{family}/{stem}"));
        }
    }
    found
}

#[test]
fn the_three_trees_show_the_same_names() {
    let suite = Suite::embedded().unwrap();
    let ids = |kept: fn(&expectations::rule::Rule) -> bool| -> BTreeSet<String> {
        suite.rules().iter().filter(|rule| kept(rule)).map(|rule| rule.id.clone()).collect()
    };
    let of_rules = |folder: &str, endings: &[&str]| -> BTreeSet<String> {
        names(folder, endings).into_iter().filter(|name| !name.starts_with(SHARED)).collect()
    };
    assert_eq!(names("expectations/rules", &[".toml"]), ids(|_| true));
    assert_eq!(
        of_rules("templates/kernels", &[".cl.tera", ".spvasm.tera"]),
        ids(|rule| !rule.template.starts_with(SHARED))
    );
    assert_eq!(of_rules("templates/probes", &[".toml.tera"]), ids(|rule| rule.probe.is_some()));
}

#[test]
fn a_rule_file_reads_top_down() {
    const TABLES: [&str; 5] = ["axes", "requires", "expect", "wrong", "source"];
    for name in names("expectations/rules", &[".toml"]) {
        let path = root().join(format!("expectations/rules/{name}.toml"));
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with("statement = "), "{name}: the statement comes first");
        let tables: Vec<usize> = text
            .lines()
            .filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'))
            .map(|table| table.trim_matches(['[', ']']).split('.').next().unwrap())
            .map(|table| TABLES.iter().position(|known| *known == table).unwrap())
            .collect();
        assert!(tables.is_sorted(), "{name}: the order is {}", TABLES.join(", "));
        assert_eq!(tables.last(), Some(&4), "{name}: where the rule comes from stands last");
    }
}

const RULE: &str = r#"statement = "s"
[axes]
space = ["global", "local"]
[[expect]]
verdict = "accept"
[source]
covers = []
clauses = ["C99#6.6"]
"#;

/// A suite of the rules `a/one` and `a/two`, and of kernels and probes besides their own.
fn suite(kernels: &[(&str, &str)], probes: &[&str]) -> Result<Suite, SuiteError> {
    let mut files = SuiteFiles::empty();
    let own = ["a/one", "a/two"];
    for id in own {
        files.add(&format!("{RULES}/{id}.toml"), &format!("{id}.toml"), RULE.to_owned());
    }
    let texts = own.map(|id| (id, "[< space_q >]int x;\n"));
    for (name, text) in texts.iter().chain(kernels) {
        let path = format!("{KERNELS}/{name}.cl.tera");
        files.add(&path, &path, (*text).to_owned());
    }
    for name in probes {
        let path = format!("{PROBES}/{name}.toml.tera");
        files.add(&path, &path, String::new());
    }
    Suite::from_files(files)
}

fn check_stray(kernels: &[(&str, &str)], probes: &[&str], expected: &str) {
    let error = suite(kernels, probes).err().unwrap_or_else(|| panic!("no error: {expected}"));
    assert_eq!(error.to_string(), expected);
}

#[test]
fn templates_that_nothing_finds_are_errors() {
    assert!(suite(&[], &[]).is_ok());
    check_stray(
        &[("a/tow", "")],
        &[],
        "templates/kernels/a/tow.cl.tera:1:1: `a/tow` is not a rule; did you mean `a/two`?",
    );
    check_stray(
        &[],
        &["a/on"],
        "templates/probes/a/on.toml.tera:1:1: `a/on` is not a rule; did you mean `a/one`?",
    );
    check_stray(
        &[("shared/more", "")],
        &[],
        "templates/kernels/shared/more.cl.tera:1:1: nothing uses it: delete it",
    );
    check_stray(
        &[("shared/more", ""), ("shared/a", "[% include \"shared/more.cl.tera\" %]")],
        &[],
        "templates/kernels/shared/a.cl.tera:1:1: nothing uses it: delete \
         it\ntemplates/kernels/shared/more.cl.tera:1:1: only one rule uses it: give it that rule's \
         name",
    );
}
