//! Which points of a rule become cases: the full product, or a covering array; and the control of each rejection.

use crate::types;
use expectations::{
    dialect::Dialect,
    rule::{Expectation, Rule},
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A choice on every axis of a rule.
pub type Point = Vec<u16>;

/// A selected point and, for a rejection, its control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The point.
    pub point: Point,
    /// The nearest point that must be accepted, for points that must be rejected.
    pub control: Option<Point>,
}

/// Whether a case of the point exists in the dialect.
pub fn exists(rule: &Rule, point: &[u16], dialect: Dialect) -> bool {
    rule.has_point(point, dialect) && types::known_in(rule, point, dialect)
}

/// Every point of the product, axes in order, the last axis fastest.
pub fn product(rule: &Rule) -> impl Iterator<Item = Point> + '_ {
    let sizes: Vec<u16> = rule.axes.values().map(|values| values.len() as u16).collect();
    let mut next: Option<Point> = sizes.iter().all(|&size| size > 0).then(|| vec![0; sizes.len()]);
    std::iter::from_fn(move || {
        let current = next.take()?;
        let mut following = current.clone();
        for axis in (0..sizes.len()).rev() {
            following[axis] += 1;
            if following[axis] < sizes[axis] {
                next = Some(following);
                break;
            }
            following[axis] = 0;
        }
        Some(current)
    })
}

/// The points of a rule in a dialect, with controls, each point once.
///
/// With a strength `t`, every combination of values on any `t` axes that some point to reject has is had by a
/// selected one, and likewise for points to accept and disputed ones.
pub fn select(rule: &Rule, dialect: Dialect) -> Vec<Selected> {
    let mut classes: [Vec<Point>; 3] = Default::default();
    for point in product(rule).filter(|point| exists(rule, point, dialect)) {
        classes[class(rule.expectation(&point, dialect))].push(point);
    }
    let [accepted, rejected, disputed] = classes;
    let cover = |points: Vec<Point>, chosen: &[Point]| match rule.strength {
        None => points,
        Some(strength) => cover(&points, strength, chosen),
    };
    let rejected = cover(rejected, &[]);
    let controls: Vec<Option<Point>> =
        rejected.iter().map(|point| control(rule, dialect, point)).collect();
    let mut seen: FxHashSet<Point> = FxHashSet::default();
    let mut valid: Vec<Point> =
        controls.iter().flatten().filter(|point| seen.insert((*point).clone())).cloned().collect();
    // Controls are run in any case: the others only add the combinations controls lack.
    let others = cover(accepted, &valid);
    valid.extend(others.into_iter().filter(|point| seen.insert(point.clone())));
    let disputed = cover(disputed, &[]);
    let unjudged_by_control =
        valid.into_iter().chain(disputed).map(|point| Selected { point, control: None });
    let rejected =
        rejected.into_iter().zip(controls).map(|(point, control)| Selected { point, control });
    rejected.chain(unjudged_by_control).collect()
}

fn class(expectation: &Expectation) -> usize {
    match expectation {
        Expectation::Accept => 0,
        Expectation::Reject { .. } => 1,
        Expectation::Disputed { .. } => 2,
    }
}

/// The nearest point to accept, if `point` must be rejected: fewest axes changed, then the first in order.
pub fn control(rule: &Rule, dialect: Dialect, point: &[u16]) -> Option<Point> {
    if !matches!(rule.expectation(point, dialect), Expectation::Reject { .. }) {
        return None;
    }
    let sizes: Vec<u16> = rule.axes.values().map(|values| values.len() as u16).collect();
    (1..=sizes.len()).find_map(|distance| {
        let mut candidate = point.to_vec();
        nearest(rule, dialect, point, &sizes, &mut candidate, 0, distance)
    })
}

/// Try every way of changing exactly `left` axes from `axis` on.
fn nearest(
    rule: &Rule,
    dialect: Dialect,
    point: &[u16],
    sizes: &[u16],
    candidate: &mut Point,
    axis: usize,
    left: usize,
) -> Option<Point> {
    if left == 0 {
        let accepted = exists(rule, candidate, dialect)
            && *rule.expectation(candidate, dialect) == Expectation::Accept;
        return accepted.then(|| candidate.clone());
    }
    for changed in axis..=sizes.len().saturating_sub(left) {
        for value in 0..sizes[changed] {
            if value != point[changed] {
                candidate[changed] = value;
                let found = nearest(rule, dialect, point, sizes, candidate, changed + 1, left - 1);
                if found.is_some() {
                    return found;
                }
            }
        }
        candidate[changed] = point[changed];
    }
    None
}

/// How many axes two points differ in.
pub fn distance(a: &[u16], b: &[u16]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

/// A combination of values on some axes; axes not concerned hold `None`.
type Tuple = Vec<(u16, u16)>;

fn tuples(point: &[u16], strength: usize) -> Vec<Tuple> {
    let mut found = Vec::new();
    let mut tuple = Vec::with_capacity(strength);
    collect_tuples(point, strength, 0, &mut tuple, &mut found);
    found
}

fn collect_tuples(
    point: &[u16],
    strength: usize,
    axis: usize,
    tuple: &mut Tuple,
    found: &mut Vec<Tuple>,
) {
    if tuple.len() == strength {
        found.push(tuple.clone());
        return;
    }
    for next in axis..point.len() {
        tuple.push((next as u16, point[next]));
        collect_tuples(point, strength, next + 1, tuple, found);
        tuple.pop();
    }
}

/// A small subset of `points` that has every `strength`-combination `points` has and `chosen` has not: greedy,
/// with a falling threshold in place of a search for the best, so that the cost stays linear in the number of
/// points.
fn cover(points: &[Point], strength: usize, chosen: &[Point]) -> Vec<Point> {
    let Some(first) = points.first() else { return Vec::new() };
    let strength = strength.min(first.len());
    let mut numbers: FxHashMap<Tuple, u32> = FxHashMap::default();
    let of_point: Vec<Vec<u32>> = points
        .iter()
        .map(|point| {
            let numbered = tuples(point, strength).into_iter().map(|tuple| {
                let next = numbers.len() as u32;
                *numbers.entry(tuple).or_insert(next)
            });
            numbered.collect()
        })
        .collect();
    let mut uncovered = vec![true; numbers.len()];
    for tuple in chosen.iter().flat_map(|point| tuples(point, strength)) {
        if let Some(&number) = numbers.get(&tuple) {
            uncovered[number as usize] = false;
        }
    }
    let mut left = uncovered.iter().filter(|&&is_uncovered| is_uncovered).count();
    let mut chosen = Vec::new();
    let mut threshold = of_point.first().map_or(0, Vec::len);
    // Neighbours in the product share most values: a stride visits distant points first.
    let stride = stride(points.len());
    while left > 0 && threshold > 0 {
        let mut at = 0;
        for _ in 0..points.len() {
            let gain = of_point[at].iter().filter(|&&tuple| uncovered[tuple as usize]).count();
            if gain >= threshold {
                for &tuple in &of_point[at] {
                    uncovered[tuple as usize] = false;
                }
                left -= gain;
                chosen.push(at);
            }
            at = (at + stride) % points.len();
        }
        threshold = if threshold > 4 { threshold * 3 / 4 } else { threshold - 1 };
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|index| points[index].clone()).collect()
}

/// A number near the golden section of `length` that has no divisor in common with it.
fn stride(length: usize) -> usize {
    let gcd = |mut a: usize, mut b: usize| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let near = (length as u64 * 618 / 1000) as usize;
    (near.max(1)..=length.max(1)).find(|&candidate| gcd(candidate, length) == 1).unwrap_or(1)
}

/// Of all combinations that points of a rule in a dialect have, how many the selected ones have.
pub fn coverage(rule: &Rule, dialect: Dialect, strength: usize) -> (usize, usize) {
    let combinations = |points: &mut dyn Iterator<Item = Point>| {
        let mut found: FxHashSet<(usize, Tuple)> = FxHashSet::default();
        for point in points {
            let class = class(rule.expectation(&point, dialect));
            found.extend(
                tuples(&point, strength.min(point.len())).into_iter().map(|tuple| (class, tuple)),
            );
        }
        found.len()
    };
    let all = combinations(&mut product(rule).filter(|point| exists(rule, point, dialect)));
    let covered =
        combinations(&mut select(rule, dialect).into_iter().map(|selected| selected.point));
    (covered, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cover_has_every_combination(
            sizes in prop::collection::vec(1_u16..5, 1..6),
            strength in 1_usize..4,
            keep in prop::collection::vec(any::<bool>(), 64),
        ) {
            let mut points: Vec<Point> = vec![Vec::new()];
            for &size in &sizes {
                points = points
                    .into_iter()
                    .flat_map(|point| (0..size).map(move |value| [point.as_slice(), &[value]].concat()))
                    .collect();
            }
            let points: Vec<Point> =
                points.into_iter().enumerate().filter(|(i, _)| keep[i % keep.len()]).map(|(_, p)| p).collect();
            let strength = strength.min(sizes.len());
            let all = |points: &[Point]| -> FxHashSet<Tuple> {
                points.iter().flat_map(|point| tuples(point, strength)).collect()
            };
            let given: Vec<Point> = points.iter().step_by(3).cloned().collect();
            let chosen = cover(&points, strength, &given);
            prop_assert_eq!(all(&points), all(&[given, chosen.clone()].concat()));
            prop_assert!(chosen.len() <= points.len());
        }
    }

    #[test]
    fn covers_are_much_smaller_than_products() {
        let points: Vec<Point> =
            (0..4096_u16).map(|n| (0..6).map(|axis| n >> (2 * axis) & 3).collect()).collect();
        let chosen = cover(&points, 2, &[]);
        assert!(chosen.len() <= 32, "{}", chosen.len());
    }
}
