//! A program on its way to a smaller one: what is tried in a round, and what is kept of it.

use generator::random::{Shrink, Side};
use proptest::strategy::ValueTree as _;

/// Programs that are tried in one round.
const TRIALS: usize = 48;
/// Of a round that tries several cuts at once, candidates of all these cuts together; the rest are those of the one
/// that is known to show it.
const AHEAD: usize = 24;

/// A program that is tried.
pub(super) struct Trial {
    /// It.
    pub(super) tree: Shrink,
    from: From,
}

/// What a program that is tried came of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// The smallest that shows it, by one cut.
    Smallest,
    /// Several cuts at once.
    Several,
    /// All of these, by one cut more.
    Ahead,
}

/// How far the reduction of one program is.
pub(super) struct Progress {
    smallest: Shrink,
    /// Candidates of the smallest that do not show it.
    passed: usize,
    /// Cuts that show it each, several at once: all of them first.
    several: Vec<Shrink>,
}

impl Progress {
    /// Of a program that shows it.
    pub(super) fn of(smallest: Shrink) -> Self {
        Self { smallest, passed: 0, several: Vec::new() }
    }

    /// The smallest program that shows it.
    pub(super) fn tree(&self) -> &Shrink {
        &self.smallest
    }

    /// What is tried next.
    pub(super) fn next(&self) -> Vec<Trial> {
        let trial = |from| move |tree| Trial { tree, from };
        let mut trials: Vec<Trial> =
            self.several.iter().cloned().map(trial(From::Several)).collect();
        let ahead = self.several.iter().take(1).flat_map(Shrink::candidates).take(AHEAD);
        trials.extend(ahead.map(trial(From::Ahead)));
        let left = TRIALS.saturating_sub(trials.len());
        let one_by_one = self.smallest.candidates().skip(self.passed).take(left);
        trials.extend(one_by_one.map(trial(From::Smallest)));
        trials
    }

    /// Take what came of the trials; gives whether nothing is left to be tried.
    pub(super) fn take(&mut self, trials: Vec<Trial>, shows: &[bool]) -> bool {
        let of_smallest = trials.iter().filter(|trial| trial.from == From::Smallest).count();
        let is_last = trials.len() < TRIALS;
        let mut working: Vec<(usize, Trial)> = trials
            .into_iter()
            .zip(shows)
            .filter(|(_, shows)| **shows)
            .map(|(trial, _)| (length(&trial.tree), trial))
            .collect();
        working.sort_by_key(|(length, _)| *length);
        let Some((_, best)) = working.first() else {
            self.several.clear();
            self.passed += of_smallest;
            return is_last;
        };
        let base = match best.from {
            From::Smallest => Some(&self.smallest),
            From::Ahead => self.several.first(),
            From::Several => None,
        };
        let siblings: Vec<&Shrink> = working
            .iter()
            .filter(|(_, trial)| trial.from == best.from)
            .map(|(_, trial)| &trial.tree)
            .collect();
        // Cuts may need each other's parts: half of them, the largest, may do where all do not.
        let counts = std::iter::successors(Some(siblings.len()), |count| Some(count / 2));
        let several = base.map_or_else(Vec::new, |base| {
            let counts = counts.take_while(|count| *count > 1);
            counts.filter_map(|count| base.combined(&siblings[..count])).collect()
        });
        *self = Self { smallest: best.tree.clone(), passed: 0, several };
        false
    }
}

fn length(tree: &Shrink) -> usize {
    tree.current().kernel(Side::Edited, "").source.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use generator::random::RandomCase;

    /// How many rounds a device takes that is wrong wherever these words are, and what is left; `between` rounds.
    fn rounds(words: &[&str], between: fn(&mut Progress)) -> (usize, Shrink) {
        let case = RandomCase::from_id("random/run/cl12/seed=195").unwrap();
        let source = |tree: &Shrink| tree.current().kernel(Side::Edited, "").source;
        let is_wrong = |tree: &Shrink| words.iter().all(|word| source(tree).contains(word));
        let mut progress = Progress::of(Shrink::of(&case));
        assert!(is_wrong(progress.tree()), "{}", source(progress.tree()));
        for round in 1.. {
            let trials = progress.next();
            let shows: Vec<bool> = trials.iter().map(|trial| is_wrong(&trial.tree)).collect();
            if progress.take(trials, &shows) {
                return (round, progress.smallest);
            }
            between(&mut progress);
        }
        unreachable!("every round takes something out or passes candidates")
    }

    #[test]
    fn several_cuts_are_taken_in_a_round() {
        for words in [&["barrier("][..], &["barrier(", "atomic_"]] {
            let (few, left) = rounds(words, |_| {});
            let (many, _) = rounds(words, |progress| progress.several.clear());
            assert!(few < many, "{few} rounds, {many} of one cut each");
            let left = left.current();
            let source = left.kernel(Side::Edited, "").source;
            assert!(source.lines().count() < 20, "{source}");
            let constructs = left.constructs().unwrap();
            assert!(constructs.parts.contains("barrier"), "{constructs}: {source}");
        }
    }
}
