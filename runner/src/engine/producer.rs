//! The compiler that makes the modules which a driver is given: the part of a build before the driver's.

use std::time::Duration;

use expectations::{outcome::Phase, probe::plan::Operation};
use worker::{BuildEnd, Death, Launch, Reserve, Seat, StartEnd, WorkerStart};

use super::types::Cancel;
use crate::device::{
    BuildAnswer, BuildRequest, BuildStatus, Capabilities, Code, Form, Making, Module,
    ModulesByDefines, Output, RunRequest, with_options,
};

/// A compiler that makes modules.
pub(super) struct Producer<'r> {
    seat: Seat<'r>,
    limit: Duration,
    cancel: &'r Cancel,
    is_open: bool,
}

/// A request in the form in which the driver gets it.
pub(super) enum MadeModules {
    /// The modules are made.
    Ready {
        request: Box<BuildRequest>,
        /// Time and output of the compiler.
        answer: BuildAnswer,
        /// Processor time of the compiler.
        processor_time: Duration,
    },
    /// The driver is not asked: this is the result.
    Ended(BuildEnd),
}

impl<'r> Producer<'r> {
    pub(super) fn new(launch: &'r Launch, limit: Duration, cancel: &'r Cancel) -> Self {
        Self { seat: Seat::new(launch, Reserve::default()), limit, cancel, is_open: false }
    }

    /// Starts the compiler's worker if there is none. Returns its capabilities if this call started it.
    pub(super) fn open(&mut self) -> Result<Option<Capabilities>, StartEnd> {
        if self.is_open {
            return Ok(None);
        }
        let started = self.seat.start(None, self.limit, self.cancel)?;
        self.is_open = true;
        Ok(match started {
            WorkerStart::Opened { capabilities, .. } => Some(*capabilities),
            WorkerStart::Forked => None,
        })
    }

    /// Makes the modules of a request; a request for the source is ready as it is.
    pub(super) fn make(
        &mut self,
        mut request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
    ) -> MadeModules {
        let Form::Made(making) = request.form.clone() else {
            let (request, answer) = (Box::new(request), nothing_made());
            return MadeModules::Ready { request, answer, processor_time: Duration::ZERO };
        };
        let log_limit = request.log_limit;
        let module_of = |source: &str| request_of(&making, source, log_limit);
        let (answer, processor_time) = match self.ask(module_of(&request.source), limit, slow) {
            BuildEnd::Answered { answer, processor_time, .. } => (answer, processor_time),
            ended => return MadeModules::Ended(ended),
        };
        if answer.status != BuildStatus::Accepted || making.by.is_empty() {
            let runs = Vec::new();
            return MadeModules::Ended(BuildEnd::Answered { answer, runs, processor_time });
        }
        request.form = Form::Module(Module(answer.output.clone()));
        let mut made = |request: BuildRequest| match self.ask(request, limit, &mut |_| {}) {
            BuildEnd::Answered { answer, .. } if answer.status == BuildStatus::Accepted => {
                Some(Module(answer.output))
            }
            _ => None,
        };
        let mut whole_is_launched = true;
        if let Code::Launched { source, module } = &mut request.code {
            *module = made(module_of(source));
            whole_is_launched = module.is_some();
        }
        for run in &mut request.runs {
            match run {
                RunRequest::Probe { source, plan, modules, .. } => {
                    let mut further = ModulesByDefines::new();
                    for defines in further_programs(&plan.rounds) {
                        let words = defines.split_whitespace().map(str::to_owned);
                        let making = with_options(making.clone(), words);
                        // A missing module is reported by the call that needs it.
                        if let Some(module) = made(request_of(&making, source, log_limit)) {
                            further.insert(defines, module);
                        }
                    }
                    *modules = Some(further);
                }
                RunRequest::Code { source, module, .. } if !whole_is_launched => {
                    *module = made(module_of(source));
                }
                RunRequest::Code { .. } => {}
            }
        }
        MadeModules::Ready { request: Box::new(request), answer, processor_time }
    }

    fn ask(
        &mut self,
        request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
    ) -> BuildEnd {
        let end = self.seat.build(request, limit, slow, self.cancel);
        match end {
            BuildEnd::Answered { answer, runs, processor_time } => {
                let phase = producers(answer.phase);
                BuildEnd::Answered { answer: BuildAnswer { phase, ..answer }, runs, processor_time }
            }
            BuildEnd::Died(death) => {
                self.is_open = false;
                BuildEnd::Died(Death { phase: producers(death.phase), ..death })
            }
            BuildEnd::Cancelled => BuildEnd::Cancelled,
        }
    }
}

/// Returns the answer of a build in which nothing had to be made.
const fn nothing_made() -> BuildAnswer {
    BuildAnswer {
        status: BuildStatus::Accepted,
        phase: Phase::Build,
        detail: String::new(),
        log: String::new(),
        seconds: 0.0,
        output: Vec::new(),
    }
}

/// Returns the request to a compiler to make the module of a source, or to judge it where no step makes one.
fn request_of(making: &Making, source: &str, log_limit: usize) -> BuildRequest {
    let Making { options, by, file } = making.clone();
    let is_made = !by.is_empty();
    BuildRequest {
        options,
        source: source.to_owned(),
        form: Form::Source,
        code: if is_made { Code::Asked { by } } else { Code::NotAsked },
        runs: Vec::new(),
        output: is_made.then_some(Output { file, by: None }),
        log_limit,
    }
}

/// Returns a phase of the compiler as one of the whole build.
fn producers(phase: Phase) -> Phase {
    if phase == Phase::GenerateCode { Phase::MakeModule } else { phase }
}

/// Returns the options of the programs that a probe builds besides its case's, each once.
fn further_programs(rounds: &[Vec<Operation>]) -> Vec<String> {
    let modules = rounds.iter().flatten().filter_map(|operation| match operation {
        Operation::Build { modules, .. } => Some(modules),
        _ => None,
    });
    let mut all: Vec<String> = modules.flatten().cloned().collect();
    all.sort_unstable();
    all.dedup();
    all
}
