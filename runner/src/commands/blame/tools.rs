//! The programs after a front end, and the compilers that run them.

use expectations::{
    cause::Component,
    device::{DeviceFile, DeviceKind, HandsOn},
};

use crate::{
    commands::CommandError,
    device::{files, roots},
};

/// A rung that is a program after the front end.
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) at_fault: Component,
    pub(super) program: String,
    pub(super) package: String,
    pub(super) arguments: Vec<String>,
}

/// Returns a version of clang as an offline compiler. A version without a device file is used like the others.
pub(super) fn compiler(name: &str) -> Result<Option<DeviceFile>, CommandError> {
    let is_version = |version: &str| version.parse::<u32>().is_ok();
    if !name.strip_prefix("clang-").is_some_and(is_version) {
        return Ok(None);
    }
    let known = files::names_of_suite()?;
    if known.iter().any(|known| known == name) {
        return Ok(Some(files::load(name)?));
    }
    let mut others =
        known.iter().filter(|known| known.strip_prefix("clang-").is_some_and(is_version));
    let Some(other) = others.next_back() else { return Ok(None) };
    let mut compiler = files::load(other)?;
    let packages = compiler.install.apt.iter_mut();
    if let DeviceKind::Command { command, version, .. } = &mut compiler.kind {
        for word in packages.chain(command).chain(version).filter(|word| *word == other) {
            name.clone_into(word);
        }
    }
    name.clone_into(&mut compiler.name);
    compiler.front_end = name.replace("clang-", "clang ");
    compiler.release = None;
    Ok(Some(compiler))
}

/// Returns the sequences of tools after the front end, chosen by the intermediate language that the device's own front
/// end emits. Each begins with the same program.
pub(super) fn ways(device: &DeviceFile, compiler: &DeviceFile, name: &str) -> Vec<Vec<Tool>> {
    let DeviceKind::Command { command, .. } = &compiler.kind else { return Vec::new() };
    let version = name.trim_start_matches("clang-");
    let clang = |what: &str, at_fault, options: &[&str], triple: Option<&str>| {
        let mut words: Vec<String> = Vec::new();
        for word in command {
            match (word.as_str(), triple) {
                ("-fsyntax-only", _) => words.extend(options.iter().map(ToString::to_string)),
                ("spir64", Some(triple)) => words.push(triple.to_owned()),
                _ => words.push(word.clone()),
            }
        }
        Tool {
            name: format!("{name}, {what}"),
            at_fault,
            program: command[0].clone(),
            package: name.to_owned(),
            arguments: words.split_off(1),
        }
    };
    let ir = |triple| {
        let mut options = vec!["-O0", "-w", "-emit-llvm-bc", "-o", "{scratch}/kernel.bc"];
        // The translator of that version reads typed pointers, which drivers ask clang for.
        if version == "15" && device.hands_on == HandsOn::SpirV {
            options.push("-no-opaque-pointers");
        }
        clang("IR generation", Component::ClangCodeGeneration, &options, triple)
    };
    let tool = |program: &str, what: &str, package: &str, arguments: &[&str]| Tool {
        name: what.to_owned(),
        at_fault: Component::SpirvTranslator,
        program: program.to_owned(),
        package: package.to_owned(),
        arguments: arguments.iter().map(ToString::to_string).collect(),
    };
    let translator = format!("llvm-spirv-{version}");
    let (bitcode, module) = ("{scratch}/kernel.bc", "{scratch}/kernel.spv");
    match device.hands_on {
        HandsOn::SpirV => vec![vec![
            ir(None),
            tool(&translator, "the translator to SPIR-V", &translator, &[bitcode, "-o", module]),
            tool(
                "spirv-val",
                "the validator of SPIR-V, on what the translator wrote",
                "spirv-tools",
                &[module],
            ),
            tool(
                &translator,
                "the translator back from SPIR-V",
                &translator,
                &["-r", module, "-o", "{scratch}/back.bc"],
            ),
        ]],
        HandsOn::LlvmIr => {
            // For a known system clang leaves the headers to its driver.
            let host = Some("x86_64-unknown-unknown");
            let options = ["-O2", "-w", "-emit-obj", "-o", "{scratch}/kernel.o"];
            vec![vec![
                ir(host),
                clang("code for x86-64", Component::ClangCodeGeneration, &options, host),
            ]]
        }
    }
}

/// Whether a program is on the path, or in the root folder.
pub(super) fn is_here(program: &str, release: Option<&str>) -> bool {
    match release {
        Some(release) => {
            let root = roots::folder(release);
            ["usr/bin", "usr/local/bin"]
                .iter()
                .any(|folder| root.join(folder).join(program).exists())
        }
        None => std::env::var_os("PATH").is_some_and(|path| {
            std::env::split_paths(&path).any(|folder| folder.join(program).exists())
        }),
    }
}
