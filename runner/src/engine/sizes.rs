//! Search for the number of cases that a batch should have on this device.

use std::{collections::BTreeMap, time::Duration};

/// No size tried is larger: a failure in a batch must stay cheap to find. A small rest may come on top.
const LARGEST: usize = 3200;
/// Another size must be better by this much to be chosen.
const WORTHWHILE: f64 = 0.95;
/// A size that seems worse by less than this is tried once more: other work on the machine makes a batch cost more, and
/// nothing makes it cost less.
const CLEARLY_WORSE: f64 = 1.5;
/// Number of measurements of each size.
const TRIES: usize = 2;

/// The search for the best size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sizes {
    best: usize,
    search: Search,
    seconds_per_case: BTreeMap<usize, f64>,
    /// Number of measurements of the current size.
    tries: usize,
}

/// State of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    First,
    Up { moved: bool },
    Down,
    Over,
}

impl Sizes {
    pub(super) fn new(first: usize) -> Self {
        Self {
            best: first.clamp(1, LARGEST),
            search: Search::First,
            seconds_per_case: BTreeMap::new(),
            tries: 0,
        }
    }

    /// Returns the size to try next: double while that pays, else half while that does.
    pub(super) fn next(&self) -> usize {
        match self.search {
            Search::First | Search::Over => self.best,
            Search::Up { .. } => self.best * 2,
            Search::Down => self.best / 2,
        }
    }

    /// Records that a batch of `cases`, requested as one of `size`, took this processor time in seconds.
    pub(super) fn measured(&mut self, size: usize, cases: usize, seconds: f64) {
        // The rest of a group shows little about a full batch, and a batch begun before a step little after it.
        if cases * 4 < size * 3 || size != self.next() {
            return;
        }
        let time = per_case(seconds, cases);
        let best = self.seconds_per_case.get(&self.best).copied();
        let known = self.seconds_per_case.entry(size).or_insert(time);
        *known = known.min(time);
        let pays = best.is_none_or(|best| time < best * WORTHWHILE);
        self.tries += 1;
        if best.is_some_and(|best| !pays && time < best * CLEARLY_WORSE) && self.tries < TRIES {
            return;
        }
        self.tries = 0;
        self.search = match self.search {
            Search::First => Search::Up { moved: false },
            Search::Up { .. } if pays => Search::Up { moved: true },
            Search::Up { moved: false } => Search::Down,
            Search::Down if pays => Search::Down,
            Search::Up { moved: true } | Search::Down | Search::Over => Search::Over,
        };
        if pays {
            self.best = size;
        }
        if self.next() > LARGEST || self.next() == 0 {
            self.search = Search::Over;
        }
    }

    /// Returns the expected time of a batch of `cases`; `None` before anything is known.
    pub(super) fn expected(&self, cases: usize) -> Option<Duration> {
        let (&size, &time) =
            self.seconds_per_case.iter().min_by_key(|(size, _)| size.abs_diff(cases))?;
        Some(Duration::from_secs_f64(time * exact(cases.max(size))))
    }
}

/// Costs that decide whether cases are better built one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// Seconds of a build of one case.
    single: Option<f64>,
    /// Seconds until a new worker is ready.
    start: Option<f64>,
}

impl Costs {
    pub(super) fn measured_single(&mut self, seconds: f64) {
        mix(&mut self.single, seconds);
    }

    pub(super) fn measured_start(&mut self, seconds: f64) {
        mix(&mut self.start, seconds);
    }

    /// Whether to look for the case that kills a worker by building each alone: with one culprit, halving costs a
    /// new worker for every cut.
    pub(super) fn singles_after_death(&self, cases: usize, cuts: u32) -> bool {
        let (Some(single), Some(start)) = (self.single, self.start) else { return false };
        single * exact(cases) < start * f64::from(cuts)
    }

    /// Whether to build the rest of a batch one by one, if builds of `seconds` blame only `blamed` of its cases each.
    pub(super) fn singles_for_the_rest(&self, rest: usize, blamed: usize, seconds: f64) -> bool {
        let Some(single) = self.single else { return false };
        let builds = exact(rest) / exact(blamed.max(1));
        single * exact(rest) < seconds * builds
    }
}

fn mix(known: &mut Option<f64>, seconds: f64) {
    *known = Some(known.map_or(seconds, |known| f64::midpoint(known, seconds)));
}

/// Seconds each of `cases` took of `seconds`.
pub(super) fn per_case(seconds: f64, cases: usize) -> f64 {
    seconds / exact(cases.max(1))
}

fn exact(cases: usize) -> f64 {
    f64::from(u32::try_from(cases).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(cost: impl Fn(usize) -> f64) -> usize {
        let mut sizes = Sizes::new(200);
        for _ in 0..20 {
            let size = sizes.next();
            sizes.measured(size, size, cost(size));
        }
        sizes.next()
    }

    #[test]
    fn the_search_settles_where_a_case_is_cheapest() {
        assert_eq!(settle(|size| 0.1 + exact(size) * 4e-4), 3200);
        assert_eq!(settle(|size| 0.03 + exact(size).powi(2) * 2e-5), 50);
        assert_eq!(settle(exact), 200);
        assert_eq!(settle(|size| exact(size).powi(3)), 1);
    }

    #[test]
    fn a_batch_that_others_delayed_ends_no_search() {
        let mut sizes = Sizes::new(200);
        for batch in 0..20 {
            let size = sizes.next();
            let delay = if batch % 2 == 1 { 0.1 } else { 0.0 };
            sizes.measured(size, size, 0.1 + exact(size) * 4e-4 + delay);
        }
        assert_eq!(sizes.next(), 3200);
    }
}
