use std::{
    collections::BTreeMap,
    sync::{LazyLock, Mutex},
};

use expectations::{
    baseline::{JudgedCase, compare_with_baseline},
    copies::Copies,
    device::load_device,
    judge::{Finding, FindingKind, Reason},
    outcome::{Difference, Outcome, OutcomeKind, Run, RunKind},
    rule::Expectation,
};
use proptest::prelude::*;

use super::*;
use crate::cases::Cases;
use crate::results::{CaseResult, End, FORMAT, Header};

const DEVICE: &str = r#"what = "a device"
front-end = "clang 15"

[device]
type = "checker"

[[deviation]]
cases = ["conversion/*"]
findings = ["fail"]
kind = "driver-bug"
reason = "a reason on record"
"#;

static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::embedded().unwrap());

fn results(device: &str, cases: Vec<CaseResult>) -> Results {
    Results {
        header: Header {
            format: FORMAT,
            program: "0.1.0".to_owned(),
            suite: "ab".to_owned(),
            selection: BTreeMap::new(),
            cases: cases.len(),
            device: device.to_owned(),
            front_end: "clang 15".to_owned(),
            begun: String::new(),
            options: BTreeMap::new(),
            machine: BTreeMap::new(),
            identity: BTreeMap::new(),
            shard: None,
            unsupported: BTreeMap::new(),
            environment: BTreeMap::new(),
        },
        cases: Cases::new(cases),
        unreproduced: Vec::new(),
        end: Some(End { findings: BTreeMap::new(), seconds: 1.0 }),
        intact_bytes: 0,
    }
}

fn case(id: &str, kind: FindingKind, log: &str) -> CaseResult {
    let outcome = Outcome { log: log.to_owned(), ..Outcome::new(OutcomeKind::Accepted) };
    let finding = Finding { kind, reason: Reason::AcceptsInvalid };
    let expectation = Expectation::Reject { breaks: "conversion/implicit".to_owned() };
    CaseResult::new(id, "cl12", &expectation, outcome, finding)
}

fn pages(results: &Results, device: Option<&DeviceFile>) -> BTreeMap<String, String> {
    let cases: Vec<_> = results.cases.iter().collect();
    let judged: Vec<JudgedCase<'_>> = cases
        .iter()
        .map(|case| JudgedCase {
            id: &case.id,
            shape: None,
            expectation: &case.expectation,
            finding: case.finding,
            reached: case.outcome.reached(),
        })
        .collect();
    let baseline = device.map(|device| {
        (device, compare_with_baseline(&device.deviations, &judged, |_, _| unreachable!()))
    });
    let known = baseline.as_ref().map(|(device, baseline)| Known { device, baseline });
    let runs = [RunInput { path: "out".to_owned(), results, partial: None, known }];
    let copies = Copies::default();
    let input =
        Input { suite: &SUITE, copies: &copies, runs: &runs, history: None, written: "today" };
    let pages = Mutex::new(BTreeMap::new());
    let keep = |path, text: &str| -> Result<(), PageError> {
        pages.lock().unwrap().insert(path, text.to_owned());
        Ok(())
    };
    site(&input, &keep).unwrap();
    pages.into_inner().unwrap()
}

#[test]
fn the_front_page_says_what_it_comes_to() {
    let device = load_device("x", "x.toml", DEVICE).unwrap();
    let known = "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";
    for (id, kind, device, verdict) in [
        (known, FindingKind::Pass, Some(&device), "No deviation"),
        (known, FindingKind::Fail, Some(&device), "Nothing unexpected"),
        (known, FindingKind::Fail, None, "1 unexpected finding"),
        (known, FindingKind::Crash, Some(&device), "1 unexpected finding"),
        (known, FindingKind::Unsupported, Some(&device), "Nothing was judged"),
        ("random/1", FindingKind::Crash, None, "1 unexpected finding"),
    ] {
        let pages = pages(&results("x", vec![case(id, kind, "")]), device);
        let shown = format!("<strong>{verdict}</strong>");
        assert!(pages["index.html"].contains(&shown), "{id} {kind:?}: no {shown}");
        let has_finding = pages.keys().any(|page| page.starts_with("findings/"));
        assert_eq!(has_finding, verdict.contains("unexpected finding"), "{id} {kind:?}");
    }
}

#[test]
fn the_page_of_a_finding_shows_what_was_built_and_seen() {
    let mut probe = case("random/valid/cl12/seed=7", FindingKind::Fail, "");
    probe.outcome.run = Some(Box::new(Run {
        differences: vec![Difference {
            place: "o[0] <b>".to_owned(),
            expected: "1".to_owned(),
            seen: "2".to_owned(),
        }],
        differing: 7,
        ..Run::new(RunKind::Completed, "")
    }));
    let pages = pages(&results("x", vec![probe]), None);
    let (_, page) = pages.iter().find(|(path, _)| path.starts_with("findings/")).unwrap();
    for expected in
        ["kernel void", "What was seen when it ran", "o[0] &lt;b&gt;", "and 6 more", "seed=7"]
    {
        let text = page.replace("<span class=\"t-w\">", "").replace("</span>", "");
        assert!(text.contains(expected), "no {expected}");
    }
    assert!(pages["index.html"].contains("Random programs, valid by construction."));
}

proptest! {
    // A page of each of two hundred rules is made each time.
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_of_a_device_is_markup(name in ".*", id in ".*", log in ".*") {
        let mark = "<i>harm</i>";
        let hostile = |text: &str| format!("{text}{mark}\"'");
        let case = case(&hostile(&id), FindingKind::Fail, &hostile(&log));
        for (path, page) in pages(&results(&hostile(&name), vec![case]), None) {
            prop_assert!(!page.contains(mark), "{}", path);
        }
    }
}
