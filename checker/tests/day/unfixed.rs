//! Mistakes that look like those with a fix, and have none: the change would be wrong, or wrong elsewhere.

use std::fs;

use checker::{Checker, Dialect, Verdict, Version, mending::Mender};

use crate::{folder, run};

/// Checks that no fix is offered for a program that breaks a rule.
#[track_caller]
fn check(program: &str) {
    for version in [Version::V1_2, Version::V2_0, Version::V3_0] {
        let mut checker = Checker::new(Dialect::new(version));
        let mut mender = Mender::new(&checker);
        let report = checker.check("k.cl", program);
        assert_eq!(report.verdict, Verdict::Broken, "{version}: {program}");
        let fixes = mender.fixes("k.cl", program.as_bytes(), report);
        let titles: Vec<_> = fixes.into_iter().flatten().map(|fix| fix.title).collect();
        assert!(titles.is_empty(), "{version}: {program}\n{titles:?}");
    }
}

/// A kernel that calls the helper `f`.
const KERNEL: &str = "kernel void k(global int *o) { f(o); }\n";

#[test]
fn arrays_that_are_more_than_pointers() {
    for use_ in [
        "o[0] = sizeof(t);",
        "o[0] = sizeof t / sizeof t[0];",
        "o[0] = sizeof((t));",
        "local int (*p)[4] = &t; (*p)[0] = o[0];",
        "local int (*p)[4] = &(t); (*p)[0] = o[0];",
        "__typeof__(t) u; u[0] = o[0];",
        "o[0] = COUNT(t);",
    ] {
        check(&format!(
            "#define COUNT(a) (sizeof(a) / sizeof((a)[0]))\n\
             void f(global int *o) {{ local int t[4]; {use_} }}\n{KERNEL}"
        ));
    }
}

#[test]
fn local_variables_whose_function_is_named_elsewhere() {
    let helper = "void f(global int *o) { local int t[4]; t[0] = o[0]; o[0] = t[0]; }\n";
    for program in [
        // Nobody calls it: its callers are in another file.
        helper.to_owned(),
        format!("#define CALL(x) f(x)\n{helper}kernel void k(global int *o) {{ CALL(o); }}\n"),
        format!("{helper}#define CALL f(o)\n{KERNEL}kernel void l(global int *o) {{ CALL; }}\n"),
        format!("{helper}{KERNEL}#ifdef OTHER\nkernel void l(global int *o) {{ f(o); }}\n#endif\n"),
        format!("#ifdef OTHER\nvoid f(global int *o) {{}}\n#else\n{helper}#endif\n{KERNEL}"),
        format!(
            "void __attribute__((overloadable)) f(global float *o) {{}}\n\
             __attribute__((overloadable)) {helper}{KERNEL}"
        ),
    ] {
        check(&program);
    }
}

#[test]
fn local_variables_that_cannot_be_named_elsewhere() {
    let helper = "void f(global int *o) { local int t[4]; t[0] = o[0]; o[0] = t[0]; }\n";
    for program in [
        format!("{helper}kernel void k(global int *t) {{ f(t); }}\n"),
        format!("{helper}kernel void k(global int *o) {{ int t = 1; f(o); o[1] = t; }}\n"),
        format!(
            "{helper}void g(global int *t) {{ f(t); }}\nkernel void k(global int *o) {{ g(o); }}\n"
        ),
        format!("#define USE t[0]\n{helper}{KERNEL}"),
        // The inner variable is another one.
        format!(
            "void f(global int *o) {{ local int t[4]; t[0] = 1; {{ int t = 2; o[0] = t; }} }}\n{KERNEL}"
        ),
        format!(
            "void f(global int *o) {{ local int n; n = 1; {{ int n = 2; o[0] = n; }} }}\n{KERNEL}"
        ),
        format!(
            "struct s {{ int n; }};\nvoid f(global int *o) {{ struct s s; local int n; n = s.n = 1; o[0] = n; }}\n{KERNEL}"
        ),
        format!(
            "#define ONE n = 1\nvoid f(global int *o) {{ local int n; ONE; o[0] = n; }}\n{KERNEL}"
        ),
        // The size and the type mean something else outside.
        format!(
            "enum {{ N = 4 }};\nvoid f(global int *o) {{ enum {{ N = 8 }}; local int t[N]; t[0] = o[0]; }}\n{KERNEL}"
        ),
        format!("void f(global int *o) {{ typedef int T; local T t[4]; t[0] = o[0]; }}\n{KERNEL}"),
        format!(
            "#define N 4\nvoid f(global int *o) {{ local int t[N]; t[0] = o[0]; }}\n#undef N\n#define N 8\n{KERNEL}"
        ),
        format!(
            "#define TABLE local int t[4]\nvoid f(global int *o) {{ TABLE; t[0] = o[0]; }}\n{KERNEL}"
        ),
    ] {
        check(&program);
    }
}

#[test]
fn two_variables_in_one_declaration() {
    check(&format!(
        "void f(global int *o) {{ local int a[4], b[4]; a[0] = b[0] = o[0]; }}\n{KERNEL}"
    ));
    check(&format!("void f(global int *o) {{ local int a, b; a = b = o[0]; }}\n{KERNEL}"));
    check("kernel void k(global int *o, int b) { local int a = 0, b = 0; o[0] = a; }\n");
    check(
        "#define VALUES 0, b\nkernel void k(global int *o) { int b; { } local int a = VALUES; o[0] = a; }\n",
    );
    check(
        "kernel void k(global int *o) { local int *p = o, *q = 0; local int t[4]; q = t; p[0] = q[0]; }\n",
    );
}

#[test]
fn prototypes_in_headers() {
    let program = "#include \"f.h\"\nvoid f(global int *o) { local int t[4]; t[0] = o[0]; }\n\
                   kernel void k(global int *o) { f(o); g(o); }\nvoid g(local int *p) { *p = 1; }\n";
    let folder =
        folder(&[("f.h", "void f(global int *o);\nvoid g(local int *p);\n"), ("k.cl", program)]);
    let outcome = run(folder.path(), &["--std", "CL1.2", "--fix", "k.cl"], "");
    assert_eq!(outcome.status, 1, "{}", outcome.output);
    assert_eq!(fs::read_to_string(folder.path().join("k.cl")).expect("there"), program);
}

/// A barrier must be reached by all work-items or none, and one value must be right for all.
#[test]
fn values_of_local_variables() {
    for body in [
        "if (o[0]) return; local int n = 0; o[0] = n;",
        "if (o[0]) goto end; local int n = 0; o[0] = n; end: ;",
        "again: ; local int n = 0; o[0] = n; if (o[1]) goto again;",
        "local int n = get_global_id(0); o[0] = n;",
        "local int n = o[get_global_id(0)]; o[0] = n;",
        "local const int n = 1; o[0] = n;",
        "local int t[2] = { 1, 2 }; o[0] = t[0];",
        "local int2 v = { 1, 2 }; o[0] = v.x;",
        "int get_local_id = 1; local int n = 0; o[0] = n + get_local_id;",
    ] {
        check(&format!("kernel void k(global int *o) {{ {body} }}\n"));
    }
    // A barrier in a branch of the other kernel.
    check(
        "kernel void k(global int *o) { local int n = 0; o[0] = n; }\n\
         kernel void l(global int *o) { if (get_global_id(0)) k(o); }\n",
    );
}

#[test]
fn pointers_that_somebody_else_decides_on() {
    for program in [
        // The host gives the kernel local memory.
        "kernel void k(local int *p) { *p = 1; }\nkernel void l(global int *o) { k(o); }\n",
        // The body is elsewhere.
        "void f(local int *p);\nkernel void k(global int *o) { f(o); }\n",
        "void f(local int *p) { *p = 1; }\nkernel void k(global int *o, local int *l) { f(o); f(l); }\n",
        "void f(local int *p) { *p = 1; }\n#ifdef L\nkernel void l(local int *l) { f(l); }\n#endif\n\
         kernel void k(global int *o) { f(o); }\n",
        "void f(local int *p) { *p = 1; }\n#define CALL(l) f(l)\nkernel void k(global int *o) { f(o); }\n",
        "local int *f(global int *p) { return p; }\n#ifdef L\nkernel void l(global int *o) { local int *p = f(o); }\n#endif\n",
        "typedef local int *L;\nkernel void k(global int *o) { L p = o; *p = 1; }\n",
        "typedef local int T;\nkernel void k(global int *o) { T *p = o; *p = 1; }\n",
        "#define MEMORY local\nkernel void k(global int *o) { MEMORY int *p = o; *p = 1; }\n",
        "kernel void k(global int *o, local int *l) { local int *p = o; p = l; *p = 1; }\n",
        "void f(local int *p, global int *g) { p = g; *p = 1; }\n",
        // The variable may have been meant to be in local.
        "void f(local int *p) { *p = 1; }\nkernel void k(void) { int n; f(&n); }\n",
        "typedef int *P;\nvoid f(void) { P q = 0; local int *p = q; }\n",
        "struct s { local int *p; };\nkernel void k(global int *o) { struct s s; s.p = o; }\n",
        "void f(private int *p);\nvoid f(global int *p) { *p = 1; }\n",
    ] {
        check(program);
    }
}

#[test]
fn constants_and_pointers_to_pointers() {
    for program in [
        "constant int n = 1;\nkernel void k(global int *o) { n = 2; o[0] = n; }\n",
        "constant int t[2] = { 1, 2 };\nkernel void k(global int *o) { constant int *p = t; p[0] = 2; }\n",
        "void f(constant int *c) { c[0] = 1; }\nkernel void k(constant int *c) { f(c); }\n",
        "kernel void k(constant const int *c) { c[0] = 1; }\n",
        "constant int t[2] = { 1, 2 };\nvoid f(constant int *c) {}\nkernel void k(constant int *c) { c[0] = 1; f(c); f(t); }\n",
        "constant int n;\nkernel void k(global int *o) { o[0] = n; }\n",
        "kernel void k(global int *o) { constant int n; o[0] = n; }\n",
        "kernel void k(global int **p) { p[0][0] = 1; }\n",
        "kernel void k(int **p) { p[0][0] = 1; }\n",
        "kernel void k(private int **p) { p[0][0] = 1; }\n",
    ] {
        check(program);
    }
}

/// The advice on these mistakes does not lead into the next one.
#[test]
fn advice_leads_to_a_right_program() {
    for (version, wrong, advice, right) in [
        (
            "CL1.2",
            "kernel void k(global int **p) {}",
            "pass one `global` buffer",
            "kernel void k(global int *p, global int *begins) {}",
        ),
        (
            "CL1.2",
            "kernel void k(global int *global *p) {}",
            "pass one `global` buffer",
            "kernel void k(global int *p, global int *begins) {}",
        ),
        (
            "CL2.0",
            "kernel void k(global int **p) {}",
            "`global int *global *`",
            "kernel void k(global int *global *p) {}",
        ),
        ("CL1.2", "constant int n;", "`= 1`", "constant int n = 1;"),
        (
            "CL1.2",
            "constant int n = 1; kernel void k(void) { n = 2; }",
            "a copy of the value",
            "constant int n = 1; kernel void k(void) { int m = n; m = 2; }",
        ),
    ] {
        let folder = folder(&[("wrong.cl", wrong), ("right.cl", right)]);
        let said = run(folder.path(), &["--std", version, "wrong.cl"], "");
        assert!(said.status == 1 && said.output.contains(advice), "{wrong}: {}", said.output);
        let said = run(folder.path(), &["--std", version, "right.cl"], "");
        assert_eq!(said.status, 0, "{right}: {}", said.output);
    }
}
