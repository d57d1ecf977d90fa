//! Every requirement of the catalogue is covered by a rule, or has a reason why no build decides it; families and
//! former names are those of rules.

use std::collections::BTreeSet;

use expectations::{
    catalogue::{CATALOGUE, CATALOGUE_PATH, load_catalogue},
    families::{FAMILIES, FAMILIES_PATH, load_families},
    renamed,
};
use generator::suite::Suite;

#[test]
fn every_requirement_is_covered_or_excused() {
    let suite = Suite::embedded().unwrap_or_else(|error| panic!("{error}"));
    let catalogue =
        load_catalogue(CATALOGUE_PATH, CATALOGUE).unwrap_or_else(|error| panic!("{error}"));
    let problems = catalogue.problems(suite.rules());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_family_says_what_it_is_about() {
    let suite = Suite::embedded().unwrap_or_else(|error| panic!("{error}"));
    let load = |text: &str| load_families(FAMILIES_PATH, text, suite.rules());
    let families = load(FAMILIES).unwrap_or_else(|error| panic!("{error}"));
    assert!(families.values().all(|about| about.ends_with('.')));
    for (from, to, expected) in [
        ("\nblock =", "\nblok =", "4:1: `blok` is not a family of rules; did you mean `block`?"),
        ("\nblock =", "\n# block =", "say in one line what `block` is about: block = \"...\""),
    ] {
        let error = load(&FAMILIES.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.starts_with(FAMILIES_PATH) && error.contains(expected), "{error}");
    }
}

#[test]
fn former_names_lead_to_rules_and_are_free() {
    let suite = Suite::embedded().unwrap_or_else(|error| panic!("{error}"));
    let known: BTreeSet<&str> = suite.rules().iter().map(|rule| rule.id.as_str()).collect();
    for (old, new) in renamed::rules() {
        assert!(known.contains(new), "{old} is said to be {new}, which is not a rule");
        assert!(!known.contains(old), "{old} is said to be {new}, and a rule");
    }
}
