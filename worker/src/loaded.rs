//! Files that a worker's process has in its memory: they show what was really loaded, whatever was requested.

use std::path::{Path, PathBuf};

use procfs::process::{MMapPath, Process};
use serde::{Deserialize, Serialize};

/// Names longer than this are no versions.
const LONGEST_VERSION: usize = 40;

/// Files that say which driver a worker has, and on what it was built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadedFiles {
    /// The driver's library, or the program of a command-line compiler; empty where it is not known.
    pub driver: String,
    /// The other files that are mapped, once each, in the order of their addresses.
    pub others: Vec<String>,
}

impl LoadedFiles {
    /// Returns the entry for a program, which has a process of its own.
    pub fn program(path: &Path) -> Self {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Self { driver: path.to_string_lossy().into_owned(), others: Vec::new() }
    }

    /// Returns the files that this process has mapped, with the driver as the one that holds one of these functions.
    pub fn by(functions: &[usize]) -> Self {
        let mapped = mapped();
        let holding = functions.iter().find_map(|&function| {
            let function = u64::try_from(function).ok()?;
            mapped.iter().find(|file| (file.from..file.to).contains(&function))
        });
        let driver = holding.map(|file| file.path.clone()).unwrap_or_default();
        let mut others: Vec<PathBuf> = Vec::new();
        for file in &mapped {
            if file.path != driver && !others.contains(&file.path) {
                others.push(file.path.clone());
            }
        }
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        Self { driver: text(driver), others: others.into_iter().map(text).collect() }
    }

    /// Returns the version of LLVM, by the name of its library.
    pub fn llvm(&self) -> Option<String> {
        self.version_of(&["libLLVM", "libclang-cpp"])
    }

    /// Returns the version of the translator between LLVM IR and SPIR-V, by the name of its library.
    pub fn translator(&self) -> Option<String> {
        self.version_of(&["libLLVMSPIRVLib"])
    }

    /// Returns the mapped file of libclc, which has no version of its own.
    pub fn libclc(&self) -> Option<String> {
        let is_libclc = |path: &&String| {
            path.contains("/clc/") || path.rsplit('/').next().is_some_and(|n| n.contains("libclc"))
        };
        self.others.iter().find(is_libclc).cloned()
    }

    /// Returns the version in the name of the first library that begins with one of these.
    fn version_of(&self, beginnings: &[&str]) -> Option<String> {
        let names = || self.others.iter().filter_map(|path| path.rsplit('/').next());
        beginnings
            .iter()
            .find_map(|beginning| names().find_map(|name| version(name.strip_prefix(beginning)?)))
    }
}

/// Returns the version in the rest of a library's name: `15` for `-15.so.1`, `19.1` for `.so.19.1`.
fn version(rest: &str) -> Option<String> {
    let (before, after) = rest.split_once(".so")?;
    let version = match before.trim_start_matches('-') {
        "" => after.trim_start_matches('.'),
        version => version,
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+' | b'~');
    let begins = version.starts_with(|c: char| c.is_ascii_digit());
    let fits = begins && version.len() <= LONGEST_VERSION && version.bytes().all(plain);
    fits.then(|| version.to_owned())
}

/// A part of a file in memory.
struct MappedFile {
    from: u64,
    to: u64,
    path: PathBuf,
}

fn mapped() -> Vec<MappedFile> {
    let maps = Process::myself().and_then(|process| process.maps());
    let parts = maps.into_iter().flatten().filter_map(|map| match map.pathname {
        MMapPath::Path(path) => Some(MappedFile { from: map.address.0, to: map.address.1, path }),
        _ => None,
    });
    parts.collect()
}

/// Whether this process may read this many bytes from this address on.
pub(crate) fn is_readable(address: usize, bytes: usize) -> bool {
    use procfs::process::MMPermissions;
    let (Ok(from), Some(to)) = (u64::try_from(address), address.checked_add(bytes)) else {
        return false;
    };
    let maps = Process::myself().and_then(|process| process.maps());
    maps.into_iter().flatten().any(|map| {
        map.perms.contains(MMPermissions::READ)
            && map.address.0 <= from
            && u64::try_from(to).is_ok_and(|to| to <= map.address.1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_stand_in_the_names_of_libraries() {
        for (name, found) in [
            ("-15.so.1", Some("15")),
            (".so.19.1", Some("19.1")),
            ("-19.so.19.1", Some("19")),
            (".so", None),
            ("-x.so", None),
            ("-1\u{1b}[31m.so", None),
            ("", None),
        ] {
            assert_eq!(version(name).as_deref(), found, "{name}");
        }
    }

    #[test]
    fn what_is_loaded_says_what_a_driver_was_built_on() {
        let others = ["/usr/lib/libLLVM-15.so.1", "/o/libLLVMSPIRVLib.so.15", "/usr/lib/clc/a.spv"];
        let loaded =
            LoadedFiles { driver: String::new(), others: others.map(str::to_owned).to_vec() };
        assert_eq!(loaded.llvm().as_deref(), Some("15"));
        assert_eq!(loaded.translator().as_deref(), Some("15"));
        assert_eq!(loaded.libclc().as_deref(), Some("/usr/lib/clc/a.spv"));
    }

    #[test]
    fn a_function_tells_its_file() {
        let own = std::fs::read_link("/proc/self/exe").unwrap();
        let loaded = LoadedFiles::by(&[0, version as *const () as usize]);
        assert_eq!(Path::new(&loaded.driver), own);
        assert!(loaded.others.iter().any(|path| path.contains("libc")), "{loaded:?}");
        assert!(!is_readable(0, 8) && is_readable(&raw const loaded as usize, 8));
    }
}
