//! `address-spaces history`: past runs kept in one file, and what changed between them.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use expectations::case_id::CaseId;
use reports::history::{of_case, overview};
use results::{
    clock,
    folder::{Completeness, results_file},
    history::Series,
    run::Run,
    store::{Addition, Store},
    text::{one_line, plural},
};
use thiserror::Error;

use super::CommandError;
use crate::{findings::judged_run::read_judged, overlay};

/// Error on adding a run.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The run is incomplete.
    #[error("{} {what}", .run.display())]
    Incomplete {
        /// Folder of the run.
        run: PathBuf,
        /// Description of what is missing, with advice.
        what: String,
    },
}

/// Adds the runs of folders to a history; returns the message for the user.
pub fn add(
    file: &Path,
    folders: &[PathBuf],
    wanted: Completeness,
    baseline: Option<&Path>,
) -> Result<String, CommandError> {
    let suite = overlay::suite()?;
    let mut runs = read_judged(&suite, folders, wanted, baseline)?;
    for run in &mut runs {
        reject_shard(run)?;
        run.header.begun = begun(run)?;
    }
    runs.sort_by(|a, b| a.header.begun.cmp(&b.header.begun));
    let mut store = Store::create(file)?;
    let mut told = String::new();
    for run in runs {
        let what = match store.add(&run)? {
            Addition::First => "added as the first".to_owned(),
            Addition::New { changes } => format!("added, {}", plural(changes, "change")),
            Addition::Known => "already there".to_owned(),
        };
        let (device, begun, path) =
            (one_line(&run.name(), 60), one_line(&run.header.begun, 40), run.path.display());
        let partial = run.partial();
        let partial = partial.map(|why| format!(" (partial results: {why})")).unwrap_or_default();
        let _ = writeln!(told, "{device}  {begun}  {path}: {what}{partial}");
    }
    Ok(told)
}

/// Returns the past runs, or the changes of one case.
pub fn show(file: &Path, case: Option<&str>) -> Result<String, CommandError> {
    let history = Store::open(file)?.history()?;
    let Some(case) = case else { return Ok(overview(&history)) };
    let is_changed = |series: &Series| series.changes.iter().any(|change| change.case == case);
    // A case that never changed is in no history: only the suite knows whether there is one.
    if !history.series.iter().any(is_changed) && !CaseId::new(case).is_random() {
        let suite = overlay::suite()?;
        suite.case(case).map_err(|error| CommandError::Selection(error.to_string()))?;
    }
    Ok(of_case(&history, case))
}

fn reject_shard(run: &Run) -> Result<(), HistoryError> {
    let reject = |what: String| Err(HistoryError::Incomplete { run: run.path.clone(), what });
    if let Some(shard) = &run.header.shard {
        return reject(format!(
            "is the shard {shard}: join the shards first with `address-spaces merge`"
        ));
    }
    Ok(())
}

/// Returns the moment at which a run began; if its file does not have it, the moment it was last written.
fn begun(run: &Run) -> Result<String, CommandError> {
    let header = &run.header;
    if !header.begun.is_empty() {
        return Ok(header.begun.clone());
    }
    let path = results_file(&run.path);
    let written = std::fs::metadata(&path).and_then(|metadata| metadata.modified());
    let written = written
        .map_err(|source| CommandError::File { path: path.display().to_string(), source })?;
    Ok(clock::of(written))
}
