//! Suggestions for misspelled names.

/// Returns the known name that is most like `name`, if one is like it; of equals the first in alphabetical order.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // Short names have many similar names, and long ones take long to compare.
    let length = name.len();
    if !(2..=64).contains(&length) {
        return None;
    }
    let allowed = 1.max(length / 4);
    known
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(length) <= allowed)
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_names_are_not() {
        let known = ["sum", "count", "accumulator", "x"];
        for (name, meant) in [
            ("sun", Some("sum")),
            ("coutn", Some("count")),
            ("acumulatro", Some("accumulator")),
            ("total", None),
            ("y", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), meant, "{name}");
        }
    }
}
