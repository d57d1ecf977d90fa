//! Causes by version, as Markdown.

use std::fmt::Write as _;

use super::{Versions, Why, text::counts};
use crate::text::{markdown_code, markdown_text};

/// Number of causes that are listed: pages of CI systems have a limit.
const LISTED: usize = 100;

/// Returns the causes as a table; empty if no version deviates.
pub fn markdown(versions: &Versions<'_>) -> String {
    let mut out = String::new();
    if versions.causes.is_empty() {
        return out;
    }
    out.push_str(
        "\n### By cause\n\n| | cases that deviate | cause | for example |\n|---|---|---|---|\n",
    );
    for cause in versions.causes.iter().take(LISTED) {
        let why = match &cause.why {
            Why::Known(reason) => markdown_text(reason),
            Why::Unexplained { rule, finding } => {
                format!("unexpected, {}: {}", markdown_code(rule), markdown_text(finding))
            }
        };
        let _ = writeln!(
            out,
            "| {} {} | {} | {} | {} |",
            cause.course().sign(),
            markdown_text(&versions.course_text(cause)),
            markdown_text(&counts(versions, cause)),
            why.replace('|', "\\|"),
            markdown_code(&cause.example).replace('|', "\\|"),
        );
    }
    if versions.causes.len() > LISTED {
        let _ = writeln!(out, "\n... and {} more.", versions.causes.len() - LISTED);
    }
    out
}
