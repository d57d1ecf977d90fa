//! The suite on the checker as a test target: a test per case, for every tool that drives Rust's tests.

use std::{io::Write as _, process::ExitCode};

use libtest_mimic::{Arguments, Trial};
use runner::{
    cli::{CHECKER, exit},
    commands::{CommandError, list},
    engine::default_workers,
    overlay,
    run::{
        plan::{Builds, CaseFilter, Devices, RunPlan},
        start,
    },
};

fn main() -> ExitCode {
    let harness = Arguments::from_args();
    // No case is ignored: running it decides whether it is judged.
    if harness.ignored {
        return ExitCode::SUCCESS;
    }
    match run(harness) {
        Ok(status) => ExitCode::from(status),
        // A filter is given to every test target of a workspace, and most have nothing that matches.
        Err(error) if error.status() == exit::NOTHING_SELECTED => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.status())
        }
    }
}

fn run(harness: Arguments) -> Result<u8, CommandError> {
    let Arguments { filter, skip, exact, .. } = harness.clone();
    let filter = CaseFilter { text: filter, skip, exact, ..CaseFilter::default() };
    let workers = harness.test_threads.unwrap_or_else(default_workers).max(1);
    let builds = Builds { workers, ..Builds::default() };
    let devices = Devices::Named(vec![CHECKER.to_owned()]);
    let plan = RunPlan { devices, filter, builds, ..RunPlan::default() };
    if harness.list {
        let ids = list::ids(&overlay::suite()?, &plan.programs, &plan.filter)?;
        let trials = ids.into_iter().map(|id| Trial::test(id, || Ok(())));
        let _ = libtest_mimic::run(&harness, trials.collect());
        return Ok(exit::EXPECTED);
    }
    // Cases are selected already: by the ids that the harness would compare again.
    let harness = Arguments { filter: None, skip: Vec::new(), exact: false, ..harness };
    Ok(start::run(&RunPlan { harness, ..plan })?)
}
