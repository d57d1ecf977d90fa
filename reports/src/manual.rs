//! The manual's generated pages: one per rule, their index, and the trace from the reference pages; Markdown.

use std::{collections::BTreeMap, fmt::Write as _};

use expectations::{
    case_id::CaseId,
    catalogue::{CATALOGUE, CATALOGUE_PATH, load_catalogue},
    dialect::{Dialect, Language},
    families::{FAMILIES, FAMILIES_PATH, load_families},
    load::FileError,
    only_c::{ONLY_C, ONLY_C_PATH, load_only_c},
    question::Question,
    reference_pages::{
        Fate, PageLine, REFERENCE_PAGES, REFERENCE_PAGES_PATH, load_reference_pages, pages,
    },
    rule::{Expectation, Rule, Section},
};
use generator::{
    suite::{Case, Suite},
    templates::{TemplateError, delimiters},
};
use rayon::prelude::*;
use serde::Serialize;
use tera::{Context, Tera};
use thiserror::Error;

/// A page that cannot be made.
#[derive(Debug, Error)]
pub enum PageError {
    /// A kernel cannot be rendered.
    #[error(transparent)]
    Kernel(#[from] TemplateError),
    /// A data file is wrong.
    #[error(transparent)]
    File(#[from] FileError),
    /// A baseline entry has no example, or a wrong one.
    #[error("{place}: {message}")]
    Example {
        /// Place of the entry.
        place: String,
        /// Description of the error.
        message: String,
    },
    /// The page's template is wrong.
    #[error("a page template is wrong: {0}")]
    Page(#[from] tera::Error),
}

#[derive(Serialize)]
pub(crate) struct Example {
    title: &'static str,
    /// Id of the case; `None` for a program that is not a case.
    id: Option<String>,
    text: String,
    /// Name of the language behind the fence of its block.
    fence: &'static str,
    source: String,
}

impl Example {
    /// Returns an example from a program that is not a case.
    pub(crate) fn of_text(title: &'static str, text: String, source: String) -> Self {
        Self { title, id: None, text, fence: Language::OpenclC.fence(), source }
    }

    /// Returns the program.
    pub(crate) fn into_source(self) -> String {
        self.source
    }
}

#[derive(Serialize)]
struct WrongRow<'r> {
    name: &'r str,
    what: &'r str,
}

#[derive(Serialize)]
struct DialectRow {
    name: &'static str,
    accept: usize,
    reject: usize,
    disputed: usize,
}

#[derive(Serialize)]
struct AxisRow<'r> {
    name: &'r str,
    values: String,
}

#[derive(Serialize)]
struct IndexRow {
    id: String,
    statement: String,
    accept: usize,
    reject: usize,
    disputed: usize,
}

#[derive(Serialize)]
struct IndexFamily {
    name: String,
    about: String,
    rules: Vec<IndexRow>,
}

#[derive(Serialize)]
struct DocumentRow {
    id: &'static str,
    title: &'static str,
    url: Option<&'static str>,
}

#[derive(Serialize)]
struct TraceRow {
    pages: String,
    hashes: String,
    what: String,
    rules: String,
    cases: usize,
    why: String,
}

#[derive(Serialize)]
struct RunRow<'c> {
    id: &'c str,
    why: &'c str,
}

/// Returns every generated page: path below `docs`, and text.
pub fn generated_pages(suite: &Suite) -> Result<BTreeMap<String, String>, PageError> {
    let tera = page_templates()?;
    let cases = suite.all_cases();
    let mut of_rule: Vec<Vec<&Case>> = vec![Vec::new(); suite.rules().len()];
    for case in &cases {
        of_rule[case.rule].push(case);
    }
    let only_c = load_only_c(ONLY_C_PATH, ONLY_C, suite.rules())?;
    let pages = suite.rules().par_iter().zip(&of_rule).map(|(rule, cases)| {
        let mut context = rule_context(suite, rule, cases)?;
        context.insert("only_c", &only_c.get(&rule.id));
        Ok((format!("rules/{}.md", rule.id), tera.render("rule.md.tera", &context)?))
    });
    let mut pages: BTreeMap<String, String> = pages.collect::<Result<_, PageError>>()?;
    pages.insert(
        "rules/README.md".to_owned(),
        tera.render("rules.md.tera", &index_context(suite, &of_rule)?)?,
    );
    pages.insert(
        "trace.md".to_owned(),
        tera.render("trace.md.tera", &trace_context(suite, &of_rule)?)?,
    );
    Ok(pages)
}

/// Returns the book's table of contents: `chapters` by file and title, then every rule.
pub fn contents(suite: &Suite, chapters: &[(String, String)]) -> Result<String, PageError> {
    let mut families: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in suite.rules() {
        families.entry(rule.family()).or_default().push(rule);
    }
    let families: Vec<ContentsFamily<'_>> = families
        .into_iter()
        .map(|(name, rules)| ContentsFamily {
            name,
            rules: rules.iter().map(|rule| ContentsRule { id: &rule.id }).collect(),
        })
        .collect();
    let mut context = Context::new();
    context.insert("chapters", chapters);
    context.insert("families", &families);
    Ok(page_templates()?.render("SUMMARY.md.tera", &context)?)
}

#[derive(Serialize)]
struct ContentsFamily<'r> {
    name: &'r str,
    rules: Vec<ContentsRule<'r>>,
}

#[derive(Serialize)]
struct ContentsRule<'r> {
    id: &'r str,
}

pub(crate) fn page_templates() -> Result<Tera, tera::Error> {
    let mut tera = Tera::new();
    tera.set_delimiters(delimiters())?;
    tera.add_raw_templates([
        ("rule.md.tera", include_str!("../../templates/reports/rule.md.tera")),
        ("rules.md.tera", include_str!("../../templates/reports/rules.md.tera")),
        ("SUMMARY.md.tera", include_str!("../../templates/reports/SUMMARY.md.tera")),
        ("trace.md.tera", include_str!("../../templates/reports/trace.md.tera")),
        ("upstream.md.tera", include_str!("../../templates/reports/upstream.md.tera")),
        ("cause.md.tera", include_str!("../../templates/reports/cause.md.tera")),
        ("findings.md.tera", include_str!("../../templates/reports/findings.md.tera")),
        ("baseline.md.tera", include_str!("../../templates/reports/baseline.md.tera")),
        ("disputed.md.tera", include_str!("../../templates/reports/disputed.md.tera")),
    ])?;
    Ok(tera)
}

fn rule_context(suite: &Suite, rule: &Rule, cases: &[&Case]) -> Result<Context, PageError> {
    let mut context = Context::new();
    context.insert("id", &rule.id);
    context.insert("statement", &rule.statement);
    context.insert("clauses", &clauses(rule));
    context.insert("covers", &code_list(&rule.covers));
    let points = match rule.strength {
        Some(strength) => format!("every combination of values on any {strength} axes"),
        None => "the full product of the axes".to_owned(),
    };
    context.insert("points", &points);
    context.insert("one_sided", &rule.one_sided);
    let axes: Vec<AxisRow<'_>> = rule
        .axes
        .iter()
        .map(|(name, values)| AxisRow { name, values: code_list(values) })
        .collect();
    context.insert("axes", &axes);
    let dialects: Vec<DialectRow> = Dialect::ALL
        .into_iter()
        .filter(|dialect| rule.is_of(dialect.language))
        .map(|dialect| {
            let [accept, reject, disputed] =
                counts(suite, cases.iter().copied().filter(|case| case.dialect == dialect));
            DialectRow { name: dialect.name(), accept, reject, disputed }
        })
        .collect();
    context.insert("dialects", &dialects);
    context.insert("examples", &examples(suite, cases)?);
    let links: Vec<QuestionLink<'_>> = questions(suite, rule)
        .into_iter()
        .map(|question| QuestionLink { id: &question.id, title: &question.title })
        .collect();
    context.insert("questions", &links);
    context.insert("probe", &probe(suite, cases)?);
    let wrong: Vec<WrongRow<'_>> =
        rule.wrong.iter().map(|wrong| WrongRow { name: &wrong.name, what: &wrong.what }).collect();
    context.insert("wrong", &wrong);
    context.insert("notes", &rule.notes.as_deref().map(str::trim));
    Ok(context)
}

#[derive(Serialize)]
struct QuestionLink<'q> {
    id: &'q str,
    title: &'q str,
}

/// Returns the open questions of a rule, each once.
pub(crate) fn questions<'s>(suite: &'s Suite, rule: &Rule) -> Vec<&'s Question> {
    let mut questions: Vec<&Question> = Vec::new();
    for question in rule.expect.iter().filter_map(|(_, expectation)| suite.question(expectation)) {
        if questions.iter().all(|known| known.id != question.id) {
            questions.push(question);
        }
    }
    questions
}

/// Returns one line per document and section, with the hashes of the cited sentences.
pub(crate) fn clauses(rule: &Rule) -> Vec<String> {
    let line = |section: Section<'_>| {
        let hashes: Vec<String> = section.hashes.iter().map(|hash| format!("`{hash}`")).collect();
        format!("{} `[{}]` {}", section.document, section.anchor, hashes.join(" "))
            .trim_end()
            .to_owned()
    };
    rule.sections().into_iter().map(line).collect()
}

pub(crate) fn code_list(values: &[String]) -> String {
    values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(" ")
}

fn counts<'c>(suite: &Suite, cases: impl Iterator<Item = &'c Case>) -> [usize; 3] {
    let mut counts = [0; 3];
    for case in cases {
        counts[class(suite.expectation(case))] += 1;
    }
    counts
}

fn class(expectation: &Expectation) -> usize {
    match expectation {
        Expectation::Accept => 0,
        Expectation::Reject { .. } => 1,
        Expectation::Disputed { .. } => 2,
    }
}

/// Returns the probe of the accepted example.
fn probe(suite: &Suite, cases: &[&Case]) -> Result<Option<String>, PageError> {
    let Some(case) = newest(suite, cases, 0) else { return Ok(None) };
    let text = suite.probe_text(case)?;
    Ok(text.map(|text| text.replace(&CaseId::new(&case.id).prefix(), "")))
}

/// Returns a rejection of the newest dialect that has one, with its control, and a disputed case.
fn examples(suite: &Suite, cases: &[&Case]) -> Result<Vec<Example>, PageError> {
    let mut examples = Vec::new();
    let rejected = newest(suite, cases, 1);
    if let Some(case) = rejected
        && let Expectation::Reject { breaks } = suite.expectation(case)
    {
        let text = format!("Rejected: it breaks `{breaks}`.");
        examples.push(example(suite, case, "Rejected", text)?);
    }
    let control =
        rejected.and_then(|case| case.control.as_deref()).and_then(|id| suite.case(id).ok());
    if let Some(control) = control {
        examples.push(example(
            suite,
            &control,
            "Accepted",
            "Valid: the control of the case above.".to_owned(),
        )?);
    } else if let Some(case) = newest(suite, cases, 0) {
        examples.push(example(suite, case, "Accepted", "Valid.".to_owned())?);
    }
    if let Some(case) = newest(suite, cases, 2) {
        examples.push(example(
            suite,
            case,
            "Disputed",
            "Built and shown, never judged.".to_owned(),
        )?);
    }
    Ok(examples)
}

/// Returns the case of the newest dialect with the wanted verdict; of one dialect the first in order.
fn newest<'c>(suite: &Suite, cases: &[&'c Case], wanted: usize) -> Option<&'c Case> {
    let wanted = cases.iter().copied().filter(|case| class(suite.expectation(case)) == wanted);
    wanted.max_by(|a, b| a.dialect.cmp(&b.dialect).then_with(|| b.id.cmp(&a.id)))
}

pub(crate) fn example(
    suite: &Suite,
    case: &Case,
    title: &'static str,
    text: String,
) -> Result<Example, PageError> {
    let kernel = suite.render(case)?;
    let language = case.dialect.language;
    let mark_guilty = title == "Rejected";
    let mut source = String::new();
    // A reader of one kernel needs no prefixes.
    let readable = kernel.source.replace(&CaseId::new(&case.id).prefix(), "");
    for (line, number) in readable.lines().zip(1..) {
        source.push_str(line);
        if mark_guilty && kernel.guilty_lines.contains(&number) {
            let _ = write!(source, "  {} <- error", language.comment());
        }
        source.push('\n');
    }
    Ok(Example { title, id: Some(case.id.clone()), text, fence: language.fence(), source })
}

fn index_context(suite: &Suite, of_rule: &[Vec<&Case>]) -> Result<Context, PageError> {
    let mut about = load_families(FAMILIES_PATH, FAMILIES, suite.rules())?;
    let mut families: Vec<IndexFamily> = Vec::new();
    for (rule, cases) in suite.rules().iter().zip(of_rule) {
        let [accept, reject, disputed] = counts(suite, cases.iter().copied());
        let row = IndexRow {
            id: rule.id.clone(),
            statement: rule.statement.clone(),
            accept,
            reject,
            disputed,
        };
        match families.last_mut().filter(|family| family.name == rule.family()) {
            Some(family) => family.rules.push(row),
            None => families.push(IndexFamily {
                name: rule.family().to_owned(),
                about: about.remove(rule.family()).unwrap_or_default(),
                rules: vec![row],
            }),
        }
    }
    let mut context = Context::new();
    context.insert("rules", &suite.rules().len());
    context.insert("cases", &of_rule.iter().map(Vec::len).sum::<usize>());
    context.insert("dialects", &Dialect::ALL.len());
    context.insert("families", &families);
    Ok(context)
}

fn trace_context(suite: &Suite, of_rule: &[Vec<&Case>]) -> Result<Context, PageError> {
    let catalogue = load_catalogue(CATALOGUE_PATH, CATALOGUE)?;
    let covering = catalogue.covering(suite.rules());
    let cases_of: BTreeMap<&str, usize> = suite
        .rules()
        .iter()
        .zip(of_rule)
        .map(|(rule, cases)| (rule.id.as_str(), cases.len()))
        .collect();
    let (mut decided, mut not_normative) = (Vec::new(), Vec::new());
    for line in load_reference_pages(REFERENCE_PAGES_PATH, REFERENCE_PAGES, &catalogue)? {
        match &line.fate {
            Fate::Requirements(requirements) => {
                let mut rules: Vec<&str> = requirements
                    .iter()
                    .filter_map(|id| covering.get(id.as_str()))
                    .flatten()
                    .copied()
                    .collect();
                rules.sort_unstable();
                rules.dedup();
                let cases = rules.iter().filter_map(|rule| cases_of.get(rule)).sum();
                let shown = rules
                    .iter()
                    .map(|rule| format!("[`{rule}`](rules/{rule}.md)"))
                    .collect::<Vec<_>>();
                decided.push(TraceRow { rules: shown.join(" "), cases, ..trace_row(&line) });
            }
            Fate::NotNormative(why) => {
                not_normative.push(TraceRow { why: why.clone(), ..trace_row(&line) });
            }
        }
    }
    let by_running: Vec<RunRow<'_>> = catalogue
        .not_by_building
        .iter()
        .chain(&catalogue.also_by_running)
        .map(|(id, why)| RunRow { id, why })
        .collect();
    let mut context = Context::new();
    let pages: Vec<DocumentRow> =
        pages().map(|page| DocumentRow { id: page.id, title: page.title, url: page.url }).collect();
    context.insert("pages", &pages);
    context.insert("decided", &decided);
    context.insert("by_running", &by_running);
    context.insert("not_normative", &not_normative);
    Ok(context)
}

fn trace_row(line: &PageLine) -> TraceRow {
    TraceRow {
        pages: code_list(&line.pages),
        hashes: line.hashes.iter().map(|hash| format!("`{hash}`")).collect::<Vec<_>>().join(" "),
        what: line.what.clone(),
        rules: String::new(),
        cases: 0,
        why: String::new(),
    }
}
