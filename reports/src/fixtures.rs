//! Runs for tests.

use std::collections::BTreeMap;

use results::{
    cases::Cases,
    line::{CaseResult, End, FORMAT, Header},
    run::{Ending, Run},
    worker_time::WorkerTime,
};

/// Returns a whole run on a device whose driver reports a version.
pub(crate) fn run(device: &str, driver: &str, cases: Vec<CaseResult>) -> Run {
    let header = Header {
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
        identity: BTreeMap::from([("driver".to_owned(), driver.to_owned())]),
        shard: None,
        unsupported: BTreeMap::new(),
        environment: BTreeMap::new(),
        device_as_typed: String::new(),
        through: String::new(),
        judged_by: Vec::new(),
    };
    let (findings, worker_time) = (BTreeMap::new(), WorkerTime::default());
    let end = End { findings, seconds: 2.0, worker_time, shared_check: None };
    Run::new(header, Cases::new(cases), Ending::Finished(end))
}
