//! The program: reads the command line, checks files and gives an exit status. Other programs have it as a command.

mod arguments;
mod checking;
mod closing;
mod features;
mod inputs;
mod rewrite;
mod server;

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use crate::{
    Checker, Dialect, Report, Rule, explain,
    mending::FixedProgram,
    objects,
    preprocess::{FileSystem, Limits},
    render::{self, FileReport, escape},
};
use anstream::{AutoStream, ColorChoice};
use clap::{CommandFactory, Parser};

pub use arguments::{Arguments, PROGRAM, build_option};

use arguments::{Color, DEFAULT_VERSION, Deny, Format};
use checking::{Session, Source};
use closing::OtherVersions;

/// Exit status when every file is accepted.
const ACCEPTED: u8 = 0;
/// Exit status when some file breaks a rule.
const BROKEN: u8 = 1;
/// Exit status when some file was not understood or could not be read.
const NOT_UNDERSTOOD: u8 = 2;

/// Runs the program with `arguments`, its name first.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = Arguments::parse_from(arguments.filter_map(build_option));
    check(&arguments, PROGRAM)
}

/// Does what a command line asks for and returns the exit status; `program` is the name in messages about it.
pub fn check(arguments: &Arguments, program: &str) -> ExitCode {
    match perform(arguments) {
        Ok(status) => ExitCode::from(status),
        // The reader closed the pipe, which is no verdict on the files.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(ACCEPTED),
        Err(error) => {
            // Standard error is closed too.
            let _ = writeln!(io::stderr(), "{program}: {error}");
            ExitCode::from(NOT_UNDERSTOOD)
        }
    }
}

fn perform(arguments: &Arguments) -> io::Result<u8> {
    // The server writes from a thread of its own: nothing may hold standard output.
    if arguments.lsp {
        server::serve().map_err(|error| io::Error::other(error.to_string()))?;
        return Ok(ACCEPTED);
    }
    let choice = match arguments.color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let mut output = AutoStream::new(io::stdout().lock(), choice);
    if let Some(shell) = arguments.completions {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Arguments::command(), PROGRAM, &mut script);
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
    if arguments.files.is_empty() {
        let message = "no file is named: name files, folders, or `-` for standard input; `--help` has examples";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    check_files(arguments, &mut output)
}

fn check_files(arguments: &Arguments, output: &mut impl Write) -> io::Result<u8> {
    let invalid = |message: String| io::Error::new(io::ErrorKind::InvalidInput, message);
    let version = arguments.std.unwrap_or(DEFAULT_VERSION);
    let dialect = features::apply(Dialect::new(version), &arguments.features).map_err(invalid)?;
    let checker = checker(arguments, dialect).map_err(invalid)?;
    let is_for_people = matches!(arguments.format, Format::Text | Format::Concise);
    let is_unnamed = arguments.std.is_none() && !arguments.diff && is_for_people;
    let mut others = is_unnamed.then(|| OtherVersions::new(&checker));
    let mut checking = Session::new(checker);
    if arguments.objects {
        return list_objects(arguments, &mut checking, output);
    }
    let mut reports = Vec::new();
    for path in &inputs::files(&arguments.files).map_err(|error| invalid(error.to_string()))? {
        let mut source = Source::read(path);
        if arguments.fix || arguments.diff {
            fix(arguments, &mut checking, &mut source)?;
        }
        let report = checking.check(&source);
        if let Some(others) = &mut others {
            match &source.text {
                Ok(text) => others.read(&source.name, text),
                Err(_) => others.give_up(),
            }
        }
        if !arguments.diff {
            let found = source.text.is_ok().then(|| checking.last_report());
            output.write_all(rendered(arguments.format, &report, found).as_bytes())?;
        }
        reports.push(report);
    }
    if arguments.diff {
        return Ok(worst(&reports));
    }
    match arguments.format {
        Format::Text | Format::Concise => closing::tell(arguments, &reports, others.as_ref())?,
        Format::Github => {}
        Format::Json => writeln!(output, "{}", render::json::render(&reports))?,
        Format::Sarif => writeln!(output, "{}", render::sarif::render(&reports))?,
    }
    output.flush()?;
    Ok(worst(&reports))
}

/// Prints the objects of each file that breaks no rule, and the findings in the others on standard error.
fn list_objects(
    arguments: &Arguments,
    checking: &mut Session,
    output: &mut impl Write,
) -> io::Result<u8> {
    let invalid = |message: String| io::Error::new(io::ErrorKind::InvalidInput, message);
    let (mut reports, mut files) = (Vec::new(), Vec::new());
    for path in &inputs::files(&arguments.files).map_err(|error| invalid(error.to_string()))? {
        let source = Source::read(path);
        let report = checking.check(&source);
        if worst(std::slice::from_ref(&report)) == ACCEPTED {
            files.push(checking.objects(&source.name));
        } else {
            let found = source.text.is_ok().then(|| checking.last_report());
            AutoStream::auto(io::stderr())
                .write_all(rendered(Format::Text, &report, found).as_bytes())?;
        }
        reports.push(report);
    }
    writeln!(output, "{}", objects::render(&files))?;
    output.flush()?;
    Ok(worst(&reports))
}

/// Returns the exit status for all files.
fn worst(reports: &[FileReport]) -> u8 {
    let status = |report: &FileReport| match report.verdict {
        "accepted" => ACCEPTED,
        "broken" => BROKEN,
        _ => NOT_UNDERSTOOD,
    };
    reports.iter().map(status).max().unwrap_or(ACCEPTED)
}

/// Fixes one file, or shows the changes.
fn fix(arguments: &Arguments, checking: &mut Session, source: &mut Source<'_>) -> io::Result<()> {
    let Ok(text) = &source.text else { return Ok(()) };
    if arguments.fix && !arguments.diff && source.path == "-" {
        let message =
            "standard input cannot be fixed in place: `--diff -` prints what would change";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let FixedProgram { text: mended, fixed } = checking.mend(&source.name, text);
    if fixed == 0 {
        return Ok(());
    }
    let name = escape::line(&source.name);
    let findings = if fixed == 1 { "finding" } else { "findings" };
    if arguments.diff {
        rewrite::show_difference(&source.name, text, &mended)?;
        return writeln!(io::stderr(), "{name}: {fixed} {findings} can be fixed");
    }
    rewrite::replace(source.path, &mended).map_err(|error| {
        io::Error::new(error.kind(), format!("{name} cannot be written: {error}"))
    })?;
    source.text = Ok(mended);
    writeln!(io::stderr(), "{name}: {fixed} {findings} fixed")
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
    if arguments.deny == Some(Deny::Warnings) {
        checker = checker.deny_warnings();
    }
    Ok(checker)
}

/// Returns the text of one report, in the formats that are written file by file.
fn rendered(format: Format, report: &FileReport, found: Option<Report<'_>>) -> String {
    match format {
        Format::Text => render::text::render(report, found),
        Format::Concise => render::concise::render(report),
        Format::Github => render::github::render(report),
        Format::Json | Format::Sarif => String::new(),
    }
}
