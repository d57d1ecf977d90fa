//! Symptoms of programs that are compiled or executed wrongly, and how severe they are.

use serde::Deserialize;

use super::{Demonstration, Verdict};
use crate::dialect::{Language, Version};

/// The wrong end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// An invalid program is taken.
    Accepted,
    /// A valid one is rejected, or something after the front end has no code for it.
    Rejected,
    /// The program is built, but its kernels cannot be created.
    NoKernel,
    /// The compiler or the driver reports a fatal error, with the status 70.
    FatalError,
    /// A signal.
    #[serde(rename = "SIGABRT")]
    Abort,
    /// A signal.
    #[serde(rename = "SIGSEGV")]
    SegmentationFault,
    /// A signal.
    #[serde(rename = "SIGILL")]
    IllegalInstruction,
    /// A signal.
    #[serde(rename = "SIGFPE")]
    ArithmeticException,
    /// A signal.
    #[serde(rename = "SIGTRAP")]
    Trap,
    /// The program is executed and does something else.
    WrongResult,
    /// The program is built, but executing it fails with an error.
    LaunchFails,
    /// The program is executed and does not end.
    NoAnswer,
}

impl Ending {
    /// Returns the number and the name of the signal, if the program ends with one.
    pub const fn signal(self) -> Option<(u8, &'static str)> {
        match self {
            Self::Abort => Some((6, "SIGABRT")),
            Self::SegmentationFault => Some((11, "SIGSEGV")),
            Self::IllegalInstruction => Some((4, "SIGILL")),
            Self::ArithmeticException => Some((8, "SIGFPE")),
            Self::Trap => Some((5, "SIGTRAP")),
            Self::Accepted
            | Self::Rejected
            | Self::NoKernel
            | Self::FatalError
            | Self::WrongResult
            | Self::LaunchFails
            | Self::NoAnswer => None,
        }
    }
}

/// The symptom that must be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symptom {
    /// End of the program.
    pub ending: Ending,
    /// Parts of what is printed.
    pub says: Vec<String>,
}

impl Symptom {
    /// Returns the only symptom that an invalid program can have: it is accepted.
    pub(super) fn of_an_invalid(shown: &Demonstration) -> Option<Self> {
        let is_invalid = shown.verdict == Verdict::Reject;
        is_invalid.then(|| Self { ending: Ending::Accepted, says: Vec::new() })
    }
}

/// A symptom as files have it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSymptom {
    ending: Ending,
    #[serde(default)]
    says: Vec<String>,
}

impl RawSymptom {
    /// Returns the symptom, or the reason why it does not fit the program.
    pub(super) fn read(&self, shown: Option<&Demonstration>) -> Result<Symptom, &'static str> {
        let is_invalid = shown.is_some_and(|shown| shown.verdict == Verdict::Reject);
        let asks_nothing = shown.is_some_and(|shown| shown.asked == super::PostBuildCheck::Nothing);
        match self.ending {
            Ending::Accepted if shown.is_some() && !is_invalid => {
                Err("only an invalid program is wrongly `accepted`")
            }
            Ending::Rejected if is_invalid => Err("an invalid program is rightly `rejected`"),
            Ending::WrongResult | Ending::LaunchFails | Ending::NoAnswer
                if is_invalid || asks_nothing =>
            {
                Err(
                    "`wrong-result`, `launch-fails` and `no-answer` are endings of a program with `computes`, `prints`, or `call` and `returns`",
                )
            }
            Ending::Rejected | Ending::WrongResult | Ending::LaunchFails
                if self.says.is_empty() =>
            {
                Err("`says` is the printed text: a part of the error, or each line with a wrong \
                     value")
            }
            ending => Ok(Symptom { ending, says: self.says.clone() }),
        }
    }
}

/// The severity of a cause for users of the component, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A valid program silently computes wrong values.
    WrongValues,
    /// A program kills the compiler or what executes it, or never ends.
    Crash,
    /// A valid program is rejected, or gets no code.
    RejectsValid,
    /// An invalid program, or call, is taken.
    AcceptsInvalid,
    /// A defect that appears in OpenCL C 1.0 only, which is no longer in use.
    Pedantry,
}

impl Severity {
    /// Returns a word or two for tables.
    pub const fn text(self) -> &'static str {
        match self {
            Self::WrongValues => "wrong values",
            Self::Crash => "crash or hang",
            Self::RejectsValid => "rejects valid",
            Self::AcceptsInvalid => "accepts invalid",
            Self::Pedantry => "OpenCL C 1.0 only",
        }
    }

    /// Returns the severity of a cause with this program and this symptom.
    pub fn of(shown: Option<&Demonstration>, symptom: Option<&Symptom>) -> Self {
        let oldest = (Language::OpenclC, Version::V1_0);
        if shown.is_some_and(|shown| (shown.dialect.language, shown.dialect.version) == oldest) {
            return Self::Pedantry;
        }
        let is_call =
            shown.is_some_and(|shown| matches!(shown.asked, super::PostBuildCheck::Call { .. }));
        match (symptom.map(|symptom| symptom.ending), shown.map(|shown| shown.verdict)) {
            (Some(Ending::WrongResult), _) if is_call => Self::AcceptsInvalid,
            (Some(Ending::WrongResult), _) => Self::WrongValues,
            (Some(Ending::Accepted), _) | (None, Some(Verdict::Reject)) => Self::AcceptsInvalid,
            (Some(Ending::Rejected | Ending::NoKernel), _) | (None, Some(Verdict::Accept)) => {
                Self::RejectsValid
            }
            (Some(_), _) | (None, Some(Verdict::Disputed) | None) => Self::Crash,
        }
    }
}
