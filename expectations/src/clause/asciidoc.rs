//! Passages of `AsciiDoc` and plain text.

use super::{Collector, Passage, TOP, slug};

/// Kind of block that the current lines are part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Text,
    /// Lines of code, up to this delimiter's next line.
    Code(char),
    Comment,
    Table,
}

pub(super) fn passages(text: &str) -> Vec<Passage> {
    let mut reader = Reader {
        collector: Collector::new(),
        block: Block::Text,
        section: TOP.to_owned(),
        anchor: None,
        plain: !text.lines().any(|line| heading(line).is_some()),
    };
    for (line, number) in text.lines().zip(1..) {
        reader.line(line.trim(), number);
    }
    reader.collector.end_paragraph();
    reader.collector.found
}

struct Reader {
    collector: Collector,
    block: Block,
    /// Anchor of the section.
    section: String,
    /// The last `[[anchor]]`, for the section or table that follows.
    anchor: Option<String>,
    /// A text without headings is not `AsciiDoc`: there `//` begins a comment of the language.
    plain: bool,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) {
        match self.block {
            Block::Code(delimiter) if is_delimiter(line, delimiter) => self.block = Block::Text,
            Block::Code(_) => {
                self.collector.add(number, line);
                self.collector.end_code();
            }
            Block::Comment if is_delimiter(line, '/') => self.block = Block::Text,
            Block::Comment => {}
            Block::Table if line.starts_with("|===") => {
                self.collector.end_paragraph();
                self.collector.anchor.clone_from(&self.section);
                self.block = Block::Text;
            }
            Block::Table => self.row(line, number),
            Block::Text => self.text(line, number),
        }
    }

    fn text(&mut self, line: &str, number: usize) {
        if let Some(code) = ['-', '.', '+'].into_iter().find(|&c| is_delimiter(line, c)) {
            self.collector.end_paragraph();
            self.block = Block::Code(code);
        } else if is_delimiter(line, '/') {
            self.block = Block::Comment;
        } else if line.starts_with("|===") {
            self.collector.end_paragraph();
            self.block = Block::Table;
            if let Some(anchor) = self.anchor.take() {
                self.collector.anchor = anchor;
            }
        } else if let Some(heading) = heading(line) {
            self.collector.end_paragraph();
            self.section = self.anchor.take().unwrap_or_else(|| slug(heading));
            self.collector.anchor.clone_from(&self.section);
        } else {
            self.prose(line, number);
        }
    }

    fn row(&mut self, line: &str, number: usize) {
        let mut rest = line;
        while let Some(bar) = cell_mark(rest) {
            self.prose(without_cell_style(&rest[..bar]), number);
            self.collector.end_paragraph();
            rest = &rest[bar + 1..];
        }
        self.prose(rest.trim(), number);
    }

    /// Reads a line of a paragraph, of a list or between them.
    fn prose(&mut self, line: &str, number: usize) {
        if let Some(anchor) = line.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
            self.collector.end_paragraph();
            self.anchor = Some(anchor.split(',').next().unwrap_or(anchor).to_owned());
            return;
        }
        if is_no_text(line) && !(self.plain && line.starts_with("//")) {
            if !is_directive(line) {
                self.collector.end_paragraph();
            }
            return;
        }
        let item = without_list_mark(line);
        if item.len() < line.len() {
            self.collector.end_paragraph();
        }
        if let Some(term) = item.strip_suffix("::") {
            self.collector.add(number, term);
            self.collector.end_paragraph();
            return;
        }
        self.collector.add(number, without_inline_anchor(item));
        self.collector.add(number, "\n");
    }
}

fn is_delimiter(line: &str, character: char) -> bool {
    line.len() >= 4 && line.chars().all(|c| c == character)
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('=');
    let level = line.len() - title.len();
    (1..=6).contains(&level).then(|| title.strip_prefix(' ')).flatten()
}

/// Returns whether a line is a preprocessor directive or a comment: these do not end a paragraph.
fn is_directive(line: &str) -> bool {
    ["ifdef::", "ifndef::", "endif::", "ifeval::", "//"].iter().any(|start| line.starts_with(start))
}

/// Returns whether a line only frames text and has no words of the document.
fn is_no_text(line: &str) -> bool {
    let attribute_list = line.starts_with('[') && line.ends_with(']') && !line.starts_with("[[");
    let title = line.starts_with('.') && line[1..].starts_with(|c: char| c.is_alphabetic());
    let attribute = line.starts_with(':') && line[1..].contains(':') && !line.starts_with("::");
    line.is_empty()
        || attribute_list
        || title
        || attribute
        || matches!(line, "--" | "+")
        || is_delimiter(line, '=')
        || is_delimiter(line, '*')
        || is_delimiter(line, '_')
        || line.starts_with("include::")
        || line.starts_with("image::")
        || is_directive(line)
}

/// Returns the offset of the next `|` that begins a cell.
fn cell_mark(text: &str) -> Option<usize> {
    text.match_indices('|').map(|(at, _)| at).find(|&at| !text[..at].ends_with('\\'))
}

/// Returns the text of a cell without the style of the next cell (`2+`, `.3+`, `a`), which stands before that cell's
/// mark.
fn without_cell_style(text: &str) -> &str {
    let text = text.trim();
    let last = text.rsplit(char::is_whitespace).next().unwrap_or("");
    let digits_and_signs = last
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'^' | b'<' | b'>' | b'*'));
    let span = digits_and_signs && last.ends_with(['+', '*', '^', '<', '>']);
    let style = matches!(last, "a" | "h" | "m" | "e" | "s" | "l");
    if span || style { text[..text.len() - last.len()].trim_end() } else { text }
}

fn without_list_mark(line: &str) -> &str {
    let after_mark = |mark: &str| line.strip_prefix(mark).map(|rest| rest.trim_start_matches(mark));
    for mark in ["*", ".", "-"] {
        if let Some(item) = after_mark(mark).and_then(|rest| rest.strip_prefix(' ')) {
            return item.trim_start();
        }
    }
    let Some((mark, item)) = line.split_once(". ") else { return line };
    let number = !mark.is_empty() && mark.len() <= 3 && mark.bytes().all(|b| b.is_ascii_digit());
    let letter = mark.len() == 1 && mark.bytes().all(|b| b.is_ascii_lowercase());
    if number || letter { item.trim_start() } else { line }
}

fn without_inline_anchor(item: &str) -> &str {
    match item.strip_prefix("[[").and_then(|rest| rest.split_once("]]")) {
        Some((_, rest)) => rest.trim_start(),
        None => item,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn sections_lists_code_and_tables() {
        let text = "Before.\n\n[[spaces]]\n== Address spaces\n\n[open,refpage='x']\n--\nOne. Two\nwraps.\n\n  * [[item]] An item\n    goes on.\n  ** Another\n+\nattached\n\n[source,opencl_c]\n----\nint a; // b. C\n\n}\n----\n\n.Title\n[[table]]\n[cols=\",\",]\n|====\n| *Head* | Second\n| left\n| right, 2.\n  More 2+| wide\n|====\nafter\n\n=== A `{b}` heading\nifdef::x[]\nterm ::\n  meaning\n--\n";
        check(
            text,
            &[
                "top:1:Before.",
                "spaces:8:One.",
                "spaces:8:Two wraps.",
                "spaces:11:An item goes on.",
                "spaces:13:Another",
                "spaces:15:attached",
                "spaces:19:int a; // b. C",
                "table:28:*Head*",
                "table:28:Second",
                "table:29:left",
                "table:30:right, 2.",
                "table:31:More",
                "table:31:wide",
                "spaces:33:after",
                "a-b-heading:37:term",
                "a-b-heading:38:meaning",
            ],
        );
    }

    #[test]
    fn plain_text_has_no_comments_of_its_own() {
        check(
            "Example:\n\n// a pointer global int *p; ... }\n",
            &["top:1:Example:", "top:3:// a pointer global int *p; ... }"],
        );
    }
}
