//! Laws of baselines, over findings and patterns nobody thought of.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::fmt::Write as _;

use expectations::{
    device::{JudgedCase, compare_with_baseline, load_device},
    judge::{Finding, FindingKind, Reason},
};
use quickcheck::{Arbitrary, Gen, quickcheck};

/// A finding of one of a few cases, so that patterns meet them.
#[derive(Clone, Debug)]
struct Found {
    id: String,
    kind: FindingKind,
}

impl Arbitrary for Found {
    fn arbitrary(g: &mut Gen) -> Self {
        let family = *g.choose(&["conversion", "declaration"]).unwrap();
        let dialect = *g.choose(&["cl12", "cl20"]).unwrap();
        let kind = *g.choose(&FindingKind::ALL).unwrap();
        Self { id: format!("{family}/rule/{dialect}/x={}", u8::arbitrary(g) % 4), kind }
    }
}

/// A pattern over such ids and the finding it explains.
#[derive(Clone, Debug)]
struct Entry {
    pattern: String,
    kind: FindingKind,
}

impl Arbitrary for Entry {
    fn arbitrary(g: &mut Gen) -> Self {
        let patterns = ["*", "conversion/*", "*/cl12/*", "declaration/rule/cl20/x=?", "nothing"];
        let kinds: Vec<FindingKind> =
            FindingKind::ALL.into_iter().filter(|kind| kind.needs_explanation()).collect();
        Self {
            pattern: (*g.choose(&patterns).unwrap()).to_owned(),
            kind: *g.choose(&kinds).unwrap(),
        }
    }
}

fn report(entries: &[Entry], found: &[Found]) -> expectations::device::BaselineReport {
    let mut text =
        "what = \"a device\"\nfront-end = \"clang 15\"\n[device]\ntype = \"checker\"\n".to_owned();
    for Entry { pattern, kind } in entries {
        let _ = write!(
            text,
            "[[deviation]]\ncases = [\"{pattern}\"]\nfindings = [\"{}\"]\nkind = \"driver-bug\"\nreason = \"r\"\n",
            kind.name()
        );
    }
    let device = load_device("x", "x.toml", &text).unwrap();
    let cases: Vec<JudgedCase<'_>> = found
        .iter()
        .map(|found| JudgedCase {
            id: &found.id,
            shape: None,
            finding: Finding { kind: found.kind, reason: Reason::AcceptsInvalid },
        })
        .collect();
    compare_with_baseline(&device.deviations, &cases, |_, _| false)
}

quickcheck! {
    fn what_needs_an_explanation_has_one_or_is_told(entries: Vec<Entry>, found: Vec<Found>) -> bool {
        let report = report(&entries, &found);
        let mut told: Vec<usize> = report.explained.iter().map(|(case, _)| *case).collect();
        told.extend(&report.unexplained);
        told.sort_unstable();
        let needing = (0..found.len()).filter(|&index| found[index].kind.needs_explanation());
        told == needing.collect::<Vec<_>>()
    }

    fn an_entry_is_stale_or_explains_never_both(entries: Vec<Entry>, found: Vec<Found>) -> bool {
        let report = report(&entries, &found);
        report.stale.iter().all(|stale| report.explained.iter().all(|(_, entry)| entry != stale))
    }

    fn one_more_entry_never_leaves_more_unexplained(entries: Vec<Entry>, more: Entry, found: Vec<Found>) -> bool {
        let before = report(&entries, &found).unexplained;
        let after = report(&[entries, vec![more]].concat(), &found).unexplained;
        after.iter().all(|case| before.contains(case))
    }

    fn the_order_of_entries_changes_no_verdict(entries: Vec<Entry>, found: Vec<Found>) -> bool {
        let reversed: Vec<Entry> = entries.iter().rev().cloned().collect();
        report(&entries, &found).unexplained == report(&reversed, &found).unexplained
    }
}
