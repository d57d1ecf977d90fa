//! Historic bugs of compilers, and the cases that would have shown them.

use std::collections::BTreeSet;

use serde::Deserialize;
use toml::Spanned;
use wildmatch::WildMatch;

use crate::load::{FileError, from_toml, place};

/// The list that ships with the suite.
pub const BUGS: &str = include_str!("../bugs.toml");
/// Path of the list, for messages.
pub const BUGS_PATH: &str = "expectations/bugs.toml";

/// A bug that some compiler had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// Number in the list.
    pub number: u32,
    /// Project and number of the report.
    pub name: String,
    /// Description of the defect.
    pub what: String,
    /// The answer of the suite.
    pub answer: Answer,
}

/// Cases that the suite has for a bug, or the reason why it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Patterns of ids of cases that would have shown it, with `*` and `?`.
    Cases(Vec<String>),
    /// Reason why no rule can express the bug.
    Reason(String),
}

impl Bug {
    /// Returns the patterns that match none of these case ids.
    pub fn unmatched<'b>(&'b self, ids: &[&str]) -> Vec<&'b str> {
        let Answer::Cases(patterns) = &self.answer else { return Vec::new() };
        let matches_none = |pattern: &&String| {
            let wild = WildMatch::new(pattern);
            !ids.iter().any(|id| wild.matches(id))
        };
        patterns.iter().filter(matches_none).map(String::as_str).collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBugs {
    bug: Vec<RawBug>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBug {
    number: Spanned<u32>,
    name: String,
    what: String,
    #[serde(default)]
    cases: Vec<String>,
    reason: Option<String>,
}

/// Reads a list of bugs.
pub fn load_bugs(path: &str, text: &str) -> Result<Vec<Bug>, FileError> {
    let raw: RawBugs = from_toml(path, text)?;
    let mut numbers = BTreeSet::new();
    let mut bugs = Vec::new();
    for bug in raw.bug {
        let start = bug.number.span().start;
        let number = bug.number.into_inner();
        if !numbers.insert(number) {
            return Err(place(path, text, start, format!("bug {number} is listed twice")));
        }
        let answer = match (bug.cases.is_empty(), bug.reason) {
            (false, None) => Answer::Cases(bug.cases),
            (true, Some(reason)) if !reason.trim().is_empty() => Answer::Reason(reason),
            _ => {
                let message =
                    "name the `cases` that would have shown it, or give the `reason` why none can";
                return Err(place(path, text, start, message.to_owned()));
            }
        };
        bugs.push(Bug { number, name: bug.name, what: bug.what, answer });
    }
    Ok(bugs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "[[bug]]\nnumber = 1\nname = \"x 2\"\nwhat = \"rejected\"\ncases = [\"a/*/x=1\", \"b*\"]\n";

    #[test]
    fn the_list_that_ships_is_read() {
        assert!(!load_bugs(BUGS_PATH, BUGS).unwrap_or_else(|error| panic!("{error}")).is_empty());
    }

    #[test]
    fn patterns_without_cases_are_named() {
        let bugs = load_bugs("b.toml", GOOD).unwrap();
        assert_eq!(bugs[0].unmatched(&["a/b/cl12/x=1", "c"]), ["b*"]);
    }

    #[test]
    fn bad_lists_are_rejected() {
        let neither =
            "name the `cases` that would have shown it, or give the `reason` why none can";
        for (text, expected) in [
            (
                GOOD.replace("cases = [\"a/*/x=1\", \"b*\"]\n", ""),
                format!("b.toml:2:10: {neither}"),
            ),
            (format!("{GOOD}reason = \"no\"\n"), format!("b.toml:2:10: {neither}")),
            (GOOD.repeat(2), "b.toml:7:10: bug 1 is listed twice".to_owned()),
            (
                GOOD.replace("what", "wat"),
                "b.toml:4:1: unknown key `wat`; did you mean `what`?".to_owned(),
            ),
        ] {
            assert_eq!(load_bugs("b.toml", &text).unwrap_err().to_string(), expected);
        }
    }
}
