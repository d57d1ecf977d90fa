//! The checks of one run of the program: each file from its bytes to its report.

use std::{
    fs,
    io::{self},
    path::Path,
};

use crate::{
    Checker, Verdict,
    elsewhere::OtherDialects,
    mending::{FixedProgram, Mender},
    objects::FileObjects,
    preprocess::read_capped,
    render::{FileReport, FindingDetails},
};

/// Most bytes of a program that is read in other dialects.
const MAX_ELSEWHERE: usize = 1 << 20;

/// Most findings of a program that is read in other dialects.
const MAX_FINDINGS_ELSEWHERE: usize = 200;

/// The checker, and the parts that add details to findings, made at the first finding.
pub(super) struct Session {
    checker: Checker,
    elsewhere: Option<OtherDialects>,
    mender: Option<Mender>,
}

/// A file on the command line, with its text.
pub(super) struct Source<'path> {
    pub(super) path: &'path Path,
    /// Name of the file in reports.
    pub(super) name: String,
    pub(super) text: io::Result<Vec<u8>>,
}

impl<'path> Source<'path> {
    /// Reads the file at `path`; `-` is standard input.
    pub(super) fn read(path: &'path Path) -> Self {
        let name = if path == "-" { "<stdin>".into() } else { path.to_string_lossy() };
        Self { path, name: name.into_owned(), text: read(path) }
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path == "-" {
        return read_capped(io::stdin().lock());
    }
    let file = fs::File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), "there is no such file"),
        _ => error,
    })?;
    read_capped(file)
}

impl Session {
    pub(super) fn new(checker: Checker) -> Self {
        Self { checker, elsewhere: None, mender: None }
    }

    /// Returns the report on the last file.
    pub(super) fn last_report(&self) -> crate::Report<'_> {
        self.checker.last_report()
    }

    /// Returns the report on one file, with dialects and fixes.
    pub(super) fn check(&mut self, source: &Source<'_>) -> FileReport {
        let name = source.name.as_str();
        let text = match &source.text {
            Ok(text) => text,
            Err(error) => {
                // The report must not show findings of the file before.
                self.checker.check(name, "");
                return FileReport::unreadable(name, self.checker.dialect(), &error.to_string());
            }
        };
        let verdict = self.checker.check(name, text).verdict;
        let found = self.checker.last_report();
        let few = found.diagnostics.len() <= MAX_FINDINGS_ELSEWHERE;
        let beyond = if verdict == Verdict::Broken && text.len() <= MAX_ELSEWHERE && few {
            let elsewhere = self.elsewhere.get_or_insert_with(|| OtherDialects::new(&self.checker));
            let mender = self.mender.get_or_insert_with(|| Mender::new(&self.checker));
            FindingDetails {
                fine_in: elsewhere.fine_in(name, text, found.diagnostics),
                fixes: mender.fixes(name, text, found),
            }
        } else {
            FindingDetails::default()
        };
        FileReport::new(name, self.checker.dialect(), found, beyond)
    }

    /// Returns the objects of the program that was checked last.
    pub(super) fn objects(&mut self, name: &str) -> FileObjects {
        FileObjects::new(name, self.checker.dialect(), self.checker.objects())
    }

    /// Returns the file with every fix applied.
    pub(super) fn mend(&mut self, name: &str, text: &[u8]) -> FixedProgram {
        let mender = self.mender.get_or_insert_with(|| Mender::new(&self.checker));
        mender.mend(&mut self.checker, name, text)
    }
}
