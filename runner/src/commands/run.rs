//! The main job: a run of what the options select, on the devices they name, shown.

use libtest_mimic::{Arguments, Trial};

use super::CommandError;
use crate::{
    cli::{RunArgs, exit},
    interrupts,
    output::{self, note},
    overlay,
    run::{
        devices::{choose, is_absent, known_broken},
        execute::{prepare, run_on, selection},
        present::{Ended, show, unfiltered, write_junit},
        random,
        select::Selection,
    },
};

/// Run what the options select; gives the exit status.
pub fn run(args: &RunArgs) -> Result<u8, CommandError> {
    check_logfile(args)?;
    if let Some(time) = args.random_for {
        return Ok(random::run_for(args, time)?);
    }
    let cancel = interrupts::cancel();
    let suite = overlay::suite()?;
    let selection = selection(&suite, args)?;
    if args.libtest.list {
        return Ok(list(args, &selection));
    }
    let chosen = choose(args)?;
    let prepared = prepare(&suite, selection)?;
    let mut ended = Ended::default();
    for device in chosen.devices {
        if cancel.is_cancelled() {
            ended.not_begun.push(device.name);
            continue;
        }
        match run_on(&suite, args, device.clone(), chosen.several, &prepared, &cancel) {
            Ok(run) => ended.runs.push(run),
            Err(error) if !chosen.several => {
                if let Some(reason) = known_broken(&device, &error) {
                    note(&format!("device `{}` is known to be broken here: {reason}", device.name));
                }
                return Err(error.into());
            }
            Err(error) if chosen.whatever_is_here && is_absent(&error) => {
                ended.absent.push((device, error));
            }
            Err(error) if chosen.whatever_is_here && known_broken(&device, &error).is_some() => {
                ended.known_broken.push(device);
            }
            // The others are worth running, and worth keeping.
            Err(error) => ended.broken.push((device, error)),
        }
    }
    for run in &ended.runs {
        random::reduce(args, &suite, run, chosen.several, &cancel)?;
    }
    if let Some(path) = &args.junit {
        write_junit(path, &ended)?;
    }
    Ok(show(args, &ended, chosen.several))
}

/// The harness would end in a panic on a log file it cannot make.
fn check_logfile(args: &RunArgs) -> Result<(), CommandError> {
    let Some(path) = &args.libtest.logfile else { return Ok(()) };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.map(drop).map_err(|source| CommandError::File { path: path.clone(), source })
}

fn list(args: &RunArgs, selection: &Selection) -> u8 {
    // The id and nothing before it: what is listed can be given back to `--exact`.
    output::may_be_closed();
    let random = selection.random.iter().map(|case| Trial::test(case.id(), || Ok(())));
    let trials = selection.cases.iter().map(|case| Trial::test(case.id.as_str(), || Ok(())));
    let _ = libtest_mimic::run(
        &Arguments { list: true, ..unfiltered(&args.libtest) },
        trials.chain(random).collect(),
    );
    exit::EXPECTED
}
