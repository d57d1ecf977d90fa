//! Adding rules and devices: mistakes are reported with file, line and remedy, skeletons name their empty parts, and
//! clauses are compared with copies of their documents. The rule and the device are those of the book.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    path::Path,
    process::{Command, Output},
};

use runner::{device::files, overlay};
use tempfile::TempDir;

const RULE: &str = "expectations/rules/conversion/passed-pointer.toml";
const KERNEL: &str = "templates/kernels/conversion/passed-pointer.cl.tera";
const DEVICE: &str = "expectations/devices/our-clang.toml";

/// A folder with the files of the book's examples.
fn examples() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs");
    for page in ["add-a-rule.md", "add-a-device.md"] {
        let text = std::fs::read_to_string(docs.join(page)).unwrap();
        for block in text.split("\n```").skip(1).step_by(2) {
            let (head, body) = block.split_once('\n').unwrap_or((block, ""));
            let Some((_, path)) = head.split_once(',') else { continue };
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("{body}\n")).unwrap();
        }
    }
    folder
}

/// Puts a mistake into the examples: the error must contain the line, the fault and the remedy.
fn check(file: &str, from: &str, to: &str, line: usize, said: &[&str]) {
    let folder = changed_examples(&[(file, from, to)]);
    let error = if file == DEVICE {
        files::load_with(Some(folder.path()), "our-clang").unwrap_err().to_string()
    } else {
        overlay::suite_with(Some(folder.path())).map(|_| ()).unwrap_err().to_string()
    };
    let place = format!("{file}:{line}:");
    assert!(error.contains(&place), "{place} {from} -> {to}\n{error}");
    for said in said {
        assert!(error.contains(said), "{said}: {from} -> {to}\n{error}");
    }
    assert_eq!(error.lines().count(), 1, "one mistake is one error\n{error}");
}

#[test]
fn mistakes_are_answered_with_place_and_remedy() {
    overlay::suite_with(Some(examples().path())).map(|_| ()).unwrap();
    files::load_with(Some(examples().path()), "our-clang").unwrap();
    for (file, from, to, line, said) in [
        (
            RULE,
            "\"conv.assign-disjoint\"",
            "\"conv.asign-disjoint\"",
            16,
            "did you mean `conv.assign-disjoint`?",
        ),
        (
            RULE,
            "covers = [\"conv.assign-disjoint\", \"param.call-mismatch\"]\n",
            "",
            15,
            "the key `covers` is missing: list the requirements that the rule decides",
        ),
        (RULE, "covers", "cover", 16, "unknown key `cover`; did you mean `covers`?"),
        (
            RULE,
            "breaks = \"conversion/implicit\"\n",
            "",
            12,
            "breaks `conversion/passed-pointer`, which the checker does not know: name the prohibition",
        ),
        (RULE, "\"conversion/implicit\"", "\"conversion/implict\"", 13, "did you mean"),
        (RULE, "\"conversion/implicit\"", "\"\"", 13, "`breaks` is empty: name the prohibition"),
        (RULE, "encloses(to, from)", "encloses(to, form)", 9, "did you mean `from`?"),
        (RULE, "\"reject\"", "\"rejct\"", 12, "unknown value `rejct`; did you mean `reject`?"),
        (RULE, "when = \"encloses(to, from)\"\n", "", 8, "must be the last"),
        (RULE, "[axes]", "template = \"shared/converson\"\n[axes]", 3, "did you mean"),
        (RULE, "\"OpenCL_C", "\"OpenCL_D", 17, "did you mean `OpenCL_C`?"),
        (RULE, "86728e\"", "86728\"", 17, "address-spaces dev clauses OpenCL_C=FILE --section"),
        (
            RULE,
            "from = [\"global\", \"local\"",
            "from = [\"global\", \"global\"",
            4,
            "is twice on the axis",
        ),
        (RULE, "[axes]\n", "[axes]\nform = [\"call\", \"cast\"]\n", 4, "write `[< form >]` there"),
        (
            KERNEL,
            "[% endif %]\n    [< p >]take",
            "    [< p >]take",
            7,
            "is never closed: write `[% endif %]`",
        ),
        (KERNEL, "[< to_q >]int", "[< to_q int", 2, ">]"),
        (
            KERNEL,
            "from == \"private\"",
            "form == \"private\"",
            7,
            "`form` is neither an axis of `conversion/passed-pointer`, nor set before, nor built in; did you mean `from`?",
        ),
        (
            KERNEL,
            "from == \"private\"",
            "from == \"privat\"",
            7,
            "`from` is never `privat`; did you mean `private`?",
        ),
        (
            DEVICE,
            "\"clang 19\"",
            "\"clagn 19\"",
            2,
            "(did you mean `clang 19`?); a new one is declared by `own-front-end",
        ),
        (DEVICE, "front-end = \"clang 19\"\n", "", 1, "the key `front-end` is missing"),
        (
            DEVICE,
            "what = \"a compiler of ours, the front end alone\"",
            "what = \"\"",
            1,
            "say in a",
        ),
        (DEVICE, "apt =", "atp =", 10, "did you mean `apt`?"),
    ] {
        check(file, from, to, line, &[said]);
    }
}

/// A baseline entry for the book's device, after its tenth and last line.
const ENTRY: &str = r#"apt = ["clang-19"]
[[deviation]]
cases = ["conversion/passed-pointer/*"]
when = "from == global and encloses(to, from)"
findings = ["rejects-valid"]
kind = "driver-bug"
reason = "what is wrong"
"#;

#[test]
fn mistakes_in_entries_are_answered_with_place_and_remedy() {
    let install = "apt = [\"clang-19\"]\n";
    for (from, to, line, said) in [
        ("from == global", "form == global", 13, "did you mean `from`?"),
        ("from == global", "from == globl", 13, "did you mean `global`?"),
        ("passed-pointer/", "passed-ponter/", 13, "did you mean `conversion/passed-pointer`?"),
        (
            "conversion/passed-pointer/",
            "conversion/*",
            13,
            "name the rule in `conversion/**`, as `family/rule/*`",
        ),
        ("rejects-valid", "reject-valid", 14, "did you mean `rejects-valid`?"),
        ("\"rejects-valid\"", "", 12, "say what is known: either `findings`"),
        ("driver-bug", "driver-bg", 15, "did you mean `driver-bug`?"),
        ("what is wrong", "", 16, "say what the driver does wrong"),
    ] {
        assert!(ENTRY.contains(from), "{from}");
        check(DEVICE, install, &ENTRY.replacen(from, to, 1), line, &[said]);
    }
}

/// A folder with the files of the book's examples, in which texts are replaced: file, text and replacement.
fn changed_examples(changes: &[(&str, &str, &str)]) -> TempDir {
    let folder = examples();
    for (file, from, to) in changes {
        let path = folder.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    }
    folder
}

/// The output of a run of the rule with these changes, all of which it rejects.
fn rejected(changes: &[(&str, &str, &str)]) -> String {
    let folder = changed_examples(changes);
    let output = runner(folder.path(), &["--rule", "conversion/passed-pointer"]);
    let said = both(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    said
}

#[test]
fn a_forgotten_prefix_is_answered_with_place_and_remedy() {
    for (from, to, name, place) in [
        ("void [< p >]take(", "void take(", "take", "2:6"),
        ("kernel void [< p >]test(", "kernel void test(", "test", "5:13"),
        ("void [< p >]take(", "typedef int other;\nvoid [< p >]take(", "other", "2:13"),
    ] {
        let said = rejected(&[(KERNEL, from, to)]);
        assert!(
            said.contains(&format!("{KERNEL}:{place}: `{name}` is a name at file scope without")),
            "{said}"
        );
        assert!(said.contains(&format!("write `[< p >]{name}` wherever it is used")), "{said}");
    }
}

#[test]
fn a_case_that_repeats_another_is_answered_with_place_and_remedy() {
    let said = rejected(&[
        (RULE, "[axes]\n", "[axes]\nform = [\"left\", \"right\"]\n"),
        (KERNEL, "{\n}", "{[% if form == \"left\" %]  [% endif %]\n}"),
    ]);
    assert!(
        said.contains(&format!("{RULE}:4:1: conversion/passed-pointer/cl10/form=right,from=")),
        "{said}"
    );
    assert!(
        said.contains("gives the same program as conversion/passed-pointer/cl10/form=left,from="),
        "{said}"
    );
    assert!(
        said.contains(
            "add `form == right`, with the other conditions that hold for both, to `exclude`"
        ),
        "{said}"
    );
}

fn runner(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(arguments)
        .current_dir(folder)
        .env("OPENCL_C_OVERLAY", folder)
        .env_remove("OPENCL_C_SPEC")
        .output()
        .unwrap()
}

fn both(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn a_program_that_nothing_installs_is_not_to_be_installed() {
    let folder = examples();
    let path = folder.path().join(DEVICE);
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("\"clang-19\"", "\"no-such-compiler\"");
    std::fs::write(&path, text.replace("apt = [\"no-such-compiler\"]", "")).unwrap();
    let output = runner(folder.path(), &["--device", "our-clang", "--dialect", "cl12"]);
    let said = both(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("needs the program `no-such-compiler`"), "{said}");
    assert!(said.contains("add its source under [install] in") && said.contains(DEVICE), "{said}");
    assert!(!said.contains("--install"), "{said}");
}

#[test]
fn skeletons_ask_for_what_is_empty_and_overwrite_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (arguments, status, said) in [
        (&["dev", "new-rule", "conversion"][..], 2, "write FAMILY/NAME"),
        (
            &["dev", "new-rule", "conversion/new"],
            0,
            "wrote ./templates/kernels/conversion/new.cl.tera",
        ),
        (&["dev", "new-rule", "conversion/new"], 2, "is there already"),
        (&["explain", "conversion/new"], 2, "the key `covers` is missing: list"),
        (&["dev", "new-device", "Ours"], 2, "is not a valid name for a device"),
        (&["dev", "new-device", "ours"], 0, "wrote ./expectations/devices/ours.toml"),
        (&["dev", "new-device", "ours"], 2, "is there already"),
    ] {
        let output = runner(path, arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{}", both(&output));
        assert!(both(&output).contains(said), "{arguments:?}\n{}", both(&output));
    }
    let rule = path.join("expectations/rules/conversion/new.toml");
    let fill = |file: &Path, from: &str, to: &str| {
        let text = std::fs::read_to_string(file).unwrap();
        std::fs::write(file, text.replacen(from, to, 1)).unwrap();
    };
    fill(&rule, "[source]", "[source]\ncovers = [\"conv.assign-disjoint\"]");
    let said = both(&runner(path, &["explain", "conversion/new"]));
    for asked in ["the statement is empty", "cite the document", "the axis `space` has no values"] {
        assert!(said.contains(asked), "{asked}\n{said}");
    }
    let device = path.join(DEVICE).with_file_name("ours.toml");
    for (key, value) in
        [("what", "ours"), ("front-end", "clang 19"), ("platform", "x"), ("by-hand", "it")]
    {
        let error = files::load_with(Some(path), "ours").unwrap_err().to_string();
        assert!(error.contains(&format!("`{key}` is empty: ")), "{error}");
        fill(&device, &format!("\n{key} = \"\""), &format!("\n{key} = \"{value}\""));
    }
    files::load_with(Some(path), "ours").unwrap();
}

#[test]
fn clauses_are_held_against_anchor_and_hash() {
    let sentence = "Pointers convert to enclosing spaces.";
    let hash = expectations::clause::hash(sentence);
    let text = format!(
        "[[addr-spaces-conversions]]\n== Conversions\n\n{sentence} Another says more.\n\n[[restrictions]]\n== R\n\nNone.\n"
    );
    for (anchor, hash, said) in [
        ("addr-spaces-conversions", hash.as_str(), None),
        (
            "restrictions",
            hash.as_str(),
            Some("is in [addr-spaces-conversions], not in [restrictions]"),
        ),
        ("addr-spaces-conversions", "0123456789abcdef", Some("no sentence there has the hash")),
        ("addr-spaces-conversion", hash.as_str(), Some("is in [addr-spaces-conversions]")),
        ("restrictons", "0123456789abcdef", Some("did you mean `restrictions`?")),
    ] {
        let folder = examples();
        let path = folder.path().join(RULE);
        let rule = std::fs::read_to_string(&path).unwrap();
        let rule = rule.replace("addr-spaces-conversions", anchor);
        std::fs::write(&path, rule.replace("d86a8578ef86728e", hash)).unwrap();
        std::fs::write(folder.path().join("copy.txt"), &text).unwrap();
        let output = runner(folder.path(), &["dev", "clauses", "OpenCL_C=copy.txt"]);
        let printed = both(&output);
        // Every other rule cites sentences that this copy does not have.
        assert_eq!(output.status.code(), Some(1));
        let line = printed.lines().find(|line| line.contains("passed-pointer.toml:"));
        match said {
            None => {
                assert_eq!(line, None);
                assert!(
                    printed
                        .contains(&format!("  {hash} {sentence}\n    conversion/passed-pointer\n"))
                );
                let uncited = printed.split("that no rule cites: 1\n").nth(1).unwrap();
                assert!(uncited.contains("Another says more."));
            }
            Some(said) => assert!(line.is_some_and(|line| line.contains(said)), "{line:?}"),
        }
    }
}

#[test]
fn sentences_are_printed_where_there_is_a_copy() {
    let folder = examples();
    let sentence = "Pointers convert to enclosing spaces.";
    let path = folder.path().join(RULE);
    let rule = std::fs::read_to_string(&path).unwrap();
    let hash = expectations::clause::hash(sentence);
    std::fs::write(&path, rule.replace("d86a8578ef86728e", &hash)).unwrap();
    let text = format!("[[addr-spaces-conversions]]\n== Conversions\n\n{sentence}\n");
    std::fs::write(folder.path().join("copy.txt"), text).unwrap();
    let link = "https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_C.html#addr-spaces-conversions";
    let case = "conversion/passed-pointer/cl12/from=global,to=local";
    for arguments in [["explain", "conversion/passed-pointer"], ["show", case]] {
        let without = both(&runner(folder.path(), &arguments));
        assert!(without.contains(link) && without.contains("1 sentence"), "{without}");
        let with = [&arguments[..], &["--spec", "copy.txt"]].concat();
        let with = both(&runner(folder.path(), &with));
        assert!(with.contains(link) && with.contains(&format!("\"{sentence}\"")), "{with}");
    }
    let section = ["dev", "clauses", "copy.txt", "--section", "addr-spaces-conversions"];
    let printed = both(&runner(folder.path(), &section));
    assert!(printed.contains(&format!("{hash} {sentence}")), "{printed}");
}
