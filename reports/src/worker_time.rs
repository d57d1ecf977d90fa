//! What the time of a run's workers went into.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a worker does, and what is done for it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// A worker is started and its device opened.
    Start,
    /// A worker that died or is given up is done away with.
    End,
    /// The programs whose answers are known: the first build of each worker, and the check of each dialect.
    KnownPrograms,
    /// Programs are built none of whose cases was built before.
    Build,
    /// Cases are built again: they were in a batch that failed, left its cases in doubt, or died.
    BuildAgain,
    /// Probes are executed, and kernels launched for their code.
    Run,
    /// Findings are looked at once more.
    SecondLook,
    /// There is nothing to do until another worker is done.
    Wait,
}

impl Activity {
    /// In words.
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

/// The time of the workers of a run, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WorkerTime {
    /// Seconds from the begin of each place for a worker to its end, of all places together.
    pub seconds: f64,
    /// What they went into, in the order of [`Activity`]; the rest is told by nobody.
    pub activities: Vec<Spent>,
}

/// What one activity took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Spent {
    /// On what.
    pub activity: Activity,
    /// How often.
    pub times: usize,
    /// How long, together.
    pub seconds: f64,
}

impl WorkerTime {
    /// Whether there was no worker.
    pub fn is_empty(&self) -> bool {
        self.activities.is_empty()
    }

    /// Once more this long.
    pub fn spend(&mut self, activity: Activity, time: Duration) {
        self.take(Spent { activity, times: 1, seconds: time.as_secs_f64() });
    }

    /// The time of other workers too.
    pub fn join(&mut self, other: &Self) {
        self.seconds += other.seconds;
        for &spent in &other.activities {
            self.take(spent);
        }
    }

    /// Seconds that no activity took.
    pub fn rest(&self) -> f64 {
        let told: f64 = self.activities.iter().map(|spent| spent.seconds).sum();
        (self.seconds - told).max(0.0)
    }

    fn take(&mut self, more: Spent) {
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
        let spent = |activity, times, seconds| Spent { activity, times, seconds };
        assert_eq!(
            first.activities,
            [
                spent(Activity::Start, 1, 2.0),
                spent(Activity::Run, 2, 2.0),
                spent(Activity::Wait, 1, 0.5)
            ]
        );
        assert!((first.rest() - 1.5).abs() < 1e-9, "{first:?}");
    }
}
