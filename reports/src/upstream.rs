//! The page on deviations of the newest versions: every cause once, for its maintainers.

use std::collections::BTreeSet;

use expectations::{
    baseline::Deviation,
    case_id::CaseId,
    cause::{
        AskedReleases, Cause, Causes, Component, Demonstration, PostBuildCheck, Severity, State,
    },
    copies::{CitedSection, Copies},
    device::{DeviceFile, lineage},
    document,
    implementation::number,
    observation::Observation,
    rule::Rule,
    verdict::Verdict,
};
use generator::suite::{Case, Suite};
use results::text::one_line;
use serde::Serialize;
use tera::Context;

use crate::{
    manual::{PageError, example, page_templates},
    text::{code_block, markdown_code, markdown_prose, markdown_text},
};

/// Path of the page below `docs`.
pub const PAGE: &str = "upstream.md";

/// The known causes, baseline entries and versions of all devices.
#[derive(Clone, Copy)]
pub struct Everything<'e> {
    pub suite: &'e Suite,
    pub causes: &'e Causes,
    /// Entries of all baselines.
    pub entries: &'e [&'e Deviation],
    /// Outputs of the commands of their issues.
    pub observations: &'e [Observation],
    /// Each device in the newest version that is known, with the entries of that version; those that are current first.
    pub newest: &'e [DeviceFile],
}

/// A cause with its entries and devices.
pub struct KnownCause<'e> {
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
    /// The entry that says what is wrong, where the cause does not.
    pub entry: &'e Deviation,
    /// Output of the commands of its issue, where they were run.
    pub observation: Option<&'e Observation>,
}

impl<'e> Everything<'e> {
    /// Returns every cause that an entry names.
    pub fn known(self) -> Vec<KnownCause<'e>> {
        self.causes.causes.iter().filter_map(|cause| self.details(cause)).collect()
    }

    /// Returns a cause with its entries and devices; `None` if no entry names it.
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
        // A version without an entry may never have been given a module.
        let is_of_modules = cause.shown.as_ref().is_some_and(|shown| shown.through.is_some());
        let right = self
            .newest
            .iter()
            .filter(|device| {
                !is_of_modules
                    && is_for(device)
                    && !has_it(device)
                    && lines.contains(lineage(&device.name))
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
        let mut known = KnownCause {
            cause,
            entries,
            current,
            before,
            right,
            case: best,
            entry,
            observation: None,
        };
        let device = known.device().map(|device| device.name.as_str());
        known.observation = self.observations.iter().find(|observation| {
            observation.cause == cause.id && Some(observation.device.as_str()) == device
        });
        Some(known)
    }
}

impl KnownCause<'_> {
    /// Whether a current version has it.
    pub fn is_alive(&self) -> bool {
        !self.current.is_empty()
    }

    /// Returns the description of the fault.
    pub fn reason(&self) -> &str {
        self.cause.reason.as_deref().unwrap_or(&self.entry.reason)
    }

    /// Returns the device that shows it to its maintainers: their own, the newest that has it.
    pub fn device(&self) -> Option<&DeviceFile> {
        let devices = if self.is_alive() { &self.current } else { &self.before };
        let distance = |device: &&&DeviceFile| self.cause.component.distance(&device.name);
        devices.iter().min_by_key(distance).copied()
    }

    /// Returns the other devices that have it, current ones where one is.
    pub fn others(&self) -> impl Iterator<Item = &DeviceFile> {
        let own = self.device().map(|device| lineage(&device.name));
        let all = if self.is_alive() { &self.current } else { &self.before };
        all.iter().copied().filter(move |device| Some(lineage(&device.name)) != own)
    }

    /// Returns the releases that have it and those that do not, the oldest first: those that its program was executed
    /// on, or else the versions of its device.
    pub fn releases(&self) -> AskedReleases {
        let asked = &self.cause.releases;
        if asked.wrong.is_empty() { self.versions() } else { asked.clone() }
    }

    /// Returns the versions of its device, by whether they have it, the oldest first.
    fn versions(&self) -> AskedReleases {
        let own = self.device().map(|device| lineage(&device.name));
        let of_line = |devices: &mut dyn Iterator<Item = &DeviceFile>| {
            let own = devices.filter(|device| Some(lineage(&device.name)) == own);
            let mut versions: Vec<String> = own.map(own_version).collect();
            versions.sort_by_cached_key(|version| number(version));
            versions.dedup();
            versions
        };
        let mut bad = self.current.iter().chain(&self.before).copied();
        AskedReleases { wrong: of_line(&mut bad), right: of_line(&mut self.right.iter().copied()) }
    }

    /// Returns the first version that is known to have the cause, or states that the oldest known version has it.
    fn since(&self) -> String {
        self.releases().since().unwrap_or_default()
    }

    /// Whether a current version still has a bug that a release should have mended; gives that version.
    pub fn wrongly_mended(&self) -> Option<&DeviceFile> {
        let State::FixedIn(fix) = &self.cause.state else { return None };
        let distance = |device: &DeviceFile| self.cause.component.distance(&device.name);
        let own = self.current.iter().copied().filter(|device| distance(device) == 0);
        own.into_iter().find(|device| fix.is_in(Some(&own_version(device))))
    }

    /// Returns the state upstream in a few words. No current version has a cause that is dead, so its change is in some
    /// release, whether or not it is known in which.
    pub fn state(&self) -> String {
        match &self.cause.state {
            State::FixedIn(fix) if fix.release.is_none() && !self.is_alive() => "mended".to_owned(),
            state => state.text(),
        }
    }

    /// Returns the rule of the case that shows it.
    pub fn rule<'s>(&self, suite: &'s Suite) -> Option<&'s Rule> {
        self.case.as_ref().map(|case| suite.rule(case))
    }

    /// Returns the sections it breaks, with their sentences as far as there are copies.
    pub fn sections(&self, suite: &Suite, copies: &Copies) -> Vec<CitedSection> {
        if self.cause.clauses.is_empty() {
            return self.rule(suite).map(|rule| copies.cited(rule)).unwrap_or_default();
        }
        let sections = self.cause.clauses.iter().map(|section| CitedSection {
            document: section.document.clone(),
            anchor: section.anchor.clone(),
            link: document::find(&section.document)
                .and_then(|document| document.link(&section.anchor)),
            sentences: Vec::new(),
        });
        sections.collect()
    }

    /// Returns the program that shows the cause: the cause's own or that of its case; `None` if there is neither.
    pub fn shown(&self, suite: &Suite) -> Result<Option<Demonstration>, PageError> {
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
        let probe = suite.probe(case)?.filter(|_| self.cause.is_shown_by_execution());
        let prefix = CaseId::new(&case.id).prefix();
        let asked = probe.map_or(PostBuildCheck::Nothing, |probe| {
            PostBuildCheck::Probe(Box::new(probe.renamed(&prefix, "")))
        });
        Ok(Some(Demonstration {
            dialect: case.dialect,
            verdict,
            requirements: case.requirements.clone(),
            options: Vec::new(),
            kernel: source(case, title)?,
            control: control.map(|control| source(&control, "Accepted")).transpose()?,
            asked,
            through: self.entry.through.first().cloned(),
        }))
    }
}

/// Returns the version of a device; that of its front end where it has no other, or is nothing else.
fn own_version(device: &DeviceFile) -> String {
    let driver = device.driver.clone().filter(|_| lineage(&device.name) != "clang");
    driver.unwrap_or_else(|| device.front_end.clone())
}

/// Returns a device with its version, such as `pocl@sid` 7.1.
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
    severity: &'static str,
    since: String,
    state: String,
    is_reported: bool,
    link: Option<String>,
    reason: String,
    entries: usize,
    current: String,
    before: String,
    right: String,
    clauses: Vec<String>,
    sentences: Vec<String>,
    dialect: String,
    /// Name of the language behind the fences of the programs.
    fence: &'static str,
    kernel: String,
    asks: &'static str,
    asked: String,
    through: Option<String>,
    control: Option<String>,
    seen: Option<ObservedOutput>,
    verified: Option<String>,
    releases: String,
    searched: Vec<String>,
    similar: Vec<String>,
}

/// An output, and the version of the device.
#[derive(Serialize)]
pub(crate) struct ObservedOutput {
    version: String,
    date: String,
    output: String,
}

impl ObservedOutput {
    pub(crate) fn of(observation: &Observation) -> Self {
        Self {
            version: markdown_text(&one_line(&observation.version, 200)),
            date: markdown_text(&observation.date),
            output: code_block("text", &observation.output),
        }
    }
}

pub fn page(everything: Everything<'_>) -> Result<String, PageError> {
    let mut known = everything.known();
    known.sort_by_key(|known| known.cause.component);
    let (alive, others): (Vec<_>, Vec<_>) = known.into_iter().partition(KnownCause::is_alive);
    let is_mended = |known: &KnownCause<'_>| matches!(known.cause.state, State::FixedIn(_));
    let rows = |known: &[&KnownCause<'_>]| -> Result<Vec<Row>, PageError> {
        known.iter().map(|known| row(everything.suite, known)).collect()
    };
    let mut by_severity: Vec<&KnownCause<'_>> = alive.iter().collect();
    by_severity.sort_by_key(|known| (severity(everything.suite, known), known.cause.component));
    let (mended, open): (Vec<&KnownCause<'_>>, Vec<_>) =
        by_severity.iter().copied().partition(|known| is_mended(known));
    let mut parts: Vec<(Component, Vec<&KnownCause<'_>>)> = Vec::new();
    for known in &open {
        let component = known.cause.component;
        match parts.iter_mut().find(|(known, _)| *known == component) {
            Some((_, part)) => part.push(known),
            None => parts.push((component, vec![known])),
        }
    }
    parts.sort_by_key(|(component, _)| *component);
    let parts = parts.into_iter().map(|(component, known)| {
        let (title, tracker) = (component.text(), component.tracker());
        Ok(Part { title, tracker, causes: rows(&known)? })
    });
    let is_current = |device: &&DeviceFile| everything.causes.current.contains(&device.name);
    let current: Vec<&DeviceFile> = everything.newest.iter().filter(is_current).collect();
    let mut context = Context::new();
    context.insert("alive", &alive.len());
    context.insert("current", &names(&current));
    context.insert("table", &rows(&by_severity)?);
    context.insert("parts", &parts.collect::<Result<Vec<_>, PageError>>()?);
    context.insert("mended", &rows(&mended)?);
    context.insert("others", &rows(&others.iter().collect::<Vec<_>>())?);
    Ok(page_templates()?.render("upstream.md.tera", &context)?)
}

/// Returns the severity of a cause by the program that shows it.
fn severity(suite: &Suite, known: &KnownCause<'_>) -> Severity {
    let shown = known.shown(suite).ok().flatten();
    Severity::of(shown.as_ref(), known.cause.symptom.as_ref())
}

fn row(suite: &Suite, known: &KnownCause<'_>) -> Result<Row, PageError> {
    let KnownCause { cause, entries, current, before, right, .. } = known;
    let shown = known.shown(suite)?;
    let sections = known.sections(suite, &Copies::default());
    let (asks, asked) = shown
        .as_ref()
        .map_or(("", String::new()), |shown| (asks(shown.verdict), asked(&shown.asked)));
    Ok(Row {
        id: cause.id.clone(),
        title: markdown_prose(&cause.title),
        component: cause.component.text(),
        severity: severity(suite, known).text(),
        since: markdown_text(&known.since()),
        state: known.state(),
        is_reported: cause.state != State::Unreported,
        link: cause.state.link().map(str::to_owned),
        reason: known.reason().to_owned(),
        entries: entries.len(),
        current: names(current),
        before: names(before),
        right: names(right),
        clauses: sections.iter().map(section).collect(),
        sentences: cause.sentences.iter().map(|sentence| markdown_prose(sentence)).collect(),
        dialect: shown.as_ref().map(|shown| shown.dialect.to_string()).unwrap_or_default(),
        fence: shown.as_ref().map(|shown| shown.dialect.language.fence()).unwrap_or_default(),
        kernel: shown.as_ref().map(|shown| shown.kernel.clone()).unwrap_or_default(),
        asks,
        asked,
        through: shown.as_ref().and_then(|shown| shown.through.clone()),
        control: shown.and_then(|shown| shown.control),
        seen: known.observation.map(ObservedOutput::of),
        verified: cause.verified.clone(),
        releases: cause.releases.text(),
        searched: cause.searched.iter().map(|words| markdown_code(words)).collect(),
        similar: cause.similar.clone(),
    })
}

/// Returns a section as Markdown, with its link.
pub(crate) fn section(cited: &CitedSection) -> String {
    let section = format!("{}, `{}`", cited.title(), cited.anchor);
    cited.link.as_ref().map_or(section.clone(), |link| format!("[{section}]({link})"))
}

/// Describes the verdict of the text on a program.
pub(crate) const fn asks(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accept => "valid: should be accepted",
        Verdict::Reject => "invalid: should be rejected, with an error on the marked line",
        Verdict::Disputed => "disputed: a compiler may accept or reject it, but must not crash",
    }
}

/// Describes the request to a program after its build.
pub(crate) fn asked(asked: &PostBuildCheck) -> String {
    match asked {
        PostBuildCheck::Nothing => String::new(),
        PostBuildCheck::Values { values, work_items } => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            let values = values.join(", ");
            match work_items {
                1 => format!("One work-item, given an array of zeros, leaves {values} there."),
                items => format!(
                    "{items} work-items of one group, given an array of zeros, leave {values} there."
                ),
            }
        }
        PostBuildCheck::Prints(lines) => {
            let lines = lines.iter().map(|line| match line.as_str() {
                "*" => "any line".to_owned(),
                line => format!("`{line}`"),
            });
            let lines = lines.collect::<Vec<_>>().join(", ");
            format!("One work-item, given an array of zeros, prints these lines: {lines}.")
        }
        PostBuildCheck::Call { call, returns } => format!("`{call}` returns `{returns}`."),
        PostBuildCheck::Probe(_) => {
            "The host program has the arguments and the right values.".to_owned()
        }
    }
}
