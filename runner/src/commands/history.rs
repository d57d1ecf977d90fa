//! `address-spaces history`: past runs kept in one file, and what changed between them.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use reports::{
    cases::Cases,
    history::{PastRun, of_case, overview, past_run},
    text::{one_line, plural},
};
use thiserror::Error;

use super::CommandError;
use crate::{
    device::files,
    findings::baseline::{Extent, hold},
    overlay,
    results::{
        clock,
        folder::{Wanted, read_runs, results_file},
        history::{Added, Store},
        stored::StoredRun,
    },
};

/// Why a run cannot be added.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// It is no whole run.
    #[error("{} {what}", .run.display())]
    Incomplete {
        /// Its folder.
        run: PathBuf,
        /// What is missing, and what to do.
        what: String,
    },
}

/// Add the runs of these folders; gives what to tell.
pub fn add(
    file: &Path,
    folders: &[PathBuf],
    wanted: Wanted,
    baseline: Option<&Path>,
) -> Result<String, CommandError> {
    let mut runs = Vec::new();
    for folder in folders {
        for run in read_runs(folder, wanted)? {
            check(&run)?;
            let begun = begun(&run)?;
            runs.push((begun, run));
        }
    }
    runs.sort_by(|a, b| a.0.cmp(&b.0));
    let suite = overlay::suite()?;
    let mut store = Store::create(file)?;
    let mut told = String::new();
    for (begun, run) in runs {
        let partial = run.partial();
        let StoredRun { path, results, .. } = run;
        let header = &results.header;
        let unexpected = match files::of_run(header, baseline)? {
            Some(device) => hold(&suite, &device, &results.cases, Extent::Selection, None)
                .baseline
                .unexpected
                .len(),
            None => deviating(&results.cases),
        };
        let seconds = results.end.as_ref().map_or(0.0, |end| end.seconds);
        let past = PastRun {
            partial: partial.clone().unwrap_or_default(),
            ..past_run(header, &results.cases, &begun, seconds, unexpected)
        };
        let what = match store.add(&header.device, &header.selection, &past, &results.cases)? {
            Added::First => "added, the first".to_owned(),
            Added::New { changes } => format!("added, {}", plural(changes, "change")),
            Added::Known => "was there already".to_owned(),
        };
        let device = one_line(&header.device, 60);
        let partial = partial.map(|why| format!(" (partial results: {why})")).unwrap_or_default();
        let _ = writeln!(told, "{device}  {begun}  {}: {what}{partial}", path.display());
    }
    Ok(told)
}

/// The runs, or what a case went through.
pub fn show(file: &Path, case: Option<&str>) -> Result<String, CommandError> {
    let history = Store::open(file)?.history()?;
    Ok(match case {
        Some(case) => of_case(&history, case),
        None => overview(&history),
    })
}

/// Of a device nobody knows, every deviation is unexpected.
fn deviating(cases: &Cases) -> usize {
    cases.briefs().filter(|case| case.finding.kind.needs_explanation()).count()
}

fn check(run: &StoredRun) -> Result<(), HistoryError> {
    let reject = |what: String| Err(HistoryError::Incomplete { run: run.path.clone(), what });
    if let Some(shard) = &run.results.header.shard {
        return reject(format!(
            "is the shard {shard}: join the shards first, by `address-spaces merge`"
        ));
    }
    Ok(())
}

/// When the run began; older files do not say, then it is when they were last written.
fn begun(run: &StoredRun) -> Result<String, CommandError> {
    let header = &run.results.header;
    if !header.begun.is_empty() {
        return Ok(header.begun.clone());
    }
    let path = results_file(&run.path);
    let written = std::fs::metadata(&path).and_then(|metadata| metadata.modified());
    let written = written
        .map_err(|source| CommandError::File { path: path.display().to_string(), source })?;
    Ok(clock::of(written))
}
