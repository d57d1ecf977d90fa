use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::{LazyLock, Mutex},
};

use expectations::{
    baseline::{JudgedCase, compare_with_baseline},
    cause::load_causes,
    copies::Copies,
    device::{DeviceFile, load_device},
    dialect::Dialect,
    judge::{Finding, FindingKind, Reason},
    outcome::{Difference, Outcome, OutcomeKind, Run as Execution, RunKind},
    rule::Expectation,
};
use proptest::prelude::*;
use results::line::CaseResult;

use super::*;
use crate::fixtures;

const DEVICE: &str = r#"what = "a device"
front-end = "clang 15"

[device]
type = "checker"

[[deviation]]
cases = ["conversion/*"]
findings = ["fail"]
kind = "driver-bug"
cause = "a-cause"
reason = "a reason on record"
"#;

const CAUSES: &str = r#"
current = []
[[cause]]
id = "a-cause"
title = "OpenCL: hangs on a < b"
component = "pocl-compiler"
clauses = ["OpenCL_C#restrictions"]
"#;

static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::embedded().unwrap());

fn case(id: &str, kind: FindingKind, log: &str) -> CaseResult {
    let outcome = Outcome { log: log.to_owned(), ..Outcome::new(OutcomeKind::Accepted) };
    let finding = Finding { kind, reason: Reason::AcceptsInvalid };
    let expectation = Expectation::Reject { breaks: "conversion/implicit".into() };
    CaseResult::new(
        id,
        expectations::dialect::Dialect::from_name("cl12").unwrap(),
        &expectation,
        outcome,
        finding,
    )
}

fn judged(run: &Run, device: Option<&DeviceFile>) -> Run {
    let mut run = Run { path: "out".into(), ..run.clone() };
    let Some(device) = device else { return run };
    let cases: Vec<_> = run.cases.iter().map(Cow::into_owned).collect();
    let judged: Vec<JudgedCase<'_>> = cases
        .iter()
        .map(|case| JudgedCase {
            id: &case.id,
            shape: None,
            verdict: case.expectation,
            finding: case.finding,
            reached: case.outcome.reached(),
            broken: case.outcome.module.as_deref().map(|module| &module.broken[..]),
        })
        .collect();
    let meets = |_, _| unreachable!();
    run.judgement.baseline = compare_with_baseline(&device.deviations, &judged, meets);
    run.device = Some(device.clone());
    run
}

fn pages(run: &Run, device: Option<&DeviceFile>) -> BTreeMap<String, String> {
    pages_of(&[run], device, Comparisons::OfDevices)
}

fn pages_of(
    all: &[&Run],
    device: Option<&DeviceFile>,
    compared: Comparisons<'_>,
) -> BTreeMap<String, String> {
    let runs: Vec<Run> = all.iter().map(|run| judged(run, device)).collect();
    let runs: Vec<&Run> = runs.iter().collect();
    let copies = Copies::default();
    let known_causes = load_causes("causes.toml", CAUSES).unwrap();
    let input = Input {
        suite: &SUITE,
        copies: &copies,
        causes: &known_causes,
        runs: &runs,
        compared,
        history: None,
        written: "today",
    };
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
        let pages = pages(&fixtures::run("x", "", vec![case(id, kind, "")]), device);
        let shown = format!("<strong>{verdict}</strong>");
        assert!(pages["index.html"].contains(&shown), "{id} {kind:?}: no {shown}");
        let has_finding = pages.keys().any(|page| page.starts_with("findings/"));
        assert_eq!(has_finding, verdict.contains("unexpected finding"), "{id} {kind:?}");
    }
}

#[test]
fn the_front_page_is_red_for_whatever_ends_a_run_red() {
    let case = case("a/b/cl12/x=1", FindingKind::Pass, "");
    let mut run = fixtures::run("x", "", vec![case]);
    assert!(!pages(&run, None)["index.html"].contains("Not as expected"));
    run.judgement.unknown_rules.insert("a/b".to_owned(), 1);
    let page = &pages(&run, None)["index.html"];
    assert!(page.contains("Not as expected"));
    assert!(page.contains("something else is wrong with x (1 case of no rule)."));
}

#[test]
fn the_front_page_counts_what_was_tried() {
    let case = |id: &str, kind| {
        let dialect = id.split('/').nth(2).and_then(Dialect::from_name).unwrap();
        CaseResult { dialect, ..case(id, kind, "") }
    };
    let [first, second] = ["a/b/cl12/x=1", "a/b/cl30/x=1"].map(|id| case(id, FindingKind::Pass));
    let untried = case("a/b/cl20/x=1", FindingKind::Unsupported);
    for (cases, said) in [
        (vec![first.clone(), untried.clone()], "tried as <b>1</b> small kernels in 1 dialect on"),
        (
            vec![first.clone(), second.clone(), untried.clone()],
            "tried as <b>2</b> small kernels in 2 dialects on",
        ),
        (vec![untried.clone()], "tried as <b>0</b> small kernels in 0 dialects on"),
    ] {
        let page = &pages(&fixtures::run("x", "", cases), None)["index.html"];
        assert!(page.contains(said), "no {said}");
    }
    // A case of two runs counts once.
    let one = fixtures::run("x", "", vec![first.clone(), untried.clone()]);
    let other = fixtures::run("y", "", vec![first, second]);
    let page = &pages_of(&[&one, &other], None, Comparisons::OfDevices)["index.html"];
    assert!(page.contains("tried as <b>2</b> small kernels in 2 dialects on"));
}

#[test]
fn what_is_on_record_is_told_once_per_cause() {
    let ids = [
        "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int",
        "conversion/nested/cl12/depth=2,form=assign,from=global,to=local",
    ];
    let cases = || ids.map(|id| case(id, FindingKind::Fail, "")).to_vec();
    let own = DEVICE.replace("a-cause", "my-own");
    for (device, said) in [
        (DEVICE, ["OpenCL: hangs on a &lt; b", "At fault: PoCL"]),
        (own.as_str(), ["a reason on record", "2 cases"]),
    ] {
        let device = load_device("x", "x.toml", device).unwrap();
        let pages = pages(&fixtures::run("x", "", cases()), Some(&device));
        let first = pages["index.html"].split("<ol class=\"first\">").nth(1).unwrap();
        let first = first.split("</ol>").next().unwrap();
        assert_eq!(first.matches("<li").count(), 1, "{first}");
        for part in said.into_iter().chain(["conversion/implicit", "conversion/nested", "2 cases"])
        {
            assert!(first.contains(part), "{part} is not in\n{first}");
        }
        // Nothing is unexpected: the verdict is not a warning.
        assert!(pages["index.html"].contains("<div class=\"verdict p\">"));
    }
}

#[test]
fn the_matrix_has_the_rules_of_the_runs_and_knows_which_are_disputed() {
    let known = "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";
    let disputed = "qualifier/no-effect/cl12/x";
    let cases = vec![
        case(known, FindingKind::Pass, ""),
        case(disputed, FindingKind::Pass, ""),
        case(disputed, FindingKind::Disputed, ""),
    ];
    let page = &pages(&fixtures::run("x", "", cases), None)["index.html"];
    let rows: Vec<&str> =
        page.split("<tr data-rule").skip(1).map(|row| row.split("</th>").next().unwrap()).collect();
    let [implicit, no_effect] = rows.as_slice() else { panic!("{rows:?}") };
    assert!(implicit.contains("conversion/implicit") && !implicit.contains("data-disputed"));
    assert!(no_effect.contains("qualifier/no-effect") && no_effect.contains(" data-disputed"));
}

/// Returns cases of rules that the suite has and of one that it does not know: more than have a page of their own.
fn many(kind: FindingKind) -> Vec<CaseResult> {
    let known = "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";
    let of_suite = (0..12).map(|number| format!("conversion/implicit/cl20/x={number}"));
    let others = (0..3).map(|number| format!("a b/c/cl12/x y={number}"));
    let ids = of_suite.chain(others).chain([known.to_owned()]);
    ids.map(|id| case(&id, kind, "")).collect()
}

#[test]
fn every_deviating_case_has_an_address_that_pages_lead_to() {
    let device = load_device("x", "x.toml", &DEVICE.replace("conversion/*", "*")).unwrap();
    for (kind, device) in [
        (FindingKind::Fail, Some(&device)),
        (FindingKind::Fail, None),
        (FindingKind::Crash, Some(&device)),
    ] {
        let pages = pages(&fixtures::run("x", "", many(kind)), device);
        let of_cases: Vec<&String> = pages
            .iter()
            .filter_map(|(path, page)| path.starts_with("deviations/x/").then_some(page))
            .collect();
        assert_eq!(of_cases.len(), 2);
        for CaseResult { id, .. } in many(kind) {
            let anchor = names::anchor("conversion/implicit", &id);
            let named = format!(" id=\"{anchor}\"");
            let count: usize = of_cases.iter().map(|page| page.matches(&named).count()).sum();
            assert_eq!(count, 1, "{id} {kind:?}");
        }
        let of_rule = "deviations/x/conversion/implicit.html";
        let first = "cl12/form=assign,from=global,spelling=plain,to=local,type=int";
        for (page, link) in [
            ("index.html", of_rule.to_owned()),
            ("devices/x.html", format!("../{of_rule}#{first}")),
            ("rules/conversion/implicit.html", format!("../../{of_rule}#{first}")),
            (of_rule, format!("../../../{of_rule}#cl20/x=0")),
        ] {
            assert!(pages[page].contains(&format!("href=\"{link}\"")), "{page}: no {link}");
        }
        // The table of all cases knows the page too.
        let table = format!("\"deviations\":[\"{of_rule}\"]");
        assert!(pages["rules/conversion/implicit.html"].contains(&table));
    }
}

#[test]
fn the_example_of_a_rule_is_what_a_device_gets_wrong() {
    let known = "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";
    let check = |kind: FindingKind, is_seen: bool| {
        let pages = pages(&fixtures::run("x", "", vec![case(known, kind, "")]), None);
        let page = &pages["rules/conversion/implicit.html"];
        let example = page.split("id=\"example\"").nth(1).unwrap();
        let example = example.split("</section>").next().unwrap();
        assert_eq!(example.contains("<b>x</b>: <a"), is_seen, "{kind:?}: {example}");
        assert_eq!(example.contains(known), is_seen, "{kind:?}: {example}");
        assert!(example.contains("class=\"ln guilty"), "{example}");
    };
    check(FindingKind::Pass, false);
    check(FindingKind::Fail, true);
}

#[test]
fn a_rule_begins_with_its_statement_and_a_kernel_in_1_2() {
    let newer = "conversion/implicit/cl30/form=assign,from=global,spelling=plain,to=local,type=int";
    let result = CaseResult {
        dialect: Dialect::from_name("cl30").unwrap(),
        ..case(newer, FindingKind::Fail, "")
    };
    let pages = pages(&fixtures::run("x", "", vec![result]), None);
    let page = &pages["rules/conversion/implicit.html"];
    let order = [
        "<p class=\"lead\">",
        "<h2 id=\"example\">",
        "<code>conversion/implicit/cl12/",
        "<h2 id=\"text\">",
        "The OpenCL C Specification, 3.0 unified: <a ",
        ">address spaces conversions</a>",
        "<code>report --spec OpenCL_C.txt</code>",
        "<h2 id=\"say\">",
        "<h2 id=\"deviations\">",
        newer,
        "<h2 id=\"cases\">",
        "<details class=\"hashes\">",
        "<code>[addr-spaces-conversions]</code>",
    ];
    let places: Vec<_> = order.iter().map(|part| page.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{page}");
}

#[test]
fn the_sentence_that_decides_is_one_click_away() {
    let known = "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";
    let pages = pages(&fixtures::run("x", "", vec![case(known, FindingKind::Fail, "")]), None);
    let of_case = |path: &&String| !path.starts_with("rules/") && path.contains('/');
    let paths: Vec<&String> = pages.keys().filter(of_case).collect();
    assert_eq!(paths.len(), 3, "{paths:?}");
    let decides = "#addr-spaces-conversions\"";
    for path in paths.into_iter().filter(|path| !path.starts_with("devices/")) {
        assert!(pages[path].contains(decides), "{path}");
    }
    assert!(pages["rules/conversion/implicit.html"].contains(decides));
}

#[test]
fn runs_are_held_against_each_other_by_cause_and_by_case() {
    let id = "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";
    let anchor = names::anchor("conversion/implicit", id);
    let run =
        |device: &str, driver: &str, kind| fixtures::run(device, driver, vec![case(id, kind, "")]);
    let check = |[old, new]: [&str; 2], compared: Comparisons<'_>, path: &str, said: [&str; 3]| {
        let file = load_device("x", "x.toml", DEVICE).unwrap();
        let old = run(old, "1.0", FindingKind::Pass);
        let new = run(new, "2.0", FindingKind::Fail);
        let pages = pages_of(&[&old, &new], Some(&file), compared);
        assert!(pages["index.html"].contains(&format!("href=\"{path}\"")), "{path}");
        let page = &pages[path];
        let link = format!("#{anchor}\"><code>{id}</code></a>");
        // As the example of its cause, and as the case that changed.
        assert_eq!(page.matches(&link).count(), 2, "{page}");
        for part in said.into_iter().chain(["OpenCL: hangs on a &lt; b"]) {
            assert!(page.contains(part), "{part} is not in\n{page}");
        }
    };
    let worse = ["worse since 2.0", "<b>1</b> Regressions", ", now fail"];
    check(["x@old", "x"], Comparisons::OfDevices, "compared/x.html", worse);
    check(["x", "y"], Comparisons::These(&[vec![0, 1]]), "compared/x-and-y.html", worse);
    let better = ["mended in 1.0", "<b>1</b> Fixes", ", now pass"];
    check(["x", "y"], Comparisons::These(&[vec![1, 0]]), "compared/y-and-x.html", better);
}

#[test]
fn code_in_texts_is_code_and_no_column_is_empty() {
    let id = "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";
    let file = DEVICE.replace("a reason on record", "takes `a < b`");
    let file = load_device("x", "x.toml", &file).unwrap();
    let mut results = fixtures::run("x", "1.0", vec![case(id, FindingKind::Fail, "")]);
    let whole = pages(&results, Some(&file));
    for path in [
        "devices/x.html",
        "rules/conversion/implicit.html",
        "deviations/x/conversion/implicit.html",
    ] {
        assert!(whole[path].contains("takes <code>a &lt; b</code>"), "{path}");
    }
    assert!(!whole["devices/x.html"].contains("why not"));
    results.header.unsupported.insert("cl12".to_owned(), "no `-cl-std`".to_owned());
    let partly = pages(&results, Some(&file));
    assert!(partly["devices/x.html"].contains("<td>no <code>-cl-std</code></td>"));
}

#[test]
fn axes_stand_in_the_order_of_their_rule() {
    let first = |rule| SUITE.cases(&[rule], &Dialect::ALL).into_iter().next();
    let cases = (0..SUITE.rules().len()).filter_map(first);
    let cases = cases.map(|first| case(&first.id, FindingKind::Pass, "")).collect();
    let pages = pages(&fixtures::run("x", "", cases), None);
    for rule in SUITE.rules() {
        let page = &pages[&format!("rules/{}.html", rule.id)];
        let (_, axes) = page.split_once("<dl class=\"axes\">").unwrap();
        let (axes, _) = axes.split_once("</dl>").unwrap();
        let shown = axes.split("<dt>").skip(1).map(|axis| axis.split_once("</dt>").unwrap().0);
        assert!(shown.eq(rule.axes.keys().map(String::as_str)), "{}", rule.id);
    }
}

#[test]
fn the_table_of_cases_says_which_anchors_cannot_be_read_off_ids() {
    let check = |point: &str, said: &str| {
        let id = format!("conversion/implicit/cl12/{point}");
        let pages = pages(&fixtures::run("x", "", vec![case(&id, FindingKind::Fail, "")]), None);
        assert!(pages["rules/conversion/implicit.html"].contains(said), "{id}");
        let anchor = format!("id=\"{}\"", names::anchor("conversion/implicit", &id));
        assert!(pages["deviations/x/conversion/implicit.html"].contains(&anchor), "{id}");
    };
    check("form=assign", "\"hashed\":[]");
    check("form=a b", "\"hashed\":[0]");
}

#[test]
fn the_page_of_a_finding_shows_what_was_built_and_seen() {
    let mut probe = case("random/valid/cl12/seed=7", FindingKind::Fail, "");
    probe.outcome.run = Some(Box::new(Execution {
        differences: vec![Difference {
            place: "o[0] <b>".to_owned(),
            expected: "1".to_owned(),
            seen: "2".to_owned(),
        }],
        differing: 7,
        ..Execution::new(RunKind::Completed, "")
    }));
    let pages = pages(&fixtures::run("x", "", vec![probe]), None);
    let (_, page) = pages.iter().find(|(path, _)| path.starts_with("findings/")).unwrap();
    for expected in
        ["kernel void", "What was seen when it ran", "o[0] &lt;b&gt;", "and 6 more", "seed=7"]
    {
        let text = page.replace("<span class=\"t-w\">", "").replace("</span>", "");
        assert!(text.contains(expected), "no {expected}");
    }
    assert!(pages["index.html"].contains("Random programs, valid by construction."));
}

#[test]
fn findings_that_look_alike_are_one_block_with_the_first_in_full() {
    let accepted =
        "conversion/implicit/cl12/form=assign,from=global,spelling=plain,to=local,type=int";
    let rejected = |rule: &str, number: usize| {
        let id = format!("{rule}/cl12/x={number}");
        let mut case = case(&id, FindingKind::Fail, &format!("k:{number}: error: no <it>"));
        case.finding.reason = Reason::RejectsValid;
        case
    };
    let mut cases: Vec<CaseResult> = (0..9).map(|number| rejected("a/b", number)).collect();
    cases.extend((0..12).map(|number| rejected("a/c", number)));
    cases.push(case(accepted, FindingKind::Fail, ""));
    let pages = pages(&fixtures::run("x", "", cases), None);
    let page = pages["devices/x.html"].replace("<wbr>", "");
    let blocks: Vec<&str> = page.split("<article class=\"dev x\">").skip(1).collect();
    assert_eq!(blocks.len(), 2);
    for expected in
        ["a/b/cl12/x=0", "error: no &lt;it&gt;", "20 more look alike", "a/c</code></a> (12)"]
    {
        assert!(blocks[0].contains(expected), "no {expected} in {}", blocks[0]);
    }
    for expected in [accepted, "guilty", "Its control", "1 case"] {
        assert!(blocks[1].contains(expected), "no {expected} in {}", blocks[1]);
    }
    assert!(!blocks[1].contains("alike"));
    // The first eight of each rule.
    assert_eq!(pages.keys().filter(|page| page.starts_with("findings/")).count(), 17);
}

proptest! {
    // A page of each of two hundred rules is made each time.
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_of_a_device_is_markup(name in ".*", id in ".*", log in ".*") {
        let mark = "<i>harm</i>";
        let hostile = |text: &str| format!("{text}{mark}\"'");
        let case = case(&hostile(&id), FindingKind::Fail, &hostile(&log));
        for (path, page) in pages(&fixtures::run(&hostile(&name), "", vec![case]), None) {
            prop_assert!(!page.contains(mark), "{}", path);
        }
    }
}
