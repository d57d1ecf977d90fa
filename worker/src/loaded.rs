//! Files that a worker's process has in its memory: they show what was really loaded, not what was requested.

use std::path::{Path, PathBuf};

use procfs::process::{MMapPath, Process};
use serde::{Deserialize, Serialize};

/// Names longer than this are not versions.
const LONGEST_VERSION: usize = 40;

/// Files that identify a worker's driver and what it was built on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadedFiles {
    /// The driver's library, or the program of a command-line compiler; empty if it is not known.
    pub driver: String,
    /// Other libraries that hold functions of the driver: those that it wraps, or that wrap it.
    #[serde(default)]
    pub with: Vec<String>,
    /// The other files that are mapped, once each, in the order of their addresses.
    pub others: Vec<String>,
}

impl LoadedFiles {
    /// Returns the entry for a program, which has a process of its own.
    pub fn program(path: &Path) -> Self {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Self { driver: path.to_string_lossy().into_owned(), ..Self::default() }
    }

    /// Returns the files that this process has mapped. The driver is `opened`, where that holds one of these functions,
    /// else the file that holds the first of them.
    pub fn by(functions: &[usize], opened: Option<&Path>) -> Self {
        let mapped = mapped();
        let holding = functions.iter().filter_map(|&function| {
            let function = u64::try_from(function).ok()?;
            mapped.iter().find(|file| (file.from..file.to).contains(&function))
        });
        let mut holding = once_each(holding.map(|file| &file.path));
        let opened = opened.and_then(|path| path.canonicalize().ok());
        let is_opened = |path: &&PathBuf| Some(*path) == opened.as_ref();
        let driver = holding.iter().position(is_opened).unwrap_or(0);
        let driver = (driver < holding.len()).then(|| holding.remove(driver));
        let mut others = once_each(mapped.iter().map(|file| &file.path));
        others.retain(|path| Some(*path) != driver);
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        Self {
            driver: driver.map(text).unwrap_or_default(),
            with: holding.into_iter().map(text).collect(),
            others: others.into_iter().map(text).collect(),
        }
    }

    /// Returns the driver's library and those that it shares its functions with, in words; `None` if none is known.
    pub fn libraries(&self) -> Option<String> {
        let first = Some(self.driver.clone()).filter(|path| !path.is_empty())?;
        Some(match self.with.as_slice() {
            [] => first,
            with => format!("{first} with functions of {}", with.join(" and ")),
        })
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

fn once_each<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Vec<&'p PathBuf> {
    let mut known = Vec::new();
    for path in paths {
        if !known.contains(&path) {
            known.push(path);
        }
    }
    known
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
            LoadedFiles { others: others.map(str::to_owned).to_vec(), ..LoadedFiles::default() };
        assert_eq!(loaded.llvm().as_deref(), Some("15"));
        assert_eq!(loaded.translator().as_deref(), Some("15"));
        assert_eq!(loaded.libclc().as_deref(), Some("/usr/lib/clc/a.spv"));
    }

    #[test]
    fn a_function_tells_its_file() {
        let own = std::fs::read_link("/proc/self/exe").unwrap();
        let loaded = LoadedFiles::by(&[0, version as *const () as usize], None);
        assert_eq!(Path::new(&loaded.driver), own);
        assert_eq!(loaded.with, [] as [&str; 0]);
        assert!(loaded.others.iter().any(|path| path.contains("libc")), "{loaded:?}");
        let c_library = libc::getpid as *const () as usize;
        let functions = [version as *const () as usize, c_library];
        for opened in [None, Some(own.as_path()), Some(Path::new("/no/such"))] {
            let loaded = LoadedFiles::by(&functions, opened);
            assert_eq!(Path::new(&loaded.driver), own);
            assert!(
                matches!(loaded.with.as_slice(), [path] if path.contains("libc")),
                "{loaded:?}"
            );
        }
        let c_library = PathBuf::from(&LoadedFiles::by(&functions, None).with[0]);
        let loaded = LoadedFiles::by(&functions, Some(&c_library));
        assert_eq!(Path::new(&loaded.driver), c_library);
        assert!(!is_readable(0, 8) && is_readable(&raw const loaded as usize, 8));
    }
}
