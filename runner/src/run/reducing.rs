//! The last stage of random programs: of each cluster of deviations one program is reduced, shown and written to a file.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::Path,
    time::{Duration, Instant},
};

use expectations::device::{DeviceFile, DeviceKind};
use generator::random::RandomCase;
use reports::{
    handover::{ProgramForm, WrongValues, host_of_wrong_values},
    module_commands::ModuleCommands,
};
use results::{cluster::Cluster, run::Run};

use super::{
    choosing::ChosenRun,
    devices::config,
    error::RunError,
    modules::{self, ProgramOptions},
};
use crate::{
    device::build_options,
    engine::{Cancel, Config},
    findings::clusters::computes_wrong_values,
    output::{note, print},
    reduce::{
        builds::Builds,
        random::{self, ReducedPair},
    },
};

/// Kinds of deviation that one run makes small; the others can be seen by their ids.
const MADE_SMALL: usize = 24;
/// Longest time for reducing on one device.
const MAKING_SMALL: Duration = Duration::from_secs(90);

/// Reduces one program of each cluster, shows these, and writes them below the results.
pub(super) fn reduce(
    chosen: &ChosenRun,
    run: &Run,
    reduced: Vec<ReducedPair>,
    cancel: &Cancel,
) -> Result<(), RunError> {
    let clusters: Vec<&Cluster> = run.judgement.clusters.iter().collect();
    // A run that was stopped reduces them when it is resumed.
    let is_wanted = !clusters.is_empty() && !cancel.is_cancelled();
    let Some(device) = run.device.as_ref().filter(|_| is_wanted) else { return Ok(()) };
    let found = shrink_clusters(chosen, run, device, &clusters, reduced, cancel)?;
    let text: String = found.iter().map(|found| reduced_text(&device.name, found)).collect();
    print(&text);
    match chosen.keep_on(device).folder() {
        Some(folder) => keep(&folder.join("random"), device, &found),
        None => Ok(()),
    }
}

/// Returns one program of each cluster, as small as it could be made; those with wrong values are among `reduced`.
pub(super) fn shrink_clusters(
    chosen: &ChosenRun,
    run: &Run,
    device: &DeviceFile,
    clusters: &[&Cluster],
    reduced: Vec<ReducedPair>,
    cancel: &Cancel,
) -> Result<Vec<ReducedPair>, RunError> {
    let results = clusters.iter().map(|cluster| (*cluster, run.cases.get(cluster.smallest)));
    let (wrong_values, others): (Vec<_>, Vec<_>) =
        results.partition(|(_, result)| computes_wrong_values(result));
    if others.len() > MADE_SMALL {
        note(&format!(
            "{}: the first {MADE_SMALL} of {} kinds of deviation are reduced",
            device.name,
            others.len()
        ));
    }
    let cases = others.into_iter().take(MADE_SMALL).filter_map(|(cluster, result)| {
        let case = RandomCase::from_id(&result.id).ok()?;
        Some((case, chosen.suite.random_expectation(&case).clone(), cluster.shape.clone()))
    });
    // Once more would tell flaky deviations from others, and each candidate is tried in another form anyway.
    let config = Config { retries: 0, isolate: false, ..config(&chosen.plan.builds, device)? };
    let end = Some(Instant::now() + MAKING_SMALL);
    let builds = Builds::new(device, config, cancel, end);
    let mut found: Vec<ReducedPair> = reduced
        .into_iter()
        .filter(|reduced| wrong_values.iter().any(|(_, result)| result.id == reduced.id))
        .collect();
    found.extend(random::reduce(cases.collect(), &builds)?);
    Ok(found)
}

/// Returns a reduced program in lines, with its control.
pub(super) fn reduced_text(device: &str, found: &ReducedPair) -> String {
    let mut text = format!("{device}: {}\n", results::text::printable(&found.looks()));
    let _ = writeln!(text, "  reduced from {}", found.id);
    for (name, program) in [("kernel", Some(&found.edited)), ("control", found.control.as_ref())] {
        for (number, line) in program.into_iter().flat_map(|program| program.lines().enumerate()) {
            let _ = writeln!(text, "  {:<8}{line}", if number == 0 { name } else { "" });
        }
    }
    text.push('\n');
    text
}

/// Writes `DIR/1/kernel.cl`, `control.cl`, `host.c` and `about.txt`.
fn keep(folder: &Path, device: &DeviceFile, found: &[ReducedPair]) -> Result<(), RunError> {
    for (number, found) in (1..).zip(found) {
        let folder = folder.join(number.to_string());
        std::fs::create_dir_all(&folder).map_err(|source| file_error(&folder, source))?;
        let about = format!("{}\naddress-spaces show '{}'\n", found.looks(), found.id);
        let control = found.control.as_deref();
        let host = host(device, found)?;
        let modules = modules_of(device, found);
        let commands = modules.as_ref().map(|(modules, _)| modules.lines(&["kernel"]));
        let texts = [
            ("kernel.cl", Some(found.edited.as_str())),
            ("control.cl", control),
            ("host.c", host.as_deref()),
            ("module.sh", commands.as_deref()),
            ("about.txt", Some(&about)),
        ];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text?.as_bytes())));
        let modules = modules.iter().flat_map(|(_, files)| files);
        let modules = modules.map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        for (name, bytes) in texts.chain(modules) {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|source| file_error(&path, source))?;
        }
    }
    Ok(())
}

/// Returns the commands that make the module of a valid program, and its files; `None` if the device is given sources.
fn modules_of(
    device: &DeviceFile,
    found: &ReducedPair,
) -> Option<(ModuleCommands, BTreeMap<String, Vec<u8>>)> {
    // An invalid program has its control, and no module.
    let case = RandomCase::from_id(&found.id).ok().filter(|_| found.control.is_none())?;
    let program = ProgramOptions { dialect: case.dialect, requirements: &[], options: &[] };
    let (modules, files) =
        modules::for_pack(device, program, &[("kernel", found.edited.as_str())])?;
    Some((modules.commands, files))
}

/// Returns a host program that executes the kernel without this suite, if the kernel is executed and the device is
/// behind the loader.
fn host(device: &DeviceFile, found: &ReducedPair) -> Result<Option<String>, RunError> {
    let (Some(probe), Ok(case)) = (&found.probe, RandomCase::from_id(&found.id)) else {
        return Ok(None);
    };
    let DeviceKind::Opencl { platform, .. } = &device.kind else { return Ok(None) };
    let (form, options) = match device.through {
        None => (ProgramForm::Source, build_options(&device.kind, case.dialect, &[])),
        Some(_) => (ProgramForm::Module, Vec::new()),
    };
    Ok(host_of_wrong_values(&WrongValues {
        id: &found.id,
        shape: &found.looks(),
        source: &found.edited,
        probe,
        options: &options.join(" "),
        form,
        platform: Some(platform.as_str()),
    })?)
}

/// Returns the error of a file that cannot be read or written.
pub(super) fn file_error(path: &Path, source: std::io::Error) -> RunError {
    RunError::File { path: path.display().to_string(), source }
}
