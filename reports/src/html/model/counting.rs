//! The cases of a run, counted in one pass.

use std::collections::BTreeMap;

use expectations::{case_id::CaseId, dialect::Dialect, verdict::Verdict};
use generator::{random::Kind, suite::Suite};
use results::{cases::Brief, run::Run, text::one_line};

use super::{
    DIALECTS, REMARKS,
    rule::{FOREIGN, RuleModel},
    run::{OfRule, Part, Remarks, RunView},
};
use crate::html::{
    blocks::UnexpectedFindings,
    names::slug,
    tally::{State, Tally},
};

/// Number of foreign rules with a page of their own; the others share one.
const FOREIGN_RULES: usize = 100;

/// Number of deviations of one look on a rule's page; the table of all cases has the others.
const LISTED: usize = 100;

/// Number of slow cases that are named; `SLOW` has the seconds from which on a case is slow.
const SLOWEST: usize = 10;
const SLOW: f64 = 0.5;

/// A run while its cases are counted.
pub(super) struct Counting<'r> {
    suite: &'r Suite,
    model: RunView<'r>,
    unexpected: UnexpectedFindings,
}

impl<'r> Counting<'r> {
    /// Counts the cases of a run, and adds unknown rules.
    pub(super) fn of(
        suite: &'r Suite,
        run: &'r Run,
        name: String,
        slug: String,
        rules: &mut Vec<RuleModel>,
        known: &mut BTreeMap<String, usize>,
    ) -> Self {
        let model = RunView {
            run,
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
        let mut counting = Self { suite, model, unexpected: UnexpectedFindings::default() };
        let mut before: Option<(Brief, usize, usize)> = None;
        for (index, case) in run.cases.briefs().enumerate() {
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
        if case.expectation == Verdict::Disputed {
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

    /// Returns the view of the run after all cases are counted; `rules` is the number of rules.
    pub(super) fn into_model(mut self, rules: usize) -> RunView<'r> {
        self.make_room(rules);
        let blocks = self.unexpected.blocks(self.model.cases());
        let pages = self.unexpected.with_page(&blocks);
        RunView { blocks, pages, ..self.model }
    }
}

/// Returns the index of the question by which the suite disputes a case.
fn question(suite: &Suite, id: &str) -> Option<usize> {
    let question = suite.question(suite.expectation(&suite.case(id).ok()?))?;
    suite.questions().iter().position(|known| known.id == question.id)
}

/// Whether two neighbouring cases have the same rule and dialect.
fn is_of_one_part(a: &Brief, b: &Brief) -> bool {
    let part = |case: &Brief| case.id.len() - CaseId::new(&case.id).point().len();
    let (of_a, of_b) = (part(a), part(b));
    a.dialect == b.dialect && a.id.as_bytes()[..of_a] == b.id.as_bytes()[..of_b]
}

/// Returns the indices of rule and dialect of a case; adds an unknown rule.
fn place(
    case: &Brief,
    rules: &mut Vec<RuleModel>,
    known: &mut BTreeMap<String, usize>,
) -> (usize, usize) {
    let id = CaseId::new(&case.id);
    let (rule_id, dialect) = (id.rule(), id.dialect());
    let dialect = Dialect::ALL
        .iter()
        .position(|known| known.name() == dialect && *known == case.dialect)
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

/// Returns the statement for a rule that the suite does not have.
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
