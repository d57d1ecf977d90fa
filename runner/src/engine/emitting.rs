//! The modules that a compiler emits for programs of several cases.

use std::{
    sync::{Mutex, PoisonError, mpsc},
    thread,
};

use expectations::{
    device::{DeviceFile, ZygoteWork},
    dialect::Dialect,
    requirement::Requirement,
};
use worker::{BuildEnd, BuildRequest, BuildStatus, Launch, processes::adopt_orphans};

use super::{
    laws::{ComparedProgram, ComparisonError, ProgramModule},
    program::{Attribution, Program},
    run::launch,
    types::{Cancel, Config, EngineError},
    worker_slot::{NoWorker, Work, WorkerSlot},
};
use crate::device::{
    Form, build_options, code_for_module,
    environment::{installed, target},
    module_output,
};

/// Cases that share a program.
#[derive(Clone, Debug)]
pub struct EmissionBatch {
    pub dialect: Dialect,
    pub requirements: Vec<Requirement>,
    /// The cases, each with its number and its source.
    pub cases: Vec<(usize, String)>,
}

/// Result for cases of a batch.
#[derive(Clone, Debug)]
pub enum Emission {
    /// The module of these cases was compared with their text.
    Compared {
        /// Numbers of the cases, in the order of the program.
        cases: Vec<usize>,
        /// Result of the comparison.
        program: ComparedProgram,
    },
    /// The compiler emits no module for this case.
    Nothing {
        /// Number of the case.
        case: usize,
        /// Status, and the last words.
        detail: String,
    },
    /// The module cannot be compared.
    UnknownTarget {
        /// The reason.
        why: String,
    },
}

/// Emits modules for every case and compares them with the text. `sink` gets each case once, unless the run is
/// cancelled.
pub fn emit(
    device: &DeviceFile,
    batches: Vec<EmissionBatch>,
    config: &Config,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Emission),
) -> Result<(), EngineError> {
    adopt_orphans();
    let device = &installed(device, &config.install_folder);
    let Some(target) = target(device) else { return Ok(()) };
    let launch = launch(device, target, config);
    let workers = config.workers.min(batches.len()).max(1);
    let batches = Mutex::new(batches);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..workers {
            let (sender, batches, launch) = (sender.clone(), &batches, &launch);
            scope.spawn(move || {
                let ended = Emitter::new(device, launch, config, cancel).work(batches, &sender);
                if let Err(error) = ended {
                    // The receiver lives as long as this thread.
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop(sender);
        let mut ended = Ok(());
        for event in receiver {
            match event {
                Ok(emission) => sink(emission),
                Err(error) => ended = Err(error),
            }
        }
        ended
    })
}

/// A worker that emits modules.
struct Emitter<'r> {
    device: &'r DeviceFile,
    slot: WorkerSlot<'r>,
    config: &'r Config,
    cancel: &'r Cancel,
}

type Sender = mpsc::Sender<Result<Emission, EngineError>>;

impl<'r> Emitter<'r> {
    fn new(
        device: &'r DeviceFile,
        launch: &'r Launch,
        config: &'r Config,
        cancel: &'r Cancel,
    ) -> Self {
        let slot = WorkerSlot::new(
            launch,
            ZygoteWork::default(),
            config.start_timeout,
            None,
            config.reserve.clone(),
            cancel,
        );
        Self { device, slot, config, cancel }
    }

    fn work(
        mut self,
        batches: &Mutex<Vec<EmissionBatch>>,
        sender: &Sender,
    ) -> Result<(), EngineError> {
        loop {
            let next = batches.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(batch) = next else { return Ok(()) };
            self.emit(batch, sender)?;
        }
    }

    /// Emits modules for the cases of a batch: those that the log blames, and the halves of a batch in which it blames
    /// none, are tried again.
    fn emit(&mut self, batch: EmissionBatch, sender: &Sender) -> Result<(), EngineError> {
        let mut open = vec![batch];
        while let Some(EmissionBatch { dialect, requirements, cases }) = open.pop() {
            if self.cancel.is_cancelled() || cases.is_empty() {
                continue;
            }
            let kind = &self.device.kind;
            let Some(output) = module_output(kind, dialect, &requirements) else { return Ok(()) };
            let program = Program::new(cases.iter().map(|(_, source)| source.as_str()));
            let request = BuildRequest {
                options: build_options(kind, dialect, &requirements),
                source: program.text.clone(),
                form: Form::Source,
                log_limit: self.config.log_limit,
                code: code_for_module(kind, dialect, &requirements),
                runs: Vec::new(),
                output: Some(output),
            };
            self.slot.open(Work::Builds).map_err(|error| self.no_worker(error))?;
            let limit = self.config.build_timeout * 4;
            let (log, detail) = match self.slot.build(&[], request, limit) {
                BuildEnd::Answered { answer, .. } if answer.status == BuildStatus::Accepted => {
                    let module = ProgramModule {
                        program: &program,
                        dialect,
                        requirements: &requirements,
                        definitions: &[],
                        bytes: &answer.output,
                    };
                    let emission = match module.compare() {
                        Ok(program) => {
                            let cases = cases.iter().map(|(case, _)| *case).collect();
                            Emission::Compared { cases, program }
                        }
                        Err(ComparisonError::UnknownTarget(error)) => {
                            Emission::UnknownTarget { why: error.to_string() }
                        }
                        Err(ComparisonError::BrokenByAny) => {
                            let mut cases = cases;
                            for half in [cases.split_off(cases.len() / 2), cases] {
                                let requirements = requirements.clone();
                                open.push(EmissionBatch { dialect, requirements, cases: half });
                            }
                            continue;
                        }
                    };
                    let _ = sender.send(Ok(emission));
                    continue;
                }
                BuildEnd::Answered { answer, .. } => (answer.log, answer.detail),
                BuildEnd::Died(death) => (String::new(), death.to_string()),
                BuildEnd::Cancelled => continue,
            };
            if let [(case, _)] = cases[..] {
                let said = crate::device::text::telling_line(&log).unwrap_or_default();
                let detail = format!("{detail}: {said}");
                let _ = sender.send(Ok(Emission::Nothing { case, detail }));
                continue;
            }
            let blames = program.blame(&log, Attribution::Names);
            let mut rest = Vec::new();
            for (index, case) in cases.into_iter().enumerate() {
                if blames.contains_key(&index) {
                    let cases = vec![case];
                    open.push(EmissionBatch { dialect, requirements: requirements.clone(), cases });
                } else {
                    rest.push(case);
                }
            }
            if blames.is_empty() {
                let half = rest.split_off(rest.len() / 2);
                open.push(EmissionBatch {
                    dialect,
                    requirements: requirements.clone(),
                    cases: half,
                });
            }
            open.push(EmissionBatch { dialect, requirements, cases: rest });
        }
        Ok(())
    }

    fn no_worker(&self, error: NoWorker) -> EngineError {
        let device = self.device.name.clone();
        match error {
            NoWorker::NotOpened(error) | NoWorker::NoProducer(error) => {
                EngineError::Open { device, reason: error.to_string() }
            }
            NoWorker::Dead(reason) => EngineError::Open { device, reason },
            NoWorker::Machine { action, source } => {
                EngineError::Machine { action: action.to_owned(), source }
            }
            NoWorker::TakesNoModules { reported } => {
                EngineError::TakesNoModules { device, reported }
            }
            NoWorker::Cancelled => EngineError::Open { device, reason: "cancelled".to_owned() },
        }
    }
}
