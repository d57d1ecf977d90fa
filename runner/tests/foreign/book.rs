//! The manual: every command in it works as written, and every link has a target.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use libtest_mimic::{Completion, Failed, Trial};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::support::{CLANG, POCL, PYTHON, Tool, ensure};

/// A word of a chapter's commands, and the program that is needed for it.
const NEEDS: [(&str, Tool); 3] = [("pocl", POCL), ("clang-19", CLANG), (".py", PYTHON)];

/// A test for each chapter with commands, and one for the links.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("links_of_the_book_lead_somewhere", links_lead_somewhere)];
    // The last page has the longest commands.
    for (name, text) in chapters().into_iter().rev() {
        let commands = commands(&text);
        if commands.is_empty() {
            continue;
        }
        trials.push(Trial::ignorable_test(format!("commands_of_{name}"), move || {
            let needed = NEEDS.iter().filter(|(word, _)| commands.contains(word));
            match needed.map(|(_, tool)| tool).find(|tool| !tool.is_here()) {
                Some(tool) => Ok(Completion::ignored_with(tool.how_to_get())),
                None => follow(&commands).map(|()| Completion::Completed),
            }
        }));
    }
    trials
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The chapters' texts by file name.
fn chapters() -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(root().join("docs")).unwrap();
    let pages = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// A chapter's blocks marked `sh`, as one script, and its files, blocks marked with a language and a path, written
/// where they belong. Blocks marked `sh,slow` and `sh,cluster` are left to the scripts of `.ci`.
fn commands(text: &str) -> String {
    let mut script = String::new();
    let mut block = Block::Other;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) => {
                block = match kind.split_once(',') {
                    None if &*kind == "sh" => Block::Commands,
                    Some((_, path)) if path.contains('/') => Block::File(path.to_owned()),
                    _ => Block::Other,
                };
            }
            Event::End(TagEnd::CodeBlock) => block = Block::Other,
            Event::Text(text) => match &block {
                Block::Commands => script.push_str(&text),
                Block::File(path) => {
                    let _ = writeln!(script, "cat > {path} <<'END_OF_FILE'\n{text}END_OF_FILE");
                }
                Block::Other => {}
            },
            _ => {}
        }
    }
    script
}

/// A block of code of a chapter.
enum Block {
    Commands,
    File(String),
    Other,
}

/// Runs the chapter's commands, in an empty folder that has the manual's examples.
fn follow(script: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("docs"), folder.path().join("docs")).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_address-spaces")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-e", "-x", "-c", script])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", programs.display()))
        .output()
        .unwrap();
    ensure(output.status.success(), || {
        format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr))
    })
}

fn links_lead_somewhere() -> Result<(), Failed> {
    let docs = root().join("docs");
    for (name, text) in chapters() {
        for event in Parser::new(&text) {
            let Event::Start(Tag::Link { dest_url, .. }) = event else { continue };
            let file = dest_url.split('#').next().unwrap_or_default();
            if !dest_url.contains("://") && !file.is_empty() {
                ensure(docs.join(file).exists(), || format!("{name}: {dest_url} leads nowhere"))?;
            }
        }
    }
    Ok(())
}
