//! `address-spaces dev audit`: the selected cases built together and one by one; every case whose outcome differs.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    path::Path,
};

use expectations::{
    device::DeviceFile,
    judge::FindingKind,
    outcome::{Outcome, OutcomeKind, Phase, RunKind},
};
use generator::suite::Suite;
use results::{
    folder::{Completeness, read_runs},
    run::Run,
};

use super::CommandError;
use crate::{
    cli::exit,
    engine::{Cancel, Config, Depth},
    findings::judging::{Judging, PreparedCase},
    overlay,
    run::{
        confirming,
        devices::{choose_one, config},
        interrupted::InterruptedCases,
        plan::RunPlan,
        preparing::{CaseConditions, OnDevice},
        scene::Scene,
        select,
    },
};

/// Runs the cases in shared builds and alone, prints the differences and returns the exit status.
pub fn audit(plan: &RunPlan) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let device = choose_one(&plan.devices)?;
    let selection = select::select(&suite, &plan.filter, std::slice::from_ref(&device))?;
    let depth = plan.depth_on(&device);
    let asked = CaseConditions { suite: &suite, device: &device, capabilities: None, depth };
    let OnDevice { prepared, .. } = asked.prepare(plan, &selection)?;
    let mut both = Vec::new();
    for isolate in [false, true] {
        let config = Config { isolate, ..config(&plan.builds, &device)? };
        both.push(looked_at(&suite, &device, &prepared, &config, depth)?);
    }
    let flaky: BTreeSet<usize> = both.iter().flat_map(|looked| looked.flaky.clone()).collect();
    let mut differing = 0;
    for (index, prepared) in prepared.iter().enumerate() {
        let [batched, isolated] =
            [0, 1].map(|way: usize| both[way].outcomes[index].as_ref().map(comparable));
        if batched != isolated && !flaky.contains(&index) {
            differing += 1;
            let _ = writeln!(
                anstream::stdout(),
                "{}: together {batched:?}, alone {isolated:?}",
                prepared.id,
            );
        }
    }
    let _ = writeln!(
        anstream::stdout(),
        "{}: {}, {differing} with a different outcome when built alone{}",
        device.name,
        results::text::plural(prepared.len(), "case"),
        if flaky.is_empty() { String::new() } else { format!(", {} flaky", flaky.len()) }
    );
    Ok(if differing == 0 { exit::EXPECTED } else { exit::UNEXPECTED })
}

/// Compares the findings of two stored runs case by case and prints the differences; returns the exit status.
pub fn audit_stored(first: &Path, second: &Path) -> Result<u8, CommandError> {
    let [first, second] = [one_run(first)?, one_run(second)?];
    let devices = [&first, &second].map(|run| run.name().into_owned());
    if devices[0] != devices[1] {
        let [one, other] = devices;
        return Err(CommandError::Usage(format!(
            "{} is a run on `{one}` and {} is a run on `{other}`: name two runs on the same device",
            first.path.display(),
            second.path.display(),
        )));
    }
    let tried = |run: &Run| -> BTreeMap<String, Verdict> {
        let tried = run.cases.briefs().filter(|case| case.outcome.kind != OutcomeKind::Unsupported);
        tried
            .map(|case| (case.id, (case.outcome.kind, case.outcome.phase, case.finding.kind)))
            .collect()
    };
    let [first, second] = [tried(&first), tried(&second)];
    let mut differing = 0;
    let (mut both, mut flaky) = (0, 0);
    for (id, one) in &first {
        let Some(other) = second.get(id) else { continue };
        both += 1;
        if [one.2, other.2].contains(&FindingKind::Flaky) {
            flaky += 1;
        } else if one != other {
            differing += 1;
            let _ = writeln!(anstream::stdout(), "{id}: {one:?}, and {other:?}");
        }
    }
    let alone = first.len() + second.len() - 2 * both;
    let _ = writeln!(
        anstream::stdout(),
        "{}: {} tried in both runs, {differing} with a different verdict, {flaky} flaky, {alone} \
         tried in only one of them",
        results::text::one_line(&devices[0], 60),
        results::text::plural(both, "case"),
    );
    Ok(if differing == 0 && alone == 0 { exit::EXPECTED } else { exit::UNEXPECTED })
}

/// A verdict as it is compared.
type Verdict = (OutcomeKind, Phase, FindingKind);

fn one_run(path: &Path) -> Result<Run, CommandError> {
    let runs = read_runs(path, Completeness::Whole)?;
    match <[Run; 1]>::try_from(runs) {
        Ok([run]) => Ok(run),
        Err(runs) => Err(CommandError::Usage(format!(
            "{} contains {} runs: name the folder of one",
            path.display(),
            runs.len()
        ))),
    }
}

/// Returns the parts of an outcome that a shared build must not change.
fn comparable(outcome: &Outcome) -> (OutcomeKind, Phase, Option<(RunKind, usize)>) {
    let run = outcome.run.as_ref().map(|run| (run.kind, run.differing));
    (outcome.kind, outcome.phase, run)
}

/// Results of one way of building.
struct LookResults {
    outcomes: Vec<Option<Outcome>>,
    /// Cases whose answers change.
    flaky: Vec<usize>,
}

fn looked_at(
    suite: &Suite,
    device: &DeviceFile,
    prepared: &[PreparedCase<'_>],
    config: &Config,
    depth: Depth,
) -> Result<LookResults, CommandError> {
    let mut judging = Judging::new(prepared, &[]);
    let (interrupted, cancel) = (&InterruptedCases::default(), &Cancel::default());
    let scene = Scene { suite, device, prepared, config, depth, interrupted, cancel };
    confirming::run(scene, &scene.every_case(), &mut judging, &mut |_| {})?;
    let outcomes = (0..prepared.len()).map(|index| judging.outcome(index).cloned()).collect();
    let results = judging.into_results().into_iter();
    let flaky: BTreeSet<String> = results
        .filter(|result| result.finding.kind == FindingKind::Flaky)
        .map(|result| result.id)
        .collect();
    let is_flaky = |&index: &usize| flaky.contains(&prepared[index].id);
    Ok(LookResults { outcomes, flaky: (0..prepared.len()).filter(is_flaky).collect() })
}
