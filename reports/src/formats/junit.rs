//! Runs as `JUnit` XML: what CI systems show as a list of tests.
//!
//! Each case is a test, each rule of each device a suite. An unexpected failure fails; a crash, a hang or a case
//! that proves nothing is an error; what is unsupported, disputed or known is skipped with its reason. A run that
//! was stopped and a baseline entry that explains nothing are errors of their own: a run that is not green never
//! looks so.

use std::{collections::BTreeMap, time::Duration};

use expectations::{case_id::CaseId, judge::FindingKind};
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::{JudgedRun, Standing, set_aside, story};
use crate::{results::CaseResult, text::one_line};

/// The document for these runs; `broken` are devices that could not be judged, each with why.
pub fn render(runs: &[JudgedRun<'_>], broken: &[(String, String)]) -> String {
    let mut report = Report::new("OpenCL C address spaces");
    report.set_time(seconds(runs.iter().map(|run| run.seconds).sum()));
    for run in runs {
        report.add_test_suites(suites(run));
    }
    for (device, why) in broken {
        let mut suite = TestSuite::new(one_line(device, 80));
        suite.add_test_case(error("device", "cannot be judged", "broken-device", why));
        report.add_test_suite(suite);
    }
    let text =
        report.to_string().expect("writing to memory, with no identifiers that can be wrong");
    // The schema of Jenkins knows this attribute of suites only; quick-junit writes it on their list too.
    text.replacen(&format!(" skipped=\"{}\"", report.skipped), "", 1)
}

fn suites(run: &JudgedRun<'_>) -> Vec<TestSuite> {
    let device = one_line(run.device, 80);
    let mut by_rule: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, case) in run.cases.iter().enumerate() {
        by_rule.entry(CaseId::new(&case.id).rule()).or_default().push(index);
    }
    let mut suites = Vec::new();
    for (rule, indices) in by_rule {
        let mut suite = TestSuite::new(format!("{device}: {}", one_line(rule, 200)));
        suite.set_time(seconds(indices.iter().map(|&index| run.cases[index].seconds).sum()));
        suite.add_test_cases(indices.into_iter().map(|index| test(run, &device, rule, index)));
        suites.push(suite);
    }
    let mut whole = TestSuite::new(format!("{device}: the run"));
    for (title, what) in run.troubles() {
        whole.add_test_case(error(&format!("{device}.run"), title, "run", &what));
    }
    if whole.tests > 0 {
        suites.push(whole);
    }
    if let Some(first) = suites.first_mut() {
        let identity = run.identity.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let partial = run.partial.map(|partial| ("partial results", partial));
        for (name, value) in identity.chain([("front end", run.front_end)]).chain(partial) {
            first.add_property(Property::new(one_line(name, 80), one_line(value, 200)));
        }
    }
    suites
}

fn test(run: &JudgedRun<'_>, device: &str, rule: &str, index: usize) -> TestCase {
    let case = &run.cases[index];
    let standing = run.standing(index);
    let mut test = TestCase::new(
        one_line(CaseId::new(&case.id).behind_rule(), 400),
        status(run, case, standing),
    );
    // Viewers cut class names at dots: device, family, rule.
    test.set_classname(format!("{device}.{}", one_line(rule, 200).replace('/', ".")));
    test.set_time(seconds(case.seconds));
    test
}

fn status(run: &JudgedRun<'_>, case: &CaseResult, standing: Standing<'_>) -> TestCaseStatus {
    if standing == Standing::Passed {
        return TestCaseStatus::success();
    }
    if let Some(why) = set_aside(case, standing) {
        let mut status = TestCaseStatus::skipped();
        status.set_message(why);
        return status;
    }
    let kind = match case.finding.kind {
        FindingKind::Fail => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(case.finding.kind.name());
    status.set_message(case.finding.reason.text());
    status.set_description(story(run.device, case));
    status
}

fn error(class: &str, name: &str, kind: &str, what: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type(kind);
    status.set_message(one_line(what, 400));
    let mut test = TestCase::new(name, status);
    test.set_classname(class);
    test
}

/// A file can say anything of the time; the format cannot.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
