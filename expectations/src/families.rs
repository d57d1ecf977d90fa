//! Subjects of the families of rules.

use std::collections::BTreeMap;

use toml::Spanned;

use crate::{
    load::{FileError, from_toml, place},
    predicate::suggestion,
    rule::Rule,
};

/// The table that ships with the suite.
pub const FAMILIES: &str = include_str!("../families.toml");
/// Path of the table, for messages.
pub const FAMILIES_PATH: &str = "expectations/families.toml";

/// Returns the subject of each family that ships with the suite; families of an overlay have no line.
pub fn shipped() -> Result<BTreeMap<String, String>, FileError> {
    from_toml(FAMILIES_PATH, FAMILIES)
}

/// Reads a table that has one sentence for every family of `rules`, and for no other.
pub fn load_families(
    path: &str,
    text: &str,
    rules: &[Rule],
) -> Result<BTreeMap<String, String>, FileError> {
    let table: BTreeMap<Spanned<String>, String> = from_toml(path, text)?;
    let known: Vec<&str> = rules.iter().map(Rule::family).collect();
    for name in table.keys() {
        if !known.contains(&name.get_ref().as_str()) {
            let hint = suggestion(name.get_ref(), &known);
            let message = format!("`{}` is not a family of rules{hint}", name.get_ref());
            return Err(place(path, text, name.span().start, message));
        }
    }
    let families: BTreeMap<String, String> =
        table.into_iter().map(|(name, about)| (name.into_inner(), about)).collect();
    for family in known {
        if !families.contains_key(family) {
            let message = format!("say in one line what `{family}` is about: {family} = \"...\"");
            return Err(place(path, text, text.len(), message));
        }
    }
    Ok(families)
}
