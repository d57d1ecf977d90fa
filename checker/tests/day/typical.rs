//! Typical mistakes of kernel authors: the offered fix, tried by the checker and by clang.

use std::{fs, path::Path, process::Command};

use crate::{folder, run};

/// A mistake, and the program after `--fix`; `None` if two things might have been meant.
struct Mistake {
    title: &'static str,
    versions: &'static [&'static str],
    program: &'static str,
    fixed: Option<&'static str>,
}

/// The versions of mistakes that are the same in all of them.
const EVERY_VERSION: &[&str] = &["CL1.2", "CL2.0", "CL3.0"];

const MISTAKES: [Mistake; 33] = [
    Mistake {
        title: "a buffer passed to a helper",
        versions: &["CL1.2"],
        program: "void scale(float *row) { row[0] *= 2; }\nkernel void k(global float *in) { scale(in); }\n",
        fixed: Some(
            "void scale(global float *row) { row[0] *= 2; }\nkernel void k(global float *in) { scale(in); }\n",
        ),
    },
    Mistake {
        title: "a kernel's pointer without a space",
        versions: &["CL1.2"],
        program: "kernel void k(float *in) { in[0] = 1; }\n",
        fixed: Some("kernel void k(global float *in) { in[0] = 1; }\n"),
    },
    Mistake {
        title: "a local array in a block",
        versions: &["CL1.2"],
        program: "kernel void k(global int *o) {\n  if (o[0]) {\n    local int t[64];\n    t[0] = 1;\n    o[0] = t[0];\n  }\n}\n",
        fixed: Some(
            "kernel void k(global int *o) { local int t[64];\n  if (o[0]) {\n    \n    t[0] = 1;\n    o[0] = t[0];\n  }\n}\n",
        ),
    },
    Mistake {
        title: "a table without constant",
        versions: &["CL1.2"],
        program: "float weights[2] = { 1.0f, 2.0f };\nkernel void k(global float *o) { o[0] = weights[0]; }\n",
        fixed: Some(
            "constant float weights[2] = { 1.0f, 2.0f };\nkernel void k(global float *o) { o[0] = weights[0]; }\n",
        ),
    },
    Mistake {
        title: "a pointer into a table",
        versions: &["CL1.2"],
        program: "constant float w[2] = { 1.0f, 2.0f };\nkernel void k(global float *o) { float *p = w; o[0] = p[1]; }\n",
        fixed: Some(
            "constant float w[2] = { 1.0f, 2.0f };\nkernel void k(global float *o) { constant float *p = w; o[0] = p[1]; }\n",
        ),
    },
    Mistake {
        title: "a member in global",
        versions: &["CL1.2"],
        program: "typedef union { global int x; } U;\nkernel void k(global U *o) { o->x = 1; }\n",
        fixed: Some("typedef union { int x; } U;\nkernel void k(global U *o) { o->x = 1; }\n"),
    },
    Mistake {
        title: "the result of a helper",
        versions: &["CL1.2"],
        program: "global int *f(global int *p) { return p; }\nkernel void k(global int *o) { int *p = f(o); p[0] = 1; }\n",
        fixed: Some(
            "global int *f(global int *p) { return p; }\nkernel void k(global int *o) { global int *p = f(o); p[0] = 1; }\n",
        ),
    },
    Mistake {
        title: "a string",
        versions: &["CL1.2"],
        program: "kernel void k(global int *o) { char *s = \"abc\"; o[0] = s[0]; }\n",
        fixed: Some("kernel void k(global int *o) { constant char *s = \"abc\"; o[0] = s[0]; }\n"),
    },
    Mistake {
        title: "local memory passed to a helper",
        versions: &["CL1.2"],
        program: "void add(int *a) { *a += 1; }\nkernel void k(local int *t) { add(t); add(&t[1]); }\n",
        fixed: Some(
            "void add(local int *a) { *a += 1; }\nkernel void k(local int *t) { add(t); add(&t[1]); }\n",
        ),
    },
    Mistake {
        title: "a helper of a helper",
        versions: &["CL1.2"],
        program: "typedef struct { int n; } U;\nvoid in(U *u) { u->n = 1; }\nvoid out(U *u) { in(u); }\nkernel void k(global U *o) { out(o); }\n",
        fixed: Some(
            "typedef struct { int n; } U;\nvoid in(global U *u) { u->n = 1; }\nvoid out(global U *u) { in(u); }\nkernel void k(global U *o) { out(o); }\n",
        ),
    },
    Mistake {
        title: "a helper that is defined behind the kernel",
        versions: &["CL1.2"],
        program: "void f(float4 *v);\nkernel void k(local float4 *o) { f(o); }\nvoid f(float4 *v) { *v = 1; }\n",
        fixed: Some(
            "void f(local float4 *v);\nkernel void k(local float4 *o) { f(o); }\nvoid f(local float4 *v) { *v = 1; }\n",
        ),
    },
    Mistake {
        title: "bytes read as numbers",
        versions: &["CL1.2"],
        program: "kernel void k(global uchar *o) { ((int *)o)[1] = 3; }\n",
        fixed: Some("kernel void k(global uchar *o) { ((global int *)o)[1] = 3; }\n"),
    },
    Mistake {
        title: "a table in a block",
        versions: &["CL1.2"],
        program: "kernel void k(global int *o) {\n  if (o[0]) {\n    constant int t[2] = { 1, 2 };\n    o[0] = t[o[1]];\n  }\n}\n",
        fixed: Some(
            "kernel void k(global int *o) { constant int t[2] = { 1, 2 };\n  if (o[0]) {\n    \n    o[0] = t[o[1]];\n  }\n}\n",
        ),
    },
    Mistake {
        title: "a table in a helper",
        versions: &["CL1.2"],
        program: "int f(int i) {\n  constant int t[2] = { 1, 2 };\n  return t[i];\n}\nkernel void k(global int *o) { o[0] = f(1); }\n",
        fixed: Some(
            "constant int t[2] = { 1, 2 };\nint f(int i) {\n  \n  return t[i];\n}\nkernel void k(global int *o) { o[0] = f(1); }\n",
        ),
    },
    Mistake {
        title: "a table in a helper",
        versions: &["CL2.0"],
        program: "int f(int i) { constant int t[2] = { 1, 2 }; return t[i]; }\nkernel void k(global int *o) { o[0] = f(1); }\n",
        fixed: Some(
            "int f(int i) { static constant int t[2] = { 1, 2 }; return t[i]; }\nkernel void k(global int *o) { o[0] = f(1); }\n",
        ),
    },
    Mistake {
        title: "a parameter in local",
        versions: &["CL2.0"],
        program: "kernel void k(global int *o, int *local t) { t[0] = 1; o[0] = t[0]; }\n",
        fixed: Some("kernel void k(global int *o, local int *t) { t[0] = 1; o[0] = t[0]; }\n"),
    },
    Mistake {
        title: "a named generic pointer",
        versions: &["CL1.2"],
        program: "void f(generic int *p) { *p = 1; }\nkernel void k(global int *o) { f(o); }\n",
        fixed: Some("void f(global int *p) { *p = 1; }\nkernel void k(global int *o) { f(o); }\n"),
    },
    Mistake {
        title: "a local array in a helper",
        versions: EVERY_VERSION,
        program: "void f(global int *o) {\n  local int t[64];\n  t[0] = o[0];\n  o[0] = t[0];\n}\nkernel void k(global int *o) { f(o); }\n",
        fixed: Some(
            "void f(global int *o, local int t[64]) {\n  \n  t[0] = o[0];\n  o[0] = t[0];\n}\nkernel void k(global int *o) { local int t[64]; f(o, t); }\n",
        ),
    },
    Mistake {
        title: "a local array in a helper with a prototype, called by two kernels",
        versions: EVERY_VERSION,
        program: "#define N 16\nvoid f(void);\nkernel void k(void) { f(); f(); }\nkernel void l(void) { f(); }\nvoid f(void) { float a[N]; local float t[N][N]; a[0] = 1; t[0][1] = a[0]; }\n",
        fixed: Some(
            "#define N 16\nvoid f(local float t[N][N]);\nkernel void k(void) { local float t[N][N]; f(t); f(t); }\nkernel void l(void) { local float t[N][N]; f(t); }\nvoid f(local float t[N][N]) { float a[N]; a[0] = 1; t[0][1] = a[0]; }\n",
        ),
    },
    Mistake {
        title: "a local array in a helper of a helper",
        versions: EVERY_VERSION,
        program: "void f(global int *o) { local int t[4]; t[0] = o[0]; o[1] = t[0]; }\nvoid g(global int *o) { f(o); }\nkernel void k(global int *o) { g(o); }\n",
        fixed: Some(
            "void f(global int *o, local int t[4]) { t[0] = o[0]; o[1] = t[0]; }\nvoid g(global int *o, local int t[4]) { f(o, t); }\nkernel void k(global int *o) { local int t[4]; g(o, t); }\n",
        ),
    },
    Mistake {
        title: "a local variable in a helper",
        versions: EVERY_VERSION,
        program: "int f(global int *o) { local int n; n = o[0]; n++; return n; }\nkernel void k(global int *o) { o[0] = f(o); }\n",
        fixed: Some(
            "int f(global int *o, local int *n) { (*n) = o[0]; (*n)++; return (*n); }\nkernel void k(global int *o) { local int n; o[0] = f(o, &n); }\n",
        ),
    },
    Mistake {
        title: "a local variable with a value",
        versions: EVERY_VERSION,
        program: "kernel void k(global int *o) {\n  local int n = 0;\n  o[0] = n;\n}\n",
        fixed: Some(
            "kernel void k(global int *o) {\n  local int n; if (get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0) n = 0; barrier(CLK_LOCAL_MEM_FENCE);\n  o[0] = n;\n}\n",
        ),
    },
    Mistake {
        title: "a local vector with a value",
        versions: EVERY_VERSION,
        program: "kernel void k(global float *o) {\n  local float4 v = (float4)(0.0f);\n  o[0] = v.x;\n}\n",
        fixed: Some(
            "kernel void k(global float *o) {\n  local float4 v; if (get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0) v = (float4)(0.0f); barrier(CLK_LOCAL_MEM_FENCE);\n  o[0] = v.x;\n}\n",
        ),
    },
    Mistake {
        title: "a kernel's pointer to private",
        versions: EVERY_VERSION,
        program: "kernel void k(private int *p) { p[0] = 1; }\n",
        fixed: Some("kernel void k(global int *p) { p[0] = 1; }\n"),
    },
    Mistake {
        title: "a kernel's pointer to private, with a prototype",
        versions: EVERY_VERSION,
        program: "kernel void k(private int *p);\nkernel void k(private int *p) { p[0] = 1; }\n",
        fixed: Some("kernel void k(global int *p);\nkernel void k(global int *p) { p[0] = 1; }\n"),
    },
    Mistake {
        title: "global taken for local",
        versions: EVERY_VERSION,
        program: "kernel void k(global int *o) { local int *p = o; p[0] = 1; }\n",
        fixed: Some("kernel void k(global int *o) { global int *p = o; p[0] = 1; }\n"),
    },
    Mistake {
        title: "constant taken for global, in an assignment",
        versions: EVERY_VERSION,
        program: "kernel void k(constant int *c, global int *o) { global int *p; p = c + 1; o[0] = *p; }\n",
        fixed: Some(
            "kernel void k(constant int *c, global int *o) { constant int *p; p = c + 1; o[0] = *p; }\n",
        ),
    },
    Mistake {
        title: "global passed as local",
        versions: EVERY_VERSION,
        program: "void g(local int *p);\nvoid f(local int *p) { g(p); }\nkernel void k(global int *o) { f(o); }\nvoid g(local int *p) { *p = 1; }\n",
        fixed: Some(
            "void g(global int *p);\nvoid f(global int *p) { g(p); }\nkernel void k(global int *o) { f(o); }\nvoid g(global int *p) { *p = 1; }\n",
        ),
    },
    Mistake {
        title: "global returned as local",
        versions: EVERY_VERSION,
        program: "local int *f(global int *p);\nlocal int *f(global int *p) { return p + 1; }\nkernel void k(global int *o) { local int *q = f(o); *q = 1; }\n",
        fixed: Some(
            "global int *f(global int *p);\nglobal int *f(global int *p) { return p + 1; }\nkernel void k(global int *o) { global int *q = f(o); *q = 1; }\n",
        ),
    },
    Mistake {
        title: "a kernel that writes to constant",
        versions: EVERY_VERSION,
        program: "int sum(constant int *c) { return c[0] + c[1]; }\nkernel void k(constant int *c) { c[0] = sum(c); }\n",
        fixed: Some(
            "int sum(global int *c) { return c[0] + c[1]; }\nkernel void k(global int *c) { c[0] = sum(c); }\n",
        ),
    },
    Mistake {
        title: "a constant object that is written",
        versions: EVERY_VERSION,
        program: "constant int n = 1;\nkernel void k(global int *o) { n = 2; o[0] = n; }\n",
        fixed: None,
    },
    Mistake {
        title: "a constant object without a value",
        versions: EVERY_VERSION,
        program: "constant int n;\nkernel void k(global int *o) { o[0] = n; }\n",
        fixed: None,
    },
    Mistake {
        title: "a pointer to a pointer",
        versions: EVERY_VERSION,
        program: "kernel void k(global int **p) { p[0][0] = 1; }\n",
        fixed: None,
    },
];

/// Whether clang accepts a program, if it is installed.
fn clang_takes(path: &Path, version: &str) -> Option<bool> {
    let output = Command::new("clang-19")
        .args(["-fsyntax-only", "-w", "-x", "cl", "--target=spir64"])
        .arg(format!("-cl-std={version}"))
        .arg(path)
        .output();
    output.ok().map(|output| output.status.success())
}

/// Returns the program with underscores before the words of the language that may have some.
fn underscored(program: &str) -> String {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut underscored = String::new();
    for piece in program.split_inclusive(|c| !is_of_word(c)) {
        let word = piece.trim_end_matches(|c| !is_of_word(c));
        if matches!(word, "global" | "local" | "constant" | "private" | "kernel") {
            underscored.push_str("__");
        }
        underscored.push_str(piece);
    }
    underscored
}

/// Fixes `program` and returns the text.
#[track_caller]
fn fix(title: &str, version: &str, program: &str, is_fixed: bool) -> String {
    let folder = folder(&[("k.cl", program)]);
    let path = folder.path().join("k.cl");
    let before = run(folder.path(), &["--std", version, "k.cl"], "");
    assert_eq!(before.status, 1, "{title}, {version}");
    assert_ne!(clang_takes(&path, version), Some(true), "{title}, {version}");
    let after = run(folder.path(), &["--std", version, "--fix", "k.cl"], "");
    let text = fs::read_to_string(&path).expect("there");
    assert_eq!(after.status == 0, is_fixed, "{title}, {version}: {}", after.output);
    assert_ne!(clang_takes(&path, version), Some(!is_fixed), "{title}, {version}:\n{text}");
    text
}

#[test]
fn typical_mistakes_have_fixes_that_compile() {
    for Mistake { title, versions, program, fixed } in &MISTAKES {
        for version in *versions {
            let text = fix(title, version, program, fixed.is_some());
            assert_eq!(text, fixed.unwrap_or(program), "{title}, {version}");
        }
        if *versions == EVERY_VERSION {
            let text = fix(title, "CL1.2", &underscored(program), fixed.is_some());
            assert_eq!(text, underscored(fixed.unwrap_or(program)), "{title}, with underscores");
        }
    }
    let fixed = MISTAKES.iter().filter(|mistake| mistake.fixed.is_some()).count();
    assert!(4 * fixed >= 3 * MISTAKES.len(), "{fixed} of {}", MISTAKES.len());
}

/// Types are named as their author wrote them.
#[test]
fn types_have_the_names_that_they_were_given() {
    let program = "typedef union { int x; } U;\ntypedef struct { int x; } S;\n\
                   kernel void k(global U *u, local U *l, S s) { u = l; u->x = s; s = u[0]; }\n";
    let folder = folder(&[("k.cl", program)]);
    let said = run(folder.path(), &["--std", "CL1.2", "--format", "concise", "k.cl"], "");
    for name in ["`global U *`", "`S`", "`U`"] {
        assert!(said.output.contains(name), "{}", said.output);
    }
    assert!(!said.output.contains("union") && !said.output.contains("struct"), "{}", said.output);
}
