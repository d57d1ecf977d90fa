//! `address-spaces convert`, and `--junit` of a run: results in the formats that other tools read.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use reports::formats::{JudgedRun, junit, markdown, tap};

use super::CommandError;
use crate::{
    cli::{ConvertFormat, exit},
    device::files::{self, DeviceFileError},
    findings::device_run::{self, DeviceRun},
    output::print_written,
    overlay,
    results::folder::{FolderError, Wanted},
};

/// Convert the runs of a folder; gives the exit status.
pub fn command(
    folder: &Path,
    wanted: Wanted,
    format: ConvertFormat,
    baseline: Option<&Path>,
    output: Option<&Path>,
) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let runs = device_run::stored(&suite, folder, wanted, baseline)?;
    let judged: Vec<JudgedRun<'_>> = runs.iter().map(DeviceRun::judged).collect();
    let causes = files::causes().map_err(DeviceFileError::from)?;
    let convert = |out: &mut dyn Write| match format {
        ConvertFormat::Junit => junit::write(out, &judged, &[]),
        ConvertFormat::Tap => tap::write(out, &judged, &[]),
        ConvertFormat::Markdown => markdown::write(out, &judged, &[])
            .and_then(|()| markdown::write_causes(out, causes, &judged))
            .and_then(|()| markdown::write_questions(out, &suite, &judged)),
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
        run.results.check().map_err(FolderError::from)?;
    }
    Ok(exit::EXPECTED)
}
