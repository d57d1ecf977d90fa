//! Command lines as a person types them, right or wrong, in a folder of its own: exit status, and the first line of the
//! answer.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{path::Path, process::Command};

use expect_test::{Expect, expect};

/// `$ command`, the exit status and the first line that is not empty: of standard error, or else of standard
/// output, figures as `N`.
fn check(commands: &[&str], expected: &Expect) {
    let folder = tempfile::tempdir().unwrap();
    let answers: String = commands.iter().map(|command| answer(folder.path(), command)).collect();
    assert!(!answers.contains("panicked"), "{answers}");
    expected.assert_eq(&answers);
}

fn answer(folder: &Path, command: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(command.split_whitespace())
        .current_dir(folder)
        .env("COLUMNS", "80")
        .output()
        .unwrap();
    let said = first_line(&output.stderr);
    let printed = first_line(&output.stdout).map(|line| steady(&line));
    let status = output.status.code().unwrap();
    format!("$ address-spaces {command}\n{status} {}\n", said.or(printed).unwrap_or_default())
}

fn first_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().find(|line| !line.trim().is_empty()).map(str::to_owned)
}

/// Counts, times and dates as `N`.
fn steady(line: &str) -> String {
    let words = line
        .split(' ')
        .map(|word| if word.starts_with(|c: char| c.is_ascii_digit()) { "N" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn tasks() {
    check(
        &[
            "--version",
            "explain",
            "explain conversion",
            "explain constant/write",
            "show constant/write/cl12/lvalue=dereference,space=constant,spelling=plain,write=assign",
            "devices checker",
            "list --rule constant/write --dialect cl12",
            "--device checker --rule constant/write --dialect cl12 --results old",
            "--device checker --rule constant/write --dialect cl12 --results new",
            "judge new",
            "convert new --to markdown",
            "convert new --to junit --output junit.xml",
            "compare old new",
            "history add old new --history past.sqlite",
            "report new --into site",
            "merge new --into whole",
            "dev new-rule constant/mine",
            "dev new-device mine",
        ],
        &expect![[r#"
            $ address-spaces --version
            0 address-spaces N
            $ address-spaces explain
            0 attribute        N  Attributes on objects, types and parameters beside address spaces.
            $ address-spaces explain conversion
            0 conversion/aggregates            Each pointer in an initializer list, an array or a structure is checked separately, at any position and depth.
            $ address-spaces explain constant/write
            0 constant/write
            $ address-spaces show constant/write/cl12/lvalue=dereference,space=constant,spelling=plain,write=assign
            0 case         constant/write/cl12/lvalue=dereference,space=constant,spelling=plain,write=assign
            $ address-spaces devices checker
            0 checker: our own front end, part of this program
            $ address-spaces list --rule constant/write --dialect cl12
            0 constant/write/cl12/lvalue=address-element,space=constant,spelling=plain,write=add
            $ address-spaces --device checker --rule constant/write --dialect cl12 --results old
            0 pass              constant/write/cl12/lvalue=address-element,space=constant,spelling=plain,write=add
            $ address-spaces --device checker --rule constant/write --dialect cl12 --results new
            0 pass              constant/write/cl12/lvalue=address-element,space=constant,spelling=plain,write=add
            $ address-spaces judge new
            0 rule family    pass    FAIL
            $ address-spaces convert new --to markdown
            0 # Address spaces of OpenCL C
            $ address-spaces convert new --to junit --output junit.xml
            0 
            $ address-spaces compare old new
            0 checker
            $ address-spaces history add old new --history past.sqlite
            0 checker  N  old: added as the first
            $ address-spaces report new --into site
            0 N pages, N MB, on N run
            $ address-spaces merge new --into whole
            0 N cases in whole
            $ address-spaces dev new-rule constant/mine
            0 wrote ./expectations/rules/constant/mine.toml
            $ address-spaces dev new-device mine
            0 wrote ./expectations/devices/mine.toml
        "#]],
    );
}

#[test]
fn mistyped_commands() {
    check(
        &[
            "test --device pocl",
            "version",
            "audit",
            "devcies",
            "--device clang19",
            "--device ./mine.toml",
            "--rule conversoin/",
            "--dialect cl13",
            "list --std 1.2",
            "check --dialect 1.2 kernel.cl",
            "--shard 3/2",
            "--exact conversion/implicit",
            "explain conversion/implicti",
            "show conversion/implicit/cl12",
            "gather /etc/passwd",
            "merge nowhere --into /etc/passwd",
            "list string-literal/use/cl12/form=argument,literal=plain,to=constant,constness=const",
            "judge nowhere",
            "merge nowhere --into whole",
            "--resume nowhere",
            "convert nowhere --to junt",
            "completions tsch",
            "handover nowhere --into packs",
        ],
        &expect![[r#"
            $ address-spaces test --device pocl
            2 error: `test` is not a command: `address-spaces run` runs the suite. To filter cases, write more of their ids
            $ address-spaces version
            2 error: `version` is not a command: `address-spaces --version` prints it. To filter cases, write more of their ids
            $ address-spaces audit
            2 error: `audit` is not a command: `address-spaces dev audit` is one. To filter cases, write more of their ids
            $ address-spaces devcies
            3 error: `devcies` is neither a command nor a part of a case's id; did you mean `address-spaces devices`?
            $ address-spaces --device clang19
            2 error: unknown device `clang19`; did you mean `clang-19`?
            $ address-spaces --device ./mine.toml
            2 error: cannot read the device file ./mine.toml: No such file or directory
            $ address-spaces --rule conversoin/
            3 error: `--rule conversoin` names no rule or family; did you mean `conversion`?
            $ address-spaces --dialect cl13
            2 error: invalid value 'cl13' for '--dialect <DIALECT>': no such dialect; did you mean `cl10`, `cl11`, `cl12` or `cl31`?
            $ address-spaces list --std 1.2
            2 error: unexpected argument '--std <std>' found
            $ address-spaces check --dialect 1.2 kernel.cl
            2 error: unexpected argument '--dialect <DIALECT>' found
            $ address-spaces --shard 3/2
            2 error: invalid value '3/2' for '--shard <K/N>': a shard is K/N with 1 <= K <= N, for example 2/8
            $ address-spaces --exact conversion/implicit
            3 error: `conversion/implicit` is not a case id: it reads family/rule/dialect/axis=value,...
            $ address-spaces explain conversion/implicti
            3 error: `conversion/implicti` is neither a rule nor a family; did you mean `conversion/implicit`?
            $ address-spaces show conversion/implicit/cl12
            3 error: `conversion/implicit/cl12` is not a case id: it reads family/rule/dialect/axis=value,...
            $ address-spaces gather /etc/passwd
            2 error: /etc/passwd/plan.json: Not a directory; name a folder
            $ address-spaces merge nowhere --into /etc/passwd
            2 error: no results can be read from nowhere: No such file or directory; name a folder that `--results` wrote
            $ address-spaces list string-literal/use/cl12/form=argument,literal=plain,to=constant,constness=const
            0 string-literal/use/cl12/constness=const,form=argument,literal=plain,to=constant
            $ address-spaces judge nowhere
            2 error: no results can be read from nowhere: No such file or directory; name a folder that `--results` wrote
            $ address-spaces merge nowhere --into whole
            2 error: no results can be read from nowhere: No such file or directory; name a folder that `--results` wrote
            $ address-spaces --resume nowhere
            2 error: nowhere contains no run to resume; start one with `--results nowhere`
            $ address-spaces convert nowhere --to junt
            2 error: invalid value 'junt' for '--to <TO>'
            $ address-spaces completions tsch
            2 error: invalid value 'tsch' for '<SHELL>'
            $ address-spaces handover nowhere --into packs
            2 error: the following required arguments were not provided:
        "#]],
    );
}
