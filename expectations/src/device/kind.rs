//! Interfaces through which devices are driven.

use serde::{Deserialize, Serialize};

use crate::{
    load::{FileError, place},
    located,
    requirement::Requirement,
};

/// Interface through which a device is driven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum DeviceKind {
    /// Our own front end, in the process.
    Checker,
    /// A platform behind the `OpenCL` loader.
    Opencl {
        /// Part of the platform's name.
        platform: String,
        /// The ICD: a file name under `/etc/OpenCL/vendors` or a library path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        icd: Option<String>,
        /// When it generates code.
        #[serde(default, skip_serializing_if = "CodeGeneration::is_at_launch")]
        generates_code: CodeGeneration,
    },
    /// A command-line compiler.
    Command {
        /// Program and arguments; `{file}`, `{std}` and `{features}` are replaced.
        command: Vec<String>,
        /// Program and arguments that print the version.
        version: Vec<String>,
        /// Exit statuses from 126 on by which it rejects a program; others are those of programs that died or were
        /// never started.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rejects_with: Vec<i32>,
        /// Steps that generate code of a valid program which the compiler accepts, in this order and in the same
        /// scratch folder. Invalid programs are judged only by the compiler.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        then: Vec<Step>,
        /// Whether the compiler generates code itself, without further steps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generates_code: Option<AtBuild>,
        /// Program and arguments that print what the device has; `{query}` is replaced by the name that the host's
        /// interface has for it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        query: Vec<String>,
        /// The dialects that the switches of a compiler select, if it can neither be queried nor given each feature. If
        /// none is named, the versions that it accepts are found by trying.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dialects: Vec<String>,
        /// Requirements its target does not meet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lacks: Vec<Requirement>,
        /// Language of the modules that it emits, where these are compared with the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        emits: Option<ModuleLanguage>,
        /// Steps that translate its SPIR-V back to LLVM IR, which the last one writes to `{scratch}/kernel.ll`. Only
        /// `dev lower --back` runs them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        back: Vec<Step>,
    },
    /// AMD's compiler as a library, `libamd_comgr`.
    Comgr {
        /// The library: a path, or a name that the system's loader finds.
        library: String,
        /// Names of instruction sets, as `amdgcn-amd-amdhsa--gfx1100`: code is generated for each.
        isas: Vec<String>,
        /// Options of the front end; `{std}` and `{features}` are replaced.
        options: Vec<String>,
        /// Options of the back end.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        code_options: Vec<String>,
        /// The dialects it is made for, where its front end takes more; where none is named it is tried which versions
        /// it takes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dialects: Vec<String>,
        /// Requirements its targets do not meet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lacks: Vec<Requirement>,
    },
}

/// When a device generates code of a program that its front end took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodeGeneration {
    /// When the program is built: what is accepted has code.
    AtBuild,
    /// When a kernel is launched.
    #[default]
    AtLaunch,
    /// Never: the device interprets programs, or only judges them.
    Never,
}

impl CodeGeneration {
    // The shape that serde asks for.
    #[expect(clippy::trivially_copy_pass_by_ref)]
    const fn is_at_launch(&self) -> bool {
        matches!(self, Self::AtLaunch)
    }
}

/// The only statement that a compiler's file may make about its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtBuild {
    /// See [`CodeGeneration::AtBuild`].
    AtBuild,
}

/// A back end, translator or validator after a command-line compiler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Step {
    /// Name of the step in details of outcomes, such as `spirv-val`.
    pub name: String,
    /// Program and arguments; `{file}` and `{scratch}` are replaced, `{std}` and `{features}` as in the compiler's.
    pub command: Vec<String>,
    /// Exit statuses from 126 on by which it rejects a program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejects_with: Vec<i32>,
}

impl Step {
    /// Checks the name, which begins details and shapes and is followed by a colon there, and the command.
    pub(super) fn check(&self, path: &str, text: &str) -> Result<(), FileError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || " -+._".contains(c);
        let message = if self.name.trim().is_empty() || !self.name.chars().all(plain) {
            let name = self.name.escape_debug();
            format!(
                "`{name}` is not a valid name of a step: name it in letters, digits, spaces and \
                 `-+._`, as `spirv-val`"
            )
        } else if self.command.is_empty() {
            format!("the command of the step `{}` is empty: name a program", self.name)
        } else {
            return Ok(());
        };
        let offset = located::offset(text, located::Part::Words(["name", &self.name])).unwrap_or(0);
        Err(place(path, text, offset, message))
    }
}

impl DeviceKind {
    /// Returns the steps after a command-line compiler.
    fn steps(&self) -> &[Step] {
        match self {
            Self::Command { then, .. } => then,
            Self::Checker | Self::Opencl { .. } | Self::Comgr { .. } => &[],
        }
    }

    /// Returns the further steps and those of the way back.
    pub(super) fn every_step(&self) -> impl Iterator<Item = &Step> {
        let back: &[Step] = match self {
            Self::Command { back, .. } => back,
            Self::Checker | Self::Opencl { .. } | Self::Comgr { .. } => &[],
        };
        self.steps().iter().chain(back)
    }

    /// Returns the language of the modules that the device emits, where these are compared with the text.
    pub const fn emits(&self) -> Option<ModuleLanguage> {
        match self {
            Self::Command { emits, .. } => *emits,
            Self::Checker | Self::Opencl { .. } | Self::Comgr { .. } => None,
        }
    }

    /// Returns the number of the further step that writes a module of this language.
    pub fn writer_of(&self, language: ModuleLanguage) -> Option<usize> {
        let writes = |words: &[String]| matches!(words, [flag, file] if flag == "-o" && file == language.file());
        self.steps().iter().position(|step| step.command.windows(2).any(writes))
    }

    /// Returns the compiler whose modules are the SPIR-V of this one, translated back to LLVM IR; `None` if the device
    /// file has no steps for that.
    pub fn translated_back(&self) -> Option<Self> {
        let last = self.writer_of(ModuleLanguage::Spirv)?;
        let mut kind = self.clone();
        let Self::Command { then, emits, back, .. } = &mut kind else { return None };
        then.truncate(last + 1);
        then.append(back);
        *emits = Some(ModuleLanguage::LlvmIr);
        kind.writer_of(ModuleLanguage::LlvmIr).map(|_| kind)
    }

    /// Whether further steps after the front end generate code without launching a kernel.
    pub fn has_steps(&self) -> bool {
        matches!(self, Self::Comgr { .. }) || !self.steps().is_empty()
    }

    /// Whether the device is a front end alone whose modules are compared with the text.
    pub fn ends_at_modules(&self) -> bool {
        self.emits().is_some() && !self.has_steps()
    }

    /// Returns when the device generates code. A compiler with further steps generates it in these.
    pub fn code_generation(&self) -> CodeGeneration {
        match self {
            Self::Opencl { generates_code, .. } => *generates_code,
            Self::Command { generates_code: Some(AtBuild::AtBuild), .. } => CodeGeneration::AtBuild,
            kind if kind.has_steps() => CodeGeneration::AtBuild,
            Self::Checker | Self::Command { .. } | Self::Comgr { .. } => CodeGeneration::Never,
        }
    }
}

/// The form in which a compiler emits code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleLanguage {
    /// LLVM IR as text: one of the further steps writes it to `{scratch}/kernel.ll`, or else the command with other
    /// options in place of `-fsyntax-only`.
    LlvmIr,
    /// SPIR-V, which one of the further steps writes to `{scratch}/kernel.spv`.
    Spirv,
}

impl ModuleLanguage {
    /// Returns the file that a step writes a module of this language to.
    pub const fn file(self) -> &'static str {
        match self {
            Self::LlvmIr => "{scratch}/kernel.ll",
            Self::Spirv => "{scratch}/kernel.spv",
        }
    }
}
