//! `runner explain`: a rule with its clauses, axes and verdicts per dialect.

use std::fmt::Write as _;

use expectations::{
    copies::Copies, dialect::Dialect, predicate::nearest, renamed, rule::Expectation,
};
use generator::suite::Suite;

use super::CommandError;
use crate::specification::clause;

/// The text of `runner explain RULE`.
pub fn explain(suite: &Suite, id: &str, copies: &Copies) -> Result<String, CommandError> {
    let id = &*renamed::current(id);
    let Some(index) = suite.rules().iter().position(|rule| rule.id == id) else {
        let hint = match nearest(id, suite.rules().iter().map(|rule| rule.id.as_str())) {
            Some(candidate) => format!("; did you mean `{candidate}`?"),
            None => "; `runner --list` shows the rules in the ids of their cases".to_owned(),
        };
        return Err(CommandError::Selection(format!("`{}` is no rule{hint}", id.escape_debug())));
    };
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
    for dialect in Dialect::ALL {
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
        let _ = writeln!(out, "\n{}", notes.trim());
    }
    Ok(out)
}
