//! Jobs, devices and runs for the tests.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use expectations::{
    device::{DeviceFile, load_device},
    dialect::Dialect,
    outcome::OutcomeKind,
    rule::Expectation,
};
use generator::suite::Suite;
use runner::{
    device::DeviceFacts,
    engine::{
        Cancel, Config, DeviceReport, EngineError, Event, ExpectedVerdict, Job, Placement, Record,
        RunWith, Until, WorkerCommand, run,
    },
};

/// The argument that makes this program an honest worker.
pub(crate) const WORKER: &str = "worker";

/// Everything that a run reported.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) facts: Option<DeviceFacts>,
    pub(crate) records: BTreeMap<usize, Record>,
    pub(crate) unreproduced: Vec<Vec<usize>>,
    pub(crate) warnings: Vec<String>,
    pub(crate) report: DeviceReport,
}

impl Run {
    /// The outcome's kind of every job, in order.
    pub(crate) fn kinds(&self) -> Vec<OutcomeKind> {
        self.records.values().map(|record| record.outcome.kind).collect()
    }
}

/// Run jobs and require one record for each.
pub(crate) fn run_all(
    device: &DeviceFile,
    jobs: &[Job],
    config: &Config,
) -> Result<Run, EngineError> {
    let mut seen = Run::default();
    let report = run(device, jobs, config, &Cancel::default(), &mut |event| match event {
        Event::Opened(facts) => seen.facts = Some(*facts),
        Event::Finished { job, record } => {
            assert!(seen.records.insert(job, record).is_none(), "{} has two records", jobs[job].id);
        }
        Event::FailedTwice { .. }
        | Event::Checked { .. }
        | Event::BatchFailed { .. }
        | Event::Lost(_) => {}

        Event::Unreproduced { jobs, .. } | Event::TwoAnswers { jobs, .. } => {
            seen.unreproduced.push(jobs);
        }
        Event::Warning(text) => seen.warnings.push(text),
    })?;
    assert_eq!(seen.records.len(), jobs.len(), "every job has a record");
    Ok(Run { report, ..seen })
}

/// A case in that dialect.
pub(crate) fn job(dialect: &str) -> Job {
    Job {
        id: format!("case-in-{dialect}"),
        dialect: Dialect::from_name(dialect).unwrap(),
        requirements: Vec::new(),
        source: "kernel void k(global int *o) { o[0] = 1; }\n".to_owned(),
        required: ExpectedVerdict::Accept,
        expected: ExpectedVerdict::Accept,
        until: Until::FrontEnd,
        placement: Placement::Batch,
        run_with: RunWith::Nothing,
    }
}

pub(crate) fn config(mode: &str) -> Config {
    let worker = WorkerCommand::this_program(vec![mode.into()]).unwrap();
    Config::new(worker, PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/devices"))
}

/// A device of the repository.
pub(crate) fn device(name: &str) -> DeviceFile {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../expectations/devices/{name}.toml"));
    load_device(name, &path.to_string_lossy(), &std::fs::read_to_string(&path).unwrap()).unwrap()
}

/// About `count` cases of the embedded suite, spread evenly.
pub(crate) fn suite_jobs(dialects: &[Dialect], count: usize) -> Vec<Job> {
    let suite = Suite::embedded().unwrap();
    let rules: Vec<usize> = (0..suite.rules().len()).collect();
    let cases = suite.cases(&rules, dialects);
    let required = |case: &generator::suite::Case| match suite.expectation(case) {
        Expectation::Accept => ExpectedVerdict::Accept,
        Expectation::Reject { .. } => ExpectedVerdict::Reject,
        Expectation::Disputed { .. } => ExpectedVerdict::Either,
    };
    let job = |case: &generator::suite::Case| Job {
        id: case.id.clone(),
        dialect: case.dialect,
        requirements: case.requirements.clone(),
        source: suite.render(case).unwrap().source,
        until: Until::FrontEnd,
        required: required(case),
        expected: required(case),
        placement: Placement::Batch,
        run_with: suite.probe(case).unwrap().map(Arc::new).into(),
    };
    cases.iter().step_by((cases.len() / count).max(1)).map(job).collect()
}
