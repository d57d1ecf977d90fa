//! The program in an author's day: formats for editors and CI, folders, comments that allow, fixes, hooks.

#![expect(clippy::needless_raw_string_hashes, reason = "updating the snapshots writes them")]

mod allows;
mod fixes;
mod folders;
mod formats;
mod hooks;
mod recovery;
mod typical;
mod unfixed;

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// The result of running the program.
struct Outcome {
    status: i32,
    output: String,
    errors: String,
}

/// Runs the program with `arguments` in `folder`, and `input` on its standard input.
#[track_caller]
fn run(folder: &Path, arguments: &[&str], input: &str) -> Outcome {
    let mut child = Command::new(env!("CARGO_BIN_EXE_address-spaces-check"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may not read it.
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    Outcome {
        status: output.status.code().expect("no signal"),
        output: String::from_utf8(output.stdout).expect("UTF-8"),
        errors: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Returns a new folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    folder
}
