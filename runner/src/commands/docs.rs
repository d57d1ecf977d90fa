//! `address-spaces dev docs`: write the generated pages of the manual, or check that they are as they would be written.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use generator::suite::Suite;
use reports::{
    findings, manifest,
    manual::{contents, generated_pages},
    questions, upstream,
};

use super::CommandError;
use crate::findings::{causes::KnownCauses, spread};

/// The folders all of whose files are generated.
const GENERATED: [&str; 3] = ["findings", "rules", "schema"];

/// The book's table of contents.
const SUMMARY: &str = "SUMMARY.md";

/// The order in which the book is read.
const ORDER: [&str; 24] = [
    "README.md",
    "quick-start.md",
    "checker.md",
    "editor.md",
    "reading-a-report.md",
    "depth.md",
    "baselines.md",
    "dialects.md",
    "add-a-rule.md",
    "add-a-checker-rule.md",
    "add-a-device.md",
    "your-own-driver.md",
    "todays-releases.md",
    "file-formats.md",
    "random-programs.md",
    "random.md",
    "more-than-one-machine.md",
    "nightly.md",
    "upstream.md",
    "mended.md",
    "findings.md",
    "disputed.md",
    "trace.md",
    "invariants.md",
];

fn generated(suite: &Suite, folder: &Path) -> Result<BTreeMap<String, String>, CommandError> {
    let mut pages = generated_pages(suite)?;
    let known = KnownCauses::read()?;
    pages.extend(findings::pages(suite, known.causes, &known.devices, &known.shared)?);
    let text = upstream::page(known.everything(suite, &known.entries()))?;
    pages.insert(upstream::PAGE.to_owned(), text);
    pages.insert(questions::PAGE.to_owned(), questions::page(suite)?);
    for (name, format, schema) in [
        ("results", results::line::FORMAT, results::schema::results()),
        ("package", results::package::FORMAT, results::schema::package()),
        ("compare", reports::compare::FORMAT, reports::compare::schema()),
        ("manifest", manifest::FORMAT, manifest::schema()),
        ("checker", checker::render::json::FORMAT, checker::render::json::schema()),
        ("objects", checker::objects::FORMAT, checker::objects::schema()),
    ] {
        pages.insert(format!("schema/{name}-{format}.schema.json"), schema);
    }
    pages.insert("random.md".to_owned(), spread::page(suite));
    let chapters = chapters(&pages, folder)?;
    pages.insert(SUMMARY.to_owned(), contents(suite, &chapters)?);
    Ok(pages)
}

/// Returns the book's chapters by file and title, written and generated: those of [`ORDER`], then any others. The pages
/// of a folder follow the chapter of the folder's name.
fn chapters(
    pages: &BTreeMap<String, String>,
    folder: &Path,
) -> Result<Vec<(String, String)>, CommandError> {
    let is_chapter = |name: &str| {
        let is_page = Path::new(name).extension().is_some_and(|extension| extension == "md");
        is_page && !name.contains('/') && name != SUMMARY
    };
    let mut titles = BTreeMap::new();
    for name in existing_here(folder)?.into_iter().filter(|name| is_chapter(name)) {
        let path = folder.join(&name);
        let text = std::fs::read_to_string(&path).map_err(|source| file_error(&path, source))?;
        titles.insert(name, title(&text));
    }
    titles.extend(
        pages
            .iter()
            .filter(|(name, _)| is_chapter(name))
            .map(|(name, text)| (name.clone(), title(text))),
    );
    let chapter_above = |name: &str| name.split_once('/').map(|(folder, _)| format!("{folder}.md"));
    let sections = pages.iter().filter_map(|(name, text)| {
        let is_section = chapter_above(name).is_some_and(|index| pages.contains_key(&index));
        is_section.then(|| (name.clone(), title(text)))
    });
    titles.extend(sections);
    let place = |name: &str| {
        let chapter = chapter_above(name).unwrap_or_else(|| name.to_owned());
        ORDER.iter().position(|known| *known == chapter).unwrap_or(ORDER.len())
    };
    let mut chapters: Vec<(String, String)> = titles.into_iter().collect();
    chapters.sort_by_key(|(name, _)| place(name));
    Ok(chapters)
}

fn title(text: &str) -> String {
    let first = text.lines().find_map(|line| line.strip_prefix("# "));
    first.unwrap_or("Untitled").to_owned()
}

/// Returns the names of the files in a folder; none if the folder does not exist yet.
fn existing_here(folder: &Path) -> Result<Vec<String>, CommandError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(file_error(folder, source)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|source| file_error(folder, source))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

/// Writes every generated page below `folder`, removes pages that are no longer generated, and returns the number of
/// pages.
pub fn write(suite: &Suite, folder: &Path) -> Result<usize, CommandError> {
    let pages = generated(suite, folder)?;
    for stale in stale(&pages, folder)? {
        let path = folder.join(&stale);
        std::fs::remove_file(&path).map_err(|source| file_error(&path, source))?;
    }
    for (name, text) in &pages {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|source| file_error(parent, source))?;
        }
        std::fs::write(&path, text).map_err(|source| file_error(&path, source))?;
    }
    Ok(pages.len())
}

/// Paths below `folder` whose text is not what would be written.
pub fn differing(suite: &Suite, folder: &Path) -> Result<Vec<String>, CommandError> {
    let pages = generated(suite, folder)?;
    let mut differing = stale(&pages, folder)?;
    for (name, text) in &pages {
        if std::fs::read_to_string(folder.join(name)).ok().as_ref() != Some(text) {
            differing.push(name.clone());
        }
    }
    Ok(differing)
}

/// Pages that nothing produces any more.
fn stale(pages: &BTreeMap<String, String>, folder: &Path) -> Result<Vec<String>, CommandError> {
    let mut stale = Vec::new();
    for generated in GENERATED {
        let found = existing(&folder.join(generated))?;
        stale.extend(found.into_iter().map(|name| format!("{generated}/{name}")));
    }
    stale.retain(|name| !pages.contains_key(name));
    Ok(stale)
}

fn existing(root: &Path) -> Result<Vec<String>, CommandError> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(source) => return Err(file_error(&folder, source)),
        };
        for entry in entries {
            let path = entry.map_err(|source| file_error(&folder, source))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(root) {
                found.push(name.display().to_string());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn file_error(path: &Path, source: std::io::Error) -> CommandError {
    CommandError::File { path: path.display().to_string(), source }
}
