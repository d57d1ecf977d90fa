//! The other dialects that allow a construct. The program is read again in each.

use crate::{
    check::{Checker, Verdict},
    diagnostic::{Diagnostic, Severity},
    dialect::{Dialect, Feature, Version},
    source::SourceMap,
    span::Span,
};

/// Versions without optional features.
const VERSIONS: [Version; 4] = [Version::V1_0, Version::V1_1, Version::V1_2, Version::V2_0];

/// A dialect and its name in messages.
#[derive(Debug)]
struct Candidate {
    kind: Kind,
    checker: Checker,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An older version.
    Version(Version),
    /// The dialect with every feature.
    Everything,
    /// The dialect without features.
    Nothing,
    /// The dialect with every feature but one.
    AllBut(Feature),
    /// The dialect with one feature.
    Only(Feature),
    /// The dialect asked for, with one extension.
    With(&'static str),
}

/// Checkers for every dialect worth trying, made once.
#[derive(Debug)]
pub struct OtherDialects {
    candidates: Vec<Candidate>,
    /// The dialect of the findings.
    here: Dialect,
}

impl OtherDialects {
    /// Returns checkers for the other dialects, with the settings of `checker`.
    pub fn new(checker: &Checker) -> Self {
        let here = checker.dialect();
        let everything = Dialect::new(optional(here));
        let nothing = everything.without_features();
        let older = VERSIONS
            .into_iter()
            .filter(|version| *version != here.version)
            .map(|version| (Kind::Version(version), Dialect::new(version)));
        let whole = [(Kind::Everything, everything), (Kind::Nothing, nothing)];
        let all_but = Feature::ALL
            .iter()
            .map(|&feature| (Kind::AllBut(feature), everything.without_dependents_of(feature)));
        let only = Feature::ALL
            .iter()
            .map(|&feature| (Kind::Only(feature), nothing.with_needs_of(feature)));
        let half = (!here.fp16).then(|| (Kind::With("cl_khr_fp16"), here.with_fp16()));
        let bytes = (!here.byte_addressable_store()).then(|| {
            let mut dialect = here;
            dialect.byte_store = true;
            (Kind::With("cl_khr_byte_addressable_store"), dialect)
        });
        let candidates = older
            .chain(whole)
            .chain(all_but)
            .chain(only)
            .chain(half)
            .chain(bytes)
            .map(|(kind, dialect)| Candidate { kind, checker: checker.for_dialect(dialect) })
            .collect();
        Self { candidates, here }
    }

    /// Returns, for each finding, the names of the dialects that have no finding at its place. The list is empty for
    /// diagnostics that break no rule.
    pub fn fine_in(
        &mut self,
        name: &str,
        source: &[u8],
        diagnostics: &[Diagnostic],
    ) -> Vec<Vec<String>> {
        let mut fine: Vec<Vec<Kind>> = vec![Vec::new(); diagnostics.len()];
        for candidate in &mut self.candidates {
            let report = candidate.checker.check(name, source);
            if report.verdict == Verdict::NotUnderstood {
                continue;
            }
            let broken: Vec<_> = errors(report.diagnostics).collect();
            for (index, finding) in diagnostics.iter().enumerate() {
                let lines = lines(report.sources, finding.span);
                let stands_in_the_way = |other: &&Diagnostic| {
                    overlap(other.span, finding.span)
                        || overlap(other.span, lines) && !is_among(other, diagnostics)
                };
                if !broken.iter().any(stands_in_the_way) {
                    fine[index].push(candidate.kind);
                }
            }
        }
        let words = |(finding, fine): (&Diagnostic, Vec<Kind>)| match finding.severity {
            Severity::Error => self.words(&fine),
            Severity::Note | Severity::Warning | Severity::Fatal => Vec::new(),
        };
        diagnostics.iter().zip(fine).map(words).collect()
    }

    fn words(&self, fine: &[Kind]) -> Vec<String> {
        let with_features = optional(self.here);
        let mut words: Vec<String> = fine
            .iter()
            .filter_map(|kind| match kind {
                Kind::Version(version) => Some(format!("CL{version}")),
                _ => None,
            })
            .collect();
        let has = |kind: Kind| fine.contains(&kind);
        let names = |keep: &dyn Fn(Feature) -> bool| -> Vec<&str> {
            let kept = Feature::ALL.iter().copied().filter(|&feature| keep(feature));
            kept.map(Feature::name).collect()
        };
        match (has(Kind::Everything), has(Kind::Nothing)) {
            (true, true) => words.push(format!("CL{with_features}")),
            (true, false) => {
                let needed = names(&|feature| !has(Kind::AllBut(feature)));
                let needed = if needed.is_empty() {
                    "every feature".to_owned()
                } else {
                    needed.join(" and ")
                };
                words.push(format!("CL{with_features} with {needed}"));
            }
            (false, true) => {
                let harmful = names(&|feature| !has(Kind::Only(feature)));
                let harmful = if harmful.is_empty() {
                    "any feature".to_owned()
                } else {
                    harmful.join(" and ")
                };
                words.push(format!("CL{with_features} without {harmful}"));
            }
            (false, false) => {}
        }
        words.extend(fine.iter().filter_map(|kind| match kind {
            Kind::With(extension) => Some(format!("CL{} with {extension}", self.here.version)),
            _ => None,
        }));
        words
    }
}

/// Returns the version whose features are varied: that of the findings where it has optional features, or the first.
fn optional(here: Dialect) -> Version {
    here.version.max(Version::V3_0)
}

fn errors(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    diagnostics.iter().filter(|diagnostic| {
        diagnostic.severity == Severity::Error && diagnostic.suppression.is_none()
    })
}

fn is_among(finding: &Diagnostic, diagnostics: &[Diagnostic]) -> bool {
    errors(diagnostics)
        .any(|other| other.rule == finding.rule && other.span.start == finding.span.start)
}

fn overlap(one: Span, other: Span) -> bool {
    one.start == other.start || one.start < other.end && other.start < one.end
}

/// Returns the lines that hold `span`.
fn lines(sources: &SourceMap, span: Span) -> Span {
    let Some(file) = sources.file_at(span.start) else { return span };
    Span::new(sources.line_start(file, span.start), sources.line_end(file, span.end))
}
