//! `runner show`: a case with everything that is known of it.

use std::fmt::Write as _;

use expectations::rule::{Expectation, Section};
use generator::{points, suite::Suite};

use super::CommandError;

/// The text of `runner show CASE`.
pub fn show(suite: &Suite, id: &str) -> Result<String, CommandError> {
    let case = suite.case(id).map_err(|error| CommandError::Selection(error.to_string()))?;
    let rule = suite.rule(&case);
    let kernel = suite.render(&case)?;
    let mut out = String::new();
    let _ = writeln!(out, "case         {}", case.id);
    let _ = writeln!(out, "rule         {}", rule.statement);
    match suite.expectation(&case) {
        Expectation::Accept => out.push_str("expectation  accept\n"),
        Expectation::Reject { breaks } => {
            let _ = writeln!(out, "expectation  reject: it breaks {breaks}");
        }
        Expectation::Disputed { readings } => {
            out.push_str("expectation  disputed: shown, never judged\n");
            for reading in readings {
                let _ = writeln!(
                    out,
                    "  {:<8} [{}] {}",
                    reading.verdict, reading.anchor, reading.because
                );
            }
        }
    }
    for section in rule.sections() {
        let _ = writeln!(out, "clause       {}", describe(&section));
    }
    let _ = writeln!(out, "options      {}", options(&case));
    if !case.requirements.is_empty() {
        let names: Vec<&str> =
            case.requirements.iter().map(|requirement| requirement.facts().name).collect();
        let _ = writeln!(out, "needs        {}", names.join(", "));
    }
    match case.control.as_deref().and_then(|control| suite.case(control).ok()) {
        Some(control) => {
            let distance = points::distance(&case.point, &control.point);
            let _ = writeln!(
                out,
                "control      {} (differs on {})",
                control.id,
                if distance == 1 { "1 axis".to_owned() } else { format!("{distance} axes") }
            );
        }
        None if matches!(suite.expectation(&case), Expectation::Reject { .. }) => {
            out.push_str("control      none: nothing of this rule is accepted in this dialect\n");
        }
        None => {}
    }
    out.push('\n');
    let guilty = matches!(suite.expectation(&case), Expectation::Reject { .. });
    for (line, number) in kernel.source.lines().zip(1..) {
        let mark = if guilty && kernel.guilty_lines.contains(&number) { '>' } else { ' ' };
        let _ = writeln!(out, "{mark}{number:>4} | {line}");
    }
    if let Some(probe) = suite.probe_text(&case)? {
        out.push_str("\nrun with\n\n");
        for line in probe.lines() {
            let _ = writeln!(out, "     | {line}");
        }
        for (wrong, _) in suite.wrong_kernels(&case)? {
            let _ = writeln!(out, "\nmust notice  {}: {}", wrong.name, wrong.what);
        }
    }
    Ok(out)
}

/// `document [anchor]`, with the number of sentences there.
pub fn describe(section: &Section<'_>) -> String {
    let Section { document, anchor, hashes } = section;
    match hashes.len() {
        0 => format!("{document} [{anchor}]"),
        count => format!("{document} [{anchor}], {}", reports::text::plural(count, "sentence")),
    }
}

/// The build options of a case.
pub fn options(case: &generator::suite::Case) -> String {
    let features = case.dialect.features();
    let std = case.dialect.std_option();
    if features.is_empty() {
        std
    } else {
        format!("{std} on a device with {}", features.join(", "))
    }
}
