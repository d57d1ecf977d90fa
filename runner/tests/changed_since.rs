//! `--changed-since` selects the cases of which something changed since a revision of a checkout.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// A device with an entry for cases that it judges rightly.
const DEVICE: &str =
    "what = \"our checker\"\nown-front-end = \"ours\"\n[device]\ntype = \"checker\"\n";
const ENTRY: &str = "[[deviation]]\ncases = [\"string-literal/use/cl12/*\"]\n\
    findings = [\"crash\"]\nkind = \"driver-bug\"\nreason = \"r\"\n";

/// Returns a folder laid out like a checkout, with a history of one commit.
fn checkout() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for path in
        ["expectations/rules/conversion/cast.toml", "templates/kernels/shared/scope-begin.cl.tera"]
    {
        let to = folder.path().join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(root.join(path), to).unwrap();
    }
    fs::write(folder.path().join("ours.toml"), DEVICE).unwrap();
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message=first"],
        &["tag", "v1"],
    ] {
        assert!(git(folder.path(), arguments).status.success(), "{arguments:?}");
    }
    folder
}

fn git(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("git").args(arguments).current_dir(folder).output().expect("git can be run")
}

fn add(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = fs::read_to_string(&path).unwrap_or_default();
    fs::write(path, before + text).unwrap();
}

/// Runs the program in the folder of a checkout, and checks its status and what it prints to standard error. Returns
/// the rules and dialects of the cases on standard output.
fn check(folder: &Path, line: &str, path: Option<&str>, status: i32, said: &str) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
    command.args(["--overlay", "."]).args(line.split(' ')).current_dir(folder);
    command.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap());
    if let Some(path) = path {
        command.env("PATH", path);
    }
    let output = command.output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(status), "{line}\n{stdout}\n{stderr}");
    assert!(stderr.contains(said), "{line}\n{stderr}");
    let ids = stdout.split_whitespace().filter(|word| word.contains('='));
    let mut rules: Vec<String> =
        ids.map(|id| id.split('/').take(3).collect::<Vec<_>>().join("/")).collect();
    rules.dedup();
    rules
}

#[test]
fn cases_are_selected_by_the_files_that_changed() {
    const LIST: &str = "list --dialect cl12 --changed-since v1";
    for (path, text, selected, said) in [
        (
            "expectations/rules/conversion/cast.toml",
            "# more\n",
            &["conversion/cast"][..],
            "changed since v1: 1 rule (conversion/cast)",
        ),
        // What git does not know is new.
        (
            "expectations/rules/string-literal/use.toml",
            include_str!("../../expectations/rules/string-literal/use.toml"),
            &["string-literal/use"],
            "changed since v1: 1 rule (string-literal/use)",
        ),
        (
            "templates/kernels/shared/scope-begin.cl.tera",
            "\n",
            &[],
            " rules (declaration/automatic-global ",
        ),
        ("generator/src/types.rs", "//", &[], "generator/src/types.rs, which change every case"),
    ] {
        let folder = checkout();
        let nothing = "no rule, template of a rule or entry of the device changed since `v1`";
        check(folder.path(), LIST, None, 3, nothing);
        add(folder.path(), path, text);
        let rules = check(folder.path(), LIST, None, 0, said);
        assert!(!rules.is_empty(), "{path}");
        let expected = selected.iter().map(|rule| format!("{rule}/cl12"));
        assert!(selected.is_empty() || expected.eq(rules), "{path}");
        git(folder.path(), &["add", "."]);
        check(folder.path(), LIST, None, 0, said);
    }
}

#[test]
fn entries_of_the_device_select_the_cases_that_they_match() {
    const RUN: &str = "run --device ./ours.toml --rule string-literal --changed-since v1";
    let folder = checkout();
    check(folder.path(), RUN, None, 3, "changed since `v1`");
    add(folder.path(), "ours.toml", ENTRY);
    let said = "changed since v1: entries of ours.toml";
    // The entry is stale.
    let rules = check(folder.path(), RUN, None, 1, said);
    assert_eq!(rules, ["string-literal/use/cl12"]);
    add(folder.path(), "ours.toml", "[environment]\nA = \"1\"\n");
    check(folder.path(), RUN, None, 1, "changed since v1: ours.toml, which change every case");
}

#[test]
fn what_prevents_a_comparison_is_an_error_with_a_remedy() {
    let folder = checkout();
    let without = tempfile::tempdir().unwrap();
    for (folder, revision, path, said) in [
        (&folder, "v2", None, "`v2` is not a revision of ."),
        (&folder, "--all", None, "`--all` is not a revision of ."),
        (&folder, "v1", Some(""), "`--changed-since` needs git, which cannot be started"),
        (&without, "v1", None, "git does not find it: fatal: not a git repository"),
    ] {
        let line = format!("list --changed-since={revision}");
        check(folder.path(), &line, path, 2, said);
    }
    let other = checkout();
    add(other.path(), "expectations/Cargo.toml", "");
    add(other.path(), "expectations/rules/conversion/cast.toml", "# more\n");
    for (folder, said) in [
        (&without, "run it in one, or name one with `--overlay DIR`"),
        (&other, "the rules in this program are not those of "),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
            .args(["list", "--changed-since", "v1"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
}
