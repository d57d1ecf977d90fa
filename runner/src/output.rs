//! The two ways to speak to people.

use std::io::Write as _;

/// Print to standard output. A closed pipe is the reader's decision.
pub fn print(text: &str) {
    let _ = anstream::stdout().write_all(text.as_bytes());
}

/// Tell people, beside the output.
pub fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}
