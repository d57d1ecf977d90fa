//! Findings on a driver that lies, changes its mind, or has lost it: the result of a second look.

use std::{collections::BTreeMap, sync::LazyLock, time::Duration};

use expectations::{judge::FindingKind, rule::Expectation};
use generator::{suite::Suite, templates::Kernel};
use libtest_mimic::{Failed, Trial};
use results::line::{CaseResult, Confirmation, Interaction, UnreproducedFailure};
use runner::{
    engine::{Cancel, Config, Depth, RunWith, processor_time},
    findings::judging::{Judging, Part, PreparedCase},
    run::{
        confirming,
        interrupted::InterruptedCases,
        scene::{RunProgress, Scene},
    },
};

use crate::{
    misbehaving::{WORKER, device, job, quick},
    running::{some_that_spoil_others, spoils},
};

static ACCEPT: Expectation = Expectation::Accept;
static REJECT: LazyLock<Expectation> =
    LazyLock::new(|| Expectation::Reject { breaks: "a/b".into() });

/// Cases of a rule: every third is valid and the control of the two behind it, which are not; at some places a case
/// with a word of its own.
fn prepared(count: usize, special: &[(usize, &str)]) -> Vec<PreparedCase<'static>> {
    let id = |index: usize| format!("a/b/cl12/x={index}");
    (0..count)
        .map(|index| {
            let usual = if index % 3 == 0 { "right" } else { "wrong" };
            let word = special.iter().find(|entry| entry.0 == index).map_or(usual, |entry| entry.1);
            let job = job(index, word);
            let valid = index % 3 == 0;
            PreparedCase {
                id: id(index),
                dialect: job.dialect,
                control: (!valid).then(|| id(index - index % 3)),
                requirements: Vec::new(),
                kernel: Kernel { source: job.source, guilty_lines: vec![2] },
                expectation: if valid { &ACCEPT } else { &REJECT },
                run_with: RunWith::Nothing,
                part: Part::default(),
                selected: true,
            }
        })
        .collect()
}

/// The events of a run.
struct Seen {
    results: BTreeMap<usize, CaseResult>,
    unreproduced: Vec<UnreproducedFailure>,
    interactions: Vec<Interaction>,
    looked_again: usize,
}

fn run(cases: &[PreparedCase<'_>], config: &Config) -> Seen {
    let suite = Suite::embedded().unwrap();
    let mut judging = Judging::new(cases, &[]);
    let (device, cancel) = (device(), Cancel::default());
    let scene = Scene {
        suite: &suite,
        device: &device,
        prepared: cases,
        config,
        depth: Depth::All,
        cancel: &cancel,
        interrupted: &InterruptedCases::default(),
    };
    let mut seen = Seen {
        results: BTreeMap::new(),
        unreproduced: Vec::new(),
        interactions: Vec::new(),
        looked_again: 0,
    };
    let all = scene.every_case();
    let wrong_values = confirming::run(scene, &all, &mut judging, &mut |told| match told {
        RunProgress::Result(result) => {
            let index = result.id.rsplit('=').next().unwrap().parse().unwrap();
            assert!(seen.results.insert(index, result.clone()).is_none(), "{}", result.id);
        }
        RunProgress::Unreproduced(what) => seen.unreproduced.push(what),
        RunProgress::LooksAgain(findings) => seen.looked_again += findings,
        RunProgress::Interaction(found) => seen.interactions.push(found),
        _ => {}
    });
    assert!(wrong_values.unwrap().is_some(), "it was not stopped");
    assert_eq!(seen.results.len(), cases.len());
    seen
}

/// Every case passes except these; returns the messages.
fn check(special: &[(usize, &str, FindingKind)], config: &Config) -> Seen {
    let words: Vec<(usize, &str)> = special.iter().map(|&(index, word, _)| (index, word)).collect();
    let seen = run(&prepared(121, &words), config);
    for (index, result) in &seen.results {
        let special = special.iter().find(|entry| entry.0 == *index);
        let expected = special.map_or(FindingKind::Pass, |entry| entry.2);
        assert_eq!(result.finding.kind, expected, "{result:?}");
    }
    seen
}

pub(crate) fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 8] = [
        ("a_green_device_costs_nothing", a_green_device_costs_nothing),
        ("a_case_that_hides_errors", a_case_that_hides_errors),
        ("a_wrong_answer_is_confirmed", a_wrong_answer_is_confirmed),
        ("answers_that_alternate", answers_that_alternate),
        ("a_driver_that_lost_its_mind", a_driver_that_lost_its_mind),
        ("a_folder_that_is_gone", a_folder_that_is_gone),
        ("a_thousand_findings", a_thousand_findings),
        ("wrong_values_that_others_made", wrong_values_that_others_made),
    ];
    let trial = |(name, test): (&str, fn())| {
        Trial::test(format!("second_looks/{name}"), move || {
            test();
            Ok::<(), Failed>(())
        })
    };
    tests.into_iter().map(trial).collect()
}

fn a_green_device_costs_nothing() {
    let seen = check(&[], &quick(WORKER));
    assert_eq!((seen.looked_again, seen.interactions), (0, Vec::new()));
}

/// One lying case changes no verdict but its own, and is named.
fn a_case_that_hides_errors() {
    let seen = check(&[(31, "hide", FindingKind::Fail)], &quick(WORKER));
    assert!(seen.looked_again > 40, "{}", seen.looked_again);
    assert!(seen.results[&31].remarks.iter().any(|remark| remark.contains("accepts everything")));
    let batch = &seen.unreproduced[0];
    assert_eq!(batch.what, "a/b/cl12/x=31: the device accepts everything that is built with it");
    assert!(batch.cases.len() > 40, "{batch:?}");
}

/// Of either direction, together or one by one.
fn a_wrong_answer_is_confirmed() {
    let special = [(30, "wrong", FindingKind::Fail), (37, "right", FindingKind::Fail)];
    for isolate in [false, true] {
        let seen = check_with_controls(&special, &Config { isolate, ..quick(WORKER) });
        for index in [30, 37] {
            assert_eq!(seen.results[&index].confirmed, Some(Confirmation::Alone), "{index}");
        }
        assert!(seen.unreproduced.is_empty(), "{:?}", seen.unreproduced);
    }
}

/// The same, and a case whose control is rejected proves nothing.
fn check_with_controls(special: &[(usize, &str, FindingKind)], config: &Config) -> Seen {
    let mut all = special.to_vec();
    for &(index, _, _) in special.iter().filter(|entry| entry.0 % 3 == 0) {
        all.extend([1, 2].map(|step| (index + step, "wrong", FindingKind::Inconclusive)));
    }
    check(&all, config)
}

/// A driver that accepts and rejects in turn is flaky: no pass, and not what was seen first.
fn answers_that_alternate() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let word = format!("alternate {}", state.display());
    // Nothing is proven of those it is the control of where it was rejected, and all may come.
    let special = [(120, word.as_str(), FindingKind::Flaky)];
    for isolate in [false, true] {
        std::fs::write(&state, "").unwrap();
        let seen = check(&special, &Config { isolate, workers: 1, ..quick(WORKER) });
        let result = &seen.results[&120];
        assert_eq!(result.answers.len(), 1, "{result:?}");
        assert!(!result.answers[0].agrees_with(&result.outcome), "{result:?}");
        assert!(result.tries.len() == 2, "{result:?}");
    }
}

/// After one of its cases the worker rejects everything: the others are judged in another.
fn a_driver_that_lost_its_mind() {
    for isolate in [false, true] {
        let config = Config { isolate, workers: 1, ..quick(WORKER) };
        let seen = check(&[(4, "wrong and lose-mind", FindingKind::Pass)], &config);
        // Together, everything that it gets wrong afterwards should be rejected.
        assert_eq!(seen.looked_again > 0, isolate);
    }
}

/// Without its folder a worker is no evidence about any case.
fn a_folder_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("once");
    std::fs::write(&file, "").unwrap();
    let word = format!("delete-folder {}", file.display());
    let seen = check(&[(3, &word, FindingKind::Pass)], &quick(WORKER));
    assert_eq!(seen.looked_again, 0);
    assert!(!file.exists());
    assert!(seen.unreproduced[0].what.contains("deleted"), "{:?}", seen.unreproduced);
}

/// Of a thousand findings of one kind a few are looked at alone, the others in other batches, and each says which.
fn a_thousand_findings() {
    let count = 3000;
    let special: Vec<(usize, &str)> =
        (0..count).filter(|index| index % 3 == 1).map(|index| (index, "right")).collect();
    let config = Config { build_timeout: Duration::from_secs(30), ..quick(WORKER) };
    let begun = processor_time();
    let seen = run(&prepared(count, &special), &config);
    let how = |how| seen.results.values().filter(|result| result.confirmed == Some(how)).count();
    let (alone, batch) = (how(Confirmation::Alone), how(Confirmation::Batch));
    println!("{alone} alone, {batch} in batches, {:?}", processor_time().saturating_sub(begun));
    assert_eq!((alone + batch, seen.looked_again), (1000, 1000));
    assert!((12..200).contains(&alone), "{alone}");
    assert!(seen.results.values().all(|result| {
        (result.finding.kind == FindingKind::Fail) == result.confirmed.is_some()
    }));
}

/// A program that spoils what others compute is a finding, and the others are not, in any number: wrong values are
/// looked at alone.
fn wrong_values_that_others_made() {
    let prepared: Vec<PreparedCase<'_>> = some_that_spoil_others(120)
        .into_iter()
        .enumerate()
        .map(|(index, job)| PreparedCase {
            id: format!("a/b/cl12/x={index}"),
            dialect: job.dialect,
            control: None,
            requirements: Vec::new(),
            kernel: Kernel { source: job.source, guilty_lines: Vec::new() },
            expectation: &ACCEPT,
            run_with: job.run_with,
            part: Part { is_covering: true, is_control: false },
            selected: true,
        })
        .collect();
    let seen = run(&prepared, &quick(WORKER));
    for (&index, result) in &seen.results {
        let (kind, how) = if spoils(index) {
            (FindingKind::Fail, Some(Confirmation::Alone))
        } else {
            (FindingKind::Pass, None)
        };
        assert_eq!((result.finding.kind, result.confirmed), (kind, how), "{result:?}");
        let is_told = seen.unreproduced.iter().any(|batch| batch.cases.contains(&result.id));
        assert!(is_told, "{}", result.id);
    }
    for batch in &seen.unreproduced {
        assert!(batch.cases.len() > 1, "{batch:?}");
        assert_eq!(batch.what, "wrong values, but not when built again");
    }
}
