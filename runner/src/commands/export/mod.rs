//! `address-spaces dev export`: the suite as plain files with a manifest, so that any other runner can use it.

mod cts;
mod files;
mod lit;
mod piglit;
mod values;

use std::{
    io::{BufWriter, Write as _},
    path::Path,
};

use data_encoding::HEXLOWER;
use expectations::{
    case_id::CaseId,
    dialect::Language,
    rule::{Expectation, Rule},
};
use generator::suite::{Case, Suite};
use reports::manifest::{Entry, FORMAT};
use sha2::{Digest as _, Sha256};

use self::{
    files::{create_folder, failed, write},
    piglit::{KnownCases, KnownResult},
};
use results::{folder::Completeness, run::Run};

use super::CommandError;
use crate::{
    cli::dev::ExportFormat,
    findings::{judged_run::read_judged, judging::PreparedCase},
    run::{plan::CaseFilter, select},
};

/// Name of the manifest in the folder.
const MANIFEST: &str = "manifest.jsonl";

/// Writes the selected cases and their controls and returns their number.
pub fn export(
    suite: &Suite,
    folder: &Path,
    layout: ExportFormat,
    known: Option<&Path>,
    filter: &CaseFilter,
) -> Result<usize, CommandError> {
    if known.is_some() && layout != ExportFormat::Piglit {
        let message = "`--known` tells piglit which failures to expect: add `--layout piglit`";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let run = known.map(|results| run_of(suite, results)).transpose()?;
    let selection = select::select(suite, filter, &[])?;
    let cases = selection.cases.into_iter().chain(selection.controls);
    let prepare = |case: Case| {
        let probe = suite.probe_text(&case)?;
        Ok((suite.rule(&case), probe, PreparedCase::new(suite, case, true)?))
    };
    let mut prepared = cases.map(prepare).collect::<Result<Vec<_>, CommandError>>()?;
    if layout != ExportFormat::Plain {
        // They know only passed and failed, and not which devices have C++ for OpenCL.
        prepared.retain(|(.., case)| {
            !matches!(case.expectation, Expectation::Disputed { .. })
                && case.dialect.language == Language::OpenclC
        });
    }
    if layout == ExportFormat::Cts {
        prepared.retain(|(.., case)| cts::has(case));
        if prepared.is_empty() {
            let message = "the CTS has no tests of invalid programs, and no option selects OpenCL C 1.0: select valid cases of a later version";
            return Err(CommandError::Selection(message.to_owned()));
        }
    }
    create_folder(folder)?;
    match layout {
        ExportFormat::Plain => {}
        ExportFormat::Lit => {
            let cases: Vec<_> = prepared.iter().map(|(rule, _, case)| (*rule, case)).collect();
            lit::write(folder, &cases)?;
            return Ok(prepared.len());
        }
        ExportFormat::Cts => {
            let cases: Vec<_> = prepared.iter().map(|(rule, _, case)| (*rule, case)).collect();
            cts::write(folder, &cases)?;
            return Ok(prepared.len());
        }
        ExportFormat::Piglit => {
            let lists = run.as_ref().map(|run| {
                let known = KnownCases::new(run);
                prepared.retain(|(.., case)| !matches!(known.of(case), KnownResult::NotAsked));
                lists(run, &known, &prepared)
            });
            if let Some(text) = lists {
                write(&folder.join(piglit::CONFIGURATION), &text)?;
            }
            let path = folder.canonicalize().map_err(|source| failed(folder, source))?;
            let files = prepared.iter().map(|(.., case)| (case.id.as_str(), file(&case.id)));
            let profile = piglit::profile(&path, &files.collect::<Vec<_>>());
            write(&folder.join(piglit::PROFILE), &profile)?;
        }
    }
    let manifest_path = folder.join(MANIFEST);
    let manifest = std::fs::File::create_new(&manifest_path)
        .map_err(|source| failed(&manifest_path, source))?;
    let mut manifest = BufWriter::new(manifest);
    for (rule, probe, prepared) in &prepared {
        let file = file(&prepared.id);
        let path = folder.join(&file);
        let head = match layout {
            ExportFormat::Plain | ExportFormat::Lit | ExportFormat::Cts => String::new(),
            ExportFormat::Piglit => piglit::head(prepared),
        };
        let text = format!("{head}{}", prepared.kernel.source);
        write(&path, &text)?;
        let probe = probe
            .as_ref()
            .map(|text| (format!("{}.toml", CaseId::new(&prepared.id).file_stem()), text));
        if let Some((name, text)) = &probe {
            write(&folder.join(name), text)?;
        }
        let probe = probe.map(|(name, _)| name);
        let entry = Entry { probe, ..entry(rule, prepared, file, &head, &text) };
        let line =
            serde_json::to_string(&entry).expect("entries contain only what JSON can represent");
        writeln!(manifest, "{line}").map_err(|source| failed(&manifest_path, source))?;
    }
    manifest.flush().map_err(|source| failed(&manifest_path, source))?;
    Ok(prepared.len())
}

/// Reads the one run whose findings are known failures.
fn run_of(suite: &Suite, results: &Path) -> Result<Run, CommandError> {
    let mut runs = read_judged(suite, &[results.to_owned()], Completeness::Partial, None)?;
    match (runs.pop(), runs.is_empty()) {
        (Some(run), true) => Ok(run),
        _ => {
            let message = format!("{}: name the results of one device", results.display());
            Err(CommandError::Usage(message))
        }
    }
}

/// Returns the lists of the cases that are expected to fail.
fn lists<P>(run: &Run, known: &KnownCases<'_>, cases: &[(&Rule, P, PreparedCase<'_>)]) -> String {
    let (mut fails, mut crashes) = (Vec::new(), Vec::new());
    for (.., case) in cases {
        match known.of(case) {
            KnownResult::Fails => fails.push(case.id.as_str()),
            KnownResult::Crashes => crashes.push(case.id.as_str()),
            KnownResult::NotAsked | KnownResult::Passes => {}
        }
    }
    piglit::configuration(run, &fails, &crashes)
}

/// Returns the file of a case.
fn file(id: &str) -> String {
    format!("{}.cl", CaseId::new(id).file_stem())
}

fn entry<'c>(
    rule: &'c Rule,
    prepared: &'c PreparedCase<'_>,
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
        dialect: case.dialect,
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
        expectation: prepared.expectation.verdict(),
        breaks: prepared.expectation.breaks(),
        guilty_lines: prepared.kernel.guilty_lines.iter().map(|line| line + before).collect(),
        control: case.control.as_deref(),
    }
}
