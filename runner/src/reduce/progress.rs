//! Progress of the reduction of one program: the candidates of a round, and the ones that are kept.

use std::collections::BTreeSet;

use generator::random::{Shrink, Side};
use proptest::strategy::ValueTree as _;

/// Number of candidates in a round that combine several cuts; the other candidates are cuts of the smallest known
/// program.
const AHEAD: usize = 24;

/// A program that is tried.
pub(super) struct Trial {
    pub(super) tree: Shrink,
    /// Bytes of its source.
    length: usize,
    from: From,
}

impl Trial {
    fn new(tree: Shrink, from: From) -> Self {
        let length = tree.current().kernel(Side::Edited, "").source.len();
        Self { tree, length, from }
    }
}

/// Origin of a candidate.
#[derive(Clone, PartialEq, Eq)]
enum From {
    /// The smallest that shows it, by one cut.
    Smallest,
    /// The smallest, by taking this construct out wherever it is used.
    Construct(String),
    /// Several cuts at once.
    Several,
    /// All of these, by one cut more.
    Ahead,
}

/// Progress of the reduction of one program.
pub(super) struct Progress {
    smallest: Shrink,
    /// Constructs to remove from the smallest program as a whole, while that works; at first all.
    constructs: BTreeSet<String>,
    /// Candidates of the smallest that do not show it.
    passed: usize,
    /// Cuts that show it each, several at once: all of them first.
    several: Vec<Shrink>,
}

impl Progress {
    /// Starts from a program that shows the deviation.
    pub(super) fn of(smallest: Shrink) -> Self {
        let constructs = parts(&smallest);
        Self { smallest, constructs, passed: 0, several: Vec::new() }
    }

    /// Returns the smallest program that shows the deviation.
    pub(super) fn tree(&self) -> &Shrink {
        &self.smallest
    }

    /// Returns what is tried next: `width` programs, fewer at the end.
    pub(super) fn next(&self, width: usize) -> Vec<Trial> {
        let trial = |from: From| move |tree| Trial::new(tree, from.clone());
        let mut trials: Vec<Trial> =
            self.several.iter().cloned().map(trial(From::Several)).collect();
        let ahead = self.several.iter().take(1).flat_map(Shrink::candidates).take(AHEAD);
        trials.extend(ahead.map(trial(From::Ahead)));
        trials.extend(self.constructs.iter().filter_map(|part| {
            let tree = self.smallest.without_construct(part)?;
            Some(Trial::new(tree, From::Construct(part.clone())))
        }));
        let left = width.saturating_sub(trials.len());
        let one_by_one = self.smallest.candidates().skip(self.passed).take(left);
        trials.extend(one_by_one.map(trial(From::Smallest)));
        trials
    }

    /// Returns the number of programs left to try, each with one cut more than the smallest.
    pub(super) fn left(&self) -> usize {
        self.smallest.candidates().count().saturating_sub(self.passed)
    }

    /// Takes the results of a round of `width` programs; the smallest that shows the deviation is the next. Returns
    /// whether nothing is left to try.
    pub(super) fn take(&mut self, trials: &[Trial], shows: &[bool], width: usize) -> bool {
        let of_smallest = trials.iter().filter(|trial| trial.from == From::Smallest).count();
        let is_last = trials.len() < width;
        let working = smallest_first(trials, shows);
        let Some(&best) = working.first() else {
            self.several.clear();
            self.constructs.clear();
            self.passed += of_smallest;
            return is_last;
        };
        let best = &trials[best];
        let same = |trial: &Trial| {
            std::mem::discriminant(&trial.from) == std::mem::discriminant(&best.from)
        };
        let siblings: Vec<&Trial> =
            working.iter().map(|&index| &trials[index]).filter(|trial| same(trial)).collect();
        // Cuts may need each other's parts: half of them, the largest, may do where all do not.
        let counts = std::iter::successors(Some(siblings.len()), |count| Some(count / 2));
        let counts = counts.take_while(|count| *count > 1);
        let several = counts.filter_map(|count| self.combined(&siblings[..count])).collect();
        // Cuts that were combined take several rounds: constructs are tried again behind them.
        let constructs = match best.from {
            From::Smallest => BTreeSet::new(),
            From::Construct(_) | From::Several | From::Ahead => parts(&best.tree),
        };
        *self = Self { smallest: best.tree.clone(), constructs, passed: 0, several };
        false
    }

    /// Returns the program with the cuts of all these candidates, which have the same origin.
    fn combined(&self, siblings: &[&Trial]) -> Option<Shrink> {
        let cuts = || siblings.iter().map(|trial| &trial.tree).collect::<Vec<_>>();
        match siblings.first()?.from {
            From::Smallest => self.smallest.combined(&cuts()),
            From::Ahead => self.several.first()?.combined(&cuts()),
            From::Several => None,
            From::Construct(_) => {
                let mut parts = siblings.iter().filter_map(|trial| match &trial.from {
                    From::Construct(part) => Some(part),
                    _ => None,
                });
                let rest = self.smallest.without_construct(parts.next()?)?;
                Some(parts.fold(rest, |rest, part| rest.without_construct(part).unwrap_or(rest)))
            }
        }
    }
}

/// Returns the numbers of the trials that show the deviation, the smallest first.
pub(super) fn smallest_first(trials: &[Trial], shows: &[bool]) -> Vec<usize> {
    let mut showing: Vec<usize> = (0..trials.len()).filter(|&index| shows[index]).collect();
    showing.sort_by_key(|&index| trials[index].length);
    showing
}

/// Returns the constructs of a program that is executed.
fn parts(tree: &Shrink) -> BTreeSet<String> {
    tree.current().constructs().map_or_else(BTreeSet::new, |constructs| constructs.parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use generator::random::RandomCase;

    /// Reduces for a device that is wrong wherever these words are. Returns the number of rounds and what is left;
    /// `between` runs between rounds.
    fn rounds(words: &[&str], width: usize, between: fn(&mut Progress)) -> (usize, Shrink) {
        let case = RandomCase::from_id("random/run/cl12/seed=178").unwrap();
        let source = |tree: &Shrink| tree.current().kernel(Side::Edited, "").source;
        let is_wrong = |tree: &Shrink| words.iter().all(|word| source(tree).contains(word));
        let mut progress = Progress::of(Shrink::of(&case));
        assert!(is_wrong(progress.tree()), "{}", source(progress.tree()));
        for round in 1.. {
            let trials = progress.next(width);
            let shows: Vec<bool> = trials.iter().map(|trial| is_wrong(&trial.tree)).collect();
            if progress.take(&trials, &shows, width) {
                assert!(progress.left() <= width);
                return (round, progress.smallest);
            }
            between(&mut progress);
        }
        unreachable!("every round takes something out or passes candidates")
    }

    #[test]
    fn several_cuts_are_taken_in_a_round() {
        for words in [&["barrier("][..], &["barrier(", "atomic_"]] {
            let (few, left) = rounds(words, 48, |_| {});
            let (many, _) = rounds(words, 48, |progress| progress.several.clear());
            assert!(few < many, "{few} rounds, {many} of one cut each");
            let (fewer, _) = rounds(words, 192, |_| {});
            assert!(fewer < few, "{few} rounds, {fewer} of more programs each");
            let left = left.current();
            let source = left.kernel(Side::Edited, "").source;
            assert!(source.lines().count() < 20, "{source}");
            let constructs = left.constructs().unwrap();
            assert!(constructs.parts.contains("barrier"), "{constructs}: {source}");
        }
    }
}
