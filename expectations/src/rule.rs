//! One requirement of the specification, as read from its rule file.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    dialect::{Dialect, Language},
    predicate::{Axes, Choice, Predicate, suggestion},
    requirement::Requirement,
    rule_name::RuleName,
    verdict::Verdict,
};

/// A rule: the requirement, its clauses, the axes that it is tried on and the expectations.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `family/name`, from the place of its file.
    pub id: String,
    /// The requirement in our own words.
    pub statement: String,
    /// Requirements of the catalogue it decides.
    pub covers: Vec<String>,
    /// Clauses that the rule cites.
    pub clauses: Vec<Clause>,
    /// Path of its kernels' template below `templates/kernels`, without ending.
    pub template: String,
    /// Axes along which the cases vary.
    pub axes: Axes,
    /// Points that make no sense.
    pub exclude: Vec<Predicate>,
    /// The languages it is a rule of.
    pub languages: Vec<Language>,
    /// Dialects and points that the rule applies to.
    pub applies: Predicate,
    /// Every combination of this many axis values is covered; `None` is the full product.
    pub strength: Option<usize>,
    /// Pairs of axes, by index, whose values are executed in every combination at the default depth.
    pub together: Vec<[usize; 2]>,
    /// Optional parts of the language that points need.
    pub requires: Vec<(Predicate, Requirement)>,
    /// Expectations with their conditions; the first match counts, and the last always matches.
    pub expect: Vec<(Predicate, Expectation)>,
    /// Reason why there are no valid cases, or no invalid ones.
    pub one_sided: Option<String>,
    /// Further remarks, Markdown.
    pub notes: Option<String>,
    /// Path of its probe below `templates/probes`, without ending, where its cases are executed.
    pub probe: Option<String>,
    /// Kernels that a probe must find wrong.
    pub wrong: Vec<Wrong>,
    /// The file it was read from, relative to the repository.
    pub path: String,
}

/// Sentence of a document that a rule cites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Clause {
    /// The document, see [`crate::document::DOCUMENTS`].
    pub document: String,
    /// Anchor of the section, stable where numbers move.
    pub anchor: String,
    /// Hash of the sentence, see [`crate::clause::hash`]; absent for documents we hold no text of.
    pub hash: Option<String>,
}

/// A kernel that does what a wrong device would do with the right one: its probe must notice.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// Name in the template.
    pub name: String,
    /// The mistake of a device it shows.
    pub what: String,
    /// The points that have it.
    pub when: Predicate,
}

/// A section that a rule cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'r> {
    pub document: &'r str,
    /// Anchor of the section in its document.
    pub anchor: &'r str,
    /// Hashes of the sentences, where there is a copy of the document's text.
    pub hashes: Vec<&'r str>,
}

/// Expectation of the text for a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// The program is valid.
    Accept,
    /// The program is not valid: it breaks a rule.
    Reject {
        /// Rule that the program breaks.
        breaks: RuleName,
    },
    /// The text contradicts itself or is silent; built and shown, never judged.
    Disputed {
        /// Id of the question it leaves open, see [`crate::question`].
        question: String,
    },
}

impl Expectation {
    /// Returns the verdict of the text on the case.
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Accept => Verdict::Accept,
            Self::Reject { .. } => Verdict::Reject,
            Self::Disputed { .. } => Verdict::Disputed,
        }
    }

    /// Returns the rule that an invalid program breaks.
    pub const fn breaks(&self) -> Option<&RuleName> {
        match self {
            Self::Reject { breaks } => Some(breaks),
            Self::Accept | Self::Disputed { .. } => None,
        }
    }
}

impl Rule {
    /// Returns the first part of the id.
    pub fn family(&self) -> &str {
        self.id.split_once('/').map_or(self.id.as_str(), |(family, _)| family)
    }

    /// Returns the clauses by document and section, each with the hashes of its sentences, in the order of the file.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let mut sections: Vec<Section<'_>> = Vec::new();
        for Clause { document, anchor, hash } in &self.clauses {
            match sections
                .iter_mut()
                .find(|known| known.document == document && known.anchor == anchor)
            {
                Some(section) => section.hashes.extend(hash.as_deref()),
                None => sections.push(Section {
                    document,
                    anchor,
                    hashes: hash.as_deref().into_iter().collect(),
                }),
            }
        }
        sections
    }

    /// Whether it is a rule of `language`.
    pub fn is_of(&self, language: Language) -> bool {
        self.languages.contains(&language)
    }

    /// Whether a case of `choice` exists in `dialect`.
    pub fn has_point(&self, choice: &Choice, dialect: Dialect) -> bool {
        self.is_of(dialect.language)
            && self.applies.holds(choice, dialect)
            && !self.exclude.iter().any(|excluded| excluded.holds(choice, dialect))
            && self
                .requires
                .iter()
                .all(|(when, what)| !when.holds(choice, dialect) || what.possible_in(dialect))
    }

    /// Returns the expectation for a point.
    pub fn expectation(&self, choice: &Choice, dialect: Dialect) -> &Expectation {
        self.expect
            .iter()
            .find(|(when, _)| when.holds(choice, dialect))
            .map(|(_, expectation)| expectation)
            .expect("loading checks that the last entry always holds")
    }

    /// Returns the requirements of a point besides its dialect.
    pub fn requirements(&self, choice: &Choice, dialect: Dialect) -> Vec<Requirement> {
        let needed = self.requires.iter().filter(|(when, _)| when.holds(choice, dialect));
        needed.map(|(_, requirement)| *requirement).collect()
    }

    /// Returns the name of a point: `axis=value,axis=value`, with the axes in the order of their names.
    pub fn point_name(&self, choice: &Choice) -> String {
        let mut name = String::new();
        for ((axis, values), &value) in self.axes.iter().zip(choice) {
            if !name.is_empty() {
                name.push(',');
            }
            name.push_str(axis);
            name.push('=');
            name.push_str(&values[usize::from(value)]);
        }
        name
    }

    /// Returns the choice of that name, if the rule has it.
    pub fn choice(&self, point_name: &str) -> Option<Vec<u16>> {
        choice(&self.axes, point_name)
    }

    #[cfg(test)]
    pub(crate) fn of_axes(id: &str, axes: Axes) -> Self {
        Self {
            id: id.to_owned(),
            statement: String::new(),
            covers: Vec::new(),
            clauses: Vec::new(),
            template: String::new(),
            axes,
            exclude: Vec::new(),
            languages: vec![Language::default()],
            applies: Predicate::Always,
            strength: None,
            together: Vec::new(),
            requires: Vec::new(),
            expect: vec![(Predicate::Always, Expectation::Accept)],
            one_sided: None,
            notes: None,
            probe: None,
            wrong: Vec::new(),
            path: String::new(),
        }
    }
}

/// Returns the choice that a typed text stands for: `axis=value` of every axis, in any order, with commas between.
///
/// # Errors
///
/// The axis or the value that the text has wrong, or lacks, with what it could be.
pub fn typed_choice(axes: &Axes, text: &str) -> Result<Vec<u16>, String> {
    let names: Vec<&str> = axes.keys().map(String::as_str).collect();
    let mut typed = BTreeMap::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let shown = part.escape_debug();
        let (name, value) =
            part.split_once('=').ok_or_else(|| format!("`{shown}` reads axis=value"))?;
        if !axes.contains_key(name) {
            let hint = suggestion(name, &names);
            return Err(format!("`{}` is not an axis of this rule{hint}", name.escape_debug()));
        }
        if typed.insert(name, value).is_some() {
            return Err(format!("the axis `{name}` is given twice"));
        }
    }
    let place = |(name, values): (&String, &Vec<String>)| {
        let Some(value) = typed.get(name.as_str()) else {
            return Err(format!("the axis `{name}` is missing: {name}={}", values.join("|")));
        };
        let known: Vec<&str> = values.iter().map(String::as_str).collect();
        let index = values.iter().position(|known| known == value);
        let index = index.and_then(|index| u16::try_from(index).ok());
        index.ok_or_else(|| {
            let hint = suggestion(value, &known);
            format!("`{}` is not a value of the axis `{name}`{hint}", value.escape_debug())
        })
    };
    axes.iter().map(place).collect()
}

/// Returns the choice that a point's name stands for on these axes, if they have it.
pub fn choice(axes: &Axes, point_name: &str) -> Option<Vec<u16>> {
    if axes.is_empty() {
        return point_name.is_empty().then(Vec::new);
    }
    let mut choice = Vec::with_capacity(axes.len());
    let mut parts = point_name.split(',');
    for (axis, values) in axes {
        let (name, value) = parts.next()?.split_once('=')?;
        let index = values.iter().position(|v| v == value)?;
        choice.push(u16::try_from(index).ok()?);
        if name != axis {
            return None;
        }
    }
    parts.next().is_none().then_some(choice)
}
