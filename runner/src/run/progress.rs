//! How far a run is, for those who watch it.

use std::{fmt::Write, time::Duration};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

/// A bar for so many cases of a device; hidden by itself where standard error is no terminal.
pub fn bar(cases: usize, device: &str) -> ProgressBar {
    let bar = ProgressBar::new(cases as u64);
    if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} cases{pace}") {
        bar.set_style(style.with_key("pace", |state: &ProgressState, text: &mut dyn Write| {
            if knows_pace(state.pos(), state.len().unwrap_or_default()) {
                let left = HumanDuration(state.eta());
                let _ = write!(text, ", {:.0}/s, {left:#} left", state.per_sec());
            }
        }));
    }
    bar.set_prefix(device.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Whether enough of the cases are done to say how long the others take: the first ones wait for the device to start,
/// and come by the batch.
fn knows_pace(done: u64, cases: u64) -> bool {
    done >= 50 || done * 5 >= cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_told_when_it_is_known() {
        for (done, cases, is_known) in
            [(0, 187, false), (1, 187, false), (38, 187, true), (49, 9000, false), (50, 9000, true)]
        {
            assert_eq!(knows_pace(done, cases), is_known, "{done} of {cases}");
        }
    }
}
