//! Stored runs, each compared with what is known of its device.

use std::path::{Path, PathBuf};

use expectations::{baseline::BaselineReport, device::DeviceFile};
use generator::suite::Suite;
use reports::versions::Version;

use super::{
    baseline::{Extent, hold},
    device_run::StoredError,
};
use crate::{
    device::files,
    results::{
        folder::{Wanted, read_runs},
        stored::StoredRun,
    },
};

/// A run, and what the device's file says of it.
pub struct KnownRun {
    /// The run.
    pub run: StoredRun,
    /// The device as it was, and the run compared with its entries; `None` for a device without a file.
    pub known: Option<(DeviceFile, BaselineReport)>,
}

impl KnownRun {
    /// The runs of a folder.
    ///
    /// # Errors
    ///
    /// Where a run or the file of its device cannot be read.
    pub fn read(
        suite: &Suite,
        folder: &Path,
        wanted: Wanted,
        baseline: Option<&Path>,
    ) -> Result<Vec<Self>, StoredError> {
        let with_known = |run: StoredRun| {
            let device = files::of_run(&run.results.header, baseline)?;
            let known = device.map(|device| {
                let check = run.results.end.as_ref().and_then(|end| end.shared_check.as_ref());
                let held = hold(suite, &device, &run.results.cases, Extent::Selection, check);
                (device, held.baseline)
            });
            Ok(Self { run, known })
        };
        read_runs(folder, wanted)?.into_iter().map(with_known).collect()
    }

    /// The runs of several folders.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn read_all(
        suite: &Suite,
        folders: &[PathBuf],
        wanted: Wanted,
        baseline: Option<&Path>,
    ) -> Result<Vec<Self>, StoredError> {
        let mut runs = Vec::new();
        for folder in folders {
            runs.extend(Self::read(suite, folder, wanted, baseline)?);
        }
        Ok(runs)
    }

    /// The run as one version of its device.
    pub fn version(&self) -> Version<'_> {
        Version {
            name: &self.run.results.header.device,
            results: &self.run.results,
            deviations: self.known.as_ref().map_or(&[], |(device, _)| &device.deviations),
            explained: self.known.as_ref().map_or(&[], |(_, baseline)| &baseline.explained),
        }
    }
}
