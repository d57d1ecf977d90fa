//! Causes by version, for people at a terminal.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use results::text::{one_line, plural};

use super::{Cause, Course, Versions, Why};
use crate::text::Listing;

/// Number of rules that are named with a cause.
const RULES: usize = 3;

/// Writes the causes by course, with terminal styles; nothing where no version deviates.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn text(out: &mut dyn Write, versions: &Versions<'_>, listing: Listing) -> io::Result<()> {
    if versions.causes.is_empty() {
        return Ok(());
    }
    let bold = Style::new().bold();
    writeln!(out, "\n{bold}By cause{bold:#}")?;
    for course in Course::ALL {
        let causes = || versions.causes.iter().filter(|cause| cause.course() == course);
        let count = versions.count(course);
        for cause in causes().take(listing.groups()) {
            one(out, versions, cause)?;
        }
        if count > listing.groups() {
            writeln!(
                out,
                "\n  ... and {} that {}; `--all` shows them",
                plural(count - listing.groups(), "cause"),
                match course {
                    Course::Stayed => "stayed",
                    Course::Mended => "are mended",
                    Course::Alone => "are in one version only",
                    _ => "changed that way",
                }
            )?;
        }
    }
    Ok(())
}

fn one(out: &mut dyn Write, versions: &Versions<'_>, cause: &Cause) -> io::Result<()> {
    let style = style(cause.course());
    writeln!(
        out,
        "\n  {style}{} {}{style:#}  {}",
        cause.course().sign(),
        one_line(&versions.course_text(cause), 100),
        counts(versions, cause)
    )?;
    match &cause.why {
        Why::Known(reason) => writeln!(out, "    {}", one_line(reason, 240))?,
        Why::Unexplained { rule, finding } => {
            writeln!(out, "    unexpected, {}: {}", one_line(rule, 100), one_line(finding, 100))?;
        }
    }
    let dim = Style::new().dimmed();
    let named: Vec<String> =
        cause.rules.iter().take(RULES).map(|rule| one_line(rule, 100)).collect();
    let more = cause.rules.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    writeln!(out, "    {dim}{}{more}; {}{dim:#}", named.join(", "), one_line(&cause.example, 300))
}

/// Counts deviating and judged cases of each version: `3.1: 12 of 40, 7.1: 0 of 40`.
pub(super) fn counts(versions: &Versions<'_>, cause: &Cause) -> String {
    let counts = versions.versions.iter().zip(&cause.counts).map(|(version, count)| {
        let label = one_line(&version.label(), 40);
        match count.judged {
            0 => format!("{label}: not judged"),
            judged => format!("{label}: {} of {judged}", count.deviating),
        }
    });
    counts.collect::<Vec<_>>().join(", ")
}

const fn style(course: Course) -> Style {
    match course {
        Course::Worse => AnsiColor::Red.on_default().bold(),
        Course::Mixed | Course::PartlyMended | Course::Passing => AnsiColor::Yellow.on_default(),
        Course::Mended => AnsiColor::Green.on_default(),
        Course::Stayed => Style::new().dimmed(),
        Course::Alone => AnsiColor::Cyan.on_default(),
    }
}
