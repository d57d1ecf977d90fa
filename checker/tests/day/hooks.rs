//! The hooks for pre-commit and the action of GitHub: the commands in their files are run. `.ci/hooks` runs pre-commit
//! itself.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::folder;

const BAD: &str = "kernel void k(int *to) { *to = 1; }\n";

fn repository_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    fs::read_to_string(path).expect("a file of the repository")
}

/// Runs a script with the checker on its path.
fn shell(script: &str, folder: &Path, variables: &[(&str, &str)]) -> Output {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_address-spaces-check"));
    let programs = program.parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", script])
        .current_dir(folder)
        .env("PATH", format!("{programs}:{path}"))
        .envs(variables.iter().copied())
        .output()
        .expect("bash is here")
}

/// Returns the values of `key` in a file, one for each line that has it.
fn values<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    text.lines().filter_map(|line| line.trim().strip_prefix(key)?.strip_prefix(": ")).collect()
}

#[test]
fn hooks_find_and_fix() {
    let hooks = repository_file(".pre-commit-hooks.yaml");
    let entries = values(&hooks, "entry");
    assert_eq!(entries.len(), values(&hooks, "- id").len());
    assert!(values(&hooks, "files").iter().all(|files| *files == r"\.(cl|ocl)$"));
    for entry in entries {
        let folder = folder(&[("bad.cl", BAD), ("fine.cl", "kernel void k(void) {}")]);
        let output = shell(&format!("{entry} --std CL1.2 bad.cl fine.cl"), folder.path(), &[]);
        let text = fs::read_to_string(folder.path().join("bad.cl")).expect("there");
        let is_fixed = text != BAD;
        assert_eq!(is_fixed, entry.contains("--fix"), "{entry}: {output:?}");
        assert_eq!(output.status.success(), is_fixed, "{entry}: {output:?}");
    }
}

#[test]
fn the_action_writes_commands() {
    let action = repository_file("action.yml");
    let (_, script) = action.rsplit_once("run: |\n").expect("a script of several lines");
    let folder = folder(&[("src/bad.cl", BAD), ("temporary/checker/release/none", "")]);
    let temporary = folder.path().join("temporary");
    symlink(
        env!("CARGO_BIN_EXE_address-spaces-check"),
        temporary.join("checker/release/address-spaces-check"),
    )
    .expect("a link");
    let run = |paths: &str, std: &str, arguments: &str| {
        let temporary = temporary.to_str().expect("UTF-8");
        let variables =
            [("PATHS", paths), ("STD", std), ("ARGUMENTS", arguments), ("RUNNER_TEMP", temporary)];
        shell(script, folder.path(), &variables)
    };
    let output = run("src", "CL1.2", "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.starts_with("::error file=src/bad.cl,line=1,"), "{text}");
    let without = run("src/bad.cl .", "CL1.2", "--without parameter/kernel-pointee -D X=1");
    assert!(without.status.success(), "{without:?}");
    assert_eq!(run("src", "", "").status.code(), Some(2), "a version must be named");
    for name in ["PATHS", "STD", "ARGUMENTS"] {
        let input = format!("{name}: ${{{{ inputs.{} }}}}", name.to_lowercase());
        assert!(action.contains(&input), "{input}");
    }
}
