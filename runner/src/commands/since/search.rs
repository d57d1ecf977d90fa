//! The search for the versions between which the answer changes.

/// Returns the answer of each version: `true` or `false` for those that were tested with a result, `None` for the
/// others.
///
/// Both ends and two versions between them are tested; then the middle between two tested versions that differ,
/// until the two are adjacent or none between them knows. `ask` gets the place of a version.
///
/// # Errors
///
/// The first error of `ask` ends the search.
pub(super) fn search<E>(
    versions: usize,
    mut ask: impl FnMut(usize) -> Result<Option<bool>, E>,
) -> Result<Vec<Option<bool>>, E> {
    let mut search = Search { answers: vec![None; versions], asked: vec![false; versions] };
    for places in [(0..versions).collect::<Vec<_>>(), (0..versions).rev().collect()] {
        for place in places {
            if search.ask(place, &mut ask)?.is_some() {
                break;
            }
        }
    }
    for third in [versions / 3, 2 * versions / 3] {
        if third < versions {
            search.ask(third, &mut ask)?;
        }
    }
    while let Some(place) = search.next() {
        search.ask(place, &mut ask)?;
    }
    Ok(search.answers)
}

struct Search {
    answers: Vec<Option<bool>>,
    asked: Vec<bool>,
}

impl Search {
    fn ask<E>(
        &mut self,
        place: usize,
        ask: &mut impl FnMut(usize) -> Result<Option<bool>, E>,
    ) -> Result<Option<bool>, E> {
        if !self.asked[place] {
            self.asked[place] = true;
            self.answers[place] = ask(place)?;
        }
        Ok(self.answers[place])
    }

    /// Returns the version to test next: the middle one of the untested versions between two that differ.
    fn next(&self) -> Option<usize> {
        let known: Vec<(usize, bool)> = self
            .answers
            .iter()
            .enumerate()
            .filter_map(|(at, known)| Some((at, (*known)?)))
            .collect();
        known.windows(2).filter(|pair| pair[0].1 != pair[1].1).find_map(|pair| {
            let between: Vec<usize> =
                (pair[0].0 + 1..pair[1].0).filter(|&place| !self.asked[place]).collect();
            between.get(between.len() / 2).copied()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn searched(truth: &[Option<bool>]) -> (Vec<Option<bool>>, usize) {
        let mut asked = 0;
        let answers = search(truth.len(), |place| {
            asked += 1;
            Ok::<_, Infallible>(truth[place])
        });
        (answers.unwrap(), asked)
    }

    proptest! {
        #[test]
        fn one_change_is_found_with_few_questions(
            versions in 1usize..60, change in 0usize..60, first in any::<bool>(),
        ) {
            let change = change % versions;
            let truth: Vec<Option<bool>> =
                (0..versions).map(|at| Some((at < change) == first)).collect();
            let (answers, asked) = searched(&truth);
            if change > 0 {
                prop_assert_eq!(answers[change - 1], Some(first));
                prop_assert_eq!(answers[change], Some(!first));
            }
            prop_assert!(asked <= 10, "{asked} of {versions}");
        }

        #[test]
        fn every_change_between_answers_is_closed_in(
            truth in proptest::collection::vec(proptest::option::of(any::<bool>()), 0..40),
        ) {
            let (answers, _) = searched(&truth);
            let known: Vec<usize> = (0..truth.len()).filter(|&at| answers[at].is_some()).collect();
            for pair in known.windows(2).filter(|pair| answers[pair[0]] != answers[pair[1]]) {
                // None between them knows.
                prop_assert!(truth[pair[0] + 1..pair[1]].iter().all(Option::is_none));
            }
            for at in known {
                prop_assert_eq!(answers[at], truth[at]);
            }
            prop_assert_eq!(answers.iter().any(Option::is_some), truth.iter().any(Option::is_some));
        }
    }
}
