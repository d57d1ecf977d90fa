//! Fixes: proposals of the rules are tried on the program, and kept if they mend the finding and break nothing else.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    check::{Checker, Report, Verdict},
    diagnostic::{Diagnostic, Severity},
    fix::{self, Edit, Fix, Mend},
    rule::Rule,
    source::{FileId, SourceMap},
    span::Span,
};

/// Longer programs are not read again for fixes.
const MAX_SOURCE: usize = 1 << 20;

/// Largest number of bytes that are read again for the fixes of one program.
const MAX_READ: usize = 1 << 26;

/// Changes that are tried for one program.
const MAX_TRIED: usize = 500;

/// Most rounds of fixing one program.
const MAX_ROUNDS: usize = 10;

/// Largest number of times that one fix is followed to further places.
const MAX_FOLLOWED: usize = 8;

/// Bytes of a declaration that a title shows at most.
const MAX_SHOWN: u32 = 60;

/// The words that a fix may delete. It never deletes anything else.
const REMOVABLE: &[&[u8]] = &[
    b"global",
    b"__global",
    b"local",
    b"__local",
    b"constant",
    b"__constant",
    b"private",
    b"__private",
    b"generic",
    b"__generic",
    b"auto",
    b"register",
    b"static",
    b"extern",
    b"const",
    b"volatile",
    b"restrict",
];

/// Tries fixes for the findings of one checker.
#[derive(Debug)]
pub struct Mender {
    trial: Checker,
}

/// A program whose findings were fixed as far as possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedProgram {
    /// The whole text.
    pub text: Vec<u8>,
    /// Number of findings that are gone.
    pub fixed: usize,
}

impl Mender {
    /// Returns a mender for findings of `checker`, which tries programs with the same settings.
    pub fn new(checker: &Checker) -> Self {
        Self { trial: checker.for_dialect(checker.dialect()) }
    }

    /// Returns, for each finding of `report` on `source`, the first proposed change that mends it. Nothing mends a
    /// program that is not understood, a macro, an included file and text after `#line`.
    pub fn fixes(&mut self, name: &str, source: &[u8], report: Report<'_>) -> Vec<Option<Fix>> {
        if report.verdict != Verdict::Broken || source.len() > MAX_SOURCE {
            return Vec::new();
        }
        let before = Census::of(report.diagnostics);
        let mut left = MAX_TRIED.min(MAX_READ / source.len().max(1));
        let mut prove = |diagnostic: &Diagnostic| {
            let allowed = before.without(diagnostic);
            let proposed = diagnostic.mends.iter().flatten();
            let mut fixes = proposed.filter_map(|mend| resolve(*mend, report.sources));
            fixes.find_map(|fix| self.completed(name, source, fix, &allowed, &mut left))
        };
        let is_open = |diagnostic: &Diagnostic| {
            diagnostic.severity == Severity::Error && diagnostic.suppression.is_none()
        };
        report
            .diagnostics
            .iter()
            .map(|diagnostic| is_open(diagnostic).then(|| prove(diagnostic)).flatten())
            .collect()
    }

    /// Returns a fix after which the program has no finding beyond those of `allowed`. If a written space requires
    /// further ones, in called functions and in assigned objects, these are part of the fix. Each program that
    /// is read takes one of `left`.
    fn completed(
        &mut self,
        name: &str,
        source: &[u8],
        fix: Fix,
        allowed: &Census,
        left: &mut usize,
    ) -> Option<Fix> {
        let Fix { title, mut edits } = fix;
        let mut more = BTreeSet::new();
        for _ in 0..=MAX_FOLLOWED {
            *left = left.checked_sub(1)?;
            edits.sort();
            let edited = fix::apply(source, &edits)?;
            let report = self.trial.check(name, edited);
            if report.verdict == Verdict::NotUnderstood {
                return None;
            }
            let new = Census::of(report.diagnostics).beyond(allowed);
            if new.is_empty() {
                let title = match more.len() {
                    0 => title,
                    1 => format!("{title}, and a space in one more place"),
                    more => format!("{title}, and a space in {more} more places"),
                };
                return Some(Fix { title, edits });
            }
            let mut further = BTreeSet::new();
            for diagnostic in report.diagnostics.iter().filter(|said| new.contains(&key(said))) {
                let written = diagnostic.mends.iter().flatten().find(|mend| mend.writes_space())?;
                for edit in resolve(*written, report.sources)?.edits {
                    let place = fix::place_before(&edits, edit.span.start)?;
                    further.insert(Edit { span: Span::new(place, place), text: edit.text });
                }
            }
            for edit in &further {
                // Two edits at one place are one.
                let here = edits
                    .iter_mut()
                    .find(|own| own.span.start == edit.span.start && own.span.end > own.span.start);
                match here {
                    Some(own) => own.text.insert_str(0, &edit.text),
                    None => edits.push(edit.clone()),
                }
            }
            more.append(&mut further);
        }
        None
    }

    /// Whether the edited program has no finding beyond those of `allowed`.
    fn mends(&mut self, name: &str, source: &[u8], edits: &[Edit], allowed: &Census) -> bool {
        let Some(edited) = fix::apply(source, edits) else { return false };
        let report = self.trial.check(name, edited);
        report.verdict != Verdict::NotUnderstood
            && Census::of(report.diagnostics).beyond(allowed).is_empty()
    }

    /// Applies the fixes of the program `source`, in rounds, until there are none. The last report of `checker` is then
    /// about the returned text.
    pub fn mend(&mut self, checker: &mut Checker, name: &str, source: &[u8]) -> FixedProgram {
        let mut text = source.to_vec();
        let mut fixed = 0;
        for _ in 0..MAX_ROUNDS {
            checker.check(name, &text);
            let report = checker.last_report();
            let found: Vec<Fix> = self.fixes(name, &text, report).into_iter().flatten().collect();
            let before = Census::of(report.diagnostics);
            let Some(next) = self.together(name, &text, &found, &before) else { break };
            let after = Census::of(checker.check(name, &next).diagnostics);
            fixed += before.errors.saturating_sub(after.errors);
            text = next;
        }
        checker.check(name, &text);
        FixedProgram { text, fixed }
    }

    /// Returns the program with all the fixes, or with the first where they exclude each other.
    fn together(
        &mut self,
        name: &str,
        source: &[u8],
        fixes: &[Fix],
        before: &Census,
    ) -> Option<Vec<u8>> {
        let first = fixes.first()?;
        let all: Vec<Edit> = fixes.iter().flat_map(|fix| fix.edits.clone()).collect();
        let edits = if self.mends(name, source, &all, before) { &all } else { &first.edits };
        fix::apply(source, edits)
    }
}

/// A diagnostic without its place: severity, rule, whether the program allows it, and message.
type DiagnosticKey = (Severity, Option<Rule>, bool, String);

/// The number of times that a program gets each diagnostic, at any place.
#[derive(Clone, Debug, Default)]
struct Census {
    said: BTreeMap<DiagnosticKey, usize>,
    errors: usize,
}

impl Census {
    fn of(diagnostics: &[Diagnostic]) -> Self {
        let mut census = Self::default();
        for diagnostic in diagnostics {
            *census.said.entry(key(diagnostic)).or_default() += 1;
            let counts = diagnostic.severity == Severity::Error && diagnostic.suppression.is_none();
            census.errors += usize::from(counts);
        }
        census
    }

    fn without(&self, diagnostic: &Diagnostic) -> Self {
        let mut census = self.clone();
        if let Some(count) = census.said.get_mut(&key(diagnostic)) {
            *count -= 1;
        }
        census
    }

    /// Returns the diagnostics that are there more often than in `other`.
    fn beyond(&self, other: &Self) -> BTreeSet<DiagnosticKey> {
        let is_new = |(key, count): &(&DiagnosticKey, &usize)| {
            other.said.get(key).is_none_or(|most| *count > most)
        };
        self.said.iter().filter(is_new).map(|(key, _)| key.clone()).collect()
    }
}

fn key(diagnostic: &Diagnostic) -> DiagnosticKey {
    let is_allowed = diagnostic.suppression.is_some();
    (diagnostic.severity, diagnostic.rule, is_allowed, diagnostic.message.clone())
}

/// Returns the edits of `mend`; `None` unless each lies in plain text of the main file.
fn resolve(mend: Mend, sources: &SourceMap) -> Option<Fix> {
    let word = |span| str::from_utf8(sources.slice(span)).unwrap_or_default();
    let (title, edits) = match mend {
        Mend::Remove(span) => (format!("remove `{}`", word(span)), vec![removal(span, sources)?]),
        Mend::Qualify { place, space } => {
            let title = format!("write `{} {}`", space.name(), behind(place, sources));
            (title, vec![insertion(place, space.name())])
        }
        Mend::Requalify { span, space } => {
            removal(span, sources)?;
            let edit = Edit { span, text: space.name().to_owned() };
            (format!("write `{}` in place of `{}`", space.name(), word(span)), vec![edit])
        }
        Mend::Move { span, place } => (
            format!("write `{}` before the `*`, to qualify what is pointed to", word(span)),
            vec![insertion(place, word(span)), removal(span, sources)?],
        ),
        Mend::Hoist { start, place } => {
            let title = "move the declaration to the beginning of the kernel".to_owned();
            (title, moved(start, place, |text| format!(" {text}"), sources)?)
        }
        Mend::Lift { start, place } => {
            let title = "move the declaration before the function".to_owned();
            (title, moved(start, place, |text| format!("{text}\n"), sources)?)
        }
        Mend::MakeStatic { place } => {
            let title = format!("write `static {}`", behind(place, sources));
            (title, vec![insertion(place, "static")])
        }
    };
    edits.iter().all(|edit| is_plain(edit, sources)).then_some(Fix { title, edits })
}

/// Returns the declaration that begins at `place`, shortened for a title.
fn behind(place: u32, sources: &SourceMap) -> &str {
    let line = sources.slice(Span::new(place, place.saturating_add(MAX_SHOWN)));
    let ends = |byte: &u8| matches!(byte, b'\n' | b'\r' | b',' | b';' | b')' | b'=' | b'{' | b'[');
    let line = line.split(ends).next().unwrap_or_default();
    line.utf8_chunks().next().map_or("", |chunk| chunk.valid().trim_end())
}

fn insertion(place: u32, word: &str) -> Edit {
    Edit { span: Span::new(place, place), text: format!("{word} ") }
}

/// Returns the edits that move the declaration which begins at `start` to `place`, as `written` there.
fn moved(
    start: u32,
    place: u32,
    written: impl Fn(&str) -> String,
    sources: &SourceMap,
) -> Option<Vec<Edit>> {
    let declaration = declaration(start, sources)?;
    let text = str::from_utf8(sources.slice(declaration)).ok()?;
    let span = Span::new(start, declaration.end + blanks_behind(declaration.end, sources));
    let insertion = Edit { span: Span::new(place, place), text: written(text) };
    Some(vec![insertion, Edit { span, text: String::new() }])
}

/// Returns the declaration from `start` to its semicolon, where it is on one line.
fn declaration(start: u32, sources: &SourceMap) -> Option<Span> {
    let text = sources.slice(Span::new(start, u32::MAX));
    let end = text.iter().position(|byte| matches!(byte, b';' | b'\n'))?;
    (text[end] == b';').then(|| Span::new(start, start + end as u32 + 1))
}

/// Returns the number of blanks from `place` on.
fn blanks_behind(place: u32, sources: &SourceMap) -> u32 {
    let behind = sources.slice(Span::new(place, u32::MAX));
    behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count() as u32
}

/// Returns the edit that deletes a word and the blanks after it.
fn removal(span: Span, sources: &SourceMap) -> Option<Edit> {
    if !REMOVABLE.contains(&sources.slice(span)) {
        return None;
    }
    let span = Span::new(span.start, span.end + blanks_behind(span.end, sources));
    Some(Edit { span, text: String::new() })
}

/// Whether the edit is of the main file as it lies on disk, and not within the call of a macro.
fn is_plain(edit: &Edit, sources: &SourceMap) -> bool {
    const MAIN: FileId = FileId(0);
    let Span { start, end } = edit.span;
    let is_in_main = sources.file_at(start) == Some(MAIN) && end <= sources.range(MAIN).end;
    is_in_main && !sources.has_line_marks(MAIN) && !sources.is_in_macro_call(edit.span)
}
