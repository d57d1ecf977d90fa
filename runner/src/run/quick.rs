//! The few cases of `--quick`, as their list names them.

use std::{collections::BTreeSet, fmt::Write as _};

use generator::suite::{Case, Suite};
use rayon::prelude::*;
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../expectations"]
#[include = "quick.txt"]
struct EmbeddedList;

/// Where the list lies.
pub const PATH: &str = "expectations/quick.txt";

/// What the list begins with.
const HEAD: &str = "# The cases of `--quick`, as `address-spaces choose-quick` wrote them: every rule on both sides, every mutant of
# `adequacy`, every baseline entry.
";

/// The ids in the list.
pub fn listed() -> BTreeSet<String> {
    let name = PATH.rsplit('/').next().unwrap_or(PATH);
    let file = EmbeddedList::get(name);
    let text = file.map(|file| String::from_utf8_lossy(&file.data).into_owned());
    let lines = text.as_deref().unwrap_or_default().lines();
    lines.filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// The text of a list of these.
pub fn text(ids: &BTreeSet<String>) -> String {
    ids.iter().fold(HEAD.to_owned(), |mut text, id| {
        let _ = writeln!(text, "{id}");
        text
    })
}

/// The cases in the list, in the order of their ids. An overlay may have other cases in the place of some.
pub(super) fn cases(suite: &Suite) -> Vec<Case> {
    let ids: Vec<String> = listed().into_iter().collect();
    ids.par_iter().filter_map(|id| suite.case(id).ok()).collect()
}
