//! `runner judge`: stored runs held against the known deviations again, without the device.

use std::path::{Path, PathBuf};

use generator::suite::Suite;
use reports::summary::{self, Summary};

use super::{CommandError, run::note};
use crate::{
    cli::exit,
    device_files,
    held::{Extent, Held, hold},
    results_folder::{StoredRun, read_runs},
};

/// Hold the runs of `folders` against the known deviations of their devices, or those of `baseline`; gives the exit
/// status.
pub fn judge(folders: &[PathBuf], baseline: Option<&Path>) -> Result<u8, CommandError> {
    let suite = Suite::embedded()?;
    let mut status = exit::EXPECTED;
    for folder in folders {
        for run in read_runs(folder)? {
            status = status.max(judge_run(&suite, &run, baseline)?);
        }
    }
    Ok(status)
}

fn judge_run(suite: &Suite, run: &StoredRun, baseline: Option<&Path>) -> Result<u8, CommandError> {
    let StoredRun { path, results } = run;
    let header = &results.header;
    if header.suite != suite.hash() {
        note(&format!(
            "warning: {} was made by another suite ({}, this is {}): its findings are taken as they are",
            path.display(),
            reports::text::one_line(&header.suite, 40),
            suite.hash()
        ));
    }
    let mut device = device_files::load(&header.device)?;
    if let Some(path) = baseline {
        device.deviations = device_files::load_baseline(&header.device, path)?.deviations;
    }
    let extent = match &results.end {
        None => Extent::Unfinished,
        Some(_) if header.selection.is_empty() && header.shard.is_none() => Extent::Suite,
        Some(_) => Extent::Selection,
    };
    let Held { baseline, stale } = hold(suite, &device, &results.cases, extent);
    let text = summary::render(&Summary {
        device: &device.name,
        cases: &results.cases,
        unexplained: &baseline.unexplained,
        explained: baseline.explained.len(),
        stale: &stale,
        unsupported: &header.unsupported,
        seconds: results.end.as_ref().map_or(0.0, |end| end.seconds),
    });
    super::print(&text);
    if extent == Extent::Unfinished {
        let path = path.display();
        note(&format!("{path} did not reach its end: go on with it by `--resume {path}`"));
        return Ok(exit::COULD_NOT_RUN);
    }
    let as_expected = baseline.unexplained.is_empty() && stale.is_empty();
    Ok(if as_expected { exit::EXPECTED } else { exit::UNEXPECTED })
}
