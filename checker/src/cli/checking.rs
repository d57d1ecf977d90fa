//! One file after the other, from its bytes to its report.

use std::{
    fs,
    io::{self},
    path::Path,
};

use checker::{
    Checker, Verdict,
    elsewhere::Elsewhere,
    mending::{Mended, Mender},
    preprocess::read_capped,
    render::{Beyond, FileReport},
};

/// Programs longer than this are not read in other dialects.
const MAX_ELSEWHERE: usize = 1 << 20;

/// Nor are programs with more findings.
const MAX_FINDINGS_ELSEWHERE: usize = 200;

/// The checker, and those that say more of its findings, made when there is one.
pub(super) struct Checking {
    checker: Checker,
    elsewhere: Option<Elsewhere>,
    mender: Option<Mender>,
}

/// A file as it was named, and what it holds.
pub(super) struct Source<'path> {
    pub(super) path: &'path Path,
    /// What it is called in reports.
    pub(super) name: String,
    pub(super) text: io::Result<Vec<u8>>,
}

impl<'path> Source<'path> {
    /// Read the file at `path`; `-` is standard input.
    pub(super) fn read(path: &'path Path) -> Self {
        let name = if path == "-" { "<stdin>".into() } else { path.to_string_lossy() };
        Self { path, name: name.into_owned(), text: read(path) }
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path == "-" { read_capped(io::stdin().lock()) } else { read_capped(fs::File::open(path)?) }
}

impl Checking {
    pub(super) fn new(checker: Checker) -> Self {
        Self { checker, elsewhere: None, mender: None }
    }

    /// What was found last.
    pub(super) fn last_report(&self) -> checker::Report<'_> {
        self.checker.last_report()
    }

    /// The report on one file, with what is known beyond its findings.
    pub(super) fn check(&mut self, source: &Source<'_>) -> FileReport {
        let name = source.name.as_str();
        let text = match &source.text {
            Ok(text) => text,
            Err(error) => {
                // Nothing of the file before may be shown for this one.
                self.checker.check(name, "");
                return FileReport::unreadable(name, self.checker.dialect(), &error.to_string());
            }
        };
        let verdict = self.checker.check(name, text).verdict;
        let found = self.checker.last_report();
        let few = found.diagnostics.len() <= MAX_FINDINGS_ELSEWHERE;
        let beyond = if verdict == Verdict::Broken && text.len() <= MAX_ELSEWHERE && few {
            let elsewhere = self.elsewhere.get_or_insert_with(|| Elsewhere::new(&self.checker));
            let mender = self.mender.get_or_insert_with(|| Mender::new(&self.checker));
            Beyond {
                fine_in: elsewhere.fine_in(name, text, found.diagnostics),
                fixes: mender.fixes(name, text, found),
            }
        } else {
            Beyond::default()
        };
        FileReport::new(name, self.checker.dialect(), found, beyond)
    }

    /// The file with everything fixed that can be.
    pub(super) fn mend(&mut self, name: &str, text: &[u8]) -> Mended {
        let mender = self.mender.get_or_insert_with(|| Mender::new(&self.checker));
        mender.mend(&mut self.checker, name, text)
    }
}
