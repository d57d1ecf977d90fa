//! Hostile text made harmless, and small help for prose.

/// How many changes of a kind are shown where not all are asked for.
#[derive(Clone, Copy, Debug)]
pub enum Shown {
    /// Enough to act on: of each rule the first, of each kind the first rules.
    First,
    /// Every one.
    All,
}

impl Shown {
    /// Regressions of a rule.
    pub const fn regressions_of_a_rule(self) -> usize {
        match self {
            Self::First => 3,
            Self::All => usize::MAX,
        }
    }

    /// Groups of changes that look alike, and causes that went one way.
    pub const fn groups(self) -> usize {
        match self {
            Self::First => 12,
            Self::All => usize::MAX,
        }
    }

    /// Changes that look alike.
    pub const fn of_a_group(self) -> usize {
        match self {
            Self::First => 1,
            Self::All => usize::MAX,
        }
    }
}

/// `text` with everything a terminal could act on written as an escape; line breaks and tabs stay.
///
/// Device names and logs come from drivers: escape sequences in them must not reach a terminal.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        let bidirectional = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        // XML and YAML have no way to write these.
        let no_character = u32::from(c) & 0xfffe == 0xfffe;
        if (c.is_control() && !matches!(c, '\n' | '\t')) || bidirectional || no_character {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// [`printable`] on one line: line breaks become spaces, at most `limit` characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let safe = printable(&joined);
    if safe.chars().count() <= limit {
        return safe;
    }
    let mut short: String = safe.chars().take(limit.saturating_sub(3)).collect();
    short.push_str("...");
    short
}

/// The first lines of a text, and how many were left out.
pub fn first_lines(text: &str, limit: usize) -> String {
    let left_out = text.lines().count().saturating_sub(limit);
    let mut short = text.lines().take(limit).collect::<Vec<_>>().join("\n");
    if left_out > 0 {
        short.push_str("\n... and ");
        short.push_str(&plural(left_out, "line"));
        short.push_str(" more");
    }
    short
}

/// `1 case`, `2 cases`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `text` as one word of a shell's command line.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:+@%".contains(c);
    // `=` is plain too, but not at the beginning: there it means something to some shells.
    let is_plain = |(index, c): (usize, char)| plain(c) || (c == '=' && index > 0);
    if !text.is_empty() && text.char_indices().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// `text` as Markdown code on one line, whatever is in it.
pub fn markdown_code(text: &str) -> String {
    let text = one_line(text, 600);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 || text.is_empty() { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// `text` as a Markdown code block of that language, whatever is in it; ends with a line break.
pub fn code_block(language: &str, text: &str) -> String {
    let text = printable(text.trim_end());
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{text}\n{fence}\n")
}

/// `text` as Markdown prose on one line: nothing in it is markup or HTML.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_but_text() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}c\nd"), "a\\u{1b}[31mb\\u{202e}c\nd");
        assert_eq!(printable("\u{fffe}\u{fffd}"), "\\u{fffe}\u{fffd}");
        assert_eq!(one_line("a\n  b", 10), "a b");
        assert_eq!(one_line("abcdefghijklm", 10), "abcdefg...");
        assert_eq!(first_lines("a\nb\nc", 2), "a\nb\n... and 1 line more");
        assert_eq!(first_lines("a\nb", 2), "a\nb");
        assert_eq!(plural(1, "case"), "1 case");
        assert_eq!(plural(0, "case"), "0 cases");
    }

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
        assert_eq!(code_block("c", "a\n```\u{1b}\n"), "````c\na\n```\\u{1b}\n````\n");
        assert_eq!(markdown_text("<b>[x](y)\n@z"), r"\<b\>\[x\]\(y\) \@z");
    }
}
