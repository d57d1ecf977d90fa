//! Passages of HTML and `DocBook` pages, also of pages kept as a Markdown table with one line a row.

use super::{Collector, Passage, slug};

/// Whether the text is a marked-up page.
pub(super) fn looks_like(text: &str) -> bool {
    ["<?xml", "<!DOCTYPE", "<html", "<para>", "<refentry"].iter().any(|tag| text.contains(tag))
}

/// Elements whose lines are lines of code.
const CODE: [&str; 4] = ["td", "pre", "programlisting", "literallayout"];
/// Elements that are not part of the text.
const HIDDEN: [&str; 3] = ["head", "style", "script"];
const HEADINGS: [&str; 7] = ["h1", "h2", "h3", "h4", "h5", "h6", "title"];
/// Elements within a line of text; every other tag ends the paragraph.
const INLINE: [&str; 23] = [
    "a",
    "b",
    "citerefentry",
    "code",
    "constant",
    "em",
    "emphasis",
    "errorname",
    "font",
    "function",
    "i",
    "img",
    "link",
    "literal",
    "parameter",
    "refentrytitle",
    "span",
    "strong",
    "sub",
    "sup",
    "tt",
    "type",
    "varname",
];

pub(super) fn passages(text: &str) -> Vec<Passage> {
    let table = is_table_of_lines(text);
    let mut reader = Reader::default_for(Collector::new());
    for (line, number) in text.lines().zip(1..) {
        // Pages taken from a repository begin with a line on where they lay.
        if number == 1 && line.starts_with("blob: ") {
            continue;
        }
        reader.line(if table { without_bars(line) } else { line }, number);
    }
    reader.end();
    reader.collector.found
}

fn is_table_of_lines(text: &str) -> bool {
    let rows = text.lines().filter(|line| line.trim_start().starts_with('|')).count();
    rows > 0 && rows * 10 >= text.lines().filter(|line| !line.trim().is_empty()).count() * 9
}

fn without_bars(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    line.strip_suffix('|').unwrap_or(line)
}

struct Reader {
    collector: Collector,
    /// Text of the heading being read.
    heading: Option<String>,
    /// Open elements of code.
    code: usize,
    /// The hidden element being skipped.
    hidden: Option<String>,
    in_comment: bool,
    /// A tag that continues in the next line.
    open_tag: String,
}

impl Reader {
    const fn default_for(collector: Collector) -> Self {
        Self {
            collector,
            heading: None,
            code: 0,
            hidden: None,
            in_comment: false,
            open_tag: String::new(),
        }
    }

    fn line(&mut self, line: &str, number: usize) {
        let mut rest = line;
        while !rest.is_empty() {
            rest = if self.in_comment {
                self.comment(rest)
            } else if self.open_tag.is_empty() {
                self.text(rest, number)
            } else {
                self.tag(rest)
            };
        }
        if !self.open_tag.is_empty() {
            self.open_tag.push(' ');
        } else if self.code > 0 {
            self.end();
        } else {
            self.add(number, "\n");
        }
    }

    fn comment<'l>(&mut self, rest: &'l str) -> &'l str {
        match rest.split_once("-->") {
            Some((_, after)) => {
                self.in_comment = false;
                after
            }
            None => "",
        }
    }

    /// Collects text up to the next tag and returns the rest of the line.
    fn text<'l>(&mut self, rest: &'l str, number: usize) -> &'l str {
        let begins_tag = |at: &usize| {
            let next = rest[at + 1..].chars().next();
            next.is_none_or(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
        };
        let tag = rest.match_indices('<').map(|(at, _)| at).find(begins_tag).unwrap_or(rest.len());
        if tag > 0 {
            self.add(number, &decode(&rest[..tag]));
        }
        let after = &rest[tag..];
        if let Some(comment) = after.strip_prefix("<!--") {
            self.in_comment = true;
            return comment;
        }
        match after.strip_prefix('<') {
            Some(inside) => {
                self.open_tag.push('<');
                inside
            }
            None => "",
        }
    }

    fn tag<'l>(&mut self, rest: &'l str) -> &'l str {
        let Some((inside, after)) = rest.split_once('>') else {
            self.open_tag.push_str(rest);
            return "";
        };
        self.open_tag.push_str(inside);
        let tag = std::mem::take(&mut self.open_tag);
        self.element(&tag[1..]);
        after
    }

    fn element(&mut self, tag: &str) {
        let closes = tag.starts_with('/');
        let empty = tag.ends_with('/');
        let bare = tag.trim_start_matches('/');
        let end = bare.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(bare.len());
        let name = bare[..end].to_ascii_lowercase();
        let name = name.as_str();
        if let Some(hidden) = &self.hidden {
            if closes && hidden == name {
                self.hidden = None;
            }
            return;
        }
        if name.is_empty() || INLINE.contains(&name) {
            return;
        }
        self.end();
        if HIDDEN.contains(&name) {
            self.hidden = (!closes && !empty).then(|| name.to_owned());
        } else if HEADINGS.contains(&name) {
            self.heading_tag(closes);
        } else if CODE.contains(&name) {
            self.code =
                if closes { self.code.saturating_sub(1) } else { self.code + usize::from(!empty) };
        }
    }

    fn heading_tag(&mut self, closes: bool) {
        let text = self.heading.take().unwrap_or_default();
        if !closes {
            self.heading = Some(String::new());
        } else if !slug(&text).is_empty() {
            self.collector.anchor = slug(&text);
        }
    }

    fn add(&mut self, number: usize, text: &str) {
        if self.hidden.is_some() {
            return;
        }
        match &mut self.heading {
            Some(heading) => heading.push_str(text),
            None => self.collector.add(number, text),
        }
    }

    fn end(&mut self) {
        if self.code > 0 { self.collector.end_code() } else { self.collector.end_paragraph() }
    }
}

const ENTITIES: [(&str, &str); 7] = [
    ("lt", "<"),
    ("gt", ">"),
    ("amp", "&"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("copy", "©"),
];

/// Replaces character references; unknown ones stay as they are.
fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let reference =
            after.split_once(';').and_then(|(name, tail)| Some((character(name)?, tail)));
        rest = if let Some((character, tail)) = reference {
            decoded.push_str(&character);
            tail
        } else {
            decoded.push('&');
            after
        };
    }
    decoded.push_str(rest);
    decoded
}

fn character(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?).map(String::from);
    }
    ENTITIES.iter().find(|(entity, _)| *entity == name).map(|(_, text)| (*text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn html() {
        check(
            "<html><head><title>No</title><style>\np { }\n</style></head>\n<body>\n<h2>Some notes</h2>\n<p>One <code\n class=\"x\">a</code>. Two &lt;b&gt;\nwraps &c.</p>\n<!-- not\nthis --><table><td align=\"left\">\nint a; // one. Two\n\nif (a < b) {\n</td></table><p>End<br/>here</p>",
            &[
                "some-notes:6:One a.",
                "some-notes:7:Two <b> wraps &c.",
                "some-notes:11:int a; // one. Two",
                "some-notes:13:if (a < b) {",
                "some-notes:14:End",
                "some-notes:14:here",
            ],
        );
    }

    #[test]
    fn html_as_a_table_of_lines() {
        check(
            "| <?xml version=\"1.0\"?> |\n | <p> |\n | One \n | |\n | two. |\n | </p> | \n | <td>a &#124;&#x7c; b | |",
            &["top:3:One two.", "top:7:a || b |"],
        );
    }

    #[test]
    fn docbook() {
        check(
            "blob: 0123\n<!-- notes -->\n<para>\nUses <function>__global</function>,\nand <type><citerefentry href=\"x\"><refentrytitle>t</refentrytitle></citerefentry></type>. More\n</para>\n",
            &["top:4:Uses __global, and t.", "top:5:More"],
        );
    }
}
