//! Results for tests.

use std::collections::BTreeMap;

use crate::{
    cases::{Cases, Results},
    results::{CaseResult, End, FORMAT, Header},
    worker_time::WorkerTime,
};

/// A whole run on a device whose driver reports this.
pub(crate) fn results(device: &str, driver: &str, cases: Vec<CaseResult>) -> Results {
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
            identity: BTreeMap::from([("driver".to_owned(), driver.to_owned())]),
            shard: None,
            unsupported: BTreeMap::new(),
            environment: BTreeMap::new(),
        },
        end: Some(End {
            shared_check: None,
            findings: BTreeMap::new(),
            seconds: 2.0,
            worker_time: WorkerTime::default(),
        }),
        cases: Cases::new(cases),
        unreproduced: Vec::new(),
        intact_bytes: 0,
    }
}
