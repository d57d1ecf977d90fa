//! What a person types, well or wrongly, in a folder of its own: exit status, and the first line of the answer.

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
    format!("$ runner {command}\n{status} {}\n", said.or(printed).unwrap_or_default())
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
            "--list --rule constant/write --dialect cl12",
            "--device checker --rule constant/write --dialect cl12 --results old",
            "--device checker --rule constant/write --dialect cl12 --results new",
            "judge new",
            "convert new --to markdown",
            "convert new --to junit --output junit.xml",
            "compare old new",
            "history add old new --history past.sqlite",
            "report new --into site",
            "merge new --into whole",
            "new-rule constant/mine",
            "new-device mine",
        ],
        &expect![[r#"
            $ runner --version
            0 address-spaces N
            $ runner explain
            0 attribute        N  Attributes on objects, types and parameters beside addres...
            $ runner explain conversion
            0 conversion/aggregates            Each pointer in an initializer list, an arra...
            $ runner explain constant/write
            0 constant/write
            $ runner show constant/write/cl12/lvalue=dereference,space=constant,spelling=plain,write=assign
            0 case         constant/write/cl12/lvalue=dereference,space=constant,spelling=plain,write=assign
            $ runner devices checker
            0 checker: our own front end, part of this program
            $ runner --list --rule constant/write --dialect cl12
            0 constant/write/cl12/lvalue=address-element,space=constant,spelling=plain,write=add: test
            $ runner --device checker --rule constant/write --dialect cl12 --results old
            0 pass              constant/write/cl12/lvalue=address-element,space=constant,spelling=plain,write=add
            $ runner --device checker --rule constant/write --dialect cl12 --results new
            0 pass              constant/write/cl12/lvalue=address-element,space=constant,spelling=plain,write=add
            $ runner judge new
            0 rule family    pass    FAIL
            $ runner convert new --to markdown
            0 # Address spaces of OpenCL C
            $ runner convert new --to junit --output junit.xml
            0 
            $ runner compare old new
            0 checker
            $ runner history add old new --history past.sqlite
            0 checker  N  old: added, the first
            $ runner report new --into site
            0 N pages, N MB, on N run
            $ runner merge new --into whole
            0 N cases in whole
            $ runner new-rule constant/mine
            0 wrote ./expectations/rules/constant/mine.toml
            $ runner new-device mine
            0 wrote ./expectations/devices/mine.toml
        "#]],
    );
}

#[test]
fn mistakes() {
    check(
        &[
            "run --device pocl",
            "version",
            "list",
            "devcies",
            "--device clang19",
            "--device ./mine.toml",
            "--rule conversoin/",
            "--dialect cl13",
            "--shard 3/2",
            "--exact conversion/implicit",
            "explain conversion/implicti",
            "show conversion/implicit/cl12",
            "judge nowhere",
            "merge nowhere --into whole",
            "--resume nowhere",
            "convert nowhere --to junt",
            "completions tsch",
            "handover nowhere --into packs",
        ],
        &expect![[r#"
            $ runner run --device pocl
            2 error: `run` is no command: a run needs none, `address-spaces --device NAME`. As a filter of cases, write more of their ids
            $ runner version
            2 error: `version` is no command: `address-spaces --version` prints it. As a filter of cases, write more of their ids
            $ runner list
            2 error: `list` is no command: `address-spaces --list` prints the cases, `address-spaces devices` the devices, `address-spaces explain` the rules. As a filter of cases, write more of their ids
            $ runner devcies
            3 error: `devcies` is neither a command nor a part of a case's id; did you mean `address-spaces devices`?
            $ runner --device clang19
            2 error: unknown device `clang19`; did you mean `clang-19`?
            $ runner --device ./mine.toml
            2 error: cannot read the device file ./mine.toml: No such file or directory (os error 2)
            $ runner --rule conversoin/
            3 error: `--rule conversoin` names no rule or family; did you mean `conversion`?
            $ runner --dialect cl13
            2 error: invalid value 'cl13' for '--dialect <DIALECT>': no such dialect; did you mean `cl10`, `cl11`, `cl12` or `cl31`?
            $ runner --shard 3/2
            2 error: invalid value '3/2' for '--shard <K/N>': a shard is K/N with 1 <= K <= N, for example 2/8
            $ runner --exact conversion/implicit
            3 error: `conversion/implicit` is no case id: it reads family/rule/dialect/axis=value,...
            $ runner explain conversion/implicti
            3 error: `conversion/implicti` is no rule and no family; did you mean `conversion/implicit`?
            $ runner show conversion/implicit/cl12
            3 error: `conversion/implicit/cl12` is no case id: it reads family/rule/dialect/axis=value,...
            $ runner judge nowhere
            2 error: no results can be read from nowhere: No such file or directory (os error 2); name a folder that `--results` wrote
            $ runner merge nowhere --into whole
            2 error: no results can be read from nowhere: No such file or directory (os error 2); name a folder that `--results` wrote
            $ runner --resume nowhere
            2 error: nowhere holds no run to resume; start one with `--results nowhere`
            $ runner convert nowhere --to junt
            2 error: invalid value 'junt' for '--to <TO>'
            $ runner completions tsch
            2 error: invalid value 'tsch' for '<SHELL>'
            $ runner handover nowhere --into packs
            2 error: the following required arguments were not provided:
        "#]],
    );
}
