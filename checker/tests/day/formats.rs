//! Formats of one line for each finding.

use expect_test::{Expect, expect};

use crate::{folder, run};

const PROGRAM: &str = "\
kernel void k(global int *p) {
  local int *q = p;
  q = __get(
    p, 1);
  int x = *p;
}
local int *y = \"\";
";

#[expect(clippy::needless_pass_by_value, reason = "the macro makes values")]
#[track_caller]
fn check(format: &str, name: &str, program: &str, status: i32, expected: Expect) {
    let folder = folder(&[(name, program)]);
    let outcome = run(folder.path(), &["--std", "CL1.2", "--format", format, name], "");
    expected.assert_eq(&outcome.output);
    assert_eq!(outcome.status, status, "{}", outcome.errors);
}

#[test]
fn concise() {
    check(
        "concise",
        "dir/k.cl",
        PROGRAM,
        1,
        expect![[r#"
        dir/k.cl:2:18: error: a pointer to `global` cannot initialize a pointer to `local` (`local int *`) [conversion/implicit]
        dir/k.cl:3:7: warning: `__get` is not declared; any call of it is accepted
        dir/k.cl:7:12: error: this variable needs an address space: `constant` [declaration/global-unsupported]
        dir/k.cl:7:16: error: a string literal, stored in `constant`, cannot initialize a pointer to `local` (`local int *global`) [conversion/implicit]
    "#]],
    );
    check(
        "concise",
        "k.cl",
        "kernel void k(",
        2,
        expect![[r#"
        k.cl:1:15: error: expected a declaration, found the end of the program
    "#]],
    );
    check("concise", "k.cl", "kernel void k(void) {}", 0, expect![[""]]);
    check(
        "concise",
        "we\u{1b}[31mird\n\u{202e}.cl",
        "local int x;",
        1,
        expect![[r#"
        we\u{1b}[31mird\u{a}\u{202e}.cl:1:1: error: a variable at program scope cannot be in `local` [declaration/program-scope-space]
    "#]],
    );
}

#[test]
fn github() {
    check(
        "github",
        "dir/k.cl",
        PROGRAM,
        1,
        expect![[r#"
            ::error file=dir/k.cl,line=2,col=18,endLine=2,endColumn=19,title=conversion/implicit::a pointer to `global` cannot initialize a pointer to `local` (`local int *`)
            ::warning file=dir/k.cl,line=3,col=7,endLine=3,endColumn=12,title=checker::`__get` is not declared; any call of it is accepted
            ::error file=dir/k.cl,line=7,col=12,endLine=7,endColumn=13,title=declaration/global-unsupported::this variable needs an address space: `constant`%0Aaccepted in OpenCL C 2.0, or 3.0 with __opencl_c_program_scope_global_variables%0Aa variable that is never written can be in `constant`, with an initializer; one that is written goes into a buffer, which the kernels take as `global int *`
            ::error file=dir/k.cl,line=7,col=16,endLine=7,endColumn=18,title=conversion/implicit::a string literal, stored in `constant`, cannot initialize a pointer to `local` (`local int *global`)
        "#]],
    );
    check(
        "github",
        "k.cl",
        "#line 7 \"a,b:100%\"\nkernel void k(",
        2,
        expect![[r#"
        ::error file=a%2Cb%3A100%25,line=7,col=15,endLine=7,endColumn=15,title=checker::expected a declaration, found the end of the program
    "#]],
    );
    check("github", "k.cl", "kernel void k(void) {}", 0, expect![[""]]);
    check(
        "github",
        "a\n::error::b,c:d.cl",
        "local int x;",
        1,
        expect![[r#"
        ::error file=a\u{a}%3A%3Aerror%3A%3Ab%2Cc%3Ad.cl,line=1,col=1,endLine=1,endColumn=6,title=declaration/program-scope-space::a variable at program scope cannot be in `local`
    "#]],
    );
}

/// A finding without a place has no columns.
#[test]
fn github_takes_columns_on_one_line_only() {
    let program = "kernel void k(global int *a, local int *b) { b = (a\n+ 1); }";
    check(
        "github",
        "k.cl",
        program,
        1,
        expect![[r#"
        ::error file=k.cl,line=1,endLine=2,title=conversion/implicit::a pointer to `global` cannot be assigned to a pointer to `local` (`local int *`)
    "#]],
    );
}

#[test]
fn machine_formats_say_nothing_else() {
    let folder = folder(&[("k.cl", PROGRAM)]);
    for format in ["github", "json", "sarif"] {
        assert_eq!(run(folder.path(), &["--format", format, "k.cl"], "").errors, "", "{format}");
    }
}
