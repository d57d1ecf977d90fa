//! Programs built again, one after the other in a new process, as a worker built them.

use std::{
    sync::{
        Arc,
        mpsc::{self, Sender},
    },
    time::Duration,
};

use expectations::{device::DeviceFile, dialect::Dialect, outcome::OutcomeKind};
use worker::BuildEnd;

use super::{
    program::{Attribution, Program},
    queue::{code_of, form_of, shared_options},
    run::{all_installed, launch, launch_of_producer},
    scheduler::{GroupFacts, Scheduler, Stop},
    self_check,
    side::Side,
    types::{Cancel, Config, EngineError, Event, Job, Symptom},
    worker_slot::{Work, WorkerSlot},
};
use crate::device::{BuildRequest, Code, environment::target};

/// Factor by which the first program of a process may take longer than others.
const FIRST_TAKES: u32 = 2;
/// Number of processes that are started where each is killed from outside.
const KILLS: usize = 3;

/// Builds programs in new processes.
pub struct Replayer<'r> {
    scheduler: &'r Scheduler<'r>,
    slot: WorkerSlot<'r>,
    events: Sender<Event>,
}

/// A program to be built.
enum Step<'s> {
    /// A program that is known to be good or bad.
    Known(String),
    /// Jobs as one program.
    Jobs(&'s [usize]),
}

/// Hands `with` what builds programs of these jobs on a device; returns `None` if the device is in this process.
pub fn replaying<T>(
    device: &DeviceFile,
    jobs: &[Job],
    config: &Config,
    cancel: &Cancel,
    with: impl FnOnce(&mut Replayer<'_>) -> Result<T, EngineError>,
) -> Result<Option<T>, EngineError> {
    let device = &all_installed(device, &config.install_folder);
    let Some(target) = target(device) else { return Ok(None) };
    let launch = launch(device, target, config);
    let producer = launch_of_producer(device, config);
    let scheduler = Scheduler::new(device, jobs, config, &launch, producer.as_ref(), cancel);
    // The messages of a worker that opens its device were reported before.
    let (events, _) = mpsc::channel();
    let mut replayer = Replayer { scheduler: &scheduler, slot: scheduler.slot(), events };
    let done = with(&mut replayer);
    replayer.slot.retire();
    done.map(Some)
}

impl Replayer<'_> {
    /// Builds these programs once, known-good ones in this dialect; returns whether the device shows the fault, `false`
    /// where the run is stopped.
    pub fn shows<'s>(
        &mut self,
        programs: &'s [Arc<[usize]>],
        symptom: Symptom,
        dialect: Dialect,
    ) -> Result<bool, EngineError> {
        // No cache has a program of another number.
        let good = |number| Step::Known(self_check::good(dialect.language, number));
        let step = |(number, jobs): (usize, &'s Arc<[usize]>)| match &**jobs {
            [] => good(number),
            jobs => Step::Jobs(jobs),
        };
        let mut steps: Vec<Step<'_>> = programs.iter().enumerate().map(step).collect();
        match symptom {
            Symptom::Fails(_) => {}
            Symptom::RejectsGood => steps.push(good(programs.len())),
            Symptom::AcceptsBad => steps.push(Step::Known(self_check::bad(dialect.language))),
        }
        for _ in 0..KILLS {
            match self.answers(&steps, dialect) {
                Ok(Some(answers)) => {
                    let all = answers.len() == steps.len();
                    let last = answers.last().copied();
                    return Ok(match symptom {
                        Symptom::Fails(kind) => last == Some(kind),
                        Symptom::RejectsGood => all && last != Some(OutcomeKind::Accepted),
                        Symptom::AcceptsBad => all && last == Some(OutcomeKind::Accepted),
                    });
                }
                Ok(None) => {}
                Err(Stop::Cancelled) => return Ok(false),
                Err(Stop::Failed(error)) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Returns what became of the programs, up to the first that the process did not survive; `None` if it was killed
    /// from outside.
    fn answers(
        &mut self,
        steps: &[Step<'_>],
        dialect: Dialect,
    ) -> Result<Option<Vec<OutcomeKind>>, Stop> {
        let Self { scheduler, slot, events } = self;
        slot.retire();
        if let Some(capabilities) =
            slot.open(Work::Probes).map_err(|error| scheduler.no_worker(error))?
        {
            scheduler.open(capabilities, events);
        }
        let usual = scheduler.config.build_timeout;
        let mut answers = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            if !slot.has_worker() {
                break;
            }
            let limit: Duration = if index == 0 { usual * FIRST_TAKES } else { usual };
            let end = match step {
                Step::Known(source) => {
                    let source = source.clone();
                    slot.build(&[], scheduler.known_program(dialect, source, Code::NotAsked), limit)
                }
                Step::Jobs(jobs) => slot.build(jobs, scheduler.request_of(jobs), limit),
            };
            match end {
                BuildEnd::Cancelled => return Err(Stop::Cancelled),
                BuildEnd::Died(death) if death.from_outside => return Ok(None),
                BuildEnd::Died(death) => {
                    answers.push(death.kind);
                    break;
                }
                BuildEnd::Answered { answer, .. } => answers.push(answer.status.outcome()),
            }
        }
        Ok(Some(answers))
    }
}

impl Scheduler<'_> {
    /// Returns the request to build these jobs as one program.
    fn request_of(&self, jobs: &[usize]) -> BuildRequest {
        let first = &self.jobs[jobs[0]];
        let group = GroupFacts {
            output: None,
            dialect: first.dialect,
            options: shared_options(self.device, first, &self.limits()),
            form: form_of(self.device, first, &self.limits()),
            code: code_of(&self.device.kind, first),
            side: Side::Accept,
            attribution: Attribution::Nothing,
        };
        let runs = self.runs(jobs, &group);
        let sources = jobs.iter().map(|&job| self.jobs[job].source.as_str());
        let program = Program::of(first.dialect.language, sources);
        BuildRequest {
            runs: runs.requests(),
            code: runs.code(group.code.clone()),
            ..self.request_of_jobs(&group, jobs, program.text)
        }
    }
}
