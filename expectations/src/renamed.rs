//! Rules that had another name: their former names are still understood.

use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::case_id::CaseId;

/// The table that ships with the suite.
const RENAMED: &str = include_str!("../renamed.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Old rule to new rule, each `family/name`.
    rules: BTreeMap<String, String>,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(RENAMED).expect("a test reads the table that ships"));

/// Returns every former name with the current one.
pub fn rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.rules.iter().map(|(old, new)| (old.as_str(), new.as_str()))
}

/// Returns the current id of a rule or case.
pub fn current(id: &str) -> Cow<'_, str> {
    let (rule, rest) = id.split_at(CaseId::new(id).rule().len());
    match TABLE.rules.get(rule) {
        Some(new) => Cow::Owned(format!("{new}{rest}")),
        None => Cow::Borrowed(id),
    }
}

/// Returns the former id of a rule or case, if it had another one.
pub fn former(id: &str) -> Option<String> {
    let (rule, rest) = id.split_at(CaseId::new(id).rule().len());
    let (old, _) = rules().find(|(_, new)| *new == rule)?;
    Some(format!("{old}{rest}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_of_renamed_rules_lead_to_todays() {
        for (old, new) in [
            ("run/barrier", "execution/barrier"),
            ("run/barrier/cl12/flags=local", "execution/barrier/cl12/flags=local"),
            ("code/null-pointer/cl30/a=b/c", "codegen/null-pointer-conversions/cl30/a=b/c"),
            ("runtime/null-pointers/cl12/", "codegen/null-pointer-tests/cl12/"),
        ] {
            assert_eq!(current(old), new);
            assert_eq!(former(new).as_deref(), Some(old));
        }
        for id in ["conversion/implicit/cl12/from=local,to=global", "run", "run/barriers", "", "//"]
        {
            assert_eq!(current(id), id);
            assert_eq!(former(id), None);
        }
    }

    #[test]
    fn every_name_leads_to_one_other() {
        let new: BTreeSet<&str> = rules().map(|(_, new)| new).collect();
        assert_eq!(new.len(), rules().count(), "two rules became one");
        assert!(rules().all(|(old, _)| !new.contains(old)), "a name that is taken again");
    }

    quickcheck::quickcheck! {
        fn any_text_is_answered(id: String) -> bool {
            current(&current(&id)) == current(&id)
        }
    }
}
