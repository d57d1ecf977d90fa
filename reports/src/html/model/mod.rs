//! Everything the pages show, counted once.

mod counting;
mod names;
mod rule;
mod run;
mod site;

use expectations::dialect::Dialect;

pub(super) use self::{
    rule::RuleLink,
    run::{Disputed, First, Looks, Remarks, RunModel},
    site::{Compared, Site},
};

/// Dialects of the suite, and one place for whatever else a results file names.
pub(super) const DIALECTS: usize = Dialect::ALL.len() + 1;

/// Cases with remarks that are listed.
pub(super) const REMARKS: usize = 50;

/// Name of the dialect at a place.
pub(super) fn dialect_name(index: usize) -> &'static str {
    Dialect::ALL.get(index).map_or("other", |dialect| dialect.name())
}
