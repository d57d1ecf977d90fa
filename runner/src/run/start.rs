//! The main job from stage to stage: a plan chooses devices and cases; on each device these are prepared, executed and
//! judged; what is found is blessed, reduced and shown.

use std::path::{Path, PathBuf};

use reports::summary;

use super::{
    choosing::{ChosenRun, choose},
    devices::{self, Breadth, ReportedDevice},
    error::RunError,
    execute::execute,
    forecast,
    plan::{Keep, RunPlan},
    preparing::prepare,
    present::{RunResults, note_stop, show, write_junit},
    recording::DeviceRun,
    reducing::reduce,
    times,
};
use crate::{
    device::files,
    engine::Cancel,
    findings::{
        bless::bless,
        judged_run::{judge, note_on_version},
    },
    interrupts,
    output::note,
};

/// Executes a plan and returns the exit status.
pub fn run(plan: &RunPlan) -> Result<u8, RunError> {
    check_files(plan)?;
    let cancel = interrupts::cancel();
    let (chosen, mut first) = choose(plan, &cancel)?;
    if let Some(text) = &chosen.selection.what_changed {
        note(text);
    }
    if chosen.breadth != Breadth::One {
        note(&forecast::text(&chosen));
    }
    let (mut runs, mut results) = (Vec::new(), RunResults::default());
    for device in &chosen.devices {
        if cancel.is_cancelled() {
            results.not_begun.push(device.name.clone());
            continue;
        }
        let reported = first.take().unwrap_or_else(|| devices::open(plan, device.clone(), &cancel));
        match reported.and_then(|reported| run_on(&chosen, reported, &cancel)) {
            Ok(ran) => {
                if chosen.breadth != Breadth::One {
                    note(&summary::closing(&ran.run));
                }
                note_stop(plan, &ran.run);
                // A run that was resumed took longer than its last part.
                if !matches!(plan.keep, Keep::GoOn(_)) {
                    times::keep(&ran.run);
                }
                runs.push(ran);
            }
            Err(error) => results.add_error(chosen.breadth, device, error)?,
        }
    }
    for DeviceRun { run, reduced } in runs {
        reduce(&chosen, &run, reduced, &cancel)?;
        results.runs.push(run);
    }
    if let Some(path) = &plan.junit {
        write_junit(path, &results)?;
    }
    Ok(show(&chosen, &results))
}

/// Takes the cases through all stages on an open device, and returns the judged run.
pub fn run_on(
    chosen: &ChosenRun,
    reported: ReportedDevice,
    cancel: &Cancel,
) -> Result<DeviceRun, RunError> {
    let device = &reported.device;
    if device.is_judged_by_a_user(files::is_name_of_suite(&device.name)?) {
        note(&files::judging_order(device));
    }
    let prepared = prepare(chosen, &reported)?;
    let DeviceRun { run, reduced } = execute(prepared, cancel)?;
    let run = judge(&chosen.suite, reported.device, run);
    let plan = &chosen.plan;
    if !plan.bless
        && let Some(told) = note_on_version(&run)
    {
        note(&told);
    }
    if let Some(device) = run.device.as_ref().filter(|_| plan.bless && run.is_complete()) {
        let path = bless(&run, device, plan.devices.baseline().map(PathBuf::as_path))?;
        note(&format!("rewrote the baseline {}", path.display()));
    }
    Ok(DeviceRun { run, reduced })
}

/// Checks that the files of the output can be written, before anything is run for them.
fn check_files(plan: &RunPlan) -> Result<(), RunError> {
    let files = plan.harness.logfile.iter().map(Path::new).chain(plan.junit.as_deref());
    for path in files {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(RunError::Usage(format!(
                "there is no folder {} for {}: create it first",
                folder.display(),
                path.display()
            )));
        }
        if path.is_dir() {
            let shown = path.display();
            return Err(RunError::Usage(format!("{shown} is a folder: name a file in it")));
        }
    }
    // The harness would panic on a file that cannot be created.
    let Some(path) = &plan.harness.logfile else { return Ok(()) };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.map(drop).map_err(|source| RunError::File { path: path.clone(), source })
}
