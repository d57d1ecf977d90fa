//! The probes of a batch: which cases are run, with what, and what was seen.

use std::sync::Arc;

use expectations::{
    outcome::{Phase, Run, RunKind},
    probe::{Limits, Probe, compare::compare, plan::RunAnswer},
};

use worker::Death;

use super::{queue::probe_on, scheduler::Scheduler};
use crate::device::RunRequest;

/// What is to be run once a program is built.
pub(super) struct Runs {
    limits: Arc<Limits>,
    of_cases: Vec<OfCase>,
}

/// What one case of the program is run with.
enum OfCase {
    /// Building decides.
    NoProbe,
    /// It cannot be run; what is known of that.
    Settled(Run),
    /// It is run.
    Probe(Arc<Probe>, RunRequest),
}

impl Scheduler<'_> {
    /// What these jobs are run with, once they are built as one program with these options.
    pub(super) fn runs(&self, jobs: &[usize], options: &[String]) -> Runs {
        let limits = self.limits();
        let of_case = |&job: &usize| {
            let job = &self.jobs[job];
            if job.probe.is_none() {
                return OfCase::NoProbe;
            }
            let Some(probe) = probe_on(&self.device.kind, job) else {
                return OfCase::Settled(builds_only());
            };
            if let Some(missing) = probe.missing(&limits) {
                return OfCase::Settled(Run::new(RunKind::Lacking, missing));
            }
            match probe.plan(&limits) {
                Ok(plan) => {
                    let (source, options) = (job.source.clone(), options.join(" "));
                    OfCase::Probe(Arc::clone(probe), RunRequest { source, options, plan })
                }
                Err(why) => OfCase::Settled(Run::new(
                    RunKind::Failed,
                    format!("the probe cannot be carried out: {why}"),
                )),
            }
        };
        Runs { of_cases: jobs.iter().map(of_case).collect(), limits }
    }
}

/// What is said of a case that a device can only build.
pub(super) fn builds_only() -> Run {
    Run::new(RunKind::BuildsOnly, "builds only")
}

impl Runs {
    /// What the worker is told, in order.
    pub(super) fn requests(&self) -> Vec<RunRequest> {
        let request = |of_case: &OfCase| match of_case {
            OfCase::Probe(_, request) => Some(request.clone()),
            OfCase::NoProbe | OfCase::Settled(_) => None,
        };
        self.of_cases.iter().filter_map(request).collect()
    }

    /// Which answer of the worker is the case's.
    fn number(&self, position: usize) -> Option<usize> {
        let is_run = |of_case: &OfCase| matches!(of_case, OfCase::Probe(..));
        is_run(&self.of_cases[position])
            .then(|| self.of_cases[..position].iter().filter(|of_case| is_run(of_case)).count())
    }

    /// What the case at a position of the program showed.
    pub(super) fn seen(&self, position: usize, answers: &[RunAnswer]) -> Option<Box<Run>> {
        match &self.of_cases[position] {
            OfCase::NoProbe => None,
            OfCase::Settled(run) => Some(Box::new(run.clone())),
            OfCase::Probe(probe, _) => {
                let answer = self.number(position).and_then(|number| answers.get(number));
                Some(Box::new(answer.map_or_else(
                    || Run::new(RunKind::Failed, "the worker did not say what it saw"),
                    |answer| compare(probe, &self.limits, answer),
                )))
            }
        }
    }

    /// Seconds its run took.
    pub(super) fn seconds(&self, position: usize, answers: &[RunAnswer]) -> f64 {
        let answer = self.number(position).and_then(|number| answers.get(number));
        answer.map_or(0.0, RunAnswer::seconds)
    }

    /// Whether everything is known of a case whose worker died later.
    pub(super) fn was_reached(&self, position: usize, answers: &[RunAnswer]) -> bool {
        self.number(position).is_none_or(|number| number < answers.len())
    }

    /// The position of the case whose probe a worker died on.
    pub(super) fn died_on(&self, death: &Death) -> Option<usize> {
        (death.phase == Phase::Run).then(|| self.position(death.runs.len()))?
    }

    /// The position of the first case on whose probe a call failed, and the answers before: what was seen after it
    /// proves nothing.
    pub(super) fn failed_on<'a>(
        &self,
        answers: &'a [RunAnswer],
    ) -> Option<(usize, &'a [RunAnswer])> {
        let number = answers.iter().position(RunAnswer::has_failed)?;
        Some((self.position(number)?, &answers[..number]))
    }

    /// The position of the case that an answer is of.
    fn position(&self, number: usize) -> Option<usize> {
        (0..self.of_cases.len()).find(|&position| self.number(position) == Some(number))
    }
}
