//! The two ways to speak to people.

use std::{
    io::{self, BufWriter, ErrorKind, Write as _},
    sync::atomic::{AtomicBool, Ordering},
};

use reports::folding::folded;
use rustix::{fd::AsFd, termios::tcgetwinsize};

/// Something for standard output is lost.
static LOST: AtomicBool = AtomicBool::new(false);
/// Who reads no further has what was wanted.
static MAY_BE_CLOSED: AtomicBool = AtomicBool::new(false);

/// Print to standard output. A closed pipe is the reader's decision.
pub fn print(text: &str) {
    let mut stdout = anstream::stdout();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
}

/// The same of a text that is written as it is made.
pub fn print_written(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) {
    let mut stdout = BufWriter::new(anstream::stdout());
    written(write(&mut stdout).and_then(|()| stdout.flush()));
}

/// What became of a text for standard output; where it is lost, as on a full disk, that is said, and [`is_lost`] knows.
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

/// Whether something for standard output is lost: an answer that is lost is none.
pub fn is_lost() -> bool {
    written(io::stdout().flush());
    LOST.load(Ordering::Relaxed)
}

/// What follows is as good as read when the reader goes away.
pub fn may_be_closed() {
    MAY_BE_CLOSED.store(true, Ordering::Relaxed);
}

/// Whether the reader may go away.
pub fn is_closed_in_order() -> bool {
    MAY_BE_CLOSED.load(Ordering::Relaxed)
}

/// Columns of the terminal that standard output is; `None` where it is none, or does not say.
pub fn columns() -> Option<usize> {
    columns_of(&io::stdout())
}

fn columns_of(stream: &(impl io::IsTerminal + AsFd)) -> Option<usize> {
    let size = stream.is_terminal().then(|| tcgetwinsize(stream).ok()).flatten()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}

/// Columns that a line of a table may take: those of the terminal, and 80 elsewhere.
pub fn table_columns() -> usize {
    columns().unwrap_or(80)
}

/// Tell people, beside the output.
pub fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{}", folded(text, columns_of(&io::stderr())));
}
