//! Self-check of a device before any verdict counts: it has to accept a valid program and to reject an invalid one.

use expectations::{
    dialect::{Dialect, Language},
    outcome::Phase,
};

use super::program::{Attribution, Program};
use crate::device::{BuildAnswer, BuildStatus};

/// Returns a program that builds everywhere, another one for each number.
pub fn good(language: Language, number: usize) -> String {
    match language {
        Language::OpenclC | Language::CxxForOpencl => {
            format!("kernel void good(global int *out) {{\n  out[0] = {number};\n}}\n")
        }
        Language::Spirv => module(number, "%value"),
    }
}

/// Returns a program that builds nowhere, alone or at the end of a batch.
pub fn bad(language: Language) -> String {
    match language {
        Language::OpenclC | Language::CxxForOpencl => BAD_IN_LINE_2.to_owned(),
        // It stores the pointer.
        Language::Spirv => module(1, "%out"),
    }
}

const BAD_IN_LINE_2: &str = "kernel void bad(global int *out) {\n  out[0] = no_such_name;\n}\n";
const BAD_IN_LINE_3: &str =
    "kernel void worse(global int *out) {\n\n  out[0] = another_missing_name;\n}\n";

/// Line of [`module`] with the store.
const LINE_OF_STORE: u32 = 13;

/// Returns a module whose kernel stores what has this name.
fn module(value: usize, stored: &str) -> String {
    format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n\
         OpEntryPoint Kernel %good \"good\"\n%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n\
         %value = OpConstant %uint {value}\n%pointer = OpTypePointer CrossWorkgroup %uint\n\
         %type = OpTypeFunction %void %pointer\n%good = OpFunction %void None %type\n\
         %out = OpFunctionParameter %pointer\n%entry = OpLabel\nOpStore %out {stored} Aligned 4\n\
         OpReturn\nOpFunctionEnd\n"
    )
}

/// A program that builds nowhere, and shows how the device's log names places.
pub(super) struct BadProgram {
    pub(super) program: Program,
    /// The lines of its errors, by case.
    lines: Vec<(usize, u32)>,
}

impl BadProgram {
    pub(super) fn new(dialect: Dialect) -> Self {
        let language = dialect.language;
        if language.joins_programs() {
            let good = good(language, 1);
            let program = Program::new([BAD_IN_LINE_2, good.as_str(), BAD_IN_LINE_3]);
            return Self { program, lines: vec![(0, 2), (2, 3)] };
        }
        let program = Program::alone(language, &bad(language));
        Self { program, lines: vec![(0, LINE_OF_STORE)] }
    }
}

/// Returns the fault of a device that gave this answer for [`good`]; `None` if there is none.
pub(super) fn fault_with_good(dialect: Dialect, answer: &BuildAnswer) -> Option<String> {
    let what = match (answer.status, answer.phase) {
        (BuildStatus::Accepted, _) => return None,
        (BuildStatus::Rejected, Phase::MakeModule) => {
            "is given no module of a known-good program: the compiler makes none"
        }
        (BuildStatus::Rejected, Phase::TakeModule) => "rejects the module of a known-good program",
        (BuildStatus::Rejected, Phase::CreateKernel) => {
            "builds a known-good program but cannot create its kernel"
        }
        (BuildStatus::Rejected, Phase::GenerateCode) => {
            "accepts a known-good program but generates no code for it"
        }
        (BuildStatus::Rejected, Phase::Build | Phase::Run) => "rejects a known-good program",
        (BuildStatus::Crashed, _) => "dies on a known-good program",
        (BuildStatus::OutOfMemory, _) => "runs out of memory on a known-good program",
        (BuildStatus::Failed, _) => "gives no verdict on a known-good program",
    };
    Some(describe(dialect, what, answer))
}

/// Returns how the device's log names places, or the fault of a device that gave this answer for [`BadProgram`].
pub(super) fn attribution_of_bad(
    dialect: Dialect,
    answer: &BuildAnswer,
) -> Result<Attribution, String> {
    let what = match answer.status {
        BuildStatus::Rejected if answer.phase != Phase::Build => "builds a known-bad program",
        BuildStatus::Rejected => {
            let BadProgram { program, lines } = BadProgram::new(dialect);
            let fits = |attribution: &Attribution| {
                let blames = program.blame(&answer.log, *attribution);
                let found = blames
                    .iter()
                    .flat_map(|(&case, blame)| blame.lines.iter().map(move |&line| (case, line)));
                found.eq(lines.iter().copied())
            };
            let known = [Attribution::Names, Attribution::Physical].into_iter().find(fits);
            return Ok(known.unwrap_or(Attribution::Nothing));
        }
        BuildStatus::Accepted => "accepts a known-bad program",
        BuildStatus::Crashed => "dies on a known-bad program",
        BuildStatus::OutOfMemory => "runs out of memory on a known-bad program",
        BuildStatus::Failed => "gives no verdict on a known-bad program",
    };
    Err(describe(dialect, what, answer))
}

fn describe(dialect: Dialect, what: &str, answer: &BuildAnswer) -> String {
    let said = [answer.detail.as_str(), answer.log.as_str()].join("\n");
    format!("in {dialect} it {what}\n{}", said.trim()).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_differ_in_what_they_store() {
        let [good, bad] = [good(Language::Spirv, 1), bad(Language::Spirv)];
        let differing: Vec<u32> = (1..)
            .zip(good.lines().zip(bad.lines()))
            .filter_map(|(line, (good, bad))| (good != bad).then_some(line))
            .collect();
        assert_eq!(differing, [LINE_OF_STORE]);
    }
}
