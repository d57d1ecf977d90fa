//! Changes as edits of the text, each with a title.

use crate::{
    check::Report,
    fix::{Edit, Fix, Mend},
    mending::{
        deleting::{declaration, deletion},
        named::{NamedFunction, function_around},
        once, passing,
        text::Text,
    },
    source::{FileId, SourceMap},
    space::Space,
    span::Span,
};

/// Bytes of a declaration that a title shows at most.
const MAX_SHOWN: u32 = 60;

/// The words that name a space, each without and with underscores.
const SPACES: &[&[u8]] = &[
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
];

/// The other words that a fix may delete. It never deletes anything else.
const REMOVABLE: &[&[u8]] =
    &[b"auto", b"register", b"static", b"extern", b"const", b"volatile", b"restrict"];

/// Returns the edits of `mend`; `None` unless each lies in plain text of the main file.
pub(super) fn resolve(mend: Mend, report: Report<'_>) -> Option<Fix> {
    match mend {
        Mend::Adapt { .. } => None,
        Mend::AssignOnce { start, name } => {
            let title = "let one work-item assign the value, before a barrier".to_owned();
            plain(title, once::edits(start, name, report)?, report.sources)
        }
        Mend::Pass { name } => {
            let variable = word(name, report.sources);
            let title = format!("declare `{variable}` in each kernel that calls this, and pass it");
            plain(title, passing::edits(name, report)?, report.sources)
        }
        Mend::Hoist { start, place } => {
            let title = "move the declaration to the beginning of the kernel".to_owned();
            plain(title, moved(start, place, |text| format!(" {text}"), report)?, report.sources)
        }
        Mend::Lift { start, place } => {
            let title = "move the declaration before the function".to_owned();
            plain(title, moved(start, place, |text| format!("{text}\n"), report)?, report.sources)
        }
        _ => replaced(mend, report),
    }
}

/// Returns the edits of a change that writes, deletes or replaces a word; `None` for every other change.
pub(super) fn replaced(mend: Mend, report: Report<'_>) -> Option<Fix> {
    let sources = report.sources;
    let (title, edits) = match mend {
        Mend::Remove(span) => {
            (format!("remove `{}`", word(span, sources)), vec![removal(span, sources)?])
        }
        Mend::Qualify { place, space } => {
            let title = format!("write `{} {}`", space.name(), behind(place, sources));
            (title, vec![insertion(place, space.name())])
        }
        Mend::Redirect { span, .. } if !is_known_to_callers(span, report) => return None,
        Mend::Requalify { span, space }
        | Mend::Redirect { span, space }
        | Mend::Adapt { span, space } => {
            let edit = replacement(span, space, sources)?;
            (format!("write `{}` in place of `{}`", edit.text, word(span, sources)), vec![edit])
        }
        Mend::Move { span, place } => (
            format!(
                "write `{}` before the `*`, to qualify what is pointed to",
                word(span, sources)
            ),
            vec![insertion(place, word(span, sources)), removal(span, sources)?],
        ),
        Mend::MakeStatic { place } => {
            let title = format!("write `static {}`", behind(place, sources));
            (title, vec![insertion(place, "static")])
        }
        Mend::Hoist { .. } | Mend::Lift { .. } | Mend::AssignOnce { .. } | Mend::Pass { .. } => {
            return None;
        }
    };
    plain(title, edits, sources)
}

/// Whether every call of the function in whose parameters or result `word` stands was read.
fn is_known_to_callers(word: Span, report: Report<'_>) -> bool {
    let function = function_around(word, report.arena);
    let text = || Text::new(report.sources);
    function.is_none_or(|function| NamedFunction::new(function, report.arena, &text()).is_some())
}

/// Returns a fix, if each edit lies in plain text of the main file.
fn plain(title: String, edits: Vec<Edit>, sources: &SourceMap) -> Option<Fix> {
    edits.iter().all(|edit| is_plain(edit, sources)).then_some(Fix { title, edits })
}

fn word(span: Span, sources: &SourceMap) -> &str {
    str::from_utf8(sources.slice(span)).unwrap_or_default()
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
    report: Report<'_>,
) -> Option<Vec<Edit>> {
    let sources = report.sources;
    let declaration = declaration(start, sources)?;
    if Text::new(sources).may_differ(declaration, Span::new(place, start)) {
        return None;
    }
    let text = str::from_utf8(sources.slice(declaration)).ok()?;
    let insertion = Edit { span: Span::new(place, place), text: written(text) };
    Some(vec![insertion, deletion(declaration, sources)])
}

/// Returns the edit that deletes a word and the blanks after it.
fn removal(span: Span, sources: &SourceMap) -> Option<Edit> {
    let word = sources.slice(span);
    let is_removable = SPACES.contains(&word) || REMOVABLE.contains(&word);
    is_removable.then(|| deletion(span, sources))
}

/// Returns the edit that replaces the name of a space by another, with underscores where it had some.
fn replacement(span: Span, space: Space, sources: &SourceMap) -> Option<Edit> {
    let word = sources.slice(span);
    let underscores = if word.starts_with(b"__") { "__" } else { "" };
    let text = format!("{underscores}{}", space.name());
    SPACES.contains(&word).then_some(Edit { span, text })
}

/// Whether the edit is of the main file as it lies on disk, and takes no part out of the call of a macro.
fn is_plain(edit: &Edit, sources: &SourceMap) -> bool {
    const MAIN: FileId = FileId(0);
    let Span { start, end } = edit.span;
    let is_in_main = sources.file_at(start) == Some(MAIN) && end <= sources.range(MAIN).end;
    let is_in_macro_call = match edit.text.as_str() {
        "" => sources.cuts_macro_call(edit.span),
        _ => sources.is_in_macro_call(edit.span),
    };
    is_in_main && !sources.has_line_marks(MAIN) && !is_in_macro_call
}
