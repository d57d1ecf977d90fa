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
    program::{Attribution, Program},
    run::launch,
    types::{Cancel, Config, EngineError},
    worker_slot::{NoWorker, Work, WorkerSlot},
};
use crate::device::{
    environment::{installed, target},
    module_request,
};

/// Cases that share a program.
#[derive(Clone, Debug)]
pub struct EmissionBatch {
    pub dialect: Dialect,
    pub requirements: Vec<Requirement>,
    /// The cases, each with its number and its source.
    pub cases: Vec<(usize, String)>,
}

/// A module, and the program that it was emitted for.
#[derive(Clone, Debug)]
pub struct EmittedModule {
    pub dialect: Dialect,
    pub requirements: Vec<Requirement>,
    /// Numbers of the cases in the program: `#line` calls the first `c00000`.
    pub cases: Vec<usize>,
    pub program: String,
    pub bytes: Vec<u8>,
}

/// Result for cases of a batch.
#[derive(Clone, Debug)]
pub enum Emission {
    Module(EmittedModule),
    /// The compiler emits no module for this case.
    Nothing {
        /// Number of the case.
        case: usize,
        /// Status, and the last words.
        detail: String,
    },
}

/// Emits modules for every case. `sink` gets each case once, unless the run is cancelled.
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
        let slot =
            WorkerSlot::new(launch, ZygoteWork::default(), config.start_timeout, None, cancel);
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
            let Some(request) = module_request(&self.device.kind, dialect, &requirements) else {
                return Ok(());
            };
            let program = Program::new(cases.iter().map(|(_, source)| source.as_str()));
            let request = BuildRequest {
                options: request.options,
                source: program.text.clone(),
                log_limit: self.config.log_limit,
                code: request.code,
                runs: Vec::new(),
                output: Some(request.output),
            };
            self.slot.open(Work::Builds).map_err(|error| self.no_worker(error))?;
            let limit = self.config.build_timeout * 4;
            let (log, detail) = match self.slot.build(&[], request, limit) {
                BuildEnd::Answered { answer, .. } if answer.status == BuildStatus::Accepted => {
                    let cases = cases.iter().map(|(case, _)| *case).collect();
                    let module = EmittedModule {
                        dialect,
                        requirements,
                        cases,
                        program: program.text,
                        bytes: answer.output,
                    };
                    let _ = sender.send(Ok(Emission::Module(module)));
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
            NoWorker::NotOpened(error) => EngineError::Open { device, reason: error.to_string() },
            NoWorker::Dead(reason) => EngineError::Open { device, reason },
            NoWorker::Machine { action, source } => {
                EngineError::Machine { action: action.to_owned(), source }
            }
            NoWorker::Cancelled => EngineError::Open { device, reason: "cancelled".to_owned() },
        }
    }
}
