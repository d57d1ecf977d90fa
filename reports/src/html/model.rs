//! Everything the pages show, counted once.

use std::collections::BTreeMap;

use expectations::{
    baseline::Deviation,
    case_id::{self, CaseId},
    copies::Copies,
    dialect::Dialect,
    judge::{FindingKind, Reason},
};
use generator::{random::Kind, suite::Suite};
use rayon::prelude::*;

use super::{
    Input, RunInput,
    names::{short_hash, slug},
    tally::{State, Tally, state_of},
};
use crate::{history::History, results::CaseResult, text::one_line};

/// Dialects of the suite, and one place for whatever else a results file names.
pub(super) const DIALECTS: usize = Dialect::ALL.len() + 1;

/// Rules that are none of the suite's get a page each up to this many; the rest shares one.
const FOREIGN_RULES: usize = 100;
const FOREIGN: &str = "other cases";

/// Findings that get a page of their own: of each group, and of each device.
const PAGES_OF_A_GROUP: usize = 8;
const PAGES_OF_A_DEVICE: usize = 400;

/// The pages' world.
pub(super) struct Site<'r> {
    pub(super) suite: &'r Suite,
    pub(super) copies: &'r Copies,
    pub(super) rules: Vec<RuleModel>,
    pub(super) runs: Vec<RunModel<'r>>,
    /// Which of the dialects any run speaks of.
    pub(super) shown_dialects: Vec<usize>,
    pub(super) history: Option<&'r History>,
    pub(super) written: &'r str,
}

/// A rule, of the suite or met in a results file.
pub(super) struct RuleModel {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) statement: String,
    pub(super) in_suite: Option<usize>,
}

impl RuleModel {
    pub(super) fn family(&self) -> &str {
        let family = CaseId::new(&self.id).family();
        if self.in_suite.is_some() || family == case_id::RANDOM { family } else { FOREIGN }
    }
}

/// One run.
pub(super) struct RunModel<'r> {
    pub(super) input: &'r RunInput<'r>,
    /// The device's name, told apart from other runs of it.
    pub(super) name: String,
    pub(super) slug: String,
    /// What is known of each case, in the order of the results.
    pub(super) places: Vec<Place>,
    /// Indices of the cases, by rule.
    by_rule: Vec<Vec<usize>>,
    /// By rule, then dialect.
    pub(super) tallies: Vec<[Tally; DIALECTS]>,
    pub(super) total: Tally,
    /// Findings that nothing explains, the worst first.
    pub(super) groups: Vec<Group>,
}

/// Where a case belongs.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) rule: usize,
    pub(super) dialect: usize,
    pub(super) state: State,
    /// The baseline's entry that explains it.
    pub(super) entry: Option<usize>,
}

/// Unexpected findings of one rule that look alike.
pub(super) struct Group {
    pub(super) rule: usize,
    pub(super) kind: FindingKind,
    pub(super) reason: Reason,
    /// Indices of the cases; the first `pages` have a page.
    pub(super) cases: Vec<usize>,
    pub(super) pages: usize,
}

impl<'r> RunModel<'r> {
    pub(super) fn path(&self) -> String {
        format!("devices/{}.html", self.slug)
    }

    /// Page of an unexpected finding.
    pub(super) fn finding_path(&self, case: usize) -> String {
        format!("findings/{}/{}.html", self.slug, short_hash(&self.cases()[case].id))
    }

    pub(super) fn cases(&self) -> &'r [CaseResult] {
        &self.input.results.cases
    }

    pub(super) fn deviations(&self) -> &'r [Deviation] {
        self.input.known.map_or(&[], |known| &known.device.deviations)
    }

    /// Entries of the baseline that no longer match.
    pub(super) fn stale(&self) -> &'r [usize] {
        self.input.known.map_or(&[], |known| &known.baseline.stale)
    }

    /// Indices of the cases of a rule.
    pub(super) fn cases_of(&self, rule: usize) -> &[usize] {
        &self.by_rule[rule]
    }

    /// Whether rules or kernels may have changed since.
    pub(super) fn is_of_another_suite(&self, suite: &Suite) -> bool {
        self.input.results.header.suite != suite.hash()
    }
}

/// Name of the dialect at a place.
pub(super) fn dialect_name(index: usize) -> &'static str {
    Dialect::ALL.get(index).map_or("other", |dialect| dialect.name())
}

impl<'r> Site<'r> {
    pub(super) fn new(input: &'r Input<'r>) -> Self {
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
        let names = run_names(input.runs);
        let placed: Vec<Vec<(usize, usize)>> = input
            .runs
            .iter()
            .map(|run| {
                let cases = run.results.cases.iter();
                cases.map(|case| place(case, &mut rules, &mut known)).collect()
            })
            .collect();
        let count = rules.len();
        let runs: Vec<RunModel<'_>> = input
            .runs
            .par_iter()
            .zip(names)
            .zip(placed)
            .map(|((run, (name, slug)), placed)| run_model(run, name, slug, &placed, count))
            .collect();
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
            rules,
            runs,
            shown_dialects,
            history: input.history,
            written: input.written,
        }
    }

    /// The place of a rule in the suite.
    pub(super) fn suite_rule(&self, id: &str) -> Option<usize> {
        self.suite.rules().iter().position(|rule| rule.id == id)
    }

    /// Rules that some run or the suite knows, in the order of families.
    pub(super) fn families(&self) -> Vec<(&str, Vec<usize>)> {
        let mut families: Vec<(&str, Vec<usize>)> = Vec::new();
        for (index, rule) in self.rules.iter().enumerate() {
            match families.iter_mut().find(|(name, _)| *name == rule.family()) {
                Some((_, rules)) => rules.push(index),
                None => families.push((rule.family(), vec![index])),
            }
        }
        families
    }
}

/// Rule and dialect of a case; a rule nobody knows is added.
fn place(
    case: &CaseResult,
    rules: &mut Vec<RuleModel>,
    known: &mut BTreeMap<String, usize>,
) -> (usize, usize) {
    let id = CaseId::new(&case.id);
    let (rule_id, dialect) = (id.rule(), id.dialect());
    let dialect = Dialect::ALL
        .iter()
        .position(|known| known.name() == dialect && dialect == case.dialect)
        .unwrap_or(Dialect::ALL.len());
    if let Some(&rule) = known.get(rule_id) {
        return (rule, dialect);
    }
    let foreign = rules.iter().filter(|rule| rule.in_suite.is_none()).count();
    let id = if foreign < FOREIGN_RULES { rule_id } else { FOREIGN };
    let rule = *known.entry(id.to_owned()).or_insert_with(|| {
        rules.push(RuleModel {
            id: one_line(id, 120),
            path: format!("rules/other/{}.html", slug(id)),
            statement: statement(id),
            in_suite: None,
        });
        rules.len() - 1
    });
    (rule, dialect)
}

/// What is to be said of a rule that is none of the suite's.
fn statement(id: &str) -> String {
    let name = CaseId::new(id).is_random().then(|| CaseId::new(id).name());
    match name.and_then(|name| Kind::all().into_iter().find(|kind| kind.name() == name)) {
        Some(Kind::Valid) => "Random programs, valid by construction.".to_owned(),
        Some(Kind::Neutral) => {
            "Random programs, edited without a change of meaning: as valid as before.".to_owned()
        }
        Some(Kind::Breaks(rule)) => format!("Random programs that break {rule} in one place."),
        None => "Not a rule of this version of the suite.".to_owned(),
    }
}

/// A name and a file name for each run, all different.
fn run_names(runs: &[RunInput<'_>]) -> Vec<(String, String)> {
    let mut names: Vec<(String, String)> = Vec::new();
    for run in runs {
        let device = &run.results.header.device;
        let plain = one_line(device, 60);
        let again = runs.iter().filter(|other| other.results.header.device == *device).count() > 1;
        let name = if again { format!("{plain} ({})", one_line(&run.path, 80)) } else { plain };
        let wanted = if again { slug(&format!("{device} {}", run.path)) } else { slug(device) };
        let mut slug = wanted.clone();
        for number in 2.. {
            if names.iter().all(|(_, taken)| *taken != slug) {
                break;
            }
            slug = format!("{wanted}-{number}");
        }
        names.push((name, slug));
    }
    names
}

fn run_model<'r>(
    input: &'r RunInput<'r>,
    name: String,
    slug: String,
    of_cases: &[(usize, usize)],
    rules: usize,
) -> RunModel<'r> {
    let cases = &input.results.cases;
    let explained = input.known.map_or(&[][..], |known| &known.baseline.explained);
    let entries: BTreeMap<usize, usize> = explained.iter().copied().collect();
    let mut tallies = vec![[Tally::default(); DIALECTS]; rules];
    let mut total = Tally::default();
    let mut by_rule = vec![Vec::new(); rules];
    let mut places = Vec::with_capacity(cases.len());
    for (index, (case, &(rule, dialect))) in cases.iter().zip(of_cases).enumerate() {
        let entry = entries.get(&index).copied();
        let state = state_of(case.finding.kind, entry.is_some());
        by_rule[rule].push(index);
        tallies[rule][dialect].count(state);
        total.count(state);
        places.push(Place { rule, dialect, state, entry });
    }
    let groups = groups(cases, &places);
    RunModel { input, name, slug, places, by_rule, tallies, total, groups }
}

fn groups(cases: &[CaseResult], places: &[Place]) -> Vec<Group> {
    let mut found: BTreeMap<(usize, FindingKind, &str), Group> = BTreeMap::new();
    for (index, (case, place)) in cases.iter().zip(places).enumerate() {
        if place.state != State::Unexpected {
            continue;
        }
        let finding = case.finding;
        found
            .entry((place.rule, finding.kind, finding.reason.text()))
            .or_insert_with(|| Group {
                rule: place.rule,
                kind: finding.kind,
                reason: finding.reason,
                cases: Vec::new(),
                pages: 0,
            })
            .cases
            .push(index);
    }
    let mut groups: Vec<Group> = found.into_values().collect();
    // The worst first, and of these the many.
    groups.sort_by_key(|group| {
        (std::cmp::Reverse(group.kind.badness()), std::cmp::Reverse(group.cases.len()))
    });
    let mut left = PAGES_OF_A_DEVICE;
    for group in &mut groups {
        group.pages = group.cases.len().min(PAGES_OF_A_GROUP).min(left);
        left -= group.pages;
    }
    groups
}
