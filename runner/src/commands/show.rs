//! `address-spaces show`: a case with its kernel, expectation, clauses and control.

use std::fmt::Write as _;

use expectations::{
    case_id::CaseId, copies::Copies, dialect::Dialect, question::Question,
    requirement::Requirement, rule::Expectation,
};
use generator::{
    no_such_case::NoSuchCase,
    points,
    random::{CaseProgram, RandomCase},
    suite::Suite,
    templates::Kernel,
};
use reports::folding::folded;

use super::{CommandError, contents, run_with};
use crate::{output, specification::clause};

/// Returns the text of `address-spaces show`: the families, the rules of a family, the cases of a rule, or a case.
pub fn show(suite: &Suite, id: Option<&str>, copies: &Copies) -> Result<String, CommandError> {
    let Some(id) = id else { return contents::families(suite) };
    // Half of an id lists what it can be completed to.
    let listed = contents::cases_of(suite, id).or_else(|| contents::rules_of(suite, id));
    match listed {
        Some(listed) => Ok(listed),
        None => case(suite, id, copies),
    }
}

fn case(suite: &Suite, id: &str, copies: &Copies) -> Result<String, CommandError> {
    let reject = |error: NoSuchCase| CommandError::Selection(error.to_string());
    if CaseId::new(id).is_random() {
        return Ok(show_random(&RandomCase::from_id(id).map_err(reject)?));
    }
    let case = suite.case(id).map_err(reject)?;
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
        expectation @ Expectation::Disputed { .. } => {
            out.push_str("expectation  disputed: shown, never judged\n");
            if let Some(question) = suite.question(expectation) {
                self::question(&mut out, question);
            }
        }
    }
    for cited in copies.cited(rule) {
        clause(&mut out, "clause       ", &cited);
    }
    let _ = writeln!(out, "options      {}", options(case.dialect));
    needs(&mut out, &case.requirements);
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
            out.push_str("control      none: no case of this rule is accepted in this dialect\n");
        }
        None => {}
    }
    let mut out = folded(&out, output::columns());
    out.push('\n');
    let guilty = matches!(suite.expectation(&case), Expectation::Reject { .. });
    listing(&mut out, &kernel, guilty);
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

/// Writes the question that the text leaves open, with its readings.
fn question(out: &mut String, question: &Question) {
    let _ = writeln!(out, "question     {} ({})", question.title, question.id);
    for reading in &question.readings {
        let anchors = reading.clauses.iter().map(|clause| clause.anchor.as_str());
        let mut anchors: Vec<&str> = anchors.collect();
        anchors.dedup();
        let _ = writeln!(
            out,
            "  {:<8} [{}] {}",
            reading.verdict.name(),
            anchors.join("] ["),
            reading.because
        );
    }
}

/// Returns a random program and the choices it is made from.
fn show_random(case: &RandomCase) -> String {
    let CaseProgram { kernel, requirements, probe } = case.made();
    let mut out = String::new();
    let _ = writeln!(out, "case         {}", case.id());
    match case.broken_rule() {
        Some(rule) => {
            let _ = writeln!(out, "expectation  reject: it breaks {rule}");
        }
        None => out.push_str("expectation  accept\n"),
    }
    let _ = writeln!(out, "options      {}", options(case.dialect));
    needs(&mut out, &requirements);
    if let Some(control) = case.control() {
        let _ = writeln!(out, "control      {} (differs in one edit)", control.id());
    }
    out.push('\n');
    listing(&mut out, &kernel, case.control().is_some());
    if let Some(probe) = probe {
        out.push_str("\nrun with\n\n");
        for line in run_with::lines(&probe) {
            let _ = writeln!(out, "     | {line}");
        }
    }
    out
}

fn needs(out: &mut String, requirements: &[Requirement]) {
    if !requirements.is_empty() {
        let names: Vec<&str> =
            requirements.iter().map(|requirement| requirement.facts().name).collect();
        let _ = writeln!(out, "needs        {}", names.join(", "));
    }
}

/// Writes the lines of a kernel with marks at those on which an error belongs, or which an edit changed.
fn listing(out: &mut String, kernel: &Kernel, points: bool) {
    for (line, number) in kernel.source.lines().zip(1..) {
        let mark = if points && kernel.guilty_lines.contains(&number) { '>' } else { ' ' };
        let _ = writeln!(out, "{mark}{number:>4} | {line}");
    }
}

/// Returns the build options of a dialect.
pub fn options(dialect: Dialect) -> String {
    let features = dialect.features();
    let std = dialect.std_option();
    if features.is_empty() {
        std
    } else {
        format!("{std} on a device with {}", features.join(", "))
    }
}
