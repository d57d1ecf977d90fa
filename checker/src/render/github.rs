//! Findings as workflow commands, which GitHub shows beside the lines of a change.

use std::fmt::Write as _;

use super::{FileReport, Finding, escape};

/// Returns a command for each finding of the file, and one for those left out.
pub fn render(file: &FileReport) -> String {
    let mut commands = String::new();
    for finding in &file.diagnostics {
        commands.push_str(&command(finding));
        commands.push('\n');
    }
    if file.left_out > 0 {
        let text = format!("{} more findings in {} are left out", file.left_out, file.file);
        let _ = writeln!(commands, "::warning title=checker::{}", data(&text));
    }
    commands
}

fn command(finding: &Finding) -> String {
    let location = &finding.location;
    let mut command = format!(
        "::{} file={},line={}",
        level(finding),
        property(&location.file),
        location.line.max(1)
    );
    // GitHub takes columns only where a finding begins and ends on one line.
    if location.line == location.end_line {
        let _ = write!(command, ",col={}", location.column);
    }
    let _ = write!(command, ",endLine={}", location.end_line.max(location.line).max(1));
    if location.line == location.end_line {
        let _ = write!(command, ",endColumn={}", location.end_column);
    }
    let title = finding.rule.unwrap_or("checker");
    let _ = write!(command, ",title={}::{}", property(title), data(&finding.message));
    for more in [&finding.note, &finding.help].into_iter().flatten() {
        // `%0A` is a newline in a command.
        let _ = write!(command, "%0A{}", data(more));
    }
    command
}

fn level(finding: &Finding) -> &'static str {
    match finding.severity {
        "note" => "notice",
        "warning" => "warning",
        _ => "error",
    }
}

/// Escapes the text after `::` as the runner's own toolkit does; it stays on one line.
fn data(text: &str) -> String {
    escape::line(text).replace('%', "%25")
}

/// Escapes the value of a property, where `:` and `,` are special too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_or_begins_one() {
        assert_eq!(data("100%0A\n::error::x"), "100%250A\\u{a}::error::x");
        assert_eq!(property("a,b:c%.cl\r"), "a%2Cb%3Ac%25.cl\\u{d}");
    }
}
