//! Baseline entries as files have them.

use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};
use toml::Spanned;
use wildmatch::WildMatch;

use super::entry::{Deviation, DeviationKind, Explanation, Program, RunPart, When};
use crate::{
    case_id::CaseId,
    dialect::Dialect,
    implementation::Implementation,
    judge::Direction,
    load::{FileError, from_toml, place},
    outcome::Phase,
    predicate::suggestion,
    renamed,
    wrong_values::ShapePattern,
};

/// An entry of either kind of file; see [`RawDeviation::reject_keys`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawDeviation {
    implementations: Option<Spanned<Vec<Spanned<String>>>>,
    through: Option<Spanned<Vec<String>>>,
    cases: Spanned<Vec<String>>,
    when: Option<Spanned<String>>,
    findings: Option<Vec<Direction>>,
    behaves_as: Option<Spanned<String>>,
    shape: Option<Spanned<String>>,
    law: Option<Spanned<String>>,
    phase: Option<Phase>,
    kind: DeviationKind,
    cause: Option<Spanned<String>>,
    reason: Spanned<String>,
    example: Option<Spanned<String>>,
    program: Option<RawProgram>,
    link: Option<String>,
    // Keys of former files.
    first_seen: Option<Spanned<IgnoredAny>>,
    last_seen: Option<Spanned<IgnoredAny>>,
    seen_in: Option<Spanned<IgnoredAny>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawProgram {
    dialect: Spanned<String>,
    source: Spanned<String>,
}

/// Whose baseline entries a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Device,
    FrontEnd,
}

impl RawDeviation {
    /// Rejects keys that belong to the files of devices only, and keys of former versions.
    pub(crate) fn reject_keys(
        &self,
        owner: Owner,
        path: &str,
        text: &str,
    ) -> Result<(), FileError> {
        let former = [&self.first_seen, &self.last_seen, &self.seen_in];
        if let Some(former) = former.into_iter().flatten().next() {
            let message = "versions are given once in a file, as `confirmed = [...]` at its \
                 beginning, and front ends in `implementations`: remove it";
            return Err(place(path, text, former.span().start, message.to_owned()));
        }
        match &self.behaves_as {
            Some(span) if owner == Owner::FrontEnd => {
                let message = "`behaves-as` is a key of device files: remove it";
                Err(place(path, text, span.span().start, message.to_owned()))
            }
            _ => Ok(()),
        }
    }
}

/// Reads the file of a front end that several devices share.
pub fn load_front_end(path: &str, text: &str) -> Result<Vec<Deviation>, FileError> {
    let raw: RawFrontEndFile = from_toml(path, text)?;
    let (mut deviations, mut lines) = (Vec::new(), LineCounter::new(text));
    for entry in raw.deviation {
        entry.reject_keys(Owner::FrontEnd, path, text)?;
        if entry.implementations.as_ref().is_none_or(|names| names.get_ref().is_empty()) {
            let span = entry.implementations.as_ref().map_or(entry.cases.span(), Spanned::span);
            let message = "name the front ends or devices that the entry is about, as \
                 `implementations = [\"clang >=13, <22\", \"pocl\"]`";
            return Err(place(path, text, span.start, message.to_owned()));
        }
        deviations.push(deviation(entry, path, text, &mut lines)?);
    }
    Ok(deviations)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawFrontEndFile {
    #[serde(default)]
    deviation: Vec<RawDeviation>,
}

pub(crate) fn dialect(
    name: &Spanned<String>,
    path: &str,
    text: &str,
) -> Result<Dialect, FileError> {
    Dialect::from_name(name.get_ref()).ok_or_else(|| {
        let known = Dialect::ALL.map(Dialect::name);
        let hint = suggestion(name.get_ref(), &known);
        let message = format!("`{}` is not a dialect{hint}", name.get_ref().escape_debug());
        place(path, text, name.span().start, message)
    })
}

/// Lines of places that come one after the other: a text of many entries is gone through once.
pub(crate) struct LineCounter<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    pub(crate) const fn new(text: &'t str) -> Self {
        Self { text, offset: 0, line: 1 }
    }

    fn line_of(&mut self, offset: usize) -> usize {
        if offset < self.offset {
            (self.offset, self.line) = (0, 1);
        }
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.offset = offset;
        self.line
    }
}

pub(crate) fn deviation(
    raw: RawDeviation,
    path: &str,
    text: &str,
    lines: &mut LineCounter<'_>,
) -> Result<Deviation, FileError> {
    let start = raw.cases.span().start;
    let error = |start, message: &str| place(path, text, start, message.to_owned());
    let reject = |start, message: &str| Err(error(start, message));
    if raw.reason.get_ref().trim().is_empty() {
        let start = raw.reason.span().start;
        return reject(start, "a deviation needs a reason: say what the driver does wrong");
    }
    if raw.cases.get_ref().is_empty() {
        return reject(start, "a deviation needs cases");
    }
    if let (Some(cause), DeviationKind::FeatureNotSupported | DeviationKind::DisputedReading) =
        (&raw.cause, raw.kind)
    {
        let message = "only a driver bug has a `cause`: remove it, or write `kind = \
             \"driver-bug\"`";
        return reject(cause.span().start, message);
    }
    let is_random = raw.cases.get_ref().iter().all(|cases| CaseId::new(cases).is_random());
    let known = match (raw.findings, &raw.behaves_as, &raw.shape) {
        (None, None, Some(shape)) if is_random => {
            let pattern = ShapePattern::parse(&todays_shape(shape.get_ref()));
            Explanation::Shape(pattern.map_err(|wrong| error(shape.span().start, &wrong))?)
        }
        (None, None, Some(_)) => {
            let message = "only random programs have a shape: their ids begin with `random/`";
            return reject(start, message);
        }
        (Some(findings), None, None) if !findings.is_empty() => Explanation::Findings(findings),
        (None, Some(name), None) => Explanation::BehavesAs(dialect(name, path, text)?),
        _ => {
            let message = "say what is known: either `findings`, `behaves-as` or, for random \
                 programs, `shape`";
            return reject(start, message);
        }
    };
    let is_of_modules =
        matches!(&known, Explanation::Findings(ways) if *ways == [Direction::LoweredWrong]);
    match &raw.law {
        None if is_of_modules => {
            return reject(start, "for `lowered-wrong`, name the `law` that modules break");
        }
        Some(law) if !is_of_modules => {
            let message = "only an entry whose one finding is `lowered-wrong` has a `law`";
            return reject(law.span().start, message);
        }
        _ => {}
    }
    let when = raw.when.map(|when| {
        // One more for the opening quote.
        let place = place(path, text, when.span().start + 1, String::new());
        let place = (place.line, place.column);
        When { text: when.into_inner(), place, of_rules: Vec::new() }
    });
    if let (true, Some(When { place: (line, column), .. })) = (is_random, &when) {
        let message = "random programs have no axes: say what they look like in `shape`".to_owned();
        return Err(FileError { path: path.to_owned(), line: *line, column: *column, message });
    }
    let program = raw.program.map(|program| {
        if !is_random {
            let message =
                "only an entry of random programs has a program: the others have an `example`";
            return Err(error(program.source.span().start, message));
        }
        let dialect = dialect(&program.dialect, path, text)?;
        Ok(Program { dialect, source: program.source.into_inner() })
    });
    let program = program.transpose()?;
    let mut implementations = Vec::new();
    for name in raw.implementations.iter().flat_map(Spanned::get_ref) {
        let implementation = Implementation::parse(name.get_ref());
        implementations
            .push(implementation.map_err(|wrong| place(path, text, name.span().start, wrong))?);
    }
    if let Some(through) = raw.through.as_ref().filter(|names| names.get_ref().is_empty()) {
        let message = "name the compilers that make the modules, as `through = [\"llvm-spirv\"]`";
        return reject(through.span().start, message);
    }
    let cases = raw.cases.into_inner();
    let deviation = Deviation {
        program,
        patterns: cases.iter().map(|pattern| case_pattern(pattern)).collect(),
        cases,
        when,
        known,
        law: raw.law.map(Spanned::into_inner),
        phase: raw.phase,
        kind: raw.kind,
        cause: raw.cause.map(Spanned::into_inner),
        reason: raw.reason.into_inner(),
        example: raw
            .example
            .as_ref()
            .map(|example| renamed::current(example.get_ref()).into_owned()),
        implementations,
        through: raw.through.map(Spanned::into_inner).unwrap_or_default(),
        part: RunPart::Whole,
        link: raw.link,
        path: path.to_owned(),
        line: lines.line_of(start),
    };
    if let Some(example) = &raw.example
        && !(0..deviation.patterns.len())
            .any(|pattern| deviation.pattern_matches(pattern, &renamed::current(example.get_ref())))
    {
        return reject(example.span().start, "the example is not one of the entry's cases");
    }
    Ok(deviation)
}

/// Returns the pattern of a text that an entry has in `cases`.
pub fn case_pattern(text: &str) -> WildMatch {
    WildMatch::new(&with_variants(text))
}

/// Returns a pattern that also matches the variants of its version: `*/cl30/*` matches `cl30-generic` too. The id of
/// one case stays as it is.
fn with_variants(pattern: &str) -> Cow<'_, str> {
    match CaseId::variants(pattern) {
        Some(dialect) => {
            Cow::Owned(format!("{}*{}", &pattern[..dialect.end], &pattern[dialect.end..]))
        }
        None => Cow::Borrowed(pattern),
    }
}

/// Returns a shape in the current spelling: files of former versions spell `rejects:` differently.
fn todays_shape(shape: &str) -> Cow<'_, str> {
    match shape.strip_prefix("refuses:") {
        Some(rest) => Cow::Owned(format!("rejects:{rest}")),
        None => Cow::Borrowed(shape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_old_baselines_read_as_todays() {
        assert_eq!(todays_shape("refuses: SIGSEGV"), "rejects: SIGSEGV");
        for today in ["rejects: *", "accepts a/b: refuses: x", ""] {
            assert_eq!(todays_shape(today), today);
        }
    }
}
