//! The few cases of `--quick`, as their list names them.

use std::{collections::BTreeSet, fmt::Write as _};

use generator::suite::{Case, Suite};
use rayon::prelude::*;

const LIST: &str = include_str!("../../../expectations/quick.txt");

/// Path of the list.
pub const PATH: &str = "expectations/quick.txt";

/// Beginning of the list.
const HEAD: &str = "# The cases of `--quick`, as `address-spaces dev choose-quick` wrote them: every rule on both sides, every mutant of
# `adequacy`, every baseline entry.
";

/// Returns the ids in the list.
pub fn listed() -> BTreeSet<String> {
    LIST.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// Returns the text of a list of these ids.
pub fn text(ids: &BTreeSet<String>) -> String {
    ids.iter().fold(HEAD.to_owned(), |mut text, id| {
        let _ = writeln!(text, "{id}");
        text
    })
}

/// Returns the cases in the list, in the order of their ids. An overlay may replace some cases by others.
pub(super) fn cases(suite: &Suite) -> Vec<Case> {
    let ids: Vec<String> = listed().into_iter().collect();
    ids.par_iter().filter_map(|id| suite.case(id).ok()).collect()
}
