//! Laws of baselines, over random findings and patterns.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::fmt::Write as _;

use expectations::{
    baseline::{JudgedCase, compare_with_baseline},
    device::load_device,
    dialect::Dialect,
    judge::{Finding, FindingKind, Reason},
    outcome::Phase,
    verdict::Verdict,
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

/// An id of a case, in its parts: family, rule, dialect, and axes with their values.
#[derive(Clone, Debug)]
struct Id(Vec<String>);

impl Arbitrary for Id {
    fn arbitrary(g: &mut Gen) -> Self {
        let word = |g: &mut Gen| {
            let length = 1 + usize::arbitrary(g) % 6;
            let letters: Vec<char> = ('a'..='z').chain(['-', '0', '9']).collect();
            (0..length).map(|_| *g.choose(&letters).unwrap()).collect::<String>()
        };
        let dialect = g.choose(&Dialect::ALL).unwrap().name().to_owned();
        let axes: Vec<String> =
            (0..=usize::arbitrary(g) % 3).map(|_| format!("{}={}", word(g), word(g))).collect();
        Self(vec![word(g), word(g), dialect, axes.join(",")])
    }
}

impl Id {
    fn text(&self) -> String {
        self.0.join("/")
    }

    /// The same id with some of its parts as `*`.
    fn pattern(&self, hidden: u8) -> String {
        let part = |(index, part): (usize, &String)| {
            if hidden >> index & 1 == 1 { "*".to_owned() } else { part.clone() }
        };
        self.0.iter().enumerate().map(part).collect::<Vec<_>>().join("/")
    }
}

/// Whether an entry for this pattern explains a finding of the case.
fn explains(pattern: &str, id: &str) -> bool {
    let entries = [Entry { pattern: pattern.to_owned(), kind: FindingKind::Fail }];
    let report = report(&entries, &[Found { id: id.to_owned(), kind: FindingKind::Fail }]);
    report.explained == [(0, 0)]
}

fn report(entries: &[Entry], found: &[Found]) -> expectations::baseline::BaselineReport {
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
            verdict: Verdict::Reject,
            finding: Finding { kind: found.kind, reason: Reason::AcceptsInvalid },
            reached: Phase::Build,
            broken: None,
        })
        .collect();
    compare_with_baseline(&device.deviations, &cases, |_, _| false)
}

quickcheck! {
    fn what_needs_an_explanation_has_one_or_is_told(entries: Vec<Entry>, found: Vec<Found>) -> bool {
        let report = report(&entries, &found);
        let mut told: Vec<usize> = report.explained.iter().map(|(case, _)| *case).collect();
        told.extend(&report.unexpected);
        told.sort_unstable();
        let needing = (0..found.len()).filter(|&index| found[index].kind.needs_explanation());
        told == needing.collect::<Vec<_>>()
    }

    fn an_entry_is_stale_or_explains_never_both(entries: Vec<Entry>, found: Vec<Found>) -> bool {
        let report = report(&entries, &found);
        report.stale.iter().all(|stale| report.explained.iter().all(|(_, entry)| entry != stale))
    }

    fn one_more_entry_never_leaves_more_unexpected(entries: Vec<Entry>, more: Entry, found: Vec<Found>) -> bool {
        let before = report(&entries, &found).unexpected;
        let after = report(&[entries, vec![more]].concat(), &found).unexpected;
        after.iter().all(|case| before.contains(case))
    }

    fn the_order_of_entries_changes_no_verdict(entries: Vec<Entry>, found: Vec<Found>) -> bool {
        let reversed: Vec<Entry> = entries.iter().rev().cloned().collect();
        report(&entries, &found).unexpected == report(&reversed, &found).unexpected
    }

    fn a_pattern_made_of_an_id_matches_it(id: Id, hidden: u8) -> bool {
        explains(&id.pattern(hidden), &id.text())
    }

    fn a_part_of_an_id_may_begin_or_end_with_a_star(id: Id, at: u8) -> bool {
        let text = id.text();
        let (head, tail) = text.split_at(usize::from(at) % text.len());
        [format!("{head}*"), format!("*{tail}"), format!("{head}*{tail}")]
            .iter()
            .all(|pattern| explains(pattern, &text))
    }

    fn a_pattern_that_names_a_dialect_speaks_of_no_other(id: Id, hidden: u8) -> bool {
        let pattern = id.pattern(hidden & !0b100);
        let is_version =
            pattern.contains('*') && Dialect::PLAIN.iter().any(|plain| plain.name() == id.0[2]);
        Dialect::ALL.iter().all(|dialect| {
            let mut other = id.clone();
            dialect.name().clone_into(&mut other.0[2]);
            let is_variant = is_version && other.0[2].starts_with(&format!("{}-", id.0[2]));
            explains(&pattern, &other.text()) == (is_variant || other.0[2] == id.0[2])
        })
    }

    fn what_is_written_out_matches_nothing_else(id: Id, other: Id) -> bool {
        explains(&id.text(), &other.text()) == (id.text() == other.text())
    }

    fn what_explains_nothing_leaves_the_finding_to_be_told(id: Id, pattern: Id) -> bool {
        let entries = [Entry { pattern: pattern.text(), kind: FindingKind::Fail }];
        let found = [Found { id: id.text(), kind: FindingKind::Fail }];
        let report = report(&entries, &found);
        (report.unexpected == [0]) != explains(&pattern.text(), &id.text())
    }
}
