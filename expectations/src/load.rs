//! Rule files: TOML in, checked [`Rule`] out, every refusal with file, line and what was meant.

use std::{collections::BTreeMap, fmt, ops::Range};

use serde::Deserialize;
use toml::Spanned;

use crate::{
    predicate::{self, Axes, Predicate, suggestion},
    requirement::Requirement,
    rule::{Clause, Expectation, Reading, Rule, Wrong},
};

/// A rule file as found: where it lies and what it holds.
#[derive(Clone, Debug)]
pub struct RuleSource {
    /// `family/name`, from the path below the folder of rules.
    pub id: String,
    /// The path shown in errors.
    pub path: String,
    /// The text.
    pub text: String,
}

/// Why a data file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong and what to write instead.
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

/// Read every rule; on any error all errors of all files are returned, else the rules in the order of their ids.
pub fn load_rules(sources: &[RuleSource], templates: &[&str]) -> Result<Vec<Rule>, Vec<FileError>> {
    let mut errors = Vec::new();
    let mut rules: BTreeMap<String, Rule> = BTreeMap::new();
    for source in sources {
        match load_rule(source, templates) {
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

/// What a rejection breaks must be a rule that names no other one.
fn check_breaks(
    rules: &BTreeMap<String, Rule>,
    sources: &[RuleSource],
    errors: &mut Vec<FileError>,
) {
    let known: Vec<&str> = rules.keys().map(String::as_str).collect();
    for rule in rules.values() {
        for (_, expectation) in &rule.expect {
            let Expectation::Reject { breaks } = expectation else { continue };
            if rules.contains_key(breaks) {
                continue;
            }
            let text = sources.iter().find(|s| s.id == rule.id).map_or("", |s| s.text.as_str());
            let offset = text.find(breaks.as_str()).unwrap_or(0);
            let message =
                format!("`{breaks}` is no rule of the suite{}", suggestion(breaks, &known));
            errors.push(place(&rule.path, text, offset, message));
        }
    }
}

/// Read one rule file.
pub fn load_rule(source: &RuleSource, templates: &[&str]) -> Result<Rule, Vec<FileError>> {
    let raw: RawRule = from_toml(&source.path, &source.text).map_err(|error| vec![error])?;
    let mut check = Check { source, errors: Vec::new() };
    let rule = check.rule(raw, templates);
    if check.errors.is_empty() { Ok(rule) } else { Err(check.errors) }
}

/// Deserialise a data file; an unknown key is answered with the nearest known one.
pub fn from_toml<T: serde::de::DeserializeOwned>(path: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        place(path, text, offset, with_suggestion(error.message()))
    })
}

/// serde lists what it expected: name the nearest instead.
fn with_suggestion(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    if !message.starts_with("unknown") {
        return message.trim().to_owned();
    }
    let Some(given) = quoted.next() else { return message.trim().to_owned() };
    let known: Vec<&str> = quoted.collect();
    let what = if message.starts_with("unknown variant") { "value" } else { "key" };
    format!("unknown {what} `{given}`{}", suggestion(given, &known))
}

/// An error at a byte offset of a text.
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
    covers: Vec<Spanned<String>>,
    template: Spanned<String>,
    breaks: Option<String>,
    applies: Option<Spanned<String>>,
    strength: Option<Spanned<usize>>,
    one_sided: Option<String>,
    notes: Option<String>,
    #[serde(default)]
    clause: Vec<RawClause>,
    axes: Spanned<BTreeMap<String, Spanned<Vec<Spanned<String>>>>>,
    #[serde(default)]
    exclude: Vec<Spanned<String>>,
    #[serde(default)]
    requires: Vec<RawRequirement>,
    expect: Vec<RawExpectation>,
    probe: Option<String>,
    #[serde(default)]
    wrong: Vec<RawWrong>,
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
struct RawClause {
    document: Spanned<String>,
    anchor: String,
    hash: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawRequirement {
    what: Requirement,
    when: Option<Spanned<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawVerdict {
    Accept,
    Reject,
    Disputed,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawExpectation {
    verdict: Spanned<RawVerdict>,
    when: Option<Spanned<String>>,
    breaks: Option<String>,
    #[serde(default)]
    readings: Vec<RawReading>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawReading {
    verdict: Spanned<RawVerdict>,
    anchor: String,
    because: String,
}

/// Documents a clause may name: the specification, what it builds on, and the five seed pages.
pub const DOCUMENTS: [&str; 10] = [
    "OpenCL_C",
    "OpenCL_API",
    "OpenCL_C-1.x",
    "C99",
    "Embedded_C",
    "seed-000",
    "seed-001",
    "seed-002",
    "seed-003",
    "seed-004",
];

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

    fn rule(&mut self, raw: RawRule, templates: &[&str]) -> Rule {
        if raw.statement.get_ref().trim().is_empty() {
            self.error(
                &raw.statement.span(),
                "the statement is empty: say what the rule requires in one sentence",
            );
        }
        if !templates.contains(&raw.template.get_ref().as_str()) {
            let name = raw.template.get_ref();
            self.error(
                &raw.template.span(),
                format!(
                    "`{name}` is no template in templates/kernels{}",
                    suggestion(name, templates)
                ),
            );
        }
        if raw.clause.is_empty() {
            self.error_at(
                0,
                "no [[clause]]: cite the document and anchor the rule comes from".to_owned(),
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
            covers: self.covers(&raw.covers),
            clauses: raw.clause.into_iter().map(|clause| self.clause(clause)).collect(),
            template: raw.template.into_inner(),
            exclude: raw.exclude.iter().map(|text| self.predicate(Some(text), &axes)).collect(),
            applies: self.predicate(raw.applies.as_ref(), &axes),
            strength: raw.strength.map(Spanned::into_inner),
            requires: raw
                .requires
                .iter()
                .map(|requirement| {
                    (self.predicate(requirement.when.as_ref(), &axes), requirement.what)
                })
                .collect(),
            expect: self.expectations(raw.expect, &axes, &default_breaks),
            one_sided: raw.one_sided,
            notes: raw.notes,
            wrong: self.wrong(raw.wrong, raw.probe.is_some(), &axes),
            probe: raw.probe,
            path: self.source.path.clone(),
            axes,
        }
    }

    fn wrong(&mut self, raw: Vec<RawWrong>, has_probe: bool, axes: &Axes) -> Vec<Wrong> {
        match (raw.first(), has_probe) {
            (Some(first), false) => {
                self.error(&first.name.span(), "a [[wrong]] kernel is for a rule with a `probe`");
            }
            (None, true) => self.error_at(
                0,
                "a `probe` needs a [[wrong]] kernel: without one nothing shows that it would notice"
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

    fn clause(&mut self, raw: RawClause) -> Clause {
        let document = raw.document.get_ref();
        if !DOCUMENTS.contains(&document.as_str()) {
            let message = format!(
                "`{document}` is no document clauses are cited from{}",
                suggestion(document, &DOCUMENTS)
            );
            self.error(&raw.document.span(), message);
        }
        if let Some(hash) = &raw.hash {
            let text = hash.get_ref();
            if text.len() != 16 || !text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
                self.error(
                    &hash.span(),
                    "a hash is 16 hexadecimal digits; `runner clauses` prints them",
                );
            }
        }
        Clause {
            document: raw.document.into_inner(),
            anchor: raw.anchor,
            hash: raw.hash.map(Spanned::into_inner),
        }
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
                        "the value `{}` is no name: use letters, digits, `-`, `_` and `.`; the template spells it",
                        text.escape_debug()
                    );
                    self.error(&value.span(), message);
                }
                if texts.contains(text) {
                    self.error(
                        &value.span(),
                        format!("the value `{text}` stands twice on the axis `{name}`"),
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
            if entry.breaks.is_some() && verdict != RawVerdict::Reject {
                self.error(&span, "`breaks` belongs to a rejection");
            }
            if verdict == RawVerdict::Disputed && entry.readings.len() < 2 {
                self.error(
                    &span,
                    "a disputed expectation names at least two `readings`, each with its anchor",
                );
            }
            if verdict != RawVerdict::Disputed && !entry.readings.is_empty() {
                self.error(&span, "`readings` belong to a disputed expectation");
            }
            let when = self.predicate(entry.when.as_ref(), axes);
            let expectation = match verdict {
                RawVerdict::Accept => Expectation::Accept,
                RawVerdict::Reject => Expectation::Reject {
                    breaks: entry.breaks.unwrap_or_else(|| default_breaks.to_owned()),
                },
                RawVerdict::Disputed => Expectation::Disputed {
                    readings: entry.readings.into_iter().map(|r| self.reading(r)).collect(),
                },
            };
            expectations.push((when, expectation));
        }
        expectations
    }

    fn reading(&mut self, raw: RawReading) -> Reading {
        let verdict = match raw.verdict.get_ref() {
            RawVerdict::Accept => "accept",
            RawVerdict::Reject => "reject",
            RawVerdict::Disputed => {
                self.error(&raw.verdict.span(), "a reading says `accept` or `reject`");
                "accept"
            }
        };
        Reading { verdict, anchor: raw.anchor, because: raw.because }
    }
}

const RESERVED_AXES: [&str; 13] = [
    "version",
    "generic",
    "program_scope_globals",
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
            "the axis `{shown}` is no name for a template variable: use lower case letters, digits and `_`"
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
covers = ["conv.assign-disjoint"]
template = "conversion"

[[clause]]
document = "OpenCL_C"
anchor = "addr-spaces-conversions"

[axes]
from = ["global", "local"]
to = ["global", "local"]

[[expect]]
verdict = "accept"
when = "from == to"

[[expect]]
verdict = "reject"
"#;

    fn load(text: &str) -> Result<Rule, Vec<FileError>> {
        let source = RuleSource {
            id: "conversion/implicit".to_owned(),
            path: "implicit.toml".to_owned(),
            text: text.to_owned(),
        };
        load_rule(&source, &["conversion", "declaration"])
    }

    #[test]
    fn a_good_file_becomes_a_rule() {
        let rule = load(GOOD).unwrap();
        let dialect = crate::dialect::Dialect::ALL[0];
        assert_eq!(rule.expectation(&[0, 0], dialect), &Expectation::Accept);
        let reject = Expectation::Reject { breaks: "conversion/implicit".to_owned() };
        assert_eq!(rule.expectation(&[0, 1], dialect), &reject);
        assert_eq!(rule.point_name(&[0, 1]), "from=global,to=local");
        assert_eq!(rule.choice("from=global,to=local"), Some(vec![0, 1]));
        assert_eq!(rule.choice("from=global,to=locl"), None);
    }

    #[test]
    fn bad_files_are_refused_with_place_and_remedy() {
        let cases = [
            ("covers = ", "cover = ", "2:1: unknown key `cover`; did you mean `covers`?"),
            (
                "from == to",
                "fron == to",
                "15:9: `fron` is no axis of this rule; did you mean `from`?",
            ),
            (
                "\"conversion\"",
                "\"conversions\"",
                "3:12: `conversions` is no template in templates/kernels; did you mean `conversion`?",
            ),
            ("\"accept\"", "\"acept\"", "14:11: unknown value `acept`; did you mean `accept`?"),
            (
                "\"OpenCL_C\"",
                "\"OpenCL\"",
                "6:12: `OpenCL` is no document clauses are cited from; did you mean `OpenCL_C`?",
            ),
            (
                "from = [\"global\", \"local\"]",
                "from = [\"global\", \"global\"]",
                "10:19: the value `global` stands twice on the axis `from`",
            ),
            (
                "from = [",
                "From = [",
                "10:8: the axis `From` is no name for a template variable: use lower case letters, digits and `_`",
            ),
            (
                "when = \"from == to\"\n",
                "",
                "14:11: an [[expect]] without `when` must be the last: the next is never reached",
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
    fn a_second_rule_of_one_id_is_refused() {
        let source = RuleSource {
            id: "conversion/implicit".to_owned(),
            path: "a.toml".to_owned(),
            text: GOOD.to_owned(),
        };
        let again = RuleSource { path: "b.toml".to_owned(), ..source.clone() };
        let errors = load_rules(&[source, again], &["conversion"]).unwrap_err();
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
