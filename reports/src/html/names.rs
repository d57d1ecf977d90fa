//! Names of files and anchors: plain, whatever the name of a device or case.

use expectations::case_id::CaseId;
use sha2::{Digest, Sha256};

/// Returns a file name: the name where it is plain, else its plain part and a hash.
pub(super) fn slug(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let is_safe = !name.is_empty()
        && name.len() <= 60
        && name.chars().all(is_plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if is_safe && !is_reserved(name) {
        return name.to_owned();
    }
    let plain: String = name
        .chars()
        .map(|c| c.to_ascii_lowercase())
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        .take(24)
        .collect();
    format!("{plain}-{}", short_hash(name)).trim_start_matches('-').to_owned()
}

/// Whether a name has a meaning in some file system, or in this report.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    matches!(stem, "index" | "con" | "nul" | "aux" | "prn") || name.ends_with('.')
}

/// Returns the anchor of a case on the page of a rule and device: dialect and point as the id has them where these are
/// plain text, else a hash.
pub(super) fn anchor(rule: &str, id: &str) -> String {
    match plain_anchor(rule, id) {
        Some(anchor) => anchor.to_owned(),
        None => format!("case-{}", short_hash(id)),
    }
}

/// Returns the anchor of a case that can be read off the id.
pub(super) fn plain_anchor<'i>(rule: &str, id: &'i str) -> Option<&'i str> {
    let id = CaseId::new(id);
    let behind_rule = id.behind_rule();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/=,._:-".contains(c);
    // Anchors of the pages themselves have no slash.
    let is_plain = behind_rule.contains('/') && behind_rule.chars().all(is_plain);
    // Rules that nobody knows share a page.
    let is_plain = is_plain && behind_rule.len() <= 300 && id.rule() == rule;
    is_plain.then_some(behind_rule)
}

/// Returns twelve hexadecimal digits that depend on the text only.
pub(super) fn short_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(6).fold(String::new(), |mut hash, byte| {
        use std::fmt::Write as _;
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn anchors_are_read_off_the_id_where_that_is_plain() {
        let check = |id: &str, of_it: &str| assert_eq!(anchor("a/b", id), of_it, "{id}");
        check("a/b/cl12/from=x,to=y", "cl12/from=x,to=y");
        check("a/b/cl12/at=x/y", "cl12/at=x/y");
        for id in ["main", "a/b/main", "a/b/cl12/x y", "a/b/cl12/<b>", "a/c/cl12/from=x"] {
            check(id, &format!("case-{}", short_hash(id)));
        }
    }

    proptest! {
        #[test]
        fn every_name_has_a_plain_file_name(name in any::<String>()) {
            let slug = slug(&name);
            prop_assert!(!slug.is_empty() && slug.len() <= 60);
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
            prop_assert!(slug.chars().all(plain), "{}", slug);
            prop_assert!(slug.starts_with(|c: char| c.is_ascii_alphanumeric()));
        }

        #[test]
        fn different_names_have_different_file_names(a in any::<String>(), b in any::<String>()) {
            prop_assert!(a == b || slug(&a) != slug(&b));
        }
    }
}
