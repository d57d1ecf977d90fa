//! `address-spaces dev requirements`: the requirements that rules cover.

use std::fmt::Write as _;

use generator::suite::Suite;
use reports::folding::folded;

use super::CommandError;
use crate::output;

/// Returns the requirements with a text in their id or their sentence, each with the rules that cover it; all where no
/// text is given.
///
/// # Errors
///
/// No requirement has the text.
pub fn requirements(suite: &Suite, word: Option<&str>) -> Result<String, CommandError> {
    let word = word.unwrap_or_default().to_lowercase();
    let catalogue = suite.catalogue();
    let covering = catalogue.covering(suite.rules());
    let mut out = String::new();
    for (id, statement) in catalogue.with_text(&word) {
        let _ = writeln!(out, "{id}\n    {statement}");
        match covering[id].as_slice() {
            [] => out.push_str("    covered by no rule\n"),
            rules => {
                let _ = writeln!(out, "    covered by {}", rules.join(", "));
            }
        }
    }
    if out.is_empty() {
        return Err(CommandError::Selection(format!(
            "no requirement has `{}` in its id or its sentence: `address-spaces dev requirements` prints all",
            word.escape_debug()
        )));
    }
    Ok(folded(&out, output::columns()))
}
