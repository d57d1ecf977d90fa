//! All that is known of causes: the table, the entries of every baseline, and the newest version of every device.

use expectations::{
    baseline::Deviation, cause::Causes, device::DeviceFile, observation::Observation,
};
use generator::suite::Suite;
use reports::upstream::Everything;

use crate::device::files::{self, DeviceFileError};

/// Data that [`Everything`] borrows from.
pub struct KnownCauses {
    pub causes: &'static Causes,
    observations: Vec<Observation>,
    /// Devices of the suite.
    pub devices: Vec<DeviceFile>,
    /// Entries of front ends that several devices share.
    pub shared: Vec<Deviation>,
    newest: Vec<DeviceFile>,
}

impl KnownCauses {
    /// Reads the causes, observations and devices of the suite.
    pub fn read() -> Result<Self, DeviceFileError> {
        let names = files::names_of_suite()?;
        Ok(Self {
            causes: files::causes()?,
            observations: files::observations()?,
            devices: names.iter().map(|name| files::load(name)).collect::<Result<_, _>>()?,
            shared: files::shared_deviations()?,
            newest: files::newest_versions()?,
        })
    }

    /// Returns every entry, those of front ends first.
    pub fn entries(&self) -> Vec<&Deviation> {
        let own = self
            .devices
            .iter()
            .flat_map(|device| device.deviations.iter().filter(|entry| entry.path == device.path));
        self.shared.iter().chain(own).collect()
    }

    /// Returns the data for reports; `entries` are those of [`Self::entries`].
    pub fn everything<'e>(
        &'e self,
        suite: &'e Suite,
        entries: &'e [&'e Deviation],
    ) -> Everything<'e> {
        Everything {
            suite,
            causes: self.causes,
            entries,
            observations: &self.observations,
            newest: &self.newest,
        }
    }
}

#[cfg(test)]
mod tests {
    use expectations::cause::State;

    use super::*;

    #[test]
    fn no_version_still_has_what_its_release_is_said_to_mend() {
        let suite = Suite::embedded().unwrap();
        let all = KnownCauses::read().unwrap();
        let entries = all.entries();
        for known in all.everything(&suite, &entries).known() {
            let still = known.wrongly_mended().map(|device| &device.name);
            assert_eq!(still, None, "{}", known.cause.id);
        }
    }

    #[test]
    fn what_is_alive_can_be_reported() {
        let suite = Suite::embedded().unwrap();
        let all = KnownCauses::read().unwrap();
        let entries = all.entries();
        for known in all.everything(&suite, &entries).known() {
            let cause = known.cause;
            if !known.is_alive() {
                continue;
            }
            let is_looked_for = !cause.searched.is_empty()
                || cause.state != State::Unreported
                || cause.component.tracker().is_none();
            for (is_there, what) in [
                (known.shown(&suite).unwrap().is_some(), "program"),
                (cause.reason.is_some(), "reason"),
                (!cause.clauses.is_empty() && !cause.sentences.is_empty(), "clause and sentences"),
                (cause.symptom.is_some(), "symptom"),
                (is_looked_for, "search of its tracker"),
            ] {
                assert!(is_there, "the cause `{}` is alive and has no {what}", cause.id);
            }
        }
    }

    #[test]
    fn observations_are_of_causes_and_of_the_devices_of_their_issues() {
        let suite = Suite::embedded().unwrap();
        let all = KnownCauses::read().unwrap();
        let entries = all.entries();
        let known = all.everything(&suite, &entries).known();
        for observation in &all.observations {
            let of = known.iter().find(|known| known.cause.id == observation.cause);
            let device = of.and_then(|known| known.device()).map(|device| device.name.as_str());
            let message = "run `.ci/upstream --keep`";
            assert_eq!(device, Some(observation.device.as_str()), "{message}");
        }
    }
}
