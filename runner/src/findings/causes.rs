//! All that is known of causes: the table, the entries of every baseline, and the newest version of every device.

use expectations::{baseline::Deviation, cause::Causes, device::DeviceFile};
use generator::suite::Suite;
use reports::upstream::Everything;

use crate::device::files::{self, DeviceFileError};

/// What [`Everything`] borrows from.
pub struct KnownCauses {
    causes: &'static Causes,
    devices: Vec<DeviceFile>,
    shared: Vec<Deviation>,
    newest: Vec<DeviceFile>,
}

impl KnownCauses {
    /// Read what the suite knows.
    pub fn read() -> Result<Self, DeviceFileError> {
        let names = files::names_of_suite()?;
        Ok(Self {
            causes: files::causes()?,
            devices: names.iter().map(|name| files::load(name)).collect::<Result<_, _>>()?,
            shared: files::shared_deviations()?,
            newest: files::newest_versions()?,
        })
    }

    /// The suite's devices.
    pub fn devices(&self) -> &[DeviceFile] {
        &self.devices
    }

    /// What front ends that several devices share are known for.
    pub fn shared(&self) -> &[Deviation] {
        &self.shared
    }

    /// Every entry, those of front ends first.
    pub fn entries(&self) -> Vec<&Deviation> {
        let own = self
            .devices
            .iter()
            .flat_map(|device| device.deviations.iter().filter(|entry| entry.path == device.path));
        self.shared.iter().chain(own).collect()
    }

    /// The same for reports; `entries` are those of [`Self::entries`].
    pub fn everything<'e>(
        &'e self,
        suite: &'e Suite,
        entries: &'e [&'e Deviation],
    ) -> Everything<'e> {
        Everything { suite, causes: self.causes, entries, newest: &self.newest }
    }
}
