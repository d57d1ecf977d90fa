//! From findings to what people and programs read.
//!
//! [`FileReport`] is the one structure all formats come from: spans resolved to lines and columns, texts complete.

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
    /// Line of the end.
    pub end_line: u32,
    /// Column of the end.
    pub end_column: u32,
}

/// A location and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LocationLabel {
    /// The location.
    pub location: Location,
    /// What is to be said.
    pub message: String,
}

/// One diagnostic, ready to be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// `note`, `warning`, `error` or `fatal`.
    #[schemars(extend("enum" = ["note", "warning", "error", "fatal"]))]
    pub severity: &'static str,
    /// Id of the rule concerned.
    pub rule: Option<&'static str>,
    /// What is wrong.
    pub message: String,
    /// The requirement, in one sentence.
    pub requirement: Option<&'static str>,
    /// Where the specification says so.
    pub clause: Option<String>,
    /// The smallest guilty range.
    pub location: Location,
    /// The declarations involved.
    pub labels: Vec<LocationLabel>,
    /// How to repair it.
    pub help: Option<String>,
    /// More to know.
    pub note: Option<String>,
    /// The dialects in which it would be fine.
    pub fine_in: Vec<String>,
    /// What mends it, where something surely does.
    pub fix: Option<FixReport>,
}

/// A change that mends a finding and breaks nothing else: it was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FixReport {
    /// What it does.
    pub title: String,
    /// All of them together mend it; they do not overlap.
    pub edits: Vec<EditReport>,
}

/// A range and what is to stand there instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditReport {
    /// The range; empty where something is only inserted.
    pub location: Location,
    /// The text.
    pub text: String,
    /// The range in the file as bytes.
    #[serde(skip)]
    pub span: Span,
}

/// What is known of findings beyond what the checker says of them.
#[derive(Clone, Debug, Default)]
pub struct Beyond {
    /// In which dialects each would be fine; empty, or one for each diagnostic.
    pub fine_in: Vec<Vec<String>>,
    /// The fix of each; empty, or one for each diagnostic.
    pub fixes: Vec<Option<Fix>>,
}

/// A finding that does not count: `// checker: allow(RULE) REASON`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SuppressedFinding {
    /// What is allowed.
    pub finding: Finding,
    /// Why, in the words of the comment.
    pub reason: String,
    /// The comment.
    pub location: Location,
}

/// What was found in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileReport {
    /// The file, as it was named.
    pub file: String,
    /// The dialect it was read as, in words.
    pub dialect: String,
    /// `accepted`, `broken` or `not-understood`.
    #[schemars(extend("enum" = ["accepted", "broken", "not-understood"]))]
    pub verdict: &'static str,
    /// How many diagnostics there were beyond those listed.
    pub left_out: usize,
    /// In the order of discovery.
    pub diagnostics: Vec<Finding>,
    /// Those that a comment in the program allows, in the order of discovery.
    pub suppressed: Vec<SuppressedFinding>,
}

/// The diagnostics that count, as [`FileReport::diagnostics`] has them.
fn open(report: Report<'_>) -> impl Iterator<Item = &Diagnostic> {
    report.diagnostics.iter().filter(|diagnostic| diagnostic.suppression.is_none())
}

impl FileReport {
    /// Resolve `report` on `file`.
    pub fn new(file: &str, dialect: Dialect, report: Report<'_>, mut beyond: Beyond) -> Self {
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

    /// A file that could not be read at all.
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

/// Column in code points, counted from 1; bytes that continue nothing do not count.
fn column(sources: &SourceMap, offset: u32) -> u32 {
    let Some(file) = sources.file_at(offset) else { return 1 };
    let start = sources.line_start(file, offset);
    let before = sources.slice(Span::new(start, offset));
    1 + before.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u32
}
