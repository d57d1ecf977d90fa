//! Findings for people: source lines with what is wrong marked in them.

use annotate_snippets::{
    Annotation, AnnotationKind, Element, Group, Level, Message, Origin, Patch, Renderer, Snippet,
};

use super::{FileReport, Finding, FixReport, Location, escape};
use crate::{
    check::Report,
    diagnostic::Diagnostic,
    rule::Rule,
    source::{FileId, SourceMap},
    span::Span,
};

/// Excerpts longer than this are not shown.
const MAX_EXCERPT: u32 = 1 << 14;

/// Labels farther away than this many bytes get an excerpt of their own.
const MAX_DISTANCE: u32 = 1 << 12;

/// Findings of one file shown at most; the rest is counted.
const MAX_SHOWN: usize = 200;

/// Returns the findings of one file with terminal colours, an empty line after each. `file` was made from `report`, or
/// from none when the file could not be read.
pub fn render(file: &FileReport, report: Option<Report<'_>>) -> String {
    let mut text = String::new();
    let mut diagnostics = report.into_iter().flat_map(super::open);
    for finding in file.diagnostics.iter().take(MAX_SHOWN) {
        let source = report.zip(diagnostics.next());
        let source = source.map(|(report, diagnostic)| Source { diagnostic, map: report.sources });
        let group = Group::with_title(title(finding))
            .elements(excerpts(finding, source))
            .elements(remarks(finding, source));
        let fix = finding.fix.as_ref().and_then(|fix| patch(fix, source?.map));
        let groups: Vec<_> = [Some(group), fix].into_iter().flatten().collect();
        text.push_str(&Renderer::styled().render(&groups));
        text.push_str("\n\n");
    }
    let hidden = file.left_out + file.diagnostics.len().saturating_sub(MAX_SHOWN);
    if hidden > 0 {
        let message = format!("{hidden} more in this file are not shown");
        let group = Group::with_title(Level::NOTE.secondary_title(message));
        text.push_str(&Renderer::styled().render(&[group]));
        text.push_str("\n\n");
    }
    text
}

/// A diagnostic and the files its spans refer to.
#[derive(Clone, Copy)]
struct Source<'report> {
    diagnostic: &'report Diagnostic,
    map: &'report SourceMap,
}

fn title(finding: &Finding) -> annotate_snippets::Title<'_> {
    let level = match finding.severity {
        "note" => Level::NOTE,
        "warning" => Level::WARNING,
        _ => Level::ERROR,
    };
    let title = level.primary_title(escape::line(&finding.message));
    match finding.rule {
        Some(rule) => {
            let url = Rule::from_id(rule).map_or_else(String::new, |rule| rule.info().url());
            title.id(rule).id_url(url)
        }
        None => title,
    }
}

/// Returns the lines below the source: the requirement, notes, help.
fn remarks<'finding>(
    finding: &'finding Finding,
    source: Option<Source<'_>>,
) -> Vec<Message<'finding>> {
    let mut remarks = Vec::new();
    if let Some(source) = source {
        for location in included_from(source) {
            remarks.push(Level::NOTE.message(escape::line(&location)));
        }
    }
    if finding.severity != "note"
        && let Some(rule) = finding.rule.and_then(Rule::from_id)
    {
        let info = rule.info();
        let message = format!("{} [{}]", info.summary, info.clause);
        remarks.push(Level::NOTE.with_name("rule").message(message));
    }
    // A list of dialects makes a note about dialects superfluous.
    let note = finding.note.as_deref().unwrap_or_default();
    let unsaid = if finding.fine_in.is_empty() {
        note
    } else if note.starts_with("accepted") {
        ""
    } else {
        note.split("; accepted").next().unwrap_or_default()
    };
    if !unsaid.is_empty() {
        remarks.push(Level::NOTE.message(escape::line(unsaid)));
    }
    if !finding.fine_in.is_empty() {
        let message = finding.fine_in.join(", ");
        remarks.push(Level::NOTE.with_name("fine in").message(message));
    }
    // A fix makes the advice superfluous.
    if let Some(help) = finding.help.as_ref().filter(|_| finding.fix.is_none()) {
        remarks.push(Level::HELP.message(escape::line(help)));
    }
    remarks
}

/// Returns the lines of the program after a fix.
fn patch(fix: &FixReport, map: &SourceMap) -> Option<Group<'static>> {
    let spans = || fix.edits.iter().map(|edit| edit.span);
    let mut lines = Excerpt::of(map, spans().next()?)?;
    for span in spans() {
        lines.extend(&Excerpt::of(map, span)?);
    }
    if lines.lines.end - lines.lines.start > MAX_EXCERPT {
        return None;
    }
    let shown = escape::DisplayText::new(map.slice(lines.lines));
    let patches: Vec<_> = fix
        .edits
        .iter()
        .map(|edit| {
            let start = (edit.span.start - lines.lines.start) as usize;
            let end = (edit.span.end - lines.lines.start) as usize;
            Patch::new(shown.range(start, end), edit.text.clone())
        })
        .collect();
    let snippet = Snippet::source(shown.text).line_start(lines.first_line as usize);
    let title = Level::HELP.secondary_title(escape::line(&fix.title));
    Some(Group::with_title(title).element(snippet.patches(patches)))
}

/// Returns the chain of `#include` that leads to the finding's file, innermost first.
fn included_from(source: Source<'_>) -> Vec<String> {
    let mut chain = Vec::new();
    let mut file = source.map.file_at(source.diagnostic.span.start);
    // Longer chains do not help.
    while chain.len() < 5
        && let Some(offset) = file.and_then(|file| source.map.included_at(file))
    {
        let location = source.map.position(offset);
        chain.push(format!("included from {}:{}", location.file, location.line));
        file = source.map.file_at(offset);
    }
    chain
}

/// Returns source lines with the finding and its labels marked, or only locations where there is no source to show.
fn excerpts<'finding>(
    finding: &'finding Finding,
    source: Option<Source<'_>>,
) -> Vec<Element<'finding>> {
    let Some(source) = source else { return vec![origin(&finding.location)] };
    let Some(mut first) = Excerpt::of(source.map, source.diagnostic.span) else {
        return vec![origin(&finding.location)];
    };
    first.marks.push(Mark { span: source.diagnostic.span, label: None, primary: true });
    let mut excerpts = vec![(first, &finding.location)];
    for (label, resolved) in source.diagnostic.labels.iter().zip(&finding.labels) {
        let Some(own) = Excerpt::of(source.map, label.span) else { continue };
        let mark = Mark { span: label.span, label: Some(&resolved.message), primary: false };
        let joined = excerpts.iter_mut().find(|(excerpt, _)| excerpt.is_near(&own, source.map));
        if let Some((excerpt, _)) = joined {
            excerpt.extend(&own);
            excerpt.marks.push(mark);
        } else {
            excerpts.push((Excerpt { marks: vec![mark], ..own }, &resolved.location));
        }
    }
    excerpts.into_iter().map(|(excerpt, location)| excerpt.element(source.map, location)).collect()
}

fn origin(location: &Location) -> Element<'_> {
    Origin::path(escape::line(&location.file))
        .line(location.line as usize)
        .char_column(location.column as usize)
        .into()
}

/// Lines of one file.
struct Excerpt<'finding> {
    file: FileId,
    lines: Span,
    /// Number of the first line, as `#line` presents it.
    first_line: u32,
    marks: Vec<Mark<'finding>>,
}

struct Mark<'finding> {
    span: Span,
    label: Option<&'finding str>,
    primary: bool,
}

impl<'finding> Excerpt<'finding> {
    /// Returns the lines of `span`.
    fn of(map: &SourceMap, span: Span) -> Option<Self> {
        let file = map.file_at(span.start)?;
        let start = map.first_column(file, span.start);
        let end = map.line_end(file, span.end.max(span.start));
        let lines = Span::new(start, end);
        let first_line = map.position(start).line;
        Some(Self { file, lines, first_line, marks: Vec::new() })
    }

    /// Whether both fit into one excerpt with one way of counting lines.
    fn is_near(&self, other: &Self, map: &SourceMap) -> bool {
        let distance = self.lines.start.abs_diff(other.lines.start);
        if self.file != other.file || distance > MAX_DISTANCE {
            return false;
        }
        let physical = i64::from(map.physical_line(other.lines.start))
            - i64::from(map.physical_line(self.lines.start));
        i64::from(other.first_line) - i64::from(self.first_line) == physical
    }

    fn extend(&mut self, other: &Self) {
        self.first_line = self.first_line.min(other.first_line);
        self.lines = self.lines.to(other.lines);
    }

    fn element(self, map: &SourceMap, location: &'finding Location) -> Element<'finding> {
        if self.lines.end - self.lines.start > MAX_EXCERPT {
            return origin(location);
        }
        let shown = escape::DisplayText::new(map.slice(self.lines));
        let inside = |offset: u32| {
            (offset.clamp(self.lines.start, self.lines.end) - self.lines.start) as usize
        };
        let annotations: Vec<Annotation<'finding>> = self
            .marks
            .iter()
            .map(|mark| {
                let range = shown.range(inside(mark.span.start), inside(mark.span.end));
                let kind =
                    if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let annotation = kind.span(range);
                match mark.label {
                    Some(label) => annotation.label(escape::line(label)),
                    None => annotation,
                }
            })
            .collect();
        Snippet::source(shown.text)
            .path(escape::line(&location.file))
            .line_start(self.first_line as usize)
            .annotations(annotations)
            .into()
    }
}
