//! Contents of the suite: its families, the rules of a family, and the cases of a rule. Commands print them when an id
//! is missing or incomplete.

use std::{collections::BTreeMap, fmt::Write as _};

use expectations::{dialect::Dialect, families, predicate::nearest, rule::Rule};
use generator::suite::{Suite, SuiteError};
use reports::folding::folded;
use results::text::{one_line, plural};

use super::CommandError;
use crate::output;

/// Returns the families, each with its subject.
pub(super) fn families(suite: &Suite) -> Result<String, CommandError> {
    let mut rules: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in suite.rules() {
        rules.entry(rule.family()).or_default().push(rule);
    }
    let about = families::shipped().map_err(|error| SuiteError::Rules(vec![error]))?;
    let mut out = String::new();
    let room = output::table_columns().saturating_sub(20).max(40);
    for (family, rules) in &rules {
        let about = about.get(*family).map_or("", String::as_str);
        let _ = writeln!(out, "{family:<14}{:>4}  {}", rules.len(), one_line(about, room));
    }
    let closing = format!(
        "\n{} in {} families\n`address-spaces explain FAMILY` lists the rules of one, `address-spaces explain RULE` explains one, \
         `address-spaces show RULE` lists its cases\n",
        plural(suite.rules().len(), "rule"),
        rules.len()
    );
    Ok(out + &folded(&closing, output::columns()))
}

/// Returns the rules of a family, each with its statement; `None` if there is no such family.
pub(super) fn rules_of(suite: &Suite, family: &str) -> Option<String> {
    let family = family.trim_end_matches('/');
    let rules: Vec<&Rule> = suite.rules().iter().filter(|rule| rule.family() == family).collect();
    let width = rules.iter().map(|rule| rule.id.len()).max()?;
    let room = output::table_columns().saturating_sub(width + 2).max(40);
    let mut out = String::new();
    for rule in rules {
        let _ = writeln!(out, "{:<width$}  {}", rule.id, one_line(&rule.statement, room));
    }
    Some(out)
}

/// Returns the cases of a rule, one id on each line; `None` if there is no such rule.
pub(super) fn cases_of(suite: &Suite, rule: &str) -> Option<String> {
    let index = suite.rule_place(rule)?;
    let cases = suite.cases(&[index], &Dialect::ALL);
    let mut out = String::new();
    for case in cases {
        let _ = writeln!(out, "{}", case.id);
    }
    Some(out)
}

/// Returns the error about an id that is neither a rule nor a family.
pub(super) fn no_such_rule(suite: &Suite, id: &str) -> CommandError {
    let families = suite.rules().iter().map(Rule::family);
    let known = suite.rules().iter().map(|rule| rule.id.as_str()).chain(families);
    let hint = match nearest(id, known) {
        Some(candidate) => format!("; did you mean `{candidate}`?"),
        None => "; `address-spaces explain` lists the families".to_owned(),
    };
    CommandError::Selection(format!("`{}` is neither a rule nor a family{hint}", id.escape_debug()))
}
