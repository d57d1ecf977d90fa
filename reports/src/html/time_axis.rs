//! The axis of time: positions of runs, and named moments.

use std::ops::Range;

use jiff::Timestamp;
use results::{history::PastRun, text::one_line};

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

/// Seconds between two named moments.
const STEPS: [i64; 15] = [
    60,
    10 * 60,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    90 * DAY,
    180 * DAY,
    365 * DAY,
    3650 * DAY,
];

/// The axis of time of some runs.
#[derive(Debug, PartialEq)]
pub(super) struct TimeAxis {
    /// Position of each run.
    pub(super) places: Vec<f64>,
    /// Positions with their labels.
    pub(super) ticks: Vec<(f64, String)>,
    /// Description of the axis.
    pub(super) says: &'static str,
}

impl TimeAxis {
    /// Returns the axis of runs by their beginnings; the runs are in order if the beginnings are not
    /// times, or all the same. Names at most `ticks` moments.
    pub(super) fn of(runs: &[PastRun], ticks: u32) -> Self {
        let seconds = |run: &PastRun| Some(run.begun.parse::<Timestamp>().ok()?.as_second());
        let times: Option<Vec<i64>> = runs.iter().map(seconds).collect();
        let times = times.filter(|times| times.first() < times.last() && times.is_sorted());
        times.map_or_else(|| Self::in_order(runs, ticks), |times| Self::by_time(&times, ticks))
    }

    fn by_time(times: &[i64], most: u32) -> Self {
        let most = i64::from(most);
        let (first, last) = (times[0], times[times.len() - 1]);
        let longest = STEPS[STEPS.len() - 1];
        let step = STEPS.into_iter().find(|step| (last - first) / step < most).unwrap_or(longest);
        let format = if step < DAY { "%m-%d %H:%M" } else { "%Y-%m-%d" };
        let label = |at: i64| match Timestamp::from_second(at) {
            Ok(time) => time.strftime(format).to_string(),
            Err(_) => String::new(),
        };
        let begin = first + (step - first.rem_euclid(step)) % step;
        let ticks = (0..=most).map(|tick| begin + tick * step).take_while(|&at| at <= last);
        Self {
            places: times.iter().map(|&time| time as f64).collect(),
            ticks: ticks.map(|at| (at as f64, label(at))).collect(),
            says: "when the run began (UTC)",
        }
    }

    fn in_order(runs: &[PastRun], most: u32) -> Self {
        let every = runs.len().div_ceil(most as usize).max(1);
        let ticks = runs.iter().enumerate().step_by(every);
        Self {
            places: (0..runs.len()).map(|place| place as f64).collect(),
            ticks: ticks.map(|(place, run)| (place as f64, one_line(run.day(), 12))).collect(),
            says: "runs, in order",
        }
    }

    /// Returns the range from the first run to the last.
    pub(super) fn range(&self) -> Range<f64> {
        let first = self.places.first().copied().unwrap_or(0.0);
        let last = self.places.last().copied().unwrap_or(0.0);
        first..last.max(first + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn check(begun: &[&str], places: &[f64], ticks: &[&str]) {
        let run = |begun: &&str| PastRun {
            begun: (*begun).to_owned(),
            driver: String::new(),
            front_end: String::new(),
            suite: String::new(),
            cases: 0,
            seconds: 0.0,
            findings: BTreeMap::new(),
            unexpected: 0,
            partial: String::new(),
        };
        let axis = TimeAxis::of(&begun.iter().map(run).collect::<Vec<_>>(), 7);
        let first = axis.places[0];
        let moved: Vec<f64> = axis.places.iter().map(|place| place - first).collect();
        assert_eq!(moved, places, "{begun:?}");
        let shown: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(shown, ticks, "{begun:?}");
        let range = axis.range();
        assert!(axis.ticks.iter().all(|(at, _)| *at >= range.start && *at <= range.end));
    }

    #[test]
    fn runs_stand_where_their_time_is() {
        check(
            &["2026-11-20T00:00:00Z", "2026-11-21T12:00:00Z", "2026-11-24T00:00:00Z"],
            &[0.0, 129_600.0, 345_600.0],
            &["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24"],
        );
        check(
            &["2026-11-20T09:10:00Z", "2026-11-20T11:20:00Z"],
            &[0.0, 7800.0],
            &["11-20 10:00", "11-20 11:00"],
        );
        check(
            &["2024-01-05T00:00:00Z", "2026-11-20T00:00:00Z"],
            &[0.0, 90_720_000.0],
            &["2024-03-18", "2024-09-14", "2025-03-13", "2025-09-09", "2026-03-08", "2026-09-04"],
        );
    }

    #[test]
    fn what_is_no_time_stands_in_order() {
        check(&["<b>", "x"], &[0.0, 1.0], &["<b>", "x"]);
        check(&["2026-11-20T09:10:00Z"; 2], &[0.0, 1.0], &["2026-11-20", "2026-11-20"]);
    }
}
