//! The suite: rules and templates together, from which cases are listed, found and rendered.

use std::collections::BTreeSet;

use expectations::{
    case_id::CaseId,
    catalogue::{CATALOGUE_PATH, Catalogue, load_catalogue},
    dialect::{Dialect, Language},
    load::{FileError, Names, RuleSource, load_rules},
    located::{Part, error_at},
    predicate::suggestion,
    probe::Probe,
    question::{QUESTIONS_PATH, Question, is_unnamed, load_all},
    renamed,
    requirement::Requirement,
    rule::{Clause, Expectation, Rule, Wrong, typed_choice},
};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::{
    file_scope_names::without_prefix,
    files::{Parts, SuiteFiles},
    no_such_case::NoSuchCase,
    points::{self, SelectedPoint},
    random::RandomCase,
    selections::Selections,
    templates::{Kernel, PointOf, TemplateError, Templates, read_probe},
    types,
};

/// Rules and templates, checked against each other.
pub struct Suite {
    rules: Vec<Rule>,
    pub(crate) templates: Templates,
    sources: Vec<RuleSource>,
    questions: Vec<Question>,
    catalogue: Catalogue,
    hash: String,
    selections: Selections,
}

/// One case: a point of a rule in a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// `family/rule/dialect/axis=value,...`; depends on parameters only.
    pub id: String,
    /// Index of the rule in [`Suite::rules`].
    pub rule: usize,
    pub dialect: Dialect,
    /// The choice on every axis.
    pub point: Vec<u16>,
    /// Id of the nearest valid case, for invalid cases.
    pub control: Option<String>,
    /// Requirements of the case besides its dialect.
    pub requirements: Vec<Requirement>,
}

/// Error that makes the suite unusable.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// Rule files are wrong; every error of every file.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Rules(Vec<FileError>),
    /// A template is wrong, or does not fit a rule.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

impl Suite {
    /// Returns the suite that ships with the program.
    pub fn embedded() -> Result<Self, SuiteError> {
        Self::from_files(SuiteFiles::embedded())
    }

    /// Builds the suite of these files.
    pub fn from_files(files: SuiteFiles) -> Result<Self, SuiteError> {
        let Parts { rules: sources, kernels, probes, catalogue, questions, has_own_rules } =
            files.into_parts();
        let questions = load_all(&questions).map_err(SuiteError::Rules)?;
        let ids: Vec<&str> = questions.iter().map(|question| question.id.as_str()).collect();
        let templates = Templates::from_sources(kernels, probes)?;
        let (kernels, probes) = (templates.kernels(), templates.probes());
        let names = Names { kernels: &kernels, probes: &probes, questions: &ids };
        let rules = load_rules(&sources, names).map_err(SuiteError::Rules)?;
        let stray = templates.stray(&rules);
        if !stray.is_empty() {
            return Err(SuiteError::Rules(stray));
        }
        let catalogue = load_catalogue(CATALOGUE_PATH, &catalogue)
            .map_err(|error| SuiteError::Rules(vec![error]))?;
        let hash = hash(&sources, &templates);
        let selections = Selections::new(rules.len());
        let suite = Self { rules, templates, sources, questions, catalogue, hash, selections };
        let mut errors = suite.unnamed_questions(has_own_rules);
        for rule in &suite.rules {
            for id in rule.covers.iter().filter(|id| !suite.catalogue.ids.contains(id)) {
                let requirements: Vec<&str> =
                    suite.catalogue.ids.iter().map(String::as_str).collect();
                let hint = short_hint(id, &requirements, CATALOGUE_PATH);
                let message = format!("`{id}` is not a requirement{hint}");
                errors.push(suite.error_at(rule, Part::Covered(id), message));
            }
            if let Err(misfit) = suite.templates.check(rule) {
                errors.push(suite.error_at(rule, misfit.part, misfit.message));
            }
        }
        if !errors.is_empty() {
            return Err(SuiteError::Rules(errors));
        }
        suite.templates.check_laws(&suite.rules)?;
        Ok(suite)
    }

    /// Questions that no rule names. Those inside the program stay where a rule that named one was replaced.
    fn unnamed_questions(&self, has_own_rules: bool) -> Vec<FileError> {
        let can_mend = |question: &&Question| has_own_rules || question.path != QUESTIONS_PATH;
        let unnamed = self.questions.iter().filter(can_mend);
        let unnamed = unnamed.filter(|question| is_unnamed(question, &self.rules));
        let error = |question: &Question| FileError {
            path: question.path.clone(),
            line: question.line,
            column: 1,
            message: format!(
                "no rule names the question `{0}`: write `question = \"{0}\"` in the [[expect]] it \
                 leaves open, or remove it",
                question.id
            ),
        };
        unnamed.map(error).collect()
    }

    /// Checks that each rejected case of OpenCL C breaks a rule that the checker can name: one of `known`.
    pub fn check_prohibitions(&self, known: &[&str]) -> Result<(), SuiteError> {
        let mut errors = Vec::new();
        for rule in self.rules.iter().filter(|rule| rule.is_of(Language::OpenclC)) {
            let unknown = rule.expect.iter().find_map(|(_, expectation)| match expectation {
                Expectation::Reject { breaks } if !known.contains(&breaks.as_str()) => Some(breaks),
                _ => None,
            });
            if let Some(breaks) = unknown {
                let hint = short_hint(breaks, known, "checker/src/rule.rs");
                let message = format!(
                    "a rejected case breaks `{breaks}`, which the checker does not know: name the prohibition it violates, as `breaks = \"conversion/implicit\"`{hint}"
                );
                errors.push(self.error_at(rule, Part::Rejection, message));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(SuiteError::Rules(errors)) }
    }

    /// Returns an error at a clause of a rule.
    pub fn at_clause(&self, rule: &Rule, clause: &Clause, message: String) -> FileError {
        let words = [clause.hash.as_deref().unwrap_or(&clause.anchor), &clause.anchor];
        self.error_at(rule, Part::Words(words), message)
    }

    pub(crate) fn error_at(&self, rule: &Rule, part: Part<'_>, message: String) -> FileError {
        match self.sources.iter().find(|source| source.id == rule.id) {
            Some(source) => error_at(source, part, message),
            None => FileError { path: rule.path.clone(), line: 1, column: 1, message },
        }
    }

    /// Returns the rules, in the order of their ids.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns the paths in the repository of the templates that a rule's cases are made of.
    pub fn template_files(&self, rule: &Rule) -> BTreeSet<String> {
        self.templates.files_of(rule)
    }

    /// Returns the index of a rule by its current or former id.
    pub fn rule_place(&self, id: &str) -> Option<usize> {
        let id = &*renamed::current(id);
        self.rules.iter().position(|rule| rule.id == id)
    }

    /// Returns the requirements that rules cover.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns the questions that the text leaves open.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Returns the question that makes an expectation disputed; `None` if it is not.
    pub fn question(&self, expectation: &Expectation) -> Option<&Question> {
        let Expectation::Disputed { question } = expectation else { return None };
        self.questions.iter().find(|known| known.id == *question)
    }

    /// Returns the rule of a case.
    pub fn rule(&self, case: &Case) -> &Rule {
        &self.rules[case.rule]
    }

    /// Returns the expectation for a case.
    pub fn expectation(&self, case: &Case) -> &Expectation {
        self.rule(case).expectation(&case.point, case.dialect)
    }

    /// Returns the cases of these rules (indices) in these dialects, in the order of their ids.
    pub fn cases(&self, rules: &[usize], dialects: &[Dialect]) -> Vec<Case> {
        let of_rule =
            |&rule: &usize| dialects.iter().flat_map(move |&dialect| self.cases_in(rule, dialect));
        let mut cases: Vec<Case> = rules.par_iter().flat_map_iter(of_rule).collect();
        cases.par_sort_unstable_by(|a, b| a.id.cmp(&b.id));
        cases
    }

    /// Returns the valid cases of a rule (an index), in every dialect.
    pub(crate) fn accepted(&self, rule: usize) -> impl Iterator<Item = Case> + '_ {
        let in_dialect = move |&dialect: &Dialect| {
            let selected = self.selections.of(rule, &self.rules[rule], dialect).iter();
            let accepted = selected.filter(move |selected| {
                let expectation = self.rules[rule].expectation(&selected.point, dialect);
                *expectation == Expectation::Accept
            });
            accepted.map(move |selected| self.case_of(rule, dialect, selected))
        };
        Dialect::ALL.iter().flat_map(in_dialect)
    }

    /// Returns the ids of the controls of a rule (an index), in every dialect.
    pub fn controls(&self, rule: usize) -> impl Iterator<Item = String> + '_ {
        let in_dialect = move |&dialect: &Dialect| {
            let selected = self.selections.of(rule, &self.rules[rule], dialect).iter();
            let mut controls: Vec<&[u16]> =
                selected.filter_map(|selected| selected.control.as_deref()).collect();
            controls.sort_unstable();
            controls.dedup();
            controls.into_iter().map(move |control| case_id(&self.rules[rule], dialect, control))
        };
        Dialect::ALL.iter().flat_map(in_dialect)
    }

    fn cases_in(&self, rule: usize, dialect: Dialect) -> impl Iterator<Item = Case> + '_ {
        let selected = self.selections.of(rule, &self.rules[rule], dialect).iter();
        selected.map(move |selected| self.case_of(rule, dialect, selected))
    }

    fn case_of(&self, place: usize, dialect: Dialect, selected: &SelectedPoint) -> Case {
        let rule = &self.rules[place];
        let control = selected.control.as_deref();
        Case {
            id: case_id(rule, dialect, &selected.point),
            rule: place,
            dialect,
            control: control.map(|control| case_id(rule, dialect, control)),
            requirements: requirements(rule, &selected.point, dialect),
            point: selected.point.clone(),
        }
    }

    /// Returns every case of the suite.
    pub fn all_cases(&self) -> Vec<Case> {
        let rules: Vec<usize> = (0..self.rules.len()).collect();
        self.cases(&rules, &Dialect::ALL)
    }

    /// Returns the case of that id without generating any other; its rule may have its former name.
    pub fn case(&self, id: &str) -> Result<Case, NoSuchCase> {
        let reject = |message: String| Err(NoSuchCase::new(message));
        let id = &*renamed::current(id);
        let parsed = CaseId::new(id);
        if id.split('/').count() == 2 && self.rule_place(id).is_none() {
            return reject(self.no_rule(id));
        }
        if !parsed.is_whole() {
            return reject(format!(
                "`{}` is not a case id: it reads family/rule/dialect/axis=value,...",
                id.escape_debug()
            ));
        }
        let (rule_id, dialect, point_name) = (parsed.rule(), parsed.dialect(), parsed.point());
        let Some(index) = self.rules.iter().position(|rule| rule.id == rule_id) else {
            return reject(self.no_rule(rule_id));
        };
        let rule = &self.rules[index];
        let Some(dialect) = Dialect::from_name(dialect) else {
            let known = Dialect::ALL.map(Dialect::name);
            return reject(format!(
                "`{}` is not a dialect{}",
                dialect.escape_debug(),
                suggestion(dialect, &known)
            ));
        };
        let shown = point_name.escape_debug();
        let point = match typed_choice(&rule.axes, point_name) {
            Ok(point) if points::exists(rule, &point, dialect) => point,
            Ok(_) => {
                return reject(format!(
                    "`{shown}` is not a point of {rule_id} in {dialect}: the rule leaves it out \
                     there; `address-spaces list {rule_id}/{dialect}/` prints those that it has"
                ));
            }
            Err(error) => {
                return reject(format!(
                    "`{shown}` is not a point of {rule_id} in {dialect}: {error}"
                ));
            }
        };
        Ok(Case {
            id: case_id(rule, dialect, &point),
            rule: index,
            dialect,
            control: points::control(rule, dialect, &point)
                .map(|control| case_id(rule, dialect, &control)),
            requirements: requirements(rule, &point, dialect),
            point,
        })
    }

    fn no_rule(&self, id: &str) -> String {
        let known: Vec<&str> = self.rules.iter().map(|rule| rule.id.as_str()).collect();
        format!("`{}` is not a rule{}", id.escape_debug(), short_suggestion(id, &known))
    }

    /// Returns the kernel of a case.
    pub fn render(&self, case: &Case) -> Result<Kernel, TemplateError> {
        let rule = self.rule(case);
        let prefix = CaseId::new(&case.id).prefix();
        let kernel = self.templates.render(rule, &point_of(case, &prefix), None)?;
        if kernel.guilty_lines.is_empty()
            && matches!(self.expectation(case), Expectation::Reject { .. })
        {
            return Err(TemplateError::NoGuiltyLine {
                template: self.templates.file_of(&rule.template),
                case: case.id.clone(),
            });
        }
        // A module is a program of its own: its names meet no others.
        if *self.expectation(case) == Expectation::Accept
            && case.dialect.language.joins_programs()
            && let Some(name) = without_prefix(&kernel.source, &prefix)
        {
            return Err(self.templates.without_prefix(&rule.template, &case.id, name));
        }
        Ok(enable_extensions(kernel, case))
    }

    /// Returns the program and the probe of a case as text that is equal for two cases which differ only in their ids.
    pub(crate) fn text_for_comparison(&self, case: &Case) -> Result<String, TemplateError> {
        let rule = self.rule(case);
        let point = PointOf { seed: 0, ..point_of(case, NEUTRAL_PREFIX) };
        let kernel = enable_extensions(self.templates.render(rule, &point, None)?, case);
        let probe = self.templates.render_probe(rule, &point)?.unwrap_or_default();
        Ok(kernel.source + &probe)
    }

    /// Whether a case is run with something.
    pub fn has_probe(&self, case: &Case) -> bool {
        *self.expectation(case) == Expectation::Accept && self.rule(case).probe.is_some()
    }

    /// Returns the text of the probe of a case, if it is executed: only valid programs are.
    pub fn probe_text(&self, case: &Case) -> Result<Option<String>, TemplateError> {
        if !self.has_probe(case) {
            return Ok(None);
        }
        let prefix = CaseId::new(&case.id).prefix();
        self.templates.render_probe(self.rule(case), &point_of(case, &prefix))
    }

    /// Returns the probe of a case, if it is executed.
    pub fn probe(&self, case: &Case) -> Result<Option<Probe>, TemplateError> {
        let text = self.probe_text(case)?;
        text.map(|text| read_probe(self.rule(case), &case.id, &text)).transpose()
    }

    /// Returns the kernels of a case that its probe must find wrong, each with the mistake that it shows.
    pub fn wrong_kernels(&self, case: &Case) -> Result<Vec<(&Wrong, Kernel)>, TemplateError> {
        if *self.expectation(case) != Expectation::Accept {
            return Ok(Vec::new());
        }
        let rule = self.rule(case);
        let prefix = CaseId::new(&case.id).prefix();
        let wrong = rule.wrong.iter().filter(|wrong| wrong.when.holds(&case.point, case.dialect));
        wrong
            .map(|wrong| {
                let point = point_of(case, &prefix);
                let kernel = self.templates.render(rule, &point, Some(&wrong.name))?;
                Ok((wrong, enable_extensions(kernel, case)))
            })
            .collect()
    }

    /// Returns the expectation for a random program: the one that the broken rule has for its own cases.
    pub fn random_expectation(&self, case: &RandomCase) -> &Expectation {
        let Some(broken) = case.broken_rule() else { return &Expectation::Accept };
        self.rules
            .iter()
            .flat_map(|rule| &rule.expect)
            .map(|(_, expectation)| expectation)
            .find(|expectation| matches!(expectation, Expectation::Reject { breaks } if **breaks == *broken))
            .expect("every rule that random programs break is broken by cases of the suite, which a test checks")
    }

    /// Returns a hash of every rule file, template and table: two runs with the same hash ran the same suite.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

/// Replaces the prefix of a case, which would hide that it equals another case.
const NEUTRAL_PREFIX: &str = "c0000000000_";

fn point_of<'c>(case: &'c Case, prefix: &'c str) -> PointOf<'c> {
    PointOf {
        choice: &case.point,
        dialect: case.dialect,
        case: &case.id,
        prefix,
        seed: CaseId::new(&case.id).seed(),
    }
}

fn hash(rules: &[RuleSource], templates: &Templates) -> String {
    let mut rules: Vec<(&str, &str)> =
        rules.iter().map(|rule| (rule.id.as_str(), rule.text.as_str())).collect();
    rules.sort_unstable();
    let templates = templates.sources().iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let mut hash = Sha256::new();
    for (name, text) in rules.into_iter().chain(templates) {
        for part in [name, text] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
    }
    hash.update(format!("{:?}{:?}", types::TYPES, expectations::requirement::REQUIREMENTS));
    hex(&hash.finalize(), 16)
}

/// Returns the kernel with the pragmas that enable the extensions which the case needs. A module declares what it needs
/// itself.
fn enable_extensions(kernel: Kernel, case: &Case) -> Kernel {
    if case.dialect.language == Language::Spirv {
        return kernel;
    }
    let enabled: Vec<String> = case
        .requirements
        .iter()
        .filter_map(|requirement| requirement.extension_to_enable(case.dialect.version))
        .map(|extension| format!("#pragma OPENCL EXTENSION {extension} : enable\n"))
        .collect();
    let lines = enabled.len() as u32;
    Kernel {
        source: enabled.concat() + &kernel.source,
        guilty_lines: kernel.guilty_lines.into_iter().map(|line| line + lines).collect(),
    }
}

fn short_hint(name: &str, known: &[&str], file: &str) -> String {
    match expectations::predicate::nearest(name, known.iter().copied()) {
        Some(candidate) => format!("; did you mean `{candidate}`?"),
        None => format!("; {file} lists all of them"),
    }
}

fn short_suggestion(name: &str, known: &[&str]) -> String {
    match expectations::predicate::nearest(name, known.iter().copied()) {
        Some(candidate) => format!("; did you mean `{candidate}`?"),
        None => "; `address-spaces list` prints every case".to_owned(),
    }
}

fn case_id(rule: &Rule, dialect: Dialect, point: &[u16]) -> String {
    CaseId::written(&rule.id, dialect, &rule.point_name(point))
}

/// Returns the requirements of a point by its rule and by its types.
fn requirements(rule: &Rule, point: &[u16], dialect: Dialect) -> Vec<Requirement> {
    let mut needed = rule.requirements(point, dialect);
    for ((axis, values), &value) in rule.axes.iter().zip(point) {
        if types::is_type_axis(axis) {
            needed.extend(
                types::find(&values[usize::from(value)]).and_then(|facts| facts.requirement),
            );
        }
    }
    // Stores to small objects are optional in 1.0 only.
    needed.retain(|&requirement| {
        requirement != Requirement::ByteAddressableStore
            || dialect.version == expectations::dialect::Version::V1_0
    });
    needed.sort_unstable();
    needed.dedup();
    needed
}

fn hex(bytes: &[u8], digits: usize) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .take(digits)
        .map(|digit| char::from_digit(u32::from(digit), 16).unwrap_or('0'))
        .collect()
}
