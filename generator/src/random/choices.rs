//! A sequence of small numbers from which everything random is decided: drawn from a seed, kept, and replayed.

use proptest::{
    prelude::Rng as _,
    test_runner::{RngAlgorithm, TestRng},
};

/// Decisions, each below a bound; zero is always the simplest.
#[derive(Debug)]
pub(super) struct Choices {
    source: Source,
    taken: Vec<u32>,
    spans: Vec<Span>,
    open: Vec<u32>,
}

#[derive(Debug)]
enum Source {
    Seed(Box<TestRng>),
    /// Earlier decisions; after their end everything is zero.
    Replay(Vec<u32>),
}

/// Decisions that made one part of a program: taken out together they leave another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The first.
    pub(super) start: u32,
    /// After the last.
    pub(super) end: u32,
}

impl Choices {
    /// Returns decisions of `ChaCha`, keyed by the seed: the same on every machine.
    pub(super) fn from_seed(seed: &[u8; 32]) -> Self {
        Self::new(Source::Seed(Box::new(TestRng::from_seed(RngAlgorithm::ChaCha, seed))))
    }

    /// Returns the decisions of an earlier sequence.
    pub(super) fn replay(taken: Vec<u32>) -> Self {
        Self::new(Source::Replay(taken))
    }

    fn new(source: Source) -> Self {
        Self {
            source,
            taken: Vec::with_capacity(512),
            spans: Vec::with_capacity(128),
            open: Vec::new(),
        }
    }

    /// Returns a number below `bound`.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        let value = match &mut self.source {
            Source::Seed(rng) => ((u64::from(rng.next_u32()) * u64::from(bound)) >> 32) as u32,
            Source::Replay(earlier) => {
                earlier.get(self.taken.len()).map_or(0, |&value| value.min(bound.saturating_sub(1)))
            }
        };
        self.taken.push(value);
        value
    }

    /// Takes a decision with only one possibility. If a part before it is removed, it is read as that part.
    pub(super) fn zero(&mut self) {
        self.taken.push(0);
    }

    /// Returns true once in `count` times.
    pub(super) fn one_in(&mut self, count: u32) -> bool {
        self.below(count) + 1 == count
    }

    /// Returns one of these, the first being the simplest.
    pub(super) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u32) as usize]
    }

    /// Decisions from here on make one part.
    pub(super) fn open(&mut self) {
        self.open.push(self.taken.len() as u32);
    }

    /// Ends the part that was opened last.
    pub(super) fn close(&mut self) {
        if let Some(start) = self.open.pop() {
            self.spans.push(Span { start, end: self.taken.len() as u32 });
        }
    }

    /// Returns every decision so far, and the parts they made.
    pub(super) fn into_parts(self) -> (Vec<u32>, Vec<Span>) {
        (self.taken, self.spans)
    }
}
