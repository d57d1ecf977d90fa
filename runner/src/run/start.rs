//! The main job: what a plan selects, on the devices it names, shown.

use std::{path::Path, thread, time::Duration};

use expectations::device::DeviceFile;
use generator::suite::Suite;
use indicatif::{ProgressBar, ProgressFinish};

use crate::{
    engine::Cancel,
    interrupts,
    output::note,
    overlay,
    run::{
        devices::{ReportedDevice, choose_of_plan, is_absent, known_broken},
        error::RunError,
        execute::{Surroundings, prepare_device, run_on},
        failed_first::FailedFirst,
        forecast,
        plan::{Keep, RunPlan},
        present::{RunResults, show, write_junit},
        random,
        select::{self, Selection},
        times,
    },
};

/// Executes a plan and returns the exit status.
pub fn run(plan: &RunPlan) -> Result<u8, RunError> {
    check_files(plan)?;
    if let Some(rounds) = &plan.rounds {
        return random::run_for(plan, rounds);
    }
    let cancel = interrupts::cancel();
    let preparing = spinner();
    let chosen = choose_of_plan(plan)?;
    let plan = &plan.on(&chosen.devices);
    let RunStart { suite, selection, failed_first, mut first } =
        RunStart::of(plan, &chosen.devices, &cancel)?;
    preparing.finish_and_clear();
    if let Some(text) = &selection.what_changed {
        note(text);
    }
    if chosen.several {
        note(&forecast::text(plan, &chosen, &selection));
    }
    let (mut ended, mut reduced) = (RunResults::default(), Vec::new());
    let surroundings =
        Surroundings { several: chosen.several, told: &[], failed_first: failed_first.as_ref() };
    for device in chosen.devices {
        if cancel.is_cancelled() {
            ended.not_begun.push(device.name);
            continue;
        }
        let ready = first.take().unwrap_or_else(|| prepare_device(plan, device.clone(), &cancel));
        let ran = ready.and_then(|reported| {
            run_on(&suite, plan, reported, &surroundings, &selection, &cancel)
        });
        match ran {
            Ok(ran) => {
                // A run that was resumed took longer than its last part.
                if !matches!(plan.keep, Keep::GoOn(_)) {
                    times::keep(&ran.run);
                }
                ended.runs.push(ran.run);
                reduced.push(ran.reduced);
            }
            Err(error) if !chosen.several => {
                if let Some(reason) = known_broken(&device, &error) {
                    note(&format!("device `{}` is known to be broken here: {reason}", device.name));
                }
                return Err(error);
            }
            Err(error) if chosen.whatever_is_here && is_absent(&error) => {
                ended.absent.push((device, error));
            }
            Err(error) if chosen.whatever_is_here && known_broken(&device, &error).is_some() => {
                ended.known_broken.push(device);
            }
            // The others are worth running, and worth keeping.
            Err(error) => ended.broken.push((device, error)),
        }
    }
    for (run, reduced) in ended.runs.iter().zip(reduced) {
        random::reduce(plan, &suite, run, reduced, chosen.several, &cancel)?;
    }
    if let Some(path) = &plan.junit {
        write_junit(path, &ended)?;
    }
    Ok(show(plan, &suite, &ended, chosen.several))
}

/// Suite and first device of a run, read before it begins.
struct RunStart {
    suite: Suite,
    selection: Selection,
    /// Cases that failed in an earlier run, where they come first.
    failed_first: Option<FailedFirst>,
    /// Capabilities of the first device, where they were queried already.
    first: Option<Result<ReportedDevice, RunError>>,
}

impl RunStart {
    /// Reads the suite and selects the cases. Meanwhile the first device is queried for its capabilities, if nothing
    /// must be installed first.
    fn of(plan: &RunPlan, devices: &[DeviceFile], cancel: &Cancel) -> Result<Self, RunError> {
        let asking = cancel.part();
        thread::scope(|scope| {
            let device = devices.first().filter(|_| !plan.install).cloned();
            let asked = device.map(|device| scope.spawn(|| prepare_device(plan, device, &asking)));
            let selected = selected(plan, devices);
            if selected.is_err() {
                asking.cancel();
            }
            let first = asked.and_then(|asked| asked.join().ok());
            let (suite, selection, failed_first) = selected?;
            Ok(Self { suite, selection, failed_first, first })
        })
    }
}

/// Returns the suite, the cases that the plan selects, and those that failed in an earlier run and come first.
fn selected(
    plan: &RunPlan,
    devices: &[DeviceFile],
) -> Result<(Suite, Selection, Option<FailedFirst>), RunError> {
    let suite = overlay::suite()?;
    let selection = select::select_programs(&suite, &plan.programs, &plan.filter, devices)?;
    let failed = plan.failed_first.as_deref();
    let failed = failed.map(|folder| FailedFirst::read(&suite, folder)).transpose()?;
    Ok((suite, selection, failed))
}

/// Returns a spinner for the time in which rules are read and cases listed. It is hidden where standard error is not
/// a terminal, and disappears when it is dropped.
pub fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_finish(ProgressFinish::AndClear);
    bar.set_message("reading the rules and listing their cases");
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
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
