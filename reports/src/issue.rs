//! A cause as an issue that can be pasted, with all that it takes to see it without this project.

use std::collections::BTreeMap;

use expectations::{
    cause::{Asked, Shown, Verdict},
    copies::Cited,
    device::DeviceFile,
};
use generator::templates::Kernel;
use serde::Serialize;
use tera::Context;

use crate::{
    handover::{HostProgram, Status, host_program, pack_templates, sentences, variables},
    manual::PageError,
    text::{markdown_text, shell_word},
    upstream::{Known, asked, asks, section},
};

/// How the cause is seen in a device.
pub struct Way {
    /// The device: `pocl@sid`.
    pub device: String,
    /// What it is, in words, with its version.
    pub what: String,
    /// What is typed.
    pub seen: Seen,
}

/// What is typed.
pub enum Seen {
    /// Commands, each with the name of the file where `{file}` stands; and the status by which it rejects a program.
    Commands {
        /// In this order; of an invalid program the first alone.
        commands: Vec<String>,
        /// The status of a program that is rejected as it should be.
        rejects_with: i32,
    },
    /// The host program, on this platform.
    Host {
        /// Part of the platform's name.
        platform: String,
        /// Build options.
        options: String,
        /// Variables the host program is run with.
        environment: Vec<(String, String)>,
    },
}

/// A cause to be written down.
pub struct Issue<'i> {
    /// What is known of it.
    pub known: &'i Known<'i>,
    /// What the rule it breaks requires; empty where there is none.
    pub statement: &'i str,
    /// The sections it is about.
    pub sections: Vec<Cited>,
    /// The program that shows it.
    pub shown: &'i Shown,
    /// How it is seen, first where it is seen best.
    pub ways: Vec<Way>,
}

#[derive(Serialize)]
struct Step {
    device: String,
    what: String,
    commands: String,
    right: String,
}

/// The pack's files by name.
pub fn pack(issue: &Issue<'_>) -> Result<BTreeMap<&'static str, String>, PageError> {
    let Issue { shown, .. } = issue;
    let mut files = BTreeMap::from([("kernel.cl", shown.kernel.clone())]);
    if let Some(control) = &shown.control {
        files.insert("control.cl", control.clone());
    }
    let host = issue.ways.iter().find_map(|way| match &way.seen {
        Seen::Host { options, .. } => Some(options),
        Seen::Commands { .. } => None,
    });
    if let Some(options) = host {
        files.insert("host.c", host_of(issue, options)?);
    }
    let context = context(issue, files.get("host.c"));
    files.insert("issue.md", pack_templates()?.render("issue.md", &context)?);
    Ok(files)
}

/// A device in its version, for those who do not know this project.
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
        Seen::Host { platform, environment, .. } => (
            format!(
                "cc -o host host.c -lOpenCL\n{}./host {}; echo \"host: $?\"",
                variables(environment),
                shell_word(platform)
            ),
            "`host: 1`; `host: 0` says that the deviation is there".to_owned(),
        ),
        Seen::Commands { commands, rejects_with } => {
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
