//! A driver whose kernels print the wrong text: a real one, under a shim.

use std::{path::PathBuf, process::Command};

use libtest_mimic::{Completion, Failed, Trial};

use crate::memory::{Shim, text};

const CASE: &str = "execution/printf/cl12/from=global,place=one-item,prints=int";

/// The output of a run of the case under an environment, and its exit status.
fn run(environment: &[(&str, PathBuf)]) -> Result<(Option<i32>, String), Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(["--device", "pocl", "--exact", CASE])
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .output()?;
    Ok((output.status.code(), text(&output)))
}

/// Whether a run fails because of what is printed in the mood of the shim.
fn is_noticed(mood: &str, seen: &str) -> Result<Completion, Failed> {
    let (status, said) = run(&[])?;
    if said.contains("--install") {
        return Ok(Completion::ignored_with("needs the device pocl"));
    }
    if status != Some(0) {
        return Err(said.into());
    }
    let folder = tempfile::tempdir()?;
    let shim = Shim::Layer("wrong_output.c").environment(folder.path())?;
    let mood = [("WRONG_OUTPUT", PathBuf::from(mood))];
    let (status, said) = run(&[shim.as_slice(), &mood].concat())?;
    if status == Some(1) && said.contains("printed at") && said.contains(seen) {
        return Ok(Completion::Completed);
    }
    Err(said.into())
}

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |name: &str, mood: &'static str, seen: &'static str| {
        Trial::ignorable_test(format!("printed/{name}"), move || is_noticed(mood, seen))
    };
    vec![
        trial("nothing", "nothing", "nothing is printed"),
        trial("another_text", "other", r"`3: \u{1b}[2J 4`"),
    ]
}
