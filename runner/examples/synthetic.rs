//! Results of a run that never was, of any size, as shards: `synthetic FOLDER CASES SHARDS [RUN]`. For measuring what
//! reads results. Runs of different numbers, below 1000, differ in what they find: each case in a thousand deviates.

use std::{
    collections::BTreeMap,
    error::Error,
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use expectations::{
    judge::{Finding, FindingKind, Reason},
    outcome::{Outcome, OutcomeKind},
    rule::Expectation,
};
use generator::random::{Kinds, RandomCase, Settings};
use results::{
    line::{CaseResult, End, FORMAT, Header, Line, to_json},
    worker_time::WorkerTime,
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, cases, shards, run @ ..] = arguments.as_slice() else {
        return Err("synthetic FOLDER CASES SHARDS [RUN]".into());
    };
    let run = run.first().map_or(Ok(0), |run| run.parse())?;
    write(&PathBuf::from(folder), cases.parse()?, shards.parse()?, run)
}

/// Write the run of that number, each shard in a folder of its own; one that is the whole run lies in `folder` itself.
pub(crate) fn write(
    folder: &Path,
    cases: u64,
    shards: usize,
    run: usize,
) -> Result<(), Box<dyn Error>> {
    for shard in 0..shards {
        let part = if shards == 1 { folder.to_owned() } else { folder.join(shard.to_string()) };
        fs::create_dir_all(&part)?;
        let mut file = BufWriter::new(File::create(part.join("results.jsonl"))?);
        let own = || RandomCase::numbers(cases, 1, Settings::default(), Kinds::Build).enumerate();
        let own = || own().skip(shard).step_by(shards);
        let header = Header {
            shard: (shards > 1).then(|| format!("{}/{shards}", shard + 1)),
            ..header(own().count(), run)
        };
        file.write_all(to_json(&Line::Header(header)).as_bytes())?;
        for (number, case) in own() {
            let line = Line::Case(result(&case, number % 1000 == run));
            file.write_all(to_json(&line).as_bytes())?;
        }
        let end = End {
            findings: BTreeMap::new(),
            seconds: 1.0,
            worker_time: WorkerTime::default(),
            shared_check: None,
        };
        file.write_all(to_json(&Line::End(end)).as_bytes())?;
        file.flush()?;
    }
    Ok(())
}

fn header(cases: usize, run: usize) -> Header {
    Header {
        format: FORMAT,
        program: "0".to_owned(),
        suite: "synthetic".to_owned(),
        selection: BTreeMap::new(),
        cases,
        begun: format!("2026-01-01T{:02}:{:02}:00Z", run / 60, run % 60),
        options: BTreeMap::new(),
        machine: BTreeMap::new(),
        device: "checker".to_owned(),
        front_end: String::new(),
        identity: BTreeMap::new(),
        shard: None,
        unsupported: BTreeMap::new(),
        environment: BTreeMap::new(),
        device_as_typed: String::new(),
        through: String::new(),
        judged_by: Vec::new(),
    }
}

/// As long as the lines of real runs are on average, and not in the order of the ids.
fn result(case: &RandomCase, deviates: bool) -> CaseResult {
    let id = case.id();
    let log = format!(
        "{id}:3:5: error: initializing '__global int *' with an expression of type '__local int *' changes address space of pointer"
    );
    let (expectation, expected, deviation) = match case.broken_rule() {
        Some(rule) => (
            Expectation::Reject { breaks: rule.into() },
            OutcomeKind::Rejected,
            (OutcomeKind::Accepted, Reason::AcceptsInvalid),
        ),
        None => (
            Expectation::Accept,
            OutcomeKind::Accepted,
            (OutcomeKind::Rejected, Reason::RejectsValid),
        ),
    };
    let (kind, outcome, reason) = if deviates {
        (FindingKind::Fail, deviation.0, deviation.1)
    } else {
        (FindingKind::Pass, expected, Reason::AsExpected)
    };
    let outcome = Outcome { log, error_lines: vec![3], ..Outcome::new(outcome) };
    CaseResult {
        control: case.control().map(|control| control.id()),
        seconds: 0.001,
        ..CaseResult::new(id, case.dialect, &expectation, outcome, Finding { kind, reason })
    }
}
