//! The book's rule for the checker: its patches are applied to a copy of the checker, whose tests then pass.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

const PAGE: &str = "docs/add-a-checker-rule.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Copies the library of the checker and the test of its rules into a workspace of its own.
fn copy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (root(), folder.path());
    for name in ["checker/src", "checker/tests/rules"] {
        copy_folder(&from.join(name), &to.join(name));
    }
    for name in ["checker/tests/rules.rs", "Cargo.lock"] {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
    let mut workspace = manifest(&from.join("Cargo.toml"));
    let members: toml_edit::Array = ["checker"].into_iter().collect();
    workspace["workspace"]["members"] = toml_edit::value(members);
    // Settings of packages that are not in this workspace.
    workspace.remove("profile");
    fs::write(to.join("Cargo.toml"), workspace.to_string()).unwrap();
    let mut checker = manifest(&from.join("checker/Cargo.toml"));
    // That test needs only the library.
    checker.remove("dev-dependencies");
    checker.remove("bench");
    fs::write(to.join("checker/Cargo.toml"), checker.to_string()).unwrap();
    folder
}

fn manifest(path: &Path) -> toml_edit::DocumentMut {
    fs::read_to_string(path).unwrap().parse().unwrap()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Returns the patches of the page, in its order.
fn patches() -> Vec<String> {
    let text = fs::read_to_string(root().join(PAGE)).unwrap();
    let blocks = text.split("\n```").skip(1).step_by(2);
    let patches = blocks.filter_map(|block| block.strip_prefix("diff\n"));
    patches.map(|patch| format!("{patch}\n")).collect()
}

fn apply(patch: &str, folder: &Path) {
    let mut child = Command::new("git")
        .args(["apply", "--recount", "-"])
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("git can be run");
    child.stdin.take().unwrap().write_all(patch.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{PAGE}: this patch does not fit: {said}\n{patch}");
}

/// Runs the test of the checker's rules; returns whether it passes, and its output.
fn test_rules(folder: &Path) -> (bool, String) {
    let done = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--package", "checker", "--test", "rules"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", root().join("target/checker-rule"))
        .output()
        .unwrap();
    let text = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn the_rule_of_the_book_can_be_added() {
    let folder = copy();
    let patches = patches();
    let [programs, rest @ ..] = patches.as_slice() else { panic!("{PAGE}: no patch") };
    apply(programs, folder.path());
    let (passes, text) = test_rules(folder.path());
    assert!(!passes && text.contains("member/bit-field"), "programs without their rule:\n{text}");
    for patch in rest {
        apply(patch, folder.path());
    }
    let (passes, text) = test_rules(folder.path());
    assert!(passes, "{text}");
}
