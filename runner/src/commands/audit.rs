//! `runner audit`: the selected cases built together and one by one; every case whose outcome differs.

use std::io::Write as _;

use super::CommandError;
use crate::{
    cli::{RunArgs, exit},
    engine::{self, Cancel, Config, Event, Job},
    overlay,
    run::{
        devices::choose_one,
        execute::{config, job, prepare},
        select,
    },
};
use expectations::{
    device::DeviceFile,
    outcome::{Outcome, OutcomeKind, Phase, RunKind},
};

/// Run both ways and print the differences; gives the exit status.
pub fn audit(args: &RunArgs) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let selection = select::select(&suite, &args.select, &args.libtest)?;
    let device = choose_one(args)?;
    let prepared = prepare(&suite, selection)?;
    let jobs: Vec<Job> = prepared.iter().map(job).collect();
    let batched = outcomes(&device, &jobs, &Config { isolate: false, ..config(args, &device)? })?;
    let isolated = outcomes(&device, &jobs, &Config { isolate: true, ..config(args, &device)? })?;
    let mut differing = 0;
    for ((job, batched), isolated) in jobs.iter().zip(&batched).zip(&isolated) {
        let kinds = (batched.as_ref().map(comparable), isolated.as_ref().map(comparable));
        if kinds.0 != kinds.1 {
            differing += 1;
            let _ = writeln!(
                anstream::stdout(),
                "{}: together {:?}, alone {:?}",
                job.id,
                kinds.0,
                kinds.1
            );
        }
    }
    let _ = writeln!(
        anstream::stdout(),
        "{}: {}, {differing} with another outcome when built alone",
        device.name,
        reports::text::plural(jobs.len(), "case")
    );
    Ok(if differing == 0 { exit::EXPECTED } else { exit::UNEXPECTED })
}

/// What a batch must not change.
fn comparable(outcome: &Outcome) -> (OutcomeKind, Phase, Option<(RunKind, usize)>) {
    let run = outcome.run.as_ref().map(|run| (run.kind, run.differing));
    (outcome.kind, outcome.phase, run)
}

fn outcomes(
    device: &DeviceFile,
    jobs: &[Job],
    config: &Config,
) -> Result<Vec<Option<Outcome>>, CommandError> {
    let mut outcomes = vec![None; jobs.len()];
    let mut sink = |event: Event| {
        if let Event::Finished { job, record } = event {
            outcomes[job] = Some(record.outcome);
        }
    };
    engine::run(device, jobs, config, &Cancel::default(), &mut sink)?;
    Ok(outcomes)
}
