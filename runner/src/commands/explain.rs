//! `address-spaces explain`: a rule with its clauses, axes and verdicts per dialect, or a baseline entry.

use std::{fmt::Write as _, path::Path};

use expectations::{
    baseline::{Deviation, Explanation},
    copies::Copies,
    dialect::Dialect,
    rule::Expectation,
};
use generator::suite::Suite;
use reports::{folding::folded, text::shell_word};
use results::text::one_line;

use super::{CommandError, contents};
use crate::{device::files, output, specification::clause};

/// Returns the text of `address-spaces explain`: the families, the rules of a family, a rule, or a baseline entry.
pub fn explain(suite: &Suite, id: Option<&str>, copies: &Copies) -> Result<String, CommandError> {
    let Some(id) = id else { return contents::families(suite) };
    if let Some((path, line)) = place_of_entry(id) {
        return Ok(folded(&entry(path, line)?, output::columns()));
    }
    match suite.rule_place(id) {
        Some(index) => Ok(folded(&rule(suite, index, copies), output::columns())),
        None => contents::rules_of(suite, id).ok_or_else(|| contents::no_such_rule(suite, id)),
    }
}

/// Returns the file and line of a baseline entry, as messages name it; `None` of another word.
fn place_of_entry(word: &str) -> Option<(&str, usize)> {
    let (path, line) = word.rsplit_once(':')?;
    let line = line.parse().ok()?;
    let is_file = Path::new(path).extension().is_some_and(|ending| ending == "toml");
    is_file.then_some((path, line))
}

/// Returns an entry in words, of a file of the suite or of a user's.
fn entry(path: &str, line: usize) -> Result<String, CommandError> {
    let entries = entries_of_suite(path)?;
    let entries = if entries.is_empty() {
        files::load_baseline("device", Path::new(path))?.deviations
    } else {
        entries
    };
    // Any line of the entry will do.
    let found = entries.iter().filter(|entry| entry.line <= line).max_by_key(|entry| entry.line);
    let Some(entry) = found else {
        let message = format!("{path} has no baseline entry at line {line} or before it");
        return Err(CommandError::Selection(message));
    };
    let named: Vec<String> = entry.implementations.iter().map(ToString::to_string).collect();
    let directions: Vec<&str> = entry.directions().iter().map(|known| known.name()).collect();
    let mut out = format!("{}:{}\n\n", entry.path, entry.line);
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "{name:<9} {}", one_line(value, 4000));
        }
    };
    for cases in &entry.cases {
        add("cases", cases);
    }
    add("when", entry.when().unwrap_or_default());
    add("of", &named.join("; "));
    add("finding", &directions.join(", "));
    if let Explanation::BehavesAs(dialect) = &entry.known {
        add("finding", &format!("treats it as {dialect}"));
    }
    if let Explanation::Shape(pattern) = &entry.known {
        add("shape", &pattern.to_string());
    }
    add("phase", entry.phase.map_or("", |phase| phase.name()));
    add("cause", entry.cause.as_deref().unwrap_or_default());
    add("reason", &entry.reason);
    add("link", entry.link.as_deref().unwrap_or_default());
    if let Some(example) = &entry.example {
        add("example", &format!("address-spaces show {}", shell_word(example)));
    }
    Ok(out)
}

/// Returns the entries of the suite's files with this path, or the end of it.
fn entries_of_suite(path: &str) -> Result<Vec<Deviation>, CommandError> {
    let is_meant = |entry: &Deviation| {
        let ends = entry.path.strip_suffix(path);
        ends.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let mut entries = files::shared_deviations()?;
    for name in files::names()? {
        entries.append(&mut files::load(&name)?.deviations);
    }
    entries.retain(is_meant);
    Ok(entries)
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
