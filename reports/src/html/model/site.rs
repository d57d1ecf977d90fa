//! The content of the report: rules, runs, and comparisons.

use std::collections::BTreeMap;

use expectations::{cause::Causes, copies::Copies, dialect::Dialect};
use generator::suite::Suite;
use results::{history::History, run::Run, text::one_line};

use super::{
    DIALECTS,
    counting::Counting,
    names::{devices, in_lines, lineages, run_names},
    rule::{RuleLink, RuleModel},
    run::RunView,
};
use crate::html::{
    Comparisons, Input,
    names::slug,
    tally::{Cell, State},
};

/// The content of the report.
pub(in crate::html) struct Site<'r> {
    pub(in crate::html) suite: &'r Suite,
    pub(in crate::html) copies: &'r Copies,
    pub(in crate::html) causes: &'r Causes,
    pub(in crate::html) rules: Vec<RuleModel>,
    pub(in crate::html) runs: Vec<RunView<'r>>,
    pub(in crate::html) compared: Vec<ComparedRuns>,
    /// Indices of the dialects that tables show.
    pub(in crate::html) shown_dialects: Vec<usize>,
    pub(in crate::html) history: Option<&'r History>,
    pub(in crate::html) written: &'r str,
}

/// Runs that are compared.
pub(in crate::html) struct ComparedRuns {
    /// Names of the devices.
    pub(in crate::html) name: String,
    pub(in crate::html) path: String,
    /// Indices of the runs, the oldest first; at least two.
    pub(in crate::html) runs: Vec<usize>,
}

impl ComparedRuns {
    fn of(name: &str, runs: Vec<usize>) -> Self {
        Self {
            name: one_line(name, 120),
            path: format!("compared/{}.html", slug(&name.replace(' ', "-"))),
            runs,
        }
    }

    /// Whether these are the compared runs.
    pub(in crate::html) fn is_of(&self, runs: &[usize]) -> bool {
        self.runs.len() == runs.len() && self.runs.iter().all(|run| runs.contains(run))
    }
}

/// A rule as a page leads to it.
impl<'r> Site<'r> {
    pub(in crate::html) fn new(input: &'r Input<'r>) -> Self {
        let mut rules: Vec<RuleModel> = input
            .suite
            .rules()
            .iter()
            .enumerate()
            .map(|(index, rule)| RuleModel {
                id: rule.id.clone(),
                path: format!("rules/{}.html", rule.id),
                statement: rule.statement.clone(),
                in_suite: Some(index),
            })
            .collect();
        let mut known: BTreeMap<String, usize> =
            rules.iter().enumerate().map(|(index, rule)| (rule.id.clone(), index)).collect();
        let order = in_lines(input.runs);
        let inputs: Vec<&Run> = order.iter().map(|&run| input.runs[run]).collect();
        let names = run_names(&inputs);
        let counting: Vec<Counting<'_>> = inputs
            .into_iter()
            .zip(names)
            .map(|(run, (name, slug))| {
                Counting::of(input.suite, run, name, slug, &mut rules, &mut known)
            })
            .collect();
        let runs: Vec<RunView<'_>> =
            counting.into_iter().map(|counting| counting.into_model(rules.len())).collect();
        let compared = match input.compared {
            Comparisons::OfDevices => {
                let lines = lineages(&runs).into_iter().filter(|(_, runs)| runs.len() > 1);
                lines.map(|(name, runs)| ComparedRuns::of(name, runs)).collect()
            }
            Comparisons::These(these) => {
                let place = |run: &usize| order.iter().position(|other| other == run);
                let of = |these: &Vec<usize>| {
                    let places: Vec<usize> = these.iter().filter_map(place).collect();
                    ComparedRuns::of(&devices(&runs, &places), places)
                };
                these.iter().map(of).collect()
            }
        };
        let shown_dialects = (0..DIALECTS)
            .filter(|&dialect| {
                dialect < Dialect::ALL.len()
                    || runs.iter().any(|run| {
                        run.tallies.iter().any(|tallies| tallies[dialect].state() != State::Nothing)
                    })
            })
            .collect();
        Self {
            suite: input.suite,
            copies: input.copies,
            causes: input.causes,
            rules,
            runs,
            compared,
            shown_dialects,
            history: input.history,
            written: input.written,
        }
    }

    /// Returns the index of a rule in the suite.
    pub(in crate::html) fn suite_rule(&self, id: &str) -> Option<usize> {
        self.suite.rule_place(id)
    }

    /// Returns the indices of the runs of each device in its versions, the oldest first.
    pub(in crate::html) fn lineages(&self) -> Vec<(&str, Vec<usize>)> {
        lineages(&self.runs)
    }

    pub(in crate::html) fn rule_link(&self, rule: usize) -> RuleLink {
        RuleLink { id: self.rules[rule].id.clone(), path: self.rules[rule].path.clone() }
    }

    /// Returns a link to a device's deviations from a rule.
    pub(in crate::html) fn deviations_link(&self, run: &RunView<'_>, rule: usize) -> RuleLink {
        let path = run.deviations_path(&self.rules, rule);
        RuleLink {
            id: self.rules[rule].id.clone(),
            path: path.unwrap_or_else(|| self.rules[rule].path.clone()),
        }
    }

    /// Returns the cells of a rule on a device, one for each dialect.
    pub(in crate::html) fn cells(&self, run: &RunView<'_>, rule: usize) -> Vec<Cell> {
        let cell = |&dialect: &usize| {
            let deviations = run.deviations_in(&self.rules, rule, dialect);
            Cell::of(&run.tallies[rule][dialect]).leading_to(deviations)
        };
        self.shown_dialects.iter().map(cell).collect()
    }

    /// Whether a rule has a page: it has cases in some run.
    pub(in crate::html) fn has_page(&self, rule: usize) -> bool {
        self.runs.iter().any(|run| !run.of_rule(rule).parts.is_empty())
    }

    /// Returns the path of the page of a rule of the suite, if it has one.
    pub(in crate::html) fn path_of_rule(&self, id: &str) -> Option<String> {
        let rule = self.suite_rule(id).filter(|&rule| self.has_page(rule))?;
        Some(self.rules[rule].path.clone())
    }

    /// Returns the rules that have cases in some run, by family.
    pub(in crate::html) fn families(&self) -> Vec<(&str, Vec<usize>)> {
        let mut families: Vec<(&str, Vec<usize>)> = Vec::new();
        for index in (0..self.rules.len()).filter(|&rule| self.has_page(rule)) {
            let rule = &self.rules[index];
            match families.iter_mut().find(|(name, _)| *name == rule.family()) {
                Some((_, rules)) => rules.push(index),
                None => families.push((rule.family(), vec![index])),
            }
        }
        families
    }
}
