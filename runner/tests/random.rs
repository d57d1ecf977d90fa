//! Random programs, well formed by construction, and the checker, which knows nothing of how they are made, agree.

use std::collections::BTreeSet;

use checker::{Checker, Rule, Verdict, diagnostic::Severity};
use generator::random::{
    FEATURES, Kind, Kinds, Mix, Pair, RandomCase, Settings, Share, Shrink, Side, Size,
};
use proptest::strategy::ValueTree as _;
use rayon::prelude::*;
use runner::device::checker::checker_dialect;

/// Fixed, so that a failure here is found again; `address-spaces --random` tries others.
const SEED: u64 = 1;
const PROGRAMS: u64 = 4000;

/// Returns how many of so many programs are made of a size: few huge ones, which have hundreds of lines each.
const fn of_size(programs: u64, size: Size) -> u64 {
    match size {
        Size::Small | Size::Medium | Size::Large => programs,
        Size::Huge => programs.div_ceil(40),
    }
}

#[test]
fn the_checker_agrees_on_random_programs() {
    agrees_on(RandomCase::numbers(PROGRAMS, SEED, Settings::default(), Kinds::Both));
}

#[test]
fn the_checker_takes_programs_that_run() {
    for size in Size::ALL {
        let settings = Settings { size, mix: Mix::default(), ..Settings::default() };
        agrees_on(RandomCase::numbers(of_size(PROGRAMS, size), SEED, settings, Kinds::Run));
    }
}

#[test]
fn the_checker_agrees_on_programs_of_every_size_and_mix() {
    let all = |share| FEATURES.iter().fold(Mix::default(), |mix, row| mix.with(row.feature, share));
    let mixes = [Mix::default(), all(Share::More), all(Share::Without)];
    for (size, mix) in Size::ALL.into_iter().flat_map(|size| mixes.map(|mix| (size, mix))) {
        agrees_on(RandomCase::numbers(
            of_size(PROGRAMS / 10, size),
            SEED,
            Settings { size, mix, ..Settings::default() },
            Kinds::Build,
        ));
    }
    for row in &FEATURES {
        for share in [Share::More, Share::Without] {
            let mix = Mix::default().with(row.feature, share);
            let settings = Settings { mix, ..Settings::default() };
            agrees_on(RandomCase::numbers(PROGRAMS / 40, SEED, settings, Kinds::Build));
        }
    }
}

fn agrees_on(cases: impl Iterator<Item = RandomCase>) {
    let cases: Vec<RandomCase> = cases.collect();
    let disagreements: Vec<String> = cases
        .into_par_iter()
        .flat_map_iter(|case| {
            let pair = case.pair();
            sides(case.kind).iter().filter_map(move |&side| disagreement(&case.id(), &pair, side))
        })
        .collect();
    agreed(&disagreements);
}

/// If any part of a program is removed, the rest is as valid, or breaks the same rule.
#[test]
fn shrinking_never_leaves_the_well_formed_programs() {
    let mut cases: Vec<RandomCase> = Vec::new();
    for size in Size::ALL {
        let settings = Settings { size, mix: Mix::default(), ..Settings::default() };
        cases.extend(RandomCase::numbers(of_size(96, size), SEED, settings, Kinds::Build));
    }
    let disagreements: Vec<String> = cases
        .into_par_iter()
        .flat_map_iter(|case| {
            let mut found = Vec::new();
            let mut tree = Shrink::of(&case);
            // Down a way that keeps every other step, with the nearby programs checked on the way.
            for round in 0..6 {
                let candidates: Vec<Shrink> = tree.candidates().take(24).collect();
                for candidate in &candidates {
                    let pair = candidate.current();
                    found.extend(
                        sides(case.kind)
                            .iter()
                            .filter_map(|&side| disagreement(&case.id(), &pair, side)),
                    );
                }
                match candidates.into_iter().nth(round % 2) {
                    Some(smaller) => tree = smaller,
                    None => break,
                }
            }
            found
        })
        .collect();
    agreed(&disagreements);
}

/// The programs of a pair, which are one where nothing is edited.
fn sides(kind: Kind) -> &'static [Side] {
    if kind == Kind::Valid { &[Side::Edited] } else { &[Side::Control, Side::Edited] }
}

fn agreed(disagreements: &[String]) {
    assert!(
        disagreements.is_empty(),
        "{} disagreements\n{}",
        disagreements.len(),
        one_of_each(disagreements).join("\n")
    );
}

fn one_of_each(all: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut sorted: Vec<&String> = all.iter().collect();
    sorted.sort_by_key(|text| text.len());
    sorted
        .into_iter()
        .filter(|text| {
            let kind = text.split('/').nth(1).unwrap_or_default().to_owned();
            let message = text.lines().nth(1).unwrap_or_default();
            let message = message.split_once(':').map_or("", |(_, rest)| rest);
            let message: String = message.chars().filter(|c| !c.is_ascii_digit()).collect();
            seen.insert((kind.clone(), message.split('`').next().unwrap_or_default().to_owned()))
        })
        .take(25)
        .cloned()
        .collect()
}

fn disagreement(id: &str, pair: &Pair, side: Side) -> Option<String> {
    let kernel = pair.kernel(side, "p_");
    let broken = pair.kind().rule().filter(|_| side == Side::Edited);
    let mut checker = Checker::new(checker_dialect(pair.dialect(), pair.requirements()));
    let report = checker.check("case.cl", &kernel.source);
    let errors = || report.diagnostics.iter().filter(|found| found.severity >= Severity::Error);
    let rules: BTreeSet<&str> =
        errors().map(|found| found.rule.map_or("not understood", Rule::id)).collect();
    let lines: BTreeSet<u32> =
        errors().map(|found| report.sources.position(found.span.start).line).collect();
    let agrees = match broken {
        None => report.verdict == Verdict::Accepted,
        Some(rule) => {
            rules.iter().copied().eq([rule])
                && kernel.guilty_lines.iter().any(|line| lines.contains(line))
        }
    };
    let messages: Vec<String> = errors()
        .map(|found| {
            let line = report.sources.position(found.span.start).line;
            let rule = found.rule.map_or("not understood", Rule::id);
            format!("  {line}: {} [{rule}]", found.message)
        })
        .collect();
    (!agrees).then(|| {
        format!(
            "{}: {side:?}, {:?} expected on lines {:?}\n{}\n{}",
            id,
            broken,
            kernel.guilty_lines,
            messages.join("\n"),
            kernel.source
        )
    })
}
