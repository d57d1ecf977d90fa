//! Open questions of the text, each once: what is unclear, its readings, and programs that distinguish the readings,
//! with the behaviour of implementations.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::{
    dialect::Dialect,
    implementation::{Identity, Implementation},
    load::{FileError, RuleSource, from_toml, place, read_clauses},
    predicate::suggestion,
    requirement::Requirement,
    rule::{Clause, Expectation, Rule},
    verdict::Verdict,
};

/// The questions that ship with the suite.
pub const QUESTIONS: &str = include_str!("../questions.toml");
/// Path of the questions, for messages.
pub const QUESTIONS_PATH: &str = "expectations/questions.toml";

/// Something that the text leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Name of the question in disputed expectations.
    pub id: String,
    /// Kind of the open question.
    pub kind: QuestionKind,
    /// The question, in one sentence.
    pub title: String,
    /// Description of what is unclear, in our own words; one paragraph.
    pub unclear: String,
    /// Readings of the text: at least one that accepts, and one that rejects.
    pub readings: Vec<Reading>,
    /// The smallest programs that distinguish the readings.
    pub programs: Vec<Smallest>,
    /// Address of the issue at the specification's maintainers; `None` where there is none yet.
    pub filed: Option<String>,
    /// The file it was read from.
    pub path: String,
    /// Line there, from 1.
    pub line: usize,
}

/// Kind of an open question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// The text contradicts itself, or is silent.
    Open,
    /// The text forbids it, but requires no diagnostic.
    Undefined,
    /// The text leaves it to the implementation.
    Implementation,
}

impl QuestionKind {
    /// Every kind, in the order of pages.
    pub const ALL: [Self; 3] = [Self::Open, Self::Undefined, Self::Implementation];
}

/// One way to read the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Verdict on the programs: [`Verdict::Accept`] or [`Verdict::Reject`].
    pub verdict: Verdict,
    /// The passages that it cites.
    pub clauses: Vec<Clause>,
    /// Reason for the reading.
    pub because: String,
    /// Whom it would hurt.
    pub hurts: String,
}

/// A program, as small as possible, that distinguishes the readings of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smallest {
    /// Description of the program, in a few words.
    pub what: String,
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// Requirements besides the dialect.
    pub needs: Vec<Requirement>,
    /// Source of the program.
    pub source: String,
    /// Behaviour of each implementation, as observed in runs.
    pub seen: Vec<(Behaviour, Implementation)>,
    /// Line in the file of questions, from 1.
    pub line: usize,
}

/// Behaviour of an implementation with a program that has more than one reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Behaviour {
    /// The implementation builds the program.
    Accepts,
    /// The implementation rejects the program.
    Rejects,
    /// The compiler or the driver dies.
    Dies,
}

impl Behaviour {
    /// All that there are.
    pub const ALL: [Self; 3] = [Self::Accepts, Self::Rejects, Self::Dies];

    /// Returns the key in the file of questions, such as `accepts`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepts => "accepts",
            Self::Rejects => "rejects",
            Self::Dies => "dies",
        }
    }
}

impl Question {
    /// Whether one of its programs is treated in different ways; `None` where no two implementations were seen.
    pub fn is_answered_differently(&self) -> Option<bool> {
        let of_program = |program: &Smallest| {
            let (first, _) = program.seen.first()?;
            let others = &program.seen[1..];
            (!others.is_empty()).then(|| others.iter().any(|(behaviour, _)| behaviour != first))
        };
        self.programs.iter().filter_map(of_program).reduce(|one, other| one || other)
    }
}

impl Smallest {
    /// Returns the known behaviour of a device. An entry for the device takes precedence over one for its front end.
    pub fn behaviour(&self, identity: &Identity<'_>) -> Option<Behaviour> {
        let of_it = || self.seen.iter().filter(|(_, implementation)| implementation.is(identity));
        let of_device = of_it().find(|(_, implementation)| implementation.names_device(identity));
        of_device.or_else(|| of_it().next()).map(|(behaviour, _)| *behaviour)
    }
}

/// Whether no expectation of these rules names the question.
pub fn is_unnamed(question: &Question, rules: &[Rule]) -> bool {
    let mut expectations = rules.iter().flat_map(|rule| &rule.expect);
    !expectations.any(|(_, expectation)| {
        matches!(expectation, Expectation::Disputed { question: id } if *id == question.id)
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQuestions {
    #[serde(default)]
    question: Vec<RawQuestion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQuestion {
    id: Spanned<String>,
    kind: QuestionKind,
    title: Spanned<String>,
    unclear: Spanned<String>,
    readings: Vec<RawReading>,
    programs: Vec<RawSmallest>,
    filed: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReading {
    verdict: Spanned<ReadingVerdict>,
    clauses: Vec<Spanned<String>>,
    because: Spanned<String>,
    hurts: Spanned<String>,
}

/// The verdict of a reading: a reading leaves nothing in dispute.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ReadingVerdict {
    Accept,
    Reject,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSmallest {
    what: Spanned<String>,
    dialect: Spanned<String>,
    #[serde(default)]
    needs: Vec<Requirement>,
    source: Spanned<String>,
    #[serde(default)]
    accepts: Vec<Spanned<String>>,
    #[serde(default)]
    rejects: Vec<Spanned<String>>,
    #[serde(default)]
    dies: Vec<Spanned<String>>,
}

/// Reads a file of questions.
///
/// # Errors
///
/// Every mistake in it.
pub fn load_questions(path: &str, text: &str) -> Result<Vec<Question>, Vec<FileError>> {
    let raw: RawQuestions = from_toml(path, text).map_err(|error| vec![error])?;
    let source = RuleSource { id: String::new(), path: path.to_owned(), text: text.to_owned() };
    let mut reading = Reader { source: &source, errors: Vec::new() };
    let mut questions: Vec<Question> = Vec::new();
    for question in raw.question {
        if questions.iter().any(|known| known.id == *question.id.get_ref()) {
            let message = format!("the question `{}` is listed twice", question.id.get_ref());
            reading.error(question.id.span().start, message);
        }
        questions.push(reading.question(question));
    }
    if reading.errors.is_empty() { Ok(questions) } else { Err(reading.errors) }
}

struct Reader<'s> {
    source: &'s RuleSource,
    errors: Vec<FileError>,
}

impl Reader<'_> {
    fn error(&mut self, offset: usize, message: impl Into<String>) {
        let RuleSource { path, text, .. } = self.source;
        self.errors.push(place(path, text, offset, message.into()));
    }

    fn line(&self, offset: usize) -> usize {
        place(&self.source.path, &self.source.text, offset, String::new()).line
    }

    /// Reads a text that must not be empty.
    fn text(&mut self, text: Spanned<String>, missing: &str) -> String {
        if text.get_ref().trim().is_empty() {
            self.error(text.span().start, missing);
        }
        text.into_inner()
    }

    fn question(&mut self, raw: RawQuestion) -> Question {
        let start = raw.id.span().start;
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b);
        if raw.id.get_ref().is_empty() || !raw.id.get_ref().bytes().all(plain) {
            let message = format!(
                "`{}` is not a valid name for a question: use lower case letters, digits, `-` and \
                 `.`",
                raw.id.get_ref().escape_debug()
            );
            self.error(start, message);
        }
        if raw.programs.is_empty() {
            self.error(start, "no [[question.programs]]: show the readings by a small program");
        }
        let readings: Vec<Reading> =
            raw.readings.into_iter().map(|reading| self.reading(reading)).collect();
        let verdicts = [Verdict::Accept, Verdict::Reject];
        if verdicts.iter().any(|verdict| readings.iter().all(|r| r.verdict != *verdict)) {
            self.error(
                start,
                "a question has readings both ways: write [[question.readings]] with the verdict `accept`, and with `reject`",
            );
        }
        if let Some(filed) = raw.filed.as_ref().filter(|it| !it.get_ref().starts_with("https://")) {
            self.error(filed.span().start, "not an address: write the issue's, from `https://` on");
        }
        Question {
            filed: raw.filed.map(Spanned::into_inner),
            line: self.line(start),
            path: self.source.path.clone(),
            id: raw.id.into_inner(),
            kind: raw.kind,
            title: self.text(raw.title, "the title is empty: ask the question in one sentence"),
            unclear: self
                .text(raw.unclear, "say in our own words what the text leaves open")
                .trim()
                .to_owned(),
            readings,
            programs: raw.programs.into_iter().map(|program| self.smallest(program)).collect(),
        }
    }

    fn reading(&mut self, raw: RawReading) -> Reading {
        if raw.clauses.is_empty() {
            self.error(
                raw.verdict.span().start,
                "a reading needs `clauses`: cite the document and anchor it comes from",
            );
        }
        Reading {
            verdict: match raw.verdict.get_ref() {
                ReadingVerdict::Accept => Verdict::Accept,
                ReadingVerdict::Reject => Verdict::Reject,
            },
            clauses: read_clauses(self.source, &raw.clauses, &mut self.errors),
            because: self.text(raw.because, "say why the text can be read so"),
            hurts: self.text(raw.hurts, "say whom the reading would hurt, or that it hurts nobody"),
        }
    }

    fn smallest(&mut self, raw: RawSmallest) -> Smallest {
        let named = Dialect::from_name(raw.dialect.get_ref());
        if named.is_none() {
            let known = Dialect::ALL.map(Dialect::name);
            let given = raw.dialect.get_ref();
            let hint = suggestion(given, &known);
            let message = format!("`{}` is not a dialect{hint}", given.escape_debug());
            self.error(raw.dialect.span().start, message);
        }
        let line = self.line(raw.what.span().start);
        let mut seen: Vec<(Behaviour, Implementation)> = Vec::new();
        let lists = [raw.accepts, raw.rejects, raw.dies];
        for (behaviour, names) in Behaviour::ALL.into_iter().zip(lists) {
            for name in names {
                // One more for the opening quote.
                let at = name.span().start + 1;
                match Implementation::parse(name.get_ref()) {
                    Err(wrong) => self.error(at, wrong),
                    Ok(implementation)
                        if seen.iter().any(|(_, known)| *known == implementation) =>
                    {
                        self.error(at, format!("`{implementation}` is listed twice"));
                    }
                    Ok(implementation) => seen.push((behaviour, implementation)),
                }
            }
        }
        Smallest {
            what: self.text(raw.what, "say in a few words what the program shows"),
            dialect: named.unwrap_or(Dialect::ALL[0]),
            needs: raw.needs,
            source: self.text(raw.source, "the program is empty: write one"),
            seen,
            line,
        }
    }
}

/// Reads the questions of several files, in their order. A question of a later file replaces one of the same name.
///
/// # Errors
///
/// Every mistake in every file.
pub fn load_all(files: &[(String, String)]) -> Result<Vec<Question>, Vec<FileError>> {
    let mut questions: Vec<Question> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut errors = Vec::new();
    for (path, text) in files {
        match load_questions(path, text) {
            Ok(read) => {
                for question in read {
                    match places.get(&question.id) {
                        Some(&place) => questions[place] = question,
                        None => {
                            places.insert(question.id.clone(), questions.len());
                            questions.push(question);
                        }
                    }
                }
            }
            Err(wrong) => errors.extend(wrong),
        }
    }
    if errors.is_empty() { Ok(questions) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r##"[[question]]
id = "twice"
kind = "open"
title = "May it stand twice?"
unclear = """
Two sentences say two things.
"""

[[question.readings]]
verdict = "accept"
clauses = ["C99#6.7.3"]
because = "it may"
hurts = "nobody"

[[question.readings]]
verdict = "reject"
clauses = ["OpenCL_C#address-space-qualifiers df0783c5ae8f781f"]
because = "it may not"
hurts = "programs"

[[question.programs]]
dialect = "cl12"
what = "side by side"
source = "kernel void k() { }"
accepts = ["clang >=13", "pocl"]
rejects = ["oclgrind"]
"##;

    #[test]
    fn the_questions_that_ship_are_read() {
        let questions = load_questions(QUESTIONS_PATH, QUESTIONS)
            .unwrap_or_else(|errors| panic!("{errors:#?}"));
        assert!(questions.len() < 40, "{}", questions.len());
    }

    #[test]
    fn what_is_said_of_a_device_counts_more() {
        let questions = load_questions("q.toml", GOOD).unwrap();
        assert_eq!(questions[0].unclear, "Two sentences say two things.");
        let seen = |device: &str, front_end: &str| {
            let identity =
                Identity { device, family: device, driver: None, front_end, version_pattern: None };
            questions[0].programs[0].behaviour(&identity)
        };
        assert_eq!(seen("clang-19", "clang 19"), Some(Behaviour::Accepts));
        assert_eq!(seen("oclgrind", "clang 14"), Some(Behaviour::Rejects));
        assert_eq!(seen("nvidia", "NVIDIA's clang"), None);
    }

    #[test]
    fn a_later_file_takes_the_place_of_a_question() {
        let file = |path: &str, text: String| (path.to_owned(), text);
        let other = GOOD.replace("id = \"twice\"", "id = \"thrice\"");
        let questions = load_all(&[
            file("a.toml", format!("{GOOD}\n{other}")),
            file("b.toml", GOOD.replace("May it", "Might it")),
        ])
        .unwrap();
        let found: Vec<(&str, &str)> = questions
            .iter()
            .map(|question| (question.id.as_str(), question.path.as_str()))
            .collect();
        assert_eq!(found, [("twice", "b.toml"), ("thrice", "a.toml")]);
    }

    #[test]
    fn bad_files_are_rejected_with_place_and_remedy() {
        for (from, to, expected) in [
            (
                "hurts = \"nobody\"",
                "",
                "9:1: the key `hurts` is missing: say whom the reading would hurt",
            ),
            ("because = \"it may\"", "because = \"\"", "12:11: say why the text can be read so"),
            (
                "\"twice\"",
                "\"Twice\"",
                "2:6: `Twice` is not a valid name for a question: use lower case letters, digits, \
                 `-` and `.`",
            ),
            (
                "verdict = \"accept\"",
                "verdict = \"reject\"",
                "2:6: a question has readings both ways: write [[question.readings]] with the verdict `accept`, and with `reject`",
            ),
            (
                "cl12",
                "cl13",
                "22:11: `cl13` is not a dialect; did you mean `cl10`, `cl11`, `cl12` or `cl31`?",
            ),
            (
                "C99#6.7.3",
                "C9#6.7.3",
                "11:13: `C9` is not a document that clauses cite; did you mean `C99`?",
            ),
            (
                "clang >=13",
                "clang >=x",
                "25:13: `>=x` is not a condition on versions: write them as `clang >=13, <22`",
            ),
            (
                "kind = \"open\"",
                "kind = \"open\"\nfiled = \"644\"",
                "4:9: not an address: write the issue's, from `https://` on",
            ),
            ("\"oclgrind\"", "\"pocl\"", "26:13: `pocl` is listed twice"),
            ("rejects = [", "reject = [", "26:1: unknown key `reject`; did you mean `rejects`?"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let errors = load_questions("q.toml", &GOOD.replacen(from, to, 1)).unwrap_err();
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert!(errors.contains(&format!("q.toml:{expected}")), "{expected}\n{errors:#?}");
        }
        let twice = load_questions("q.toml", &GOOD.repeat(2)).unwrap_err();
        assert_eq!(twice[0].to_string(), "q.toml:28:6: the question `twice` is listed twice");
    }
}
