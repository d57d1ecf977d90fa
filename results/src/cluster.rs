//! Deviations of random programs that look alike: a thousand seeds, one finding.

use std::fmt;

use expectations::wrong_values::RemainingConstructs;

/// Deviations that look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Shape of the deviations.
    pub shape: String,
    /// Number of programs.
    pub count: usize,
    /// Number of the smallest program among the cases; of wrong values, of the programs reduced to this shape.
    pub smallest: usize,
    /// Counts of the programs of wrong values by how they were reduced; `None` for other deviations.
    pub reductions: Option<Reductions>,
}

/// The number of programs whose wrong values come from some constructs, by how they were reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reductions {
    /// Number of programs that were reduced to the constructs.
    pub reduced: usize,
    /// Number of programs that are right without one of the constructs.
    pub right_without: usize,
    /// Number of programs that were not reduced to their end and have all of the constructs.
    pub containing: usize,
}

impl Reductions {
    /// Counts a program.
    pub fn add(&mut self, left: Option<&RemainingConstructs>) {
        match left {
            Some(RemainingConstructs::Reduced(_)) => self.reduced += 1,
            Some(RemainingConstructs::RightWithout(_)) => self.right_without += 1,
            Some(RemainingConstructs::Partly(_)) | None => self.containing += 1,
        }
    }
}

/// `6 reduced to it, 12 right without it, 2 not reduced that contain it`
impl fmt::Display for Reductions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reduced, right_without, containing } = *self;
        let counts = [
            (reduced, "reduced to it"),
            (right_without, "right without it"),
            (containing, "not reduced that contain it"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        f.write_str(&parts.join(", "))
    }
}
