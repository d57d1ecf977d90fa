//! The module of one program, made without a run.

use expectations::device::DeviceFile;
use worker::{BuildEnd, processes::adopt_orphans};

use super::{
    producer::{MadeModules, Producer},
    run::{all_installed, launch_of_producer},
    types::{Cancel, Config},
};
use crate::device::{BuildRequest, Code, Form, Making};

/// Returns the bytes of the file that the compiler of a driver makes of a program.
///
/// # Errors
///
/// The compiler cannot be started, or makes nothing of it: its last words.
pub fn make_module(
    device: &DeviceFile,
    making: Making,
    source: &str,
    config: &Config,
    cancel: &Cancel,
) -> Result<Vec<u8>, String> {
    adopt_orphans();
    let device = all_installed(device, &config.install_folder);
    let launch = launch_of_producer(&device, config);
    let launch = launch.ok_or("the device is given no modules")?;
    let mut producer = Producer::new(&launch, config.start_timeout, cancel);
    producer.open().map_err(|_| "the compiler cannot be started".to_owned())?;
    let request = BuildRequest {
        options: Vec::new(),
        source: source.to_owned(),
        form: Form::Made(making),
        code: Code::NotAsked,
        runs: Vec::new(),
        output: None,
        log_limit: config.log_limit,
    };
    match producer.make(request, config.build_timeout, &mut |_| {}) {
        MadeModules::Ready { request, .. } => match request.form {
            Form::Module(module) => Ok(module.0),
            Form::Source | Form::Made(_) => Err("the compiler made no module".to_owned()),
        },
        MadeModules::Ended(BuildEnd::Answered { answer, .. }) => {
            Err(format!("{}{}", answer.detail, answer.log))
        }
        MadeModules::Ended(BuildEnd::Died(death)) => Err(death.to_string()),
        MadeModules::Ended(BuildEnd::Cancelled) => Err("interrupted".to_owned()),
    }
}
