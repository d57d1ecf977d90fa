//! `address-spaces adequacy`: how many mistakes of an implementation the suite would notice, measured on mutants of the checker.

use std::fmt::Write as _;

use checker::{Checker, Rule, Verdict};
use expectations::{dialect::Dialect, rule::Expectation};
use rayon::prelude::*;

use super::CommandError;
use crate::{
    cli::exit,
    device::checker::checker_dialect,
    findings::judging::Prepared,
    output::print,
    overlay,
    run::{plan::CaseFilter, select},
};

/// A mistake an implementation could make.
enum Mutant {
    /// A rule is not enforced.
    Without(Rule),
    /// Programs of one dialect are read as another: a gate by version or feature is off.
    ReadAs { from: Dialect, to: Dialect },
    /// One space is taken for another wherever it is written.
    Confuses { space: &'static str, with: &'static str },
}

/// Gates that separate nothing the rules speak of, with the reason: such a mutant is no mistake.
const EQUIVALENT: [(&str, &str, &str); 1] = [(
    "cl20",
    "cl30-generic-globals",
    "with both features 3.0 has the address-space rules of 2.0; what else it makes optional each case asks for itself",
)];

/// What became of a mutant.
struct Verdicts {
    name: String,
    noticed: usize,
    /// Of these, cases of the rule the mutant belongs to; `None` where it belongs to none.
    by_its_rule: Option<usize>,
    example: Option<String>,
}

/// Print what became of each mutant; gives the exit status.
pub fn adequacy(filter: &CaseFilter) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let selection = select::select(&suite, filter)?;
    let cases = selection.cases.into_par_iter().map(|case| Prepared::new(&suite, case, true));
    let cases: Vec<Prepared<'_>> = cases.collect::<Result<_, _>>()?;
    let verdicts: Vec<Verdicts> =
        mutants().iter().map(|mutant| try_mutant(mutant, &cases)).collect();
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
        "{} mutants, {survivors} not noticed by the rule they belong to",
        verdicts.len()
    );
    for (from, to, why) in EQUIVALENT {
        let _ = writeln!(out, "no mutant: reading {from} as {to}: {why}");
    }
    print(&out);
    Ok(if survivors == 0 { exit::EXPECTED } else { exit::UNEXPECTED })
}

fn mutants() -> Vec<Mutant> {
    let mut mutants: Vec<Mutant> = Rule::ALL.iter().map(|&rule| Mutant::Without(rule)).collect();
    let all = Dialect::OPENCL_C;
    let gates = all.iter().flat_map(|&from| all.iter().map(move |&to| (from, to)));
    // Two dialects that differ in one step: the next version, or one feature.
    mutants.extend(
        gates
            .filter(|&(from, to)| steps(from, to) == 1 && !is_equivalent(from, to))
            .map(|(from, to)| Mutant::ReadAs { from, to }),
    );
    let spaces = ["global", "local", "constant", "private"];
    mutants.extend(spaces.iter().flat_map(|&space| {
        spaces
            .iter()
            .filter(move |&&with| with != space)
            .map(move |&with| Mutant::Confuses { space, with })
    }));
    mutants
}

fn is_equivalent(from: Dialect, to: Dialect) -> bool {
    EQUIVALENT.iter().any(|(a, b, _)| (*a, *b) == (from.name(), to.name()))
}

/// How many versions and features lie between two dialects.
fn steps(from: Dialect, to: Dialect) -> usize {
    if from.version == to.version {
        return usize::from(from.generic != to.generic)
            + usize::from(from.program_scope_globals != to.program_scope_globals);
    }
    let versions = (from.version as usize).abs_diff(to.version as usize);
    // Between 2.0 and 3.0 the features stay.
    let features = from.version >= expectations::dialect::Version::V2_0
        && to.version >= expectations::dialect::Version::V2_0
        && (from.generic, from.program_scope_globals) != (to.generic, to.program_scope_globals);
    versions + usize::from(features)
}

fn try_mutant(mutant: &Mutant, cases: &[Prepared<'_>]) -> Verdicts {
    let noticing: Vec<&Prepared<'_>> = cases
        .par_iter()
        .filter(|prepared| concerned(mutant, prepared))
        .map_init(
            || None,
            |checker: &mut Option<(checker::Dialect, Checker)>, prepared| {
                let dialect = read_as(mutant, prepared);
                let checker = match checker {
                    Some((same, checker)) if *same == dialect => checker,
                    _ => &mut checker.insert((dialect, mutated(mutant, dialect))).1,
                };
                let accepted =
                    checker.check("case.cl", &prepared.kernel.source).verdict == Verdict::Accepted;
                (prepared, accepted)
            },
        )
        .filter(|(prepared, accepted)| *accepted != (*prepared.expectation == Expectation::Accept))
        .map(|(prepared, _)| prepared)
        .collect();
    let own = |rule: Rule| {
        let breaks = |prepared: &&&Prepared<'_>| matches!(prepared.expectation, Expectation::Reject { breaks } if breaks == rule.id());
        noticing.iter().filter(breaks).count()
    };
    Verdicts {
        name: name(mutant),
        noticed: noticing.len(),
        by_its_rule: if let Mutant::Without(rule) = mutant { Some(own(*rule)) } else { None },
        example: noticing.first().map(|prepared| prepared.id.clone()),
    }
}

/// Disputed cases notice nothing; taking a rule away changes nothing for programs to accept.
fn concerned(mutant: &Mutant, prepared: &Prepared<'_>) -> bool {
    match (mutant, prepared.expectation) {
        (_, Expectation::Disputed { .. }) | (Mutant::Without(_), Expectation::Accept) => false,
        (Mutant::ReadAs { from, .. }, _) => prepared.dialect == *from,
        _ => true,
    }
}

fn read_as(mutant: &Mutant, prepared: &Prepared<'_>) -> checker::Dialect {
    let dialect = if let Mutant::ReadAs { to, .. } = mutant { *to } else { prepared.dialect };
    checker_dialect(dialect, &prepared.requirements)
}

fn mutated(mutant: &Mutant, dialect: checker::Dialect) -> Checker {
    let checker = Checker::new(dialect);
    match mutant {
        Mutant::Without(rule) => checker.without(*rule),
        Mutant::ReadAs { .. } => checker,
        Mutant::Confuses { space, with } => {
            [format!("{space}=__{with}"), format!("__{space}=__{with}")].iter().fold(
                checker,
                |checker, definition| {
                    checker.define(definition).expect("the definitions are fixed")
                },
            )
        }
    }
}

fn name(mutant: &Mutant) -> String {
    match mutant {
        Mutant::Without(rule) => format!("does not enforce {}", rule.id()),
        Mutant::ReadAs { from, to } => format!("reads {from} as {to}"),
        Mutant::Confuses { space, with } => format!("takes {space} for {with}"),
    }
}
