//! The two ways to speak to people.

use std::{
    borrow::Cow,
    io::{self, BufWriter, ErrorKind, Write as _},
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use regex::{Captures, Regex};
use reports::folding::folded;
use rustix::{fd::AsFd, io::Errno, termios::tcgetwinsize};

/// Something for standard output is lost.
static LOST: AtomicBool = AtomicBool::new(false);
/// Whether a closed output is not an error, because the reader has all it wants.
static MAY_BE_CLOSED: AtomicBool = AtomicBool::new(false);

/// Prints to standard output. A closed pipe is the reader's decision.
pub fn print(text: &str) {
    let mut stdout = anstream::stdout();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
}

/// Prints a text to standard output while it is made.
pub fn print_written(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) {
    let mut stdout = BufWriter::new(anstream::stdout());
    written(write(&mut stdout).and_then(|()| stdout.flush()));
}

/// Handles the result of writing to standard output. Where text is lost, as on a full disk, this is reported and
/// [`is_lost`] returns true.
pub fn written(result: io::Result<()>) {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            if !LOST.swap(true, Ordering::Relaxed) {
                note(&format!("error: standard output cannot be written: {error}"));
            }
        }
        Ok(()) | Err(_) => {}
    }
}

/// Whether some standard output is lost: a lost answer is not an answer.
pub fn is_lost() -> bool {
    written(io::stdout().flush());
    LOST.load(Ordering::Relaxed)
}

/// Allows the reader to close the output from here on.
pub fn may_be_closed() {
    MAY_BE_CLOSED.store(true, Ordering::Relaxed);
}

/// Whether the reader may go away.
pub fn is_closed_in_order() -> bool {
    MAY_BE_CLOSED.load(Ordering::Relaxed)
}

/// Returns the number of columns of the terminal; `None` if standard output is not a terminal, or does not report
/// it.
pub fn columns() -> Option<usize> {
    columns_of(&io::stdout())
}

fn columns_of(stream: &(impl io::IsTerminal + AsFd)) -> Option<usize> {
    let size = stream.is_terminal().then(|| tcgetwinsize(stream).ok()).flatten()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}

/// Returns the columns that a line of a table may take: those of the terminal, and any number elsewhere.
pub fn table_columns() -> usize {
    columns().unwrap_or(usize::MAX)
}

/// Prints a note for people to standard error.
pub fn note(text: &str) {
    let text = without_error_numbers(text);
    let _ = writeln!(anstream::stderr(), "{}", folded(&text, columns_of(&io::stderr())));
}

/// Returns a text in which an error of the system has its message, as other programs print it, and what to do in place
/// of its number.
fn without_error_numbers(text: &str) -> Cow<'_, str> {
    static NUMBER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r" \(os error (\d+)\)").expect("a valid expression"));
    NUMBER.replace_all(text, |number: &Captures<'_>| {
        let is_no_folder = number[1].parse() == Ok(Errno::NOTDIR.raw_os_error());
        if is_no_folder { "; name a folder" } else { "" }
    })
}
