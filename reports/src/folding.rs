//! Text folded for terminals, which break lines within words.

use std::{
    io::{self, Write},
    str,
};

/// Returns `text` with lines that are wider than `columns` broken between words, or `text` itself where the width is
/// unknown. A continued line begins below its last column of text, or a little further in than it began. A word that is
/// wider than a line stays whole, and so does a command of ours after its label: this way ids and commands can be
/// copied.
pub fn folded(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    text.split_inclusive('\n').map(|line| folded_line(line, columns)).collect()
}

/// A writer that folds lines as [`folded`] does.
pub struct Folding<W> {
    to: W,
    columns: Option<usize>,
    /// Beginning of a line whose end is not written yet.
    line: Vec<u8>,
}

impl<W: Write> Folding<W> {
    /// Returns a writer of folded lines to `to`: it writes each line when the line ends, the last by [`Write::flush`].
    pub const fn new(to: W, columns: Option<usize>) -> Self {
        Self { to, columns, line: Vec::new() }
    }

    fn write_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        match str::from_utf8(&line) {
            Ok(text) => self.to.write_all(folded(text, self.columns).as_bytes()),
            Err(_) => self.to.write_all(&line),
        }
    }
}

impl<W: Write> Write for Folding<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.write_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_line()?;
        self.to.flush()
    }
}

fn folded_line(line: &str, columns: usize) -> String {
    let hanging = hanging(line, columns);
    let labelled: String = visible(line).skip(hanging).take(PROGRAM.len()).collect();
    if labelled == PROGRAM {
        return line.to_owned();
    }
    let mut folded = String::with_capacity(line.len() + hanging);
    let (mut at, mut blanks) = (0, 0);
    for word in line.split(' ') {
        if !word.is_empty() {
            let width = visible(word).count();
            if at > hanging && at + blanks + width > columns && hanging + width <= columns {
                folded.push('\n');
                folded.push_str(&" ".repeat(hanging));
                at = hanging;
            } else {
                folded.push_str(&" ".repeat(blanks));
                at += blanks;
            }
            folded.push_str(word);
            at += width;
            // The terminal breaks what is too wide.
            at = if at > columns { at % columns } else { at };
            blanks = 0;
        }
        blanks += 1;
    }
    folded
}

/// Beginning of a command of this project.
const PROGRAM: &str = "address-spaces ";

/// Returns the column at which a folded line continues: the beginning of its last column in the left half.
fn hanging(line: &str, columns: usize) -> usize {
    let (mut blanks, mut began) = (0, None);
    let mut hanging = 0;
    for (at, c) in visible(line).enumerate() {
        if c == ' ' {
            blanks += 1;
            continue;
        }
        if began.is_none() {
            began = Some(at);
            hanging = if at > 0 { at + 2 } else { 0 };
        } else if blanks > 1 && at <= columns / 2 {
            hanging = at;
        }
        blanks = 0;
    }
    hanging
}

/// Returns the visible characters of a text: without line end and styles.
fn visible(text: &str) -> impl Iterator<Item = char> {
    let mut is_style = false;
    text.chars().filter(move |&c| {
        let was_style = is_style;
        is_style = c == '\u{1b}' || is_style && c != 'm';
        !is_style && !was_style && c != '\n'
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(folded(text, Some(20)), expected);
        assert_eq!(folded(text, None), text);
    }

    #[test]
    fn lines_are_broken_between_words() {
        check("short\n\nlines\n", "short\n\nlines\n");
        check("one two three four five\n", "one two three four\nfive\n");
        check("  one two three four five", "  one two three four\n    five");
    }

    #[test]
    fn a_column_of_text_stays_one() {
        check("name    one two three four\n", "name    one two\n        three four\n");
        check("a  b  one two three four", "a  b  one two three\n      four");
    }

    #[test]
    fn a_word_wider_than_a_line_stays_whole() {
        check(
            "pass    a/b/cl12/from=x,to=y,z=1  (so it is)",
            "pass    a/b/cl12/from=x,to=y,z=1  (so it\n        is)",
        );
    }

    #[test]
    fn a_command_can_be_copied() {
        check(
            "  show:   address-spaces show a/b/cl12/x=1",
            "  show:   address-spaces show a/b/cl12/x=1",
        );
        check(
            "one two three `address-spaces list` four",
            "one two three\n`address-spaces\nlist` four",
        );
    }

    #[test]
    fn lines_are_folded_as_they_are_written() {
        let mut written = Vec::new();
        let mut folding = Folding::new(&mut written, Some(20));
        for part in ["one two thr", "ee four five\nsix", ""] {
            folding.write_all(part.as_bytes()).unwrap();
        }
        folding.flush().unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "one two three four\nfive\nsix");
    }

    #[test]
    fn styles_take_no_room() {
        check("\u{1b}[31mone\u{1b}[0m two three four\n", "\u{1b}[31mone\u{1b}[0m two three four\n");
    }
}
