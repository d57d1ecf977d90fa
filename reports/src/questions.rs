//! The page on open questions of the text, for the specification's maintainers.

use std::collections::{BTreeMap, BTreeSet};

use expectations::{
    document,
    question::{Behaviour, Question, QuestionKind, Smallest},
    rule::{Clause, Expectation, Rule},
    verdict::Verdict,
};
use generator::suite::Suite;
use results::text::plural;
use serde::Serialize;
use tera::Context;

use crate::manual::{PageError, page_templates};

/// Path of the page below `docs`.
pub const PAGE: &str = "disputed.md";

/// A question for pages.
#[derive(Clone, Serialize)]
pub(crate) struct QuestionView {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) unclear: String,
    readings: Vec<ReadingView>,
    programs: Vec<ProgramView>,
    pub(crate) rules: Vec<RuleView>,
}

#[derive(Clone, Serialize)]
struct ReadingView {
    verdict: Verdict,
    because: String,
    hurts: String,
    clauses: Vec<ClauseView>,
}

#[derive(Clone, Serialize)]
struct ClauseView {
    text: String,
    link: Option<String>,
}

#[derive(Clone, Serialize)]
struct ProgramView {
    what: String,
    options: String,
    needs: String,
    /// Name of the language behind the fence of its block.
    fence: &'static str,
    source: String,
    seen: Vec<SeenView>,
}

#[derive(Clone, Serialize)]
struct SeenView {
    behaviour: &'static str,
    implementations: String,
}

/// A rule with disputed cases.
#[derive(Clone, Serialize)]
pub(crate) struct RuleView {
    pub(crate) id: String,
    /// Number of disputed cases; `None` if they were not counted.
    cases: Option<String>,
}

#[derive(Serialize)]
struct Section {
    title: &'static str,
    about: &'static str,
    index: Vec<IndexRow>,
    questions: Vec<QuestionView>,
}

/// A question in the table above its section.
#[derive(Serialize)]
struct IndexRow {
    id: String,
    title: String,
    /// Names of the documents that the readings cite.
    documents: String,
    /// Whether implementations agree.
    implementations: &'static str,
    rules: usize,
    cases: usize,
    /// Address of its issue.
    filed: Option<String>,
}

impl IndexRow {
    fn of(question: &Question, cases: Option<&BTreeMap<&str, usize>>) -> Self {
        Self {
            id: question.id.clone(),
            title: question.title.clone(),
            documents: documents(question),
            implementations: match question.is_answered_differently() {
                None => "one seen",
                Some(true) => "differ",
                Some(false) => "agree",
            },
            filed: question.filed.clone(),
            rules: cases.map_or(0, BTreeMap::len),
            cases: cases.map_or(0, |cases| cases.values().sum()),
        }
    }
}

/// Returns the documents that the readings of a question cite, each once.
fn documents(question: &Question) -> String {
    let clauses = question.readings.iter().flat_map(|reading| &reading.clauses);
    let documents: BTreeSet<&str> = clauses.map(|clause| clause.document.as_str()).collect();
    Vec::from_iter(documents).join(", ")
}

/// Returns title and description of a kind of question.
pub(crate) const fn words(kind: QuestionKind) -> (&'static str, &'static str) {
    match kind {
        QuestionKind::Open => (
            "What the text leaves open",
            "The text contradicts itself, or is silent. An answer would decide whether the \
             programs are valid.",
        ),
        QuestionKind::Undefined => (
            "What the text forbids and asks no diagnostic for",
            "Such a program is wrong, and a compiler that reports nothing conforms. It is open \
             whether a compiler that rejects it conforms, and whether the text should require a \
             diagnostic.",
        ),
        QuestionKind::Implementation => (
            "What the text leaves to the implementation",
            "Both answers conform, by intent or because the question never came up. A portable \
             program avoids it.",
        ),
    }
}

/// Counts the disputed cases of each rule, by question.
fn disputed_cases(suite: &Suite) -> BTreeMap<&str, BTreeMap<&str, usize>> {
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for case in suite.all_cases() {
        let rule = &suite.rules()[case.rule];
        if let Expectation::Disputed { question } = rule.expectation(&case.point, case.dialect) {
            *counts.entry(question).or_default().entry(&rule.id).or_default() += 1;
        }
    }
    counts
}

/// Returns a question with the rules it leaves open, each with its disputed cases where they were counted.
pub(crate) fn view(
    suite: &Suite,
    question: &Question,
    cases: Option<&BTreeMap<&str, usize>>,
) -> QuestionView {
    let is_open = |rule: &&Rule| {
        let mut expectations = rule.expect.iter();
        expectations.any(|(_, expectation)| {
            suite.question(expectation).is_some_and(|named| named.id == question.id)
        })
    };
    let rules = suite.rules().iter().filter(is_open);
    QuestionView {
        id: question.id.clone(),
        title: question.title.clone(),
        unclear: question.unclear.clone(),
        readings: question
            .readings
            .iter()
            .map(|reading| ReadingView {
                verdict: reading.verdict,
                because: reading.because.clone(),
                hurts: reading.hurts.clone(),
                clauses: clauses(&reading.clauses),
            })
            .collect(),
        programs: question.programs.iter().map(program).collect(),
        rules: rules
            .map(|rule| RuleView {
                id: rule.id.clone(),
                cases: cases
                    .map(|cases| plural(cases.get(rule.id.as_str()).copied().unwrap_or(0), "case")),
            })
            .collect(),
    }
}

/// Returns the sections of clauses, each once.
fn clauses(clauses: &[Clause]) -> Vec<ClauseView> {
    let mut views: Vec<ClauseView> = Vec::new();
    for Clause { document, anchor, .. } in clauses {
        let text = format!("{document} [{anchor}]");
        if views.iter().all(|view| view.text != text) {
            let link = document::find(document).and_then(|document| document.link(anchor));
            views.push(ClauseView { text, link });
        }
    }
    views
}

fn program(program: &Smallest) -> ProgramView {
    let needs = program.needs.iter().map(|needed| needed.facts().name);
    let features = program.dialect.features().into_iter();
    let needs: Vec<&str> = features.chain(needs).collect();
    let seen = Behaviour::ALL.into_iter().map(|behaviour| {
        let those = program.seen.iter().filter(|(seen, _)| *seen == behaviour);
        let names: Vec<String> = those.map(|(_, named)| named.to_string()).collect();
        SeenView { behaviour: behaviour.name(), implementations: names.join("; ") }
    });
    ProgramView {
        what: program.what.clone(),
        options: program.dialect.std_option(),
        needs: needs.join(", "),
        fence: program.dialect.language.fence(),
        source: program.source.clone(),
        seen: seen.filter(|seen| !seen.implementations.is_empty()).collect(),
    }
}

/// Returns the page, from the questions of the suite.
///
/// # Errors
///
/// Fails if the page's template is wrong.
pub fn page(suite: &Suite) -> Result<String, PageError> {
    let cases = disputed_cases(suite);
    let section = |kind: QuestionKind| {
        let (title, about) = words(kind);
        let of_kind = suite.questions().iter().filter(|question| question.kind == kind);
        let of_kind: Vec<_> =
            of_kind.map(|question| (question, cases.get(question.id.as_str()))).collect();
        Section {
            title,
            about,
            index: of_kind.iter().map(|(question, cases)| IndexRow::of(question, *cases)).collect(),
            questions: of_kind
                .iter()
                .map(|(question, cases)| view(suite, question, *cases))
                .collect(),
        }
    };
    let sections = QuestionKind::ALL.map(section);
    let mut context = Context::new();
    let rules: BTreeSet<&str> = cases.values().flat_map(BTreeMap::keys).copied().collect();
    context.insert("count", &suite.questions().len());
    context.insert("rules", &rules.len());
    context.insert("cases", &cases.values().flat_map(BTreeMap::values).sum::<usize>());
    context.insert("sections", &sections);
    Ok(page_templates()?.render("disputed.md.tera", &context)?)
}
