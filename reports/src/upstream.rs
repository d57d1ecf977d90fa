//! The page on deviations of the newest versions: every cause once, for its maintainers.

use std::collections::BTreeSet;

use expectations::{
    baseline::Deviation,
    cause::{Asked, Cause, Causes, Component, Shown},
    copies::{Cited, Copies},
    device::{DeviceFile, lineage},
    document,
    rule::Rule,
    verdict::Verdict,
};
use generator::suite::{Case, Suite};
use serde::Serialize;
use tera::Context;

use crate::{
    manual::{PageError, example, page_templates},
    text::markdown_text,
};

/// Path of the page below `docs`.
pub const PAGE: &str = "upstream.md";

/// The known causes, baseline entries and versions of all devices.
#[derive(Clone, Copy)]
pub struct Everything<'e> {
    /// The suite.
    pub suite: &'e Suite,
    /// The causes.
    pub causes: &'e Causes,
    /// Entries of all baselines.
    pub entries: &'e [&'e Deviation],
    /// Each device in its newest known version, with the entries of that version; current versions first.
    pub newest: &'e [DeviceFile],
}

/// A cause with its entries and devices.
pub struct KnownCause<'e> {
    /// The cause.
    pub cause: &'e Cause,
    /// Baseline entries that name it.
    pub entries: Vec<&'e Deviation>,
    /// Devices in a current version that have it.
    pub current: Vec<&'e DeviceFile>,
    /// Other devices that have it.
    pub before: Vec<&'e DeviceFile>,
    /// Versions of these devices that do not have it.
    pub right: Vec<&'e DeviceFile>,
    /// Case of the suite that shows it best, if there is one.
    pub case: Option<Case>,
    /// Entry whose reason describes it.
    pub entry: &'e Deviation,
}

impl<'e> Everything<'e> {
    /// Returns every cause that an entry names.
    pub fn known(self) -> Vec<KnownCause<'e>> {
        self.causes.causes.iter().filter_map(|cause| self.details(cause)).collect()
    }

    /// Returns a cause with its entries and devices; `None` where no entry names it.
    pub fn details(self, cause: &'e Cause) -> Option<KnownCause<'e>> {
        let is_of = |entry: &Deviation| entry.cause.as_deref() == Some(cause.id.as_str());
        let entries: Vec<&Deviation> =
            self.entries.iter().copied().filter(|entry| is_of(entry)).collect();
        let is_current = |device: &DeviceFile| self.causes.current.contains(&device.name);
        let is_for = |device: &&DeviceFile| self.causes.is_for(cause, device);
        let has_it = |device: &&DeviceFile| is_for(device) && device.deviations.iter().any(is_of);
        let (current, before): (Vec<_>, Vec<_>) =
            self.newest.iter().filter(has_it).partition(|device| is_current(device));
        let lines: BTreeSet<&str> =
            current.iter().chain(&before).map(|device| lineage(&device.name)).collect();
        let right = self
            .newest
            .iter()
            .filter(|device| {
                is_for(device) && !has_it(device) && lines.contains(lineage(&device.name))
            })
            .collect();
        // What the first device that has it is known for, with an example where one has.
        let mut of_first: Vec<&Deviation> = Vec::new();
        if let Some(first) = current.first().or_else(|| before.first()) {
            let its_own = first.deviations.iter().filter(|entry| is_of(entry));
            of_first.extend(its_own.filter_map(|own| {
                let same = |entry: &&&Deviation| entry.path == own.path && entry.line == own.line;
                entries.iter().find(same).copied()
            }));
        }
        let candidates = || of_first.iter().chain(&entries).copied();
        let entry =
            candidates().find(|entry| entry.example.is_some()).or_else(|| candidates().next())?;
        let best = entry.example.as_deref().and_then(|id| self.suite.case(id).ok());
        Some(KnownCause { cause, entries, current, before, right, case: best, entry })
    }
}

impl KnownCause<'_> {
    /// Whether a current version has it.
    pub fn is_alive(&self) -> bool {
        !self.current.is_empty()
    }

    /// Returns the rule of the case that shows it.
    pub fn rule<'s>(&self, suite: &'s Suite) -> Option<&'s Rule> {
        self.case.as_ref().map(|case| suite.rule(case))
    }

    /// Returns the sections it breaks, with their sentences as far as there are copies.
    pub fn sections(&self, suite: &Suite, copies: &Copies) -> Vec<Cited> {
        if self.cause.clauses.is_empty() {
            return self.rule(suite).map(|rule| copies.cited(rule)).unwrap_or_default();
        }
        let sections = self.cause.clauses.iter().map(|section| Cited {
            document: section.document.clone(),
            anchor: section.anchor.clone(),
            link: document::find(&section.document)
                .and_then(|document| document.link(&section.anchor)),
            sentences: Vec::new(),
        });
        sections.collect()
    }

    /// Returns the program that shows it: the cause's own, or that of its case; `None` where there is neither.
    pub fn shown(&self, suite: &Suite) -> Result<Option<Shown>, PageError> {
        if let Some(shown) = &self.cause.shown {
            return Ok(Some(shown.clone()));
        }
        let Some(case) = &self.case else { return Ok(None) };
        let verdict = suite.expectation(case).verdict();
        let title = match verdict {
            Verdict::Reject => "Rejected",
            Verdict::Accept | Verdict::Disputed => "Accepted",
        };
        let source = |case: &Case, title| {
            Ok::<_, PageError>(example(suite, case, title, String::new())?.into_source())
        };
        let control = case.control.as_deref().and_then(|id| suite.case(id).ok());
        Ok(Some(Shown {
            dialect: case.dialect,
            verdict,
            requirements: case.requirements.clone(),
            kernel: source(case, title)?,
            control: control.map(|control| source(&control, "Accepted")).transpose()?,
            asked: Asked::Nothing,
        }))
    }
}

/// Returns name and version of a device: `pocl@sid` 7.1.
fn name(device: &DeviceFile) -> String {
    let driver = device.driver.as_deref().map(|driver| format!(" {driver}"));
    format!("`{}`{}", device.name, driver.unwrap_or_default())
}

fn names(devices: &[&DeviceFile]) -> String {
    devices.iter().map(|device| name(device)).collect::<Vec<_>>().join(", ")
}

#[derive(Serialize)]
struct Part {
    title: &'static str,
    tracker: Option<&'static str>,
    causes: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    id: String,
    title: String,
    component: &'static str,
    reason: String,
    entries: usize,
    current: String,
    before: String,
    right: String,
    clauses: Vec<String>,
    dialect: String,
    kernel: String,
    asks: &'static str,
    asked: String,
    control: Option<String>,
    verified: Option<String>,
    similar: Vec<String>,
    report: Option<String>,
}

/// Returns the page.
pub fn page(everything: Everything<'_>) -> Result<String, PageError> {
    let mut known = everything.known();
    known.sort_by_key(|known| known.cause.component);
    let mut parts: Vec<(Component, Part)> = Vec::new();
    let mut others = Vec::new();
    let mut alive = 0;
    for known in &known {
        let component = known.cause.component;
        let row = row(everything.suite, known)?;
        if !known.is_alive() {
            others.push(row);
            continue;
        }
        alive += 1;
        match parts.last_mut() {
            Some((last, part)) if *last == component => part.causes.push(row),
            _ => {
                let (title, tracker) = (component.text(), component.tracker());
                parts.push((component, Part { title, tracker, causes: vec![row] }));
            }
        }
    }
    let parts: Vec<Part> = parts.into_iter().map(|(_, part)| part).collect();
    let is_current = |device: &&DeviceFile| everything.causes.current.contains(&device.name);
    let current: Vec<&DeviceFile> = everything.newest.iter().filter(is_current).collect();
    let mut context = Context::new();
    context.insert("alive", &alive);
    context.insert("current", &names(&current));
    context.insert("parts", &parts);
    context.insert("others", &others);
    Ok(page_templates()?.render("upstream.md.tera", &context)?)
}

fn row(suite: &Suite, known: &KnownCause<'_>) -> Result<Row, PageError> {
    let KnownCause { cause, entries, current, before, right, entry, .. } = known;
    let shown = known.shown(suite)?;
    let sections = known.sections(suite, &Copies::default());
    let (asks, asked) = shown
        .as_ref()
        .map_or(("", String::new()), |shown| (asks(shown.verdict), asked(&shown.asked)));
    Ok(Row {
        id: cause.id.clone(),
        title: markdown_text(&cause.title),
        component: cause.component.text(),
        reason: entry.reason.clone(),
        entries: entries.len(),
        current: names(current),
        before: names(before),
        right: names(right),
        clauses: sections.iter().map(section).collect(),
        dialect: shown.as_ref().map(|shown| shown.dialect.to_string()).unwrap_or_default(),
        kernel: shown.as_ref().map(|shown| shown.kernel.clone()).unwrap_or_default(),
        asks,
        asked,
        control: shown.and_then(|shown| shown.control),
        verified: cause.verified.clone(),
        similar: cause.similar.clone(),
        report: cause.report.clone(),
    })
}

/// Returns a section as Markdown, with its link.
pub(crate) fn section(cited: &Cited) -> String {
    let title =
        document::find(&cited.document).map_or(cited.document.as_str(), |document| document.title);
    let section = format!("{title}, `{}`", cited.anchor);
    cited.link.as_ref().map_or(section.clone(), |link| format!("[{section}]({link})"))
}

/// Describes the verdict of the text on a program.
pub(crate) const fn asks(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accept => "valid: to be accepted",
        Verdict::Reject => "invalid: to be rejected, with an error on the marked line",
        Verdict::Disputed => "of more than one reading, and never to kill a compiler",
    }
}

/// Describes the request to a program after its build.
pub(crate) fn asked(asked: &Asked) -> String {
    match asked {
        Asked::Nothing => String::new(),
        Asked::Values { values, work_items } => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            let values = values.join(", ");
            match work_items {
                1 => format!("One work-item, given an array of zeros, leaves {values} there."),
                items => format!(
                    "{items} work-items of one group, given an array of zeros, leave {values} there."
                ),
            }
        }
        Asked::Call { call, returns } => format!("`{call}` returns `{returns}`."),
    }
}
