//! Text from outside: of any size, of any bytes.

use rustix::process::Signal;

/// `text` without the middle where it is longer than `limit` bytes.
pub fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = floor(text, limit / 2);
    let tail = ceil(text, text.len() - limit / 2);
    format!("{}\n[{} bytes left out]\n{}", &text[..head], tail - head, &text[tail..])
}

/// Whether a log says that memory ran out.
pub fn speaks_of_memory(text: &str) -> bool {
    ["out of memory", "bad_alloc", "memory allocation of", "Cannot allocate memory"]
        .iter()
        .any(|phrase| text.contains(phrase))
}

/// `SIGSEGV` for 11.
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

/// The line of a log that tells most: what a dying driver says of itself, else the first error, else the first line.
pub fn telling_line(log: &str) -> Option<&str> {
    const LAST_WORDS: [&str; 3] = ["panicked at", "Assertion", "LLVM ERROR"];
    let dying = |line: &&str| LAST_WORDS.iter().any(|words| line.contains(words));
    let lines = || log.lines();
    lines()
        .find(dying)
        .or_else(|| lines().find(|line| line.contains("error")))
        .or_else(|| lines().next())
}

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
    fn signals_have_their_usual_names() {
        let names: Vec<String> = [6, 9, 11, 1000].into_iter().map(signal_name).collect();
        assert_eq!(names, ["SIGABRT", "SIGKILL", "SIGSEGV", "signal 1000"]);
    }
}
