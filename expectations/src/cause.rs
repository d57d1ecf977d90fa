//! Causes: what is wrong in somebody's code, once, however many entries of baselines, rules and devices show it.

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
    requirement::Requirement,
    verdict::Verdict,
};

/// Where the causes of the suite's own baselines lie.
pub const CAUSES_PATH: &str = "expectations/causes.toml";

/// What marks a line of a kernel that the text forbids.
pub const GUILTY: &str = "// <- error";

/// The part of somebody's code that a cause lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// Parsing and semantics.
    ClangFrontEnd,
    /// `opencl-c.h`, which devices have copies of.
    ClangHeader,
    /// From clang's tree to LLVM IR.
    ClangCodeGeneration,
    /// LLVM's back end for AMD's GPUs.
    LlvmAmdgpu,
    /// LLVM's back end for NVIDIA's GPUs.
    LlvmNvptx,
    /// LLVM's own back end for SPIR-V.
    LlvmSpirv,
    /// From LLVM IR to SPIR-V.
    SpirvTranslator,
    /// The functions that `PoCL` links kernels with.
    PoclKernelLibrary,
    /// `PoCL`'s passes and linker.
    PoclCompiler,
    /// What `PoCL` does for the host's calls.
    PoclRuntime,
    /// Mesa's host side.
    MesaRusticl,
    /// Mesa's translation from SPIR-V.
    MesaSpirvToNir,
    /// Mesa's passes.
    MesaNir,
    /// Mesa's driver for processors.
    MesaLlvmpipe,
    /// From source to PTX and from PTX to code.
    NvidiaCompiler,
    /// What NVIDIA's driver does for the host's calls.
    NvidiaDriver,
    /// Intel's runtime for processors.
    IntelCpuRuntime,
    /// Intel's compiler for GPUs, behind its clang.
    IntelIgc,
    /// The simulator.
    Oclgrind,
    /// How Debian puts packages together.
    DebianPackages,
}

impl Component {
    /// A phrase for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::ClangFrontEnd => "clang's front end",
            Self::ClangHeader => "clang's header opencl-c.h",
            Self::ClangCodeGeneration => "clang's generation of IR",
            Self::LlvmAmdgpu => "LLVM's AMDGPU back end",
            Self::LlvmNvptx => "LLVM's NVPTX back end",
            Self::LlvmSpirv => "LLVM's SPIR-V back end",
            Self::SpirvTranslator => "SPIRV-LLVM-Translator",
            Self::PoclKernelLibrary => "PoCL's kernel library",
            Self::PoclCompiler => "PoCL's kernel compiler",
            Self::PoclRuntime => "PoCL's runtime",
            Self::MesaRusticl => "Mesa: rusticl",
            Self::MesaSpirvToNir => "Mesa: spirv_to_nir",
            Self::MesaNir => "Mesa: NIR passes",
            Self::MesaLlvmpipe => "Mesa: llvmpipe",
            Self::NvidiaCompiler => "NVIDIA's compiler",
            Self::NvidiaDriver => "NVIDIA's driver",
            Self::IntelCpuRuntime => "Intel's CPU runtime for OpenCL",
            Self::IntelIgc => "Intel Graphics Compiler",
            Self::Oclgrind => "Oclgrind",
            Self::DebianPackages => "Debian's packages",
        }
    }

    /// Where its maintainers take reports, if in public.
    pub const fn tracker(self) -> Option<&'static str> {
        match self {
            Self::ClangFrontEnd
            | Self::ClangHeader
            | Self::ClangCodeGeneration
            | Self::LlvmAmdgpu
            | Self::LlvmNvptx
            | Self::LlvmSpirv => Some("https://github.com/llvm/llvm-project/issues"),
            Self::SpirvTranslator => {
                Some("https://github.com/KhronosGroup/SPIRV-LLVM-Translator/issues")
            }
            Self::PoclKernelLibrary | Self::PoclCompiler | Self::PoclRuntime => {
                Some("https://github.com/pocl/pocl/issues")
            }
            Self::MesaRusticl | Self::MesaSpirvToNir | Self::MesaNir | Self::MesaLlvmpipe => {
                Some("https://gitlab.freedesktop.org/mesa/mesa/-/issues")
            }
            Self::IntelIgc => Some("https://github.com/intel/intel-graphics-compiler/issues"),
            Self::Oclgrind => Some("https://github.com/jrprice/Oclgrind/issues"),
            Self::DebianPackages => Some("https://bugs.debian.org"),
            Self::NvidiaCompiler | Self::NvidiaDriver | Self::IntelCpuRuntime => None,
        }
    }
}

/// What is asked of a program after it was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing: the build shows the cause.
    Nothing,
    /// One work-group of its kernel, whose only argument is an array of int that holds 0, leaves these there.
    Values {
        /// The values.
        values: Vec<i32>,
        /// Work-items of the group.
        work_items: u32,
    },
    /// A call of the host's interface on its `kernel`, which is to return this.
    Call {
        /// An expression of C.
        call: String,
        /// The name of a status.
        returns: String,
    },
}

/// The smallest program that shows a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The language it is written in.
    pub dialect: Dialect,
    /// What the text says of it.
    pub verdict: Verdict,
    /// What it needs besides its dialect.
    pub requirements: Vec<Requirement>,
    /// Its text, guilty lines marked.
    pub kernel: String,
    /// A valid program that differs from it in as little as possible, and does not show the cause.
    pub control: Option<String>,
    /// What must be seen of a valid one besides.
    pub asked: Asked,
}

impl Shown {
    /// The lines that the text forbids, from 1.
    pub fn guilty_lines(&self) -> Vec<u32> {
        let lines = self.kernel.lines().zip(1..);
        lines.filter(|(line, _)| line.contains(GUILTY)).map(|(_, number)| number).collect()
    }
}

/// A section that a cause is about, where no rule says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The document.
    pub document: String,
    /// Anchor of the section.
    pub anchor: String,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Its name: words with `-` between them.
    pub id: String,
    /// What a maintainer would call the issue.
    pub title: String,
    /// Where it lies.
    pub component: Component,
    /// The sections it is about, where the rules of its entries do not say.
    pub clauses: Vec<Section>,
    /// How it was seen without this program; `None` where it was not.
    pub verified: Option<String>,
    /// Reports of others that are about the same.
    pub similar: Vec<String>,
    /// The report that was made of it.
    pub report: Option<String>,
    /// The program that shows it; the example of its first entry does, where there is none.
    pub shown: Option<Shown>,
    /// Line in the file.
    line: usize,
}

/// All causes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Causes {
    /// Names of the devices that are the newest versions there are.
    pub current: Vec<String>,
    /// Dialects that a device has in none of its versions and instances.
    unsupported: BTreeMap<String, Vec<Dialect>>,
    /// What a device has in none of them, of what programs may need besides their dialect.
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
    verified: Option<String>,
    #[serde(default)]
    similar: Vec<String>,
    report: Option<String>,
    dialect: Option<Spanned<String>>,
    verdict: Option<Verdict>,
    #[serde(default)]
    requires: Vec<Requirement>,
    kernel: Option<Spanned<String>>,
    control: Option<Spanned<String>>,
    computes: Option<Vec<i32>>,
    #[serde(rename = "work-items")]
    work_items: Option<u32>,
    call: Option<String>,
    returns: Option<String>,
}

/// Read a file of causes.
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
                "`{}` is no name of a cause: use lower case letters and digits, with `-` between words",
                id.escape_debug()
            );
            return Err(place(path, text, start, message));
        }
        if !ids.insert(id.clone()) {
            return Err(place(path, text, start, format!("the cause `{id}` is there twice")));
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
    let clauses = raw.clauses.iter().map(|clause| section(clause, path, text));
    Ok(Cause {
        clauses: clauses.collect::<Result<_, _>>()?,
        shown: shown(&raw, path, text)?,
        id: raw.id.into_inner(),
        title: raw.title.into_inner(),
        component: raw.component,
        verified: raw.verified,
        similar: raw.similar,
        report: raw.report,
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
        let message = format!("`{document}` is no document clauses are cited from{hint}");
        return Err(error(message));
    }
    Ok(Section { document: document.to_owned(), anchor: anchor.to_owned() })
}

fn shown(raw: &RawCause, path: &str, text: &str) -> Result<Option<Shown>, FileError> {
    let error = |start: usize, message: &str| Err(place(path, text, start, message.to_owned()));
    let (Some(kernel), Some(name), Some(verdict)) = (&raw.kernel, &raw.dialect, raw.verdict) else {
        let none = raw.kernel.is_none() && raw.dialect.is_none() && raw.verdict.is_none();
        if none && raw.control.is_none() && raw.computes.is_none() && raw.call.is_none() {
            return Ok(None);
        }
        let message = "a program has a `dialect`, a `verdict` and a `kernel`: give all three";
        return error(raw.id.span().start, message);
    };
    let asked = match (&raw.computes, &raw.call, &raw.returns) {
        (None, None, None) => Asked::Nothing,
        (Some(values), None, None) => {
            Asked::Values { values: values.clone(), work_items: raw.work_items.unwrap_or(1) }
        }
        (None, Some(call), Some(returns)) => {
            Asked::Call { call: call.clone(), returns: returns.clone() }
        }
        _ => {
            let message = "say what is asked of the kernel: `computes`, or `call` and `returns`";
            return error(kernel.span().start, message);
        }
    };
    if raw.work_items.is_some() && raw.computes.is_none() {
        let message = "`work-items` says how many compute what `computes` says: give both";
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
        Verdict::Reject | Verdict::Disputed if asked != Asked::Nothing => {
            let message = "only a valid program is asked for more than to be built";
            return error(kernel.span().start, message);
        }
        _ => {}
    }
    match &raw.control {
        Some(control) if control.get_ref().contains(GUILTY) => {
            let message = "the control is valid: it has no line with `// <- error`";
            return error(control.span().start, message);
        }
        None if !matches!(asked, Asked::Call { .. }) => {
            let message = "give the `control`, a valid program that is taken and differs as little as possible";
            return error(kernel.span().start, message);
        }
        _ => {}
    }
    Ok(Some(Shown {
        dialect: dialect(name, path, text)?,
        verdict,
        requirements: raw.requires.clone(),
        kernel: kernel.get_ref().clone(),
        control: raw.control.as_ref().map(|control| control.get_ref().clone()),
        asked,
    }))
}

impl Causes {
    /// The cause of that name.
    pub fn find(&self, id: &str) -> Option<&Cause> {
        self.causes.iter().find(|cause| cause.id == id)
    }

    /// Whether the program of a cause is one that a device may be given; its dialect, or what it needs
    /// besides, may be one that it does not have.
    pub fn is_for(&self, cause: &Cause, device: &DeviceFile) -> bool {
        let Some(shown) = &cause.shown else { return true };
        let lacks = self.unsupported.get(&device.family);
        let is_without = |needed| {
            self.without.get(&device.family).is_some_and(|without| without.contains(needed))
        };
        let is_behind_the_loader = matches!(device.kind, DeviceKind::Opencl { .. });
        // No build option selects 1.0.
        !(is_behind_the_loader && shown.dialect.version == Version::V1_0
            || lacks.is_some_and(|lacks| lacks.contains(&shown.dialect))
            || shown.requirements.iter().any(is_without))
    }

    /// Check that an entry of a driver bug names one of these causes.
    pub fn check_entry(&self, entry: &Deviation) -> Result<(), FileError> {
        if entry.kind != DeviationKind::DriverBug {
            return Ok(());
        }
        let known: Vec<&str> = self.causes.iter().map(|cause| cause.id.as_str()).collect();
        let message = match entry.cause.as_deref() {
            Some(id) if self.find(id).is_some() => return Ok(()),
            Some(id) => format!(
                "`{id}` is no cause of {}{}; a new one is written there",
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

    /// Check that each cause is that of an entry.
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
        assert_eq!((shown.guilty_lines(), &shown.asked), (vec![1], &Asked::Nothing));
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
                "4:6: `An id` is no name of a cause: use lower case letters and digits, with `-` between words",
            ),
            (
                format!("{GOOD}{}", GOOD.replace("current = [\"x\"]\n", "")),
                "18:6: the cause `an-id` is there twice",
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
                "7:12: `OpenCL-C` is no document clauses are cited from; did you mean `OpenCL_C`?",
            ),
            (GOOD.replace("OpenCL_C#", ""), "7:12: a clause of a cause reads `DOCUMENT#ANCHOR`"),
            (
                GOOD.replace("dialect = \"cl12\"\n", ""),
                "4:6: a program has a `dialect`, a `verdict` and a `kernel`: give all three",
            ),
            (
                GOOD.replace("cl12", "cl13"),
                "8:11: `cl13` is no dialect; did you mean `cl10`, `cl11`, `cl12` or `cl31`?",
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
                "10:10: only a valid program is asked for more than to be built",
            ),
            (
                format!("{valid}work-items = 8\n"),
                "10:10: `work-items` says how many compute what `computes` says: give both",
            ),
            (
                format!("{valid}call = \"f()\"\n"),
                "10:10: say what is asked of the kernel: `computes`, or `call` and `returns`",
            ),
            (
                GOOD.replace("a = 1;", "a = 1;  // <- error"),
                "13:11: the control is valid: it has no line with `// <- error`",
            ),
            (
                GOOD.replace("control = \"\"\"\nconstant int a = 1;\n\"\"\"\n", ""),
                "10:10: give the `control`, a valid program that is taken and differs as little as possible",
            ),
        ] {
            let error = load_causes("c.toml", &text).unwrap_err().to_string();
            assert_eq!(error, format!("c.toml:{expected}"), "{text}");
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
            "d.toml:5:1: `an-ib` is no cause of c.toml; did you mean `an-id`?; a new one is written there"
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
