//! A cause as an issue that can be pasted, with all that reproduces it without this project.

use std::collections::BTreeMap;

use expectations::{
    cause::{Asked, Shown},
    copies::Cited,
    device::DeviceFile,
    verdict::Verdict,
};
use generator::templates::Kernel;
use serde::Serialize;
use tera::Context;

use crate::{
    handover::{HostProgram, Status, host_program, pack_templates, sentences, variables},
    manual::PageError,
    text::{markdown_text, shell_word},
    upstream::{KnownCause, asked, asks, section},
};

/// A way to reproduce a cause on a device.
pub struct Way {
    /// Name of the device: `pocl@sid`.
    pub device: String,
    /// Description of the device with its version.
    pub what: String,
    /// Commands that reproduce a cause.
    pub seen: Reproduction,
}

/// Commands that reproduce a cause.
pub enum Reproduction {
    /// Commands of a compiler, with `{file}` for the name of the file.
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
    },
}

/// The parts of an issue.
pub struct Issue<'i> {
    /// Cause with its entries and devices.
    pub known: &'i KnownCause<'i>,
    /// Statement of the rule that the cause breaks; empty where there is none.
    pub statement: &'i str,
    /// Sections that the cause breaks.
    pub sections: Vec<Cited>,
    /// Program that shows the cause.
    pub shown: &'i Shown,
    /// Ways to reproduce the cause, the best first.
    pub ways: Vec<Way>,
}

#[derive(Serialize)]
struct Step {
    device: String,
    what: String,
    commands: String,
    right: String,
}

/// Returns the files of the pack by name.
pub fn pack(issue: &Issue<'_>) -> Result<BTreeMap<&'static str, String>, PageError> {
    let Issue { shown, .. } = issue;
    let mut files = BTreeMap::from([("kernel.cl", shown.kernel.clone())]);
    if let Some(control) = &shown.control {
        files.insert("control.cl", control.clone());
    }
    let host = issue.ways.iter().find_map(|way| match &way.seen {
        Reproduction::Host { options, .. } => Some(options),
        Reproduction::Commands { .. } => None,
    });
    if let Some(options) = host {
        files.insert("host.c", host_of(issue, options)?);
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
    let Issue { known, shown, .. } = issue;
    let cause = known.cause;
    let described = |devices: &[&DeviceFile]| -> Vec<String> {
        devices.iter().map(|device| markdown_text(&describe(device))).collect()
    };
    let mut context = Context::new();
    context.insert("title", &markdown_text(&cause.title));
    context.insert("reason", &known.entry.reason);
    context.insert("language", &shown.dialect.language_and_version());
    context.insert("asks", asks(shown.verdict));
    context.insert("asked", &asked(&shown.asked));
    context.insert("kernel", &shown.kernel);
    context.insert("control", &shown.control);
    context.insert("host", &host);
    context.insert("statement", &markdown_text(issue.statement));
    let sections: Vec<String> = issue.sections.iter().map(section).collect();
    context.insert("sections", &sections);
    context.insert("sentences", &sentences(&issue.sections));
    context.insert("current", &described(&known.current));
    context.insert("before", &described(&known.before));
    context.insert("right", &described(&known.right));
    context.insert("component", cause.component.text());
    context.insert("tracker", &cause.component.tracker());
    context.insert("verified", &cause.verified);
    context.insert("similar", &cause.similar);
    context.insert("report", &cause.report);
    let steps: Vec<Step> = issue.ways.iter().map(|way| step(way, shown)).collect();
    context.insert("steps", &steps);
    context
}

fn step(way: &Way, shown: &Shown) -> Step {
    let (commands, right) = match &way.seen {
        Reproduction::Host { platform, environment, .. } => (
            format!(
                "cc -o host host.c -lOpenCL\n{}./host {}; echo \"host: $?\"",
                variables(environment),
                shell_word(platform)
            ),
            "`host: 1`; `host: 0` says that the deviation is there".to_owned(),
        ),
        Reproduction::Commands { commands, rejects_with } => {
            let used = match shown.verdict {
                // Nobody is asked for code of an invalid program.
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
            let status = if shown.verdict == Verdict::Reject { *rejects_with } else { 0 };
            let right = match &shown.control {
                Some(_) => format!("`control: 0` and `kernel: {status}`"),
                None => format!("`kernel: {status}`"),
            };
            (control.unwrap_or_default() + &of("kernel"), right)
        }
    };
    Step { device: way.device.clone(), what: markdown_text(&way.what), commands, right }
}

fn host_of(issue: &Issue<'_>, options: &str) -> Result<String, PageError> {
    let Issue { known, shown, .. } = issue;
    let kernel = Kernel { source: shown.kernel.clone(), guilty_lines: shown.guilty_lines() };
    let control = shown.control.clone().map(|source| Kernel { source, guilty_lines: Vec::new() });
    let (right, expected) = match shown.verdict {
        Verdict::Accept if shown.asked == Asked::Nothing => {
            ("seen == ACCEPTED", "the program is accepted")
        }
        Verdict::Accept => ("seen == ACCEPTED", "the program is accepted and does as it should"),
        Verdict::Reject => {
            ("seen == REJECTED", "the program is rejected, with an error on the marked line")
        }
        Verdict::Disputed => ("seen != NO_ANSWER && seen != DIED", "an answer"),
    };
    host_program(&HostProgram {
        id: &known.cause.title,
        statement: &known.entry.reason,
        expected,
        seen: "a deviation",
        platform: None,
        options,
        kernel: &kernel,
        control: control.as_ref(),
        when_control_is_rejected: Status::CannotSay,
        right,
        asked: &shown.asked,
        run: None,
    })
}
