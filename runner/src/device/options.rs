//! Build options or commands that select a dialect.

use expectations::{
    device::{DeviceKind, ModuleLanguage, Step},
    dialect::{Dialect, Language, Version},
    requirement::Requirement,
};
use worker::{Code, FILE_PLACEHOLDER, Making, Output};

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
        // The library gets the switches of clang's driver, which does not pass them on by itself.
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

/// Returns the file that has the module of a program; `None` if the device file does not declare that a module
/// is emitted.
pub fn module_output(
    kind: &DeviceKind,
    dialect: Dialect,
    requirements: &[Requirement],
) -> Option<Output> {
    const JUDGES_ALONE: &str = "-fsyntax-only";
    let DeviceKind::Command { emits: Some(language), .. } = kind else { return None };
    let file = language.file().to_owned();
    if kind.writer_of(*language).is_some() {
        return Some(Output { file, by: None });
    }
    match language {
        ModuleLanguage::LlvmIr => {
            let emit = ["-O0", "-w", "-emit-llvm", "-o", &file];
            let mut command = build_options(kind, dialect, requirements);
            let at = command.iter().position(|word| word == JUDGES_ALONE)?;
            command.splice(at..=at, emit.map(str::to_owned));
            let by = Step { name: "IR generation".to_owned(), command, rejects_with: Vec::new() };
            Some(Output { file, by: Some(by) })
        }
        ModuleLanguage::Spirv => None,
    }
}

/// Returns the commands by which a compiler makes SPIR-V of a program; `None` if it emits none. Every step of its file
/// belongs to that: a module that the last one rejects is none.
pub fn making(kind: &DeviceKind, dialect: Dialect, requirements: &[Requirement]) -> Option<Making> {
    /// Has the compiler name the types of parameters in the module.
    const ARGUMENT_INFO: &str = "-cl-kernel-arg-info";
    kind.writer_of(ModuleLanguage::Spirv)?;
    let options = build_options(kind, dialect, requirements);
    let by = match asked_code(kind, dialect, requirements) {
        Code::Asked { by } => by,
        Code::NotAsked | Code::Launched { .. } => Vec::new(),
    };
    let making = Making { options, by, file: ModuleLanguage::Spirv.file().to_owned() };
    // An assembler writes what the text says.
    let names_types = dialect.language != Language::Spirv;
    Some(with_options(making, names_types.then(|| ARGUMENT_INFO.to_owned())))
}

/// Returns the commands with further options for every one that reads the program.
pub fn with_options(mut making: Making, options: impl IntoIterator<Item = String>) -> Making {
    let options: Vec<String> = options.into_iter().collect();
    making.options.extend(options.iter().cloned());
    let reads = |step: &&mut Step| step.command.iter().any(|word| word == FILE_PLACEHOLDER);
    for step in making.by.iter_mut().filter(reads) {
        step.command.extend(options.iter().cloned());
    }
    making
}

/// Returns the code to request for the module of a program and nothing after it.
pub fn code_for_module(kind: &DeviceKind, dialect: Dialect, requirements: &[Requirement]) -> Code {
    let writer = kind.emits().and_then(|language| kind.writer_of(language));
    match (asked_code(kind, dialect, requirements), writer) {
        (Code::Asked { mut by }, Some(last)) => {
            by.truncate(last + 1);
            Code::Asked { by }
        }
        _ => Code::NotAsked,
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
            word => filled
                .push(word.replace("{std}", &std).replace("{environment}", environment(dialect))),
        }
    }
    filled
}

/// Returns the environment whose rules a validator of SPIR-V applies. It knows those of OpenCL up to 2.2, which has
/// SPIR-V 1.2; a later version is validated by the rules that hold everywhere.
fn environment(dialect: Dialect) -> &'static str {
    match dialect.version {
        _ if dialect.language != Language::Spirv => "",
        Version::V1_0 | Version::V1_1 | Version::V1_2 => "opencl2.2",
        Version::V1_3 => "spv1.3",
        _ => "spv1.4",
    }
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
    fn a_validator_is_told_the_environment_that_it_knows() {
        let words = ["--target-env".to_owned(), "{environment}".to_owned()];
        for (name, expected) in
            [("spirv10", "opencl2.2"), ("spirv12", "opencl2.2"), ("spirv13", "spv1.3")]
        {
            let filled = filled_in(&words, Dialect::from_name(name).unwrap(), None);
            assert_eq!(filled[1], expected, "{name}");
        }
    }

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
            back: Vec::new(),
        };
        let options = |name, requirements: &[Requirement]| {
            build_options(&kind, Dialect::from_name(name).unwrap(), requirements).join(" ")
        };
        assert_eq!(options("cl12", &[Requirement::Fp64]), "clang -cl-std=CL1.2 {file}");
        assert_eq!(options("spirv14", &[Requirement::Fp64]), "clang -cl-std=spv1.4 {file}");
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

    #[test]
    fn the_last_step_writes_a_module_that_is_translated_back() {
        let file = |back: &str| {
            let text = format!(
                "type = \"command\"\ncommand = [\"c\", \"-fsyntax-only\", \"{{file}}\"]\nversion = [\"c\"]\n\
                 emits = \"spirv\"\n\
                 [[then]]\nname = \"writer\"\ncommand = [\"w\", \"-o\", \"{{scratch}}/kernel.spv\"]\n\
                 [[then]]\nname = \"validator\"\ncommand = [\"v\", \"{{scratch}}/kernel.spv\"]\n\
                 {back}"
            );
            toml::from_str::<DeviceKind>(&text).expect("the file is valid")
        };
        let cl12 = Dialect::from_name("cl12").unwrap();
        let kind = file(
            "[[back]]\nname = \"reader\"\ncommand = [\"r\", \"-o\", \"{scratch}/kernel.ll\"]\n",
        );
        let steps = |kind: &DeviceKind| match code_for_module(kind, cl12, &[]) {
            Code::Asked { by } => by.into_iter().map(|step| step.name).collect(),
            Code::NotAsked | Code::Launched { .. } => Vec::new(),
        };
        let output = |kind: &DeviceKind| module_output(kind, cl12, &[]).map(|output| output.file);
        assert_eq!(steps(&kind), ["writer"]);
        assert_eq!(output(&kind).as_deref(), Some("{scratch}/kernel.spv"));
        let back = kind.translated_back().expect("the file has a way back");
        assert_eq!(steps(&back), ["writer", "reader"]);
        assert_eq!(output(&back).as_deref(), Some("{scratch}/kernel.ll"));
        for none in ["", "[[back]]\nname = \"reader\"\ncommand = [\"r\"]\n"] {
            assert_eq!(file(none).translated_back(), None);
        }
    }
}
