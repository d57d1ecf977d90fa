//! Behaviour of implementations with the programs of the open questions: it is as recorded.

use std::path::Path;

use expectations::{
    device::DeviceFile,
    outcome::OutcomeKind,
    question::{Behaviour, Question, Smallest},
};
use generator::suite::Suite;
use libtest_mimic::{Completion, Failed, Trial};
use runner::{
    device::files,
    engine::{Config, ExpectedVerdict, Job, Placement, RunWith, Until},
};

use crate::{
    real::on,
    support::{Run, WORKER, config},
};

/// A test for each device and instance; the checker, which accepts all that is open, has its own.
pub(crate) fn trials() -> Vec<Trial> {
    let names = files::names().unwrap();
    let names = names.into_iter().filter(|name| name != "checker");
    names
        .map(|name| {
            Trial::ignorable_test(format!("real/{name}/questions"), move || {
                does_what_the_questions_say(&name)
            })
        })
        .collect()
}

fn does_what_the_questions_say(name: &str) -> Result<Completion, Failed> {
    let mut device = files::load(name)?;
    if let Some(root) = device.place.root.as_ref().filter(|root| !Path::new(root).is_dir()) {
        let missing = format!("device `{name}` runs in the root folder {root}, which is not there");
        return Ok(Completion::ignored_with(missing));
    }
    let suite = Suite::embedded()?;
    let programs = suite.questions().iter();
    let programs: Vec<(&Question, &Smallest)> = programs
        .flat_map(|question| question.programs.iter().map(move |program| (question, program)))
        .collect();
    let jobs: Vec<Job> =
        programs.iter().map(|(question, program)| job(question, program)).collect();
    let alone = Config { isolate: true, ..config(WORKER) };
    let run = match on(&device, &jobs, &alone)? {
        Ok(run) => run,
        Err(missing) => return Ok(Completion::ignored_with(missing)),
    };
    as_reported(&mut device, &run);
    let wrong: Vec<String> = run
        .records
        .iter()
        .filter_map(|(&index, record)| {
            let (question, program) = programs[index];
            let Question { path, id, .. } = question;
            let does = match record.outcome.kind {
                OutcomeKind::Accepted => Behaviour::Accepts,
                OutcomeKind::Rejected => Behaviour::Rejects,
                OutcomeKind::Crashed => Behaviour::Dies,
                OutcomeKind::Unsupported => return None,
                _ => return Some(format!("{path}:{}: {id}: {:?}", program.line, record.outcome)),
            };
            let known = program.behaviour(&device.identity());
            (known != Some(does)).then(|| {
                let said = known.map_or("nothing", Behaviour::name);
                let (does, line) = (does.name(), program.line);
                let log = record.outcome.log.lines().find(|line| line.contains("error"));
                let log = log.unwrap_or_default();
                format!(
                    "{path}:{line}: {id}: {}: {name} {does}, said is {said}: {log}",
                    program.what
                )
            })
        })
        .collect();
    if wrong.is_empty() {
        return Ok(Completion::Completed);
    }
    Err(format!("{:?}\n{}", device.identity(), wrong.join("\n")).into())
}

fn job(question: &Question, program: &Smallest) -> Job {
    Job {
        id: format!("{}: {}", question.id, program.what),
        dialect: program.dialect,
        requirements: program.needs.clone(),
        source: program.source.clone(),
        required: ExpectedVerdict::Either,
        expected: ExpectedVerdict::Either,
        until: Until::FrontEnd,
        placement: Placement::Batch,
        run_with: RunWith::Nothing,
    }
}

/// The front end and the version are those it reports.
fn as_reported(device: &mut DeviceFile, run: &Run) {
    let Some(facts) = &run.facts else { return };
    if let Some(front_end) = facts.capabilities.reported_front_end() {
        device.front_end = front_end;
    }
    device.driver = Some(facts.capabilities.driver_version.clone());
}
