//! `address-spaces dev coverage`: the combinations of axis values that the selected cases have, measured.

use std::fmt::Write as _;

use expectations::dialect::Dialect;
use generator::{points, suite::Suite};
use rayon::prelude::*;

/// Returns the text of `address-spaces dev coverage`. For each rule it gives the number of pairs and triples of values
/// that its points have, and how many of them its cases have, over all dialects. Accepted, rejected and disputed points
/// are counted separately.
pub fn coverage(suite: &Suite) -> String {
    let rows: Vec<String> = suite
        .rules()
        .par_iter()
        .map(|rule| {
            let mut row = format!("{:<44}", rule.id);
            for strength in [2, 3] {
                let (covered, all) = Dialect::ALL
                    .iter()
                    .map(|&dialect| points::coverage(rule, dialect, strength))
                    .fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
                let _ = write!(row, "{:>20}", format!("{covered}/{all}"));
            }
            row
        })
        .collect();
    format!("{:<44}{:>20}{:>20}\n{}\n", "rule", "pairs", "triples", rows.join("\n"))
}
