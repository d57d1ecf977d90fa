//! `address-spaces explain`: a rule with its clauses, axes and verdicts per dialect.

use std::fmt::Write as _;

use expectations::{copies::Copies, dialect::Dialect, rule::Expectation};
use generator::suite::Suite;
use reports::folding::folded;

use super::{CommandError, contents};
use crate::{output, specification::clause};

/// Returns the text of `address-spaces explain`: the families, the rules of a family, or a rule.
pub fn explain(suite: &Suite, id: Option<&str>, copies: &Copies) -> Result<String, CommandError> {
    let Some(id) = id else { return contents::families(suite) };
    match suite.rule_place(id) {
        Some(index) => Ok(folded(&rule(suite, index, copies), output::columns())),
        None => contents::rules_of(suite, id).ok_or_else(|| contents::no_such_rule(suite, id)),
    }
}

fn rule(suite: &Suite, index: usize, copies: &Copies) -> String {
    let rule = &suite.rules()[index];
    let mut out = String::new();
    let _ = writeln!(out, "{}\n\n{}\n", rule.id, rule.statement);
    for cited in copies.cited(rule) {
        clause(&mut out, "clause  ", &cited);
    }
    let _ = writeln!(out, "covers  {}", rule.covers.join(", "));
    for (axis, values) in &rule.axes {
        let _ = writeln!(out, "axis    {axis}: {}", values.join(" "));
    }
    match rule.strength {
        Some(strength) => {
            let _ = writeln!(out, "points  every combination of values on any {strength} axes");
        }
        None => out.push_str("points  the full product of the axes\n"),
    }
    if let Some(why) = &rule.one_sided {
        let _ = writeln!(out, "sides   {why}");
    }
    let _ = writeln!(out, "\n{:<22}{:>8}{:>8}{:>10}", "dialect", "accept", "reject", "disputed");
    for dialect in Dialect::ALL.into_iter().filter(|dialect| rule.is_of(dialect.language)) {
        let mut counts = [0; 3];
        for case in suite.cases(&[index], &[dialect]) {
            counts[match suite.expectation(&case) {
                Expectation::Accept => 0,
                Expectation::Reject { .. } => 1,
                Expectation::Disputed { .. } => 2,
            }] += 1;
        }
        let _ = writeln!(
            out,
            "{:<22}{:>8}{:>8}{:>10}",
            dialect.name(),
            counts[0],
            counts[1],
            counts[2]
        );
    }
    if let Some(notes) = &rule.notes {
        let _ = writeln!(out, "\n{}", notes.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    out
}
