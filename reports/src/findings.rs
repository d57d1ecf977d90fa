//! The pages on deviations of implementations: every baseline entry with a kernel that shows it, and an index by cause.

use std::{collections::BTreeMap, path::Path};

use expectations::{
    baseline::{Deviation, DeviationKind, Explanation, Program},
    cause::Causes,
    device::DeviceFile,
    judge::Direction,
    rule::Expectation,
};
use generator::suite::{Case, Suite};
use serde::Serialize;
use tera::Context;

use crate::{
    manual::{Example, PageError, clauses, code_list, example, page_templates},
    text::markdown_prose,
};

/// Path of the index below `docs`; the pages stand in a folder of the same name.
pub const INDEX: &str = "findings.md";

/// The page of one device or front end.
#[derive(Serialize)]
struct Page {
    /// Path below `docs`.
    path: String,
    /// Name in the tables of the index.
    name: String,
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

/// A cause in the index, with the pages whose entries it explains.
#[derive(Serialize)]
struct CauseRow {
    id: String,
    title: String,
    pages: Vec<CausePage>,
}

#[derive(Serialize)]
struct CausePage {
    path: String,
    name: String,
    entries: usize,
}

#[derive(Serialize)]
struct Row {
    seen_in: String,
    cases: String,
    reason: String,
}

/// Returns the index and the page of each device and front end, by path below `docs`.
pub fn pages(
    suite: &Suite,
    causes: &Causes,
    devices: &[DeviceFile],
    shared: &[Deviation],
) -> Result<BTreeMap<String, String>, PageError> {
    let pages = baseline_pages(suite, devices, shared)?;
    let mut context = Context::new();
    context.insert("count", &pages.iter().map(|page| page.findings.len()).sum::<usize>());
    context.insert("causes", &cause_rows(causes, &pages));
    context.insert("pages", &pages);
    context.insert("unsupported", &rows_of(DeviationKind::FeatureNotSupported, devices, shared));
    context.insert("readings", &rows_of(DeviationKind::DisputedReading, devices, shared));
    context.insert("broken", &broken_dialects(devices));
    let tera = page_templates()?;
    let mut texts = BTreeMap::new();
    texts.insert(INDEX.to_owned(), tera.render("findings.md.tera", &context)?);
    for page in &pages {
        let text = tera.render("baseline.md.tera", &Context::from_serialize(page)?)?;
        texts.insert(page.path.clone(), text);
    }
    Ok(texts)
}

/// Returns the pages of front ends and devices that have driver bugs.
fn baseline_pages(
    suite: &Suite,
    devices: &[DeviceFile],
    shared: &[Deviation],
) -> Result<Vec<Page>, PageError> {
    let mut pages = Vec::new();
    let mut files: BTreeMap<&str, Vec<&Deviation>> = BTreeMap::new();
    for deviation in shared {
        files.entry(deviation.path.as_str()).or_default().push(deviation);
    }
    for (path, deviations) in files {
        let page = page_path(path);
        let name = Path::new(&page).file_stem().unwrap_or_default().to_string_lossy();
        let title = format!("The front end {name}");
        let name = format!("front end {name}");
        let about =
            "Wherever it is inside. Each entry names the front ends, by version, and the devices it speaks of.".to_owned();
        let findings = entries(suite, &deviations, devices, None)?;
        pages.push(Page { path: page, name, title, about, findings });
    }
    for device in devices {
        let own: Vec<&Deviation> = own_entries(device).collect();
        let title = format!("The device `{}`", device.name);
        let about = format!("{}; front end {}.", device.what, device.front_end);
        let findings = entries(suite, &own, devices, Some(device))?;
        let (path, name) = (page_path(&device.path), format!("`{}`", device.name));
        pages.push(Page { path, name, title, about, findings });
    }
    pages.retain(|page| !page.findings.is_empty());
    Ok(pages)
}

/// Returns the entries in the device's own file.
fn own_entries(device: &DeviceFile) -> impl Iterator<Item = &Deviation> {
    device.deviations.iter().filter(|deviation| deviation.path == device.path)
}

/// Folder of the baselines, in the suite or in an overlay.
const BASELINES: &str = "expectations/";

/// Returns the path of the page of a baseline: `expectations/devices/pocl.toml` has `findings/devices/pocl.md`, and so
/// has the file of an overlay.
fn page_path(baseline: &str) -> String {
    let inside = baseline.rsplit_once(BASELINES).map_or(baseline, |(_, inside)| inside);
    let page = Path::new(inside.trim_start_matches('/')).with_extension("md");
    Path::new(INDEX).with_extension("").join(page).display().to_string()
}

/// Returns the causes that explain entries; those of most pages first.
fn cause_rows(causes: &Causes, pages: &[Page]) -> Vec<CauseRow> {
    let mut rows: BTreeMap<&str, CauseRow> = BTreeMap::new();
    for page in pages {
        for id in page.findings.iter().filter_map(|entry| entry.cause.as_deref()) {
            let row = rows.entry(id).or_insert_with(|| CauseRow {
                id: id.to_owned(),
                title: causes
                    .find(id)
                    .map(|cause| markdown_prose(&cause.title))
                    .unwrap_or_default(),
                pages: Vec::new(),
            });
            match row.pages.last_mut().filter(|last| last.path == page.path) {
                Some(last) => last.entries += 1,
                None => row.pages.push(CausePage {
                    path: page.path.clone(),
                    name: page.name.clone(),
                    entries: 1,
                }),
            }
        }
    }
    rows.into_values().collect()
}

/// Returns the entries of one kind, those of front ends first.
fn rows_of(kind: DeviationKind, devices: &[DeviceFile], shared: &[Deviation]) -> Vec<Row> {
    let of_front_ends = shared.iter().map(|deviation| (deviation, None));
    let of_devices = devices
        .iter()
        .flat_map(|device| own_entries(device).map(move |deviation| (deviation, Some(device))));
    of_front_ends
        .chain(of_devices)
        .filter(|(deviation, _)| deviation.kind == kind)
        .map(|(deviation, device)| Row {
            seen_in: seen_in(deviation, device),
            cases: cases(deviation),
            reason: deviation.reason.clone(),
        })
        .collect()
}

/// Returns the dialects that devices report and cannot build.
fn broken_dialects(devices: &[DeviceFile]) -> Vec<Row> {
    let row = |device: &DeviceFile, cases: String, reason: &str| Row {
        seen_in: format!("`{}`", device.name),
        cases,
        reason: reason.to_owned(),
    };
    let of_device = |device: &DeviceFile| -> Vec<Row> {
        let everywhere = device.broken.iter();
        let everywhere = everywhere
            .map(|broken| row(device, "all, on some machines".to_owned(), &broken.reason));
        let dialects = device.broken_dialects.iter();
        let dialects =
            dialects.map(|(dialect, reason)| row(device, format!("`{dialect}`"), reason));
        everywhere.chain(dialects).collect()
    };
    devices.iter().flat_map(of_device).collect()
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
            reproduce: one.map(|(device, id)| command(device, deviation, id)),
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
        rule: format!("[`{0}`](../../rules/{0}.md)", rule.id),
        statement: rule.statement.clone(),
        reason: deviation.reason.clone(),
        seen_in: seen_in(deviation, device),
        what: what(deviation.directions()),
        clauses: clauses(rule),
        cases: cases(deviation),
        cause: deviation.cause.clone(),
        link: deviation.link.clone(),
        examples: examples(suite, &case)?,
        reproduce: reproduced_on.map(|device| command(device, deviation, id)),
    })
}

fn program(program: &Program) -> Example {
    let text = format!("Should be accepted in {}:", program.dialect);
    Example::of_text("Accepted", text, program.source.clone())
}

fn seen_in(deviation: &Deviation, device: Option<&DeviceFile>) -> String {
    let seen_in = match device {
        _ if !deviation.implementations.is_empty() => {
            let names: Vec<String> =
                deviation.implementations.iter().map(ToString::to_string).collect();
            names.join("; ")
        }
        None => String::new(),
        Some(device) if device.confirmed.is_empty() => format!("`{}`", device.name),
        Some(device) => format!("`{}` {}", device.name, device.confirmed.join(", ")),
    };
    if deviation.through.is_empty() {
        return seen_in;
    }
    format!("{seen_in}, given modules of {}", code_list(&deviation.through))
}

/// Returns the command that shows an entry on a device again.
fn command(device: &DeviceFile, deviation: &Deviation, id: &str) -> String {
    let through = deviation.through.first().map(|compiler| format!(" --through {compiler}"));
    format!(
        "cargo run -p runner -- --device {}{} --exact '{id}'",
        device.shows(deviation),
        through.unwrap_or_default()
    )
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
        Expectation::Reject { breaks } => format!("Should be rejected: it breaks `{breaks}`."),
        Expectation::Accept => "Valid: should be accepted.".to_owned(),
        Expectation::Disputed { .. } => {
            "Disputed: a compiler may accept or reject it, but must not crash.".to_owned()
        }
    };
    let is_rejected = matches!(suite.expectation(case), Expectation::Reject { .. });
    let title = if is_rejected { "Rejected" } else { "Accepted" };
    let mut examples = vec![example(suite, case, title, text)?];
    if let Some(control) = case.control.as_deref().and_then(|id| suite.case(id).ok()) {
        let text = "Its control, which should be accepted.".to_owned();
        examples.push(example(suite, &control, "Accepted", text)?);
    }
    Ok(examples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_baselines_are_below_the_folder_of_findings() {
        let check = |baseline, page| assert_eq!(page_path(baseline), page);
        check("expectations/devices/pocl.toml", "findings/devices/pocl.md");
        check("/home/a/expectations/devices/pocl.toml", "findings/devices/pocl.md");
        check("/tmp/mine.toml", "findings/tmp/mine.md");
    }
}
