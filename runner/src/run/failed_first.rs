//! Cases that failed in an earlier run: a run can take and report them before all others.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use expectations::device::DeviceFile;
use generator::suite::Suite;
use reports::summary;
use results::{
    cases::Cases,
    line::{CaseResult, Header},
    run::{Ending, Run},
    shared_check::SharedCheck,
};

use super::select::{SelectError, failed_in};
use crate::findings::{judged_run::judge, judging::Judging, programs};

/// The cases that failed in an earlier run.
#[derive(Clone, Debug)]
pub struct FailedFirst {
    /// Folder of the run.
    folder: PathBuf,
    /// Ids of the cases; may be empty.
    cases: BTreeSet<String>,
}

impl FailedFirst {
    /// Reads and judges the run of a folder.
    pub fn read(suite: &Suite, folder: &Path) -> Result<Self, SelectError> {
        Ok(Self { folder: folder.to_owned(), cases: failed_in(suite, folder)? })
    }

    /// Returns the indices of the cases that the run has, each with its control.
    pub(super) fn with_controls(&self, judging: &Judging<'_, '_>) -> Vec<usize> {
        let failed = self.cases.iter().filter_map(|id| judging.number(id));
        let both = failed.flat_map(|index| [Some(index), judging.control_of(index)]);
        let both: BTreeSet<usize> = both.flatten().collect();
        both.into_iter().collect()
    }

    /// Returns the text on the cases, which were run: their number, and the findings that no entry explains.
    pub(super) fn text(
        &self,
        suite: &Suite,
        device: &DeviceFile,
        header: &Header,
        judging: &Judging<'_, '_>,
    ) -> String {
        let name = header.name();
        let folder = self.folder.display();
        let is_one = |result: &&CaseResult| {
            self.cases.contains(&result.id) && judging.number(&result.id).is_some()
        };
        let mut results: Vec<CaseResult> =
            judging.results().iter().filter(is_one).cloned().collect();
        if results.is_empty() {
            return format!("{name}: no case of this run failed in {folder}");
        }
        results.sort_by(|a, b| a.id.cmp(&b.id));
        let count = results.len();
        let ending = Ending::Stopped { seconds: 0.0, shared_check: SharedCheck::default() };
        let run = Run::new(header.clone(), Cases::new(results), ending);
        let run = judge(suite, device.clone(), run);
        let unexpected = run.unexpected().len();
        let mut text = format!(
            "{name}: {} that failed in {folder}: {unexpected} unexpected; all others follow",
            results::text::plural(count, "case"),
        );
        text.push('\n');
        summary::attention(&mut text, &run, &programs::of_unexpected(suite, &run), None);
        text
    }
}
