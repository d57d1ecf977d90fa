//! From the command line to an exit status.

mod arguments;
mod features;

use std::{
    ffi::OsString,
    fs,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use anstream::{AutoStream, ColorChoice};
use checker::{
    Checker, Dialect, Rule, Verdict,
    elsewhere::Elsewhere,
    explain,
    preprocess::{FileSystem, Limits, read_capped},
    render::{self, FileReport},
};
use clap::{CommandFactory, Parser};

use arguments::{Arguments, Color, Format};

/// Exit status when every file is accepted.
const ACCEPTED: u8 = 0;
/// Exit status when some file breaks a rule.
const BROKEN: u8 = 1;
/// Exit status when some file was not understood or could not be read.
const NOT_UNDERSTOOD: u8 = 2;

/// Programs longer than this are not read in other dialects.
const MAX_ELSEWHERE: usize = 1 << 20;

/// Nor are programs with more findings.
const MAX_FINDINGS_ELSEWHERE: usize = 200;

/// Do what `arguments` ask for, the program's name first.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = Arguments::parse_from(arguments.filter_map(arguments::build_option));
    match perform(&arguments) {
        Ok(status) => ExitCode::from(status),
        // Nobody reads on: that says nothing about the files.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(ACCEPTED),
        Err(error) => {
            // With standard error gone too there is nobody left to tell.
            let _ = writeln!(io::stderr(), "checker: {error}");
            ExitCode::from(NOT_UNDERSTOOD)
        }
    }
}

fn perform(arguments: &Arguments) -> io::Result<u8> {
    let choice = match arguments.color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let mut output = AutoStream::new(io::stdout().lock(), choice);
    if let Some(shell) = arguments.completions {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Arguments::command(), "checker", &mut script);
        output.write_all(&script)?;
        return Ok(ACCEPTED);
    }
    if arguments.list_rules {
        for rule in Rule::ALL {
            writeln!(output, "{:<36} {}", rule.id(), rule.info().summary)?;
        }
        return Ok(ACCEPTED);
    }
    if !arguments.explain.is_empty() {
        for (index, rule) in arguments.explain.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(output, "{separator}{}", explain::explain(*rule))?;
        }
        return Ok(ACCEPTED);
    }
    check_files(arguments, &mut output)
}

fn check_files(arguments: &Arguments, output: &mut impl Write) -> io::Result<u8> {
    let invalid = |message: String| io::Error::new(io::ErrorKind::InvalidInput, message);
    let dialect =
        features::apply(Dialect::new(arguments.std), &arguments.features).map_err(invalid)?;
    let mut checker = checker(arguments, dialect).map_err(invalid)?;
    let mut elsewhere = None;
    let mut reports = Vec::new();
    for path in &arguments.files {
        let (report, text) = check_file(path, arguments, &mut checker, &mut elsewhere);
        output.write_all(text.as_bytes())?;
        reports.push(report);
    }
    match arguments.format {
        Format::Text | Format::Concise => summarize(&reports)?,
        Format::Github => {}
        Format::Json => writeln!(output, "{}", render::json::render(&reports))?,
        Format::Sarif => writeln!(output, "{}", render::sarif::render(&reports))?,
    }
    output.flush()?;
    let status = |report: &FileReport| match report.verdict {
        "accepted" => ACCEPTED,
        "broken" => BROKEN,
        _ => NOT_UNDERSTOOD,
    };
    Ok(reports.iter().map(status).max().unwrap_or(ACCEPTED))
}

fn checker(arguments: &Arguments, dialect: Dialect) -> Result<Checker, String> {
    let mut checker =
        Checker::new(dialect).files(FileSystem).limits(Limits { max_tokens: arguments.max_tokens });
    for definition in &arguments.define {
        checker = checker.define(definition).map_err(|error| error.to_string())?;
    }
    for name in &arguments.undefine {
        checker = checker.undefine(name).map_err(|error| error.to_string())?;
    }
    for folder in &arguments.include {
        checker = checker.include_dir(folder);
    }
    for rule in &arguments.without {
        checker = checker.without(*rule);
    }
    Ok(checker)
}

/// The report on one file, and its text in the formats that are written file by file.
fn check_file(
    path: &Path,
    arguments: &Arguments,
    checker: &mut Checker,
    elsewhere: &mut Option<Elsewhere>,
) -> (FileReport, String) {
    let as_text = |report: &FileReport, found| match arguments.format {
        Format::Text => render::text::render(report, found),
        Format::Concise => render::concise::render(report),
        Format::Github => render::github::render(report),
        Format::Json | Format::Sarif => String::new(),
    };
    let name = path.to_string_lossy();
    let shown = if name == "-" { "<stdin>" } else { &*name };
    let source = match read(path) {
        Ok(source) => source,
        Err(error) => {
            let report = FileReport::unreadable(shown, checker.dialect(), &error.to_string());
            let text = as_text(&report, None);
            return (report, text);
        }
    };
    let verdict = checker.check(shown, &source).verdict;
    let few = checker.last_report().diagnostics.len() <= MAX_FINDINGS_ELSEWHERE;
    let fine_in = if verdict == Verdict::Broken && source.len() <= MAX_ELSEWHERE && few {
        let elsewhere = elsewhere.get_or_insert_with(|| Elsewhere::new(checker));
        elsewhere.fine_in(shown, &source, checker.last_report().diagnostics)
    } else {
        Vec::new()
    };
    let found = checker.last_report();
    let report = FileReport::new(shown, checker.dialect(), found, fine_in);
    let text = as_text(&report, Some(found));
    (report, text)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path == "-" { read_capped(io::stdin().lock()) } else { read_capped(fs::File::open(path)?) }
}

/// One line on standard error, unless there is nothing to say.
fn summarize(reports: &[FileReport]) -> io::Result<()> {
    let count = |verdict| reports.iter().filter(|report| report.verdict == verdict).count();
    let (accepted, broken, rest) = (count("accepted"), count("broken"), count("not-understood"));
    if broken + rest == 0 {
        return Ok(());
    }
    let mut parts = vec![format!("{accepted} accepted")];
    if broken > 0 {
        parts.push(format!("{broken} with broken rules"));
    }
    if rest > 0 {
        parts.push(format!("{rest} not understood"));
    }
    let files = if reports.len() == 1 { "file" } else { "files" };
    let dialect = reports.first().map_or("", |report| report.dialect.as_str());
    writeln!(io::stderr(), "checked {} {files} as {dialect}: {}", reports.len(), parts.join(", "))
}
