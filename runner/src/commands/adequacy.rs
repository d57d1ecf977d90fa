//! `address-spaces dev adequacy`: how many mistakes of an implementation the suite would detect, measured on mutants of
//! the checker.

use std::fmt::Write as _;

use rayon::prelude::*;

use super::{
    CommandError,
    mutants::{self, EQUIVALENT, Mutant, breaks},
};
use crate::{
    cli::exit,
    findings::judging::PreparedCase,
    output::print,
    overlay,
    run::{plan::CaseFilter, select},
};

/// Number of cases that notice a mutant.
struct Verdicts {
    name: String,
    noticed: usize,
    /// Number of these cases that belong to the mutant's rule; `None` if it belongs to none.
    by_its_rule: Option<usize>,
    example: Option<String>,
}

/// Prints the result of each mutant and returns the exit status.
pub fn adequacy(filter: &CaseFilter) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let selection = select::select(&suite, filter, &[])?;
    let cases = selection.cases.into_par_iter().map(|case| PreparedCase::new(&suite, case, true));
    let cases: Vec<PreparedCase<'_>> = cases.collect::<Result<_, _>>()?;
    let verdicts: Vec<Verdicts> =
        mutants::all().iter().map(|mutant| try_mutant(mutant, &cases)).collect();
    let mut out = String::new();
    let _ = writeln!(out, "{:<58}{:>9}{:>14}  for example", "mutant", "noticed", "by its rule");
    for verdict in &verdicts {
        let by_its_rule = verdict.by_its_rule.map_or("-".to_owned(), |count| count.to_string());
        let example = verdict.example.as_deref().unwrap_or("SURVIVES");
        let _ =
            writeln!(out, "{:<58}{:>9}{by_its_rule:>14}  {example}", verdict.name, verdict.noticed);
    }
    let survivors = verdicts.iter().filter(|v| v.noticed == 0 || v.by_its_rule == Some(0)).count();
    let _ = writeln!(
        out,
        "{} mutants, {survivors} not detected by the rule they belong to",
        verdicts.len()
    );
    for (from, to, why) in EQUIVALENT {
        let _ = writeln!(out, "no mutant: reading {from} as {to}: {why}");
    }
    print(&out);
    Ok(if survivors == 0 { exit::EXPECTED } else { exit::UNEXPECTED })
}

fn try_mutant(mutant: &Mutant, cases: &[PreparedCase<'_>]) -> Verdicts {
    let noticing: Vec<&PreparedCase<'_>> =
        mutant.noticed_by(cases).into_iter().map(|place| &cases[place]).collect();
    let of_its_rule = |rule| noticing.iter().filter(|case| breaks(case, rule)).count();
    Verdicts {
        name: mutant.to_string(),
        noticed: noticing.len(),
        by_its_rule: mutant.rule().map(of_its_rule),
        example: noticing.first().map(|prepared| prepared.id.clone()),
    }
}
