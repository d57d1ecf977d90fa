//! Selection of the points of a rule that become cases, as the full product or a covering array, and the control of
//! each rejection.

use crate::types;
use expectations::{
    dialect::Dialect,
    rule::{Expectation, Rule},
};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// A choice on every axis of a rule.
pub type Point = Vec<u16>;

/// A selected point and, for a rejection, its control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedPoint {
    pub point: Point,
    /// The nearest point that must be accepted, for points that must be rejected.
    pub control: Option<Point>,
}

/// Whether a case of the point exists in the dialect.
pub fn exists(rule: &Rule, point: &[u16], dialect: Dialect) -> bool {
    rule.has_point(point, dialect) && types::known_in(rule, point, dialect)
}

/// Every choice of a value on each axis: numbered, the last axis fastest.
#[derive(Clone, Debug)]
struct Product {
    sizes: Vec<u16>,
}

impl Product {
    fn of(rule: &Rule) -> Self {
        Self { sizes: rule.axes.values().map(|values| values.len() as u16).collect() }
    }

    fn numbers(&self) -> Range<u32> {
        0..self.sizes.iter().map(|&size| u32::from(size)).product()
    }

    fn point(&self, mut number: u32) -> Point {
        let mut point = vec![0; self.sizes.len()];
        for (value, &size) in point.iter_mut().zip(&self.sizes).rev() {
            *value = (number % u32::from(size)) as u16;
            number /= u32::from(size);
        }
        point
    }

    fn number(&self, point: &[u16]) -> u32 {
        let digits = point.iter().zip(&self.sizes);
        digits.fold(0, |number, (&value, &size)| number * u32::from(size) + u32::from(value))
    }
}

/// Class of a point by the expectation of its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    Accepted,
    Rejected,
    Disputed,
    /// The point has no case.
    Absent,
}

impl Class {
    fn of(rule: &Rule, point: &[u16], dialect: Dialect) -> Self {
        if !exists(rule, point, dialect) {
            return Self::Absent;
        }
        match rule.expectation(point, dialect) {
            Expectation::Accept => Self::Accepted,
            Expectation::Reject { .. } => Self::Rejected,
            Expectation::Disputed { .. } => Self::Disputed,
        }
    }
}

/// Class of every point of a rule in a dialect. The selection of points depends on nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Classes(Vec<Class>);

impl Classes {
    pub(crate) fn of(rule: &Rule, dialect: Dialect) -> Self {
        let product = Product::of(rule);
        let class = |number| Class::of(rule, &product.point(number), dialect);
        Self(product.numbers().map(class).collect())
    }

    fn points(&self, class: Class) -> Vec<u32> {
        (0..).zip(&self.0).filter(|(_, of_point)| **of_point == class).map(|(at, _)| at).collect()
    }
}

/// Returns the selected points of a rule with these classes, with controls, each point once.
///
/// With a strength `t`, every combination of values on any `t` axes that occurs in a rejected point occurs in
/// a selected one, and likewise for accepted and disputed points.
pub(crate) fn select(rule: &Rule, classes: &Classes) -> Vec<SelectedPoint> {
    let product = Product::of(rule);
    let cover = |class: Class, chosen: &[u32]| {
        let points = classes.points(class);
        match rule.strength {
            None => points,
            Some(strength) => cover(&product, &points, strength, chosen),
        }
    };
    let is_accepted = |point: &[u16]| classes.0[product.number(point) as usize] == Class::Accepted;
    let rejected = cover(Class::Rejected, &[]).into_iter().map(|number| {
        let point = product.point(number);
        let control = nearest_where(&product, &point, &is_accepted);
        SelectedPoint { point, control }
    });
    let rejected: Vec<SelectedPoint> = rejected.collect();
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let controls = rejected.iter().filter_map(|selected| selected.control.as_deref());
    let controls = controls.map(|control| product.number(control));
    let mut valid: Vec<u32> = controls.filter(|&number| seen.insert(number)).collect();
    // Controls are run in any case: the others only add the combinations controls lack.
    let others = cover(Class::Accepted, &valid);
    valid.extend(others.into_iter().filter(|&number| seen.insert(number)));
    let disputed = cover(Class::Disputed, &[]);
    let unjudged_by_control = valid.into_iter().chain(disputed);
    let unjudged_by_control = unjudged_by_control
        .map(|number| SelectedPoint { point: product.point(number), control: None });
    rejected.into_iter().chain(unjudged_by_control).collect()
}

/// Returns the nearest point to accept, if `point` must be rejected: the one with the fewest changed axes, then the
/// first in order.
pub fn control(rule: &Rule, dialect: Dialect, point: &[u16]) -> Option<Point> {
    if !matches!(rule.expectation(point, dialect), Expectation::Reject { .. }) {
        return None;
    }
    let is_accepted = |point: &[u16]| Class::of(rule, point, dialect) == Class::Accepted;
    nearest_where(&Product::of(rule), point, &is_accepted)
}

fn nearest_where(
    product: &Product,
    point: &[u16],
    holds: &dyn Fn(&[u16]) -> bool,
) -> Option<Point> {
    (1..=point.len()).find_map(|distance| {
        nearest(&product.sizes, point, holds, &mut point.to_vec(), 0, distance)
    })
}

/// Tries every way of changing exactly `left` axes from `axis` on.
fn nearest(
    sizes: &[u16],
    point: &[u16],
    holds: &dyn Fn(&[u16]) -> bool,
    candidate: &mut Point,
    axis: usize,
    left: usize,
) -> Option<Point> {
    if left == 0 {
        return holds(candidate).then(|| candidate.clone());
    }
    for changed in axis..=sizes.len().saturating_sub(left) {
        for value in 0..sizes[changed] {
            if value != point[changed] {
                candidate[changed] = value;
                let found = nearest(sizes, point, holds, candidate, changed + 1, left - 1);
                if found.is_some() {
                    return found;
                }
            }
        }
        candidate[changed] = point[changed];
    }
    None
}

/// Returns the number of axes in which two points differ.
pub fn distance(a: &[u16], b: &[u16]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

/// The combinations of values on a number of axes, numbered.
struct Combinations {
    /// For each choice of axes where its numbers begin, and by how much a value on each of the axes counts.
    of_axes: Vec<(u32, Vec<(usize, u32)>)>,
    count: u32,
}

impl Combinations {
    fn new(product: &Product, strength: usize) -> Self {
        let mut all = Self { of_axes: Vec::new(), count: 0 };
        all.add(&product.sizes, strength.min(product.sizes.len()), 0, &mut Vec::new());
        all
    }

    fn add(&mut self, sizes: &[u16], strength: usize, from: usize, chosen: &mut Vec<usize>) {
        if chosen.len() == strength {
            let mut count = 1;
            let weight = |&axis: &usize| {
                let weight = count;
                count *= u32::from(sizes[axis]);
                (axis, weight)
            };
            let weights = chosen.iter().map(weight).collect();
            self.of_axes.push((self.count, weights));
            self.count += count;
            return;
        }
        for next in from..sizes.len() {
            chosen.push(next);
            self.add(sizes, strength, next + 1, chosen);
            chosen.pop();
        }
    }

    /// Returns the numbers of the combinations that a point has, one for each choice of axes.
    fn of<'c>(&'c self, point: &'c [u16]) -> impl Iterator<Item = u32> + 'c {
        self.of_axes.iter().map(|(begin, weights)| {
            weights
                .iter()
                .fold(*begin, |number, &(axis, weight)| number + u32::from(point[axis]) * weight)
        })
    }
}

/// Returns a small subset of `points` that has every `strength`-combination which `points` has and `chosen` has not.
/// The search is greedy with a falling threshold instead of a search for the best point, which keeps the cost linear in
/// the number of points.
fn cover(product: &Product, points: &[u32], strength: usize, chosen: &[u32]) -> Vec<u32> {
    let combinations = Combinations::new(product, strength);
    let per_point = combinations.of_axes.len();
    let mut of_points: Vec<u32> = Vec::with_capacity(points.len() * per_point);
    for &number in points {
        of_points.extend(combinations.of(&product.point(number)));
    }
    let of_point = |at: usize| &of_points[at * per_point..(at + 1) * per_point];
    let mut uncovered = vec![false; combinations.count as usize];
    for &combination in &of_points {
        uncovered[combination as usize] = true;
    }
    for &number in chosen {
        for combination in combinations.of(&product.point(number)) {
            uncovered[combination as usize] = false;
        }
    }
    let mut left = uncovered.iter().filter(|&&is_uncovered| is_uncovered).count();
    let mut chosen = Vec::new();
    let mut threshold = if points.is_empty() { 0 } else { per_point };
    // Neighbours in the product share most values: a stride visits distant points first.
    let stride = stride(points.len());
    while left > 0 && threshold > 0 {
        let mut at = 0;
        for _ in 0..points.len() {
            let is_uncovered = |combination: &&u32| uncovered[**combination as usize];
            let gain = of_point(at).iter().filter(is_uncovered).count();
            if gain >= threshold {
                for &combination in of_point(at) {
                    uncovered[combination as usize] = false;
                }
                left -= gain;
                chosen.push(at);
            }
            at = (at + stride) % points.len();
        }
        threshold = if threshold > 4 { threshold * 3 / 4 } else { threshold - 1 };
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|at| points[at]).collect()
}

/// Returns a number near the golden section of `length` that has no divisor in common with it.
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

/// Returns how many combinations the selected points of a rule in a dialect have, and how many all of its points have.
pub fn coverage(rule: &Rule, dialect: Dialect, strength: usize) -> (usize, usize) {
    let product = Product::of(rule);
    let combinations = Combinations::new(&product, strength);
    let classes = Classes::of(rule, dialect);
    let count = |points: &mut dyn Iterator<Item = Point>| {
        let mut found: FxHashSet<(Class, u32)> = FxHashSet::default();
        for point in points {
            let class = classes.0[product.number(&point) as usize];
            found.extend(combinations.of(&point).map(|combination| (class, combination)));
        }
        found.len()
    };
    let is_there = |number: &u32| classes.0[*number as usize] != Class::Absent;
    let numbers = product.numbers().filter(is_there);
    let all = count(&mut numbers.map(|number| product.point(number)));
    let selected = select(rule, &classes).into_iter();
    let covered = count(&mut selected.map(|selected| selected.point));
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
            let product = Product { sizes };
            let is_kept = |number: &u32| keep[*number as usize % keep.len()];
            let points: Vec<u32> = product.numbers().filter(is_kept).collect();
            let combinations = Combinations::new(&product, strength);
            let all = |points: &[u32]| -> FxHashSet<u32> {
                let of = |&number: &u32| combinations.of(&product.point(number)).collect::<Vec<_>>();
                points.iter().flat_map(of).collect()
            };
            let given: Vec<u32> = points.iter().step_by(3).copied().collect();
            let chosen = cover(&product, &points, strength, &given);
            prop_assert_eq!(all(&points), all(&[given, chosen.clone()].concat()));
            prop_assert!(chosen.len() <= points.len());
        }

        #[test]
        fn points_are_numbered_in_order(sizes in prop::collection::vec(1_u16..5, 0..6)) {
            let product = Product { sizes };
            let points: Vec<Point> = product.numbers().map(|number| product.point(number)).collect();
            prop_assert!(points.is_sorted());
            for (number, point) in (0..).zip(&points) {
                prop_assert_eq!(product.number(point), number);
            }
        }

        #[test]
        fn combinations_have_a_number_each(sizes in prop::collection::vec(1_u16..4, 1..5), strength in 1_usize..4) {
            let product = Product { sizes };
            let combinations = Combinations::new(&product, strength);
            let strength = strength.min(product.sizes.len());
            let mut found = FxHashSet::default();
            let mut numbers = FxHashSet::default();
            for point in product.numbers().map(|number| product.point(number)) {
                for ((_, axes), number) in combinations.of_axes.iter().zip(combinations.of(&point)) {
                    found.insert(axes.iter().map(|&(axis, _)| (axis, point[axis])).collect::<Vec<_>>());
                    numbers.insert(number);
                    prop_assert_eq!(axes.len(), strength);
                }
            }
            prop_assert_eq!(found.len(), numbers.len());
            prop_assert_eq!(numbers.len(), combinations.count as usize);
        }
    }

    #[test]
    fn covers_are_much_smaller_than_products() {
        let product = Product { sizes: vec![4; 6] };
        let points: Vec<u32> = product.numbers().collect();
        let chosen = cover(&product, &points, 2, &[]);
        assert!(chosen.len() <= 32, "{}", chosen.len());
    }
}
