//! Conditions over the axes of a rule and the dialect, as written in rule files.
//!
//! ```text
//! condition  := conjunction { "or" conjunction }
//! conjunction := term { "and" term }
//! term       := "not" term | "(" condition ")" | comparison | relation | "generic" | "program_scope_globals" | "cxx"
//! comparison := axis ("==" | "!=") (value | axis)  |  axis ["not"] "in" "[" value { "," value } "]"
//!             | "version" ("==" | "!=" | "<" | "<=" | ">" | ">=") number
//! relation   := ("encloses" | "overlaps") "(" space "," space ")"        space := axis | name of a space
//! ```
//! Every name and value is checked against the rule's axes when the file is read, so a typing error never
//! turns into a condition that is silently false.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use crate::{
    dialect::{Dialect, Language, Version},
    space::{AddressSpace, UNQUALIFIED},
};

/// Names of axes with their values, in the order of the names.
pub type Axes = BTreeMap<String, Vec<String>>;

/// One choice on every axis: the index of the value, axes in the order of their names.
pub type Choice = [u16];

/// A checked condition.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// Holds always.
    Always,
    /// All hold.
    All(Vec<Predicate>),
    /// One holds at least.
    Any(Vec<Predicate>),
    /// Does not hold.
    Not(Box<Predicate>),
    /// The axis has one of these values.
    In {
        /// Index of the axis.
        axis: usize,
        /// Indices of the values.
        values: Vec<u16>,
    },
    /// Two axes have the same value; pairs of indices of equal values.
    SameValue {
        /// Index of the one axis.
        left: usize,
        /// Index of the other.
        right: usize,
        /// For each value of `left` the index of the same text on `right`.
        matching: Vec<Option<u16>>,
    },
    /// The dialect's version compares so.
    Version {
        comparison: Comparison,
        /// Version on the right-hand side.
        version: Version,
    },
    /// The generic address space exists.
    Generic,
    /// Program-scope global variables exist.
    ProgramScopeGlobals,
    /// The dialect is one of C++ for OpenCL.
    Cxx,
    /// A relation between the spaces two pointees are in.
    Relation {
        /// Relation between the two.
        relation: Relation,
        /// The outer, or first, space.
        left: SpaceTerm,
        /// The inner, or second, space.
        right: SpaceTerm,
    },
}

/// Comparison of two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A relation of the facts table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// [`AddressSpace::encloses`]
    Encloses,
    /// [`AddressSpace::overlaps`]
    Overlaps,
}

/// A space, or the axis that names one.
#[derive(Clone, Debug)]
pub enum SpaceTerm {
    /// The value of an axis; for each value its name.
    Axis {
        /// Index of the axis.
        axis: usize,
        /// The names of its values.
        names: Vec<String>,
    },
    /// A fixed name.
    Name(String),
}

impl SpaceTerm {
    fn space(&self, choice: &Choice, dialect: Dialect) -> Option<AddressSpace> {
        let name = match self {
            Self::Axis { axis, names } => &names[usize::from(choice[*axis])],
            Self::Name(name) => name,
        };
        AddressSpace::of_pointee(name, dialect)
    }
}

impl Predicate {
    /// Whether the condition holds for a choice and a dialect.
    pub fn holds(&self, choice: &Choice, dialect: Dialect) -> bool {
        match self {
            Self::Always => true,
            Self::All(terms) => terms.iter().all(|term| term.holds(choice, dialect)),
            Self::Any(terms) => terms.iter().any(|term| term.holds(choice, dialect)),
            Self::Not(term) => !term.holds(choice, dialect),
            Self::In { axis, values } => values.contains(&choice[*axis]),
            Self::SameValue { left, right, matching } => {
                matching[usize::from(choice[*left])] == Some(choice[*right])
            }
            Self::Version { comparison, version } => comparison.holds(dialect.version, *version),
            Self::Generic => dialect.generic,
            Self::ProgramScopeGlobals => dialect.program_scope_globals,
            Self::Cxx => dialect.language == Language::CxxForOpencl,
            Self::Relation { relation, left, right } => {
                match (left.space(choice, dialect), right.space(choice, dialect)) {
                    (Some(left), Some(right)) => match relation {
                        Relation::Encloses => left.encloses(right),
                        Relation::Overlaps => left.overlaps(right),
                    },
                    _ => false,
                }
            }
        }
    }
}

impl Comparison {
    fn holds(self, left: Version, right: Version) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

/// Error in a condition, with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateError {
    /// Byte offset in the condition.
    pub offset: usize,
    /// Description of the mistake, and what was probably meant.
    pub message: String,
}

impl fmt::Display for PredicateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Parses and checks a condition.
pub fn parse(text: &str, axes: &Axes) -> Result<Predicate, PredicateError> {
    let mut parser = Parser { words: split(text)?, position: 0, end: text.len(), axes, depth: 0 };
    let predicate = parser.condition()?;
    match parser.peek() {
        None => Ok(predicate),
        Some(word) => Err(parser.error_here(format!(
            "`{word}` was not expected here; join conditions with `and` or `or`"
        ))),
    }
}

/// Returns the known name that `name` probably stands for: one that begins with it, or that it is a misspelling of; the
/// first of several equally likely ones.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let known: Vec<&str> = known.into_iter().collect();
    let begins = |candidate: &&&str| name.len() >= BEGINNING && candidate.starts_with(name);
    let longer = known.iter().find(begins).copied();
    longer.or_else(|| all_nearest(name, known).into_iter().next())
}

/// Fewest characters of a name that are taken for the beginning of a longer one.
const BEGINNING: usize = 3;

/// Returns all known names that `name` is equally likely a misspelling of, in their order.
fn all_nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> BTreeSet<&'k str> {
    let mut least = usize::MAX;
    let mut nearest = BTreeSet::new();
    for candidate in known {
        let distance = strsim::damerau_levenshtein(name, candidate);
        if distance > 1 + candidate.len().max(name.len()) / 3 || distance > least {
            continue;
        }
        if distance < least {
            least = distance;
            nearest.clear();
        }
        nearest.insert(candidate);
    }
    nearest
}

/// More names than these do not help in a message.
const MOST_LISTED: usize = 40;
/// More equally similar names than these do not show what was meant.
const MOST_MEANT: usize = 4;

/// Returns `; did you mean ...?`, or the list of known names if it is short.
pub fn suggestion(name: &str, known: &[&str]) -> String {
    let quoted = |names: &[&str]| names.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>();
    let nearest: Vec<&str> = all_nearest(name, known.iter().copied()).into_iter().collect();
    match quoted(&nearest).split_last() {
        Some((only, [])) => format!("; did you mean {only}?"),
        Some((last, others)) if nearest.len() <= MOST_MEANT => {
            format!("; did you mean {} or {last}?", others.join(", "))
        }
        _ if known.is_empty() => "; there are no choices".to_owned(),
        _ if known.len() > MOST_LISTED => String::new(),
        _ => format!("; the choices are {}", quoted(known).join(", ")),
    }
}

struct Parser<'t> {
    words: Vec<(usize, &'t str)>,
    position: usize,
    end: usize,
    axes: &'t Axes,
    depth: u32,
}

const MAX_DEPTH: u32 = 64;

fn split(text: &str) -> Result<Vec<(usize, &str)>, PredicateError> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'(' | b')' | b'[' | b']' | b',' => at += 1,
            b'=' | b'!' | b'<' | b'>' => at += 1 + usize::from(bytes.get(at + 1) == Some(&b'=')),
            b if is_word(b) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
            }
            _ => {
                let bad = text[at..].chars().next().unwrap_or_default();
                return Err(PredicateError {
                    offset: at,
                    message: format!("`{bad}` has no meaning in a condition"),
                });
            }
        }
        words.push((start, &text[start..at]));
    }
    Ok(words)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.words.get(self.position).map(|(_, word)| *word)
    }

    fn next(&mut self) -> Option<&'t str> {
        let word = self.peek()?;
        self.position += 1;
        Some(word)
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), PredicateError> {
        if self.eat(word) {
            Ok(())
        } else {
            Err(self.error_here(format!("`{word}` is missing here")))
        }
    }

    fn error_here(&self, message: String) -> PredicateError {
        self.error_at(self.position, message)
    }

    fn error_at(&self, position: usize, message: String) -> PredicateError {
        PredicateError {
            offset: self.words.get(position).map_or(self.end, |(offset, _)| *offset),
            message,
        }
    }

    fn condition(&mut self) -> Result<Predicate, PredicateError> {
        let mut terms = vec![self.conjunction()?];
        while self.eat("or") {
            terms.push(self.conjunction()?);
        }
        Ok(single_or(terms, Predicate::Any))
    }

    fn conjunction(&mut self) -> Result<Predicate, PredicateError> {
        let mut terms = vec![self.term()?];
        while self.eat("and") {
            terms.push(self.term()?);
        }
        Ok(single_or(terms, Predicate::All))
    }

    fn term(&mut self) -> Result<Predicate, PredicateError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error_here(format!("a condition nests at most {MAX_DEPTH} deep")));
        }
        let term = self.term_inner();
        self.depth -= 1;
        term
    }

    fn term_inner(&mut self) -> Result<Predicate, PredicateError> {
        let start = self.position;
        let Some(word) = self.next() else {
            return Err(self.error_here("a condition is missing here".to_owned()));
        };
        match word {
            "not" => Ok(Predicate::Not(Box::new(self.term()?))),
            "(" => {
                let inner = self.condition()?;
                self.expect(")")?;
                Ok(inner)
            }
            "generic" => Ok(Predicate::Generic),
            "program_scope_globals" => Ok(Predicate::ProgramScopeGlobals),
            "cxx" => Ok(Predicate::Cxx),
            "version" => self.version(),
            "encloses" => self.relation(Relation::Encloses),
            "overlaps" => self.relation(Relation::Overlaps),
            name => {
                if let Some(axis) = self.axis_index(name) {
                    self.comparison(axis)
                } else {
                    let mut known: Vec<&str> = self.axes.keys().map(String::as_str).collect();
                    known.extend([
                        "generic",
                        "program_scope_globals",
                        "cxx",
                        "version",
                        "encloses",
                        "overlaps",
                    ]);
                    Err(self.error_at(
                        start,
                        format!("`{name}` is not an axis of this rule{}", suggestion(name, &known)),
                    ))
                }
            }
        }
    }

    fn axis_index(&self, name: &str) -> Option<usize> {
        self.axes.keys().position(|axis| axis == name)
    }

    fn values(&self, axis: usize) -> &'t [String] {
        self.axes.values().nth(axis).map_or(&[], Vec::as_slice)
    }

    fn value(&mut self, axis: usize) -> Result<u16, PredicateError> {
        let at = self.position;
        let Some(word) = self.next() else {
            return Err(self.error_here("a value is missing here".to_owned()));
        };
        let values = self.values(axis);
        values.iter().position(|value| value == word).map(|index| index as u16).ok_or_else(|| {
            let known: Vec<&str> = values.iter().map(String::as_str).collect();
            let name = self.axes.keys().nth(axis).map_or("", String::as_str);
            self.error_at(
                at,
                format!("`{word}` is not a value of the axis `{name}`{}", suggestion(word, &known)),
            )
        })
    }

    fn comparison(&mut self, axis: usize) -> Result<Predicate, PredicateError> {
        let negated = match self.next() {
            Some("==") => false,
            Some("!=") => true,
            Some("in") => return self.list(axis),
            Some("not") => {
                self.expect("in")?;
                return Ok(Predicate::Not(Box::new(self.list(axis)?)));
            }
            _ => {
                self.position = self.position.min(self.words.len()).saturating_sub(1);
                return Err(self.error_here(
                    "`==`, `!=`, `in` or `not in` is missing after the axis".to_owned(),
                ));
            }
        };
        let other = self.peek().and_then(|word| self.axis_index(word));
        let term = if let Some(right) = other {
            self.position += 1;
            let matching = self
                .values(axis)
                .iter()
                .map(|value| {
                    self.values(right).iter().position(|v| v == value).map(|index| index as u16)
                })
                .collect();
            Predicate::SameValue { left: axis, right, matching }
        } else {
            Predicate::In { axis, values: vec![self.value(axis)?] }
        };
        Ok(if negated { Predicate::Not(Box::new(term)) } else { term })
    }

    fn list(&mut self, axis: usize) -> Result<Predicate, PredicateError> {
        self.expect("[")?;
        let mut values = vec![self.value(axis)?];
        while self.eat(",") {
            values.push(self.value(axis)?);
        }
        self.expect("]")?;
        Ok(Predicate::In { axis, values })
    }

    fn version(&mut self) -> Result<Predicate, PredicateError> {
        let comparison = match self.next() {
            Some("==") => Comparison::Equal,
            Some("!=") => Comparison::NotEqual,
            Some("<") => Comparison::Less,
            Some("<=") => Comparison::LessOrEqual,
            Some(">") => Comparison::Greater,
            Some(">=") => Comparison::GreaterOrEqual,
            _ => return Err(self.error_here("a comparison is missing after `version`".to_owned())),
        };
        let at = self.position;
        let name = self.next().unwrap_or("");
        let version = Version::from_name(name).ok_or_else(|| {
            let known = Version::ALL.map(Version::name);
            self.error_at(
                at,
                format!(
                    "`{name}` is not a version of OpenCL C or SPIR-V{}",
                    suggestion(name, &known)
                ),
            )
        })?;
        Ok(Predicate::Version { comparison, version })
    }

    fn relation(&mut self, relation: Relation) -> Result<Predicate, PredicateError> {
        self.expect("(")?;
        let left = self.space()?;
        self.expect(",")?;
        let right = self.space()?;
        self.expect(")")?;
        Ok(Predicate::Relation { relation, left, right })
    }

    fn space(&mut self) -> Result<SpaceTerm, PredicateError> {
        let at = self.position;
        let name = self.next().unwrap_or("");
        if let Some(axis) = self.axis_index(name) {
            return Ok(SpaceTerm::Axis { axis, names: self.values(axis).to_vec() });
        }
        if AddressSpace::from_name(name).is_some() || name == UNQUALIFIED {
            return Ok(SpaceTerm::Name(name.to_owned()));
        }
        let mut known: Vec<&str> = self.axes.keys().map(String::as_str).collect();
        known.extend(AddressSpace::ALL.map(|space| space.facts().name));
        Err(self.error_at(
            at,
            format!("`{name}` is neither an axis nor an address space{}", suggestion(name, &known)),
        ))
    }
}

fn single_or(
    mut terms: Vec<Predicate>,
    join: impl FnOnce(Vec<Predicate>) -> Predicate,
) -> Predicate {
    match terms.len() {
        1 => terms.remove(0),
        _ => join(terms),
    }
}

#[cfg(test)]
mod tests;
