//! Runs as `JUnit` XML: what CI systems show as a list of tests.
//!
//! Each case is a test, each rule of each device a suite. An unexpected failure fails; a crash, a hang or a case
//! that proves nothing is an error; what is unsupported, disputed or known is skipped with its reason. A run that
//! was stopped and a baseline entry that explains nothing are errors of their own: a run that is not green never
//! looks so.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    time::Duration,
};

use expectations::{case_id::CaseId, judge::FindingKind};
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::{cause, describe, skip_reason, troubles};
use results::{
    cases::Numbers,
    line::CaseResult,
    run::{Run, Status},
    text::{one_line, plural},
};

/// Number of tests that are in memory at a time.
const AT_ONCE: usize = 1000;

/// Writes the document for these runs; `broken` are devices that could not be judged, each with the reason.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn write(out: &mut dyn Write, runs: &[Run], broken: &[(String, String)]) -> io::Result<()> {
    let mut report = Report::new("OpenCL C address spaces");
    report.set_time(seconds(runs.iter().map(Run::seconds).sum()));
    let runs: Vec<Suites<'_>> = runs.iter().map(Suites::of).collect();
    let devices: Vec<TestSuite> = broken.iter().map(broken_device).collect();
    let counted = runs
        .iter()
        .flat_map(|run| run.of_rules.values().map(|rule| &rule.suite).chain(run.whole.as_ref()));
    for suite in counted.chain(&devices) {
        report.tests += suite.tests;
        report.skipped += suite.skipped;
        report.failures += suite.failures;
        report.errors += suite.errors;
    }
    let document = Document::of(&report);
    // The schema of Jenkins knows this attribute of suites only; quick-junit writes it on their list too.
    let skipped = format!(" skipped=\"{}\"", report.skipped);
    write!(out, "{}", document.head.replacen(&skipped, "", 1))?;
    for run in runs {
        run.write(out)?;
    }
    for device in devices {
        write!(out, "{}", Document::of_suite(device).suite)?;
    }
    write!(out, "{END}")
}

/// The last line of a document.
const END: &str = "</testsuites>\n";
/// The last line of a suite.
const END_OF_SUITE: &str = "    </testsuite>\n";

/// A document of one suite, split into lines.
struct Document {
    /// Text before the list of suites.
    head: String,
    /// Text of the suite.
    suite: String,
}

impl Document {
    fn of(report: &Report) -> Self {
        let mut head =
            report.to_string().expect("writing to memory, with no identifiers that can be wrong");
        // No line breaks are in names: they are one line each.
        let lines = head.match_indices('\n').nth(1).map_or(head.len(), |(end, _)| end + 1);
        let mut suite = head.split_off(lines);
        suite.truncate(suite.len().saturating_sub(END.len()));
        Self { head, suite }
    }

    fn of_suite(suite: TestSuite) -> Self {
        let mut report = Report::new("");
        report.add_test_suite(suite);
        Self::of(&report)
    }
}

/// The suites of a run with their counts.
struct Suites<'r> {
    run: &'r Run,
    device: String,
    of_rules: BTreeMap<String, OfRule>,
    /// Suite with the faults of the run as a whole.
    whole: Option<TestSuite>,
}

/// The suite of a rule with its counts and without its tests.
struct OfRule {
    suite: TestSuite,
    cases: Numbers,
    seconds: f64,
    /// Number of deviating cases of each known cause.
    causes: BTreeMap<String, usize>,
}

impl<'r> Suites<'r> {
    fn of(run: &'r Run) -> Self {
        let device = one_line(&run.name(), 80);
        let mut of_rules: BTreeMap<String, OfRule> = BTreeMap::new();
        for (index, case) in run.cases.briefs().enumerate() {
            let rule = CaseId::new(&case.id).rule();
            let of_rule = match of_rules.get_mut(rule) {
                Some(of_rule) => of_rule,
                None => of_rules.entry(rule.to_owned()).or_insert_with(|| OfRule {
                    suite: TestSuite::new(format!("{device}: {}", one_line(rule, 200))),
                    cases: Numbers::default(),
                    seconds: 0.0,
                    causes: BTreeMap::new(),
                }),
            };
            if let Some(cause) = cause(run, index) {
                *of_rule.causes.entry(one_line(cause, 80)).or_default() += 1;
            }
            of_rule.cases.push(index);
            of_rule.seconds += case.seconds;
            of_rule.suite.tests += 1;
            match run.status(index, case.finding.kind) {
                Status::Pass => {}
                Status::Fail if case.finding.kind == FindingKind::Fail => {
                    of_rule.suite.failures += 1;
                }
                Status::Fail => of_rule.suite.errors += 1,
                Status::Unsupported | Status::Disputed | Status::ExpectedFailure => {
                    of_rule.suite.skipped += 1;
                }
            }
        }
        for OfRule { suite, causes, .. } in of_rules.values_mut() {
            let property = |(cause, count): (&String, &usize)| {
                Property::new(format!("cause {cause}"), plural(*count, "case"))
            };
            suite.add_properties(causes.iter().map(property));
        }
        let mut whole = TestSuite::new(format!("{device}: the run"));
        for (title, what) in troubles(run) {
            whole.add_test_case(error(&format!("{device}.run"), title, "run", &what));
        }
        let mut whole = (whole.tests > 0).then_some(whole);
        let rules = of_rules.values_mut().map(|of_rule| &mut of_rule.suite);
        if let Some(first) = rules.chain(whole.as_mut()).next() {
            let identity =
                run.header.identity.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let partial = run.partial();
            let partial = partial.as_deref().map(|partial| ("partial results", partial));
            for (name, value) in identity.chain([("front end", run.front_end())]).chain(partial) {
                first.add_property(Property::new(one_line(name, 80), one_line(value, 200)));
            }
        }
        Self { run, device, of_rules, whole }
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        for (rule, OfRule { mut suite, cases, seconds: sum, .. }) in self.of_rules {
            suite.set_time(seconds(sum));
            let all = &self.run.cases;
            let cases = cases.ranges().flat_map(|range| all.iter_of(range.clone()).zip(range));
            let mut cases = cases.peekable();
            let mut is_begun = false;
            while cases.peek().is_some() {
                let tests = cases.by_ref().take(AT_ONCE);
                let tests =
                    tests.map(|(case, index)| test(self.run, &self.device, &rule, index, &case));
                suite.test_cases = tests.collect();
                let text = Document::of_suite(suite.clone()).suite;
                let text = text.strip_suffix(END_OF_SUITE).unwrap_or(&text);
                // Further tests are in the suite that is already open.
                let text = match text.split_once('\n').filter(|_| is_begun) {
                    Some((_, tests)) => tests,
                    None => text,
                };
                write!(out, "{text}")?;
                is_begun = true;
                suite.properties.clear();
            }
            write!(out, "{END_OF_SUITE}")?;
        }
        match self.whole {
            Some(whole) => write!(out, "{}", Document::of_suite(whole).suite),
            None => Ok(()),
        }
    }
}

fn broken_device((device, why): &(String, String)) -> TestSuite {
    let mut suite = TestSuite::new(one_line(device, 80));
    suite.add_test_case(error("device", "cannot be judged", "broken-device", why));
    suite
}

fn test(run: &Run, device: &str, rule: &str, index: usize, case: &CaseResult) -> TestCase {
    let name = one_line(CaseId::new(&case.id).behind_rule(), 400);
    let mut test = TestCase::new(name, status(run, index, case));
    // Viewers cut class names at dots: device, family, rule.
    test.set_classname(format!("{device}.{}", one_line(rule, 200).replace('/', ".")));
    test.set_time(seconds(case.seconds));
    test
}

fn status(run: &Run, index: usize, case: &CaseResult) -> TestCaseStatus {
    if run.status(index, case.finding.kind) == Status::Pass {
        return TestCaseStatus::success();
    }
    if let Some(why) = skip_reason(run, index, case) {
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
    status.set_description(describe(&run.header, case));
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

/// Returns the seconds as a duration; 0 if the file has a number that is not a duration.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
