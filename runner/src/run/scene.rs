//! Scene of each look at the cases of a run: device, cases and settings, the jobs that the engine gets, the judgement,
//! and the progress to report.

use std::collections::BTreeSet;

use expectations::{
    baseline::{Deviation, PatternIndex},
    device::DeviceFile,
    judge::Direction,
};
use generator::suite::Suite;
use results::{
    line::{CaseResult, Interaction, UnreproducedFailure},
    shared_check::SharedCheck,
    worker_time::WorkerTime,
};

use super::{interactions::two_answers, interrupted::InterruptedCases};
use crate::{
    device::DeviceFacts,
    engine::{
        self, Cancel, Config, Depth, EngineError, Event, ExpectedVerdict, Job, Placement, Record,
        Until,
    },
    findings::judging::{Judging, PreparedCase},
};

/// Device, cases and settings of a run.
#[derive(Clone, Copy)]
pub struct Scene<'r, 's> {
    /// The suite, for what is known of the device.
    pub suite: &'s Suite,
    /// The device with its baseline entries.
    pub device: &'r DeviceFile,
    /// The cases that are run on the device.
    pub prepared: &'r [PreparedCase<'s>],
    /// Configuration of the engine.
    pub config: &'r Config,
    /// Depth to which cases are taken.
    pub depth: Depth,
    /// The cases that were being built when the run was killed before.
    pub interrupted: &'r InterruptedCases,
    /// Asks for an end.
    pub cancel: &'r Cancel,
}

/// Progress report of a run.
#[derive(Debug)]
pub enum RunProgress<'t> {
    /// The device is open.
    Opened(&'t DeviceFacts),
    /// A case was built for the first time.
    Built,
    /// A case is not built: the device does not meet its requirements, or other cases represent it.
    NotBuilt,
    /// This number of findings gets a second look.
    LooksAgain(usize),
    /// Workers have ended; what their time went into.
    Worked(&'t WorkerTime),
    /// A final result.
    Result(&'t CaseResult),
    /// Results that were reported and are withdrawn: these cases are built again.
    Withdrawn(&'t BTreeSet<&'t str>),
    /// The verdicts of shared builds were checked.
    Checked(SharedCheck),
    /// A failure or an answer of a build of several cases that none of them shows alone.
    Unreproduced(UnreproducedFailure),
    /// A fault that takes several programs or kernels.
    Interaction(Interaction),
    /// Something a reader of the run's record should know.
    Warning(String),
}

/// Judgement of the cases, and the listener to whom progress is reported.
pub(super) struct Reporter<'j, 'r, 's> {
    pub(super) judging: &'j mut Judging<'r, 's>,
    pub(super) listener: &'j mut dyn FnMut(RunProgress<'_>),
}

impl Reporter<'_, '_, '_> {
    pub(super) fn tell(&mut self, progress: RunProgress<'_>) {
        (self.listener)(progress);
    }

    /// Reports a final result, and adds it to the judgement.
    pub(super) fn keep(&mut self, result: CaseResult) {
        self.tell(RunProgress::Result(&result));
        self.judging.keep(result);
    }
}

impl Scene<'_, '_> {
    /// Returns the indices of all cases.
    pub fn every_case(&self) -> Vec<usize> {
        (0..self.prepared.len()).collect()
    }

    /// Returns the jobs of these cases.
    pub(super) fn jobs(&self, cases: &[usize]) -> Vec<Job> {
        let known = PatternIndex::new(&self.device.deviations);
        let ends_at_modules = self.device.front_kind().ends_at_modules();
        let job = |&index: &usize| {
            let mut job = self.prepared[index].job(self.depth);
            job.placement = placement(&known, &job);
            if self.interrupted.is_suspect(&job.id) {
                job.placement = Placement::Quarantine;
            }
            let is_valid = job.expected == ExpectedVerdict::Accept;
            let takes_known = matches!(self.depth, Depth::OneDialect | Depth::Run);
            let stops_short = takes_known && job.until == Until::FrontEnd && is_valid;
            // A known deviation may show after the front end, and no other case represents it there.
            if stops_short && !known.matching(&job.id).is_empty() {
                job.until = Until::Code;
            }
            // A compiler that ends while it generates IR names no case: the batch would be halved until one is left.
            let is_in_batch = matches!(job.placement, Placement::Batch);
            if is_in_batch
                && ends_at_modules
                && job.until == Until::Code
                && known.fails_later(&job.id)
            {
                job.placement = Placement::Quarantine;
            }
            job.expected = expected(&known, &job);
            job
        };
        cases.iter().map(job).collect()
    }

    /// Returns the jobs of these cases, each to be built alone.
    pub(super) fn jobs_alone(&self, cases: &[usize]) -> Vec<Job> {
        let known = PatternIndex::new(&self.device.deviations);
        let jobs = cases.iter().map(|&index| self.prepared[index].job(self.depth));
        jobs.map(|job| Job { expected: expected(&known, &job), ..job }).collect()
    }

    /// Builds jobs once more and returns their records. A failure of such a build is a finding of nobody.
    pub(super) fn rebuild(
        &self,
        jobs: &[Job],
        config: &Config,
        reporter: &mut Reporter<'_, '_, '_>,
    ) -> Result<Vec<(usize, Record)>, EngineError> {
        let mut records = Vec::new();
        if jobs.is_empty() || self.cancel.is_cancelled() {
            return Ok(records);
        }
        let report =
            engine::run(self.device, jobs, config, self.cancel, &mut |event| match event {
                Event::Finished { job, record } => records.push((job, record)),
                Event::TwoAnswers { jobs: built, first } => {
                    reporter.tell(RunProgress::Interaction(two_answers(jobs, &built, &first)));
                }
                Event::Warning(text) => reporter.tell(RunProgress::Warning(text)),
                Event::Opened(_)
                | Event::FailedTwice { .. }
                | Event::Checked { .. }
                | Event::BatchFailed { .. }
                | Event::Lost(_)
                | Event::Unreproduced { .. } => {}
            })?;
        reporter.tell(RunProgress::Worked(&report.worker_time));
        Ok(records)
    }
}

/// Returns the place of a case that is known to crash or hang the device: it is tried once if it crashes each time, with
/// a shorter time limit if it hangs. Where an entry matches controls too, it means the controls of cases to reject, and
/// cases to reject are built with others.
fn placement(known: &PatternIndex<'_>, job: &Job) -> Placement {
    let is_rejected = job.expected == ExpectedVerdict::Reject;
    let of_control = |entry: &Deviation| entry.directions().contains(&Direction::Inconclusive);
    let harmful = |entry: &&Deviation| !(is_rejected && of_control(entry));
    let entries: Vec<&Deviation> = known.harmful(&job.id).filter(harmful).collect();
    let any = |direction| entries.iter().any(|entry| entry.directions().contains(&direction));
    if any(Direction::Timeout) {
        Placement::KnownToHang
    } else if entries.is_empty() {
        Placement::Batch
    } else if any(Direction::Crash) && !any(Direction::Flaky) {
        Placement::KnownToCrash
    } else {
        Placement::Quarantine
    }
}

/// Returns the verdict that the device is known to give. A valid case that is known to be rejected is built with those to
/// be rejected, or the others' batch would be built again without it; where it is accepted it is launched all the same.
/// A rejection of an invalid case that is known to be accepted needs two programs that show it.
fn expected(known: &PatternIndex<'_>, job: &Job) -> ExpectedVerdict {
    match job.expected {
        ExpectedVerdict::Accept if known.is_rejected(&job.id) => ExpectedVerdict::Reject,
        ExpectedVerdict::Reject if known.is_accepted(&job.id) => ExpectedVerdict::Either,
        expected => expected,
    }
}
