//! Time of a run's workers, by activity.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An activity of a worker, or of the engine for it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// Starting a worker and opening its device.
    Start,
    /// Ending a worker that died or is given up.
    End,
    /// Building programs whose verdicts are known: the first of each worker, and those that check a dialect.
    KnownPrograms,
    /// Building programs none of whose cases was built before.
    Build,
    /// Building cases again: they were in a batch that failed, left its cases in doubt, or died.
    BuildAgain,
    /// Executing probes, and launching kernels for their code.
    Run,
    /// Confirming findings.
    SecondLook,
    /// Waiting until another worker is done.
    Wait,
}

impl Activity {
    /// Returns a phrase for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Start => "starting workers",
            Self::End => "ending workers",
            Self::KnownPrograms => "first builds and checks of dialects",
            Self::Build => "building",
            Self::BuildAgain => "building again what failed together",
            Self::Run => "executing, and launching for code",
            Self::SecondLook => "looking again at findings",
            Self::Wait => "waiting for other workers",
        }
    }
}

/// The time of the workers of a run, added up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WorkerTime {
    /// Seconds from the beginning to the end of each worker slot, of all slots together.
    pub seconds: f64,
    /// Time of each activity, in the order of [`Activity`]; activities need not fill all seconds.
    pub activities: Vec<ActivityTime>,
}

/// The time of one activity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ActivityTime {
    pub activity: Activity,
    /// Number of times.
    pub times: usize,
    /// Seconds of all times together.
    pub seconds: f64,
}

impl WorkerTime {
    /// Whether there was no worker.
    pub fn is_empty(&self) -> bool {
        self.activities.is_empty()
    }

    /// Adds one time of an activity.
    pub fn spend(&mut self, activity: Activity, time: Duration) {
        self.take(ActivityTime { activity, times: 1, seconds: time.as_secs_f64() });
    }

    /// Adds the time of other workers.
    pub fn join(&mut self, other: &Self) {
        self.seconds += other.seconds;
        for &spent in &other.activities {
            self.take(spent);
        }
    }

    /// Returns the part of the time that an activity took, from 0 to 1.
    pub fn part(&self, activity: Activity) -> f64 {
        let spent = self.activities.iter().find(|spent| spent.activity == activity);
        spent.map_or(0.0, |spent| spent.seconds / self.seconds.max(f64::MIN_POSITIVE))
    }

    /// Returns the seconds that no activity took.
    pub fn rest(&self) -> f64 {
        let told: f64 = self.activities.iter().map(|spent| spent.seconds).sum();
        (self.seconds - told).max(0.0)
    }

    fn take(&mut self, more: ActivityTime) {
        match self.activities.binary_search_by_key(&more.activity, |spent| spent.activity) {
            Ok(place) => {
                let spent = &mut self.activities[place];
                spent.times += more.times;
                spent.seconds += more.seconds;
            }
            Err(place) => self.activities.insert(place, more),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activities_are_summed_and_what_is_left_is_the_rest() {
        let mut first = WorkerTime { seconds: 5.0, ..WorkerTime::default() };
        assert!(first.is_empty());
        first.spend(Activity::Run, Duration::from_secs(1));
        first.spend(Activity::Start, Duration::from_secs(2));
        first.spend(Activity::Run, Duration::from_secs(1));
        let mut second = WorkerTime { seconds: 1.0, ..WorkerTime::default() };
        second.spend(Activity::Wait, Duration::from_millis(500));
        first.join(&second);
        let spent = |activity, times, seconds| ActivityTime { activity, times, seconds };
        assert_eq!(
            first.activities,
            [
                spent(Activity::Start, 1, 2.0),
                spent(Activity::Run, 2, 2.0),
                spent(Activity::Wait, 1, 0.5)
            ]
        );
        assert!((first.rest() - 1.5).abs() < 1e-9, "{first:?}");
        let parts = [Activity::Run, Activity::End].map(|activity| first.part(activity));
        assert!((parts[0] - 2.0 / 6.0).abs() < 1e-9 && parts[1] == 0.0, "{parts:?}");
    }
}
