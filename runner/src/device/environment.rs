//! Environment and target of a device's worker.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{self, Path, PathBuf},
};

use expectations::{
    device::{DeviceFile, DeviceKind},
    dialect::{Dialect, Version},
};
use wildmatch::WildMatch;
use worker::{CapabilityQuery, NamedVersion, Target, WorkerCommand, ZygoteSetup};

use super::options::build_options;

/// The variable that narrows the loader to one implementation. For ocl-icd it may name a library; for Khronos' loader
/// it is a folder, and without that folder there is no implementation.
pub const LOADER_VARIABLE: &str = "OCL_ICD_VENDORS";

/// The variable by which Khronos' loader is given a library; ocl-icd does not know it.
const LIBRARY_VARIABLE: &str = "OCL_ICD_FILENAMES";

/// Variables with which a user selects the implementations that the loader offers.
const LOADER_VARIABLES: [&str; 3] = [LOADER_VARIABLE, LIBRARY_VARIABLE, "OPENCL_VENDOR_PATH"];

/// Caches of drivers that have no device file, switched off or in the worker's folder: an answer from a cache is not an
/// answer.
const NO_CACHES: [(&str, &str); 8] = [
    ("AMD_COMGR_CACHE", "0"),
    ("CL_CACHE_DIR", "{scratch}"),
    ("CUDA_CACHE_DISABLE", "1"),
    ("MESA_SHADER_CACHE_DISABLE", "true"),
    ("NEO_CACHE_PERSISTENT", "0"),
    ("POCL_CACHE_DIR", "{scratch}"),
    ("POCL_KERNEL_CACHE", "0"),
    ("XDG_CACHE_HOME", "{scratch}"),
];

/// Ending of the name of a file that names an implementation's library.
const ICD_FILE: &str = ".icd";

/// Folder of such files.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// Returns the environment of a device that has no file.
pub fn without_caches() -> Vec<(String, String)> {
    NO_CACHES.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

/// Returns a variable of the user that selects a different implementation from the device file.
pub fn contradiction(device: &DeviceFile) -> Option<Contradiction> {
    let DeviceKind::Opencl { icd: Some(icd), .. } = &device.kind else { return None };
    let set = |name: &&str| std::env::var_os(name).filter(|value| !value.is_empty());
    LOADER_VARIABLES.iter().find_map(|name| {
        let value = set(name)?.to_string_lossy().into_owned();
        Some(Contradiction { variable: name, value, icd: icd.clone() })
    })
}

/// A conflict between a user's variable and a device's own implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    pub variable: &'static str,
    pub value: String,
    /// The implementation that the device names.
    pub icd: String,
}

/// The worker's program, where it is found by its name.
const WORKER_PROGRAM: &str = "address-spaces-worker";

/// Stands for the folder of a device's packages.
const INSTALL_PLACEHOLDER: &str = "{install}";

/// Returns the target that the worker opens; `None` for the checker, which needs no worker.
pub fn target(device: &DeviceFile) -> Option<Target> {
    match &device.kind {
        DeviceKind::Checker => None,
        DeviceKind::Opencl { platform, .. } => Some(Target::Opencl { platform: platform.clone() }),
        DeviceKind::Command { command, version, rejects_with, .. } => Some(Target::Command {
            program: tested_program(command, version).to_owned(),
            version: version.clone(),
            rejects_with: rejects_with.clone(),
            asked: capability_query(&device.kind),
        }),
        DeviceKind::Comgr { library, isas, code_options, .. } => Some(Target::Comgr {
            library: library.clone(),
            isas: isas.clone(),
            code_options: code_options.clone(),
            newest_first: versions(&device.kind),
            cxx: cxx_versions(&device.kind),
        }),
    }
}

/// Returns the program that a command tests. A shell only runs others, of which one prints its version.
fn tested_program<'c>(command: &'c [String], version: &'c [String]) -> &'c str {
    let program = command.first().filter(|program| *program != "sh");
    program.or_else(|| version.first()).map_or("", String::as_str)
}

/// Returns the query for the capabilities of a compiler's device.
fn capability_query(kind: &DeviceKind) -> CapabilityQuery {
    match kind {
        DeviceKind::Command { query, .. } if !query.is_empty() => {
            CapabilityQuery::Query { command: query.clone() }
        }
        DeviceKind::Command { dialects, .. } if dialects.is_empty() => {
            CapabilityQuery::Versions { newest_first: versions(kind), cxx: cxx_versions(kind) }
        }
        _ => CapabilityQuery::Nothing,
    }
}

/// Returns the versions of OpenCL C, the newest first, each with the command that builds a program of it.
fn versions(kind: &DeviceKind) -> Vec<(NamedVersion, Vec<String>)> {
    let versions = Version::ALL.iter().rev().filter_map(|version| {
        let number = version.number();
        let named = NamedVersion { major: number / 100, minor: number / 10 % 10 };
        let mut dialects = Dialect::OPENCL_C.into_iter();
        let plain = dialects.find(|dialect| dialect.version == *version)?;
        Some((named, build_options(kind, plain, &[])))
    });
    versions.collect()
}

/// Returns the versions of C++ for OpenCL, each with the command that builds a program of it.
fn cxx_versions(kind: &DeviceKind) -> Vec<(NamedVersion, Vec<String>)> {
    let mut known = Vec::new();
    for dialect in Dialect::CXX {
        let named = cxx_version(dialect);
        if known.iter().all(|(other, _)| *other != named) {
            known.push((named, build_options(kind, dialect, &[])));
        }
    }
    known
}

/// Returns the version of C++ for OpenCL of a dialect.
pub fn cxx_version(dialect: Dialect) -> NamedVersion {
    match dialect.version {
        Version::V3_0 | Version::V3_1 => NamedVersion { major: 2021, minor: 0 },
        _ => NamedVersion { major: 1, minor: 0 },
    }
}

/// Returns the command that starts a worker elsewhere; `None` if it runs here.
pub fn elsewhere(
    device: &DeviceFile,
    install_folder: &Path,
    here: &WorkerCommand,
) -> Option<Vec<String>> {
    let folder = path::absolute(install_folder).unwrap_or_else(|_| install_folder.to_owned());
    let place = &device.place;
    let root = place.root.as_ref().map(|root| {
        let root = root.replace(INSTALL_PLACEHOLDER, &folder.to_string_lossy());
        // On the other side of a command it is that side's to resolve.
        let here = place.via.is_empty().then(|| path::absolute(&root).ok()).flatten();
        here.map_or(root, |root| root.to_string_lossy().into_owned())
    });
    let in_root = root.iter().flat_map(|root| ["--root".to_owned(), root.clone()]);
    if !place.via.is_empty() {
        let program = place.worker.as_deref().unwrap_or(WORKER_PROGRAM).to_owned();
        return Some(place.via.iter().cloned().chain([program]).chain(in_root).collect());
    }
    root.as_ref()?;
    let text = |word: &OsStr| word.to_string_lossy().into_owned();
    let here = [here.program.as_os_str()]
        .into_iter()
        .chain(here.arguments.iter().map(OsString::as_os_str));
    Some(here.map(text).chain(["supervise".to_owned()]).chain(in_root).collect())
}

/// Returns the device with `{install}` in its commands replaced by the folder of its packages. A path there may have
/// `*` in it.
pub fn installed(device: &DeviceFile, install_folder: &Path) -> DeviceFile {
    let folder = path::absolute(install_folder).unwrap_or_else(|_| install_folder.to_owned());
    let mut device = device.clone();
    if let DeviceKind::Command { command, version, then, query, back, .. } = &mut device.kind {
        let steps = then.iter_mut().chain(back).flat_map(|step| &mut step.command);
        for word in command.iter_mut().chain(version).chain(query).chain(steps) {
            if word.contains(INSTALL_PLACEHOLDER) {
                *word = filled_in(word, &folder);
            }
        }
    }
    device
}

/// Replaces `{install}`, and a pattern with `*` by the first file or folder that matches.
fn filled_in(word: &str, folder: &Path) -> String {
    let word = word.replace(INSTALL_PLACEHOLDER, &folder.to_string_lossy());
    let fixed = word.split_once('*').and_then(|(fixed, _)| fixed.rsplit_once('/'));
    let found = fixed.and_then(|(folder, _)| find(&WildMatch::new(&word), Path::new(folder)));
    found.unwrap_or(word)
}

/// Returns the environment of the device file, with `{install}` replaced by the folder of its packages, and with the
/// loader restricted to the device's implementation. The implementation's path may have `*` in it, for any part of a
/// path.
pub fn environment(device: &DeviceFile, install_folder: &Path) -> Vec<(String, String)> {
    let mut environment = expanded(&device.environment, install_folder);
    if let Some(icd) = implementation(device, install_folder) {
        if let Some(library) = library(device, &icd) {
            environment.push((LIBRARY_VARIABLE.to_owned(), library));
        }
        environment.push((LOADER_VARIABLE.to_owned(), icd));
    }
    environment
}

/// Returns the settings for forking the device's workers; `None` if they cannot be forked.
pub fn zygote(device: &DeviceFile, install_folder: &Path) -> Option<ZygoteSetup> {
    let zygote = device.zygote.as_ref()?;
    let environment = expanded(&zygote.environment, install_folder);
    Some(ZygoteSetup { environment, idle_threads: zygote.idle_threads })
}

fn expanded(variables: &[(String, String)], install_folder: &Path) -> Vec<(String, String)> {
    // The worker runs in a folder of its own.
    let folder = path::absolute(install_folder).unwrap_or_else(|_| install_folder.to_owned());
    let expand = |value: &str| value.replace(INSTALL_PLACEHOLDER, &folder.to_string_lossy());
    variables.iter().map(|(name, value)| (name.clone(), expand(value))).collect()
}

/// Returns the library of an implementation; `None` if a file that is not on this machine names it.
fn library(device: &DeviceFile, icd: &str) -> Option<String> {
    if !icd.ends_with(ICD_FILE) {
        return Some(icd.to_owned());
    }
    // In a root folder, or on another machine, the file of that name is another.
    if device.place.root.is_some() || !device.place.via.is_empty() {
        return None;
    }
    // An absolute path replaces the folder it is joined to.
    let text = fs::read_to_string(Path::new(VENDORS).join(icd)).ok()?;
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// Returns the implementation that the loader is restricted to: the name of an ICD file, or a library.
pub fn implementation(device: &DeviceFile, install_folder: &Path) -> Option<String> {
    let folder = path::absolute(install_folder).unwrap_or_else(|_| install_folder.to_owned());
    match &device.kind {
        DeviceKind::Opencl { icd: Some(icd), .. } => Some(filled_in(icd, &folder)),
        _ => None,
    }
}

/// Returns the first file below `folder` that matches: installers put libraries into folders named after their version.
fn find(pattern: &WildMatch, folder: &Path) -> Option<String> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    entries.sort_unstable();
    entries.iter().find_map(|path| {
        let text = path.to_string_lossy();
        if pattern.matches(&text) {
            return Some(text.into_owned());
        }
        // A link may lead back up.
        if path.is_dir() && !path.is_symlink() { find(pattern, path) } else { None }
    })
}

/// Returns the environment without the restriction of the loader, which shows all implementations.
pub fn wide_environment(device: &DeviceFile, install_folder: &Path) -> Vec<(String, String)> {
    let mut environment = environment(device, install_folder);
    environment.retain(|(name, _)| name != LOADER_VARIABLE && name != LIBRARY_VARIABLE);
    environment
}

#[cfg(test)]
mod tests {
    use expectations::device::{CodeGeneration, Place};

    use super::*;
    use crate::device::files;

    #[test]
    fn every_loader_is_narrowed_to_the_implementation() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.icd").to_string_lossy().into_owned();
        fs::write(&file, "\n/opt/libx.so \n").unwrap();
        let elsewhere = || Place { root: Some("/r".to_owned()), ..Place::default() };
        for (icd, place, expected) in [
            ("libx.so.1", Place::default(), Some("libx.so.1")),
            ("libx.so.1", elsewhere(), Some("libx.so.1")),
            (file.as_str(), Place::default(), Some("/opt/libx.so")),
            (file.as_str(), elsewhere(), None),
            ("/no/such/file.icd", Place::default(), None),
        ] {
            let kind = DeviceKind::Opencl {
                platform: "X".to_owned(),
                icd: Some(icd.to_owned()),
                generates_code: CodeGeneration::default(),
            };
            let mut device = files::load("pocl").unwrap();
            (device.kind, device.place) = (kind, place);
            let narrow = environment(&device, folder.path());
            let of = |wanted: &str| {
                let found = narrow.iter().find(|(name, _)| name == wanted);
                found.map(|(_, value)| value.as_str())
            };
            assert_eq!((of(LOADER_VARIABLE), of(LIBRARY_VARIABLE)), (Some(icd), expected));
            let wide = wide_environment(&device, folder.path());
            assert!(!wide.iter().any(|(name, _)| LOADER_VARIABLES.contains(&name.as_str())));
        }
    }
}
