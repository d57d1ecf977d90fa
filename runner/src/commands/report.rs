//! `address-spaces report`: runs in, a folder of static pages out.

use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use expectations::copies::Copies;
use generator::suite::Suite;
use reports::html::{Comparisons, Input, site};
use results::{
    clock,
    folder::{Completeness, FolderError},
    history::History,
    run::Run,
    store::Store,
    text::plural,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::CommandError;
use crate::{
    device::files::{self, DeviceFileError},
    findings::judged_run::read_judged,
    overlay,
};

/// Names what a report's folder holds, so that the next one knows what it may remove.
const CONTENTS: &str = "report.json";
const FORMAT: u32 = 1;

/// Error on writing a report.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The folder is somebody else's.
    #[error(
        "{} contains something that is not a report: name an empty or a new folder with `--into`",
        .0.display()
    )]
    Occupied(PathBuf),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Contents {
    format: u32,
    pages: BTreeSet<String>,
}

/// Writes the report; returns the message for the user.
pub fn report(
    folders: &[PathBuf],
    wanted: Completeness,
    copies: &Copies,
    into: &Path,
    history: Option<&Path>,
    baseline: Option<&Path>,
) -> Result<String, CommandError> {
    let suite = overlay::suite()?;
    let runs = read_judged(&suite, folders, wanted, baseline)?;
    let runs: Vec<&Run> = runs.iter().collect();
    let history = history.map(|file| Store::open(file)?.history()).transpose()?;
    write(&suite, &runs, Comparisons::OfDevices, copies, history.as_ref(), into)
}

/// Writes the report on runs into a folder; returns the message for the user.
pub fn write(
    suite: &Suite,
    runs: &[&Run],
    compared: Comparisons<'_>,
    copies: &Copies,
    history: Option<&History>,
    into: &Path,
) -> Result<String, CommandError> {
    let before = previous(into)?;
    let written = clock::today();
    let pages = Pages { into, written: Mutex::default() };
    let input = Input {
        suite,
        copies,
        causes: files::causes().map_err(DeviceFileError::from)?,
        runs,
        compared,
        history,
        written: &written,
    };
    site(&input, &|path, text| pages.write(path, text))?;
    for run in runs {
        run.cases.check().map_err(FolderError::from)?;
    }
    let WrittenPages { pages, bytes } = pages.conclude(&before)?;
    Ok(format!(
        "{}, {:.1} MB, on {}\nopen {}\n",
        plural(pages.len(), "page"),
        bytes as f64 / 1e6,
        plural(runs.len(), "run"),
        into.join("index.html").display()
    ))
}

/// Returns the pages of the report in the folder; a folder with anything else is not touched.
fn previous(into: &Path) -> Result<BTreeSet<String>, CommandError> {
    let file = |source| file_error(into, source);
    let contents = match std::fs::read_to_string(into.join(CONTENTS)) {
        Ok(text) => serde_json::from_str::<Contents>(&text).ok(),
        Err(_) => None,
    };
    if let Some(contents) = contents {
        return Ok(contents.pages);
    }
    let is_empty = match into.read_dir() {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => return Err(file(error)),
    };
    if is_empty { Ok(BTreeSet::new()) } else { Err(ReportError::Occupied(into.to_owned()).into()) }
}

/// The pages of a report while they are written.
struct Pages<'p> {
    into: &'p Path,
    written: Mutex<WrittenPages>,
}

#[derive(Default)]
struct WrittenPages {
    pages: BTreeSet<String>,
    bytes: usize,
}

impl Pages<'_> {
    fn write(&self, page: String, text: &str) -> Result<(), CommandError> {
        let path = self.into.join(&page);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|source| file_error(parent, source))?;
        }
        std::fs::write(&path, text).map_err(|source| file_error(&path, source))?;
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.pages.insert(page);
        written.bytes += text.len();
        Ok(())
    }

    /// Removes pages of the previous report that no longer exist, and writes the list of pages.
    fn conclude(self, before: &BTreeSet<String>) -> Result<WrittenPages, CommandError> {
        let written = self.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        for stale in before.difference(&written.pages) {
            // The list is a file anybody can edit: nothing outside the folder is touched.
            let stays_inside =
                Path::new(stale).components().all(|part| matches!(part, Component::Normal(_)));
            if stays_inside {
                let _ = std::fs::remove_file(self.into.join(stale));
            }
        }
        let contents = Contents { format: FORMAT, pages: written.pages };
        let path = self.into.join(CONTENTS);
        let mut text = serde_json::to_string_pretty(&contents).unwrap_or_default();
        text.push('\n');
        std::fs::write(&path, text).map_err(|source| file_error(&path, source))?;
        Ok(WrittenPages { pages: contents.pages, ..written })
    }
}

fn file_error(path: &Path, source: std::io::Error) -> CommandError {
    CommandError::File { path: path.display().to_string(), source }
}
