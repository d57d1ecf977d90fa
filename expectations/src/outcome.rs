//! Outcome of a case on a device, without judgement.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Phase that a case reached.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Compiling and linking the program.
    Build,
    /// Making a module of what the front end took, for a driver that is given it: the part of the producer.
    MakeModule,
    /// Building the module: from here on it is the driver's part.
    TakeModule,
    /// Creating the kernel objects.
    CreateKernel,
    /// Generating code of what the front end took: back ends, translators, validators.
    GenerateCode,
    /// Running the probe.
    Run,
}

impl Phase {
    /// Returns the name in results, such as `build` or `create-kernel`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::MakeModule => "make-module",
            Self::TakeModule => "take-module",
            Self::CreateKernel => "create-kernel",
            Self::GenerateCode => "generate-code",
            Self::Run => "run",
        }
    }
}

/// Kind of an outcome, without judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeKind {
    /// The program was built.
    Accepted,
    /// The program was rejected with a log.
    Rejected,
    /// The driver died.
    Crashed,
    /// The driver did not answer in time.
    TimedOut,
    /// The driver exceeded the memory limit.
    OutOfMemory,
    /// The case was not tried: the device does not support the dialect or a feature, or other cases represent it in
    /// this run.
    Unsupported,
    /// The device failed for reasons that have nothing to do with the program; it gave no verdict.
    Failed,
}

impl OutcomeKind {
    /// Whether the device gave no answer: a driver that dies or hangs harms what is built with it.
    pub const fn is_failure(self) -> bool {
        match self {
            Self::Accepted | Self::Rejected | Self::Unsupported => false,
            Self::Crashed | Self::TimedOut | Self::OutOfMemory | Self::Failed => true,
        }
    }
}

/// Ending of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunKind {
    /// The probe was carried out to its end.
    Completed,
    /// A call of the host failed, or its answer makes no sense.
    Failed,
    /// The device builds programs and cannot run any.
    BuildsOnly,
    /// The device does not have what the probe needs.
    Lacking,
}

/// A value that was not what the rule says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// Place in memory and time of the check.
    pub place: String,
    /// Required value.
    pub expected: String,
    /// Observed value.
    pub seen: String,
}

/// Observations of a probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Run {
    /// Ending of the probe.
    pub kind: RunKind,
    /// Call that failed, with its error, or the requirement that is not supported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The first values that were not as they must be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Number of differences.
    #[serde(default)]
    pub differing: usize,
    /// Values that are recorded and not judged, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub recorded: BTreeMap<String, String>,
}

impl Run {
    /// Creates a run with this ending and no observations.
    pub fn new(kind: RunKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            differences: Vec::new(),
            differing: 0,
            recorded: BTreeMap::new(),
        }
    }
}

/// Module that was emitted for a case, compared with its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ComparedModule {
    /// Laws that the module breaks; empty if it breaks none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<BrokenLaw>,
}

/// A law about modules that the module of a case breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BrokenLaw {
    /// Name of the law, such as `private-object`.
    pub law: String,
    /// Object, parameter or function concerned: `k.x`, `k(p)`.
    pub subject: String,
    /// Line of the case; absent if no construct of the case asks for what the module has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Place in the module, such as `line 12`.
    pub place: String,
    /// Text of the module at that place; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Requirement at that place, and what is there instead.
    pub message: String,
}

/// Whether code was generated for a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CodeState {
    /// Code was generated for every kernel of the case.
    Generated,
    /// No code was generated, for this reason; only the front end's verdict is known.
    NotGenerated(String),
}

/// Returns the phase that a program reached: the one in which it failed, or the last that it is known to have passed.
///
/// `kind` and `phase` are its outcome's, `is_generated` is whether its code was requested and generated, and `run`
/// how its probe ended.
pub fn reached(kind: OutcomeKind, phase: Phase, is_generated: bool, run: Option<RunKind>) -> Phase {
    match (kind, run) {
        (OutcomeKind::Accepted, Some(RunKind::Completed | RunKind::Failed)) => Phase::Run,
        (OutcomeKind::Accepted, _) if is_generated => Phase::GenerateCode,
        _ => phase,
    }
}

/// Outcome of one case on one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    /// Kind of the outcome.
    pub kind: OutcomeKind,
    /// Phase that the outcome belongs to.
    pub phase: Phase,
    /// Status code, signal name, missing feature: what `kind` needs to be understood.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Lines of the case, from 1, that the log reports errors on; empty if the device gives none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub error_lines: Vec<u32>,
    /// Rules that the device reports as broken; only the checker names any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// The device's log: hostile text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub log: String,
    /// The device rejected it without an error about it, but names the lines of others it rejects.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
    /// Whether the log of the rejection is not about the program: the compiler failed, or the device names the lines of
    /// other programs that it rejects and nothing of this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrelated: bool,
    /// Result of code generation, where it was requested and nothing failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Box<CodeState>>,
    /// Comparison of the emitted module with the text, if a module was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Box<ComparedModule>>,
    /// Run of the probe, where the case has one and its kernels were created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<Run>>,
}

impl Outcome {
    /// Creates an outcome of that kind in the build phase, without details.
    pub fn new(kind: OutcomeKind) -> Self {
        Self {
            kind,
            phase: Phase::Build,
            detail: String::new(),
            error_lines: Vec::new(),
            rules: Vec::new(),
            log: String::new(),
            silent: false,
            unrelated: false,
            code: None,
            module: None,
            run: None,
        }
    }

    /// Returns the phase that the program reached: the one in which it failed, or the last that it is known to have
    /// passed.
    pub fn reached(&self) -> Phase {
        let is_generated = matches!(self.code.as_deref(), Some(CodeState::Generated));
        reached(self.kind, self.phase, is_generated, self.run.as_ref().map(|run| run.kind))
    }

    /// Returns the laws that the module of the case breaks.
    pub fn broken_laws(&self) -> &[BrokenLaw] {
        self.module.as_deref().map_or(&[], |module| &module.broken)
    }

    /// Whether the front end accepted the program, whatever happened to its code.
    pub fn passed_the_front_end(&self) -> bool {
        self.kind == OutcomeKind::Accepted
            || matches!(self.phase, Phase::MakeModule | Phase::TakeModule | Phase::GenerateCode)
    }

    /// Whether two outcomes of one program agree: logs and statuses may differ from build to build.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let run = |outcome: &Self| outcome.run.as_ref().map(|run| (run.kind, run.differing > 0));
        // Places in a module depend on what else is in it.
        let broken = |outcome: &Self| {
            let laws = outcome.broken_laws().iter();
            laws.map(|broken| (broken.law.clone(), broken.subject.clone())).collect::<BTreeSet<_>>()
        };
        self.kind == other.kind
            && self.phase == other.phase
            && run(self) == run(other)
            && broken(self) == broken(other)
            && self.error_lines == other.error_lines
    }

    /// Returns the outcome with this detail.
    #[must_use]
    pub fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }
}
