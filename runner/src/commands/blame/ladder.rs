//! The ladder: what each component does with the program, alone.

use expectations::{
    cause::Component,
    device::{DeviceFile, DeviceKind, Step},
    outcome::{OutcomeKind, Phase, RunKind},
    rule::Expectation,
};
use results::line::CaseResult;

use super::{
    rung::{Rung, RungResult},
    tools::{Tool, compiler, is_here, ways},
};
use crate::{commands::CommandError, findings::judging::PreparedCase, run::alone::result};

/// Returns the rungs below the device.
pub(super) fn ladder(
    cases: &[PreparedCase<'_>],
    device: &DeviceFile,
) -> Result<Vec<Rung>, CommandError> {
    let name = device.front_end.replace("clang ", "clang-");
    let front_end = Rung {
        name: format!("{}, the front end alone", device.front_end),
        at_fault: Component::ClangFrontEnd.text().to_owned(),
        came: RungResult::Passed,
    };
    let Some(mut compiler) = compiler(&name)? else {
        let why = "it is not a version of clang".to_owned();
        return Ok(vec![Rung { came: RungResult::NotAsked(why), ..front_end }]);
    };
    // The one that the device itself uses.
    if device.release.is_some() {
        compiler.release.clone_from(&device.release);
        compiler.place = device.place.clone();
    }
    if let DeviceKind::Command { command, .. } = &compiler.kind
        && !is_here(&command[0], compiler.release.as_deref())
    {
        let why = format!("install {name}");
        return Ok(vec![Rung { came: RungResult::NotAsked(why), ..front_end }]);
    }
    if *cases[0].expectation != Expectation::Accept {
        let came = result(cases, &compiler)
            .map_or_else(|error| RungResult::unasked(&error), |seen| RungResult::of(&seen));
        return Ok(vec![Rung { came, ..front_end }]);
    }
    let mut rungs = Vec::new();
    for tools in ways(device, &compiler, &name) {
        for rung in of_tools(cases, &compiler, &front_end, tools) {
            let asked = |known: &&Rung| known.name == rung.name;
            if !rungs.iter().any(|known| asked(&known)) {
                rungs.push(rung);
            }
        }
    }
    Ok(rungs)
}

/// Returns the rungs of one sequence of tools, each behind those before it.
fn of_tools(
    cases: &[PreparedCase<'_>],
    compiler: &DeviceFile,
    front_end: &Rung,
    tools: Vec<Tool>,
) -> Vec<Rung> {
    let mut rungs = vec![front_end.clone()];
    let mut steps = Vec::new();
    for tool in tools {
        let missing = !is_here(&tool.program, compiler.release.as_deref());
        let came = if missing {
            RungResult::NotAsked(format!("install {}", tool.package))
        } else {
            let command = std::iter::once(tool.program).chain(tool.arguments).collect();
            let name = format!("rung {}", rungs.len());
            steps.push(Step { name, command, rejects_with: Vec::new() });
            RungResult::Passed
        };
        rungs.push(Rung { name: tool.name, at_fault: tool.at_fault.text().to_owned(), came });
        // What comes after it has nothing to read.
        if missing {
            break;
        }
    }
    let mut asked = compiler.clone();
    if let DeviceKind::Command { then, .. } = &mut asked.kind {
        *then = steps;
    }
    let seen = match result(cases, &asked) {
        Ok(seen) => seen,
        Err(error) => {
            rungs.truncate(1);
            rungs[0].came = RungResult::unasked(&error);
            return rungs;
        }
    };
    let failed = match (&seen.outcome.phase, RungResult::of(&seen)) {
        (_, RungResult::Passed) => return rungs,
        (Phase::GenerateCode, came) => {
            let number = (1..rungs.len()).rev();
            let named =
                number.into_iter().find(|n| seen.outcome.detail.starts_with(&format!("rung {n}:")));
            (named.unwrap_or(1), came)
        }
        (_, came) => (0, came),
    };
    for (number, rung) in rungs.iter_mut().enumerate().skip(failed.0) {
        match (&rung.came, number == failed.0) {
            (_, true) => rung.came = failed.1.clone(),
            (RungResult::Passed, false) => rung.came = RungResult::NotReached,
            _ => {}
        }
    }
    rungs
}

/// Returns the rungs of the device itself, up to the phase that it reached.
pub(super) fn of_device(device: &DeviceFile, seen: &CaseResult) -> Vec<Rung> {
    let outcome = &seen.outcome;
    let rung = |phase: &str, came| Rung {
        name: format!("{}: {phase}", device.name),
        at_fault: format!("{} after its front end, {phase}", device.name),
        came,
    };
    let phases = [
        (Phase::Build, "at the build"),
        (Phase::CreateKernel, "when creating the kernel"),
        (Phase::GenerateCode, "when generating code"),
        (Phase::Run, "when executing"),
    ];
    let run = outcome.run.as_ref().map(|run| run.kind);
    let reached = match (outcome.kind, run) {
        (OutcomeKind::Accepted, Some(RunKind::Completed | RunKind::Failed)) => Phase::Run,
        _ => outcome.phase,
    };
    let came = RungResult::of(seen);
    let mut rungs = Vec::new();
    for (phase, text) in phases {
        if phase < reached {
            rungs.push(rung(text, RungResult::Passed));
        } else if phase == reached {
            rungs.push(rung(text, came.clone()));
        }
    }
    rungs
}
