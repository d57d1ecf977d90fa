//! Every historic bug that the rules can express has cases that would have shown it.

use expectations::bugs::{BUGS, BUGS_PATH, load_bugs};
use generator::suite::Suite;

#[test]
fn every_pattern_matches_a_case() {
    let suite = Suite::embedded().unwrap_or_else(|error| panic!("{error}"));
    let bugs = load_bugs(BUGS_PATH, BUGS).unwrap_or_else(|error| panic!("{error}"));
    let cases = suite.all_cases();
    let ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    let unmatched: Vec<String> = bugs
        .iter()
        .flat_map(|bug| {
            bug.unmatched(&ids).into_iter().map(|pattern| format!("bug {}: {pattern}", bug.number))
        })
        .collect();
    assert!(unmatched.is_empty(), "no case matches\n{}", unmatched.join("\n"));
}
