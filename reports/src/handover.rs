//! The hand-over pack of one finding: all a driver developer needs to see it without this project.

use std::{collections::BTreeMap, fmt::Write as _};

use expectations::{
    copies::Cited,
    judge::Reason,
    rule::{Expectation, Rule},
};
use generator::templates::{Kernel, delimiters};
use serde::Serialize;
use tera::{Context, Tera};

use crate::{
    manual::PageError,
    probes::told,
    results::{CaseResult, Header, Line, to_json},
    text::{markdown_code, markdown_text, one_line, printable, shell_word},
};

/// Seconds the host file gives each build.
const TIMEOUT: u32 = 60;

/// A way to see the finding.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// What it shows.
    pub what: String,
    /// What is typed in the pack's folder.
    pub command: String,
}

/// What a pack is made of.
pub struct Handover<'r> {
    /// What was run, on what.
    pub header: &'r Header,
    /// The finding.
    pub case: &'r CaseResult,
    /// The rule it is of.
    pub rule: &'r Rule,
    /// Where the text says so.
    pub clauses: Vec<Cited>,
    /// What the text expects.
    pub expectation: &'r Expectation,
    /// The program.
    pub kernel: &'r Kernel,
    /// The control's program.
    pub control: Option<&'r Kernel>,
    /// Build options.
    pub options: &'r str,
    /// Part of the platform's name, for devices behind the loader.
    pub platform: Option<&'r str>,
    /// Variables the host file is run with there.
    pub environment: &'r [(String, String)],
    /// Commands that show it elsewhere.
    pub compilers: Vec<Step>,
}

/// The pack's files by name.
pub fn pack(handover: &Handover<'_>) -> Result<BTreeMap<&'static str, String>, PageError> {
    let mut tera = Tera::new();
    tera.set_delimiters(delimiters())?;
    tera.add_raw_templates([
        ("README.md", include_str!("../../templates/handover/README.md.tera")),
        ("host.c", include_str!("../../templates/handover/host.c.tera")),
    ])?;
    let case = handover.case;
    let mut files = BTreeMap::from([
        ("kernel.cl", handover.kernel.source.clone()),
        ("log.txt", printable(&case.outcome.log) + "\n"),
        ("finding.json", to_json(&Line::Case(case.clone()))),
        ("README.md", tera.render("README.md", &readme(handover))?),
    ]);
    if let Some(control) = handover.control {
        files.insert("control.cl", control.source.clone());
    }
    if builds_show(case.finding.reason) {
        files.insert("host.c", tera.render("host.c", &host(handover))?);
    }
    Ok(files)
}

/// Whether building the program shows the deviation; the others take the runner.
fn builds_show(reason: Reason) -> bool {
    !matches!(
        reason,
        Reason::WrongValue | Reason::BuildsOnly | Reason::WrongRule | Reason::NoVerdict
    )
}

fn expected(handover: &Handover<'_>) -> String {
    match handover.expectation {
        Expectation::Accept => "the program is accepted".to_owned(),
        Expectation::Reject { breaks } => {
            let lines = &handover.kernel.guilty_lines;
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            let place = if lines.is_empty() {
                String::new()
            } else {
                format!(", with an error on line {}", lines.join(" or "))
            };
            format!("the program is rejected{place}: it breaks {breaks}")
        }
        Expectation::Disputed { .. } => {
            "an answer: the text is disputed, accepting and rejecting are both fine".to_owned()
        }
    }
}

fn seen(case: &CaseResult) -> String {
    let mut seen = case.finding.reason.text().to_owned();
    if !case.outcome.detail.is_empty() {
        seen = format!("{seen} ({})", one_line(&case.outcome.detail, 200));
    }
    for line in case.outcome.run.as_deref().map(told).unwrap_or_default() {
        seen.push_str("; ");
        seen.push_str(&one_line(&line, 300));
    }
    seen
}

fn readme(handover: &Handover<'_>) -> Context {
    let Handover { header, case, rule, .. } = handover;
    let mut context = Context::new();
    context.insert("title", &markdown_text(case.finding.reason.text()));
    context.insert("statement", &markdown_text(&rule.statement));
    context.insert("case", &markdown_code(&case.id));
    context.insert("expected", &markdown_text(&expected(handover)));
    context.insert("seen", &markdown_text(&seen(case)));
    context.insert("device", &markdown_text(&header.device));
    let identity = header.identity.iter().filter(|(_, value)| !value.is_empty());
    let mut identity: Vec<(String, String)> =
        identity.map(|(name, value)| (markdown_text(name), markdown_text(value))).collect();
    identity.push(("front end".to_owned(), markdown_text(&header.front_end)));
    context.insert("identity", &identity);
    context.insert("options", &markdown_code(handover.options));
    let clauses: Vec<String> = handover
        .clauses
        .iter()
        .map(|Cited { document, anchor, link, .. }| {
            let section = markdown_text(&format!("{document} [{anchor}]"));
            link.as_ref().map_or(section.clone(), |link| format!("{section} <{link}>"))
        })
        .collect();
    context.insert("clauses", &clauses);
    let sentences = handover.clauses.iter().flat_map(|cited| &cited.sentences);
    let sentences: Vec<String> = sentences
        .filter_map(|sentence| sentence.text.as_deref())
        .map(|text| markdown_text(&one_line(text, usize::MAX)))
        .collect();
    context.insert("sentences", &sentences);
    let readings: Vec<String> = match handover.expectation {
        Expectation::Disputed { readings } => readings
            .iter()
            .map(|reading| {
                markdown_text(&format!(
                    "{} [{}] {}",
                    reading.verdict, reading.anchor, reading.because
                ))
            })
            .collect(),
        _ => Vec::new(),
    };
    context.insert("readings", &readings);
    context.insert("steps", &steps(handover));
    let guilty: Vec<String> =
        handover.kernel.guilty_lines.iter().map(ToString::to_string).collect();
    let rejected = matches!(handover.expectation, Expectation::Reject { .. });
    let guilty = if rejected { guilty.join(" or ") } else { String::new() };
    context.insert("guilty", &guilty);
    context.insert(
        "control",
        &case.control.as_deref().filter(|_| handover.control.is_some()).map(markdown_code),
    );
    context.insert("has_host", &builds_show(case.finding.reason));
    context
}

fn steps(handover: &Handover<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    if builds_show(handover.case.finding.reason)
        && let Some(platform) = handover.platform
    {
        let variables: Vec<String> = handover
            .environment
            .iter()
            .map(|(name, value)| format!("{name}={} ", shell_word(value)))
            .collect();
        steps.push(Step {
            what: "On the device, with the host file alone:".to_owned(),
            command: format!(
                "cc -o host host.c -lOpenCL\n{}./host {}",
                variables.concat(),
                shell_word(platform)
            ),
        });
    }
    steps.extend(handover.compilers.iter().cloned());
    let device = shell_word(&one_line(&handover.header.device, 80));
    let id = shell_word(&one_line(&handover.case.id, 600));
    steps.push(Step {
        what: "With the conformance suite:".to_owned(),
        command: format!("runner --device {device} --exact {id}"),
    });
    steps
}

fn host(handover: &Handover<'_>) -> Context {
    let comment = |text: &str| one_line(text, 600).replace("*/", "* /").replace("/*", "/ *");
    let case = handover.case;
    let mut context = Context::new();
    context.insert("id", &comment(&case.id));
    context.insert("statement", &comment(&handover.rule.statement));
    context.insert("expected", &comment(&expected(handover)).replace(['"', '\\', '%'], "'"));
    context.insert("seen", &comment(&seen(case)));
    context.insert("platform", &handover.platform.map(comment));
    context.insert("options", &literal(handover.options));
    context.insert("guilty_lines", &handover.kernel.guilty_lines);
    context.insert("kernel", &literals(&handover.kernel.source));
    context.insert("control", &handover.control.map(|control| literals(&control.source)));
    context.insert("timeout", &TIMEOUT);
    let control_decides = if case.finding.reason == Reason::ControlRejected { 0 } else { 2 };
    context.insert("control_decides", &control_decides);
    let right = match handover.expectation {
        Expectation::Accept => "seen == ACCEPTED",
        Expectation::Reject { .. } => "seen == REJECTED",
        Expectation::Disputed { .. } => "seen != NO_ANSWER && seen != DIED",
    };
    context.insert("right", right);
    context
}

/// Each line as a literal of C, with its line break.
fn literals(source: &str) -> Vec<String> {
    source.lines().map(|line| literal(&format!("{line}\n"))).collect()
}

/// A string literal of C in ASCII, without trigraphs.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'\n' => literal.push_str("\\n"),
            b'"' | b'\\' | b'?' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_line_is_a_literal() {
        assert_eq!(literal("a\t\"\\\n??=\u{e9}1"), "\"a\\011\\\"\\\\\\n\\?\\?=\\303\\2511\"");
    }
}
