//! Build options or commands that select a dialect.

use expectations::{
    device::{DeviceKind, ModuleLanguage, Step},
    dialect::{Dialect, Version},
    requirement::Requirement,
};
use worker::Code;

/// Returns the build options of a driver, or the program and arguments of a compiler with [`super::FILE_PLACEHOLDER`]
/// in them.
pub fn build_options(
    kind: &DeviceKind,
    dialect: Dialect,
    requirements: &[Requirement],
) -> Vec<String> {
    match kind {
        DeviceKind::Checker | DeviceKind::Opencl { .. } => vec![dialect.std_option()],
        DeviceKind::Command { command, .. } => {
            filled_in(command, dialect, feature_option(dialect, requirements))
        }
        // The library is told what clang's driver is told, which hands no such switch on by itself.
        DeviceKind::Comgr { options, .. } => {
            let features = feature_option(dialect, requirements);
            let handed_on = features.into_iter().flat_map(|switch| ["-Xclang".to_owned(), switch]);
            filled_in(options, dialect, handed_on)
        }
    }
}

/// Returns the request for code of a program that the front end accepts. A device whose builds always or never generate
/// code needs no request.
pub fn asked_code(kind: &DeviceKind, dialect: Dialect, requirements: &[Requirement]) -> Code {
    let steps = match kind {
        DeviceKind::Comgr { .. } => &[][..],
        DeviceKind::Command { then, .. } if !then.is_empty() => then,
        DeviceKind::Checker | DeviceKind::Opencl { .. } | DeviceKind::Command { .. } => {
            return Code::NotAsked;
        }
    };
    let by = steps.iter().map(|step| Step {
        command: filled_in(&step.command, dialect, feature_option(dialect, requirements)),
        ..step.clone()
    });
    Code::Asked { by: by.collect() }
}

/// A request for the module of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleRequest {
    /// Program and arguments of the compiler.
    pub options: Vec<String>,
    /// Steps behind the compiler.
    pub code: Code,
    /// File that has the module.
    pub output: String,
}

/// Returns the request for the module of a program; `None` where the device file says of no module that it is emitted.
pub fn module_request(
    kind: &DeviceKind,
    dialect: Dialect,
    requirements: &[Requirement],
) -> Option<ModuleRequest> {
    const JUDGES_ALONE: &str = "-fsyntax-only";
    let DeviceKind::Command { emits: Some(language), then, .. } = kind else { return None };
    let options = build_options(kind, dialect, requirements);
    match language {
        ModuleLanguage::LlvmIr => {
            let output = "{scratch}/kernel.ll";
            let emit = ["-O0", "-w", "-emit-llvm", "-o", output];
            let at = options.iter().position(|word| word == JUDGES_ALONE)?;
            let mut words = options;
            words.splice(at..=at, emit.map(str::to_owned));
            Some(ModuleRequest { options: words, code: Code::NotAsked, output: output.to_owned() })
        }
        ModuleLanguage::Spirv => {
            let output = "{scratch}/kernel.spv";
            let writes = |step: &Step| {
                step.command.windows(2).any(|words| words[0] == "-o" && words[1] == output)
            };
            let last = then.iter().position(writes)?;
            let Code::Asked { mut by } = asked_code(kind, dialect, requirements) else {
                return None;
            };
            by.truncate(last + 1);
            Some(ModuleRequest { options, code: Code::Asked { by }, output: output.to_owned() })
        }
    }
}

fn filled_in(
    words: &[String],
    dialect: Dialect,
    features: impl IntoIterator<Item = String>,
) -> Vec<String> {
    let std = dialect.std_name();
    let features: Vec<String> = features.into_iter().collect();
    let mut filled = Vec::new();
    for word in words {
        match word.as_str() {
            "{features}" => filled.extend(features.iter().cloned()),
            word => filled.push(word.replace("{std}", &std)),
        }
    }
    filled
}

/// Clang's switch for the features of 3.0: all off but the dialect's and those required. Earlier versions have
/// none to choose.
pub fn feature_option(dialect: Dialect, requirements: &[Requirement]) -> Option<String> {
    if dialect.version < Version::V3_0 {
        return None;
    }
    let mut on = dialect.features();
    for requirement in requirements {
        on.extend(requirement.facts().features);
        // Clang wants a feature and its extension switched together.
        on.extend(requirement.facts().extension);
        if *requirement == Requirement::ReadWriteImages {
            on.extend(Requirement::Images.facts().features);
        }
    }
    on.dedup();
    Some(format!("-cl-ext=-all,+{}", on.join(",+")).trim_end_matches(",+").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_told_version_and_features() {
        let command =
            ["clang", "-cl-std={std}", "{features}", "{file}"].map(str::to_owned).to_vec();
        let kind = DeviceKind::Command {
            command,
            version: Vec::new(),
            rejects_with: Vec::new(),
            then: Vec::new(),
            query: Vec::new(),
            dialects: Vec::new(),
            generates_code: None,
            lacks: Vec::new(),
            emits: None,
        };
        let options = |name, requirements: &[Requirement]| {
            build_options(&kind, Dialect::from_name(name).unwrap(), requirements).join(" ")
        };
        assert_eq!(options("cl12", &[Requirement::Fp64]), "clang -cl-std=CL1.2 {file}");
        let library = DeviceKind::Comgr {
            library: String::new(),
            isas: Vec::new(),
            options: ["-cl-std={std}", "{features}", "-O3"].map(str::to_owned).to_vec(),
            code_options: Vec::new(),
            dialects: Vec::new(),
            lacks: Vec::new(),
        };
        for (name, expected) in [
            ("cl12", "-cl-std=CL1.2 -O3"),
            (
                "cl30-generic",
                "-cl-std=CL3.0 -Xclang -cl-ext=-all,+__opencl_c_generic_address_space -O3",
            ),
        ] {
            let dialect = Dialect::from_name(name).unwrap();
            assert_eq!(build_options(&library, dialect, &[]).join(" "), expected);
        }
        assert_eq!(
            options("clcpp2021-globals", &[]),
            "clang -cl-std=CLC++2021 -cl-ext=-all,+__opencl_c_program_scope_global_variables {file}"
        );
        assert_eq!(
            options("cl30-generic", &[Requirement::Fp64]),
            "clang -cl-std=CL3.0 -cl-ext=-all,+__opencl_c_generic_address_space,+__opencl_c_fp64,+cl_khr_fp64 {file}"
        );
    }
}
