//! Spread of random programs over the rules, from both sides, measured on the checker.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use expectations::{
    case_id::CaseId,
    dialect::Dialect,
    judge::{FindingKind, judge},
    outcome::OutcomeKind,
    space::AddressSpace,
};
use generator::{
    random::{FEATURES, FeatureFacts, Kind, Kinds, RandomCase, Settings, Share, Side},
    suite::Suite,
};
use rayon::prelude::*;

use crate::device::checker;

/// Counts for one kind of program.
#[derive(Clone, Debug, Default)]
struct KindCounts {
    rejected: usize,
    accepted: usize,
    otherwise: usize,
    dialects: BTreeSet<Dialect>,
    shapes: BTreeSet<String>,
}

/// Measurements of one program.
struct ProgramMeasurement {
    case: RandomCase,
    /// The checker accepts the control.
    control: bool,
    /// The checker gives the expected answer for the program.
    edited: bool,
    shape: String,
    /// Whether the program may use each feature.
    features: [bool; FEATURES.len()],
}

/// Returns the page in the manual, on 20,000 programs.
pub fn page(suite: &Suite) -> String {
    spread(suite, 20_000, 1, Settings::default())
}

/// Returns the table of `count` random programs in Markdown.
pub fn spread(suite: &Suite, count: u64, seed: u64, settings: Settings) -> String {
    let cases: Vec<RandomCase> = RandomCase::numbers(count, seed, settings, Kinds::Build).collect();
    let mut table: BTreeMap<String, KindCounts> = Kind::all()
        .into_iter()
        .map(|kind| (kind.rule().unwrap_or(&kind.name()).to_owned(), KindCounts::default()))
        .collect();
    let mut features = [0_usize; FEATURES.len()];
    let measured: Vec<ProgramMeasurement> =
        cases.into_par_iter().map(|case| measure(suite, case)).collect();
    for ProgramMeasurement { case, control, edited, shape, features: has } in measured {
        let name = case.kind.rule().map_or_else(|| case.kind.name(), str::to_owned);
        let reached = table.entry(name).or_default();
        reached.accepted += usize::from(control);
        reached.rejected += usize::from(edited && case.broken_rule().is_some());
        reached.accepted += usize::from(edited && case.broken_rule().is_none());
        reached.otherwise += usize::from(!edited);
        reached.dialects.insert(case.dialect);
        if !shape.is_empty() {
            reached.shapes.insert(shape);
        }
        for (count, has) in features.iter_mut().zip(has) {
            *count += usize::from(has);
        }
    }
    written(&table, &features, count, seed) + &executed(count / 10, seed, settings)
}

/// Returns whether the checker accepts the control and gives the expected answer for the program, and how it was
/// edited.
fn measure(suite: &Suite, case: RandomCase) -> ProgramMeasurement {
    let pair = case.pair();
    let outcome = |side| {
        let id = RandomCase { side, ..case }.id();
        let kernel = pair.kernel(side, &CaseId::new(&id).prefix());
        let outcome = checker::judge(case.dialect, pair.requirements(), &kernel.source);
        (outcome, kernel.guilty_lines)
    };
    let (edited, guilty) = outcome(Side::Edited);
    let control = case.control().map(|_| outcome(Side::Control).0);
    let finding = judge(suite.random_expectation(&case), &guilty, &edited, control.as_ref());
    let accepted = control.is_some_and(|control| control.kind == OutcomeKind::Accepted);
    ProgramMeasurement {
        case,
        control: accepted,
        edited: finding.kind == FindingKind::Pass,
        shape: pair.shape().to_owned(),
        features: FEATURES.map(|row| pair.has(row.feature)),
    }
}

fn written(
    table: &BTreeMap<String, KindCounts>,
    features: &[usize],
    count: u64,
    seed: u64,
) -> String {
    let mut page = format!(
        "# What random programs reach\n\nWritten by `.ci/bless`, measured by `address-spaces dev \
         coverage --random {count} --seed {seed}` on the checker: {count} programs.\n\nEach row is \
         a kind of program. Those named after a rule are valid programs with one edit that breaks \
         it, in this many forms and dialects; the program before the edit is its control. \
         `neutral` programs are edited without a change of meaning, `valid` ones not at all. Every \
         rule that a case of the suite breaks has its row.\n\n| kind | rejected by that rule | \
         accepted | otherwise | forms | dialects |\n|---|---|---|---|---|---|\n"
    );
    for (name, reached) in table {
        let KindCounts { rejected, accepted, otherwise, dialects, shapes } = reached;
        let _ = writeln!(
            page,
            "| `{name}` | {rejected} | {accepted} | {otherwise} | {} | {} |",
            shapes.len(),
            dialects.len()
        );
    }
    page.push_str(
        "\n## What they are made of\n\nEach program may use some of these features and no others, so that a rejection because of one of them hides little else. [`--random-more` and `--random-without`](random-programs.md) change how many.\n\n| feature | programs that may use it | what it is |\n|---|---|---|\n",
    );
    for (row, count) in FEATURES.iter().zip(features) {
        let _ = writeln!(page, "| `{}` | {count} | {} |", row.name, row.summary);
    }
    page
}

/// Returns tables of the parts of the language that `count` programs with a known answer execute, by address space: as
/// they are chosen, and with every feature that executed programs can be asked to have.
fn executed(count: u64, seed: u64, settings: Settings) -> String {
    let asked: Vec<_> = FEATURES.iter().filter(|row| row.is_chosen_for_runs()).collect();
    let (on_request, mixed): (Vec<_>, Vec<_>) = asked.iter().partition(|row| row.is_on_request);
    let names = |rows: Vec<&&FeatureFacts>| {
        rows.iter().map(|row| format!("`{}`", row.name)).collect::<Vec<_>>().join(", ")
    };
    let mix = asked.iter().fold(settings.mix, |mix, row| mix.with(row.feature, Share::More));
    format!(
        "\n## What is executed\n\nThe answer of a program of the kind `run` follows only from the text. Two of three have none of {}; the others have every combination of them in turn, named in their ids. A program has {} only on request. The table counts, of {count} programs, those that use each part of the language on objects in, or pointers into, each space.\n\n{}\nOf {count} programs that may all have these features, this many do:\n\n{}",
        names(mixed),
        names(on_request),
        parts_by_space(count, seed, settings),
        parts_by_space(count, seed, Settings { mix, ..settings })
    )
}

/// Returns the table of one set of programs.
fn parts_by_space(count: u64, seed: u64, settings: Settings) -> String {
    let cases: Vec<RandomCase> = RandomCase::numbers(count, seed, settings, Kinds::Run).collect();
    let of_each: Vec<_> = cases.into_par_iter().map(|case| case.pair().reached()).collect();
    let mut table: BTreeMap<&str, BTreeMap<AddressSpace, usize>> = BTreeMap::new();
    for (what, space) in of_each.into_iter().flatten() {
        *table.entry(what).or_default().entry(space).or_default() += 1;
    }
    let names = AddressSpace::ALL.map(|space| space.facts().name).join(" | ");
    let mut text = format!("| | {names} |\n|---|{}\n", "---|".repeat(AddressSpace::ALL.len()));
    for (what, counts) in table {
        let counts = AddressSpace::ALL.map(|space| match counts.get(&space) {
            Some(count) => count.to_string(),
            None => String::new(),
        });
        let _ = writeln!(text, "| {what} | {} |", counts.join(" | "));
    }
    text
}
