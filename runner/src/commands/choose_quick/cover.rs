//! A small set of candidates that covers everything: the greedy cover, without those that turn out to be spare.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
};

/// Returns the numbers of candidates that together cover all that any candidate covers. `covers` lists for each
/// candidate the numbers of the items that it covers; preferred candidates come first.
///
/// Candidates of `before` stay while they cover an item that no other does. The remaining items are covered greedily,
/// by the candidate that covers most of them, and by the first of several.
pub(super) fn cover(covers: &[Vec<usize>], before: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut times = vec![0_usize; covers.iter().flatten().max().map_or(0, |most| most + 1)];
    let mut chosen = before.clone();
    for &covered in before.iter().flat_map(|&candidate| &covers[candidate]) {
        times[covered] += 1;
    }
    // What a candidate adds only shrinks: what is on top and adds as much as it did adds most.
    let mut heap: BinaryHeap<(usize, Reverse<usize>)> =
        covers.iter().enumerate().map(|(at, covered)| (covered.len(), Reverse(at))).collect();
    while let Some((was, Reverse(candidate))) = heap.pop() {
        let adds = covers[candidate].iter().filter(|&&covered| times[covered] == 0).count();
        if adds == 0 {
            continue;
        }
        if adds < was {
            heap.push((adds, Reverse(candidate)));
            continue;
        }
        chosen.insert(candidate);
        for &covered in &covers[candidate] {
            times[covered] += 1;
        }
    }
    for candidate in chosen.clone().into_iter().rev() {
        if covers[candidate].iter().all(|&covered| times[covered] > 1) {
            chosen.remove(&candidate);
            for &covered in &covers[candidate] {
                times[covered] -= 1;
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use quickcheck::quickcheck;

    use super::*;

    /// Candidates of a random test: what each covers, once.
    fn candidates(sets: &[Vec<u8>]) -> Vec<Vec<usize>> {
        let once = |set: &Vec<u8>| set.iter().map(|&covered| usize::from(covered % 16)).collect();
        let once = sets.iter().map(once);
        once.map(|set: BTreeSet<usize>| set.into_iter().collect()).collect()
    }

    fn covered(covers: &[Vec<usize>], chosen: &BTreeSet<usize>) -> BTreeSet<usize> {
        chosen.iter().flat_map(|&candidate| covers[candidate].clone()).collect()
    }

    #[test]
    fn the_candidate_that_covers_most_comes_first() {
        let check = |covers: &[&[usize]], before: &[usize], expected: &[usize]| {
            let covers: Vec<Vec<usize>> = covers.iter().map(|set| set.to_vec()).collect();
            let chosen = cover(&covers, &before.iter().copied().collect());
            assert_eq!(chosen.into_iter().collect::<Vec<_>>(), expected, "{covers:?} {before:?}");
        };
        check(&[&[0], &[0, 1, 2], &[2]], &[], &[1]);
        check(&[&[0, 1], &[0, 1]], &[], &[0]);
        // What was there stays, though another is preferred or would do for several.
        check(&[&[0, 1], &[0, 1]], &[1], &[1]);
        check(&[&[0, 1, 2], &[0, 1], &[2]], &[1, 2], &[1, 2]);
        // Unless it covers nothing that others do not.
        check(&[&[0, 1], &[1], &[2]], &[0, 1], &[0, 2]);
        check(&[], &[], &[]);
    }

    quickcheck! {
        fn everything_is_covered_and_nothing_is_spare(sets: Vec<Vec<u8>>, before: Vec<usize>) -> bool {
            let covers = candidates(&sets);
            let before = before.into_iter().filter(|&at| at < covers.len()).collect();
            let chosen = cover(&covers, &before);
            let all = (0..covers.len()).collect();
            let is_spare = |candidate: &usize| {
                let others = chosen.iter().copied().filter(|other| other != candidate).collect();
                covered(&covers, &others) == covered(&covers, &chosen)
            };
            covered(&covers, &chosen) == covered(&covers, &all) && !chosen.iter().any(is_spare)
        }

        fn what_was_chosen_is_chosen_again(sets: Vec<Vec<u8>>) -> bool {
            let covers = candidates(&sets);
            let chosen = cover(&covers, &BTreeSet::new());
            cover(&covers, &chosen) == chosen
        }

        fn more_candidates_for_the_same_change_nothing(sets: Vec<Vec<u8>>, more: Vec<Vec<u8>>) -> bool {
            let covers = candidates(&sets);
            let chosen = cover(&covers, &BTreeSet::new());
            let known = covered(&covers, &chosen);
            let more = candidates(&more).into_iter().map(|set| {
                set.into_iter().filter(|covered| known.contains(covered)).collect()
            });
            cover(&covers.iter().cloned().chain(more).collect::<Vec<_>>(), &chosen) == chosen
        }
    }
}
