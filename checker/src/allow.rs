//! Comments that allow a finding: `// checker: allow(RULE) REASON`.
//!
//! A comment after code allows findings on its own line, a comment alone on its line those on the next line with code.
//! A comment needs a reason, and one that allows nothing is reported.

use std::collections::BTreeMap;

use memchr::memmem;

use crate::{
    diagnostic::{Diagnostic, Severity, Suppression},
    lex::{Lexer, without_splices},
    nearest::nearest,
    rule::{Rule, RuleSet},
    source::{FileId, SourceMap},
    span::Span,
};

/// The word that such a comment begins with.
const MARKER: &str = "checker:";

/// Number of unknown rules that get a suggestion.
const SUGGESTIONS: usize = 50;

/// The form of such a comment, as advice.
const FORM: &str = "write `checker: allow(RULE) REASON`";

/// A rule that a comment allows, on some lines of its file.
struct Allow {
    rule: Rule,
    /// Place of the comment.
    span: Span,
    reason: String,
    is_used: bool,
}

/// Marks the findings that the program allows, and reports the comments that have no effect.
pub(crate) fn apply(sources: &mut SourceMap, disabled: RuleSet, diagnostics: &mut Vec<Diagnostic>) {
    // Nearly every program has no such comment.
    if memmem::find(sources.bytes(), MARKER.as_bytes()).is_none() {
        return;
    }
    sources.index_lines();
    let mut found = AllowComments::default();
    for file in (0..sources.file_count()).map(|index| FileId(index as u32)) {
        found.read_file(file, sources);
    }
    found.suppress(sources, diagnostics);
    let is_understood = diagnostics.iter().all(|said| said.severity != Severity::Fatal);
    diagnostics.append(&mut found.warnings);
    if is_understood {
        diagnostics.extend(found.unused(sources, disabled));
    }
}

/// The comments of a program that allow a finding, and mistakes in them.
#[derive(Default)]
struct AllowComments {
    allows: Vec<Allow>,
    /// The first comment for a rule on a line of a file.
    by_line: BTreeMap<(FileId, u32, Rule), usize>,
    /// Number of unknown rules that were compared with the known ones.
    suggested: usize,
    warnings: Vec<Diagnostic>,
}

impl AllowComments {
    fn read_file(&mut self, file: FileId, sources: &SourceMap) {
        let range = sources.range(file);
        if memmem::find(sources.slice(range), MARKER.as_bytes()).is_none() {
            return;
        }
        let mut lexer = Lexer::new(range);
        let comments: Vec<Span> =
            std::iter::from_fn(|| lexer.next_comment(sources.bytes())).collect();
        for (comment, line) in comments.iter().zip(target_lines(&comments, file, sources)) {
            if memmem::find(sources.slice(*comment), MARKER.as_bytes()).is_some()
                && !sources.is_skipped(comment.start)
            {
                self.read_comment(file, *comment, line, sources);
            }
        }
    }

    fn read_comment(&mut self, file: FileId, span: Span, line: Option<u32>, sources: &SourceMap) {
        let text = without_splices(sources.slice(span));
        let text = String::from_utf8_lossy(&text);
        let text = content(&text);
        let Some(said) = text.strip_prefix(MARKER) else { return };
        let (rules, reason) = match parse(said.trim()) {
            CommentText::Prose => return,
            CommentText::Wrong(message) => return self.warn(span, message, FORM.to_owned()),
            CommentText::Allow { rules, reason } => (rules, reason),
        };
        if reason.is_empty() {
            let message = "this allows nothing, because it gives no reason";
            return self.warn(span, message.to_owned(), FORM.to_owned());
        }
        for id in rules {
            let Some(rule) = Rule::from_id(id) else {
                let help = match self.nearest_rule(id) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "`address-spaces-check --list-rules` lists the rules".to_owned(),
                };
                let id = id.escape_debug();
                self.warn(span, format!("there is no rule `{id}` to allow"), help);
                continue;
            };
            if let Some(line) = line {
                self.by_line.entry((file, line, rule)).or_insert(self.allows.len());
            }
            self.allows.push(Allow { rule, span, reason: reason.to_owned(), is_used: false });
        }
    }

    fn nearest_rule(&mut self, id: &str) -> Option<&'static str> {
        self.suggested += 1;
        let known = Rule::ALL.iter().map(|rule| rule.id());
        if self.suggested <= SUGGESTIONS { nearest(id, known) } else { None }
    }

    fn suppress(&mut self, sources: &SourceMap, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            let Some(rule) = diagnostic.rule else { continue };
            let Some(file) = sources.file_at(diagnostic.span.start) else { continue };
            let line = sources.physical_line(diagnostic.span.start);
            let Some(&index) = self.by_line.get(&(file, line, rule)) else { continue };
            let allow = &mut self.allows[index];
            allow.is_used = true;
            diagnostic.suppression =
                Some(Suppression { span: allow.span, reason: allow.reason.clone() });
        }
    }

    /// Reports the comments of the main file that allow nothing. Those in a header may be needed by other programs.
    fn unused(self, sources: &SourceMap, disabled: RuleSet) -> Vec<Diagnostic> {
        let is_unused = |allow: &Allow| {
            !allow.is_used
                && !disabled.contains(allow.rule)
                && sources.file_at(allow.span.start) == Some(FileId(0))
        };
        let unused = self.allows.into_iter().filter(is_unused);
        unused
            .map(|allow| {
                let message = format!("nothing breaks `{}` where this allows it", allow.rule.id());
                warning(allow.span, message, "remove the comment".to_owned())
            })
            .collect()
    }

    fn warn(&mut self, span: Span, message: String, help: String) {
        self.warnings.push(warning(span, message, help));
    }
}

fn warning(span: Span, message: String, help: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        rule: None,
        message,
        span,
        labels: Vec::new(),
        help: Some(help),
        note: None,
        suppression: None,
        mends: [None; 2],
    }
}

/// Returns the line that each comment is about: its own where that has code, otherwise the next with code.
fn target_lines(comments: &[Span], file: FileId, sources: &SourceMap) -> Vec<Option<u32>> {
    let end = sources.range(file).end;
    // The next code after each comment.
    let mut behind = vec![None; comments.len()];
    let mut next = None;
    for (index, comment) in comments.iter().enumerate().rev() {
        let until = comments.get(index + 1).map_or(end, |next| next.start);
        next = first_code(comment.end, until, sources).or(next);
        behind[index] = next;
    }
    let mut lines = Vec::with_capacity(comments.len());
    let mut is_behind_code = false;
    let mut done = sources.range(file).start;
    for (comment, behind) in comments.iter().zip(behind) {
        let line_start = sources.line_start(file, comment.start);
        let gap = first_code(line_start.max(done), comment.start, sources);
        is_behind_code = gap.is_some() || is_behind_code && done > line_start;
        done = comment.end;
        let own = sources.physical_line(comment.start);
        let next = behind.map(|offset| sources.physical_line(offset));
        lines.push(if is_behind_code { Some(own) } else { next });
    }
    lines
}

/// Returns the first byte of `from..to` that is not white space.
fn first_code(from: u32, to: u32, sources: &SourceMap) -> Option<u32> {
    let gap = sources.slice(Span::new(from, to.max(from)));
    let at = gap.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b'\\')?;
    Some(from + at as u32)
}

/// Returns the text of a comment on one line, without its delimiters.
fn content(comment: &str) -> String {
    let inside = match comment.strip_prefix("/*") {
        Some(block) => block.strip_suffix("*/").unwrap_or(block),
        None => comment.trim_start_matches('/'),
    };
    let is_frame = |character: char| character.is_whitespace() || "*!<".contains(character);
    let lines = inside.lines().map(|line| line.trim_start_matches(is_frame).trim_end());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The text after the marker.
enum CommentText<'a> {
    /// Text that is not meant for the checker.
    Prose,
    Wrong(String),
    Allow {
        rules: Vec<&'a str>,
        reason: &'a str,
    },
}

fn parse(said: &str) -> CommentText<'_> {
    let word = said.split(|character: char| !character.is_alphanumeric()).next().unwrap_or("");
    let behind = &said[word.len()..];
    if word != "allow" {
        return if behind.starts_with('(') {
            CommentText::Wrong(format!("a comment cannot `{word}` anything, only allow a rule"))
        } else {
            CommentText::Prose
        };
    }
    let Some(list) = behind.trim_start().strip_prefix('(') else {
        return CommentText::Wrong("this does not say which rule it allows".to_owned());
    };
    let Some((rules, reason)) = list.split_once(')') else {
        return CommentText::Wrong("this list of rules is never closed".to_owned());
    };
    let rules: Vec<&str> =
        rules.split(',').map(str::trim).filter(|rule| !rule.is_empty()).collect();
    if rules.is_empty() {
        return CommentText::Wrong("this does not say which rule it allows".to_owned());
    }
    let reason = reason.trim_start_matches([':', '-', ' ', '\t']).trim();
    CommentText::Allow { rules, reason }
}
