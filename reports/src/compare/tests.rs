use expect_test::{Expect, expect};
use expectations::{
    judge::{Finding, FindingKind, Reason},
    outcome::{Outcome, OutcomeKind},
    rule::Expectation,
    verdict::Verdict,
};
use results::run::{Ending, Fault};

use super::*;
use crate::{fixtures, text::Listing, versions::Version};

fn results(driver: &str, cases: Vec<CaseResult>) -> Run {
    fixtures::run("pocl", driver, cases)
}

fn case(id: &str, outcome: OutcomeKind, kind: FindingKind, reason: Reason) -> CaseResult {
    let expectation = Expectation::Reject { breaks: "a/b".into() };
    let finding = Finding { kind, reason };
    CaseResult {
        seconds: 0.1,
        ..CaseResult::new(
            id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &expectation,
            Outcome::new(outcome),
            finding,
        )
    }
}

#[test]
fn a_case_changes_in_one_way() {
    use FindingKind as F;
    use OutcomeKind as O;
    let pass = || case("a/b/cl12/x=1", O::Rejected, F::Pass, Reason::AsExpected);
    let fail = || case("a/b/cl12/x=1", O::Accepted, F::Fail, Reason::AcceptsInvalid);
    let place = || case("a/b/cl12/x=1", O::Rejected, F::Fail, Reason::WrongPlace);
    let crash = || case("a/b/cl12/x=1", O::Crashed, F::Crash, Reason::DriverDied);
    let unproven = || case("a/b/cl12/x=1", O::Rejected, F::Inconclusive, Reason::ControlRejected);
    let lacking = || case("a/b/cl12/x=1", O::Unsupported, F::Unsupported, Reason::Lacking);
    let slow = || CaseResult { seconds: 1.5, ..pass() };
    let disputed = |outcome| CaseResult {
        expectation: Verdict::Disputed,
        breaks: None,
        ..case("a/b/cl12/x=1", outcome, F::Disputed, Reason::TextDisputed)
    };
    let disputed_crash = || CaseResult { expectation: Verdict::Disputed, breaks: None, ..crash() };
    let accept = || CaseResult { expectation: Verdict::Accept, breaks: None, ..pass() };
    for (old, new, expected) in [
        (Some(pass()), Some(pass()), None),
        (Some(pass()), Some(fail()), Some(ChangeKind::Regression)),
        (Some(fail()), Some(pass()), Some(ChangeKind::Fix)),
        (Some(fail()), Some(crash()), Some(ChangeKind::Regression)),
        (Some(pass()), Some(unproven()), Some(ChangeKind::Regression)),
        (Some(unproven()), Some(fail()), Some(ChangeKind::Reason)),
        (Some(fail()), Some(place()), Some(ChangeKind::Reason)),
        (Some(unproven()), Some(crash()), Some(ChangeKind::Regression)),
        (Some(pass()), Some(lacking()), Some(ChangeKind::NoLongerSupported)),
        (Some(lacking()), Some(crash()), Some(ChangeKind::NewlySupported)),
        (Some(lacking()), Some(lacking()), None),
        (Some(disputed(O::Accepted)), Some(disputed(O::Rejected)), Some(ChangeKind::Reason)),
        (Some(disputed(O::Accepted)), Some(disputed_crash()), Some(ChangeKind::Regression)),
        (Some(accept()), Some(fail()), Some(ChangeKind::Expectation)),
        (Some(pass()), Some(slow()), Some(ChangeKind::Slower)),
        (Some(slow()), Some(pass()), Some(ChangeKind::Faster)),
        (None, Some(fail()), Some(ChangeKind::New)),
        (Some(fail()), None, Some(ChangeKind::Gone)),
    ] {
        assert_eq!(
            change(old.as_ref().map(Brief::from).as_ref(), new.as_ref().map(Brief::from).as_ref()),
            expected,
            "{old:?}\n{new:?}"
        );
    }
}

fn pair<'r>(old: &'r Run, new: &'r Run) -> Pair<'r> {
    let version = |run| Version { name: "pocl", run };
    Pair {
        comparison: compare(old, new),
        versions: Versions::in_order(vec![version(old), version(new)]),
    }
}

/// Returns a run in a folder, which is partial where it has no end.
fn stored(path: &str, mut run: Run) -> Run {
    run.path = path.into();
    if run.end().is_none() {
        run.faults = vec![Fault::Unfinished { found: run.cases.len(), selected: run.header.cases }];
    }
    run
}

fn check(old: &Run, new: &Run, expected: &Expect) {
    let (old, new) = (stored("old", old.clone()), stored("new", new.clone()));
    let pair = pair(&old, &new);
    let about = |rule: &str| {
        (rule == "a/b").then(|| About {
            statement: "Spaces are disjoint.".to_owned(),
            clauses: vec!["OpenCL_C [x]".to_owned()],
        })
    };
    let mut styled = Vec::new();
    text(&mut styled, &pair, Listing::First, &about).unwrap();
    let styled = String::from_utf8(styled).unwrap();
    let plain = anstream::adapter::strip_str(&styled).to_string();
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    expected.assert_eq(&format!("{plain}\n-----\n{}", markdown(&pair)));
}

#[test]
fn a_comparison_says_what_to_look_at() {
    use FindingKind as F;
    use OutcomeKind as O;
    let old = results(
        "3.1",
        vec![
            case("a/b/cl12/x=1", O::Rejected, F::Pass, Reason::AsExpected),
            case("a/b/cl12/x=2", O::Accepted, F::Fail, Reason::AcceptsInvalid),
            case("a/b/cl12/x=3", O::Rejected, F::Pass, Reason::AsExpected),
        ],
    );
    let mut worse = case("a/b/cl12/x=1", O::Crashed, F::Crash, Reason::DriverDied);
    worse.outcome.detail = "SIGSEGV".to_owned();
    worse.remarks.push("flaky: Crashed 1 of 3".to_owned());
    worse.outcome.log = "<k>:3: \u{1b}[31merror: `x` <b>".to_owned();
    let new = results(
        "4.0",
        vec![
            worse,
            case("a/b/cl12/x=2", O::Rejected, F::Pass, Reason::AsExpected),
            case("a/b/cl12/x=3", O::Rejected, F::Pass, Reason::AsExpected),
            case("a/b/cl12/it's", O::Accepted, F::Fail, Reason::AcceptsInvalid),
        ],
    );
    check(
        &old,
        &new,
        &expect![[r#"
            pocl
              old   3.1  (old, 3 cases, 2.0 s)
              new   4.0  (new, 4 cases, 2.0 s)

              ✗ 1 regression   ✓ 1 fix   + 1 new   = 1 as before

            By cause

              ✗ worse since 4.0  3.1: 0 of 1, 4.0: 1 of 1
                unexpected, a/b: crash: the driver died
                a/b; a/b/cl12/x=1

              ~ partly mended in 4.0  3.1: 1 of 1, 4.0: 1 of 2
                unexpected, a/b: fail: accepts an invalid program
                a/b; a/b/cl12/it's

            Regressions (1)

              a/b  1 case
              Spaces are disjoint.
              OpenCL_C [x]

                ✗ a/b/cl12/x=1
                  expected  reject: it breaks a/b
                  old       pass          rejected
                  new       crash         the driver died (SIGSEGV)
                  remark    flaky: Crashed 1 of 3
                  log       <k>:3: \u{1b}[31merror: `x` <b>
                  show      address-spaces show a/b/cl12/x=1
                  rerun     address-spaces --device pocl --exact a/b/cl12/x=1

            Fixes (1)
              ✓ a/b  1 case: fail (accepts an invalid program), now pass
                  a/b/cl12/x=2

            New (1)
              + a/b  1 case: fail (accepts an invalid program)
                  a/b/cl12/it's

            pocl: 1 regression from 3.1 to 4.0

            -----
            ## pocl: 1 regression

            `4.0` against `3.1`.

            | change | cases |
            |---|---:|
            | ✗ Regressions | 1 |
            | ✓ Fixes | 1 |
            | ~ Changed reason | 0 |
            | - No longer supported | 0 |
            | + Newly supported | 0 |
            | ~ Changed expectation | 0 |
            | + New | 1 |
            | - Gone | 0 |
            | ▲ Slower | 0 |
            | ▼ Faster | 0 |
            | = As before | 1 |

            ### By cause

            | | cases that deviate | cause | for example |
            |---|---|---|---|
            | ✗ worse since 4.0 | 3.1: 0 of 1, 4.0: 1 of 1 | unexpected, `a/b`: crash: the driver died | `a/b/cl12/x=1` |
            | ~ partly mended in 4.0 | 3.1: 1 of 1, 4.0: 1 of 2 | unexpected, `a/b`: fail: accepts an invalid program | `a/b/cl12/it's` |

            ### Regressions

            - `a/b/cl12/x=1`: pass, now crash \(the driver died\)
              `address-spaces show a/b/cl12/x=1`

            ### Fixes

            <details><summary>1 case</summary>

            - `a/b/cl12/x=2`: fail \(accepts an invalid program\), now pass

            </details>

            ### New

            <details><summary>1 case</summary>

            - `a/b/cl12/it's`: fail \(accepts an invalid program\)

            </details>
        "#]],
    );
}

#[test]
fn what_makes_runs_less_comparable_is_said() {
    let old = results("3.1", Vec::new());
    let mut new = results("3.1", Vec::new());
    new.header.device = "clang-19".to_owned();
    new.header.suite = "cd".to_owned();
    new.header.selection.insert("rule".to_owned(), "a/b".to_owned());
    new.header.unsupported.insert("cl20".to_owned(), "not reported".to_owned());
    new.ending = Ending::Missing;
    check(
        &old,
        &new,
        &expect![[r#"
            pocl and clang-19
              old   3.1  (old, 0 cases, 2.0 s)
              new   3.1  (new, 0 cases)
              note  two devices are compared: pocl and clang-19; a difference between them is not a change of either
              note  the suite is not the same: rules or kernels changed, and a case may differ for that reason
              note  the runs selected different cases: new and gone show what was selected, not what changed
              note  partial results, the new run: it did not reach its end: 0 of 0 cases are there
              note  cl20 is no longer supported: not reported

              ✗ 0 regressions   ✓ 0 fixes   = 0 as before

            pocl and clang-19: no regression from 3.1 to 3.1

            -----
            ## pocl and clang-19: no regression

            `3.1` against `3.1`.

            > two devices are compared: pocl and clang-19; a difference between them is not a change of either

            > the suite is not the same: rules or kernels changed, and a case may differ for that reason

            > the runs selected different cases: new and gone show what was selected, not what changed

            > partial results, the new run: it did not reach its end: 0 of 0 cases are there

            > cl20 is no longer supported: not reported

            | change | cases |
            |---|---:|
            | ✗ Regressions | 0 |
            | ✓ Fixes | 0 |
            | ~ Changed reason | 0 |
            | - No longer supported | 0 |
            | + Newly supported | 0 |
            | ~ Changed expectation | 0 |
            | + New | 0 |
            | - Gone | 0 |
            | ▲ Slower | 0 |
            | ▼ Faster | 0 |
            | = As before | 0 |
        "#]],
    );
}

#[test]
fn programs_read_the_same_comparison() {
    let old = results("3.1", Vec::new());
    let new = results(
        "4.0",
        vec![case(
            "a/b/cl12/x=1",
            OutcomeKind::Accepted,
            FindingKind::Fail,
            Reason::AcceptsInvalid,
        )],
    );
    let mut written = Vec::new();
    let (old, new) = (stored("old", old), stored("new", new));
    json(&mut written, &[pair(&old, &new)], &["gone".to_owned()], &[]).unwrap();
    let read: serde_json::Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(read["format"], 2);
    assert_eq!(read["regressions"], 0);
    assert_eq!(read["only-in-old"][0], "gone");
    let device = &read["comparisons"][0];
    assert_eq!(device["counts"]["new"], 1);
    assert_eq!(device["changes"][0]["id"], "a/b/cl12/x=1");
    assert_eq!(device["changes"][0]["new"]["finding"]["kind"], "fail");
    assert_eq!(device["new"]["driver"], "4.0");
}

#[test]
fn instances_of_a_device_are_one_device() {
    let note = |before: &str, after: &str| {
        let (mut old, mut new) = (results("6.0", Vec::new()), results("7.1", Vec::new()));
        before.clone_into(&mut old.header.device);
        after.clone_into(&mut new.header.device);
        let comparison = compare(&old, &new);
        comparison.notes.first().cloned().unwrap_or_default()
    };
    for (before, after, expected) in [
        ("pocl", "pocl", ""),
        ("pocl", "pocl@sid", "one device from two places is compared: pocl and pocl@sid"),
        (
            "pocl@trixie",
            "pocl@sid",
            "one device from two places is compared: pocl@trixie and pocl@sid",
        ),
        (
            "pocl@sid",
            "rusticl@sid",
            "two devices are compared: pocl@sid and rusticl@sid; a difference between them is not \
             a change of either",
        ),
    ] {
        assert_eq!(note(before, after), expected);
    }
}
