//! Everything the pages show, counted once.

use std::{collections::BTreeMap, ops::Range};

use expectations::{
    baseline::Deviation,
    case_id::{self, CaseId},
    cause::Causes,
    copies::Copies,
    device::lineage,
    dialect::Dialect,
    implementation::number,
    judge::Finding,
    outcome::OutcomeKind,
};
use generator::{random::Kind, suite::Suite};
use serde::Serialize;

use super::{
    Comparisons, Input, RunInput,
    blocks::{Block, Unexpected},
    names::{anchor, short_hash, slug},
    tally::{Cell, State, Tally},
};
use crate::{
    cases::{Brief, Cases},
    history::History,
    text::one_line,
    verdicts::Verdict,
};

/// Dialects of the suite, and one place for whatever else a results file names.
pub(super) const DIALECTS: usize = Dialect::ALL.len() + 1;

/// Rules that are none of the suite's get a page each up to this many; the rest shares one.
const FOREIGN_RULES: usize = 100;
const FOREIGN: &str = "other cases";

/// Deviations of a rule that look alike and are listed on its page; the table of all cases has the others.
const LISTED: usize = 100;

/// The slowest cases that are named, and the seconds from which on a case is slow.
const SLOWEST: usize = 10;
const SLOW: f64 = 0.5;

/// Cases with remarks that are listed.
pub(super) const REMARKS: usize = 50;

/// The pages' world.
pub(super) struct Site<'r> {
    pub(super) suite: &'r Suite,
    pub(super) copies: &'r Copies,
    pub(super) causes: &'r Causes,
    pub(super) rules: Vec<RuleModel>,
    pub(super) runs: Vec<RunModel<'r>>,
    pub(super) compared: Vec<Compared>,
    /// Which of the dialects any run speaks of.
    pub(super) shown_dialects: Vec<usize>,
    pub(super) history: Option<&'r History>,
    pub(super) written: &'r str,
}

/// Runs that are held against each other.
pub(super) struct Compared {
    /// The device, or the devices.
    pub(super) name: String,
    pub(super) path: String,
    /// Their numbers, the oldest first; there are two.
    pub(super) runs: Vec<usize>,
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
    pub(super) fn is_of(&self, runs: &[usize]) -> bool {
        self.runs.len() == runs.len() && self.runs.iter().all(|run| runs.contains(run))
    }
}

/// A rule as a page leads to it.
#[derive(Serialize)]
pub(super) struct RuleLink {
    id: String,
    path: String,
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

/// One run: what its pages show, counted in one pass over its cases; of cases only the numbers of the first.
pub(super) struct RunModel<'r> {
    pub(super) input: &'r RunInput<'r>,
    /// The device's name, told apart from other runs of it.
    pub(super) name: String,
    pub(super) slug: String,
    /// By rule.
    of_rules: Vec<OfRule<'r>>,
    /// By rule, then dialect.
    pub(super) tallies: Vec<[Tally; DIALECTS]>,
    pub(super) total: Tally,
    /// How disputed cases are read, by the place of their question in the suite.
    pub(super) of_questions: BTreeMap<usize, Disputed>,
    /// Findings that nothing explains, the worst first.
    pub(super) blocks: Vec<Block>,
    /// Those of them that have a page, with their rules.
    pub(super) pages: BTreeMap<usize, usize>,
    /// How many cases an entry of the baseline explains, by entry and rule.
    pub(super) explained: BTreeMap<(usize, usize), usize>,
    /// The slowest cases, with their seconds.
    pub(super) slow: Vec<(usize, f64)>,
    pub(super) remarks: Remarks,
}

/// The cases of a rule.
#[derive(Default)]
pub(super) struct OfRule<'r> {
    /// Numbers of cases that follow each other, in the order of their points: those of one dialect.
    pub(super) parts: Vec<Part>,
    /// Deviations that look alike.
    pub(super) deviating: BTreeMap<Looks<'r>, First>,
    /// Of each dialect, the id of the first case that deviates.
    first_ids: BTreeMap<usize, String>,
    pub(super) disputed: Disputed,
}

/// What deviations of a rule have in common: state, reason on record, finding and why. The worst come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Looks<'r> {
    pub(super) state: State,
    pub(super) reason: Option<&'r str>,
    kind: &'static str,
    why: &'static str,
}

impl Looks<'_> {
    /// `fail: accepts an invalid program`
    pub(super) fn text(&self) -> String {
        format!("{}: {}", self.kind, self.why)
    }
}

/// Cases of one rule and dialect.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) dialect: usize,
    pub(super) cases: Range<usize>,
}

/// Cases that are alike: how many, and the numbers of the first.
#[derive(Default)]
pub(super) struct First {
    pub(super) count: usize,
    pub(super) cases: Vec<usize>,
}

impl First {
    fn push(&mut self, case: usize, limit: usize) {
        self.count += 1;
        if self.cases.len() < limit {
            self.cases.push(case);
        }
    }
}

/// How cases whose text is disputed are read.
#[derive(Clone, Copy, Default)]
pub(super) struct Disputed {
    pub(super) accepted: usize,
    pub(super) rejected: usize,
    pub(super) other: usize,
}

impl Disputed {
    fn count(&mut self, kind: OutcomeKind) {
        *match kind {
            OutcomeKind::Accepted => &mut self.accepted,
            OutcomeKind::Rejected => &mut self.rejected,
            _ => &mut self.other,
        } += 1;
    }
}

/// Cases that the engine has something to say of.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) flaky: First,
    pub(super) others: First,
}

impl<'r> RunModel<'r> {
    pub(super) fn path(&self) -> String {
        format!("devices/{}.html", self.slug)
    }

    /// Page of an unexpected finding, where it has one.
    pub(super) fn finding_path(&self, case: usize) -> Option<String> {
        self.pages.contains_key(&case).then(|| self.path_of(case))
    }

    /// Where the page of a case lies.
    pub(super) fn path_of(&self, case: usize) -> String {
        format!("findings/{}/{}.html", self.slug, short_hash(&self.cases().get(case).id))
    }

    /// The page of a rule's deviations on this device, where there are any.
    pub(super) fn deviations_path(&self, site: &Site<'_>, rule: usize) -> Option<String> {
        let has_any = !self.of_rule(rule).deviating.is_empty();
        has_any.then(|| self.path_of_deviations(&site.rules[rule]))
    }

    /// Where on that page the first case of a dialect stands, where one deviates.
    pub(super) fn deviations_in(
        &self,
        site: &Site<'_>,
        rule: usize,
        dialect: usize,
    ) -> Option<String> {
        let first = self.of_rule(rule).first_ids.get(&dialect)?;
        Some(self.path_of_deviation(&site.rules[rule], first))
    }

    /// Where a deviating case is told: on a page of its own, or among those of its rule.
    pub(super) fn case_path(&self, site: &Site<'_>, rule: usize, case: usize) -> String {
        self.finding_path(case).unwrap_or_else(|| self.anchored_path(site, rule, case))
    }

    /// Where a case stands among the deviations of its rule.
    pub(super) fn anchored_path(&self, site: &Site<'_>, rule: usize, case: usize) -> String {
        self.path_of_deviation(&site.rules[rule], &self.cases().get(case).id)
    }

    /// Where a case that deviates stands among the others of its rule, where that rule has a page of its own.
    pub(super) fn deviation_path(&self, site: &Site<'_>, id: &str) -> Option<String> {
        let of_case = CaseId::new(id).rule();
        let rule = site.rules.iter().find(|rule| rule.id == of_case)?;
        Some(self.path_of_deviation(rule, id))
    }

    fn path_of_deviation(&self, rule: &RuleModel, id: &str) -> String {
        format!("{}#{}", self.path_of_deviations(rule), anchor(&rule.id, id))
    }

    fn path_of_deviations(&self, rule: &RuleModel) -> String {
        let of_rule = rule.path.strip_prefix("rules/").unwrap_or(&rule.path);
        format!("deviations/{}/{of_rule}", self.slug)
    }

    /// What a finding that this entry explains, or none, looks like.
    pub(super) fn looks(&self, entry: Option<usize>, finding: Finding) -> Looks<'r> {
        Looks {
            state: State::of(Verdict::of(finding.kind, entry.is_none())),
            reason: entry.map(|entry| self.deviations()[entry].reason.as_str()),
            kind: finding.kind.name(),
            why: finding.reason.text(),
        }
    }

    pub(super) fn cases(&self) -> &'r Cases {
        &self.input.results.cases
    }

    pub(super) fn deviations(&self) -> &'r [Deviation] {
        self.input.known.map_or(&[], |known| &known.device.deviations)
    }

    /// Entries of the baseline that no longer match.
    pub(super) fn stale(&self) -> &'r [usize] {
        self.input.known.map_or(&[], |known| &known.baseline.stale)
    }

    /// The cases of a rule.
    pub(super) fn of_rule(&self, rule: usize) -> &OfRule<'r> {
        &self.of_rules[rule]
    }

    /// The baseline's entry that explains a case.
    pub(super) fn entry(&self, case: usize) -> Option<usize> {
        let explained = self.input.known.map_or(&[][..], |known| &known.baseline.explained);
        let place = explained.binary_search_by_key(&case, |&(case, _)| case).ok()?;
        Some(explained[place].1)
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
    pub(super) fn suite_rule(&self, id: &str) -> Option<usize> {
        self.suite.rules().iter().position(|rule| rule.id == id)
    }

    /// The runs of each device in its versions, by number, the oldest first.
    pub(super) fn lineages(&self) -> Vec<(&str, Vec<usize>)> {
        lineages(&self.runs)
    }

    pub(super) fn rule_link(&self, rule: usize) -> RuleLink {
        RuleLink { id: self.rules[rule].id.clone(), path: self.rules[rule].path.clone() }
    }

    /// To what a device gets wrong of a rule.
    pub(super) fn deviations_link(&self, run: &RunModel<'_>, rule: usize) -> RuleLink {
        let path = run.deviations_path(self, rule);
        RuleLink {
            id: self.rules[rule].id.clone(),
            path: path.unwrap_or_else(|| self.rules[rule].path.clone()),
        }
    }

    /// A rule on a device, a cell for each dialect that is shown.
    pub(super) fn cells(&self, run: &RunModel<'_>, rule: usize) -> Vec<Cell> {
        let cell = |&dialect: &usize| {
            let deviations = run.deviations_in(self, rule, dialect);
            Cell::of(&run.tallies[rule][dialect]).leading_to(deviations)
        };
        self.shown_dialects.iter().map(cell).collect()
    }

    /// Rules that some run has cases of, by family.
    pub(super) fn families(&self) -> Vec<(&str, Vec<usize>)> {
        let mut families: Vec<(&str, Vec<usize>)> = Vec::new();
        let has_cases =
            |rule: &usize| self.runs.iter().any(|run| !run.of_rules[*rule].parts.is_empty());
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

fn lineages<'m>(runs: &'m [RunModel<'_>]) -> Vec<(&'m str, Vec<usize>)> {
    let mut lineages: Vec<(&str, Vec<usize>)> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let name = lineage(&run.input.results.header.device);
        match lineages.last_mut() {
            Some((last, runs)) if *last == name => runs.push(index),
            _ => lineages.push((name, vec![index])),
        }
    }
    lineages
}

/// The devices of these runs, each once: `clang-15 and clang-19`.
fn devices(runs: &[RunModel<'_>], places: &[usize]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for &place in places {
        let name = runs[place].input.results.header.device.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" and ")
}

/// Rule and dialect of a case; a rule nobody knows is added.
fn place(
    case: &Brief,
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
        Some(Kind::Run) => "Random programs whose answers are known from the text.".to_owned(),
        Some(Kind::Breaks(rule)) => format!("Random programs that break {rule} in one place."),
        None => "Not a rule of this version of the suite.".to_owned(),
    }
}

/// Numbers of the runs with the versions of one device beside each other, the oldest first; the devices in the order
/// given.
fn in_lines(runs: &[RunInput<'_>]) -> Vec<usize> {
    let line = |run: &RunInput<'_>| lineage(&run.results.header.device).to_owned();
    let place = |run: &RunInput<'_>| runs.iter().position(|first| line(first) == line(run));
    let mut in_lines: Vec<usize> = (0..runs.len()).collect();
    in_lines.sort_by_key(|&run| (place(&runs[run]), number(runs[run].results.header.driver())));
    in_lines
}

/// A name and a file name for each run, all different.
fn run_names(runs: &[&RunInput<'_>]) -> Vec<(String, String)> {
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

/// A run while its cases are counted.
struct Counting<'r> {
    suite: &'r Suite,
    model: RunModel<'r>,
    unexpected: Unexpected,
}

impl<'r> Counting<'r> {
    /// Count the cases of a run; rules nobody knows are added.
    fn of(
        suite: &'r Suite,
        input: &'r RunInput<'r>,
        name: String,
        slug: String,
        rules: &mut Vec<RuleModel>,
        known: &mut BTreeMap<String, usize>,
    ) -> Self {
        let model = RunModel {
            input,
            name,
            slug,
            of_rules: Vec::new(),
            tallies: Vec::new(),
            total: Tally::default(),
            of_questions: BTreeMap::new(),
            blocks: Vec::new(),
            pages: BTreeMap::new(),
            explained: BTreeMap::new(),
            slow: Vec::new(),
            remarks: Remarks::default(),
        };
        let mut counting = Self { suite, model, unexpected: Unexpected::default() };
        let mut before: Option<(Brief, usize, usize)> = None;
        for (index, case) in input.results.cases.briefs().enumerate() {
            let follows = before.as_ref().filter(|(before, ..)| is_of_one_part(before, &case));
            let (rule, dialect) = match follows {
                Some(&(_, rule, dialect)) => (rule, dialect),
                None => {
                    let (rule, dialect) = place(&case, rules, known);
                    counting.make_room(rules.len());
                    let part = Part { dialect, cases: index..index };
                    counting.model.of_rules[rule].parts.push(part);
                    (rule, dialect)
                }
            };
            counting.count(index, &case, rule, dialect);
            before = Some((case, rule, dialect));
        }
        counting
    }

    fn make_room(&mut self, rules: usize) {
        self.model.of_rules.resize_with(rules, OfRule::default);
        self.model.tallies.resize(rules, [Tally::default(); DIALECTS]);
    }

    fn count(&mut self, index: usize, case: &Brief, rule: usize, dialect: usize) {
        let model = &mut self.model;
        let finding = case.finding;
        let entry = if finding.kind.needs_explanation() { model.entry(index) } else { None };
        let looks = model.looks(entry, finding);
        let state = looks.state;
        model.tallies[rule][dialect].count(state);
        model.total.count(state);
        let of_rule = &mut model.of_rules[rule];
        if let Some(part) = of_rule.parts.last_mut() {
            part.cases.end = index + 1;
        }
        if case.expectation == "disputed" {
            of_rule.disputed.count(case.outcome.kind);
            if let Some(question) = question(self.suite, &case.id) {
                model.of_questions.entry(question).or_default().count(case.outcome.kind);
            }
        }
        if finding.kind.needs_explanation() {
            of_rule.deviating.entry(looks).or_default().push(index, LISTED);
            of_rule.first_ids.entry(dialect).or_insert_with(|| case.id.clone());
        }
        if let Some(entry) = entry {
            *model.explained.entry((entry, rule)).or_default() += 1;
        }
        if state == State::Unexpected {
            self.unexpected.push(index, rule);
        }
        if case.seconds >= SLOW {
            model.slow.push((index, case.seconds));
            model.slow.sort_by(|a, b| b.1.total_cmp(&a.1));
            model.slow.truncate(SLOWEST);
        }
        if case.has_remarks() {
            let case = model.cases().get(index);
            let is_flaky = case.remarks.iter().any(|remark| remark.starts_with("flaky"));
            let Remarks { flaky, others } = &mut model.remarks;
            if is_flaky { flaky } else { others }.push(index, REMARKS);
        }
    }

    /// All is counted, of so many rules.
    fn into_model(mut self, rules: usize) -> RunModel<'r> {
        self.make_room(rules);
        let blocks = self.unexpected.blocks(self.model.cases());
        let pages = self.unexpected.with_page(&blocks);
        RunModel { blocks, pages, ..self.model }
    }
}

/// The place in the suite of the question by which it disputes a case.
fn question(suite: &Suite, id: &str) -> Option<usize> {
    let question = suite.question(suite.expectation(&suite.case(id).ok()?))?;
    suite.questions().iter().position(|known| known.id == question.id)
}

/// Whether two cases, one behind the other, have the same rule and dialect.
fn is_of_one_part(a: &Brief, b: &Brief) -> bool {
    let part = |case: &Brief| case.id.len() - CaseId::new(&case.id).point().len();
    let (of_a, of_b) = (part(a), part(b));
    a.dialect == b.dialect && a.id.as_bytes()[..of_a] == b.id.as_bytes()[..of_b]
}
