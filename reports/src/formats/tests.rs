use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

use expect_test::expect;
use expectations::{
    case_id::CaseId,
    cause::load_causes,
    device::load_device,
    judge::{Finding, FindingKind, Reason},
    outcome::{Outcome, OutcomeKind},
    rule::Expectation,
};
use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use results::{
    cases::Cases,
    run::{Ending, StaleEntry},
    shared_check::SharedCheck,
};

use super::*;
use crate::{
    alike::{Alike, alike},
    fixtures,
};

/// The file of a device whose one entry explains what times out.
const DEVICE: &str = r#"what = "a device"
front-end = "clang 15"

[device]
type = "checker"

[[deviation]]
cases = ["a/*"]
findings = ["timeout"]
kind = "driver-bug"
cause = "a-cause"
reason = "a reason on record"
"#;

/// A sample of everything that a run can hold.
#[derive(Debug)]
struct Sample {
    device: String,
    identity: BTreeMap<String, String>,
    cases: Cases,
    stale: Vec<String>,
    reason: String,
    missing: usize,
}

impl Sample {
    fn run(&self) -> Run {
        let cases: Vec<CaseResult> = self.cases.iter().map(Cow::into_owned).collect();
        let mut run = fixtures::run(&self.device, "", cases);
        run.header.identity.clone_from(&self.identity);
        run.header.unsupported.clone_from(&self.identity);
        run.header.cases += self.missing;
        if let (Ending::Finished(end), missing) = (&mut run.ending, self.missing) {
            end.seconds = 1.25;
            if missing > 0 {
                let shared_check = SharedCheck::default();
                run.ending = Ending::Stopped { seconds: 1.25, shared_check };
            }
        }
        let mut device = load_device("x", "x.toml", DEVICE).unwrap();
        self.reason.clone_into(&mut device.deviations[0].reason);
        run.device = Some(device);
        let numbered = self.cases.iter().enumerate();
        let explained = numbered.filter(|(_, case)| case.finding.kind == FindingKind::Timeout);
        run.judgement.baseline.explained = explained.map(|(number, _)| (number, 0)).collect();
        let stale = |text: &String| StaleEntry {
            entry: 0,
            place: "pocl.toml:3".to_owned(),
            parts: vec![text.clone()],
            why: "its cases now behave as required".to_owned(),
            is_whole: true,
        };
        run.judgement.stale = self.stale.iter().map(stale).collect();
        run
    }

    /// Tests that are neither passed nor skipped.
    fn failures(&self) -> usize {
        let bad = |case: &Cow<'_, CaseResult>| {
            matches!(
                case.finding.kind,
                FindingKind::Fail
                    | FindingKind::Crash
                    | FindingKind::Inconclusive
                    | FindingKind::Flaky
            )
        };
        self.cases.iter().filter(bad).count() + self.stale.len() + usize::from(self.missing > 0)
    }
}

fn case(id: &str, kind: FindingKind, log: &str) -> CaseResult {
    let outcome = Outcome {
        log: log.to_owned(),
        ..Outcome::new(OutcomeKind::Rejected).with_detail("status -11")
    };
    let expectation = Expectation::Reject { breaks: "a/b".into() };
    let finding = Finding { kind, reason: Reason::WrongPlace };
    CaseResult {
        control: Some("a/b/cl12/x=0".to_owned()),
        seconds: 0.5,
        remarks: vec![log.to_owned()],
        ..CaseResult::new(
            id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &expectation,
            outcome,
            finding,
        )
    }
}

/// One of the formats.
type Format = fn(&mut dyn Write, &[Run], &[(String, String)]) -> io::Result<()>;

fn written(format: Format, runs: &[Run], broken: &[(String, String)]) -> String {
    let mut text = Vec::new();
    format(&mut text, runs, broken).unwrap();
    String::from_utf8(text).unwrap()
}

/// Returns a strategy for text that a driver might print to break a document.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        "\u{1b}[31mred",
        "\0",
        "\u{b}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{202e}",
        "\u{85}",
        "\u{2028}",
        "\r\n",
        "\n",
        "]]>",
        "<!--",
        "-->",
        "</testsuite>",
        "<script>alert(1)</script>",
        "&",
        "&#0;",
        "\"",
        "'",
        "```\n",
        "~~~~",
        "`",
        "|",
        "# SKIP",
        "# TODO",
        "\\",
        "\nok 1\n",
        "\n1..0\n",
        "Bail out!",
        "\n---\n",
        "\n  ...\n",
        "[a](http://b)",
        "![a](b)",
        "<http://c>",
        "https://d.example",
        "@someone",
        "/",
        "a/b/c",
        "\n\n# heading\n\n",
        "    ",
        "\t",
        "é",
        "😀",
    ];
    let piece = prop_oneof![3 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn kind() -> impl Strategy<Value = FindingKind> {
    prop::sample::select(FindingKind::ALL.to_vec())
}

prop_compose! {
    fn sample()(
        device in hostile(),
        identity in prop::collection::btree_map(hostile(), hostile(), 0..3),
        cases in prop::collection::vec((hostile(), kind(), hostile()), 0..8),
        stale in prop::collection::vec(hostile(), 0..3),
        reason in hostile(),
        missing in 0_usize..3,
    ) -> Sample {
        let cases: Vec<_> = cases.iter().map(|(id, kind, log)| case(id, *kind, log)).collect();
        let cases = Cases::new(cases);
        Sample { device, identity, cases, stale, reason, missing }
    }
}

proptest! {
    #[test]
    fn any_run_is_a_junit_document(sample in sample()) {
        let xml = written(junit::write, &[sample.run()], &[("broken".to_owned(), sample.reason.clone())]);
        prop_assert!(!xml.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{xml:?}");
        let read = junit_parser::from_reader(xml.as_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let troubles = sample.stale.len() + usize::from(sample.missing > 0);
        prop_assert_eq!(read.suites.iter().map(|suite| suite.cases.len()).sum::<usize>(), sample.cases.len() + troubles + 1);
        prop_assert_eq!((read.failures + read.errors) as usize, sample.failures() + 1);
        let passed = sample.cases.iter().filter(|case| case.finding.kind == FindingKind::Pass).count();
        let read_passed = read.suites.iter().flat_map(|suite| &suite.cases).filter(|case| case.status.is_success());
        prop_assert_eq!(read_passed.count(), passed);
        let names: BTreeSet<&str> = read.suites.iter().flat_map(|suite| &suite.cases).map(|case| case.original_name.as_str()).collect();
        for case in sample.cases.iter() {
            let name = one_line(CaseId::new(&case.id).behind_rule(), 400);
            prop_assert!(names.contains(name.as_str()), "{name:?} is not among {names:?}");
        }
    }

    #[test]
    fn any_run_is_a_tap_stream(sample in sample()) {
        let stream = written(tap::write, &[sample.run()], &[]);
        let mut lines = stream.lines();
        prop_assert_eq!(lines.next(), Some("TAP version 13"));
        let plan = lines.next().unwrap().strip_prefix("1..").unwrap().parse::<usize>().unwrap();
        let mut tests = 0;
        let mut failed = 0;
        for line in lines {
            if line.starts_with("ok ") || line.starts_with("not ok ") {
                tests += 1;
                let number = line.trim_start_matches("not ").trim_start_matches("ok ").split(' ').next();
                prop_assert_eq!(number.unwrap().parse::<usize>().unwrap(), tests);
                let directives = line.replace("\\#", "").matches('#').count();
                prop_assert!(directives <= 1, "{line:?}");
                failed += usize::from(line.starts_with("not ok ") && directives == 0);
            } else {
                prop_assert!(line == "  ---" || line == "  ..." || line.starts_with("  message: \""), "{line:?}");
            }
        }
        prop_assert_eq!((plan, failed), (tests, sample.failures()));
    }

    #[test]
    fn any_run_is_a_page_that_holds_only_our_markup(sample in sample()) {
        let page = written(markdown::write, &[sample.run()], &[("broken".to_owned(), sample.reason.clone())]);
        let mut headings = 0;
        let mut in_code = 0;
        for event in Parser::new_ext(&page, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
            match event {
                Event::Start(Tag::Heading { .. }) => headings += 1,
                Event::Start(Tag::CodeBlock(kind)) => {
                    prop_assert!(matches!(kind, CodeBlockKind::Fenced(ref word) if &**word == "text"));
                    in_code += 1;
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    let ours = ["<details><summary>by family of rules</summary>", "</details>"];
                    prop_assert!(ours.contains(&html.trim()), "{html:?}");
                }
                Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::BlockQuote(_) | Tag::Emphasis | Tag::Strong) | Event::End(TagEnd::Image) => {
                    prop_assert!(false, "markup from a device: {page}");
                }
                _ => {}
            }
        }
        let run = sample.run();
        let unexpected = (0..sample.cases.len()).filter(|&index| run.status(index, sample.cases.get(index).finding.kind) == Status::Fail);
        let found = alike(&sample.cases, &unexpected.collect::<Vec<_>>());
        prop_assert_eq!(headings, 2 + found.len());
        let has_log = |alike: &&Alike| !sample.cases.get(alike.cases[0]).outcome.log.trim().is_empty();
        prop_assert_eq!(in_code, found.iter().filter(has_log).count());
    }
}

fn small() -> Sample {
    Sample {
        device: "pocl".to_owned(),
        identity: BTreeMap::from([("driver".to_owned(), "3.1".to_owned())]),
        cases: Cases::new(vec![
            case("a/b/cl12/x=1", FindingKind::Pass, ""),
            case("a/b/cl12/x=2", FindingKind::Fail, "k:3: error: `x` <here>"),
            case("a/b/cl12/x=3", FindingKind::Timeout, ""),
            case("a/c/cl12/x=1", FindingKind::Crash, ""),
            case("a/c/cl12/x=2", FindingKind::Unsupported, ""),
        ]),
        stale: vec!["a/b/*".to_owned()],
        reason: "hangs on #".to_owned(),
        missing: 0,
    }
}

#[test]
fn a_rule_of_many_cases_is_one_suite() {
    let many = |number| case(&format!("a/b/cl12/x={number}"), FindingKind::Pass, "");
    let sample = Sample { cases: Cases::new((0..2500).map(many).collect()), ..small() };
    let xml = written(junit::write, &[sample.run()], &[]);
    let read = junit_parser::from_reader(xml.as_bytes()).unwrap();
    let tests: Vec<usize> = read.suites.iter().map(|suite| suite.cases.len()).collect();
    assert_eq!(tests, [2500, 1]);
    assert_eq!(xml.matches("<properties>").count(), 1);
    assert_eq!(xml.lines().filter(|line| line.starts_with("        <testcase ")).count(), 2501);
}

#[test]
fn a_junit_document() {
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="OpenCL C address spaces" tests="6" failures="1" errors="2" time="1.250">
            <testsuite name="pocl: a/b" tests="3" skipped="1" errors="0" failures="1" time="1.500">
                <properties>
                    <property name="cause a-cause" value="1 case"/>
                    <property name="driver" value="3.1"/>
                    <property name="front end" value="clang 15"/>
                </properties>
                <testcase name="cl12/x=1" classname="pocl.a.b" time="0.500"/>
                <testcase name="cl12/x=2" classname="pocl.a.b" time="0.500">
                    <failure message="rejects it, but with no error on the guilty line" type="fail">rejects it, but with no error on the guilty line (reject expected)
        breaks:   a/b
        control:  a/b/cl12/x=0
        detail:   status -11
        remark:   k:3: error: `x` &lt;here&gt;
        show:     address-spaces show a/b/cl12/x=2
        rerun:    address-spaces --device pocl --exact a/b/cl12/x=2
        log:
        k:3: error: `x` &lt;here&gt;</failure>
                </testcase>
                <testcase name="cl12/x=3" classname="pocl.a.b" time="0.500">
                    <skipped message="expected failure: hangs on #"/>
                </testcase>
            </testsuite>
            <testsuite name="pocl: a/c" tests="2" skipped="1" errors="1" failures="0" time="1.000">
                <testcase name="cl12/x=1" classname="pocl.a.c" time="0.500">
                    <error message="rejects it, but with no error on the guilty line" type="crash">rejects it, but with no error on the guilty line (reject expected)
        breaks:   a/b
        control:  a/b/cl12/x=0
        detail:   status -11
        show:     address-spaces show a/c/cl12/x=1
        rerun:    address-spaces --device pocl --exact a/c/cl12/x=1</error>
                </testcase>
                <testcase name="cl12/x=2" classname="pocl.a.c" time="0.500">
                    <skipped message="unsupported: status -11"/>
                </testcase>
            </testsuite>
            <testsuite name="pocl: the run" tests="1" skipped="0" errors="1" failures="0">
                <testcase name="stale baseline entry" classname="pocl.run">
                    <error message="pocl.toml:3: a/b/* (its cases now behave as required)" type="run"/>
                </testcase>
            </testsuite>
        </testsuites>
    "#]].assert_eq(&written(junit::write, &[small().run()], &[]));
}

#[test]
fn a_tap_stream() {
    expect![[r#"
        TAP version 13
        1..6
        ok 1 - a/b/cl12/x=1
        not ok 2 - a/b/cl12/x=2
          ---
          message: "rejects it, but with no error on the guilty line (reject expected)\nbreaks:   a/b\ncontrol:  a/b/cl12/x=0\ndetail:   status -11\nremark:   k:3: error: `x` <here>\nshow:     address-spaces show a/b/cl12/x=2\nrerun:    address-spaces --device pocl --exact a/b/cl12/x=2\nlog:\nk:3: error: `x` <here>"
          ...
        not ok 3 - a/b/cl12/x=3 # TODO expected failure: hangs on \#
        not ok 4 - a/c/cl12/x=1
          ---
          message: "rejects it, but with no error on the guilty line (reject expected)\nbreaks:   a/b\ncontrol:  a/b/cl12/x=0\ndetail:   status -11\nshow:     address-spaces show a/c/cl12/x=1\nrerun:    address-spaces --device pocl --exact a/c/cl12/x=1"
          ...
        ok 5 - a/c/cl12/x=2 # SKIP unsupported: status -11
        not ok 6 - pocl: stale baseline entry
          ---
          message: "pocl.toml:3: a/b/* (its cases now behave as required)"
          ...
    "#]].assert_eq(&written(tap::write, &[small().run()], &[]));
}

#[test]
fn a_page() {
    expect![[r#"
        # Address spaces of OpenCL C

        | device | front end | verdict | pass | fail | timeout | crash | inconclusive | flaky | disputed | unsupported | unexpected |
        |---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
        | pocl | clang 15 | ✗ unexpected findings | 1 | 1 | 1 | 1 | 0 | 0 | 0 | 1 | 2 |

        ## pocl

        - driver: `3.1`

        ✗ stale baseline entry: pocl.toml:3: a/b/\* \(its cases now behave as required\)

        ### ✗ fail: `a/b/cl12/x=2`

        rejects it, but with no error on the guilty line (reject expected).

        - control: `a/b/cl12/x=0`
        - show: `address-spaces show a/b/cl12/x=2`
        - rerun: `address-spaces --device pocl --exact a/b/cl12/x=2`

        ```text
        k:3: error: `x` <here>
        ```

        ### ✗ crash: `a/c/cl12/x=1`

        rejects it, but with no error on the guilty line (reject expected).

        - control: `a/b/cl12/x=0`
        - show: `address-spaces show a/c/cl12/x=1`
        - rerun: `address-spaces --device pocl --exact a/c/cl12/x=1`

        <details><summary>by family of rules</summary>

        | family | pass | fail | timeout | crash | inconclusive | flaky | disputed | unsupported |
        |---|---:|---:|---:|---:|---:|---:|---:|---:|
        | a | 1 | 1 | 1 | 1 | 0 | 0 | 0 | 1 |

        </details>
    "#]].assert_eq(&written(markdown::write, &[small().run()], &[]));
}

#[test]
fn causes_that_runs_met_are_a_table() {
    let causes = r#"
        current = []
        [[cause]]
        id = "a-cause"
        title = "OpenCL: hangs on a | b"
        component = "pocl-compiler"
        clauses = ["OpenCL_C#restrictions"]
    "#;
    let told = |causes: &str| {
        let mut text = Vec::new();
        let causes = load_causes("causes.toml", causes).unwrap();
        markdown::write_causes(&mut text, &causes, &[small().run()]).unwrap();
        String::from_utf8(text).unwrap()
    };
    expect![[r#"

        ## Known causes: pocl

        | cause | what is wrong | component | cases |
        |---|---|---|---:|
        | [`a-cause`](docs/upstream.md#a-cause) | OpenCL: hangs on a \| b | PoCL's kernel compiler | 1 |
    "#]]
    .assert_eq(&told(causes));
    // A user's own.
    let other = told(&causes.replace("a-cause", "another"));
    assert!(other.ends_with("| `a-cause` |  |  | 1 |\n"), "{other}");
}
