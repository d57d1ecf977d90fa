//! Text from outside: of any size, of any bytes.

use rustix::process::Signal;

use crate::fault;

/// Returns `text` without its middle where it is longer than `limit` bytes.
pub fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = floor(text, limit / 2);
    let tail = ceil(text, text.len() - limit / 2);
    format!("{}\n[{} {LEFT_OUT}]\n{}", &text[..head], tail - head, &text[tail..])
}

/// Mark of a text that was cut.
const LEFT_OUT: &str = "bytes left out";

/// Whether [`cut`] has left something out of a text.
pub fn is_cut(text: &str) -> bool {
    text.contains(LEFT_OUT)
}

/// Whether a log reports that memory ran out.
pub fn speaks_of_memory(text: &str) -> bool {
    ["out of memory", "bad_alloc", "memory allocation of", "Cannot allocate memory"]
        .iter()
        .any(|phrase| text.contains(phrase))
}

/// Returns the name of a signal: `SIGSEGV` for 11.
pub fn signal_name(number: i32) -> String {
    match Signal::from_named_raw(number) {
        Some(signal) => {
            // `Signal::ABORT`, with or without quotes.
            let text = format!("{signal:?}");
            let name = text.trim_matches('"').trim_start_matches("Signal::");
            let name = if name == "ABORT" { "ABRT" } else { name };
            format!("SIG{name}")
        }
        None => format!("signal {number}"),
    }
}

/// Returns the most informative line of a log: the last words of a dying driver, else the first error (or the line
/// below it, where the error is only a heading), else the first line. Lines of the fault handler are skipped.
pub fn telling_line(log: &str) -> Option<&str> {
    let dying = |line: &&str| LAST_WORDS.iter().any(|words| line.contains(words));
    let lines = || log.lines().filter(|line| !fault::is_told(line));
    let error = || {
        let mut from_error =
            lines().skip_while(|line| !line.contains("error") && !line.contains("Error"));
        let line = from_error.next()?;
        let heads = line.trim_end().ends_with(':');
        if heads { from_error.next().or(Some(line)) } else { Some(line) }
    };
    lines().find(dying).or_else(error).or_else(|| lines().next())
}

/// Beginnings of last words: those of assertions and panics, the reports of the C library about a damaged heap or
/// stack, and those of the C++ library about an exception.
const LAST_WORDS: [&str; 12] = [
    "panicked at",
    "Assertion",
    "LLVM ERROR",
    "free(): ",
    "alloc(): ",
    "malloc_consolidate(): ",
    "munmap_chunk(): ",
    "double free or corruption",
    "corrupted size vs. prev_size",
    "corrupted double-linked list",
    "*** stack smashing detected ***",
    "terminate called",
];

fn floor(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

fn ceil(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index += 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_keeps_both_ends_and_whole_characters() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("äöüäöü", 6), "ä\n[8 bytes left out]\nü");
    }

    #[test]
    fn the_telling_line_of_a_log() {
        for (log, line) in [
            ("1 warning\nk.cl:1:1: error: bad\nmore", Some("k.cl:1:1: error: bad")),
            (
                "k.cl:1:1: warning: odd\nError(s) while linking: \nCannot find f",
                Some("Cannot find f"),
            ),
            ("Errors:", Some("Errors:")),
            ("[SIGSEGV] in libx.so+0x1: error", None),
            ("error: x\nvoid f(): Assertion `x' failed", Some("void f(): Assertion `x' failed")),
            (
                "warning: in control flow, results may be incorrect.\nfree(): invalid pointer",
                Some("free(): invalid pointer"),
            ),
            ("warning: odd\nmalloc(): corrupted top size", Some("malloc(): corrupted top size")),
            ("only this", Some("only this")),
            ("", None),
        ] {
            assert_eq!(telling_line(log), line, "{log}");
        }
    }

    #[test]
    fn signals_have_their_usual_names() {
        let names: Vec<String> = [6, 9, 11, 1000].into_iter().map(signal_name).collect();
        assert_eq!(names, ["SIGABRT", "SIGKILL", "SIGSEGV", "signal 1000"]);
    }
}
