use expect_test::{Expect, expect};
use expectations::{
    judge::{Finding, Reason},
    outcome::{Outcome, OutcomeKind},
    rule::Expectation,
};
use results::line::CaseResult;

use super::*;
use crate::{fixtures, text::Listing};

/// Returns a run of a driver whose cases of rule `a/b` ended like this: `p` pass, `f` accepts an invalid program, `u`
/// not supported, ` ` not selected.
fn run(driver: &str, did: &str) -> Run {
    let cases = did.chars().enumerate().filter(|(_, did)| *did != ' ').map(|(number, did)| {
        let (outcome, kind, reason) = match did {
            'p' => (OutcomeKind::Rejected, FindingKind::Pass, Reason::AsExpected),
            'f' => (OutcomeKind::Accepted, FindingKind::Fail, Reason::AcceptsInvalid),
            'c' => (OutcomeKind::Crashed, FindingKind::Crash, Reason::DriverDied),
            _ => (OutcomeKind::Unsupported, FindingKind::Unsupported, Reason::Lacking),
        };
        let expectation = Expectation::Reject { breaks: "a/b".into() };
        let finding = Finding { kind, reason };
        let id = format!("a/b/cl12/x={number}");
        CaseResult::new(
            &id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &expectation,
            Outcome::new(outcome),
            finding,
        )
    });
    fixtures::run("pocl", driver, cases.collect())
}

fn version(run: &Run) -> Version<'_> {
    Version { name: "pocl", run }
}

#[test]
fn a_cause_goes_one_way() {
    for (old, middle, new, expected) in [
        ("pp", "pp", "pf", "worse since 7.1"),
        ("pp", "pf", "ff", "worse since 6.0, 7.1"),
        ("ff", "fp", "pp", "mended in 6.0, 7.1"),
        ("ff", "ff", "fp", "partly mended in 7.1"),
        ("fp", "fp", "pf", "some worse, some mended in 7.1"),
        ("ff", "ff", "ff", "stayed"),
        ("pp", "fp", "pp", "came and went in 6.0, 7.1"),
        ("uu", "  ", "ff", "in one version only"),
        ("ff", "uu", "pp", "mended in 7.1"),
        ("fu", "f ", "ff", "stayed"),
        ("fu", "f ", "pf", "partly mended in 7.1"),
    ] {
        // Given in any order.
        let runs = [run("PoCL 7.1", new), run("3.1+debian", old), run("6.0", middle)];
        let versions = Versions::of(runs.iter().map(version).collect());
        let labels: Vec<String> = versions.versions.iter().map(Version::label).collect();
        assert_eq!(labels, ["3.1", "6.0", "7.1"]);
        let courses: Vec<String> =
            versions.causes.iter().map(|cause| versions.course_text(cause)).collect();
        assert_eq!(courses, [expected], "{old} {middle} {new}");
    }
}

#[test]
fn what_never_deviates_has_no_cause() {
    let runs = [run("1", "pu "), run("2", "pp")];
    let versions = Versions::of(runs.iter().map(version).collect());
    assert!(versions.causes.is_empty());
    let mut text = Vec::new();
    super::text(&mut text, &versions, Listing::First).unwrap();
    assert!(text.is_empty());
    assert_eq!(markdown(&versions), "");
}

#[test]
fn the_newest_version_says_why() {
    // What it accepted, it dies of now: one cause, which stayed.
    let runs = [run("1.0", "fp"), run("2.0", "cf")];
    let versions = Versions::of(runs.iter().map(version).collect());
    let shown: Vec<(Course, &Why)> =
        versions.causes.iter().map(|cause| (cause.course(), &cause.why)).collect();
    let why = |finding: &str| Why::Unexplained { rule: "a/b".into(), finding: finding.into() };
    assert_eq!(
        shown,
        [
            (Course::Worse, &why("fail: accepts an invalid program")),
            (Course::Stayed, &why("crash: the driver died")),
        ]
    );
}

fn check(format: impl Fn(&Versions<'_>) -> String, expected: &Expect) {
    let runs = [run("3.1", "fffp"), run("7.1", "ppfc")];
    let versions = Versions::of(runs.iter().map(version).collect());
    expected.assert_eq(&format(&versions));
}

#[test]
fn causes_in_words() {
    check(
        |versions| {
            let mut text = Vec::new();
            super::text(&mut text, versions, Listing::First).unwrap();
            let text = String::from_utf8(text).unwrap();
            anstream::adapter::strip_str(&text).to_string()
        },
        &expect![[r#"

            By cause

              ✗ worse since 7.1  3.1: 0 of 1, 7.1: 1 of 1
                unexpected, a/b: crash: the driver died
                a/b; a/b/cl12/x=3

              ~ partly mended in 7.1  3.1: 3 of 3, 7.1: 1 of 3
                unexpected, a/b: fail: accepts an invalid program
                a/b; a/b/cl12/x=2
        "#]],
    );
    check(
        markdown,
        &expect![[r#"

        ### By cause

        | | cases that deviate | cause | for example |
        |---|---|---|---|
        | ✗ worse since 7.1 | 3.1: 0 of 1, 7.1: 1 of 1 | unexpected, `a/b`: crash: the driver died | `a/b/cl12/x=3` |
        | ~ partly mended in 7.1 | 3.1: 3 of 3, 7.1: 1 of 3 | unexpected, `a/b`: fail: accepts an invalid program | `a/b/cl12/x=2` |
    "#]],
    );
}
