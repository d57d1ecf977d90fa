//! Fixes: proposals of the rules are tried on the program, and kept if they mend the finding and break nothing else.

mod deleting;
mod edits;
mod named;
mod once;
mod passing;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    check::{Checker, Report, Verdict},
    diagnostic::{Diagnostic, Severity},
    fix::{self, Edit, Fix, Mend},
    rule::Rule,
};

use edits::resolve;

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
            proposed.into_iter().find_map(|&mend| {
                left = left.checked_sub(1)?;
                let fix = resolve(mend, report)?;
                let trial = Trial { name, source, mend };
                self.completed(&trial, fix, &allowed, &mut left)
            })
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

    /// Returns a fix after which the program has no finding beyond those of `allowed`. If a changed space requires
    /// further ones, in called functions and in assigned objects, these are part of the fix. Each program that
    /// is read for those takes one of `left`.
    fn completed(
        &mut self,
        trial: &Trial<'_>,
        fix: Fix,
        allowed: &Census,
        left: &mut usize,
    ) -> Option<Fix> {
        let Fix { title, mut edits } = fix;
        let mut more = BTreeSet::new();
        for _ in 0..=MAX_FOLLOWED {
            edits.sort();
            let edited = fix::apply(trial.source, &edits)?;
            let report = self.trial.check(trial.name, edited);
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
            let is_new = |said: &&Diagnostic| new.contains(&key(said));
            let further = report.diagnostics.iter().filter(is_new);
            let further = further.map(|said| trial.required(said, report, &edits));
            let mut further = further.collect::<Option<BTreeSet<Edit>>>()?;
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
            *left = left.checked_sub(1)?;
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

/// A change that is tried on a program.
struct Trial<'p> {
    name: &'p str,
    source: &'p [u8],
    mend: Mend,
}

impl Trial<'_> {
    /// Returns the edit that a finding of the program after `edits` requires of the program before them.
    fn required(&self, said: &Diagnostic, report: Report<'_>, edits: &[Edit]) -> Option<Edit> {
        let further = said.mends.iter().flatten().filter(|further| self.mend.leads_to(**further));
        let mut required = further.filter_map(|further| {
            let [edit] = <[Edit; 1]>::try_from(edits::replaced(*further, report)?.edits).ok()?;
            fix::edit_before(edits, edit)
        });
        required.next()
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
