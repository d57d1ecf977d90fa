//! The last lines on standard error: the judgement of all files, and that in other versions where none was named.

use std::io::{self, Write};

use crate::{
    Checker, Dialect, Verdict, Version,
    diagnostic::Severity,
    render::{FileReport, escape},
};

use super::arguments::{Arguments, DEFAULT_VERSION};

/// Most bytes that are read in other versions.
const MAX_READ: usize = 1 << 18;

/// A version that was not asked for, and the files that are wrong in it.
struct OtherVersion {
    name: &'static str,
    checker: Checker,
    wrong: usize,
    /// Place and message of the first finding.
    first: Option<String>,
}

/// The files of a run without a named version, read in other versions.
pub(super) struct OtherVersions {
    versions: Vec<OtherVersion>,
    bytes_left: usize,
}

impl OtherVersions {
    pub(super) fn new(checker: &Checker) -> Self {
        let bare = Dialect::new(DEFAULT_VERSION).without_features();
        let dialects = [
            ("1.2", Dialect::new(Version::V1_2)),
            ("2.0", Dialect::new(Version::V2_0)),
            ("3.0 without optional features", bare.with_fp16()),
        ];
        let versions = dialects.map(|(name, dialect)| OtherVersion {
            name,
            checker: checker.for_dialect(dialect),
            wrong: 0,
            first: None,
        });
        Self { versions: versions.into(), bytes_left: MAX_READ }
    }

    /// Says nothing of other versions: a file was not read.
    pub(super) fn give_up(&mut self) {
        self.versions.clear();
    }

    /// Reads a program of the run.
    pub(super) fn read(&mut self, name: &str, text: &[u8]) {
        let Some(left) = self.bytes_left.checked_sub(text.len()) else { return self.give_up() };
        self.bytes_left = left;
        for version in &mut self.versions {
            let report = version.checker.check(name, text);
            if report.verdict == Verdict::Accepted {
                continue;
            }
            version.wrong += 1;
            let is_open = |severity| severity >= Severity::Error;
            let finding = report
                .diagnostics
                .iter()
                .find(|said| is_open(said.severity) && said.suppression.is_none());
            if let Some(finding) = finding
                && version.first.is_none()
            {
                let place = report.sources.position(finding.span.start);
                let file = escape::line(place.file);
                let message = escape::line(&finding.message);
                version.first = Some(format!("{file}:{}:{}: {message}", place.line, place.column));
            }
        }
    }

    /// Prints, for a run without a mistake, the versions in which it has none and the mistakes in the others.
    fn tell_of_right(&self, output: &mut impl Write) -> io::Result<()> {
        if let Some(versions) = self.right() {
            writeln!(output, "right as {versions} too")?;
        }
        self.tell_wrong(output)
    }

    /// Prints, for a run with mistakes, the versions in which it has none.
    fn tell_of_wrong(&self, output: &mut impl Write) -> io::Result<()> {
        match self.right() {
            Some(versions) => writeln!(output, "right as {versions}"),
            None => Ok(()),
        }
    }

    /// Returns the versions in which every file is right.
    fn right(&self) -> Option<String> {
        let right: Vec<&str> = self
            .versions
            .iter()
            .filter(|version| version.wrong == 0)
            .map(|version| version.name)
            .collect();
        let (last, before) = right.split_last()?;
        let joint = if before.is_empty() { "" } else { " and " };
        Some(format!("{}{joint}{last}", before.join(", ")))
    }

    fn tell_wrong(&self, output: &mut impl Write) -> io::Result<()> {
        for version in &self.versions {
            let Some(first) = &version.first else { continue };
            let more = match version.wrong {
                1 => String::new(),
                2 => " (and 1 more file)".to_owned(),
                wrong => format!(" (and {} more files)", wrong - 1),
            };
            writeln!(output, "wrong as {}: {first}{more}", version.name)?;
        }
        Ok(())
    }
}

/// Returns the words for the dialect of a run.
fn dialect_words(arguments: &Arguments, dialect: &str) -> String {
    let version = arguments.std.unwrap_or(DEFAULT_VERSION);
    let has_all = arguments.features == "all";
    if has_all { format!("OpenCL C {version}") } else { dialect.to_owned() }
}

/// Prints the closing lines.
pub(super) fn tell(
    arguments: &Arguments,
    reports: &[FileReport],
    others: Option<&OtherVersions>,
) -> io::Result<()> {
    let count = |verdict| reports.iter().filter(|report| report.verdict == verdict).count();
    let (accepted, broken, rest) = (count("accepted"), count("broken"), count("not-understood"));
    let dialect = reports.first().map_or("", |report| report.dialect.as_str());
    let mut errors = io::stderr().lock();
    if broken + rest == 0 {
        let files =
            if accepted == 1 { "1 file is".to_owned() } else { format!("{accepted} files are") };
        let words = dialect_words(arguments, dialect);
        let unnamed = if arguments.std.is_none() { "; no --std was given" } else { "" };
        writeln!(errors, "{files} right as {words}{unnamed}")?;
        return others.map_or(Ok(()), |others| others.tell_of_right(&mut errors));
    }
    let mut parts = vec![format!("{accepted} accepted")];
    if broken > 0 {
        parts.push(format!("{broken} with broken rules"));
    }
    if rest > 0 {
        parts.push(format!("{rest} not understood"));
    }
    let files = if reports.len() == 1 { "file" } else { "files" };
    writeln!(errors, "checked {} {files} as {dialect}: {}", reports.len(), parts.join(", "))?;
    if arguments.std.is_none() {
        let features = if arguments.features == "all" { ", all features" } else { "" };
        writeln!(
            errors,
            "judged as OpenCL C {DEFAULT_VERSION}{features}; for another version name it: `--std CL1.2`"
        )?;
    }
    others.map_or(Ok(()), |others| others.tell_of_wrong(&mut errors))
}
