//! The first stage of a run: its plan chooses devices and cases.

use std::{sync::Arc, thread};

use expectations::{device::DeviceFile, wrong_values::Constructs};
use generator::suite::Suite;

use super::{
    devices::{self, Breadth, ChosenDevices, ReportedDevice, choose_of_plan},
    error::RunError,
    failed_first::FailedFirst,
    plan::{Keep, RunPlan},
    progress::spinner,
    select::{Selection, select_programs},
};
use crate::{engine::Cancel, overlay};

/// A run whose devices and cases are chosen.
pub struct ChosenRun {
    /// The plan, as it is on the devices.
    pub plan: RunPlan,
    pub suite: Arc<Suite>,
    pub devices: Vec<DeviceFile>,
    pub breadth: Breadth,
    pub selection: Selection,
    /// Cases that failed in an earlier run, where they come first.
    pub failed_first: Option<FailedFirst>,
    /// Kinds of wrong values that were reported before.
    pub told: Vec<Constructs>,
}

/// The first device as it reports itself, if it was queried already.
type FirstDevice = Option<Result<ReportedDevice, RunError>>;

/// Returns the devices and cases of a plan. While cases are listed, the first device is queried for its capabilities,
/// if nothing must be installed first.
pub fn choose(plan: &RunPlan, cancel: &Cancel) -> Result<(ChosenRun, FirstDevice), RunError> {
    let spinner = spinner();
    let devices = choose_of_plan(plan)?;
    let device = devices.devices.first().filter(|_| !plan.install).cloned();
    let querying = cancel.part();
    let (chosen, first) = thread::scope(|scope| {
        let first = device.map(|device| scope.spawn(|| devices::open(plan, device, &querying)));
        let chosen = overlay::suite().map_err(RunError::from);
        let chosen = chosen.and_then(|suite| ChosenRun::new(plan, Arc::new(suite), devices));
        if chosen.is_err() {
            querying.cancel();
        }
        (chosen, first.and_then(|first| first.join().ok()))
    });
    spinner.finish_and_clear();
    Ok((chosen?, first))
}

impl ChosenRun {
    /// Selects the cases of a plan on these devices.
    pub fn new(
        plan: &RunPlan,
        suite: Arc<Suite>,
        ChosenDevices { devices, breadth }: ChosenDevices,
    ) -> Result<Self, RunError> {
        let plan = plan.on(&devices);
        let RunPlan { programs, filter, failed_first, .. } = &plan;
        let selection = select_programs(&suite, programs, filter, &devices)?;
        let failed = failed_first.as_deref().map(|folder| FailedFirst::read(&suite, folder));
        let failed_first = failed.transpose()?;
        let told = Vec::new();
        Ok(Self { plan, suite, devices, breadth, selection, failed_first, told })
    }

    /// Returns the storage of the results of one device.
    pub fn keep_on(&self, device: &DeviceFile) -> Keep {
        match self.breadth {
            Breadth::One => self.plan.keep.clone(),
            Breadth::Several | Breadth::All => self.plan.keep.below(device),
        }
    }
}
