//! The seam between the worker and a kind of device: text in, verdict out.

use expectations::{
    device::Step,
    outcome::{OutcomeKind, Phase},
    probe::plan::{Plan, RunAnswer},
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    capabilities::Capabilities,
    module::{Form, Module, ModulesByDefines},
};

/// Builder of programs in a worker process. It may crash, hang or give wrong answers.
pub trait Builder {
    /// Returns the capabilities that the device reports.
    fn capabilities(&self) -> Capabilities;

    /// Builds a program. `begin` is called with every phase after the first, before that phase begins.
    fn build(&mut self, request: &BuildRequest, begin: &mut dyn FnMut(Phase)) -> BuildAnswer;

    /// Executes a probe of the program that was built last and accepted.
    fn run(&mut self, _request: &RunRequest) -> RunAnswer {
        RunAnswer::BuildsOnly
    }
}

/// One program to build.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BuildRequest {
    /// Build options of a driver; program and arguments of a command-line compiler.
    pub options: Vec<String>,
    /// `OpenCL` C.
    pub source: String,
    /// Form in which a driver is given the program.
    #[serde(default)]
    pub form: Form,
    /// Bytes of the log to keep.
    pub log_limit: usize,
    /// Request for code.
    #[serde(default)]
    pub code: Code,
    /// Runs of the program after the build.
    #[serde(default)]
    pub runs: Vec<RunRequest>,
    /// File of a command-line compiler whose bytes the answer has.
    #[serde(default)]
    pub output: Option<Output>,
}

/// File that a command-line compiler writes for a program that it takes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Output {
    /// Path of the file; `{scratch}` is replaced.
    pub file: String,
    /// Command that writes the file and accepts what the compiler accepts: if it succeeds, the compiler need not be
    /// run. `None` if a step of the code writes the file.
    #[serde(default)]
    pub by: Option<Step>,
}

/// Whether code is generated for a program, on devices that separate this from the front end.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// Only the front end's verdict is requested: a program that may be invalid needs no code.
    #[default]
    NotAsked,
    /// Code is generated for a program that the front end accepts.
    Asked {
        /// Steps that generate the code after a command-line compiler, in this order.
        by: Vec<Step>,
    },
    /// A driver generates code of kernels that are launched.
    Launched {
        /// The program with every body behind a condition that no launch meets.
        source: String,
        /// The module of that program, where the driver is given modules and there is one.
        #[serde(default)]
        module: Option<Module>,
    },
}

/// Run of one case of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunRequest {
    /// Execution of the case's probe, as calls of the host's functions.
    Probe {
        /// The case's own source, which a probe may want to build once more.
        source: String,
        /// Build options of the case.
        options: String,
        /// The calls.
        plan: Plan,
        /// Modules of the further programs; `None` if the driver is given sources.
        #[serde(default)]
        modules: Option<ModulesByDefines>,
    },
    /// Launches of these kernels of [`Code::Launched`], only for their code.
    Code {
        /// The case's own source with its bodies behind conditions: built where the whole program cannot be.
        source: String,
        /// The module of that source, where the driver is given modules and there is one.
        #[serde(default)]
        module: Option<Module>,
        kernels: Vec<String>,
    },
}

impl RunRequest {
    /// Returns the phase that the run belongs to.
    pub const fn phase(&self) -> Phase {
        match self {
            Self::Probe { .. } => Phase::Run,
            Self::Code { .. } => Phase::GenerateCode,
        }
    }
}

/// Answer to a request to build a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BuildAnswer {
    /// Result of the build.
    pub status: BuildStatus,
    /// Phase that the build reached.
    pub phase: Phase,
    /// Status code, signal.
    pub detail: String,
    /// The driver's log, lossily decoded and cut to its limit.
    pub log: String,
    /// Seconds from asking to knowing.
    pub seconds: f64,
    /// Bytes of the requested file, where the program was accepted.
    #[serde(default, with = "hex::serde")]
    pub output: Vec<u8>,
}

impl BuildAnswer {
    /// Whether the front end rejected the program: its log has the place.
    pub fn is_front_ends_rejection(&self) -> bool {
        self.status == BuildStatus::Rejected && self.phase == Phase::Build
    }
}

/// Result of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildStatus {
    /// The program passed every requested phase.
    Accepted,
    /// Rejected: by the front end, or in a later phase.
    Rejected,
    /// A compiler of its own process died.
    Crashed,
    /// No memory left.
    OutOfMemory,
    /// No verdict on the program.
    Failed,
}

impl BuildStatus {
    /// Returns the outcome for a program that was built alone.
    pub fn outcome(self) -> OutcomeKind {
        match self {
            Self::Accepted => OutcomeKind::Accepted,
            Self::Rejected => OutcomeKind::Rejected,
            Self::Crashed => OutcomeKind::Crashed,
            Self::OutOfMemory => OutcomeKind::OutOfMemory,
            Self::Failed => OutcomeKind::Failed,
        }
    }
}

/// Error on opening a device.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpenError {
    /// No loader.
    #[error("the OpenCL loader is missing")]
    LoaderMissing,
    /// No such platform.
    #[error("no platform called `{wanted}` among {found:?}")]
    PlatformMissing {
        /// Part of the name.
        wanted: String,
        /// The names there are.
        found: Vec<String>,
    },
    /// The platform has nothing to build on.
    #[error("the platform `{platform}` has no device")]
    NoDevice {
        /// Name of the platform.
        platform: String,
    },
    /// No such program.
    #[error("cannot start `{program}`: {reason}")]
    ProgramMissing {
        program: String,
        /// Error message of the system.
        reason: String,
    },
    /// No such library, or not the one it should be.
    #[error("cannot load `{library}`: {reason}")]
    LibraryMissing {
        library: String,
        /// Error message of the system.
        reason: String,
    },
    /// The device was found and fails.
    #[error("{reason}")]
    Failed {
        /// Message of the failure.
        reason: String,
    },
}
