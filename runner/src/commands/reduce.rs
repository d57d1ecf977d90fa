//! `runner reduce`: a program made as small as it can be while devices say of it what they say now.

use std::path::Path;

use expectations::{
    device::DeviceFile,
    dialect::Dialect,
    outcome::{Outcome, OutcomeKind},
};

use super::{CommandError, run::note};
use crate::{
    clusters, device_files,
    engine::{self, Cancel, Config, Event, Hope, Job, WorkerCommand},
    install, reduce,
};

/// What is kept of an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    kind: OutcomeKind,
    message: String,
}

/// Reduce the program of a file; gives what is left.
pub fn reduce(
    file: &Path,
    device: &str,
    against: Option<&str>,
    dialect: Dialect,
) -> Result<String, CommandError> {
    let source = std::fs::read_to_string(file)
        .map_err(|source| CommandError::File { path: file.display().to_string(), source })?;
    let devices: Vec<DeviceFile> = [Some(device), against]
        .into_iter()
        .flatten()
        .map(device_files::load)
        .collect::<Result<_, _>>()?;
    let wanted: Vec<Said> =
        said_of(&devices, dialect, std::slice::from_ref(&source))?.into_iter().flatten().collect();
    check(&devices, &wanted, dialect)?;
    for (device, said) in devices.iter().zip(&wanted) {
        note(&format!(
            "{}: {:?} {}",
            device.name,
            said.kind,
            reports::text::printable(&said.message)
        ));
    }
    let mut rounds = 0;
    let reduced = reduce::reduce(&source, |texts: &[String]| {
        rounds += 1;
        let said = said_of(&devices, dialect, texts)?;
        Ok::<_, CommandError>(
            (0..texts.len())
                .map(|index| said.iter().zip(&wanted).all(|(said, wanted)| said[index] == *wanted))
                .collect(),
        )
    })?;
    note(&format!("{} of {} bytes are left after {rounds} rounds", reduced.len(), source.len()));
    Ok(reduced)
}

/// Whether there is something to keep.
fn check(devices: &[DeviceFile], said: &[Said], dialect: Dialect) -> Result<(), CommandError> {
    let usage = |text: String| Err(CommandError::Usage(text));
    for (device, said) in devices.iter().zip(said) {
        if said.kind == OutcomeKind::Unsupported {
            return usage(format!(
                "device `{}` does not have {dialect} ({}): name another by `--dialect`",
                device.name, said.message
            ));
        }
    }
    match said {
        [only] if only.kind == OutcomeKind::Accepted => usage(format!(
            "device `{}` accepts this program: name by `--against` the device that does not",
            devices[0].name
        )),
        [one, other] if one.kind == other.kind => usage(format!(
            "devices `{}` and `{}` agree on this program ({:?}): there is no disagreement to keep",
            devices[0].name, devices[1].name, one.kind
        )),
        _ => Ok(()),
    }
}

/// What each device says of each text.
fn said_of(
    devices: &[DeviceFile],
    dialect: Dialect,
    texts: &[String],
) -> Result<Vec<Vec<Said>>, CommandError> {
    devices.iter().map(|device| said_by(device, dialect, texts)).collect()
}

fn said_by(
    device: &DeviceFile,
    dialect: Dialect,
    texts: &[String],
) -> Result<Vec<Said>, CommandError> {
    let jobs: Vec<Job> = texts
        .iter()
        .enumerate()
        .map(|(index, source)| Job {
            id: index.to_string(),
            dialect,
            requirements: Vec::new(),
            source: source.clone(),
            hope: Hope::Either,
            probe: None,
        })
        .collect();
    let outcomes = outcomes(device, &jobs)?;
    Ok(outcomes.iter().map(said).collect())
}

fn said(outcome: &Outcome) -> Said {
    let message = match outcome.kind {
        OutcomeKind::Accepted => String::new(),
        OutcomeKind::Rejected => clusters::first_message(&outcome.log),
        _ => clusters::death(outcome),
    };
    Said { kind: outcome.kind, message }
}

/// Build programs on a device: an outcome for each.
pub fn outcomes(device: &DeviceFile, jobs: &[Job]) -> Result<Vec<Outcome>, engine::EngineError> {
    let machine =
        |source| engine::EngineError::Machine { action: "starting a worker".to_owned(), source };
    let worker = WorkerCommand::this_program(vec!["worker".into()]).map_err(machine)?;
    let config = Config::new(worker, install::folder(&device.folder_name()));
    let mut outcomes = vec![None; jobs.len()];
    let mut sink = |event: Event| {
        if let Event::Finished { job, record } = event {
            outcomes[job] = Some(record.outcome);
        }
    };
    engine::run(device, jobs, &config, &Cancel::default(), &mut sink)?;
    let missing = || Outcome::new(OutcomeKind::Failed).with_detail("the device gave no outcome");
    Ok(outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(missing)).collect())
}
