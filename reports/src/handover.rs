//! The hand-over pack of one finding: all that a driver developer needs to reproduce it without this project.

use std::{collections::BTreeMap, fmt::Write as _};

use expectations::{
    baseline::RunPart,
    cause::PostBuildCheck,
    copies::CitedSection,
    judge::Reason,
    probe::Probe,
    question::Question,
    rule::{Expectation, Rule},
};
use generator::templates::{Kernel, delimiters};
use results::{
    line::{CaseResult, Header, Line, to_json},
    text::{one_line, printable},
};
use serde::Serialize;
use tera::{Context, Tera};

use crate::{
    host_run::Run,
    manual::PageError,
    module_commands::ModuleCommands,
    probes::run_lines,
    text::{device_word, markdown_code, markdown_text, shell_word},
};

/// Name of the file that lists the cases that look alike.
const ALIKE: &str = "alike.txt";

/// Expectation where computed values are wrong.
const COMPUTES: &str = "the program is accepted and computes what it should";

/// Seconds that the host file gives each build.
pub(crate) const TIMEOUT: u32 = 60;

/// A command that reproduces the finding.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// Description of the command.
    pub what: String,
    /// Command line, typed in the pack's folder.
    pub command: String,
}

/// The parts of a pack.
pub struct Handover<'r> {
    /// Header of the run.
    pub header: &'r Header,
    /// Result of the case.
    pub case: &'r CaseResult,
    /// Rule of the case.
    pub rule: &'r Rule,
    /// Clauses of the rule.
    pub clauses: Vec<CitedSection>,
    /// Expectation of the text.
    pub expectation: &'r Expectation,
    /// Question that the text leaves open, of disputed cases.
    pub question: Option<&'r Question>,
    /// The program.
    pub kernel: &'r Kernel,
    /// Program of the control.
    pub control: Option<&'r Kernel>,
    /// Probe of the program, where it is executed.
    pub probe: Option<&'r Probe>,
    /// Build options.
    pub options: &'r str,
    /// Part of the platform's name, for devices behind the loader.
    pub platform: Option<&'r str>,
    /// Environment variables of the host file.
    pub environment: &'r [(String, String)],
    /// Commands that reproduce the finding with a compiler.
    pub compilers: Vec<Step>,
    /// Modules that the driver was given; `None` if it was given sources.
    pub modules: Option<PackModules>,
    /// Findings that look alike and have no pack of their own.
    pub alike: Option<LooksAlike>,
}

/// Modules that a driver is given in a pack, and how they were made.
pub struct PackModules {
    /// Commands that make them.
    pub commands: ModuleCommands,
    /// Files that are in the pack, each with its description.
    pub files: Vec<ModuleFile>,
    /// Reason why the pack has no module of the program.
    pub missing: Option<String>,
}

/// A file of a pack that is a module or its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModuleFile {
    pub name: String,
    /// Description of the file.
    pub what: String,
}

/// Findings that are likely the same bug.
pub struct LooksAlike {
    /// Description: `12 more look alike: ...`.
    pub text: String,
    /// Ids of the cases.
    pub cases: Vec<String>,
}

/// Returns the files of a pack by name.
pub fn pack(handover: &Handover<'_>) -> Result<BTreeMap<&'static str, String>, PageError> {
    let tera = pack_templates()?;
    let case = handover.case;
    let shown = shown(handover);
    let mut files = BTreeMap::from([
        ("kernel.cl", handover.kernel.source.clone()),
        ("log.txt", printable(&case.outcome.log) + "\n"),
        ("finding.json", to_json(&Line::Case(case.clone()))),
        ("README.md", tera.render("README.md", &readme(handover, shown.as_ref()))?),
    ]);
    if let Some(control) = handover.control {
        files.insert("control.cl", control.source.clone());
    }
    if let Some(alike) = &handover.alike {
        let lines = alike.cases.iter().map(|id| format!("{}\n", one_line(id, usize::MAX)));
        files.insert(ALIKE, lines.collect());
    }
    if let Some(shown) = &shown {
        files.insert("host.c", host(handover, shown)?);
    }
    Ok(files)
}

/// Returns the templates of the files of packs.
pub(crate) fn pack_templates() -> Result<Tera, PageError> {
    let mut tera = Tera::new();
    tera.set_delimiters(delimiters())?;
    tera.add_raw_templates([
        ("README.md", include_str!("../../templates/handover/README.md.tera")),
        ("issue.md", include_str!("../../templates/handover/issue.md.tera")),
        ("host.c", include_str!("../../templates/handover/host.c.tera")),
        ("interaction.md", include_str!("../../templates/handover/interaction.md.tera")),
        ("interaction.c", include_str!("../../templates/handover/interaction.c.tera")),
    ])?;
    Ok(tera)
}

/// The step at which a host program shows the deviation.
enum Demonstration {
    Build,
    /// The execution.
    Run(Run),
}

/// Returns the step at which a host program shows the deviation; `None` if only the runner can.
fn shown(handover: &Handover<'_>) -> Option<Demonstration> {
    if !handover.header.through.is_empty() && !is_given_to_driver(handover) {
        return None;
    }
    match handover.case.finding.reason {
        Reason::WrongValue => Run::of(handover.probe?).map(Demonstration::Run),
        Reason::BuildsOnly | Reason::KnownToHang | Reason::WrongRule | Reason::NoVerdict => None,
        _ => Some(Demonstration::Build),
    }
}

/// Whether the driver is given the module of the program, and the finding is not about the module itself.
fn is_given_to_driver(handover: &Handover<'_>) -> bool {
    let CaseResult { outcome, finding, .. } = handover.case;
    *handover.expectation == Expectation::Accept
        && RunPart::of(outcome.reached(), finding.reason) == RunPart::Consumer
}

fn expected(handover: &Handover<'_>) -> String {
    match handover.expectation {
        Expectation::Accept if handover.case.finding.reason == Reason::WrongValue => {
            COMPUTES.to_owned()
        }
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
    for line in case.outcome.run.as_deref().map(run_lines).unwrap_or_default() {
        seen.push_str("; ");
        seen.push_str(&one_line(&line, 300));
    }
    seen
}

fn readme(handover: &Handover<'_>, shown: Option<&Demonstration>) -> Context {
    let Handover { header, case, rule, .. } = handover;
    let mut context = Context::new();
    context.insert("title", &markdown_text(case.finding.reason.text()));
    context.insert("statement", &markdown_text(&rule.statement));
    context.insert("case", &markdown_code(&case.id));
    context.insert("expected", &markdown_text(&expected(handover)));
    context.insert("seen", &markdown_text(&seen(case)));
    context.insert("device", &markdown_text(&header.name()));
    let identity = header.identity.iter().filter(|(_, value)| !value.is_empty());
    let mut identity: Vec<(String, String)> =
        identity.map(|(name, value)| (markdown_text(name), markdown_text(value))).collect();
    identity.push(("front end".to_owned(), markdown_text(&header.front_end)));
    context.insert("identity", &identity);
    context.insert("options", &markdown_code(handover.options));
    let clauses: Vec<String> = handover
        .clauses
        .iter()
        .map(|CitedSection { document, anchor, link, .. }| {
            let section = markdown_text(&format!("{document} [{anchor}]"));
            link.as_ref().map_or(section.clone(), |link| format!("{section} <{link}>"))
        })
        .collect();
    context.insert("clauses", &clauses);
    context.insert("sentences", &sentences(&handover.clauses));
    let readings = handover.question.into_iter().flat_map(|question| &question.readings);
    let readings: Vec<String> = readings
        .map(|reading| markdown_text(&format!("{}: {}", reading.verdict.name(), reading.because)))
        .collect();
    context.insert("readings", &readings);
    context.insert("steps", &steps(handover, shown.is_some()));
    let guilty: Vec<String> =
        handover.kernel.guilty_lines.iter().map(ToString::to_string).collect();
    let rejected = matches!(handover.expectation, Expectation::Reject { .. });
    let guilty = if rejected { guilty.join(" or ") } else { String::new() };
    context.insert("guilty", &guilty);
    context.insert(
        "control",
        &case.control.as_deref().filter(|_| handover.control.is_some()).map(markdown_code),
    );
    context.insert("alike", &handover.alike.as_ref().map(|alike| markdown_text(&alike.text)));
    context.insert("has_host", &shown.is_some());
    context.insert("runs", &matches!(shown, Some(Demonstration::Run(_))));
    context.insert("through", &header.through);
    context.insert("modules", &handover.modules.as_ref().map(InReadme::of));
    context
}

/// The modules as the readme has them.
#[derive(Serialize)]
struct InReadme<'r> {
    compiler: String,
    files: &'r [ModuleFile],
    missing: Option<String>,
}

impl<'r> InReadme<'r> {
    fn of(modules: &'r PackModules) -> Self {
        Self {
            compiler: markdown_code(&modules.commands.compiler),
            files: &modules.files,
            missing: modules.missing.as_deref().map(markdown_text),
        }
    }
}

fn steps(handover: &Handover<'_>, has_host: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    if let Some(PackModules { commands, .. }) = &handover.modules {
        let (what, names) = match handover.control {
            None => ("Make the module:", &["kernel"][..]),
            Some(_) => {
                ("Make the modules of the program and its control:", &["kernel", "control"][..])
            }
        };
        let command = commands.lines(names).trim_end().to_owned();
        steps.push(Step { what: what.to_owned(), command });
    }
    if has_host && let Some(platform) = handover.platform {
        steps.push(Step {
            what: "On the device, with only the host file:".to_owned(),
            command: format!(
                "cc -o host host.c -lOpenCL\n{}./host {}",
                variables(handover.environment),
                shell_word(platform)
            ),
        });
    }
    steps.extend(handover.compilers.iter().cloned());
    let device = device_word(handover.header);
    let id = shell_word(&one_line(&handover.case.id, 600));
    steps.push(Step {
        what: "With the conformance suite:".to_owned(),
        command: format!("address-spaces --device {device} --exact {id}"),
    });
    steps
}

/// Returns the cited sentences, as far as there are copies, as lines of Markdown.
pub(crate) fn sentences(clauses: &[CitedSection]) -> Vec<String> {
    let texts = clauses.iter().flat_map(|cited| &cited.sentences);
    texts
        .filter_map(|sentence| sentence.text.as_deref())
        .map(|text| markdown_text(&one_line(text, usize::MAX)))
        .collect()
}

/// Returns environment variables as the beginning of a command line.
pub(crate) fn variables(environment: &[(String, String)]) -> String {
    let one = |(name, value): &(String, String)| format!("{name}={} ", shell_word(value));
    environment.iter().map(one).collect::<Vec<_>>().concat()
}

fn host(handover: &Handover<'_>, shown: &Demonstration) -> Result<String, PageError> {
    let case = handover.case;
    host_program(&HostProgram {
        id: &case.id,
        statement: &handover.rule.statement,
        expected: &expected(handover),
        seen: &seen(case),
        platform: handover.platform,
        options: handover.options,
        form: if handover.modules.is_some() { ProgramForm::Module } else { ProgramForm::Source },
        kernel: handover.kernel,
        // The control has kernels of its own, which are not launched.
        control: handover.control.filter(|_| matches!(shown, Demonstration::Build)),
        when_control_is_rejected: match case.finding.reason {
            Reason::ControlRejected => Status::Deviation,
            _ => Status::CannotSay,
        },
        right: match handover.expectation {
            Expectation::Accept => "seen == ACCEPTED",
            Expectation::Reject { .. } => "seen == REJECTED",
            Expectation::Disputed { .. } => "seen != NO_ANSWER && seen != DIED",
        },
        asked: &PostBuildCheck::Nothing,
        run: match shown {
            Demonstration::Build => None,
            Demonstration::Run(run) => Some(run),
        },
    })
}

/// The exit status of the host program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Status {
    /// The deviation is there.
    Deviation = 0,
    /// No statement is possible.
    CannotSay = 2,
}

/// Form in which a host program gives programs to the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramForm {
    /// Sources, which the host program has inside.
    Source,
    /// Modules, in `kernel.spv` and `control.spv`.
    Module,
}

/// The parts of a host program.
pub(crate) struct HostProgram<'h> {
    /// Name of the program.
    pub(crate) id: &'h str,
    /// Requirement, or description of the deviation.
    pub(crate) statement: &'h str,
    /// Expected behaviour.
    pub(crate) expected: &'h str,
    /// Observed behaviour.
    pub(crate) seen: &'h str,
    /// Part of the platform's name.
    pub(crate) platform: Option<&'h str>,
    /// Build options.
    pub(crate) options: &'h str,
    pub(crate) form: ProgramForm,
    /// The program.
    pub(crate) kernel: &'h Kernel,
    pub(crate) control: Option<&'h Kernel>,
    /// Exit status where the control is rejected.
    pub(crate) when_control_is_rejected: Status,
    /// Expression of C that is true where the program behaves as expected.
    pub(crate) right: &'h str,
    /// Request to the program after its build.
    pub(crate) asked: &'h PostBuildCheck,
    /// Launches of the program, where it is executed.
    pub(crate) run: Option<&'h Run>,
}

/// Returns a host program in C that builds a program and its control, each in its own process.
pub(crate) fn host_program(host: &HostProgram<'_>) -> Result<String, PageError> {
    let comment = |text: &str| one_line(text, 600).replace("*/", "* /").replace("/*", "/ *");
    let mut context = Context::new();
    context.insert("id", &comment(host.id));
    context.insert("statement", &comment(host.statement));
    context.insert("expected", &comment(host.expected).replace(['"', '\\', '%'], "'"));
    context.insert("seen", &comment(host.seen));
    context.insert("platform", &host.platform.map(comment));
    context.insert("options", &literal(host.options));
    context.insert("module", &(host.form == ProgramForm::Module));
    context.insert("guilty_lines", &host.kernel.guilty_lines);
    context.insert("kernel", &literals(&host.kernel.source));
    context.insert("control", &host.control.map(|control| literals(&control.source)));
    context.insert("timeout", &TIMEOUT);
    context.insert("control_decides", &(host.when_control_is_rejected as u8));
    context.insert("right", host.right);
    let (mut values, mut prints, mut call) = (None, None, None);
    match host.asked {
        PostBuildCheck::Nothing | PostBuildCheck::Probe(_) => {}
        PostBuildCheck::Values { values: asked, work_items } => values = Some((asked, work_items)),
        PostBuildCheck::Prints(lines) => {
            prints = Some(lines.iter().map(|line| literal(line)).collect::<Vec<_>>());
        }
        PostBuildCheck::Call { call: asked, returns } => call = Some((asked, returns)),
    }
    context.insert("values", &values.map(|(values, _)| values));
    context.insert("work_items", &values.map(|(_, work_items)| work_items));
    context.insert("prints", &prints);
    context.insert("call", &call);
    context.insert("run", &host.run);
    let is_asked = values.is_some() || prints.is_some() || call.is_some() || host.run.is_some();
    context.insert("is_asked", &is_asked);
    Ok(pack_templates()?.render("host.c", &context)?)
}

/// A program that computes wrong values, small enough to be read.
pub struct WrongValues<'p> {
    /// Case from which the program was made.
    pub id: &'p str,
    /// Shape of the wrong values.
    pub shape: &'p str,
    /// Source of the program.
    pub source: &'p str,
    /// Probe of the program.
    pub probe: &'p Probe,
    /// Build options.
    pub options: &'p str,
    /// Form in which the driver is given the program.
    pub form: ProgramForm,
    /// Part of the platform's name, for devices behind the loader.
    pub platform: Option<&'p str>,
}

/// Returns a host program in C that executes a program and compares its values; `None` if the probe needs more than
/// buffers and launches.
pub fn host_of_wrong_values(wrong: &WrongValues<'_>) -> Result<Option<String>, PageError> {
    let Some(run) = Run::of(wrong.probe) else { return Ok(None) };
    let kernel = Kernel { source: wrong.source.to_owned(), guilty_lines: Vec::new() };
    host_program(&HostProgram {
        id: wrong.id,
        statement: "What the program computes is known from the text.",
        expected: COMPUTES,
        seen: wrong.shape,
        platform: wrong.platform,
        options: wrong.options,
        form: wrong.form,
        kernel: &kernel,
        control: None,
        when_control_is_rejected: Status::CannotSay,
        right: "seen == ACCEPTED",
        asked: &PostBuildCheck::Nothing,
        run: Some(&run),
    })
    .map(Some)
}

/// Returns each line as a string literal of C, with its line break.
pub(crate) fn literals(source: &str) -> Vec<String> {
    source.lines().map(|line| literal(&format!("{line}\n"))).collect()
}

/// Returns a text as a string literal of C in ASCII, without trigraphs.
pub(crate) fn literal(text: &str) -> String {
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
