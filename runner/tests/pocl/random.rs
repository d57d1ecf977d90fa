//! Programs whose answers are known, on a driver that is right and on one that is made wrong.

use std::process::Command;

use libtest_mimic::Failed;

use super::{check_status, text};

/// Number of programs of the dialect; all are executed.
const PROGRAMS: &str = "30";

/// A run of them, with more options for every build, and with more on the command line.
fn executed(flags: &str, options: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(["--device", "pocl", "--dialect", "cl12"])
        .args(["--random", PROGRAMS, "--random-kind", "run"])
        .args(options)
        .env("POCL_EXTRA_BUILD_FLAGS", flags)
        .output()
        .unwrap()
}

pub(super) fn answers_are_right() -> Result<(), Failed> {
    let output = executed("", &[]);
    check_status(&output, 0)?;
    let said = text(&output);
    if said.contains("30 executed") { Ok(()) } else { Err(said.into()) }
}

const LOST_BARRIERS: &str = "-Dbarrier(flags)=";
/// The `else` part is always executed.
const LOST_ELSE: &str = "-Delse=";

/// A device with two bugs, one of which has an entry: the entry explains the effect of its bug, and the other is
/// reported.
pub(super) fn a_known_bug_hides_no_other() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let baseline = folder.path().join("pocl.toml");
    let own = include_str!("../../../expectations/devices/pocl.toml");
    let known = "\n[[deviation]]\ncases = [\"random/run/*\"]\nshape = \"computes wrong values: barrier, *; *\"\nkind = \"driver-bug\"\nreason = \"barriers do nothing\"\n";
    std::fs::write(&baseline, format!("{own}{known}")).unwrap();
    let baseline = ["--baseline", baseline.to_str().unwrap()];
    let output = executed(LOST_BARRIERS, &baseline);
    check_status(&output, 0)?;
    let said = text(&output);
    if !said.contains("pocl: as known, computes wrong values: barrier, *; *") {
        return Err(said.into());
    }
    let output = executed(&format!("{LOST_BARRIERS} {LOST_ELSE}"), &baseline);
    check_status(&output, 1)?;
    let said = text(&output);
    let told: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("pocl: computes wrong values") && line.contains(" of "))
        .collect();
    // Without time to reduce it, it is reported all the same, without its constructs.
    let is_known = |kind: &&str| kind.contains("barrier");
    if !told.is_empty() && !told.iter().any(is_known) { Ok(()) } else { Err(said.into()) }
}

/// Barriers that do nothing: a read after one sees the old value. One program that shows it is shown in a
/// few lines, and by a host of its own; what is left of another is printed with what it must compute.
pub(super) fn lost_barriers_are_found_and_made_small() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("out");
    let output = executed(LOST_BARRIERS, &["--results", results.to_str().unwrap()]);
    check_status(&output, 1)?;
    let said = text(&output);
    let mut shown = said.lines().skip_while(|line| !line.contains("reduced from random/run/cl12"));
    let id = shown.clone().next().and_then(|line| line.split_whitespace().last()).unwrap();
    let length = shown.by_ref().take_while(|line| !line.is_empty()).count() - 1;
    if !said.contains("pocl: computes wrong values") || !(1..20).contains(&length) {
        return Err(said.into());
    }
    let reduced = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(["reduce", id, "--device", "pocl"])
        .env("POCL_EXTRA_BUILD_FLAGS", LOST_BARRIERS)
        .output()
        .unwrap();
    check_status(&reduced, 0)?;
    let left = String::from_utf8_lossy(&reduced.stdout);
    if !left.contains("barrier(") || !left.contains(" must be ") {
        return Err(left.into_owned().into());
    }
    let host = results.join("random/1/host");
    let source = host.with_extension("c");
    let mut built = Command::new("cc");
    built.args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(&host).arg(&source).arg("-lOpenCL");
    check_status(&built.output().unwrap(), 0)?;
    for (flags, status) in [(LOST_BARRIERS, 0), ("", 1)] {
        let ran = Command::new(&host).env("POCL_EXTRA_BUILD_FLAGS", flags).output().unwrap();
        check_status(&ran, status)?;
        if text(&ran).contains(": expected 0x") != (status == 0) {
            return Err(text(&ran).into());
        }
    }
    Ok(())
}
