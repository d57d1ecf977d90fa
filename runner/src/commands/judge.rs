//! `address-spaces judge`: stored runs judged by the baseline again, without the device.

use std::path::{Path, PathBuf};

use generator::suite::Suite;
use reports::summary::{self, Detail};
use results::{
    folder::{Completeness, FolderError, read_runs},
    run::Run,
};

use super::CommandError;
use crate::{
    cli::exit,
    device::files,
    findings::{
        judged_run::{judge_stored, note_on_version},
        programs,
    },
    output::{self, note, print},
    overlay,
};

/// Judges the runs of folders by the baseline entries of their devices, or by those of `baseline`; returns the exit
/// status.
pub fn judge(
    folders: &[PathBuf],
    wanted: Completeness,
    baseline: Option<&Path>,
    detail: Detail,
) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let mut status = exit::EXPECTED;
    for folder in folders {
        for run in read_runs(folder, wanted)? {
            status = status.max(judge_run(&suite, run, baseline, detail)?);
        }
    }
    Ok(status)
}

fn judge_run(
    suite: &Suite,
    run: Run,
    baseline: Option<&Path>,
    detail: Detail,
) -> Result<u8, CommandError> {
    let (path, header) = (run.path.clone(), &run.header);
    if header.suite != suite.hash() {
        note(&format!(
            "warning: {} was made with another version of the suite ({}; this is {}): its findings \
             are kept as they are",
            path.display(),
            results::text::one_line(&header.suite, 40),
            suite.hash()
        ));
    }
    let judged = judge_stored(suite, run, baseline)?;
    if let Some(device) = &judged.device
        && device.is_judged_by_a_user(files::is_name_of_suite(&device.name)?)
    {
        note(&files::judging_order(device));
    }
    let programs = programs::of_unexpected(suite, &judged);
    let summary = summary::render(&judged, &programs, output::columns(), detail);
    judged.cases.check().map_err(FolderError::from)?;
    print(&summary);
    if let Some(told) = note_on_version(&judged) {
        note(&told);
    }
    Ok(if judged.has_tested_nothing() {
        exit::COULD_NOT_RUN
    } else if judged.is_as_expected() {
        exit::EXPECTED
    } else {
        exit::UNEXPECTED
    })
}
