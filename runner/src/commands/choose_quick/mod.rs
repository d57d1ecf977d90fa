//! `address-spaces dev choose-quick`: the few cases of `--quick`, chosen again.

mod cover;
mod kept;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use generator::{
    suite::{Case, Suite},
    templates::TemplateError,
};
use rayon::prelude::*;
use results::text::plural;

use self::{
    cover::cover,
    kept::{Entries, KeptPart, mutants_kept, preference, side},
};
use super::{
    CommandError,
    mutants::{self, Mutant},
};
use crate::{
    device::checker,
    findings::{causes::KnownCauses, judging::PreparedCase},
    run::quick,
};

/// Writes the list of the cases of `--quick` and returns the changes in words.
pub fn write(suite: &Suite, file: &Path) -> Result<String, CommandError> {
    let before = quick::listed();
    let chosen = chosen(suite, &before)?;
    std::fs::write(file, quick::text(&chosen))
        .map_err(|source| CommandError::File { path: file.display().to_string(), source })?;
    let new = chosen.difference(&before).count();
    let gone = before.difference(&chosen).count();
    let cases = plural(chosen.len(), "case");
    Ok(format!("{cases} in {}, {new} new, {gone} gone\n", file.display()))
}

/// Returns cases that keep each side of every rule, every mutant of the checker that the suite notices, and every
/// baseline entry. Cases listed `before` stay while they keep something that no other does; the others are chosen
/// greedily.
pub fn chosen(suite: &Suite, before: &BTreeSet<String>) -> Result<BTreeSet<String>, CommandError> {
    let known = KnownCauses::read()?;
    let entries = known.entries();
    let entries = Entries::of_suite(&entries);
    let mut cases = suite.all_cases();
    // The points that are selected of a rule need not have them.
    cases.extend(entries.examples().filter_map(|id| suite.case(id).ok()));
    let preferences = cases.into_par_iter().map(|case| Ok((preference(suite, &case)?, case)));
    let mut preferred = preferences.collect::<Result<Vec<_>, TemplateError>>()?;
    preferred.par_sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let mut cases: Vec<Case> = preferred.into_iter().map(|(_, case)| case).collect();
    cases.dedup();
    let mut keeps: Vec<Vec<KeptPart>> = cases
        .par_iter()
        .map(|case| side(suite, case).into_iter().chain(entries.kept_by(&case.id)).collect())
        .collect();
    let of_before = |(_, case): &(usize, &Case)| before.contains(&case.id);
    let before: BTreeSet<usize> =
        cases.iter().enumerate().filter(of_before).map(|(at, _)| at).collect();
    let mutants: Vec<(usize, Mutant)> = mutants::all().into_iter().enumerate().collect();
    let noticed = notice(suite, &cases, &before, &mutants, &mut keeps)?;
    // Few or none: only for these is the whole suite asked.
    let unnoticed: Vec<_> =
        mutants.iter().filter(|(number, _)| !noticed.contains(number)).copied().collect();
    let others = (0..cases.len()).filter(|at| !before.contains(at)).collect();
    notice(suite, &cases, &others, &unnoticed, &mut keeps)?;
    let chosen = cover(&numbered(&keeps), &before);
    let new = chosen.difference(&before).copied().collect();
    let others: Vec<_> =
        mutants.into_iter().filter(|(number, _)| noticed.contains(number)).collect();
    notice(suite, &cases, &new, &others, &mut keeps)?;
    let chosen = cover(&numbered(&keeps), &chosen);
    Ok(chosen.into_iter().map(|at| cases[at].id.clone()).collect())
}

/// Adds the mutants that these cases notice to what they keep, and returns the numbers of these mutants.
fn notice(
    suite: &Suite,
    cases: &[Case],
    asked: &BTreeSet<usize>,
    mutants: &[(usize, Mutant)],
    keeps: &mut [Vec<KeptPart>],
) -> Result<BTreeSet<usize>, CommandError> {
    if mutants.is_empty() {
        return Ok(BTreeSet::new());
    }
    let is_read = |&&at: &&usize| checker::not_read(cases[at].dialect).is_none();
    let asked: Vec<usize> = asked.iter().filter(is_read).copied().collect();
    let prepared = asked.par_iter().map(|&at| PreparedCase::new(suite, cases[at].clone(), true));
    let prepared: Vec<PreparedCase<'_>> = prepared.collect::<Result<_, _>>()?;
    let noticed = mutants_kept(mutants, &prepared);
    for &(place, mutant) in &noticed {
        keeps[asked[place]].push(KeptPart::Mutant(mutant));
    }
    Ok(noticed.into_iter().map(|(_, mutant)| mutant).collect())
}

/// Replaces the kept parts by numbers.
fn numbered(keeps: &[Vec<KeptPart>]) -> Vec<Vec<usize>> {
    let all: BTreeSet<&KeptPart> = keeps.iter().flatten().collect();
    let numbers: BTreeMap<&KeptPart, usize> = all.into_iter().zip(0..).collect();
    keeps.iter().map(|kept| kept.iter().map(|kept| numbers[kept]).collect()).collect()
}
