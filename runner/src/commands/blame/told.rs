//! Text of the ladder: its rungs, the component at fault, and its known causes.

use std::fmt::Write as _;

use expectations::{
    baseline::{PatternIndex, RunPart},
    device::DeviceFile,
    judge::Direction,
};
use results::line::CaseResult;

use super::rung::{Rung, RungResult};
use crate::{exit, findings::judging::PreparedCase};

/// Returns the text and the exit status.
pub(super) fn ladder_text(
    case: &PreparedCase<'_>,
    device: &DeviceFile,
    seen: &CaseResult,
    rungs: &[Rung],
) -> (String, u8) {
    let mut out = String::new();
    let _ = writeln!(out, "case         {}", case.id);
    let _ = writeln!(out, "expectation  {}", case.expectation.verdict().name());
    let through = device.through.as_ref().map(|producer| format!(" through {}", producer.name));
    let _ = writeln!(
        out,
        "device       {}{} (front end: {})\n",
        device.name,
        through.unwrap_or_default(),
        device.front_end
    );
    for rung in rungs {
        let answer = match &rung.came {
            RungResult::Passed => "right".to_owned(),
            RungResult::Failed(said) => format!("WRONG: {said}"),
            RungResult::NotReached => "not reached".to_owned(),
            RungResult::NotAsked(why) => format!("not tried: {why}"),
        };
        let _ = writeln!(out, "  {:<52} {answer}", rung.name);
    }
    let (fault, status) = match device.through {
        None => at_fault(device, rungs),
        Some(_) => first_at_fault(device, rungs),
    };
    let _ = writeln!(out, "\nat fault     {fault}");
    for cause in known(device, seen) {
        let _ = writeln!(out, "known as     {cause}");
    }
    (out, status)
}

/// Returns the component at fault where the rungs are parts of one build: the one that fails.
fn first_at_fault(device: &DeviceFile, rungs: &[Rung]) -> (String, u8) {
    let failed = rungs.iter().find(|rung| matches!(rung.came, RungResult::Failed(_)));
    match (failed, rungs.last().map(|rung| &rung.came)) {
        (Some(failed), _) => (failed.at_fault.clone(), exit::UNEXPECTED),
        (None, Some(RungResult::NotAsked(why))) => (format!("unknown: {why}"), exit::COULD_NOT_RUN),
        (None, _) => (format!("nothing: {} conforms", device.name), exit::EXPECTED),
    }
}

/// Returns the component at fault: the first rung that fails, where the device fails as well.
fn at_fault(device: &DeviceFile, rungs: &[Rung]) -> (String, u8) {
    let own = format!("{}: ", device.name);
    let failed = |rung: &&Rung| matches!(rung.came, RungResult::Failed(_));
    let Some(last) = rungs.iter().filter(|rung| rung.name.starts_with(&own)).find(failed) else {
        let unknown = rungs.iter().rev().find_map(|rung| match &rung.came {
            RungResult::NotAsked(why) if rung.name.starts_with(&own) => Some(why),
            _ => None,
        });
        let below = rungs.iter().find(failed);
        return match (unknown, below) {
            (Some(why), _) => (format!("unknown: {why}"), exit::COULD_NOT_RUN),
            (None, Some(rung)) => {
                let text = format!(
                    "nothing: {} conforms, although {} on its own does not",
                    device.name, rung.name
                );
                (text, exit::EXPECTED)
            }
            (None, None) => (format!("nothing: {} conforms", device.name), exit::EXPECTED),
        };
    };
    // A front end that is wrong by itself explains a build, and no more.
    let at_build = last.name == format!("{own}at the build");
    let explains = |(number, rung): &(usize, &Rung)| failed(rung) && (*number > 0 || at_build);
    let first = rungs.iter().enumerate().find(explains).map_or(last, |(_, rung)| rung);
    let not_asked = rungs.iter().any(|rung| matches!(rung.came, RungResult::NotAsked(_)));
    let doubt = if not_asked && std::ptr::eq(first, last) {
        ", or a step above that was not tried"
    } else {
        ""
    };
    (format!("{}{doubt}", first.at_fault), exit::UNEXPECTED)
}

/// Returns the causes that the baseline names for such a finding of the case.
fn known(device: &DeviceFile, seen: &CaseResult) -> Vec<String> {
    let index = PatternIndex::new(&device.deviations);
    let part = RunPart::of(seen.outcome.reached(), seen.finding.reason);
    let mut known = Vec::new();
    for (entry, _) in index.matching(&seen.id) {
        let entry = &device.deviations[entry];
        let is_of = |direction: &Direction| Some(*direction) == seen.finding.direction();
        let Some(cause) = &entry.cause else { continue };
        let is_of_part = entry.part == RunPart::Whole || entry.part == part;
        if is_of_part && entry.directions().iter().any(is_of) && !known.contains(cause) {
            known.push(cause.clone());
        }
    }
    known
}
