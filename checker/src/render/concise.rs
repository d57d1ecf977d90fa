//! Findings as one line each, in the form that editors and log readers know from compilers.

use std::fmt::Write as _;

use super::{FileReport, Finding, escape};

/// Returns a line `file:line:column: severity: message [rule]` for each finding, and a line for those left out.
pub fn render(file: &FileReport) -> String {
    let mut lines = String::new();
    for finding in &file.diagnostics {
        lines.push_str(&line(finding));
        lines.push('\n');
    }
    if file.left_out > 0 {
        let name = escape::line(&file.file);
        let _ = writeln!(lines, "{name}: note: {} more are left out", file.left_out);
    }
    lines
}

fn line(finding: &Finding) -> String {
    let location = &finding.location;
    let mut line = format!(
        "{}:{}:{}: {}: {}",
        escape::line(&location.file),
        location.line,
        location.column,
        severity(finding),
        escape::line(&finding.message)
    );
    if let Some(rule) = finding.rule {
        let _ = write!(line, " [{rule}]");
    }
    line
}

/// Returns the severity as compilers name it: a fatal finding is an error.
fn severity(finding: &Finding) -> &'static str {
    match finding.severity {
        "fatal" => "error",
        other => other,
    }
}
