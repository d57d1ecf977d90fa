//! The ladder of a driver that is given modules: the front end, the steps that make the module, the laws, and the
//! driver. One build shows all of them, because each part is a process of its own.

use expectations::{
    device::{DeviceFile, DeviceKind},
    judge::Reason,
    outcome::{Outcome, OutcomeKind, Phase, RunKind},
    rule::Expectation,
};
use results::line::CaseResult;

use super::rung::{Rung, RungResult};
use crate::{findings::judging::PreparedCase, run::alone};

/// Phases of the driver, with their names.
const OF_DRIVER: [(Phase, &str); 4] = [
    (Phase::TakeModule, "when taking the module"),
    (Phase::CreateKernel, "when creating the kernel"),
    (Phase::GenerateCode, "when generating code"),
    (Phase::Run, "when executing"),
];

/// Returns the rungs: those of the compiler, then those of the driver.
pub(super) fn ladder(
    cases: &[PreparedCase<'_>],
    device: &DeviceFile,
    producer: &DeviceFile,
    seen: &CaseResult,
) -> Vec<Rung> {
    let expectation = cases[0].expectation;
    let outcome = &seen.outcome;
    let mut rungs = of_producer(producer);
    let first_of_driver = rungs.len();
    rungs.extend(OF_DRIVER.map(|(_, what)| rung(&device.name, what, "consumer")));
    if *expectation != Expectation::Accept {
        // No module is made of it.
        rungs.truncate(1);
    }
    let last = match (seen.finding.reason, outcome.phase) {
        (Reason::LoweredWrong, _) => first_of_driver - 1,
        (_, Phase::Build) if outcome.kind != OutcomeKind::Accepted => 0,
        (_, Phase::MakeModule) => 1 + failed_step(producer, outcome),
        _ => first_of_driver + phases_behind(outcome),
    };
    let last = last.min(rungs.len() - 1);
    // The module of a program that kills the driver has not been compared.
    if outcome.module.is_none() && last >= first_of_driver {
        rungs[first_of_driver - 1].came = compared(cases, producer);
    }
    let came = RungResult::of(seen);
    let fails = matches!(came, RungResult::Failed(_));
    rungs[last].came = came;
    if fails {
        for rung in &mut rungs[last + 1..] {
            rung.came = RungResult::NotReached;
        }
    } else {
        rungs.truncate(last + 1);
    }
    rungs
}

/// Returns the result of the comparison of a compiler's module with the text, without the driver.
fn compared(cases: &[PreparedCase<'_>], producer: &DeviceFile) -> RungResult {
    match alone::result(cases, producer) {
        Err(error) => RungResult::unasked(&error),
        Ok(seen) if seen.outcome.module.is_none() => {
            RungResult::NotAsked("the text of this dialect is not compared".to_owned())
        }
        // A compiler executes nothing, so the result of the case is not the answer.
        Ok(seen) if seen.outcome.broken_laws().is_empty() => RungResult::Passed,
        Ok(seen) => RungResult::of(&seen),
    }
}

fn rung(name: &str, what: &str, role: &str) -> Rung {
    Rung {
        name: format!("{name}: {what}"),
        at_fault: format!("the {role}, {name}: {what}"),
        came: RungResult::Passed,
    }
}

/// Returns the rungs of a compiler: its front end, its steps, and the comparison of its module with the text.
fn of_producer(producer: &DeviceFile) -> Vec<Rung> {
    let front_end = Rung {
        name: format!("{}, the front end alone", producer.front_end),
        at_fault: format!("the front end, {}", producer.front_end),
        came: RungResult::Passed,
    };
    let steps = steps(producer).map(|step| rung(&producer.name, step, "producer"));
    let laws = rung(&producer.name, "its module, compared with the text", "producer");
    std::iter::once(front_end).chain(steps).chain([laws]).collect()
}

/// Returns the names of a compiler's steps behind its front end.
fn steps(producer: &DeviceFile) -> impl Iterator<Item = &str> {
    let steps = match &producer.kind {
        DeviceKind::Command { then, .. } => then.as_slice(),
        DeviceKind::Checker | DeviceKind::Opencl { .. } | DeviceKind::Comgr { .. } => &[],
    };
    steps.iter().map(|step| step.name.as_str())
}

/// Returns the number of the step that failed: the outcome begins with its name.
fn failed_step(producer: &DeviceFile, outcome: &Outcome) -> usize {
    let failed = |step: &str| {
        outcome.detail.strip_prefix(step).is_some_and(|behind| behind.starts_with(':'))
    };
    steps(producer).position(failed).unwrap_or_default()
}

/// Returns the number of the driver's phases that passed before the last one that the program came to.
fn phases_behind(outcome: &Outcome) -> usize {
    let run = outcome.run.as_ref().map(|run| run.kind);
    let reached = match (outcome.kind, run) {
        (OutcomeKind::Accepted, Some(RunKind::Completed | RunKind::Failed)) => Phase::Run,
        _ => outcome.reached(),
    };
    let passed = OF_DRIVER.iter().filter(|(phase, _)| *phase < reached).count();
    passed.min(OF_DRIVER.len() - 1)
}
