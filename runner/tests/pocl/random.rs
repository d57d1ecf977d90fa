//! Programs whose answers are known, on a driver that is right and on one that is made wrong.

use std::process::Command;

use libtest_mimic::Failed;

use super::{check_status, text};

/// Of each twelve one is of the dialect, and is executed.
const PROGRAMS: &str = "360";

/// A run of them, with more options for every build.
fn executed(flags: &str) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(["--device", "pocl", "--dialect", "cl12"])
        .args(["--random", PROGRAMS, "--random-kind", "run"])
        .env("POCL_EXTRA_BUILD_FLAGS", flags)
        .output()
        .unwrap()
}

pub(super) fn answers_are_right() -> Result<(), Failed> {
    let output = executed("");
    check_status(&output, 0)?;
    let said = text(&output);
    if said.contains("30 executed") { Ok(()) } else { Err(said.into()) }
}

/// Barriers that do nothing: what is read behind one is what was there before. One program that shows it is shown in a
/// few lines.
pub(super) fn lost_barriers_are_found_and_made_small() -> Result<(), Failed> {
    let output = executed("-Dbarrier(flags)=");
    check_status(&output, 1)?;
    let said = text(&output);
    let shown = said.lines().skip_while(|line| !line.contains("reduced from random/run/cl12"));
    let length = shown.take_while(|line| !line.is_empty()).count() - 1;
    if said.contains("pocl: computes wrong values") && (1..20).contains(&length) {
        return Ok(());
    }
    Err(said.into())
}
