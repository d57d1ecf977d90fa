//! Folders and patterns as arguments.

use expect_test::{Expect, expect};
use serde_json::Value;
use tempfile::TempDir;

use crate::{folder, run};

const FINE: &str = "kernel void k(void) {}";

fn tree() -> TempDir {
    folder(&[
        ("b.cl", FINE),
        ("a.ocl", FINE),
        ("a.h", "#error not a program of its own"),
        ("sub/deep/c.cl", FINE),
        ("sub/d.cl", FINE),
        ("sub/d.clcpp", "class c {};"),
        ("build/generated.cl", "no("),
        (".hidden/h.cl", "no("),
        (".gitignore", "build\n*.gen.cl\n"),
        ("sub/x.gen.cl", "no("),
        ("we\u{1b}ird[x]/e.cl", FINE),
        ("empty/notes.txt", ""),
    ])
}

/// Returns the files that the arguments stand for, or the error.
#[expect(clippy::needless_pass_by_value, reason = "the macro makes values")]
#[track_caller]
fn check(arguments: &[&str], expected: Expect) {
    let tree = tree();
    let mut all = vec!["--format", "json"];
    all.extend(arguments);
    let outcome = run(tree.path(), &all, FINE);
    let found = match serde_json::from_str::<Value>(&outcome.output) {
        Ok(document) => document["files"].as_array().expect("an array").iter().fold(
            String::new(),
            |list, file| {
                list + file["file"].as_str().expect("a name").escape_debug().to_string().as_str()
                    + " "
                    + file["verdict"].as_str().expect("a word")
                    + "\n"
            },
        ),
        Err(_) => outcome.errors,
    };
    expected.assert_eq(&found);
}

#[test]
fn folders_are_searched() {
    check(
        &["."],
        expect![[r#"
            a.ocl accepted
            b.cl accepted
            sub/d.cl accepted
            sub/deep/c.cl accepted
            we\u{1b}ird[x]/e.cl accepted
        "#]],
    );
    check(
        &["sub", "b.cl", "sub/d.cl", "-"],
        expect![[r#"
        sub/d.cl accepted
        sub/deep/c.cl accepted
        b.cl accepted
        <stdin> accepted
    "#]],
    );
    check(
        &["we\u{1b}ird[x]"],
        expect![[r#"
        we\u{1b}ird[x]/e.cl accepted
    "#]],
    );
}

#[test]
fn what_is_named_is_checked() {
    check(
        &["build/generated.cl", "a.h"],
        expect![[r#"
        build/generated.cl not-understood
        a.h not-understood
    "#]],
    );
    check(
        &["build", ".hidden"],
        expect![[r#"
        build/generated.cl not-understood
        .hidden/h.cl not-understood
    "#]],
    );
}

#[test]
fn patterns_are_matched() {
    check(
        &["*.cl"],
        expect![[r#"
        b.cl accepted
    "#]],
    );
    check(
        &["**/*.cl"],
        expect![[r#"
        b.cl accepted
        sub/d.cl accepted
        sub/deep/c.cl accepted
        we\u{1b}ird[x]/e.cl accepted
    "#]],
    );
    check(
        &["sub/*.{cl,clcpp}", "./sub/[c-d].cl"],
        expect![[r#"
        sub/d.cl accepted
        sub/d.clcpp not-understood
    "#]],
    );
    check(
        &["we\u{1b}ird[x]/e.cl"],
        expect![[r#"
        we\u{1b}ird[x]/e.cl accepted
    "#]],
    );
}

#[test]
fn nothing_found_is_an_error() {
    check(
        &["empty"],
        expect![[r#"
            address-spaces-check: `empty` has no OpenCL C file (`*.cl` or `*.ocl`) that Git does not ignore: name the files
        "#]],
    );
    check(
        &["empty/*.cl"],
        expect![[r#"
            address-spaces-check: no file matches `empty/*.cl`: hidden files and files that Git ignores are left out unless they are named; `**` matches folders at any depth
        "#]],
    );
    check(
        &["no/**/\u{1b}*.cl"],
        expect![[r#"
            address-spaces-check: no file matches `no/**/\u{1b}*.cl`: hidden files and files that Git ignores are left out unless they are named; `**` matches folders at any depth
        "#]],
    );
    check(
        &["sub/[.cl"],
        expect![[r#"
            address-spaces-check: `sub/[.cl` is not a pattern: unclosed character class; missing ']'
        "#]],
    );
    check(
        &["no"],
        expect![[r#"
        no not-understood
    "#]],
    );
    check(
        &["b.cl", "empty"],
        expect![[r#"
            address-spaces-check: `empty` has no OpenCL C file (`*.cl` or `*.ocl`) that Git does not ignore: name the files
        "#]],
    );
}
