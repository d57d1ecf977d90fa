//! What a user reads uses the words of the glossary, and none of those it replaces.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use regex::Regex;
use runner::cli::help::command;

/// Crates whose string literals a user may read.
const CRATES: [&str; 6] = ["expectations", "generator", "results", "reports", "runner", "checker"];
/// Keys of data files that hold ids and patterns, not prose.
const NOT_PROSE: [&str; 3] = ["cases", "example", "program"];

/// Words that files of former versions hold, and where they are read.
const OF_FORMER_FILES: [(&str, &str); 2] = [
    ("expectations/src/baseline/file.rs:", "`refuses`"),
    ("results/src/store.rs:", "`unexplained`"),
];

/// A text that a user reads, and where it stands.
struct Shown {
    location: String,
    text: String,
}

/// A word that is not used, and the one that is.
struct Replaced {
    pattern: Regex,
    by: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn what_users_read_has_the_words_of_the_glossary() {
    let replaced = replaced(&fs::read_to_string(root().join("docs/glossary.md")).unwrap());
    assert!(replaced.len() > 20, "the glossary's table was not read");
    let shown = everything_shown();
    let found: Vec<String> = shown.iter().flat_map(|shown| wrong_words(shown, &replaced)).collect();
    let is_former =
        |found: &str, (path, word): (&str, &str)| found.starts_with(path) && found.contains(word);
    for former in OF_FORMER_FILES {
        assert!(found.iter().any(|found| is_former(found, former)), "{former:?} is read no more");
    }
    let is_wrong =
        |found: &&String| !OF_FORMER_FILES.iter().any(|&former| is_former(found, former));
    let wrong: Vec<&str> = found.iter().filter(is_wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} words of another name:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn programs_are_called_as_they_are_installed() {
    let installed = ["runner", "checker", "worker"].map(|name| (name, programs_of(name)));
    assert_eq!(installed[0].1, [runner::PROGRAM]);
    assert_eq!(command().get_name(), runner::PROGRAM);
    let is_own = |name: &String| name.starts_with(runner::PROGRAM);
    assert!(installed.iter().all(|(_, names)| names.len() == 1 && is_own(&names[0])));
    // `cargo run -p runner -- ...` is the package.
    let commands: Vec<String> =
        command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let typed = commands.join("|");
    let of_package = |(package, names): &(&str, Vec<String>)| Replaced {
        pattern: Regex::new(&format!(
            r"(?m)(?:^[ \t]*|[`(]|\$ |\| |<code>){package} +(?:--?[a-z]|(?:{typed})\b)"
        ))
        .unwrap(),
        by: names[0].clone(),
    };
    let former: Vec<Replaced> = installed.iter().map(of_package).collect();
    let shown = everything_shown();
    let wrong: Vec<String> = shown.iter().flat_map(|shown| wrong_words(shown, &former)).collect();
    assert!(wrong.is_empty(), "{} commands that nobody has:\n{}", wrong.len(), wrong.join("\n"));
}

/// Programs that `cargo install` puts on a path, of a package of the workspace.
fn programs_of(package: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let programs = manifest["bin"].as_array().unwrap();
    programs.iter().map(|program| program["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn types_of_the_glossary_exist() {
    let sources: String = CRATES.iter().flat_map(|name| files(&format!("{name}/src"), "rs")).fold(
        String::new(),
        |mut all, path| {
            all.push_str(&fs::read_to_string(path).unwrap());
            all
        },
    );
    let glossary = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    for row in rows(&glossary) {
        let name = row[2].trim_matches('`');
        let defined = |keyword: &str| {
            Regex::new(&format!(r"\b{keyword} {name}\b")).unwrap().is_match(&sources)
        };
        assert!(
            name.is_empty() || ["struct", "enum", "type"].into_iter().any(defined),
            "no type `{name}`, which the glossary names for `{}`",
            row[0]
        );
    }
}

#[test]
fn a_replaced_word_is_found() {
    let replaced = replaced(
        "| word | meaning | type | not |\n|---|---|---|---|\n| control | the nearest valid case | | twin |\n",
    );
    let check = |text: &str| {
        let shown = Shown { location: "page.md".to_owned(), text: text.to_owned() };
        wrong_words(&shown, &replaced)
    };
    assert_eq!(check("a\nits Twin was built"), ["page.md:2: `Twin`: say `control`"]);
    assert!(check("the twinkling control").is_empty());
}

/// Rows of the glossary's tables: word, meaning, type, not.
fn rows(glossary: &str) -> Vec<[&str; 4]> {
    glossary.lines().filter_map(cells).filter(is_data).collect()
}

fn cells(line: &str) -> Option<[&str; 4]> {
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    inner.split('|').map(str::trim).collect::<Vec<_>>().try_into().ok()
}

fn is_data(row: &[&str; 4]) -> bool {
    row[0] != "word" && !row[0].starts_with('-')
}

fn replaced(glossary: &str) -> Vec<Replaced> {
    let of_row = |row: [&str; 4]| {
        let by = row[0].to_owned();
        let words: Vec<String> =
            row[3].split(',').map(str::trim).filter(|w| !w.is_empty()).map(str::to_owned).collect();
        words.into_iter().map(move |word| Replaced {
            pattern: Regex::new(&format!(r"(?i)\b{}\b", word.replace(' ', r"\s+"))).unwrap(),
            by: by.clone(),
        })
    };
    rows(glossary).into_iter().flat_map(of_row).collect()
}

fn wrong_words(shown: &Shown, replaced: &[Replaced]) -> Vec<String> {
    let of_word = |word: &Replaced| {
        let found = word.pattern.find_iter(&shown.text).map(|found| {
            let line = shown.text[..found.start()].matches('\n').count() + 1;
            format!("{}:{line}: `{}`: say `{}`", shown.location, found.as_str(), word.by)
        });
        found.collect::<Vec<_>>()
    };
    replaced.iter().flat_map(of_word).collect()
}

/// Files below a folder of the project with this ending.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found
}

fn location(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

fn everything_shown() -> Vec<Shown> {
    [pages(), help(), literals(), templates(), data()].into_iter().flatten().collect()
}

fn pages() -> Vec<Shown> {
    let named = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| root().join(name));
    let glossary = root().join("docs/glossary.md");
    let pages = files("docs", "md").into_iter().chain(named).filter(|path| *path != glossary);
    let read = |path: PathBuf| Shown {
        location: location(&path),
        text: fs::read_to_string(&path).unwrap(),
    };
    pages.map(read).collect()
}

/// `--help` of every command.
fn help() -> Vec<Shown> {
    let mut shown = Vec::new();
    let mut commands = vec![command()];
    while let Some(mut command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let location = format!("`{} --help`", command.get_name());
        shown.push(Shown { location, text: command.render_long_help().to_string() });
    }
    shown
}

/// Every string literal outside of tests.
fn literals() -> Vec<Shown> {
    let sources = CRATES.iter().flat_map(|name| files(&format!("{name}/src"), "rs"));
    let sources = sources.filter(|path| !path.components().any(|part| part.as_os_str() == "tests"));
    let mut shown = Vec::new();
    for path in sources.filter(|path| path.file_name().is_none_or(|name| name != "tests.rs")) {
        let tokens: TokenStream = fs::read_to_string(&path).unwrap().parse().unwrap();
        strings(tokens, &location(&path), &mut shown);
    }
    assert!(shown.len() > 1000, "the sources were not read");
    shown
}

/// String literals of a piece of a program: attributes and modules for tests left out.
fn strings(tokens: TokenStream, location: &str, shown: &mut Vec<Shown>) {
    let mut of_a_test = false;
    let mut attribute = false;
    for token in tokens {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => attribute = true,
            TokenTree::Punct(mark) if mark.as_char() == '!' && attribute => {}
            TokenTree::Group(group) if attribute && group.delimiter() == Delimiter::Bracket => {
                of_a_test |= group.stream().to_string().replace(' ', "") == "cfg(test)";
                attribute = false;
                // Messages of errors stand in attributes; comments are no text for users.
                if group.stream().to_string().starts_with("error") {
                    strings(group.stream(), location, shown);
                }
            }
            TokenTree::Group(group) => {
                attribute = false;
                if of_a_test && group.delimiter() == Delimiter::Brace {
                    of_a_test = false;
                } else if !of_a_test {
                    strings(group.stream(), location, shown);
                }
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.contains('"') && !of_a_test {
                    let line = literal.span().start().line;
                    shown.push(Shown { location: format!("{location}:{line}"), text });
                }
            }
            _ => attribute = false,
        }
    }
}

/// Templates of pages, job scripts and hand-over packs, without their tags.
fn templates() -> Vec<Shown> {
    let tags =
        Regex::new(r"(?s)\[%.*?%\]|\[<.*?>\]|\[#.*?#\]|\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}").unwrap();
    let folders = ["templates/reports", "templates/handover", "templates/cluster"];
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        // Lines stay where they are.
        let blank = |found: &regex::Captures<'_>| "\n".repeat(found[0].matches('\n').count());
        Shown { location: location(&path), text: tags.replace_all(&text, blank).into_owned() }
    };
    folders.iter().flat_map(|folder| files(folder, "tera")).map(read).collect()
}

/// Prose of rules, baselines and the catalogue.
fn data() -> Vec<Shown> {
    let mut shown = Vec::new();
    for path in files("expectations", "toml") {
        let text = fs::read_to_string(&path).unwrap();
        let table: toml::Table = text.parse().unwrap();
        prose(&toml::Value::Table(table), &location(&path), &mut shown);
    }
    shown
}

fn prose(value: &toml::Value, location: &str, shown: &mut Vec<Shown>) {
    match value {
        toml::Value::String(text) => {
            shown.push(Shown { location: location.to_owned(), text: text.clone() });
        }
        toml::Value::Array(values) => values.iter().for_each(|value| prose(value, location, shown)),
        toml::Value::Table(table) => {
            for (key, value) in table {
                if !NOT_PROSE.contains(&key.as_str()) {
                    prose(value, &format!("{location}: {key}"), shown);
                }
            }
        }
        _ => {}
    }
}
