//! Progress of a run on a terminal.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use indicatif::{
    HumanDuration, ProgressBar, ProgressFinish, ProgressState, ProgressStyle,
    style::ProgressTracker,
};

/// Returns a progress bar for this number of cases of a device; it is hidden where standard error is not a terminal.
pub fn bar(cases: usize, device: &str) -> ProgressBar {
    let bar = ProgressBar::new(cases as u64);
    if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} cases{pace}") {
        bar.set_style(style.with_key("pace", Pace::default()));
    }
    bar.set_prefix(device.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Returns a spinner for the time in which rules are read and cases listed. It is hidden where standard error is not
/// a terminal, and disappears when it is dropped.
pub fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_finish(ProgressFinish::AndClear);
    bar.set_message("reading the rules and listing their cases");
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Cases per second since the first one was done: until then the device starts. A moving average, as the library has
/// it, takes minutes to forget that start.
#[derive(Clone, Copy, Default)]
struct Pace {
    /// When nothing was done yet, the last time that it was looked at.
    begun: Option<Instant>,
    /// Since then.
    passed: Duration,
}

impl Pace {
    fn look(&mut self, done: u64, now: Instant) {
        if done == 0 || self.begun.is_none() {
            self.begun = Some(now);
        }
        self.passed = self.begun.map_or(Duration::ZERO, |begun| now.duration_since(begun));
    }

    /// Returns the number of cases per second and the remaining time; `None` until enough cases are done.
    fn told(&self, done: u64, cases: u64) -> Option<(f64, Duration)> {
        let seconds = self.passed.as_secs_f64();
        // The first cases are built one by one, the others by the hundred.
        let is_long = seconds >= 10.0 && done >= 50;
        let is_known = is_long || seconds >= 1.0 && done * 20 >= cases;
        let pace = done as f64 / seconds;
        let left = cases.saturating_sub(done) as f64 / pace;
        let left = Duration::try_from_secs_f64(left).ok()?;
        is_known.then_some((pace, left))
    }
}

impl ProgressTracker for Pace {
    fn clone_box(&self) -> Box<dyn ProgressTracker> {
        Box::new(*self)
    }

    fn tick(&mut self, state: &ProgressState, now: Instant) {
        self.look(state.pos(), now);
    }

    fn reset(&mut self, _: &ProgressState, _: Instant) {
        *self = Self::default();
    }

    fn write(&self, state: &ProgressState, text: &mut dyn Write) {
        if let Some((pace, left)) = self.told(state.pos(), state.len().unwrap_or_default()) {
            let _ = write!(text, ", {pace:.0}/s, {:#} left", HumanDuration(left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the report after these looks, each given by its seconds since the first and its number of finished cases.
    fn check(looks: &[(f64, u64)], cases: u64, expected: Option<(f64, f64)>) {
        let first = Instant::now();
        let mut pace = Pace::default();
        for &(seconds, done) in looks {
            pace.look(done, first + Duration::from_secs_f64(seconds));
        }
        let told = pace.told(looks.last().map_or(0, |look| look.1), cases);
        let told = told.map(|(pace, left)| (pace.round(), left.as_secs_f64().round()));
        assert_eq!(told, expected, "{looks:?} of {cases}");
    }

    #[test]
    fn a_pace_is_told_when_it_is_known() {
        check(&[(0.0, 0)], 187, None);
        check(&[(0.0, 0), (5.0, 1)], 187, None);
        check(&[(0.0, 0), (0.5, 180)], 187, None);
        check(&[(0.0, 0), (2.0, 100)], 1100, Some((50.0, 20.0)));
        check(&[(0.0, 0), (4.0, 40)], 80, Some((10.0, 4.0)));
        check(&[(0.0, 0), (2.0, 62)], 12_000, None);
        check(&[(0.0, 0), (20.0, 100)], 12_100, Some((5.0, 2400.0)));
    }

    #[test]
    fn the_start_of_the_device_does_not_count() {
        check(&[(0.0, 0), (10.0, 0), (12.0, 100)], 1100, Some((50.0, 20.0)));
    }
}
