//! A cause as an issue that can be pasted, with all that reproduces it without this project.

use std::collections::BTreeMap;

use expectations::{
    cause::{Demonstration, Ending, PostBuildCheck, State, Symptom},
    copies::CitedSection,
    device::DeviceFile,
    verdict::Verdict,
};
use generator::templates::Kernel;
use tera::Context;

use crate::{
    handover::{
        HostProgram, ProgramForm, Status, TIMEOUT, host_program, pack_templates, sentences,
        variables,
    },
    host_run::Run,
    manual::PageError,
    module_commands::ModuleCommands,
    text::{markdown_code, markdown_prose, markdown_text, shell_word},
    upstream::{KnownCause, ObservedOutput, asked, asks, section},
};

/// A way to reproduce a cause on a device.
pub struct Way<'i> {
    pub device: &'i DeviceFile,
    /// Command that prints the version, if there is one.
    pub version: Option<String>,
    /// Commands to type.
    pub typed: TypedCommands,
}

/// Commands to type.
pub enum TypedCommands {
    /// Commands, each with the name of the file where `{file}` stands; and the status by which it rejects a program.
    Commands {
        /// Commands, in order; of an invalid program only the first is used.
        commands: Vec<String>,
        /// Exit status of the first command where it rejects a program.
        rejects_with: i32,
    },
    /// The host program on a platform.
    Host {
        /// Part of the platform's name.
        platform: String,
        /// Build options.
        options: String,
        /// Environment variables of the host program.
        environment: Vec<(String, String)>,
        /// Commands that make the modules; `None` if the host program gives sources.
        modules: Option<ModuleCommands>,
    },
}

/// The parts of an issue.
pub struct Issue<'i> {
    /// Cause with its entries and devices.
    pub known: &'i KnownCause<'i>,
    /// Sections that the cause breaks.
    pub sections: Vec<CitedSection>,
    /// Program that shows the cause.
    pub shown: &'i Demonstration,
    /// Way in which its maintainers reproduce it.
    pub way: Way<'i>,
}

/// The commands of an issue, and what they print where all is right and where it is wrong.
struct Step {
    commands: String,
    right: Vec<String>,
    wrong: Vec<String>,
}

/// Returns the files of the pack by name.
pub fn pack(issue: &Issue<'_>) -> Result<BTreeMap<&'static str, String>, PageError> {
    let Issue { shown, way, .. } = issue;
    let mut files = BTreeMap::from([("kernel.cl", shown.kernel.clone())]);
    if let Some(control) = &shown.control {
        files.insert("control.cl", control.clone());
    }
    if let TypedCommands::Host { options, modules, .. } = &way.typed {
        let form = if modules.is_some() { ProgramForm::Module } else { ProgramForm::Source };
        files.insert("host.c", host_of(issue, options, form)?);
    }
    let context = context(issue, files.get("host.c"));
    files.insert("issue.md", pack_templates()?.render("issue.md", &context)?);
    Ok(files)
}

/// Describes a device in its version for readers who do not know this project.
pub fn describe(device: &DeviceFile) -> String {
    let version = device.driver.as_deref().map(|driver| format!(", {driver}"));
    format!("{}{}", device.what, version.unwrap_or_default())
}

fn context(issue: &Issue<'_>, host: Option<&String>) -> Context {
    let Issue { known, shown, way, .. } = issue;
    let cause = known.cause;
    let mut context = Context::new();
    // As it is pasted into the field for a title, which has no Markdown.
    context.insert("title", &cause.title);
    context.insert("reason", known.reason());
    context.insert("language", &shown.dialect.language_and_version());
    context.insert("asks", asks(shown.verdict));
    context.insert("asked", &asked(&shown.asked));
    context.insert("kernel", &shown.kernel);
    context.insert("control", &shown.control);
    context.insert("host", &host);
    let sections: Vec<String> = issue.sections.iter().map(section).collect();
    context.insert("sections", &sections);
    let own: Vec<String> = cause.sentences.iter().map(|text| markdown_prose(text)).collect();
    let sentences = if own.is_empty() { sentences(&issue.sections) } else { own };
    context.insert("sentences", &sentences);
    let compiler = match &way.typed {
        TypedCommands::Host { modules: Some(modules), .. } => Some(&modules.compiler),
        TypedCommands::Host { .. } | TypedCommands::Commands { .. } => None,
    };
    context.insert("compiler", &compiler);
    let step = step(way, shown, cause.symptom.as_ref());
    context.insert("device", &way.device.name);
    context.insert("commands", &step.commands);
    context.insert("right", &step.right);
    context.insert("wrong", &step.wrong);
    context.insert("seen", &known.observation.map(ObservedOutput::of));
    context.insert("what", &markdown_text(&describe(way.device)));
    let releases = known.releases();
    let family = markdown_text(&way.device.family);
    let listed = |versions: &[String]| {
        let text = markdown_text(&versions.join(", "));
        // Those of clang have its name.
        let is_number = text.starts_with(|first: char| first.is_ascii_digit());
        if is_number { format!("{family} {text}") } else { text }
    };
    context.insert("bad", &listed(&releases.wrong));
    context.insert("good", &listed(&releases.right));
    let others: Vec<String> = known.others().map(own_name).collect();
    context.insert("others", &others.join("; "));
    context.insert("component", cause.component.text());
    context.insert("tracker", &cause.component.tracker());
    context.insert("verified", &cause.verified);
    context.insert("similar", &cause.similar);
    context.insert("state", &known.state());
    context.insert("mended", &matches!(cause.state, State::FixedIn(_)));
    context.insert("link", &cause.state.link());
    let release = match &cause.state {
        State::FixedIn(fix) => fix.release.as_deref(),
        _ => None,
    };
    context.insert("release", &release.map(markdown_text));
    context
}

/// Returns a device and its version, in few words.
fn own_name(device: &DeviceFile) -> String {
    let family = markdown_text(&device.family);
    let version = device.driver.as_deref().map(|driver| format!(" {}", markdown_text(driver)));
    format!("{family}{}", version.unwrap_or_default())
}

fn step(way: &Way<'_>, shown: &Demonstration, symptom: Option<&Symptom>) -> Step {
    let version = way.version.as_ref().map(|version| format!("{version}\n")).unwrap_or_default();
    let mut wrong: Vec<String> = Vec::new();
    let says = symptom.into_iter().flat_map(|symptom| &symptom.says).cloned();
    let (commands, right) = match &way.typed {
        TypedCommands::Host { platform, environment, modules, .. } => {
            wrong.extend(symptom.and_then(|symptom| ends_of_host(symptom.ending)));
            wrong.extend(says);
            wrong.push("host: 0".to_owned());
            let names = match &shown.control {
                None => &["kernel"][..],
                Some(_) => &["control", "kernel"],
            };
            let made = modules.as_ref().map(|modules| modules.lines(names)).unwrap_or_default();
            let commands = format!(
                "{version}cc -o host host.c -lOpenCL\n{made}{}./host {}; echo \"host: $?\"",
                variables(environment),
                shell_word(platform)
            );
            (commands, vec!["host: 1".to_owned()])
        }
        TypedCommands::Commands { commands, rejects_with } => {
            let used = match shown.verdict {
                // No code is generated for an invalid program.
                Verdict::Reject => &commands[..1],
                Verdict::Accept | Verdict::Disputed => &commands[..],
            };
            let of = |name: &str| {
                let used: Vec<String> = used
                    .iter()
                    .map(|command| command.replace("{file}", &format!("{name}.cl")))
                    .collect();
                format!("{}; echo \"{name}: $?\"", used.join(" &&\n  "))
            };
            let control = shown.control.as_ref().map(|_| of("control") + "\n");
            wrong.extend(shown.control.as_ref().map(|_| "control: 0".to_owned()));
            let mut right = wrong.clone();
            let status = if shown.verdict == Verdict::Reject { *rejects_with } else { 0 };
            right.push(format!("kernel: {status}"));
            wrong.extend(says);
            let status = symptom.map(|symptom| match symptom.ending {
                Ending::Accepted => 0,
                Ending::Rejected
                | Ending::NoKernel
                | Ending::WrongResult
                | Ending::LaunchFails
                | Ending::NoAnswer => *rejects_with,
                Ending::FatalError => 70,
                // As shells have it.
                ending => ending.signal().map_or(1, |(number, _)| 128 + i32::from(number)),
            });
            wrong.extend(status.map(|status| format!("kernel: {status}")));
            (version + &control.unwrap_or_default() + &of("kernel"), right)
        }
    };
    let code = |texts: Vec<String>| texts.iter().map(|text| markdown_code(text)).collect();
    Step { commands, right: code(right), wrong: code(wrong) }
}

/// Returns the line that the host program prints at this ending.
fn ends_of_host(ending: Ending) -> Option<String> {
    let how = match ending {
        Ending::Accepted => "accepted".to_owned(),
        // With or without an error on a line that it names.
        Ending::Rejected => "rejected".to_owned(),
        Ending::NoKernel => "built, but its kernels cannot be created".to_owned(),
        Ending::WrongResult | Ending::LaunchFails => {
            "taken, and does what it should not".to_owned()
        }
        Ending::NoAnswer => format!("no answer in {TIMEOUT} seconds"),
        Ending::FatalError => "the driver ended the process with status 70".to_owned(),
        ending => format!("the driver died of {}", ending.signal()?.1),
    };
    Some(format!("== the program: {how}"))
}

fn host_of(issue: &Issue<'_>, options: &str, form: ProgramForm) -> Result<String, PageError> {
    let Issue { known, shown, .. } = issue;
    let kernel = Kernel { source: shown.kernel.clone(), guilty_lines: shown.guilty_lines() };
    let control = shown.control.clone().map(|source| Kernel { source, guilty_lines: Vec::new() });
    let (right, expected) = match shown.verdict {
        Verdict::Accept if shown.asked == PostBuildCheck::Nothing => {
            ("seen == ACCEPTED", "the program is accepted")
        }
        Verdict::Accept => ("seen == ACCEPTED", "the program is accepted and does as it should"),
        Verdict::Reject => {
            ("seen == REJECTED", "the program is rejected, with an error on the marked line")
        }
        Verdict::Disputed => ("seen != NO_ANSWER && seen != DIED", "an answer"),
    };
    let run = match &shown.asked {
        PostBuildCheck::Probe(probe) => Run::of(probe),
        PostBuildCheck::Nothing
        | PostBuildCheck::Values { .. }
        | PostBuildCheck::Prints(_)
        | PostBuildCheck::Call { .. } => None,
    };
    host_program(&HostProgram {
        id: &known.cause.title,
        statement: known.reason(),
        expected,
        seen: "a deviation",
        platform: None,
        options,
        form,
        kernel: &kernel,
        control: control.as_ref().filter(|_| run.is_none()),
        when_control_is_rejected: Status::CannotSay,
        right,
        asked: &shown.asked,
        run: run.as_ref(),
    })
}
