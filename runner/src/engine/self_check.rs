//! Self-check of a device before any verdict counts: it has to accept a valid program and to reject an invalid one.

use expectations::{dialect::Dialect, outcome::Phase};

use super::program::{Attribution, Program};
use crate::device::{BuildAnswer, BuildStatus};

/// A program that builds everywhere.
pub(super) const GOOD: &str = "kernel void good(global int *out) {\n  out[0] = 1;\n}\n";

/// Returns a program that builds everywhere, another one for each number.
pub fn good(number: usize) -> String {
    format!("kernel void good(global int *out) {{\n  out[0] = {number};\n}}\n")
}

/// A program that builds nowhere, alone or at the end of a batch.
pub const BAD_IN_LINE_2: &str = "kernel void bad(global int *out) {\n  out[0] = no_such_name;\n}\n";
const BAD_IN_LINE_3: &str =
    "kernel void worse(global int *out) {\n\n  out[0] = another_missing_name;\n}\n";

/// Builds nowhere, and shows how the device's log names places.
pub(super) fn bad() -> Program {
    Program::new([BAD_IN_LINE_2, GOOD, BAD_IN_LINE_3])
}

/// Returns the fault of a device that gave this answer for [`GOOD`]; `None` if there is none.
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

/// Returns how the device's log names places, or the fault of a device that gave this answer for [`bad`].
pub(super) fn attribution_of_bad(
    dialect: Dialect,
    answer: &BuildAnswer,
) -> Result<Attribution, String> {
    let what = match answer.status {
        BuildStatus::Rejected if answer.phase != Phase::Build => "builds a known-bad program",
        BuildStatus::Rejected => {
            let program = bad();
            let fits = |attribution: &Attribution| {
                let blames = program.blame(&answer.log, *attribution);
                let found: Vec<(usize, &[u32])> =
                    blames.iter().map(|(&case, blame)| (case, blame.lines.as_slice())).collect();
                found == [(0, &[2][..]), (2, &[3][..])]
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
