//! `address-spaces blame`: which component is at fault for a device's behaviour on a case, found by experiment. The
//! program goes up a ladder: the front end alone, each step after it alone, then the device; the first rung that fails
//! names the component.

mod given_modules;
mod ladder;
mod rung;
mod told;
mod tools;

use expectations::rule::Expectation;
use generator::suite::Suite;

use super::CommandError;
use crate::{
    device::files,
    engine::RunWith,
    interrupts,
    output::print,
    run::{
        alone,
        devices::{self, ReportedDevice},
    },
};

/// Prints the ladder and the component, and returns the exit status.
pub fn command(
    suite: &Suite,
    id: &str,
    device: &str,
    through: Option<&str>,
) -> Result<u8, CommandError> {
    let case = suite.case(id).map_err(|error| CommandError::Selection(error.to_string()))?;
    if matches!(suite.expectation(&case), Expectation::Disputed { .. }) {
        let message = format!(
            "`{id}` is disputed, so no component is at fault; docs/disputed.md has the question"
        );
        return Err(CommandError::Usage(message));
    }
    let mut cases = alone::with_control(suite, case)?;
    let device = files::load_through(device, through)?;
    let ReportedDevice { device, .. } = devices::as_reported(device, &interrupts::cancel())?;
    let seen = alone::result(&cases, &device)?;
    let rungs = match &device.through {
        Some(producer) => given_modules::ladder(&cases, &device, producer, &seen),
        None => {
            // The ladder ends before the execution.
            cases[0].run_with = RunWith::Nothing;
            let mut rungs = ladder::ladder(&cases, &device)?;
            rungs.extend(ladder::of_device(&device, &seen));
            rungs
        }
    };
    let (text, status) = told::ladder_text(&cases[0], &device, &seen, &rungs);
    print(&text);
    Ok(status)
}
