//! Programs with wrong values, reduced: which of them are one kind of deviation is told by what is left of them.

use super::random::Reduced;

/// One program of each kind. One whose constructs are all in another shows what the other does; what could not be
/// reduced tells of no kind where another of its shape could be.
pub fn told_apart(mut all: Vec<Reduced>) -> Vec<Reduced> {
    all.sort_by_cached_key(|reduced| {
        let count = reduced.constructs.as_ref().map(generator::random::Constructs::count);
        (reduced.shape.clone(), count.is_none(), count, reduced.edited.len())
    });
    let mut kinds: Vec<Reduced> = Vec::new();
    for reduced in all {
        let is_told = kinds.iter().filter(|kind| kind.shape == reduced.shape).any(|kind| {
            match (&kind.constructs, &reduced.constructs) {
                (Some(fewer), Some(more)) => fewer.are_within(more),
                _ => true,
            }
        });
        if !is_told {
            kinds.push(reduced);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use generator::random::Constructs;

    /// Parts and spaces; `None` of a program that there was no time to reduce.
    type Left<'l> = Option<(&'l [&'l str], &'l [&'l str])>;

    fn kinds(programs: &[Left<'_>]) -> Vec<String> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let reduced = |(number, of): (usize, &Left<'_>)| Reduced {
            id: format!("random/run/cl12/seed={number}"),
            shape: "computes wrong values".to_owned(),
            constructs: of
                .map(|(parts, spaces)| Constructs { parts: owned(parts), spaces: owned(spaces) }),
            control: None,
            edited: String::new(),
        };
        let all = programs.iter().enumerate().map(reduced).collect();
        told_apart(all).iter().map(Reduced::looks).collect()
    }

    #[test]
    fn what_is_left_tells_kinds_apart() {
        let global: &[&str] = &["global"];
        let both: &[&str] = &["global", "local"];
        for (programs, expected) in [
            (
                &[Some((&["barrier"][..], both)), Some((&["max"][..], global))][..],
                &[
                    "computes wrong values: max; global",
                    "computes wrong values: barrier; global, local",
                ][..],
            ),
            // One bug: the second is not as small as it could be.
            (
                &[Some((&["max"], global)), Some((&["max", "switch"], both)), None],
                &["computes wrong values: max; global"],
            ),
            // What is in every program tells of nothing else.
            (
                &[Some((&[], global)), Some((&["max"], global)), Some((&[], global))],
                &["computes wrong values: global", "computes wrong values: max; global"],
            ),
            (&[None, None], &["computes wrong values"]),
        ] {
            assert_eq!(kinds(programs), expected);
        }
    }
}
