//! Baselines: files of entries, and the comparison of runs with them.

mod compare;
mod entry;
mod file;
mod index;

pub use compare::{Baseline, BaselineReport, compare_with_baseline, is_explained};
pub use entry::{
    Coverage, Deviation, DeviationKind, Explanation, JudgedCase, Part, Program, RunPart, resolve,
    rules_of_conditions,
};
pub(crate) use file::{LineCounter, Owner, RawDeviation, deviation, dialect};
pub use file::{case_pattern, load_front_end};
pub use index::PatternIndex;
