//! Kernels as lines of HTML: numbered, the guilty line marked, address spaces in colour.

use std::collections::BTreeSet;

use expectations::{case_id::CaseId, dialect::Dialect, verdict::Verdict};
use generator::{
    random::RandomCase,
    suite::{Case, Suite},
    templates::{Kernel, TemplateError},
};
use serde::Serialize;

/// A kernel for a template.
#[derive(Serialize)]
pub(super) struct KernelView {
    pub(super) id: String,
    pub(super) options: String,
    lines: Vec<LineView>,
}

#[derive(Serialize)]
struct LineView {
    number: u32,
    html: String,
    guilty: bool,
    differs: bool,
}

/// A case of the suite or a random one, rendered.
pub(super) struct Program {
    pub(super) id: String,
    dialect: Dialect,
    source: String,
    guilty_lines: Vec<u32>,
    pub(super) control: Option<String>,
}

impl Program {
    /// Returns the program of a case; `None` if there is no such case.
    pub(super) fn find(suite: &Suite, id: &str) -> Result<Option<Self>, TemplateError> {
        if let Ok(case) = RandomCase::from_id(id) {
            return Ok(Some(Self::random(&case)));
        }
        suite.case(id).ok().map(|case| Self::of(suite, &case)).transpose()
    }

    /// Returns the program of a case of the suite.
    pub(super) fn of(suite: &Suite, case: &Case) -> Result<Self, TemplateError> {
        let Kernel { source, guilty_lines } = suite.render(case)?;
        Ok(Self {
            id: case.id.clone(),
            dialect: case.dialect,
            // A reader of one kernel needs no prefixes.
            source: source.replace(&CaseId::new(&case.id).prefix(), ""),
            guilty_lines,
            control: case.control.clone(),
        })
    }

    fn random(case: &RandomCase) -> Self {
        let (Kernel { source, guilty_lines }, _) = case.kernel();
        Self {
            id: case.id(),
            dialect: case.dialect,
            source: source.replace(&CaseId::new(&case.id()).prefix(), ""),
            guilty_lines,
            control: case.control().map(|control| control.id()),
        }
    }

    /// Returns the lines of the program, with marks at lines that `other` does not have.
    pub(super) fn view(&self, marks: Guilty, other: Option<&Self>) -> KernelView {
        let known: Option<BTreeSet<&str>> = other.map(|other| other.source.lines().collect());
        let lines = self.source.lines().zip(1u32..).map(|(line, number)| LineView {
            number,
            html: highlighted(line),
            guilty: marks == Guilty::Marked && self.guilty_lines.contains(&number),
            differs: known.as_ref().is_some_and(|known| !known.contains(line)),
        });
        KernelView { id: self.id.clone(), options: options(self.dialect), lines: lines.collect() }
    }
}

/// The program of a case beside its control, if it has one.
#[derive(Serialize)]
pub(super) struct Pair {
    kernel: KernelView,
    control: Option<KernelView>,
}

impl Pair {
    /// Returns the program and control of a case; `None` if the suite has no such case.
    pub(super) fn of(
        suite: &Suite,
        id: &str,
        verdict: Verdict,
    ) -> Result<Option<Self>, TemplateError> {
        let Some(program) = Program::find(suite, id)? else { return Ok(None) };
        let control = match program.control.as_deref() {
            Some(control) => Program::find(suite, control)?,
            None => None,
        };
        let marks = if verdict == Verdict::Reject { Guilty::Marked } else { Guilty::Unmarked };
        Ok(Some(Self {
            kernel: program.view(marks, control.as_ref()),
            control: control.map(|control| control.view(Guilty::Unmarked, Some(&program))),
        }))
    }
}

/// Whether guilty lines are marked: a control has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guilty {
    Marked,
    Unmarked,
}

fn options(dialect: Dialect) -> String {
    let features = dialect.features();
    let std = dialect.std_option();
    if features.is_empty() { std } else { format!("{std}, with {}", features.join(", ")) }
}

const SPACES: [&str; 5] = ["global", "local", "constant", "private", "generic"];
const WORDS: [&str; 37] = [
    "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "half", "if", "int", "kernel", "__kernel", "long",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "uchar", "uint", "ulong", "union", "unsigned", "void", "volatile", "while",
];

/// Returns a line of source as HTML, everything escaped.
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

/// Returns the length of the token at the beginning of a text.
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

/// Appends a text in which everything that HTML could act on is an entity.
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
