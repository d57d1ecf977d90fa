//! A run on one device, from the first worker to the last event.

use std::{path::Path, sync::mpsc, thread};

use expectations::device::DeviceFile;
use worker::{Launch, Reserve, Seat, Setup, StartEnd, Target, processes::adopt_orphans};

use super::{
    queue::executed_probe,
    scheduler::Scheduler,
    types::{Cancel, Config, DeviceReport, EngineError, Event, Job},
};
use crate::device::{
    OpenError,
    environment::{
        Contradiction, contradiction, elsewhere, environment, installed, target, wide_environment,
        zygote,
    },
    install, library,
};

/// Smallest number of cases for which a worker is worth its cost.
const CASES_PER_WORKER: usize = 25;
/// The same where some are executed.
const EXECUTED_PER_WORKER: usize = 8;

/// Runs `jobs` on `device`. `sink` receives one record for each job, unless the run is cancelled or the device cannot
/// be run at all.
pub fn run(
    device: &DeviceFile,
    jobs: &[Job],
    config: &Config,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Event),
) -> Result<DeviceReport, EngineError> {
    adopt_orphans();
    let device = &all_installed(device, &config.install_folder);
    let Some(target) = target(device) else {
        return super::in_process::run(device, jobs, config, cancel, sink);
    };
    if let Some(Contradiction { variable, value, icd }) = contradiction(device) {
        return Err(EngineError::Contradiction {
            device: device.name.clone(),
            variable,
            value,
            icd,
        });
    }
    let producer = launch_of_producer(device, config);
    let launch = launch(device, target, config);
    let are_executed = || jobs.iter().any(|job| executed_probe(&device.kind, job).is_some());
    let cases_per_worker = match config.isolate {
        true => 1,
        false if are_executed() => EXECUTED_PER_WORKER,
        false => CASES_PER_WORKER,
    };
    let workers = config.workers.min(jobs.len().div_ceil(cases_per_worker)).max(1);
    let scheduler = Scheduler::new(device, jobs, config, &launch, producer.as_ref(), cancel);
    let (mut finished, mut begun) = (0, 0);
    let no_thread = thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..workers {
            let (scheduler, sender) = (&scheduler, sender.clone());
            match thread::Builder::new().spawn_scoped(scope, move || scheduler.work(&sender)) {
                Ok(_) => begun += 1,
                // Fewer can do it too.
                Err(_) if begun > 0 => break,
                Err(source) => return Some(source),
            }
        }
        drop(sender);
        for event in receiver {
            finished += usize::from(matches!(event, Event::Finished { .. }));
            sink(event);
        }
        None
    });
    if let Some(source) = no_thread {
        return Err(EngineError::Machine { action: "starting a thread".to_owned(), source });
    }
    match scheduler.into_report(cancel) {
        Ok(report) => Ok(DeviceReport { finished, ..report }),
        Err(error) => Err(name_what_is_there(error, device, config, &launch, cancel)),
    }
}

/// Returns the device with the folders of its packages, and of those of the compiler whose modules it is given, filled
/// in.
pub(super) fn all_installed(device: &DeviceFile, install_folder: &Path) -> DeviceFile {
    let mut device = installed(device, install_folder);
    if let Some(compiler) = &mut device.through {
        **compiler = installed(compiler, &install::folder(&compiler.folder_name()));
    }
    device
}

/// Returns the way in which a worker for the compiler is started whose modules the device is given.
pub(super) fn launch_of_producer(device: &DeviceFile, config: &Config) -> Option<Launch> {
    let compiler = device.through.as_deref()?;
    let install_folder = install::folder(&compiler.folder_name());
    Some(launch(compiler, target(compiler)?, &Config { install_folder, ..config.clone() }))
}

/// Returns the way in which a worker for the device is started.
pub(super) fn launch(device: &DeviceFile, target: Target, config: &Config) -> Launch {
    Launch {
        command: config.worker.clone(),
        elsewhere: elsewhere(device, &config.install_folder, &config.worker),
        environment: environment(device, &config.install_folder),
        setup: Setup { target, memory_limit: config.memory_limit },
        log_limit: config.log_limit,
        zygote: zygote(device, &config.install_folder),
    }
}

/// Adds the available platforms to an error about a missing implementation: they are queried again without the
/// restriction of the loader.
fn name_what_is_there(
    error: EngineError,
    device: &DeviceFile,
    config: &Config,
    launch: &Launch,
    cancel: &Cancel,
) -> EngineError {
    let EngineError::PlatformMissing { device: name, wanted, found, remedy } = error else {
        return error;
    };
    if let Some(fault) = library::fault(device, &config.install_folder) {
        return EngineError::Library { device: name, fault };
    }
    let environment = wide_environment(device, &config.install_folder);
    let wide = Launch { environment, ..launch.clone() };
    let found = match Seat::new(&wide, Reserve::default()).start(None, config.start_timeout, cancel)
    {
        Err(StartEnd::NotOpened(OpenError::PlatformMissing { found, .. })) => found,
        _ => found,
    };
    EngineError::PlatformMissing { device: name, wanted, found, remedy }
}

/// Returns the names of the platforms that the loader offers, whatever environment variables restrict it for one
/// device. Empty where there is no loader, or where a driver killed it.
pub fn platforms(config: &Config, cancel: &Cancel) -> Vec<String> {
    // No name has it in it: nothing is opened, and the answer names what there is.
    let target = Target::Opencl { platform: "\0".to_owned() };
    let launch = Launch {
        command: config.worker.clone(),
        elsewhere: None,
        environment: Vec::new(),
        setup: Setup { target, memory_limit: config.memory_limit },
        log_limit: config.log_limit,
        zygote: None,
    };
    match Seat::new(&launch, Reserve::default()).start(None, config.start_timeout, cancel) {
        Err(StartEnd::NotOpened(OpenError::PlatformMissing { found, .. })) => found,
        _ => Vec::new(),
    }
}
