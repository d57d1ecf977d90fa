//! Findings in the formats that people and programs read.
//!
//! Every format is made from [`FileReport`], which has lines and columns for spans, and complete texts.

pub mod concise;
pub mod escape;
pub mod github;
pub mod json;
pub mod sarif;
pub mod text;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    check::{Report, Verdict},
    diagnostic::{Diagnostic, Severity},
    dialect::Dialect,
    fix::Fix,
    rule::Rule,
    source::SourceMap,
    span::Span,
};

/// Diagnostics of one file that are listed at most.
const MAX_FINDINGS: usize = 10_000;

/// A range of a file; lines and columns count from 1, columns in Unicode code points, the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Location {
    /// The file, as `#line` presents it.
    pub file: String,
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Line of the end, counted from 1.
    pub end_line: u32,
    /// Column of the end, counted from 1.
    pub end_column: u32,
}

/// A location with a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LocationLabel {
    /// Location that the label points at.
    pub location: Location,
    /// Text of the message.
    pub message: String,
}

/// A diagnostic for readers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// `note`, `warning`, `error` or `fatal`.
    #[schemars(extend("enum" = ["note", "warning", "error", "fatal"]))]
    pub severity: &'static str,
    /// Id of the rule concerned.
    pub rule: Option<&'static str>,
    /// The mistake.
    pub message: String,
    /// The requirement, in one sentence.
    pub requirement: Option<&'static str>,
    /// Address of the clause in the specification.
    pub clause: Option<String>,
    /// The smallest guilty range.
    pub location: Location,
    /// The declarations involved.
    pub labels: Vec<LocationLabel>,
    /// Advice on the repair.
    pub help: Option<String>,
    /// Further information.
    pub note: Option<String>,
    /// Dialects that allow the construct.
    pub fine_in: Vec<String>,
    /// A change that mends it, where one was found.
    pub fix: Option<FixReport>,
}

/// A change that mends a finding and breaks nothing else. It was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FixReport {
    /// Effect of the change.
    pub title: String,
    /// Edits that together mend the finding; they do not overlap.
    pub edits: Vec<EditReport>,
}

/// A range and its new text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditReport {
    /// The range; empty if something is only inserted.
    pub location: Location,
    /// Text that replaces the range.
    pub text: String,
    /// The range in the file as bytes.
    #[serde(skip)]
    pub span: Span,
}

/// Knowledge about findings that the checker itself does not have.
#[derive(Clone, Debug, Default)]
pub struct FindingDetails {
    /// Dialects that allow the construct, for each diagnostic; empty if nobody asked.
    pub fine_in: Vec<Vec<String>>,
    /// Fix for each diagnostic; empty if nobody asked.
    pub fixes: Vec<Option<Fix>>,
}

/// A finding that a comment allows: `// checker: allow(RULE) REASON`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SuppressedFinding {
    /// The finding that is allowed.
    pub finding: Finding,
    /// The reason that the comment gives.
    pub reason: String,
    /// The comment.
    pub location: Location,
}

/// The findings in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileReport {
    /// The file, as it was named.
    pub file: String,
    /// The dialect in which it was read, in words.
    pub dialect: String,
    /// `accepted`, `broken` or `not-understood`.
    #[schemars(extend("enum" = ["accepted", "broken", "not-understood"]))]
    pub verdict: &'static str,
    /// Number of diagnostics that are not listed.
    pub left_out: usize,
    /// Diagnostics in the order of discovery.
    pub diagnostics: Vec<Finding>,
    /// Diagnostics that a comment in the program allows, in the order of discovery.
    pub suppressed: Vec<SuppressedFinding>,
}

/// Returns the diagnostics that no comment allows.
fn open(report: Report<'_>) -> impl Iterator<Item = &Diagnostic> {
    report.diagnostics.iter().filter(|diagnostic| diagnostic.suppression.is_none())
}

impl FileReport {
    /// Returns the report on `file` with its spans resolved.
    pub fn new(
        file: &str,
        dialect: Dialect,
        report: Report<'_>,
        mut beyond: FindingDetails,
    ) -> Self {
        let count = report.diagnostics.len();
        beyond.fine_in.resize(count, Vec::new());
        beyond.fixes.resize(count, None);
        let open = open(report).count();
        let findings = report.diagnostics.iter().zip(beyond.fine_in).zip(beyond.fixes);
        let findings = findings.filter(|((said, _), _)| said.suppression.is_none());
        let suppressed = report.diagnostics.iter().filter_map(|diagnostic| {
            let suppression = diagnostic.suppression.as_ref()?;
            Some(SuppressedFinding {
                finding: Finding::new(diagnostic, report.sources),
                reason: suppression.reason.clone(),
                location: location(report.sources, suppression.span),
            })
        });
        Self {
            file: file.to_owned(),
            dialect: dialect.to_string(),
            verdict: verdict_word(report.verdict),
            left_out: open.saturating_sub(MAX_FINDINGS),
            diagnostics: findings
                .take(MAX_FINDINGS)
                .map(|((diagnostic, fine_in), fix)| {
                    let fix = fix.map(|fix| FixReport::new(fix, report.sources));
                    Finding { fine_in, fix, ..Finding::new(diagnostic, report.sources) }
                })
                .collect(),
            suppressed: suppressed.take(MAX_FINDINGS).collect(),
        }
    }

    /// Returns the report on a file that could not be read at all.
    pub fn unreadable(file: &str, dialect: Dialect, reason: &str) -> Self {
        let location =
            Location { file: file.to_owned(), line: 1, column: 1, end_line: 1, end_column: 1 };
        let finding = Finding {
            severity: "fatal",
            rule: None,
            message: format!("the file cannot be read: {reason}"),
            requirement: None,
            clause: None,
            location,
            labels: Vec::new(),
            help: None,
            note: None,
            fine_in: Vec::new(),
            fix: None,
        };
        Self {
            file: file.to_owned(),
            dialect: dialect.to_string(),
            verdict: verdict_word(Verdict::NotUnderstood),
            left_out: 0,
            diagnostics: vec![finding],
            suppressed: Vec::new(),
        }
    }
}

impl FixReport {
    fn new(fix: Fix, sources: &SourceMap) -> Self {
        let edits = fix.edits.into_iter().map(|edit| EditReport {
            location: location(sources, edit.span),
            text: edit.text,
            span: edit.span,
        });
        Self { title: fix.title, edits: edits.collect() }
    }
}

impl Finding {
    fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let info = diagnostic.rule.map(Rule::info);
        let labels = diagnostic.labels.iter().map(|label| LocationLabel {
            location: location(sources, label.span),
            message: label.message.clone(),
        });
        Self {
            severity: severity_word(diagnostic.severity),
            rule: info.map(|info| info.id),
            message: diagnostic.message.clone(),
            requirement: info.map(|info| info.summary),
            clause: info.map(|info| info.url()),
            location: location(sources, diagnostic.span),
            labels: labels.collect(),
            help: diagnostic.help.clone(),
            note: diagnostic.note.clone(),
            fine_in: Vec::new(),
            fix: None,
        }
    }
}

const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
        Severity::Fatal => "fatal",
    }
}

const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "accepted",
        Verdict::Broken => "broken",
        Verdict::NotUnderstood => "not-understood",
    }
}

fn location(sources: &SourceMap, span: Span) -> Location {
    let start = sources.position(span.start);
    let end = sources.position(span.end.max(span.start));
    Location {
        file: start.file.to_owned(),
        line: start.line,
        column: column(sources, span.start),
        end_line: end.line,
        end_column: column(sources, span.end.max(span.start)),
    }
}

/// Returns the column in code points, counted from 1. Stray continuation bytes do not count.
fn column(sources: &SourceMap, offset: u32) -> u32 {
    let Some(file) = sources.file_at(offset) else { return 1 };
    let start = sources.first_column(file, offset);
    let before = sources.slice(Span::new(start, offset));
    1 + before.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u32
}
