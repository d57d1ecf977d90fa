//! Text that is safe in command lines and Markdown, and how much of a list is shown.

use results::{
    line::Header,
    text::{one_line, printable},
};

/// The amount of changes that a comparison lists.
#[derive(Clone, Copy, Debug)]
pub enum Listing {
    /// The first of each rule, and the first rules of each kind.
    First,
    /// Every change.
    All,
}

impl Listing {
    /// Returns the number of regressions of a rule.
    pub const fn regressions_of_a_rule(self) -> usize {
        match self {
            Self::First => 3,
            Self::All => usize::MAX,
        }
    }

    /// Returns the number of groups of changes, and of causes of one course.
    pub const fn groups(self) -> usize {
        match self {
            Self::First => 12,
            Self::All => usize::MAX,
        }
    }

    /// Returns the number of changes of a group.
    pub const fn of_a_group(self) -> usize {
        match self {
            Self::First => 1,
            Self::All => usize::MAX,
        }
    }
}

/// Returns a text as one word of a shell's command line.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:+@%".contains(c);
    // `=` is plain too, but not at the beginning: there it means something to some shells.
    let is_plain = |(index, c): (usize, char)| plain(c) || (c == '=' && index > 0);
    if !text.is_empty() && text.char_indices().all(is_plain) {
        return text.to_owned();
    }
    quoted(text)
}

/// Returns a text as one word of a shell's command line, in quotes.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the words of a command line after `--device` that name the device of a run, and the compiler whose modules
/// it was given.
pub fn device_word(header: &Header) -> String {
    let word = |name: &str| shell_word(&one_line(name, 4000));
    let device = word(header.typed_device());
    match header.through.as_str() {
        "" => device,
        producer => format!("{device} --through {}", word(producer)),
    }
}

/// Returns a text as Markdown code on one line.
pub fn markdown_code(text: &str) -> String {
    let text = one_line(text, 600);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 || text.is_empty() { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Returns `text` as a Markdown code block of that language, whatever it contains. The block ends with a line break.
pub fn code_block(language: &str, text: &str) -> String {
    let text = printable(text.trim_end());
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{text}\n{fence}\n")
}

/// Returns `text` as Markdown prose on one line; nothing in it acts as markup or HTML.
pub fn markdown_text(text: &str) -> String {
    let mut safe = String::new();
    for c in one_line(text, 600).chars() {
        if "\\`*_{}[]<>()#+!|~&$@".contains(c) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// Returns a text of this project or of a specification as Markdown: what stands between backticks is code, and nothing
/// else has a meaning.
pub fn markdown_prose(text: &str) -> String {
    let has_code = text.matches('`').count().is_multiple_of(2);
    let mut is_code = false;
    let mut prose = String::new();
    for c in text.chars() {
        if c == '`' && has_code {
            is_code = !is_code;
        } else if !is_code && "\\`*_<[]|~".contains(c) {
            prose.push('\\');
        }
        prose.push(c);
    }
    prose
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_to_paste() {
        for (text, word) in [
            ("a/b/cl12/x=1,y=2", "a/b/cl12/x=1,y=2"),
            ("it's $(x)", r"'it'\''s $(x)'"),
            ("", "''"),
            ("=x", "'=x'"),
        ] {
            assert_eq!(shell_word(text), word);
        }
        assert_eq!(markdown_code("a``b"), "``` a``b ```");
        for (text, prose) in [
            ("`?:` (C99, 6.5)", "`?:` (C99, 6.5)"),
            ("~x of `a * b` and *p", r"\~x of `a * b` and \*p"),
            ("__constant ` x", r"\_\_constant \` x"),
        ] {
            assert_eq!(markdown_prose(text), prose);
        }
        assert_eq!(code_block("c", "a\n```\u{1b}\n"), "````c\na\n```\\u{1b}\n````\n");
        assert_eq!(markdown_text("<b>[x](y)\n@z"), r"\<b\>\[x\]\(y\) \@z");
    }
}
