//! The world of the pages: rules, runs, and what is compared.

use std::collections::BTreeMap;

use expectations::{cause::Causes, copies::Copies, dialect::Dialect};
use generator::suite::Suite;

use super::{
    DIALECTS,
    counting::Counting,
    names::{devices, in_lines, lineages, run_names},
    rule::{RuleLink, RuleModel},
    run::RunModel,
};
use crate::{
    history::History,
    html::{
        Comparisons, Input, RunInput,
        names::slug,
        tally::{Cell, State},
    },
    text::one_line,
};

/// The pages' world.
pub(in crate::html) struct Site<'r> {
    pub(in crate::html) suite: &'r Suite,
    pub(in crate::html) copies: &'r Copies,
    pub(in crate::html) causes: &'r Causes,
    pub(in crate::html) rules: Vec<RuleModel>,
    pub(in crate::html) runs: Vec<RunModel<'r>>,
    pub(in crate::html) compared: Vec<Compared>,
    /// Which of the dialects any run speaks of.
    pub(in crate::html) shown_dialects: Vec<usize>,
    pub(in crate::html) history: Option<&'r History>,
    pub(in crate::html) written: &'r str,
}

/// Runs that are held against each other.
pub(in crate::html) struct Compared {
    /// The device, or the devices.
    pub(in crate::html) name: String,
    pub(in crate::html) path: String,
    /// Their numbers, the oldest first; there are two.
    pub(in crate::html) runs: Vec<usize>,
}

impl Compared {
    fn of(name: &str, runs: Vec<usize>) -> Self {
        Self {
            name: one_line(name, 120),
            path: format!("compared/{}.html", slug(&name.replace(' ', "-"))),
            runs,
        }
    }

    /// Whether it is of these runs.
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
        let inputs: Vec<&RunInput<'_>> = order.iter().map(|&run| &input.runs[run]).collect();
        let names = run_names(&inputs);
        let counting: Vec<Counting<'_>> = inputs
            .into_iter()
            .zip(names)
            .map(|(run, (name, slug))| {
                Counting::of(input.suite, run, name, slug, &mut rules, &mut known)
            })
            .collect();
        let runs: Vec<RunModel<'_>> =
            counting.into_iter().map(|counting| counting.into_model(rules.len())).collect();
        let compared = match input.compared {
            Comparisons::OfDevices => {
                let lines = lineages(&runs).into_iter().filter(|(_, runs)| runs.len() > 1);
                lines.map(|(name, runs)| Compared::of(name, runs)).collect()
            }
            Comparisons::These(these) => {
                let place = |run: &usize| order.iter().position(|other| other == run);
                let of = |these: &Vec<usize>| {
                    let places: Vec<usize> = these.iter().filter_map(place).collect();
                    Compared::of(&devices(&runs, &places), places)
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

    /// The place of a rule in the suite.
    pub(in crate::html) fn suite_rule(&self, id: &str) -> Option<usize> {
        self.suite.rule_place(id)
    }

    /// The runs of each device in its versions, by number, the oldest first.
    pub(in crate::html) fn lineages(&self) -> Vec<(&str, Vec<usize>)> {
        lineages(&self.runs)
    }

    pub(in crate::html) fn rule_link(&self, rule: usize) -> RuleLink {
        RuleLink { id: self.rules[rule].id.clone(), path: self.rules[rule].path.clone() }
    }

    /// To what a device gets wrong of a rule.
    pub(in crate::html) fn deviations_link(&self, run: &RunModel<'_>, rule: usize) -> RuleLink {
        let path = run.deviations_path(&self.rules, rule);
        RuleLink {
            id: self.rules[rule].id.clone(),
            path: path.unwrap_or_else(|| self.rules[rule].path.clone()),
        }
    }

    /// A rule on a device, a cell for each dialect that is shown.
    pub(in crate::html) fn cells(&self, run: &RunModel<'_>, rule: usize) -> Vec<Cell> {
        let cell = |&dialect: &usize| {
            let deviations = run.deviations_in(&self.rules, rule, dialect);
            Cell::of(&run.tallies[rule][dialect]).leading_to(deviations)
        };
        self.shown_dialects.iter().map(cell).collect()
    }

    /// Rules that some run has cases of, by family.
    pub(in crate::html) fn families(&self) -> Vec<(&str, Vec<usize>)> {
        let mut families: Vec<(&str, Vec<usize>)> = Vec::new();
        let has_cases =
            |rule: &usize| self.runs.iter().any(|run| !run.of_rule(*rule).parts.is_empty());
        for index in (0..self.rules.len()).filter(has_cases) {
            let rule = &self.rules[index];
            match families.iter_mut().find(|(name, _)| *name == rule.family()) {
                Some((_, rules)) => rules.push(index),
                None => families.push((rule.family(), vec![index])),
            }
        }
        families
    }
}
