//! The content of all pages, counted once.

mod counting;
mod names;
mod rule;
mod run;
mod site;

use expectations::dialect::Dialect;

pub(super) use self::{
    rule::RuleLink,
    run::{First, Looks, Readings, Remarks, RunView},
    site::{ComparedRuns, Site},
};

/// Number of dialects of the suite, and one for ids with another dialect.
pub(super) const DIALECTS: usize = Dialect::ALL.len() + 1;

/// Number of cases with remarks that are listed.
pub(super) const REMARKS: usize = 50;

/// Returns the name of the dialect with an index.
pub(super) fn dialect_name(index: usize) -> &'static str {
    Dialect::ALL.get(index).map_or("other", |dialect| dialect.name())
}
