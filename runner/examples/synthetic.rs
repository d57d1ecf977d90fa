//! Results of a run that never was, of any size, as shards: `synthetic FOLDER CASES SHARDS`. For measuring `merge`.

use std::{
    collections::BTreeMap,
    error::Error,
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::PathBuf,
};

use expectations::{
    judge::{Finding, FindingKind, Reason},
    outcome::{Outcome, OutcomeKind},
    rule::Expectation,
};
use reports::results::{CaseResult, End, FORMAT, Header, Line, to_json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, cases, shards] = arguments.as_slice() else {
        return Err("synthetic FOLDER CASES SHARDS".into());
    };
    let (cases, shards): (usize, usize) = (cases.parse()?, shards.parse()?);
    for shard in 0..shards {
        let part = PathBuf::from(folder).join(shard.to_string());
        fs::create_dir_all(&part)?;
        let mut file = BufWriter::new(File::create(part.join("results.jsonl"))?);
        let own = (shard..cases).step_by(shards);
        file.write_all(to_json(&Line::Header(header(own.len(), shard + 1, shards))).as_bytes())?;
        for number in own {
            file.write_all(to_json(&Line::Case(case(number))).as_bytes())?;
        }
        let end = End { findings: BTreeMap::new(), seconds: 1.0 };
        file.write_all(to_json(&Line::End(end)).as_bytes())?;
        file.flush()?;
    }
    Ok(())
}

fn header(cases: usize, index: usize, count: usize) -> Header {
    Header {
        format: FORMAT,
        program: "0".to_owned(),
        suite: "synthetic".to_owned(),
        selection: BTreeMap::new(),
        cases,
        begun: String::new(),
        options: BTreeMap::new(),
        machine: BTreeMap::new(),
        device: "pocl".to_owned(),
        front_end: "clang 15".to_owned(),
        identity: BTreeMap::new(),
        shard: Some(format!("{index}/{count}")),
        unsupported: BTreeMap::new(),
        environment: BTreeMap::new(),
    }
}

/// As long as the lines of real runs are on average, and in no order.
fn case(number: usize) -> CaseResult {
    let scattered = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let id = format!("random/program/cl12/seed={scattered:016x},number={number}");
    let log = format!(
        "{id}:3:5: error: initializing '__global int *' with an expression of type '__local int *' changes address space of pointer"
    );
    let outcome = Outcome { log, error_lines: vec![3], ..Outcome::new(OutcomeKind::Rejected) };
    let expectation = Expectation::Reject { breaks: "conversion/implicit".to_owned() };
    let finding = Finding { kind: FindingKind::Pass, reason: Reason::AsExpected };
    CaseResult {
        control: Some(format!("{id},valid=yes")),
        seconds: 0.001,
        ..CaseResult::new(id, "cl12", &expectation, outcome, finding)
    }
}
