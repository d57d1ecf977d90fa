//! The files that the arguments of the command line stand for: folders are searched, patterns matched.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Component, Path, PathBuf},
};

use crate::render::escape;
use globset::GlobBuilder;
use ignore::{WalkBuilder, types::TypesBuilder};
use thiserror::Error;

/// Endings of the files that a folder is searched for.
const ENDINGS: [&str; 2] = ["cl", "ocl"];

/// An argument that stands for no file.
#[derive(Debug, Error)]
pub(super) enum NoInput {
    #[error(
        "`{folder}` has no OpenCL C file (`*.cl` or `*.ocl`) that Git does not ignore: name the \
         files"
    )]
    EmptyFolder { folder: String },
    #[error(
        "no file matches `{pattern}`: hidden files and files that Git ignores are left out unless \
         they are named; `**` matches folders at any depth"
    )]
    NoMatch { pattern: String },
    #[error("`{pattern}` is not a pattern: {reason}")]
    BadPattern { pattern: String, reason: String },
    #[error("`{folder}` cannot be searched: {reason}")]
    Unreadable { folder: String, reason: String },
}

/// Returns the files that `named` stand for, each once. A folder stands for the programs below it, a pattern for the
/// files that it matches. Both are sorted and leave out files that are hidden or ignored by Git.
pub(super) fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, NoInput> {
    let mut files = Vec::new();
    let mut seen = BTreeSet::new();
    for path in named {
        let found = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => below(path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_pattern(path) => {
                matching(path)?
            }
            _ => vec![path.clone()],
        };
        files.extend(found.into_iter().filter(|file| seen.insert(plain(file.clone()))));
    }
    Ok(files)
}

/// Returns the programs below a folder.
fn below(folder: &Path) -> Result<Vec<PathBuf>, NoInput> {
    let mut types = TypesBuilder::new();
    for ending in ENDINGS {
        // These names and patterns are valid.
        let _ = types.add("opencl", &format!("*.{ending}"));
    }
    types.select("opencl");
    let mut walk = WalkBuilder::new(folder);
    walk.types(types.build().map_err(|error| unreadable(folder, &error))?);
    let files = walked(walk, folder)?;
    if files.is_empty() {
        return Err(NoInput::EmptyFolder { folder: shown(folder) });
    }
    Ok(files)
}

/// Returns the files that match a pattern.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>, NoInput> {
    let is_plain = |part: &Component<'_>| !has_wildcard(Path::new(part));
    let root: PathBuf = pattern.components().take_while(is_plain).collect();
    let rest: PathBuf = pattern.components().skip_while(is_plain).collect();
    let root = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root };
    let glob = GlobBuilder::new(&rest.to_string_lossy())
        .literal_separator(true)
        .build()
        .map_err(|error| NoInput::BadPattern {
            pattern: shown(pattern),
            reason: escape::line(&error.kind().to_string()),
        })?
        .compile_matcher();
    let found = if root.is_dir() { walked(WalkBuilder::new(&root), &root)? } else { Vec::new() };
    let inside = |file: &PathBuf| {
        file.strip_prefix(plain(root.clone())).map_or_else(|_| file.clone(), Path::to_path_buf)
    };
    let matches: Vec<PathBuf> =
        found.into_iter().filter(|file| glob.is_match(inside(file))).collect();
    if matches.is_empty() {
        return Err(NoInput::NoMatch { pattern: shown(pattern) });
    }
    Ok(matches)
}

/// Returns the files below `folder` that a walk finds, sorted. Ignore files count outside of repositories too.
fn walked(mut walk: WalkBuilder, folder: &Path) -> Result<Vec<PathBuf>, NoInput> {
    walk.require_git(false);
    let mut files = Vec::new();
    for entry in walk.build() {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        if entry.path().is_file() {
            files.push(entry.into_path());
        }
    }
    files.sort();
    Ok(files.into_iter().map(plain).collect())
}

fn unreadable(folder: &Path, error: &ignore::Error) -> NoInput {
    NoInput::Unreadable { folder: shown(folder), reason: escape::line(&error.to_string()) }
}

/// Returns the path without a `./` before it.
fn plain(file: PathBuf) -> PathBuf {
    file.strip_prefix("./").map(Path::to_path_buf).unwrap_or(file)
}

fn is_pattern(path: &Path) -> bool {
    path.components().any(|part| has_wildcard(Path::new(&part)))
}

fn has_wildcard(part: &Path) -> bool {
    part.to_string_lossy().contains(['*', '?', '[', '{'])
}

fn shown(path: &Path) -> String {
    escape::line(&path.to_string_lossy())
}
