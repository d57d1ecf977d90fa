//! `address-spaces convert`, and `--junit` of a run: results in the formats that other tools read.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use reports::formats::{junit, markdown, sarif, tap};
use results::folder::{Completeness, FolderError, read_runs};

use super::CommandError;
use crate::{
    cli::{exit, results::ConvertFormat},
    device::files::{self, DeviceFileError},
    findings::judged_run::judge_stored,
    output::print_written,
    overlay,
};

/// Converts the runs of a folder; returns the exit status.
pub fn command(
    folder: &Path,
    wanted: Completeness,
    format: ConvertFormat,
    baseline: Option<&Path>,
    output: Option<&Path>,
) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let runs = read_runs(folder, wanted)?;
    if baseline.is_some() && runs.len() > 1 {
        let message =
            "`--baseline` replaces the baseline of one device: name the folder of one device";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let runs = runs.into_iter().map(|run| judge_stored(&suite, run, baseline));
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    let causes = files::causes().map_err(DeviceFileError::from)?;
    let convert = |out: &mut dyn Write| match format {
        ConvertFormat::Junit => junit::write(out, &runs, &[]),
        ConvertFormat::Tap => tap::write(out, &runs, &[]),
        ConvertFormat::Sarif => sarif::write(out, &suite, &runs, &[]),
        ConvertFormat::Markdown => markdown::write(out, &runs, &[])
            .and_then(|()| markdown::write_causes(out, causes, &runs))
            .and_then(|()| markdown::write_questions(out, &suite, &runs)),
    };
    match output {
        Some(path) => {
            let file_error =
                |source| CommandError::File { path: path.display().to_string(), source };
            let mut file = BufWriter::new(File::create(path).map_err(file_error)?);
            convert(&mut file).and_then(|()| file.flush()).map_err(file_error)?;
        }
        None => print_written(convert),
    }
    for run in &runs {
        run.cases.check().map_err(FolderError::from)?;
    }
    Ok(exit::EXPECTED)
}
