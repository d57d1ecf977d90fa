//! The page on deviations of implementations: every baseline entry with a kernel that shows it, for driver developers.

use std::collections::BTreeMap;

use expectations::{
    baseline::{Deviation, DeviationKind, Explanation, Program},
    device::DeviceFile,
    judge::Direction,
    rule::Expectation,
};
use generator::suite::{Case, Suite};
use serde::Serialize;
use tera::Context;

use crate::manual::{Example, PageError, clauses, code_list, example, page_templates};

/// Path of the page below `docs`.
pub const PAGE: &str = "findings.md";

#[derive(Serialize)]
struct Section {
    title: String,
    about: String,
    findings: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    rule: String,
    statement: String,
    reason: String,
    seen_in: String,
    what: String,
    clauses: Vec<String>,
    cases: String,
    cause: Option<String>,
    link: Option<String>,
    examples: Vec<Example>,
    reproduce: Option<String>,
}

#[derive(Serialize)]
struct Row {
    seen_in: String,
    cases: String,
    reason: String,
}

/// Returns the page, from the entries of devices and of the front ends that several devices share.
pub fn page(
    suite: &Suite,
    devices: &[DeviceFile],
    shared: &[Deviation],
) -> Result<String, PageError> {
    let mut sections = Vec::new();
    let mut files: BTreeMap<&str, Vec<&Deviation>> = BTreeMap::new();
    for deviation in shared {
        files.entry(deviation.path.as_str()).or_default().push(deviation);
    }
    for (path, deviations) in files {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".toml");
        sections.push(Section {
            title: format!("The front end {name}"),
            about:
                "Wherever it is inside. Each entry names the front ends, by version, and the devices it speaks of."
                    .to_owned(),
            findings: entries(suite, &deviations, devices, None)?,
        });
    }
    for device in devices {
        let own: Vec<&Deviation> =
            device.deviations.iter().filter(|deviation| deviation.path == device.path).collect();
        let findings = entries(suite, &own, devices, Some(device))?;
        if !findings.is_empty() {
            let title = format!("The device `{}`", device.name);
            let about = format!("{}; front end {}.", device.what, device.front_end);
            sections.push(Section { title, about, findings });
        }
    }
    let others = |kind: DeviationKind| -> Vec<Row> {
        let of_devices = devices.iter().flat_map(|device| {
            let own = device.deviations.iter().filter(|deviation| deviation.path == device.path);
            own.map(|deviation| (seen_in(deviation, Some(device)), deviation))
        });
        shared
            .iter()
            .map(|deviation| (seen_in(deviation, None), deviation))
            .chain(of_devices)
            .filter(|(_, deviation)| deviation.kind == kind)
            .map(|(seen_in, deviation)| Row {
                seen_in,
                cases: cases(deviation),
                reason: deviation.reason.clone(),
            })
            .collect()
    };
    let row = |device: &DeviceFile, cases: String, reason: &str| Row {
        seen_in: format!("`{}`", device.name),
        cases,
        reason: reason.to_owned(),
    };
    let broken: Vec<Row> = devices
        .iter()
        .flat_map(|device| {
            let everywhere = device.broken.iter();
            let everywhere = everywhere
                .map(|broken| row(device, "all, on some machines".to_owned(), &broken.reason));
            let dialects = device.broken_dialects.iter();
            let dialects =
                dialects.map(|(dialect, reason)| row(device, format!("`{dialect}`"), reason));
            everywhere.chain(dialects).collect::<Vec<_>>()
        })
        .collect();
    let mut context = Context::new();
    let count: usize = sections.iter().map(|section| section.findings.len()).sum();
    context.insert("count", &count);
    context.insert("sections", &sections);
    context.insert("unsupported", &others(DeviationKind::FeatureNotSupported));
    context.insert("readings", &others(DeviationKind::DisputedReading));
    context.insert("broken", &broken);
    Ok(page_templates()?.render("findings.md.tera", &context)?)
}

/// Returns the driver bugs among the deviations.
fn entries(
    suite: &Suite,
    deviations: &[&Deviation],
    devices: &[DeviceFile],
    device: Option<&DeviceFile>,
) -> Result<Vec<Entry>, PageError> {
    let bugs = deviations.iter().filter(|deviation| deviation.kind == DeviationKind::DriverBug);
    bugs.map(|deviation| entry(suite, deviation, devices, device)).collect()
}

fn entry(
    suite: &Suite,
    deviation: &Deviation,
    devices: &[DeviceFile],
    device: Option<&DeviceFile>,
) -> Result<Entry, PageError> {
    let reject = |message: String| PageError::Example {
        place: format!("{}:{}", deviation.path, deviation.line),
        message,
    };
    let without_example = match &deviation.known {
        Explanation::BehavesAs(dialect) => Some(format!("behaves as {dialect}")),
        Explanation::Shape(pattern) => Some(format!("random programs: {pattern}")),
        Explanation::Findings(directions) => {
            deviation.is_of_random_programs().then(|| what(directions))
        }
    };
    if let Some(what) = without_example {
        let one = device.zip(deviation.cases.iter().find(|id| !id.contains(['*', '?'])));
        return Ok(Entry {
            rule: code_list(&deviation.cases),
            statement: String::new(),
            reason: deviation.reason.clone(),
            seen_in: seen_in(deviation, device),
            what,
            clauses: Vec::new(),
            cases: cases(deviation),
            cause: deviation.cause.clone(),
            link: deviation.link.clone(),
            examples: deviation.program.iter().map(program).collect(),
            reproduce: one.map(|(device, id)| {
                format!(
                    "cargo run -p runner -- --device {} --exact '{id}'",
                    device.shows(deviation)
                )
            }),
        });
    }
    let id = deviation
        .example
        .as_deref()
        .ok_or_else(|| reject("a driver bug needs an `example`, the id of a case".to_owned()))?;
    let case = suite.case(id).map_err(|error| reject(error.to_string()))?;
    let rule = &suite.rules()[case.rule];
    let runs = |device: &&DeviceFile| {
        deviation.implementations.iter().any(|name| name.is(&device.identity()))
    };
    let reproduced_on = device.or_else(|| devices.iter().find(runs));
    Ok(Entry {
        rule: format!("[`{0}`](rules/{0}.md)", rule.id),
        statement: rule.statement.clone(),
        reason: deviation.reason.clone(),
        seen_in: seen_in(deviation, device),
        what: what(deviation.directions()),
        clauses: clauses(rule),
        cases: cases(deviation),
        cause: deviation.cause.clone(),
        link: deviation.link.clone(),
        examples: examples(suite, &case)?,
        reproduce: reproduced_on.map(|device| {
            format!("cargo run -p runner -- --device {} --exact '{id}'", device.shows(deviation))
        }),
    })
}

fn program(program: &Program) -> Example {
    let text = format!("To be accepted in {}:", program.dialect);
    Example::of_text("Accepted", text, program.source.clone())
}

fn seen_in(deviation: &Deviation, device: Option<&DeviceFile>) -> String {
    match device {
        _ if !deviation.implementations.is_empty() => {
            let names: Vec<String> =
                deviation.implementations.iter().map(ToString::to_string).collect();
            names.join("; ")
        }
        None => String::new(),
        Some(device) if device.confirmed.is_empty() => format!("`{}`", device.name),
        Some(device) => format!("`{}` {}", device.name, device.confirmed.join(", ")),
    }
}

/// Describes the cases that an entry matches.
fn cases(deviation: &Deviation) -> String {
    let cases = code_list(&deviation.cases);
    match deviation.when() {
        Some(when) => format!("{cases} when `{when}`"),
        None => cases,
    }
}

/// Describes the deviations of a device.
fn what(directions: &[Direction]) -> String {
    let texts: Vec<&str> = directions.iter().map(|direction| direction.text()).collect();
    texts.join("; ")
}

fn examples(suite: &Suite, case: &Case) -> Result<Vec<Example>, PageError> {
    let text = match suite.expectation(case) {
        Expectation::Reject { breaks } => format!("To be rejected: it breaks `{breaks}`."),
        Expectation::Accept => "Valid: to be accepted.".to_owned(),
        Expectation::Disputed { .. } => {
            "Of more than one reading: never to kill a compiler.".to_owned()
        }
    };
    let is_rejected = matches!(suite.expectation(case), Expectation::Reject { .. });
    let title = if is_rejected { "Rejected" } else { "Accepted" };
    let mut examples = vec![example(suite, case, title, text)?];
    if let Some(control) = case.control.as_deref().and_then(|id| suite.case(id).ok()) {
        let text = "Its control, to be accepted.".to_owned();
        examples.push(example(suite, &control, "Accepted", text)?);
    }
    Ok(examples)
}
