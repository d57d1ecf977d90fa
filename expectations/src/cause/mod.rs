//! Causes: what is wrong in somebody's code, once, however many entries of baselines, rules and devices show it.

mod component;
mod releases;
mod state;
mod symptom;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::Spanned;

use crate::{
    baseline::{Deviation, DeviationKind, dialect},
    device::{DeviceFile, DeviceKind},
    dialect::{Dialect, Version},
    document::{self, DOCUMENTS},
    load::{FileError, from_toml, place},
    predicate::suggestion,
    probe::Probe,
    requirement::Requirement,
    verdict::Verdict,
};

pub use component::Component;
pub use releases::AskedReleases;
pub use state::{Fix, State};
use symptom::RawSymptom;
pub use symptom::{Ending, Severity, Symptom};

/// Path of the file of causes that belongs to the suite's own baselines.
pub const CAUSES_PATH: &str = "expectations/causes.toml";

/// Mark of a line of a kernel that violates the text.
pub const GUILTY: &str = "// <- error";

/// Question to a device about a program that was built.
#[derive(Clone, Debug, PartialEq)]
pub enum PostBuildCheck {
    /// Nothing: the build shows the cause.
    Nothing,
    /// One work-group of its kernel, whose only argument is an array of int that holds 0, leaves these there.
    Values {
        values: Vec<i32>,
        /// Work-items of the group.
        work_items: u32,
    },
    /// One work-item of its kernel, whose only argument is an array of int that holds 0, prints these lines; `*` is any
    /// line.
    Prints(Vec<String>),
    /// A call of the host's interface on its `kernel`, which should return this.
    Call {
        /// An expression of C.
        call: String,
        /// The name of a status.
        returns: String,
    },
    /// The launches of a probe, which compares what they leave in buffers.
    Probe(Box<Probe>),
}

/// The smallest program that shows a cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Demonstration {
    /// The language it is written in.
    pub dialect: Dialect,
    /// Verdict of the text on the program.
    pub verdict: Verdict,
    /// Requirements of the program besides its dialect.
    pub requirements: Vec<Requirement>,
    /// Build options besides those of the dialect; without them the compiler would have to offer the feature.
    pub options: Vec<String>,
    /// Source of the program, with guilty lines marked.
    pub kernel: String,
    /// A valid program that differs from it in as little as possible, and does not show the cause.
    pub control: Option<String>,
    /// Question to the device after a valid program was built.
    pub asked: PostBuildCheck,
    /// The compiler whose module of the program a driver is given; `None` if it is given the source.
    pub through: Option<String>,
}

impl Demonstration {
    /// Returns the guilty lines of the program, counted from 1.
    pub fn guilty_lines(&self) -> Vec<u32> {
        let mark = format!("{} <- error", self.dialect.language.comment());
        let lines = self.kernel.lines().zip(1..);
        lines.filter(|(line, _)| line.contains(&mark)).map(|(_, number)| number).collect()
    }
}

/// A section that a cause is about, if no rule cites it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub document: String,
    /// Anchor of the section.
    pub anchor: String,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// Name of the cause: words joined by `-`.
    pub id: String,
    /// Title that a maintainer would give the issue.
    pub title: String,
    /// Component that has the defect.
    pub component: Component,
    /// The sections it is about, if the rules of its entries do not cite them.
    pub clauses: Vec<Section>,
    /// Description of the fault for its maintainers; `None` if the reason of an entry gives it.
    pub reason: Option<String>,
    /// The sentences of these sections that decide.
    pub sentences: Vec<String>,
    /// The symptom of the program; `None` if it is no longer checked.
    pub symptom: Option<Symptom>,
    /// Another way in which the cause was seen without this program, besides the commands of its issue.
    pub verified: Option<String>,
    /// Releases that its program was executed on.
    pub releases: AskedReleases,
    /// Words that its project's tracker was searched for.
    pub searched: Vec<String>,
    /// Reports of others that are near it.
    pub similar: Vec<String>,
    /// The state of the cause upstream.
    pub state: State,
    /// The program that shows it; the example of its first entry does, if there is none.
    pub shown: Option<Demonstration>,
    /// Line in the file.
    line: usize,
}

/// All causes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Causes {
    /// Names of the devices that are the newest versions.
    pub current: Vec<String>,
    /// Dialects that a device has in none of its versions and instances.
    unsupported: BTreeMap<String, Vec<Dialect>>,
    /// Requirements that each device does not meet in any dialect.
    without: BTreeMap<String, Vec<Requirement>>,
    /// The causes, in their order.
    pub causes: Vec<Cause>,
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCauses {
    current: Vec<String>,
    #[serde(default)]
    unsupported: BTreeMap<String, Vec<Spanned<String>>>,
    #[serde(default)]
    without: BTreeMap<String, Vec<Requirement>>,
    cause: Vec<RawCause>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCause {
    id: Spanned<String>,
    title: Spanned<String>,
    component: Component,
    #[serde(default)]
    clauses: Vec<Spanned<String>>,
    reason: Option<Spanned<String>>,
    #[serde(default)]
    sentences: Vec<String>,
    symptom: Option<Spanned<RawSymptom>>,
    verified: Option<String>,
    #[serde(default)]
    releases: AskedReleases,
    #[serde(default)]
    searched: Vec<String>,
    #[serde(default)]
    similar: Vec<String>,
    reported: Option<String>,
    #[serde(rename = "duplicate-of")]
    duplicate_of: Option<String>,
    #[serde(rename = "fixed-in")]
    fixed_in: Option<Fix>,
    dialect: Option<Spanned<String>>,
    verdict: Option<Verdict>,
    #[serde(default)]
    requires: Vec<Requirement>,
    #[serde(default)]
    options: Vec<String>,
    kernel: Option<Spanned<String>>,
    control: Option<Spanned<String>>,
    computes: Option<Vec<i32>>,
    prints: Option<Vec<String>>,
    #[serde(rename = "work-items")]
    work_items: Option<u32>,
    call: Option<String>,
    returns: Option<String>,
    through: Option<Spanned<String>>,
}

/// Reads a file of causes.
pub fn load_causes(path: &str, text: &str) -> Result<Causes, FileError> {
    let RawCauses { current, unsupported: dialects_of, without, cause: raw_causes } =
        from_toml(path, text)?;
    let mut ids = BTreeSet::new();
    let mut causes = Vec::new();
    for raw in raw_causes {
        let start = raw.id.span().start;
        let id = raw.id.get_ref().clone();
        if !is_kebab(&id) {
            let message = format!(
                "`{}` is not a valid name of a cause: use lower case letters and digits, with `-` \
                 between words",
                id.escape_debug()
            );
            return Err(place(path, text, start, message));
        }
        if !ids.insert(id.clone()) {
            return Err(place(path, text, start, format!("the cause `{id}` is listed twice")));
        }
        causes.push(cause(raw, path, text)?);
    }
    let mut unsupported = BTreeMap::new();
    for (device, names) in dialects_of {
        let dialects = names.iter().map(|name| dialect(name, path, text));
        unsupported.insert(device, dialects.collect::<Result<_, _>>()?);
    }
    Ok(Causes { current, unsupported, without, causes, path: path.to_owned() })
}

fn is_kebab(id: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    id.split('-').all(is_word)
}

fn cause(raw: RawCause, path: &str, text: &str) -> Result<Cause, FileError> {
    let start = raw.id.span().start;
    let line = place(path, text, start, String::new()).line;
    if raw.title.get_ref().trim().is_empty() {
        let message = "`title` is empty: name the construct and what happens to it";
        return Err(place(path, text, raw.title.span().start, message.to_owned()));
    }
    if let Some(reason) = raw.reason.as_ref().filter(|reason| reason.get_ref().trim().is_empty()) {
        let message = "`reason` is empty: describe the fault for those who will fix it";
        return Err(place(path, text, reason.span().start, message.to_owned()));
    }
    if !raw.releases.is_sorted() {
        let message = "`releases` are `wrong` or `right`, each list with the oldest first";
        return Err(place(path, text, start, message.to_owned()));
    }
    let clauses = raw.clauses.iter().map(|clause| section(clause, path, text));
    let shown = shown(&raw, path, text)?;
    let symptom =
        match &raw.symptom {
            Some(symptom) => {
                let read = symptom.get_ref().read(shown.as_ref());
                Some(read.map_err(|message| {
                    place(path, text, symptom.span().start, message.to_owned())
                })?)
            }
            None => shown.as_ref().and_then(Symptom::of_an_invalid),
        };
    let state = State::new(raw.reported, raw.duplicate_of, raw.fixed_in).ok_or_else(|| {
        let message = "a cause is `reported`, `duplicate-of` a report of others or `fixed-in`: give one of them";
        place(path, text, start, message.to_owned())
    })?;
    Ok(Cause {
        clauses: clauses.collect::<Result<_, _>>()?,
        shown,
        id: raw.id.into_inner(),
        title: raw.title.into_inner(),
        component: raw.component,
        reason: raw.reason.map(Spanned::into_inner),
        sentences: raw.sentences,
        symptom,
        verified: raw.verified,
        releases: raw.releases,
        searched: raw.searched,
        similar: raw.similar,
        state,
        line,
    })
}

fn section(clause: &Spanned<String>, path: &str, text: &str) -> Result<Section, FileError> {
    let error = |message: String| place(path, text, clause.span().start, message);
    let (document, anchor) = clause
        .get_ref()
        .split_once('#')
        .ok_or_else(|| error("a clause of a cause reads `DOCUMENT#ANCHOR`".to_owned()))?;
    if document::find(document).is_none() {
        let hint = suggestion(document, &DOCUMENTS.map(|document| document.id));
        let message = format!("`{document}` is not a document that clauses cite{hint}");
        return Err(error(message));
    }
    Ok(Section { document: document.to_owned(), anchor: anchor.to_owned() })
}

fn shown(raw: &RawCause, path: &str, text: &str) -> Result<Option<Demonstration>, FileError> {
    let error = |start: usize, message: &str| Err(place(path, text, start, message.to_owned()));
    let (Some(kernel), Some(name), Some(verdict)) = (&raw.kernel, &raw.dialect, raw.verdict) else {
        let none = raw.kernel.is_none() && raw.dialect.is_none() && raw.verdict.is_none();
        let asks = raw.computes.is_some() || raw.prints.is_some() || raw.call.is_some();
        if none && raw.control.is_none() && !asks && raw.through.is_none() {
            return Ok(None);
        }
        let message = "a program has a `dialect`, a `verdict` and a `kernel`: give all three";
        return error(raw.id.span().start, message);
    };
    let asked = match (&raw.computes, &raw.prints, &raw.call, &raw.returns) {
        (None, None, None, None) => PostBuildCheck::Nothing,
        (Some(values), None, None, None) => PostBuildCheck::Values {
            values: values.clone(),
            work_items: raw.work_items.unwrap_or(1),
        },
        (None, Some(lines), None, None) => PostBuildCheck::Prints(lines.clone()),
        (None, None, Some(call), Some(returns)) => {
            PostBuildCheck::Call { call: call.clone(), returns: returns.clone() }
        }
        _ => {
            let message =
                "state what the kernel should do: `computes`, `prints`, or `call` and `returns`";
            return error(kernel.span().start, message);
        }
    };
    if raw.work_items.is_some() && raw.computes.is_none() {
        let message = "`work-items` is only for a program with `computes`: give both";
        return error(kernel.span().start, message);
    }
    let is_marked = kernel.get_ref().contains(GUILTY);
    match verdict {
        Verdict::Reject if !is_marked => {
            let message = "mark the line that the text forbids with `// <- error`";
            return error(kernel.span().start, message);
        }
        Verdict::Accept | Verdict::Disputed if is_marked => {
            let message = "`// <- error` is for programs whose `verdict` is `reject`";
            return error(kernel.span().start, message);
        }
        Verdict::Reject | Verdict::Disputed if asked != PostBuildCheck::Nothing => {
            let message = "only a valid program can be asked for more than a build";
            return error(kernel.span().start, message);
        }
        _ => {}
    }
    if let Some(through) = raw.through.as_ref().filter(|_| verdict != Verdict::Accept) {
        let message = "only a valid program becomes a module: `through` is for programs whose \
             `verdict` is `accept`";
        return error(through.span().start, message);
    }
    if let PostBuildCheck::Values { values, .. } = &asked {
        let sources = std::iter::once(kernel).chain(&raw.control);
        for source in sources {
            if let Some(index) = index_outside(source.get_ref(), values.len()) {
                let message = format!(
                    "the program accesses element {index} of its argument, which has {}: `computes` gives a value for each element",
                    values.len()
                );
                return Err(place(path, text, source.span().start, message));
            }
        }
    }
    match &raw.control {
        Some(control) if control.get_ref().contains(GUILTY) => {
            let message = "the control is valid: it has no line with `// <- error`";
            return error(control.span().start, message);
        }
        None if !matches!(asked, PostBuildCheck::Call { .. }) => {
            let message = "give the `control`, a valid program that is accepted and differs as \
                 little as possible";
            return error(kernel.span().start, message);
        }
        _ => {}
    }
    Ok(Some(Demonstration {
        dialect: dialect(name, path, text)?,
        verdict,
        requirements: raw.requires.clone(),
        options: raw.options.clone(),
        kernel: kernel.get_ref().clone(),
        control: raw.control.as_ref().map(|control| control.get_ref().clone()),
        asked,
        through: raw.through.as_ref().map(|through| through.get_ref().clone()),
    }))
}

/// Returns the first constant index of the kernel's argument that lies outside an array of this many elements.
fn index_outside(source: &str, elements: usize) -> Option<usize> {
    let (_, kernel) = source.split_once("kernel void ")?;
    let (parameters, _) = kernel.split_once('(')?.1.split_once(')')?;
    let name = parameters.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    let access = format!("{name}[");
    let mut numbers = kernel.match_indices(&access).filter_map(|(at, access)| {
        let is_whole = !kernel[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let index = kernel[at + access.len()..].split(']').next()?;
        index.trim().parse().ok().filter(|_| is_whole)
    });
    numbers.find(|&index: &usize| index >= elements)
}

impl Cause {
    /// Whether the program has to be executed to show it.
    pub fn is_shown_by_execution(&self) -> bool {
        let ending = self.symptom.as_ref().map(|symptom| symptom.ending);
        matches!(ending, Some(Ending::WrongResult | Ending::LaunchFails | Ending::NoAnswer))
    }

    /// Returns the severity for users of the component.
    pub fn severity(&self) -> Severity {
        Severity::of(self.shown.as_ref(), self.symptom.as_ref())
    }
}

impl Causes {
    /// Returns the cause of that name.
    pub fn find(&self, id: &str) -> Option<&Cause> {
        self.causes.iter().find(|cause| cause.id == id)
    }

    /// Whether a device can build the program of a cause: it has to support the dialect and the requirements.
    pub fn is_for(&self, cause: &Cause, device: &DeviceFile) -> bool {
        let Some(shown) = &cause.shown else { return true };
        let is_without = |needed| {
            self.without.get(&device.family).is_some_and(|without| without.contains(needed))
        };
        if shown.requirements.iter().any(is_without) {
            return false;
        }
        if shown.through.is_some() {
            // The language is the compiler's.
            return true;
        }
        let lacks = self.unsupported.get(&device.family);
        let is_behind_the_loader = matches!(device.kind, DeviceKind::Opencl { .. });
        // No build option selects 1.0.
        !(is_behind_the_loader && shown.dialect.version == Version::V1_0
            || lacks.is_some_and(|lacks| lacks.contains(&shown.dialect)))
    }

    /// Checks that an entry for a driver bug names one of these causes.
    pub fn check_entry(&self, entry: &Deviation) -> Result<(), FileError> {
        if entry.kind != DeviationKind::DriverBug {
            return Ok(());
        }
        let known: Vec<&str> = self.causes.iter().map(|cause| cause.id.as_str()).collect();
        let message = match entry.cause.as_deref() {
            Some(id) if self.find(id).is_some() => return Ok(()),
            Some(id) => format!(
                "`{id}` is not a cause of {}{}; add a new one there",
                self.path,
                suggestion(id, &known)
            ),
            None => format!(
                "a driver bug of the suite's own baselines needs its cause: write `cause = \"ID\"`, with an id of {} or a new one there",
                self.path
            ),
        };
        Err(FileError { path: entry.path.clone(), line: entry.line, column: 1, message })
    }

    /// Checks that every cause is named by an entry.
    pub fn check_used<'e>(
        &self,
        entries: impl Iterator<Item = &'e Deviation>,
    ) -> Result<(), FileError> {
        let named: BTreeSet<&str> = entries.filter_map(|entry| entry.cause.as_deref()).collect();
        let unused = self.causes.iter().find(|cause| !named.contains(cause.id.as_str()));
        unused.map_or(Ok(()), |cause| {
            let message = format!(
                "no entry of a baseline names the cause `{}`: remove it, or name it with `cause`",
                cause.id
            );
            Err(FileError { path: self.path.clone(), line: cause.line, column: 1, message })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::load_device;

    const GOOD: &str = r#"current = ["x"]

[[cause]]
id = "an-id"
title = "It dies"
component = "oclgrind"
clauses = ["OpenCL_C#restrictions"]
dialect = "cl12"
verdict = "reject"
kernel = """
int a;  // <- error
"""
control = """
constant int a = 1;
"""
"#;

    #[test]
    fn a_cause_has_a_program_beside_its_control() {
        let causes = load_causes("c.toml", GOOD).unwrap();
        let cause = causes.find("an-id").unwrap();
        let shown = cause.shown.as_ref().unwrap();
        assert_eq!((shown.guilty_lines(), &shown.asked), (vec![1], &PostBuildCheck::Nothing));
        assert_eq!(cause.clauses[0].anchor, "restrictions");
        assert!(causes.find("another").is_none());
    }

    #[test]
    fn a_device_without_the_dialect_is_not_asked() {
        let load = |name: &str, dialect: &str| {
            let lacks = "[unsupported]\nours = [\"cl20\"]\n[without]\nwithout = [\"device-enqueue\"]\n\n[[cause]]\nrequires = [\"device-enqueue\"]";
            let text = GOOD.replace("[[cause]]", lacks);
            let causes = load_causes("c.toml", &text.replace("cl12", dialect)).unwrap();
            let kind = "type = \"opencl\", platform = \"P\"";
            let file = format!("what = \"x\"\nown-front-end = \"x\"\ndevice = {{ {kind} }}\n");
            let device = load_device(name, "d.toml", &file).unwrap();
            causes.is_for(&causes.causes[0], &device)
        };
        for (name, dialect, expected) in [
            ("ours", "cl12", true),
            ("ours", "cl20", false),
            ("others", "cl20", true),
            ("others", "cl10", false),
            ("without", "cl20", false),
        ] {
            assert_eq!(load(name, dialect), expected, "{name} {dialect}");
        }
    }

    #[test]
    fn mistakes_are_answered_with_their_place() {
        let valid = GOOD.replace("reject", "accept").replace("  // <- error", "");
        for (text, expected) in [
            (
                GOOD.replace("an-id", "An id"),
                "4:6: `An id` is not a valid name of a cause: use lower case letters and digits, \
                 with `-` between words",
            ),
            (
                format!("{GOOD}{}", GOOD.replace("current = [\"x\"]\n", "")),
                "18:6: the cause `an-id` is listed twice",
            ),
            (
                GOOD.replace("It dies", " "),
                "5:9: `title` is empty: name the construct and what happens to it",
            ),
            (
                GOOD.replace("oclgrind", "oclgrynd"),
                "6:13: unknown value `oclgrynd`; did you mean `oclgrind`?",
            ),
            (
                GOOD.replace("OpenCL_C#", "OpenCL-C#"),
                "7:12: `OpenCL-C` is not a document that clauses cite; did you mean `OpenCL_C`?",
            ),
            (GOOD.replace("OpenCL_C#", ""), "7:12: a clause of a cause reads `DOCUMENT#ANCHOR`"),
            (
                GOOD.replace("dialect = \"cl12\"\n", ""),
                "4:6: a program has a `dialect`, a `verdict` and a `kernel`: give all three",
            ),
            (
                GOOD.replace("cl12", "cl13"),
                "8:11: `cl13` is not a dialect; did you mean `cl10`, `cl11`, `cl12` or `cl31`?",
            ),
            (
                GOOD.replace("  // <- error", ""),
                "10:10: mark the line that the text forbids with `// <- error`",
            ),
            (
                GOOD.replace("reject", "accept"),
                "10:10: `// <- error` is for programs whose `verdict` is `reject`",
            ),
            (
                format!("{GOOD}computes = [1]\n"),
                "10:10: only a valid program can be asked for more than a build",
            ),
            (
                format!("{valid}work-items = 8\n"),
                "10:10: `work-items` is only for a program with `computes`: give both",
            ),
            (
                format!("{valid}call = \"f()\"\n"),
                "10:10: state what the kernel should do: `computes`, `prints`, or `call` and `returns`",
            ),
            (
                valid.replace("int a;", "kernel void k(global int *o) { o[0] = o[1]; }")
                    + "computes = [1]\nsymptom = { ending = \"wrong-result\", says = [\"0\"] }\n",
                "10:10: the program accesses element 1 of its argument, which has 1: `computes` gives a value for each element",
            ),
            (
                format!("{valid}symptom = {{ ending = \"accepted\" }}\n"),
                "16:11: only an invalid program is wrongly `accepted`",
            ),
            (
                format!("{GOOD}symptom = {{ ending = \"rejected\", says = [\"no\"] }}\n"),
                "16:11: an invalid program is rightly `rejected`",
            ),
            (
                format!("{valid}symptom = {{ ending = \"wrong-result\", says = [\"0\"] }}\n"),
                "16:11: `wrong-result`, `launch-fails` and `no-answer` are endings of a program with `computes`, `prints`, or `call` and `returns`",
            ),
            (
                format!("{valid}symptom = {{ ending = \"rejected\" }}\n"),
                "16:11: `says` is the printed text: a part of the error, or each line with a wrong \
                 value",
            ),
            (
                format!("{GOOD}through = \"llvm-spirv\"\n"),
                "16:11: only a valid program becomes a module: `through` is for programs whose \
                 `verdict` is `accept`",
            ),
            (
                format!("{GOOD}reason = \"\"\n"),
                "16:10: `reason` is empty: describe the fault for those who will fix it",
            ),
            (
                format!("{GOOD}reported = \"https://a\"\nfixed-in = {{ release = \"2\" }}\n"),
                "4:6: a cause is `reported`, `duplicate-of` a report of others or `fixed-in`: give one of them",
            ),
            (
                format!("{GOOD}releases = {{ wrong = [\"2\", \"1\"] }}\n"),
                "4:6: `releases` are `wrong` or `right`, each list with the oldest first",
            ),
            (
                GOOD.replace("a = 1;", "a = 1;  // <- error"),
                "13:11: the control is valid: it has no line with `// <- error`",
            ),
            (
                GOOD.replace("control = \"\"\"\nconstant int a = 1;\n\"\"\"\n", ""),
                "10:10: give the `control`, a valid program that is accepted and differs as little \
                 as possible",
            ),
        ] {
            let error = load_causes("c.toml", &text).unwrap_err().to_string();
            assert_eq!(error, format!("c.toml:{expected}"), "{text}");
        }
    }

    #[test]
    fn numbers_in_brackets_are_indices_of_the_argument() {
        for (source, expected) in [
            ("kernel void k(global int *o) { o[0] = o[1]; }", None),
            ("kernel void k(global int *o) { o[0] = o[2]; }", Some(2)),
            ("int f(int *a) { return a[7]; } kernel void k(global int *o) { o[0] = 1; }", None),
            ("kernel void k(global int *o) { int foo[9]; foo[8] = 1; o[ 3 ] = foo[8]; }", Some(3)),
        ] {
            assert_eq!(index_outside(source, 2), expected, "{source}");
        }
    }

    #[test]
    fn the_worst_comes_first() {
        let valid = GOOD.replace("reject", "accept").replace("  // <- error", "");
        let computes = format!("{valid}computes = [1]\n");
        for (text, expected) in [
            (GOOD.to_owned(), Severity::AcceptsInvalid),
            (GOOD.replace("cl12", "cl10"), Severity::Pedantry),
            (format!("{valid}symptom = {{ ending = \"SIGSEGV\" }}\n"), Severity::Crash),
            (
                format!("{valid}symptom = {{ ending = \"rejected\", says = [\"no\"] }}\n"),
                Severity::RejectsValid,
            ),
            (
                format!("{computes}symptom = {{ ending = \"wrong-result\", says = [\"0\"] }}\n"),
                Severity::WrongValues,
            ),
        ] {
            let causes = load_causes("c.toml", &text).unwrap();
            assert_eq!(causes.causes[0].severity(), expected, "{text}");
        }
    }

    #[test]
    fn entries_and_causes_name_each_other() {
        let causes = load_causes("c.toml", GOOD).unwrap();
        let entry = |cause: &str| {
            let text = format!(
                "what = \"x\"\nown-front-end = \"x\"\ndevice = {{ type = \"checker\" }}\n[[deviation]]\ncases = [\"a/*\"]\nfindings = [\"crash\"]\nkind = \"driver-bug\"\nreason = \"r\"\n{cause}"
            );
            load_device("d", "d.toml", &text).unwrap().deviations.remove(0)
        };
        let (right, near, none) =
            (entry("cause = \"an-id\""), entry("cause = \"an-ib\""), entry(""));
        assert_eq!(causes.check_entry(&right), Ok(()));
        assert_eq!(
            causes.check_entry(&near).unwrap_err().to_string(),
            "d.toml:5:1: `an-ib` is not a cause of c.toml; did you mean `an-id`?; add a new one \
             there"
        );
        assert_eq!(
            causes.check_entry(&none).unwrap_err().to_string(),
            "d.toml:5:1: a driver bug of the suite's own baselines needs its cause: write `cause = \"ID\"`, with an id of c.toml or a new one there"
        );
        assert_eq!(causes.check_used([&right].into_iter()), Ok(()));
        assert_eq!(
            causes.check_used([&near].into_iter()).unwrap_err().to_string(),
            "c.toml:4:1: no entry of a baseline names the cause `an-id`: remove it, or name it with `cause`"
        );
    }
}
