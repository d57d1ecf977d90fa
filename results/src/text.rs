//! Text from devices made harmless, and small helpers for prose.

use std::fmt::Write as _;

/// Returns a text in which everything a terminal could act on is an escape; line breaks and tabs stay.
///
/// Device names and logs come from drivers: escape sequences in them must not reach a terminal.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_dangerous(c) && !matches!(c, '\n' | '\t') {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    if COMMANDS.iter().any(|command| safe.contains(command)) {
        without_commands(&safe)
    } else {
        safe
    }
}

/// Beginnings of what systems of continuous integration take for commands in a log: of GitHub at the beginning of a
/// line, of the others anywhere.
const COMMANDS: [&str; 4] = ["::", "##[", "##vso[", "##teamcity["];

/// Returns a text in which no line is a command of a system of continuous integration.
fn without_commands(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        let begin = line.len() - line.trim_start().len();
        let (indent, rest) = line.split_at(begin);
        safe.push_str(indent);
        let rest = match rest.strip_prefix("::") {
            Some(rest) => format!("\\u{{3a}}:{rest}"),
            None => rest.to_owned(),
        };
        let rest = COMMANDS[1..].iter().fold(rest, |rest, command| {
            rest.replace(command, &format!("\\u{{23}}{}", &command[1..]))
        });
        safe.push_str(&rest);
    }
    safe
}

/// Whether a terminal or a reader could act on a character: a control character, a direction mark, a separator of
/// lines, or what is not a character.
pub fn is_dangerous(c: char) -> bool {
    let is_direction_mark = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let is_separator = matches!(c, '\u{2028}' | '\u{2029}');
    // XML and YAML have no way to write these.
    let is_no_character = u32::from(c) & 0xfffe == 0xfffe;
    c.is_control() || is_direction_mark || is_separator || is_no_character
}

/// Returns a JSON document in which everything a terminal could act on is an escape of JSON; line breaks stay.
pub fn escaped_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_dangerous(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

/// Returns [`printable`] text on one line of at most `limit` characters: line breaks become spaces.
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

/// Returns the first lines of a text, and a line that counts the others.
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

/// Returns a count with its noun: `1 case`, `2 cases`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_but_text() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}c\nd"), "a\\u{1b}[31mb\\u{202e}c\nd");
        assert_eq!(printable("\u{fffe}\u{fffd}"), "\\u{fffe}\u{fffd}");
        assert_eq!(printable("a::b\n  ::error::x"), "a::b\n  \\u{3a}:error::x");
        assert_eq!(printable("a ## b ##[error]"), "a ## b \\u{23}#[error]");
        assert_eq!(printable("\u{61c}\u{2028}"), "\\u{61c}\\u{2028}");
        assert_eq!(escaped_json("{\n\"\u{9b}\u{1fffe}\""), "{\n\"\\u009b\\ud83f\\udffe\"");
        assert_eq!(one_line("a\n  b", 10), "a b");
        assert_eq!(one_line("abcdefghijklm", 10), "abcdefg...");
        assert_eq!(first_lines("a\nb\nc", 2), "a\nb\n... and 1 line more");
        assert_eq!(first_lines("a\nb", 2), "a\nb");
        assert_eq!(plural(1, "case"), "1 case");
        assert_eq!(plural(0, "case"), "0 cases");
    }
}
