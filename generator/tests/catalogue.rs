//! Every requirement of the catalogue is covered by a rule, or has a reason why no build decides it.

use expectations::catalogue::{CATALOGUE, CATALOGUE_PATH, load_catalogue};
use generator::suite::Suite;

#[test]
fn every_requirement_is_covered_or_excused() {
    let suite = Suite::embedded().unwrap_or_else(|error| panic!("{error}"));
    let catalogue =
        load_catalogue(CATALOGUE_PATH, CATALOGUE).unwrap_or_else(|error| panic!("{error}"));
    let problems = catalogue.problems(suite.rules());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
