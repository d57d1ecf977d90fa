//! Laws of joining parts of a run, however it was cut.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use expectations::{
    dialect::Dialect,
    judge::{Finding, FindingKind, Reason},
    outcome::{Outcome, OutcomeKind},
};
use quickcheck::{Arbitrary, Gen, TestResult, quickcheck};
use results::merge::merge;
use results::{
    line::{CaseResult, End, FORMAT, Header, Line, UnreproducedFailure, to_json},
    worker_time::WorkerTime,
};

/// A case of a run, and the part it is run in.
#[derive(Clone, Debug)]
struct Ran {
    dialect: Dialect,
    part: u64,
    kind: FindingKind,
    log: String,
}

impl Arbitrary for Ran {
    fn arbitrary(g: &mut Gen) -> Self {
        Self {
            dialect: *g.choose(&Dialect::ALL[..3]).unwrap(),
            part: u64::arbitrary(g) % 3,
            kind: *g.choose(&FindingKind::ALL).unwrap(),
            log: String::arbitrary(g),
        }
    }
}

/// A run that was cut.
#[derive(Clone, Debug)]
struct Run(Vec<Ran>);

impl Arbitrary for Run {
    fn arbitrary(g: &mut Gen) -> Self {
        Self(Vec::arbitrary(g))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.0.shrink().map(Self))
    }
}

fn case(number: usize, ran: &Ran) -> CaseResult {
    let outcome = Outcome { log: ran.log.clone(), ..Outcome::new(OutcomeKind::Rejected) };
    let id = format!("conversion/implicit/{}/n={number}", ran.dialect.name());
    let text = serde_json::json!({
        "id": id, "dialect": ran.dialect.name(), "expectation": "reject", "outcome": outcome,
        "seconds": 0.25, "attempts": 1,
        "finding": Finding { kind: ran.kind, reason: Reason::AcceptsInvalid },
    });
    serde_json::from_value(text).unwrap()
}

/// Writes the part of the run that `takes` selects; gives its folder.
fn write(
    folder: &Path,
    name: &str,
    run: &Run,
    (dialect, shard): (Option<Dialect>, Option<&str>),
    takes: impl Fn(&Ran) -> bool,
) -> PathBuf {
    let chosen = run.0.iter().enumerate().filter(|(_, ran)| takes(ran));
    let cases: Vec<CaseResult> = chosen.map(|(number, ran)| case(number, ran)).collect();
    let header = serde_json::json!({
        "format": FORMAT, "program": "1", "suite": "2", "cases": cases.len(), "device": "checker",
        "begun": format!("2026-11-20T15:00:{:02}Z", name.len()), "identity": {}, "shard": shard,
        "selection": dialect.map_or_else(BTreeMap::new, |dialect| {
            BTreeMap::from([("--dialect".to_owned(), dialect.name().to_owned())])
        }),
    });
    let header: Header = serde_json::from_value(header).unwrap();
    let unreproduced =
        UnreproducedFailure { cases: vec![name.to_owned()], what: "SIGSEGV".to_owned() };
    let lines =
        std::iter::once(Line::Header(header)).chain(cases.into_iter().map(Line::Case)).chain([
            Line::Unreproduced(unreproduced),
            Line::End(End {
                shared_check: None,
                findings: BTreeMap::new(),
                seconds: 0.5,
                worker_time: WorkerTime::default(),
            }),
        ]);
    let text: String = lines.map(|line| serde_json::to_string(&line).unwrap() + "\n").collect();
    let part = folder.join(name);
    fs::create_dir(&part).unwrap();
    fs::write(part.join("results.jsonl"), text).unwrap();
    part
}

/// Returns the lines of merged results; failures that no build reproduced are in the order of the parts.
fn joined(folder: &Path, into: &str, parts: &[PathBuf]) -> Result<Vec<String>, String> {
    let into = folder.join(into);
    let count = merge(parts, &into).map_err(|error| error.to_string())?;
    let text = fs::read_to_string(into.join("results.jsonl")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), count + parts_told(&lines) + 2);
    let told = lines.len() - 1 - parts_told(&lines)..lines.len() - 1;
    lines[told].sort();
    Ok(lines)
}

fn parts_told(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.contains("\"record\":\"unreproduced\"")).count()
}

/// Three shards, or three dialects.
fn parts(folder: &Path, run: &Run, by_dialect: bool) -> Vec<PathBuf> {
    let part = |index: u64| {
        let dialect = Dialect::ALL[index as usize];
        let name = "x".repeat(index as usize + 1);
        if by_dialect {
            write(folder, &name, run, (Some(dialect), None), |ran| ran.dialect == dialect)
        } else {
            let shard = format!("{}/3", index + 1);
            write(folder, &name, run, (None, Some(&shard)), |ran| ran.part == index)
        }
    };
    (0..3).map(part).collect()
}

/// The `number`-th order of three.
fn in_order(parts: &[PathBuf], number: u8) -> Vec<PathBuf> {
    let mut left = parts.to_vec();
    let first = left.remove(usize::from(number) % 3);
    let second = left.remove(usize::from(number / 3) % 2);
    vec![first, second, left.remove(0)]
}

quickcheck! {
    fn the_order_of_parts_does_not_matter(run: Run, order: u8, by_dialect: bool) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let parts = parts(folder.path(), &run, by_dialect);
        let one = joined(folder.path(), "one", &parts).unwrap();
        let other = joined(folder.path(), "other", &in_order(&parts, order)).unwrap();
        one == other
    }

    fn parts_of_dialects_may_be_joined_step_by_step(run: Run, order: u8) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let parts = in_order(&parts(folder.path(), &run, true), order);
        let at_once = joined(folder.path(), "at-once", &parts).unwrap();
        joined(folder.path(), "left", &parts[..2]).unwrap();
        joined(folder.path(), "right", &parts[1..]).unwrap();
        let (left, right) = (folder.path().join("left"), folder.path().join("right"));
        let from_left = joined(folder.path(), "a", &[left, parts[2].clone()]).unwrap();
        let from_right = joined(folder.path(), "b", &[parts[0].clone(), right]).unwrap();
        at_once == from_left && at_once == from_right
    }

    fn every_case_of_the_parts_is_there_once_and_unchanged(run: Run, by_dialect: bool) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let joined =
            joined(folder.path(), "into", &parts(folder.path(), &run, by_dialect)).unwrap();
        let mut cases: Vec<CaseResult> =
            run.0.iter().enumerate().map(|(number, ran)| case(number, ran)).collect();
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        // As the program writes them: what a terminal could act on is an escape.
        let expected = cases.into_iter().map(|case| to_json(&Line::Case(case)).trim_end().to_owned());
        joined[1..=run.0.len()].iter().cloned().eq(expected)
    }

    fn a_whole_joined_alone_is_itself(run: Run) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let whole = write(folder.path(), "whole", &run, (None, None), |_| true);
        let once = joined(folder.path(), "once", &[whole]).unwrap();
        let twice = joined(folder.path(), "twice", &[folder.path().join("once")]).unwrap();
        once == twice
    }

    fn nothing_is_joined_with_itself(run: Run, by_dialect: bool) -> TestResult {
        let folder = tempfile::tempdir().unwrap();
        let parts = parts(folder.path(), &run, by_dialect);
        let mut with_itself = parts.clone();
        with_itself.push(parts[0].clone());
        let into = folder.path().join("into");
        let Err(error) = joined(folder.path(), "into", &with_itself) else {
            return TestResult::error("a part is there twice");
        };
        assert!(!into.exists(), "{error}");
        TestResult::from_bool(error.contains("are both shard 1/"))
    }
}
