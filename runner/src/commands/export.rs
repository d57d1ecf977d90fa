//! `runner export`: the suite as plain files with a manifest, so that any other runner can use it.

use std::{
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use expectations::rule::Expectation;
use generator::suite::{Case, Suite};
use libtest_mimic::Arguments;
use serde::Serialize;

use super::CommandError;
use crate::{
    cli::{ExportFormat, SelectArgs},
    judging::Prepared,
    select,
};

/// Version of the manifest's format.
const FORMAT: u32 = 1;

/// Name of the manifest in the folder.
const MANIFEST: &str = "manifest.jsonl";

/// One line of the manifest.
#[derive(Serialize)]
struct Entry<'c> {
    format: u32,
    id: &'c str,
    file: String,
    dialect: &'static str,
    options: String,
    needs: Vec<&'static str>,
    #[serde(flatten)]
    expectation: Shown<'c>,
    guilty_lines: &'c [u32],
    control: Option<&'c str>,
}

#[derive(Serialize)]
struct Shown<'c> {
    expectation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    breaks: Option<&'c str>,
}

/// Write the selected cases and their controls; gives their number.
pub fn export(
    suite: &Suite,
    folder: &Path,
    layout: ExportFormat,
    args: &SelectArgs,
) -> Result<usize, CommandError> {
    let selection = select::select(suite, args, &Arguments::default())?;
    let cases = selection.cases.into_iter().chain(selection.controls);
    let prepared =
        cases.map(|case| Prepared::new(suite, case, true)).collect::<Result<Vec<_>, _>>()?;
    create_folder(folder)?;
    let manifest_path = folder.join(MANIFEST);
    let manifest = std::fs::File::create_new(&manifest_path)
        .map_err(|source| file_error(&manifest_path, source))?;
    let mut manifest = BufWriter::new(manifest);
    for prepared in &prepared {
        let file = file_name(&prepared.case);
        let path = folder.join(&file);
        if let Some(parent) = path.parent() {
            create_folder(parent)?;
        }
        let text = match layout {
            ExportFormat::Plain => prepared.kernel.source.clone(),
            ExportFormat::Piglit => piglit(prepared),
        };
        std::fs::write(&path, text).map_err(|source| file_error(&path, source))?;
        let line = serde_json::to_string(&entry(prepared, file))
            .expect("entries hold nothing JSON cannot");
        writeln!(manifest, "{line}").map_err(|source| file_error(&manifest_path, source))?;
    }
    manifest.flush().map_err(|source| file_error(&manifest_path, source))?;
    Ok(prepared.len())
}

/// The id as a path: `=` and `,` are awkward in shells and build tools.
fn file_name(case: &Case) -> String {
    format!("{}.cl", case.id.replace('=', ".").replace(',', "+"))
}

fn entry<'c>(prepared: &'c Prepared<'_>, file: String) -> Entry<'c> {
    let case = &prepared.case;
    Entry {
        format: FORMAT,
        id: &case.id,
        file,
        dialect: case.dialect.name(),
        options: case.dialect.std_option(),
        needs: case
            .dialect
            .features()
            .into_iter()
            .chain(case.requirements.iter().map(|requirement| requirement.facts().name))
            .collect(),
        expectation: Shown {
            expectation: prepared.expectation.name(),
            breaks: match prepared.expectation {
                Expectation::Reject { breaks } => Some(breaks),
                _ => None,
            },
        },
        guilty_lines: &prepared.kernel.guilty_lines,
        control: case.control.as_deref(),
    }
}

/// A program of piglit's `cl-program-tester`: its configuration in a comment, then the kernel.
fn piglit(prepared: &Prepared<'_>) -> String {
    let refused = matches!(prepared.expectation, Expectation::Reject { .. });
    let expectation = if refused { "expect_build_fail: true\n" } else { "" };
    // Names of piglit's tests hold letters, digits and little else.
    let name = prepared.case.id.replace(['/', '=', ','], " ");
    format!(
        "/*!\n[config]\nname: {name}\nbuild_options: {}\n{expectation}!*/\n\n{}",
        prepared.case.dialect.std_option(),
        prepared.kernel.source
    )
}

fn create_folder(path: &Path) -> Result<(), CommandError> {
    std::fs::create_dir_all(path).map_err(|source| file_error(path, source))
}

fn file_error(path: &Path, source: std::io::Error) -> CommandError {
    CommandError::File { path: PathBuf::from(path).display().to_string(), source }
}
