//! `address-spaces list`: the ids of the selected cases.

use generator::suite::Suite;

use super::CommandError;
use crate::{
    cli::exit,
    output,
    run::{
        plan::{CaseFilter, Programs},
        progress,
        select::{self, SelectError, Selection},
    },
};

/// Prints the id of each case on a line of its own, sorted, as `--exact` takes it; returns the exit status.
pub fn list(suite: &Suite, programs: &Programs, filter: &CaseFilter) -> Result<u8, CommandError> {
    output::may_be_closed();
    output::print(&(ids(suite, programs, filter)?.join("\n") + "\n"));
    Ok(exit::EXPECTED)
}

/// Returns the ids of the cases that match the filter, sorted.
pub fn ids(
    suite: &Suite,
    programs: &Programs,
    filter: &CaseFilter,
) -> Result<Vec<String>, SelectError> {
    let listing = progress::spinner();
    let Selection { cases, random, what_changed, .. } =
        select::select_programs(suite, programs, filter, &[])?;
    let mut ids: Vec<String> = cases.into_iter().map(|case| case.id).collect();
    ids.extend(random.cases().map(|case| case.id()));
    ids.sort_unstable();
    listing.finish_and_clear();
    if let Some(text) = what_changed {
        output::note(&text);
    }
    Ok(ids)
}
