//! A rejection of a case alone that names no place in the program counts only where the same process builds a
//! known-good program after it.

use std::{mem, sync::mpsc::Sender, time::Duration};

use expectations::outcome::Phase;
use results::worker_time::Activity;
use worker::BuildEnd;

use super::{
    program::Program,
    scheduler::{GroupFacts, Scheduler, Stop},
    self_check,
    types::{Company, Event, Symptom},
    worker_slot::{Work, WorkerSlot},
};
use crate::device::{BuildAnswer, BuildRequest, BuildStatus, Code, support};

/// The build of a case alone.
pub(super) struct Build<'b> {
    pub(super) group: &'b GroupFacts,
    pub(super) job: usize,
    pub(super) program: &'b Program,
    pub(super) request: BuildRequest,
    pub(super) limit: Duration,
    pub(super) work: Work,
}

/// The end of the build of a known-good program.
enum Afterwards {
    /// The program was built.
    Good,
    /// The program was not built, for this reason.
    Lost(String),
    /// The process is gone, and cannot be asked.
    Gone,
}

impl Scheduler<'_> {
    /// Builds a case alone, and after a rejection without a place a known-good program too. If that is not built
    /// either, does the same in a new worker; if it happens there again, it is a failure, not a rejection.
    pub(super) fn build_believed(
        &self,
        build: Build<'_>,
        half_over: &mut dyn FnMut(Phase),
        slot: &mut WorkerSlot<'_>,
        events: &Sender<Event>,
    ) -> Result<BuildEnd, Stop> {
        let Build { group, job, program, request, limit, work } = build;
        let mut is_again = false;
        loop {
            let end = slot.build_watched(&[job], request.clone(), limit, half_over);
            let BuildEnd::Answered { answer, .. } = &end else { return Ok(end) };
            if !program.is_rejected_without_evidence(answer, group.attribution) {
                return Ok(end);
            }
            let what = match self.build_good(group, slot)? {
                Afterwards::Good => return Ok(end),
                Afterwards::Lost(what) => {
                    let programs = slot.history_up_to(&[job]);
                    let symptom = Symptom::RejectsGood;
                    let company = Company { programs, symptom, what: what.clone() };
                    let _ = events.send(Event::Lost(company));
                    what
                }
                Afterwards::Gone => "its worker had to be replaced".to_owned(),
            };
            slot.retire();
            if is_again {
                return Ok(failed(end, &what));
            }
            is_again = true;
            self.warm_up(group.dialect, work, slot)?;
        }
    }

    /// Builds a known-good program that the worker has not built before, so that no cache has it.
    fn build_good(
        &self,
        group: &GroupFacts,
        slot: &mut WorkerSlot<'_>,
    ) -> Result<Afterwards, Stop> {
        if support::broken(self.device, group.dialect).is_some() {
            return Ok(Afterwards::Good);
        }
        if !slot.has_worker() {
            return Ok(Afterwards::Gone);
        }
        let source = self_check::good(group.dialect.language, slot.builds);
        let request = self.known_program(group.dialect, source, Code::NotAsked);
        let builds_for = mem::replace(&mut slot.builds_for, Activity::KnownPrograms);
        let end = slot.build(&[], request, self.config.start_timeout);
        slot.builds_for = builds_for;
        Ok(match end {
            BuildEnd::Cancelled => return Err(Stop::Cancelled),
            BuildEnd::Died(death) if death.from_outside => Afterwards::Gone,
            BuildEnd::Died(death) => Afterwards::Lost(death.to_string()),
            BuildEnd::Answered { answer, .. } => {
                match self_check::fault_with_good(group.dialect, &answer) {
                    Some(fault) => Afterwards::Lost(fault),
                    None => Afterwards::Good,
                }
            }
        })
    }
}

/// Returns the same end as a failure, which is not evidence about the program.
fn failed(end: BuildEnd, what: &str) -> BuildEnd {
    match end {
        BuildEnd::Answered { answer, runs, processor_time } => BuildEnd::Answered {
            answer: BuildAnswer {
                status: BuildStatus::Failed,
                detail: format!("rejected without a place in it; afterwards {what}"),
                ..answer
            },
            runs,
            processor_time,
        },
        end => end,
    }
}
