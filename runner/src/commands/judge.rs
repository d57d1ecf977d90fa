//! `address-spaces judge`: stored runs judged by the baseline again, without the device.

use std::path::{Path, PathBuf};

use generator::suite::Suite;
use reports::summary;

use super::CommandError;
use crate::{
    cli::exit,
    findings::device_run::judge_again,
    output::{note, print},
    overlay,
    results::{
        folder::{FolderError, Wanted, read_runs},
        stored::StoredRun,
    },
};

/// Hold the runs of `folders` against the baseline entries of their devices, or those of `baseline`; gives the exit
/// status.
pub fn judge(
    folders: &[PathBuf],
    wanted: Wanted,
    baseline: Option<&Path>,
) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let mut status = exit::EXPECTED;
    for folder in folders {
        for run in read_runs(folder, wanted)? {
            status = status.max(judge_run(&suite, run, baseline)?);
        }
    }
    Ok(status)
}

fn judge_run(suite: &Suite, run: StoredRun, baseline: Option<&Path>) -> Result<u8, CommandError> {
    let (path, header) = (run.path.clone(), &run.results.header);
    if header.suite != suite.hash() {
        note(&format!(
            "warning: {} was made by another suite ({}, this is {}): its findings are taken as they are",
            path.display(),
            reports::text::one_line(&header.suite, 40),
            suite.hash()
        ));
    }
    let judged = judge_again(suite, run, baseline)?;
    let summary = summary::render(&judged.summary());
    judged.results.check().map_err(FolderError::from)?;
    print(&summary);
    if let Some(unconfirmed) = judged.of_an_unconfirmed_version() {
        note(&unconfirmed);
    }
    Ok(if judged.is_as_expected() { exit::EXPECTED } else { exit::UNEXPECTED })
}
