//! `runner convert`, and `--junit` of a run: results in the formats that other tools read.

use std::path::Path;

use reports::formats::{JudgedRun, junit, markdown, tap};

use super::CommandError;
use crate::{
    cli::{ConvertFormat, exit},
    findings::device_run,
    output::print,
    overlay,
    results::folder::Wanted,
};

/// Convert the runs of a folder; gives the exit status.
pub fn command(
    folder: &Path,
    wanted: Wanted,
    format: ConvertFormat,
    baseline: Option<&Path>,
    output: Option<&Path>,
) -> Result<u8, CommandError> {
    let runs = device_run::stored(&overlay::suite()?, folder, wanted, baseline)?;
    let judged: Vec<JudgedRun<'_>> = runs.iter().map(device_run::DeviceRun::judged).collect();
    let text = match format {
        ConvertFormat::Junit => junit::render(&judged, &[]),
        ConvertFormat::Tap => tap::render(&judged, &[]),
        ConvertFormat::Markdown => markdown::render(&judged, &[]),
    };
    match output {
        Some(path) => write(path, &text)?,
        None => print(&text),
    }
    Ok(exit::EXPECTED)
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    std::fs::write(path, text)
        .map_err(|source| CommandError::File { path: path.display().to_string(), source })
}
