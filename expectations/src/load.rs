//! Rule files: TOML in, checked [`Rule`] out, every rejection with file, line and what was meant.

use std::{collections::BTreeMap, fmt, ops::Range};

use serde::Deserialize;
use toml::Spanned;

use crate::{
    dialect::Language,
    document::{self, DOCUMENTS},
    predicate::{self, Axes, Predicate, suggestion},
    requirement::Requirement,
    rule::{Clause, Expectation, Rule, Wrong},
    verdict::Verdict,
};

/// A rule file: its path and its text.
#[derive(Clone, Debug)]
pub struct RuleSource {
    /// `family/name`, from the path below the folder of rules.
    pub id: String,
    /// The path shown in errors.
    pub path: String,
    pub text: String,
}

/// Names that rules can refer to.
#[derive(Clone, Copy, Debug)]
pub struct Names<'n> {
    /// Templates of kernels, each by its path below its folder, without ending.
    pub kernels: &'n [&'n str],
    /// Templates of probes, by path in the same way.
    pub probes: &'n [&'n str],
    /// Ids of the questions that the text leaves open.
    pub questions: &'n [&'n str],
}

/// Beginning of the names of templates that rules share.
pub const SHARED: &str = "shared/";

/// Error in a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Description of the mistake, and what to write instead.
    pub message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path, self.line, self.column, self.message)
    }
}

impl std::error::Error for FileError {}

/// The most points the product of a rule's axes may have.
pub const MAX_PRODUCT: usize = 1_000_000;

/// Reads every rule. Returns the rules in the order of their ids, or every error of every file.
pub fn load_rules(sources: &[RuleSource], names: Names<'_>) -> Result<Vec<Rule>, Vec<FileError>> {
    let mut errors = Vec::new();
    let mut rules: BTreeMap<String, Rule> = BTreeMap::new();
    for source in sources {
        match load_rule(source, names) {
            Ok(rule) => {
                if let Some(first) = rules.get(&rule.id) {
                    errors.push(FileError {
                        path: source.path.clone(),
                        line: 1,
                        column: 1,
                        message: format!(
                            "the rule `{}` is already defined in {}",
                            rule.id, first.path
                        ),
                    });
                } else {
                    rules.insert(rule.id.clone(), rule);
                }
            }
            Err(error) => errors.extend(error),
        }
    }
    check_breaks(&rules, sources, &mut errors);
    if errors.is_empty() { Ok(rules.into_values().collect()) } else { Err(errors) }
}

/// Checks that each `breaks` names a rule that has cases to reject and refers to no further rule.
fn check_breaks(
    rules: &BTreeMap<String, Rule>,
    sources: &[RuleSource],
    errors: &mut Vec<FileError>,
) {
    let known: Vec<&str> = rules.keys().map(String::as_str).collect();
    for rule in rules.values() {
        for (_, expectation) in &rule.expect {
            let Expectation::Reject { breaks } = expectation else { continue };
            if rules.contains_key(breaks.as_str()) {
                continue;
            }
            let text = sources.iter().find(|s| s.id == rule.id).map_or("", |s| s.text.as_str());
            let offset = text.find(&format!("\"{breaks}\"")).unwrap_or(0);
            let message = if breaks.is_empty() {
                "`breaks` is empty: name the prohibition that these programs violate, as `breaks = \"conversion/implicit\"`".to_owned()
            } else {
                format!("`{breaks}` is not a rule of the suite{}", suggestion(breaks, &known))
            };
            errors.push(place(&rule.path, text, offset, message));
        }
    }
}

/// Reads one rule file.
pub fn load_rule(source: &RuleSource, names: Names<'_>) -> Result<Rule, Vec<FileError>> {
    let raw: RawRule = from_toml(&source.path, &source.text).map_err(|error| vec![error])?;
    let mut check = Check { source, errors: Vec::new() };
    let rule = check.rule(raw, names);
    if check.errors.is_empty() { Ok(rule) } else { Err(check.errors) }
}

/// Reads the clauses that a data file cites, each as `DOCUMENT#ANCHOR HASH...`, one for each sentence. Mistakes go to
/// `errors`.
pub(crate) fn read_clauses(
    source: &RuleSource,
    raw: &[Spanned<String>],
    errors: &mut Vec<FileError>,
) -> Vec<Clause> {
    let mut check = Check { source, errors: Vec::new() };
    let clauses = check.clauses(raw);
    errors.append(&mut check.errors);
    clauses
}

/// Parses a data file; the error on an unknown key names the nearest known one.
pub fn from_toml<T: serde::de::DeserializeOwned>(path: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        place(path, text, offset, with_suggestion(error.message()))
    })
}

/// Replaces the list of expected keys in serde's message by the nearest one.
fn with_suggestion(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    if message.starts_with("missing field") {
        let key = quoted.next().unwrap_or_default();
        let what = prompt(key).map(|prompt| format!(": {prompt}")).unwrap_or_default();
        return format!("the key `{key}` is missing{what}");
    }
    if !message.starts_with("unknown") {
        return message.trim().to_owned();
    }
    let Some(given) = quoted.next() else { return message.trim().to_owned() };
    let known: Vec<&str> = quoted.collect();
    let what = if message.starts_with("unknown variant") { "value" } else { "key" };
    format!("unknown {what} `{given}`{}", suggestion(given, &known))
}

/// Returns the advice to write under a key that must be there.
pub(crate) fn prompt(key: &str) -> Option<&'static str> {
    Some(match key {
        "statement" => "say in your own words what the rule requires",
        "covers" => {
            "list the requirements that the rule decides, as `covers = [\"conv.assign-disjoint\"]`; `address-spaces dev requirements WORD` prints those with that word"
        }
        "template" => "name a template of templates/kernels/, without ending",
        "axes" => "say what varies, as `[axes]` and a line `space = [\"global\", \"local\"]`",
        "expect" => "say in [[expect]] which points are accepted and which rejected",
        "verdict" => "write `accept`, `reject` or `disputed`",
        "what" => "say in a sentence what it is",
        "device" => {
            "say in [device] how it is reached: `type = \"opencl\"` or `type = \"command\"`"
        }
        "front-end" => {
            "name the front end inside, as `front-end = \"clang 19\"`, or as `own-front-end` if no other device has it"
        }
        "platform" => {
            "name a part of the platform's name; `address-spaces devices` lists the platforms"
        }
        "command" => "list the program and its arguments, with `{std}`, `{features}` and `{file}`",
        "question" => "name what the text leaves open, of expectations/questions.toml",
        "hurts" => "say whom the reading would hurt",
        "by-hand" => "say what a person installs, or list packages under `apt` or `pip`",
        "source" => {
            "list in [source] at the end the requirements that it `covers`, and its `clauses`"
        }
        "version" => "list the program and the arguments that print its version",
        _ => return None,
    })
}

/// Returns an error at a byte offset of a text.
pub fn place(path: &str, text: &str, offset: usize, message: String) -> FileError {
    let offset = offset.min(text.len());
    let before = text.get(..offset).unwrap_or("");
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    FileError {
        path: path.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        message,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawRule {
    statement: Spanned<String>,
    template: Option<Spanned<String>>,
    breaks: Option<String>,
    languages: Option<Spanned<Vec<Language>>>,
    applies: Option<Spanned<String>>,
    strength: Option<Spanned<usize>>,
    #[serde(default)]
    together: Vec<[Spanned<String>; 2]>,
    one_sided: Option<String>,
    notes: Option<String>,
    axes: Spanned<BTreeMap<String, Spanned<Vec<Spanned<String>>>>>,
    #[serde(default)]
    exclude: Vec<Spanned<String>>,
    #[serde(default)]
    requires: Vec<RawRequirement>,
    expect: Vec<RawExpectation>,
    #[serde(default)]
    wrong: Vec<RawWrong>,
    source: RawSource,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawWrong {
    name: Spanned<String>,
    what: Spanned<String>,
    when: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawSource {
    covers: Vec<Spanned<String>>,
    clauses: Spanned<Vec<Spanned<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawRequirement {
    what: Requirement,
    when: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawExpectation {
    verdict: Spanned<Verdict>,
    when: Option<Spanned<String>>,
    breaks: Option<String>,
    question: Option<Spanned<String>>,
}

struct Check<'s> {
    source: &'s RuleSource,
    errors: Vec<FileError>,
}

impl Check<'_> {
    fn error(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.error_at(span.start, message.into());
    }

    fn error_at(&mut self, offset: usize, message: String) {
        self.errors.push(place(&self.source.path, &self.source.text, offset, message));
    }

    /// Returns the positions of the axes that go together.
    fn together(&mut self, pairs: &[[Spanned<String>; 2]], axes: &Axes) -> Vec<[usize; 2]> {
        let names: Vec<&str> = axes.keys().map(String::as_str).collect();
        let mut found = Vec::new();
        for pair in pairs {
            let places = pair.each_ref().map(|name| {
                let place = names.iter().position(|known| known == name.get_ref());
                if place.is_none() {
                    let hint = suggestion(name.get_ref(), &names);
                    self.error(&name.span(), format!("`{}` is not an axis{hint}", name.get_ref()));
                }
                place
            });
            match places {
                [Some(first), Some(second)] if first == second => {
                    self.error(&pair[1].span(), "an axis goes together with another one");
                }
                [Some(first), Some(second)] => found.push([first, second]),
                _ => {}
            }
        }
        found
    }

    fn rule(&mut self, raw: RawRule, names: Names<'_>) -> Rule {
        if raw.statement.get_ref().trim().is_empty() {
            self.error(
                &raw.statement.span(),
                "the statement is empty: say in your own words what the rule requires",
            );
        }
        let template = self.template(raw.template.as_ref(), names.kernels);
        let probe = names.probes.contains(&self.source.id.as_str());
        if raw.source.clauses.get_ref().is_empty() {
            self.error(
                &raw.source.clauses.span(),
                "no clause: cite the document and anchor the rule comes from",
            );
        }
        let axes = self.axes(&raw.axes);
        if let Some(strength) = &raw.strength {
            let given = *strength.get_ref();
            if given < 2 || given > axes.len() {
                let message = format!(
                    "strength {given} is out of range: 2 (every pair) to {} (every axis)",
                    axes.len()
                );
                self.error(&strength.span(), message);
            }
        }
        let default_breaks = raw.breaks.clone().unwrap_or_else(|| self.source.id.clone());
        Rule {
            id: self.source.id.clone(),
            statement: raw.statement.get_ref().clone(),
            covers: self.covers(&raw.source.covers),
            clauses: self.clauses(raw.source.clauses.get_ref()),
            template,
            exclude: raw.exclude.iter().map(|text| self.predicate(Some(text), &axes)).collect(),
            languages: self.languages(raw.languages),
            applies: self.predicate(raw.applies.as_ref(), &axes),
            strength: raw.strength.map(Spanned::into_inner),
            together: self.together(&raw.together, &axes),
            requires: raw
                .requires
                .iter()
                .map(|requirement| {
                    (self.predicate(requirement.when.as_ref(), &axes), requirement.what)
                })
                .collect(),
            expect: self.expectations(raw.expect, &axes, &default_breaks, names.questions),
            one_sided: raw.one_sided,
            notes: raw.notes,
            wrong: self.wrong(raw.wrong, probe, &axes),
            probe: probe.then(|| self.source.id.clone()),
            path: self.source.path.clone(),
            axes,
        }
    }

    /// Returns the languages of a rule; `OpenCL` C where the file names none.
    fn languages(&mut self, raw: Option<Spanned<Vec<Language>>>) -> Vec<Language> {
        let Some(raw) = raw else { return vec![Language::default()] };
        if raw.get_ref().is_empty() {
            let message = "no language: name `opencl-c`, `cxx-for-opencl` or both, or `spir-v`, or leave `languages` out for a rule of OpenCL C";
            self.error(&raw.span(), message);
        }
        raw.into_inner()
    }

    fn template(&mut self, asked: Option<&Spanned<String>>, known: &[&str]) -> String {
        let own = &self.source.id;
        let Some(asked) = asked else {
            if !known.contains(&own.as_str()) {
                let message = format!(
                    "there is no templates/kernels/{own}.cl.tera: write it, or name one of templates/kernels/{SHARED} with `template`"
                );
                self.error_at(0, message);
            }
            return own.clone();
        };
        let name = asked.get_ref();
        if name == own {
            self.error(
                &asked.span(),
                "a rule's own template is found by its name: leave `template` out",
            );
        } else if !known.contains(&name.as_str()) {
            let hint = suggestion(name, known);
            let message =
                format!("`{}` is not a template in templates/kernels{hint}", name.escape_debug());
            self.error(&asked.span(), message);
        } else if !name.starts_with(SHARED) {
            let message = format!(
                "`{name}` is the template of another rule: templates that rules share are in \
                 templates/kernels/{SHARED}"
            );
            self.error(&asked.span(), message);
        }
        name.clone()
    }

    fn wrong(&mut self, raw: Vec<RawWrong>, has_probe: bool, axes: &Axes) -> Vec<Wrong> {
        match (raw.first(), has_probe) {
            (Some(first), false) => {
                let message = format!(
                    "a [[wrong]] kernel is for a rule with a probe, templates/probes/{}.toml.tera",
                    self.source.id
                );
                self.error(&first.name.span(), message);
            }
            (None, true) => self.error_at(
                0,
                "the rule's probe needs a [[wrong]] kernel: without one nothing shows that it \
                 detects a mistake"
                    .to_owned(),
            ),
            _ => {}
        }
        let mut known: Vec<Wrong> = Vec::new();
        for wrong in raw {
            if known.iter().any(|other| other.name == *wrong.name.get_ref()) {
                let message = format!("`{}` is listed twice", wrong.name.get_ref());
                self.error(&wrong.name.span(), message);
            }
            if wrong.what.get_ref().trim().is_empty() {
                self.error(&wrong.what.span(), "say which mistake of a device the kernel shows");
            }
            known.push(Wrong {
                when: self.predicate(wrong.when.as_ref(), axes),
                name: wrong.name.into_inner(),
                what: wrong.what.into_inner(),
            });
        }
        known
    }

    fn covers(&mut self, raw: &[Spanned<String>]) -> Vec<String> {
        let mut covers: Vec<String> = Vec::new();
        for id in raw {
            if covers.contains(id.get_ref()) {
                self.error(&id.span(), format!("`{}` is listed twice", id.get_ref()));
            }
            covers.push(id.get_ref().clone());
        }
        covers
    }

    /// Reads clauses, each written as `DOCUMENT#ANCHOR` followed by the hashes of the sentences there. Each sentence
    /// becomes a clause.
    fn clauses(&mut self, raw: &[Spanned<String>]) -> Vec<Clause> {
        let mut clauses: Vec<Clause> = Vec::new();
        for entry in raw {
            // One more for the opening quote.
            let start = entry.span().start + 1;
            let text = entry.get_ref();
            let mut words = text.split_whitespace().map(|word| {
                let offset = word.as_ptr() as usize - text.as_ptr() as usize;
                (start + offset, word)
            });
            let section = words.next().and_then(|(at, word)| {
                let (document, anchor) = word.split_once('#')?;
                (!anchor.is_empty()).then_some((at, document, anchor))
            });
            let Some((at, document, anchor)) = section else {
                self.error_at(
                    start,
                    "a clause reads `DOCUMENT#ANCHOR HASH...`, with the hash of each sentence"
                        .to_owned(),
                );
                continue;
            };
            if document::find(document).is_none() {
                let known = DOCUMENTS.map(|document| document.id);
                let hint = suggestion(document, &known);
                let shown = document.escape_debug();
                self.error_at(at, format!("`{shown}` is not a document that clauses cite{hint}"));
            }
            let clause = |hash: Option<&str>| Clause {
                document: document.to_owned(),
                anchor: anchor.to_owned(),
                hash: hash.map(str::to_owned),
            };
            let mut found = Vec::new();
            for (at, hash) in words {
                let digit = |b| matches!(b, b'0'..=b'9' | b'a'..=b'f');
                if hash.len() != 16 || !hash.bytes().all(digit) {
                    self.error_at(
                        at,
                        format!("a hash is 16 hexadecimal digits; `address-spaces dev clauses {document}=FILE --section {anchor}` prints those of a copy"),
                    );
                }
                found.push((at, clause(Some(hash))));
            }
            if found.is_empty() {
                found.push((at, clause(None)));
            }
            for (at, clause) in found {
                if clauses.contains(&clause) {
                    self.error_at(at, "this clause is listed twice".to_owned());
                }
                clauses.push(clause);
            }
        }
        clauses
    }

    fn axes(&mut self, raw: &Spanned<BTreeMap<String, Spanned<Vec<Spanned<String>>>>>) -> Axes {
        if raw.get_ref().is_empty() {
            self.error(
                &raw.span(),
                "a rule needs an axis: without one no control can differ from a rejection",
            );
        }
        let mut product = 1_usize;
        let mut axes = Axes::new();
        for (name, values) in raw.get_ref() {
            if let Some(problem) = axis_name_problem(name) {
                self.error(&values.span(), problem);
            }
            if values.get_ref().is_empty() {
                self.error(&values.span(), format!("the axis `{name}` has no values"));
            }
            let mut texts: Vec<String> = Vec::new();
            for value in values.get_ref() {
                let text = value.get_ref();
                let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
                if text.is_empty() || !text.bytes().all(plain) {
                    let message = format!(
                        "the value `{}` is not a name: use letters, digits, `-`, `_` and `.`; the \
                         template spells it",
                        text.escape_debug()
                    );
                    self.error(&value.span(), message);
                }
                if texts.contains(text) {
                    self.error(
                        &value.span(),
                        format!("the value `{text}` is twice on the axis `{name}`"),
                    );
                }
                if raw.get_ref().contains_key(text) {
                    self.error(
                        &value.span(),
                        format!("the value `{text}` is also the name of an axis: rename one"),
                    );
                }
                texts.push(text.clone());
            }
            product = product.saturating_mul(texts.len().max(1));
            axes.insert(name.clone(), texts);
        }
        if product > MAX_PRODUCT {
            let message = format!(
                "the axes have {product} combinations, more than {MAX_PRODUCT}: split the rule"
            );
            self.error(&raw.span(), message);
        }
        axes
    }

    fn predicate(&mut self, text: Option<&Spanned<String>>, axes: &Axes) -> Predicate {
        let Some(text) = text else { return Predicate::Always };
        match predicate::parse(text.get_ref(), axes) {
            Ok(predicate) => predicate,
            Err(error) => {
                // One more for the opening quote.
                self.error_at(text.span().start + 1 + error.offset, error.message);
                Predicate::Always
            }
        }
    }

    fn expectations(
        &mut self,
        raw: Vec<RawExpectation>,
        axes: &Axes,
        default_breaks: &str,
        questions: &[&str],
    ) -> Vec<(Predicate, Expectation)> {
        let last = raw.len().saturating_sub(1);
        if raw.is_empty() {
            self.error_at(
                0,
                "no [[expect]]: say which points are accepted and which rejected".to_owned(),
            );
        }
        let mut expectations = Vec::new();
        for (index, entry) in raw.into_iter().enumerate() {
            let span = entry.verdict.span();
            match (&entry.when, index == last) {
                (Some(_), true) => {
                    self.error(
                        &span,
                        "the last [[expect]] must have no `when`: it says what holds otherwise",
                    );
                }
                (None, false) => self.error(
                    &span,
                    "an [[expect]] without `when` must be the last: the next is never reached",
                ),
                _ => {}
            }
            let verdict = *entry.verdict.get_ref();
            if entry.breaks.is_some() && verdict != Verdict::Reject {
                self.error(&span, "`breaks` belongs to a rejection");
            }
            if entry.question.is_some() && verdict != Verdict::Disputed {
                self.error(&span, "`question` belongs to a disputed expectation");
            }
            let when = self.predicate(entry.when.as_ref(), axes);
            let expectation = match verdict {
                Verdict::Accept => Expectation::Accept,
                Verdict::Reject => Expectation::Reject {
                    breaks: entry.breaks.unwrap_or_else(|| default_breaks.to_owned()).into(),
                },
                Verdict::Disputed => Expectation::Disputed {
                    question: self.question(&span, entry.question, questions),
                },
            };
            expectations.push((when, expectation));
        }
        expectations
    }

    /// Returns the question that a disputed expectation names.
    fn question(
        &mut self,
        verdict: &Range<usize>,
        named: Option<Spanned<String>>,
        known: &[&str],
    ) -> String {
        let Some(named) = named else {
            self.error(
                verdict,
                "a disputed expectation names what the text leaves open, as `question = \"same-space-twice\"`: a question of expectations/questions.toml, or a new one in it",
            );
            return String::new();
        };
        let id = named.get_ref();
        if !known.contains(&id.as_str()) {
            let hint = suggestion(id, known);
            let message = format!(
                "`{}` is not a question of expectations/questions.toml{hint}",
                id.escape_debug()
            );
            self.error(&named.span(), message);
        }
        named.into_inner()
    }
}

const RESERVED_AXES: [&str; 14] = [
    "version",
    "generic",
    "program_scope_globals",
    "cxx",
    "encloses",
    "overlaps",
    "not",
    "and",
    "or",
    "in",
    "p",
    "types",
    "wrong",
    "seed",
];

fn axis_name_problem(name: &str) -> Option<String> {
    let starts_well = name.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
    if !starts_well
        || !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    {
        let shown = name.escape_debug();
        return Some(format!(
            "the axis `{shown}` is not a valid name for a template variable: use lower case \
             letters, digits and `_`"
        ));
    }
    RESERVED_AXES
        .contains(&name)
        .then(|| format!("the axis `{name}` has a name with a meaning of its own: rename it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"statement = "pointers into different named spaces do not convert"

[axes]
from = ["global", "local"]
to = ["global", "local"]

[[expect]]
verdict = "accept"
when = "from == to"

[[expect]]
verdict = "reject"

[source]
covers = ["conv.assign-disjoint"]
clauses = ["OpenCL_C#addr-spaces-conversions 140587c5140587c5", "C99#6.6"]
"#;

    const NAMES: Names<'static> = Names {
        kernels: &["conversion/cast", "conversion/implicit", "shared/conversion"],
        probes: &[],
        questions: &["same-space-twice"],
    };

    fn load(text: &str) -> Result<Rule, Vec<FileError>> {
        let source = RuleSource {
            id: "conversion/implicit".to_owned(),
            path: "implicit.toml".to_owned(),
            text: text.to_owned(),
        };
        load_rule(&source, NAMES)
    }

    #[test]
    fn a_good_file_becomes_a_rule() {
        let rule = load(GOOD).unwrap();
        let dialect = crate::dialect::Dialect::ALL[0];
        assert_eq!(rule.expectation(&[0, 0], dialect), &Expectation::Accept);
        let reject = Expectation::Reject { breaks: "conversion/implicit".into() };
        assert_eq!(rule.expectation(&[0, 1], dialect), &reject);
        assert_eq!(rule.point_name(&[0, 1]), "from=global,to=local");
        assert_eq!(rule.choice("from=global,to=local"), Some(vec![0, 1]));
        assert_eq!(rule.choice("from=global,to=locl"), None);
    }

    #[test]
    fn bad_files_are_rejected_with_place_and_remedy() {
        let cases = [
            ("covers = ", "cover = ", "15:1: unknown key `cover`; did you mean `covers`?"),
            (
                "from == to",
                "fron == to",
                "9:9: `fron` is not an axis of this rule; did you mean `from`?",
            ),
            (
                "\n\n[axes]",
                "\ntemplate = \"shared/conversions\"\n[axes]",
                "2:12: `shared/conversions` is not a template in templates/kernels; did you mean \
                 `shared/conversion`?",
            ),
            (
                "\n\n[axes]",
                "\ntemplate = \"conversion/implicit\"\n[axes]",
                "2:12: a rule's own template is found by its name: leave `template` out",
            ),
            (
                "\n\n[axes]",
                "\ntemplate = \"conversion/cast\"\n[axes]",
                "2:12: `conversion/cast` is the template of another rule: templates that rules \
                 share are in templates/kernels/shared/",
            ),
            (
                "\n\n[axes]",
                "\nlanguages = []\n[axes]",
                "2:13: no language: name `opencl-c`, `cxx-for-opencl` or both, or `spir-v`, or leave `languages` out for a rule of OpenCL C",
            ),
            ("\"accept\"", "\"acept\"", "8:11: unknown value `acept`; did you mean `accept`?"),
            (
                "\"OpenCL_C#",
                "\"OpenCL#",
                "16:13: `OpenCL` is not a document that clauses cite; did you mean `OpenCL_C`?",
            ),
            (
                "#addr-spaces-conversions",
                "",
                "16:13: a clause reads `DOCUMENT#ANCHOR HASH...`, with the hash of each sentence",
            ),
            (
                " 140587c5140587c5",
                " 140587c5",
                "16:46: a hash is 16 hexadecimal digits; `address-spaces dev clauses OpenCL_C=FILE --section addr-spaces-conversions` prints those of a copy",
            ),
            (
                " 140587c5140587c5",
                " 140587c5140587c5 140587c5140587c5",
                "16:63: this clause is listed twice",
            ),
            (
                "from = [\"global\", \"local\"]",
                "from = [\"global\", \"global\"]",
                "4:19: the value `global` is twice on the axis `from`",
            ),
            (
                "from = [",
                "From = [",
                "4:8: the axis `From` is not a valid name for a template variable: use lower case \
                 letters, digits and `_`",
            ),
            (
                "when = \"from == to\"\n",
                "",
                "8:11: an [[expect]] without `when` must be the last: the next is never reached",
            ),
            (
                "\"reject\"",
                "\"disputed\"",
                "12:11: a disputed expectation names what the text leaves open, as `question = \"same-space-twice\"`: a question of expectations/questions.toml, or a new one in it",
            ),
            (
                "\"reject\"",
                "\"disputed\"\nquestion = \"same-space-thrice\"",
                "13:12: `same-space-thrice` is not a question of expectations/questions.toml; did \
                 you mean `same-space-twice`?",
            ),
            (
                "\"reject\"",
                "\"reject\"\nquestion = \"same-space-twice\"",
                "12:11: `question` belongs to a disputed expectation",
            ),
            (
                "[source]",
                "[[wrong]]\nname = \"own\"\nwhat = \"loses a write\"\n[source]",
                "15:8: a [[wrong]] kernel is for a rule with a probe, templates/probes/conversion/implicit.toml.tera",
            ),
        ];
        for (from, to, expected) in cases {
            assert!(GOOD.contains(from), "{from}");
            let errors = load(&GOOD.replacen(from, to, 1)).unwrap_err();
            assert!(
                errors.iter().any(|error| error.to_string() == format!("implicit.toml:{expected}")),
                "{expected}\n{errors:#?}"
            );
        }
    }

    #[test]
    fn templates_and_probes_are_found_by_name() {
        let rule = load(GOOD).unwrap();
        assert_eq!((rule.template.as_str(), rule.probe), ("conversion/implicit", None));
        let shared = GOOD.replacen("\n\n", "\ntemplate = \"shared/conversion\"\n", 1);
        assert_eq!(load(&shared).unwrap().template, "shared/conversion");
        let source = RuleSource {
            id: "conversion/explicit".to_owned(),
            path: "explicit.toml".to_owned(),
            text: GOOD.to_owned(),
        };
        let probed = Names { probes: &["conversion/explicit"], ..NAMES };
        let errors = load_rule(&source, probed).unwrap_err();
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "explicit.toml:1:1: there is no templates/kernels/conversion/explicit.cl.tera: write it, or name one of templates/kernels/shared/ with `template`",
                "explicit.toml:1:1: the rule's probe needs a [[wrong]] kernel: without one nothing \
                 shows that it detects a mistake",
            ]
        );
    }

    #[test]
    fn clauses_are_one_for_each_sentence() {
        let clauses = load(GOOD).unwrap().clauses;
        let clauses: Vec<_> = clauses
            .iter()
            .map(|clause| {
                (clause.document.as_str(), clause.anchor.as_str(), clause.hash.as_deref())
            })
            .collect();
        assert_eq!(
            clauses,
            [
                ("OpenCL_C", "addr-spaces-conversions", Some("140587c5140587c5")),
                ("C99", "6.6", None),
            ]
        );
    }

    #[test]
    fn a_second_rule_of_one_id_is_rejected() {
        let source = RuleSource {
            id: "conversion/implicit".to_owned(),
            path: "a.toml".to_owned(),
            text: GOOD.to_owned(),
        };
        let again = RuleSource { path: "b.toml".to_owned(), ..source.clone() };
        let errors = load_rules(&[source, again], NAMES).unwrap_err();
        assert_eq!(
            errors[0].to_string(),
            "b.toml:1:1: the rule `conversion/implicit` is already defined in a.toml"
        );
    }

    quickcheck::quickcheck! {
        fn any_text_is_answered(text: String) -> bool {
            load(&text).is_err()
        }
    }
}
