//! Kernels as lines of HTML: numbered, the guilty line marked, address spaces in colour.

use std::collections::BTreeSet;

use generator::{
    suite::{Case, Suite, prefix},
    templates::TemplateError,
};
use serde::Serialize;

/// A kernel as a template shows it.
#[derive(Serialize)]
pub(super) struct KernelView {
    pub(super) id: String,
    pub(super) options: String,
    lines: Vec<LineView>,
}

#[derive(Serialize)]
struct LineView {
    number: usize,
    html: String,
    guilty: bool,
    differs: bool,
}

/// The kernel of a case; lines that `other` has not are marked.
pub(super) fn kernel(
    suite: &Suite,
    case: &Case,
    marks_guilty: Guilty,
    other: Option<&Case>,
) -> Result<KernelView, TemplateError> {
    let kernel = suite.render(case)?;
    // A reader of one kernel needs no prefixes.
    let source = kernel.source.replace(&prefix(&case.id), "");
    let other = match other {
        Some(other) => Some(suite.render(other)?.source.replace(&prefix(&other.id), "")),
        None => None,
    };
    let known: Option<BTreeSet<&str>> = other.as_deref().map(|text| text.lines().collect());
    let lines = source.lines().enumerate().map(|(index, line)| LineView {
        number: index + 1,
        html: highlighted(line),
        guilty: marks_guilty == Guilty::Marked && kernel.guilty_lines.contains(&(index as u32 + 1)),
        differs: known.as_ref().is_some_and(|known| !known.contains(line)),
    });
    Ok(KernelView { id: case.id.clone(), options: options(case), lines: lines.collect() })
}

/// Whether the guilty line is to be marked: a control has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guilty {
    Marked,
    Unmarked,
}

fn options(case: &Case) -> String {
    let features = case.dialect.features();
    let std = case.dialect.std_option();
    if features.is_empty() { std } else { format!("{std}, with {}", features.join(", ")) }
}

const SPACES: [&str; 5] = ["global", "local", "constant", "private", "generic"];
const WORDS: [&str; 37] = [
    "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "half", "if", "int", "kernel", "__kernel", "long",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "uchar", "uint", "ulong", "union", "unsigned", "void", "volatile", "while",
];

/// One line of source as HTML, everything escaped.
fn highlighted(line: &str) -> String {
    let mut html = String::with_capacity(line.len() * 2);
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = token(rest, first);
        let (text, left) = rest.split_at(length);
        rest = left;
        let bare = text.strip_prefix("__").unwrap_or(text);
        if let Some(space) = SPACES.iter().find(|space| **space == bare) {
            span(&mut html, space, text);
        } else if WORDS.contains(&text) {
            span(&mut html, "w", text);
        } else if text.starts_with("//") || text.starts_with("/*") || first == '#' {
            span(&mut html, "c", text);
        } else {
            escape(&mut html, text);
        }
    }
    html
}

/// Length of the token `text` begins with.
fn token(text: &str, first: char) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if is_word(first) {
        return text.find(|c| !is_word(c)).unwrap_or(text.len());
    }
    if text.starts_with("//") || first == '#' {
        return text.len();
    }
    if let Some(comment) = text.strip_prefix("/*") {
        return comment.find("*/").map_or(text.len(), |end| end + 4);
    }
    first.len_utf8()
}

fn span(html: &mut String, class: &str, text: &str) {
    html.push_str("<span class=\"t-");
    html.push_str(class);
    html.push_str("\">");
    escape(html, text);
    html.push_str("</span>");
}

/// Add `text` with everything HTML could act on written as an entity.
fn escape(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_escaped_and_coloured() {
        for (line, html) in [
            (
                "__global int *a;",
                r#"<span class="t-global">__global</span> <span class="t-w">int</span> *a;"#,
            ),
            ("globals < \"x\"", "globals &lt; &quot;x&quot;"),
            ("n; // <b>", r#"n; <span class="t-c">// &lt;b&gt;</span>"#),
            ("/* ü */ ü", "<span class=\"t-c\">/* ü */</span> ü"),
            ("/*", "<span class=\"t-c\">/*</span>"),
        ] {
            assert_eq!(highlighted(line), html);
        }
    }
}
