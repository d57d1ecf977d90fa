//! `runner export`: the suite as plain files with a manifest, so that any other runner can use it.

use std::{
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use expectations::rule::{Expectation, Rule};
use generator::suite::{Case, Suite};
use reports::manifest::{Entry, FORMAT};
use sha2::{Digest as _, Sha256};

use super::CommandError;
use crate::{
    cli::ExportFormat,
    findings::judging::Prepared,
    run::{plan::CaseFilter, select},
};

/// Name of the manifest in the folder.
const MANIFEST: &str = "manifest.jsonl";

/// Write the selected cases and their controls; gives their number.
pub fn export(
    suite: &Suite,
    folder: &Path,
    layout: ExportFormat,
    filter: &CaseFilter,
) -> Result<usize, CommandError> {
    let selection = select::select(suite, filter)?;
    let cases = selection.cases.into_iter().chain(selection.controls);
    let prepare = |case: Case| {
        let probe = suite.probe_text(&case)?;
        Ok((suite.rule(&case), probe, Prepared::new(suite, case, true)?))
    };
    let mut prepared = cases.map(prepare).collect::<Result<Vec<_>, CommandError>>()?;
    if layout == ExportFormat::Piglit {
        // It knows passed and failed only.
        prepared.retain(|(.., case)| !matches!(case.expectation, Expectation::Disputed { .. }));
    }
    create_folder(folder)?;
    let manifest_path = folder.join(MANIFEST);
    let manifest = std::fs::File::create_new(&manifest_path)
        .map_err(|source| file_error(&manifest_path, source))?;
    let mut manifest = BufWriter::new(manifest);
    for (rule, probe, prepared) in &prepared {
        let stem = file_stem(&prepared.id);
        let file = format!("{stem}.cl");
        let path = folder.join(&file);
        if let Some(parent) = path.parent() {
            create_folder(parent)?;
        }
        let head = match layout {
            ExportFormat::Plain => String::new(),
            ExportFormat::Piglit => piglit_head(prepared),
        };
        let text = format!("{head}{}", prepared.kernel.source);
        std::fs::write(&path, &text).map_err(|source| file_error(&path, source))?;
        let probe = probe.as_ref().map(|text| (format!("{stem}.toml"), text));
        if let Some((name, text)) = &probe {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|source| file_error(&path, source))?;
        }
        let probe = probe.map(|(name, _)| name);
        let entry = Entry { probe, ..entry(rule, prepared, file, &head, &text) };
        let line = serde_json::to_string(&entry).expect("entries hold nothing JSON cannot");
        writeln!(manifest, "{line}").map_err(|source| file_error(&manifest_path, source))?;
    }
    manifest.flush().map_err(|source| file_error(&manifest_path, source))?;
    Ok(prepared.len())
}

/// The id as a path: `=` and `,` are awkward in shells and build tools.
fn file_stem(id: &str) -> String {
    id.replace('=', ".").replace(',', "+")
}

fn entry<'c>(
    rule: &'c Rule,
    prepared: &'c Prepared<'_>,
    file: String,
    head: &str,
    text: &str,
) -> Entry<'c> {
    let case = prepared;
    let before = head.lines().count() as u32;
    let digest = Sha256::digest(text.as_bytes());
    Entry {
        format: FORMAT,
        id: &case.id,
        rule: &rule.id,
        clauses: rule
            .sections()
            .iter()
            .map(|section| format!("{} [{}]", section.document, section.anchor))
            .collect(),
        file,
        sha256: HEXLOWER.encode(&digest),
        probe: None,
        dialect: case.dialect.name(),
        options: case.dialect.std_option(),
        needs: case
            .dialect
            .features()
            .into_iter()
            .chain(case.requirements.iter().map(|requirement| requirement.facts().name))
            .collect(),
        features: case
            .dialect
            .features()
            .into_iter()
            .chain(case.requirements.iter().flat_map(|needed| needed.facts().features).copied())
            .collect(),
        expectation: prepared.expectation.name(),
        breaks: match prepared.expectation {
            Expectation::Reject { breaks } => Some(breaks),
            _ => None,
        },
        guilty_lines: prepared.kernel.guilty_lines.iter().map(|line| line + before).collect(),
        control: case.control.as_deref(),
    }
}

/// The configuration of piglit's `cl-program-tester`, a comment before the program.
fn piglit_head(prepared: &Prepared<'_>) -> String {
    let rejected = matches!(prepared.expectation, Expectation::Reject { .. });
    let expectation = if rejected { "expect_build_fail: true\n" } else { "" };
    // Names of piglit's tests hold letters, digits and little else.
    let name = prepared.id.replace(['/', '=', ','], " ");
    let options = prepared.dialect.std_option();
    format!("/*!\n[config]\nname: {name}\nbuild_options: {options}\n{expectation}!*/\n\n")
}

fn create_folder(path: &Path) -> Result<(), CommandError> {
    std::fs::create_dir_all(path).map_err(|source| file_error(path, source))
}

fn file_error(path: &Path, source: std::io::Error) -> CommandError {
    CommandError::File { path: PathBuf::from(path).display().to_string(), source }
}
