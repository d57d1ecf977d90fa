//! Runs of the cases of a batch after it was built: probes, or launches that generate code; and their results.

use std::sync::Arc;

use expectations::{
    device::{CodeGeneration, DeviceKind},
    dialect::Language,
    outcome::{CodeState, Outcome, OutcomeKind, Phase, Run, RunKind},
    probe::{
        AnsweredBy, Limits, Probe,
        compare::compare,
        plan::{Plan, RunAnswer},
    },
};

use worker::Death;

use super::{
    guard::guarded,
    program::Program,
    queue::{can_run, executed_probe, is_launched_for_code},
    scheduler::{GroupFacts, Scheduler},
    types::{ExpectedVerdict, Job, Until},
    worker_slot::Work,
};
use crate::device::{Code, ModulesByDefines, RunRequest};

/// Reason why a module is not queried for this, from the text on clGetKernelArgInfo.
const NO_ARGUMENT_INFORMATION: &str =
    "information on arguments is only available of programs that are created from source";

/// Reason why the module of a probe is not executed.
const ANSWERED_BY_COMPILER: &str =
    "the front end decides what is seen, and the driver is given a module";

/// Runs that follow the build of a program.
pub(super) struct Runs {
    limits: Arc<Limits>,
    of_cases: Vec<OfCase>,
    /// Whether an accepted program has code.
    is_generated: bool,
}

/// Run of one case of the program.
enum OfCase {
    /// Building decides.
    NoProbe,
    /// The case is not run, and this is its result.
    Settled(Run),
    /// The probe is executed.
    Probe(Arc<Probe>, RunRequest),
    /// The kernels are launched to generate their code; the case has a probe that is not executed, or none.
    Code { request: RunRequest, unexecuted: bool },
    /// The kernels cannot be launched, for this reason.
    NoCode(&'static str),
}

impl Scheduler<'_> {
    /// Returns the runs of these jobs of a group after they are built as one program.
    pub(super) fn runs(&self, jobs: &[usize], group: &GroupFacts) -> Runs {
        let limits = self.limits();
        let kind = &self.device.kind;
        let given_modules = self.device.through.is_some();
        let of_case = |&index: &usize| {
            let job = &self.jobs[index];
            if is_launched_for_code(kind, job) {
                return launch(job);
            }
            if !job.run_with.is_something() {
                return without_probe(kind, job);
            }
            if !can_run(kind) {
                return OfCase::Settled(builds_only());
            }
            let Some(probe) = executed_probe(kind, job) else {
                return OfCase::Settled(not_executed());
            };
            if let Some(missing) = probe.missing(&limits) {
                return OfCase::Settled(Run::new(RunKind::Lacking, missing));
            }
            match probe.plan(&limits) {
                Ok(plan) if given_modules && let Some(why) = needs_source(probe, &plan) => {
                    OfCase::Settled(Run::new(RunKind::Lacking, why))
                }
                Ok(plan) => {
                    let source = job.source.clone();
                    let options = self.options(group, &[index]).join(" ");
                    let modules = given_modules.then(ModulesByDefines::default);
                    let request = RunRequest::Probe { source, options, plan, modules };
                    OfCase::Probe(Arc::clone(probe), request)
                }
                Err(why) => OfCase::Settled(Run::new(
                    RunKind::Failed,
                    format!("the probe cannot be carried out: {why}"),
                )),
            }
        };
        let asked = |&job: &usize| self.jobs[job].until >= Until::Code;
        // Only valid programs become modules.
        let is_given =
            |&job: &usize| !given_modules || self.jobs[job].required == ExpectedVerdict::Accept;
        // Where that is more work, it is done only on request.
        let is_generated = kind.code_generation() == CodeGeneration::AtBuild
            && (!kind.has_steps() || jobs.iter().all(asked))
            && jobs.iter().all(is_given);
        Runs { of_cases: jobs.iter().map(of_case).collect(), limits, is_generated }
    }
}

/// Returns the reason why a probe is only executed on a driver that is given the source; `None` if a module will do.
fn needs_source(probe: &Probe, plan: &Plan) -> Option<&'static str> {
    match probe.answered_by {
        AnsweredBy::FrontEnd => Some(ANSWERED_BY_COMPILER),
        AnsweredBy::Device => plan.asks_about_source().then_some(NO_ARGUMENT_INFORMATION),
    }
}

/// Returns the run of a case that its build decides. If code is requested from an interpreter, the result states that
/// there is none.
fn without_probe(kind: &DeviceKind, job: &Job) -> OfCase {
    let is_driver = matches!(kind, DeviceKind::Opencl { .. });
    let never = kind.code_generation() == CodeGeneration::Never;
    if is_driver && never && job.until >= Until::Code {
        return OfCase::NoCode("the device interprets kernels: there is no code to generate");
    }
    OfCase::NoProbe
}

/// Returns the launch that generates code for a case.
fn launch(job: &Job) -> OfCase {
    if job.dialect.language == Language::Spirv {
        return OfCase::NoCode("a module that is written by hand is only launched to execute it");
    }
    let Some(guarded) = guarded(&job.source) else {
        return OfCase::NoCode("it defines no kernel that could be launched");
    };
    let request =
        RunRequest::Code { source: guarded.source, module: None, kernels: guarded.kernels };
    OfCase::Code { request, unexecuted: job.run_with.is_something() }
}

/// Returns the result of a case that is executed only in other runs.
fn not_executed() -> Run {
    Run::new(
        RunKind::BuildsOnly,
        "built, but not executed at this depth: `--depth all` executes every case",
    )
}

/// Returns the result of a case on a device that can only build.
pub(super) fn builds_only() -> Run {
    Run::new(RunKind::BuildsOnly, "builds only")
}

impl Runs {
    /// Returns the kind of work that the worker has to do.
    pub(super) fn work(&self) -> Work {
        let is_probe = |of_case: &OfCase| matches!(of_case, OfCase::Probe(..));
        if self.of_cases.iter().any(is_probe) { Work::Probes } else { Work::Builds }
    }

    /// Returns the requests to the worker, in order.
    pub(super) fn requests(&self) -> Vec<RunRequest> {
        let request = |of_case: &OfCase| match of_case {
            OfCase::Probe(_, request) | OfCase::Code { request, .. } => Some(request.clone()),
            OfCase::NoProbe | OfCase::Settled(_) | OfCase::NoCode(_) => None,
        };
        self.of_cases.iter().filter_map(request).collect()
    }

    /// Returns the number of the worker's answer for the case at a position.
    fn number(&self, position: usize) -> Option<usize> {
        let is_run = |of_case: &OfCase| matches!(of_case, OfCase::Probe(..) | OfCase::Code { .. });
        is_run(&self.of_cases[position])
            .then(|| self.of_cases[..position].iter().filter(|of_case| is_run(of_case)).count())
    }

    /// Returns the code to request for these cases as one program; `code` is the request of the group.
    pub(super) fn code(&self, code: Code) -> Code {
        let sources: Vec<&str> = self
            .of_cases
            .iter()
            .filter_map(|of_case| match of_case {
                OfCase::Code { request: RunRequest::Code { source, .. }, .. } => {
                    Some(source.as_str())
                }
                _ => None,
            })
            .collect();
        if sources.is_empty() {
            return code;
        }
        Code::Launched { source: Program::new(sources).text, module: None }
    }

    /// Returns the outcome of the case at a position of a program that was accepted.
    pub(super) fn outcome(&self, position: usize, answers: &[RunAnswer]) -> Outcome {
        let accepted = Outcome {
            code: self.is_generated.then(|| Box::new(CodeState::Generated)),
            ..Outcome::new(OutcomeKind::Accepted)
        };
        let answer = self.number(position).and_then(|number| answers.get(number));
        let not_generated = |why: &str| Some(Box::new(CodeState::NotGenerated(why.to_owned())));
        match &self.of_cases[position] {
            OfCase::NoProbe => accepted,
            OfCase::Settled(run) => Outcome { run: Some(Box::new(run.clone())), ..accepted },
            OfCase::Probe(probe, _) => {
                let run = answer.map_or_else(
                    || Run::new(RunKind::Failed, "the worker did not report what it saw"),
                    |answer| compare(probe, &self.limits, answer),
                );
                Outcome { run: Some(Box::new(run)), ..accepted }
            }
            OfCase::NoCode(why) => Outcome { code: not_generated(why), ..accepted },
            OfCase::Code { unexecuted, .. } => {
                let run = unexecuted.then(|| Box::new(not_executed()));
                let code = match answer {
                    Some(RunAnswer::Code { failed: Some(why), .. }) => {
                        return Outcome {
                            phase: Phase::GenerateCode,
                            detail: why.clone(),
                            ..Outcome::new(OutcomeKind::Rejected)
                        };
                    }
                    Some(RunAnswer::Code { unlaunched: Some(why), .. }) => not_generated(why),
                    Some(RunAnswer::Code { .. }) => Some(Box::new(CodeState::Generated)),
                    _ => not_generated("the worker did not report what it did"),
                };
                Outcome { code, run, ..accepted }
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

    /// Returns the position of the case whose probe killed the worker.
    pub(super) fn died_on(&self, death: &Death) -> Option<usize> {
        let is_of_a_case = matches!(death.phase, Phase::Run | Phase::GenerateCode);
        is_of_a_case.then(|| self.position(death.runs.len()))?
    }

    /// Returns the position of the first case on whose probe a call failed, and the answers before it: answers after it
    /// prove nothing.
    pub(super) fn failed_on<'a>(
        &self,
        answers: &'a [RunAnswer],
    ) -> Option<(usize, &'a [RunAnswer])> {
        let number = answers.iter().position(RunAnswer::has_failed)?;
        Some((self.position(number)?, &answers[..number]))
    }

    /// Returns the position of the case that an answer belongs to.
    fn position(&self, number: usize) -> Option<usize> {
        (0..self.of_cases.len()).find(|&position| self.number(position) == Some(number))
    }
}
