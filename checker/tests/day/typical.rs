//! Typical mistakes of kernel authors: the offered fix, tried by the checker and by clang.

use std::{fs, path::Path, process::Command};

use crate::{folder, run};

/// A mistake, and the program after `--fix`; `None` if two things might have been meant.
struct Mistake {
    title: &'static str,
    version: &'static str,
    program: &'static str,
    fixed: Option<&'static str>,
}

const MISTAKES: [Mistake; 20] = [
    Mistake {
        title: "a buffer passed to a helper",
        version: "CL1.2",
        program: "void scale(float *row) { row[0] *= 2; }\nkernel void k(global float *in) { scale(in); }\n",
        fixed: Some(
            "void scale(global float *row) { row[0] *= 2; }\nkernel void k(global float *in) { scale(in); }\n",
        ),
    },
    Mistake {
        title: "a kernel's pointer without a space",
        version: "CL1.2",
        program: "kernel void k(float *in) { in[0] = 1; }\n",
        fixed: Some("kernel void k(global float *in) { in[0] = 1; }\n"),
    },
    Mistake {
        title: "a local array in a block",
        version: "CL1.2",
        program: "kernel void k(global int *o) {\n  if (o[0]) {\n    local int t[64];\n    t[0] = 1;\n    o[0] = t[0];\n  }\n}\n",
        fixed: Some(
            "kernel void k(global int *o) { local int t[64];\n  if (o[0]) {\n    \n    t[0] = 1;\n    o[0] = t[0];\n  }\n}\n",
        ),
    },
    Mistake {
        title: "a local variable with a value",
        version: "CL1.2",
        program: "kernel void k(global int *o) {\n  local int n = 0;\n  o[0] = n;\n}\n",
        fixed: None,
    },
    Mistake {
        title: "a table without constant",
        version: "CL1.2",
        program: "float weights[2] = { 1.0f, 2.0f };\nkernel void k(global float *o) { o[0] = weights[0]; }\n",
        fixed: Some(
            "constant float weights[2] = { 1.0f, 2.0f };\nkernel void k(global float *o) { o[0] = weights[0]; }\n",
        ),
    },
    Mistake {
        title: "a pointer into a table",
        version: "CL1.2",
        program: "constant float w[2] = { 1.0f, 2.0f };\nkernel void k(global float *o) { float *p = w; o[0] = p[1]; }\n",
        fixed: Some(
            "constant float w[2] = { 1.0f, 2.0f };\nkernel void k(global float *o) { constant float *p = w; o[0] = p[1]; }\n",
        ),
    },
    Mistake {
        title: "a member in global",
        version: "CL1.2",
        program: "typedef union { global int x; } U;\nkernel void k(global U *o) { o->x = 1; }\n",
        fixed: Some("typedef union { int x; } U;\nkernel void k(global U *o) { o->x = 1; }\n"),
    },
    Mistake {
        title: "a local array in a helper",
        version: "CL1.2",
        program: "void f(global int *o) {\n  local int t[64];\n  t[0] = o[0];\n  o[0] = t[0];\n}\nkernel void k(global int *o) { f(o); }\n",
        fixed: None,
    },
    Mistake {
        title: "global taken for local",
        version: "CL2.0",
        program: "kernel void k(global int *o) { local int *p = o; p[0] = 1; }\n",
        fixed: None,
    },
    Mistake {
        title: "the result of a helper",
        version: "CL1.2",
        program: "global int *f(global int *p) { return p; }\nkernel void k(global int *o) { int *p = f(o); p[0] = 1; }\n",
        fixed: Some(
            "global int *f(global int *p) { return p; }\nkernel void k(global int *o) { global int *p = f(o); p[0] = 1; }\n",
        ),
    },
    Mistake {
        title: "a string",
        version: "CL1.2",
        program: "kernel void k(global int *o) { char *s = \"abc\"; o[0] = s[0]; }\n",
        fixed: Some("kernel void k(global int *o) { constant char *s = \"abc\"; o[0] = s[0]; }\n"),
    },
    Mistake {
        title: "local memory passed to a helper",
        version: "CL1.2",
        program: "void add(int *a) { *a += 1; }\nkernel void k(local int *t) { add(t); add(&t[1]); }\n",
        fixed: Some(
            "void add(local int *a) { *a += 1; }\nkernel void k(local int *t) { add(t); add(&t[1]); }\n",
        ),
    },
    Mistake {
        title: "a helper of a helper",
        version: "CL1.2",
        program: "typedef struct { int n; } U;\nvoid in(U *u) { u->n = 1; }\nvoid out(U *u) { in(u); }\nkernel void k(global U *o) { out(o); }\n",
        fixed: Some(
            "typedef struct { int n; } U;\nvoid in(global U *u) { u->n = 1; }\nvoid out(global U *u) { in(u); }\nkernel void k(global U *o) { out(o); }\n",
        ),
    },
    Mistake {
        title: "a helper that is defined behind the kernel",
        version: "CL1.2",
        program: "void f(float4 *v);\nkernel void k(local float4 *o) { f(o); }\nvoid f(float4 *v) { *v = 1; }\n",
        fixed: Some(
            "void f(local float4 *v);\nkernel void k(local float4 *o) { f(o); }\nvoid f(local float4 *v) { *v = 1; }\n",
        ),
    },
    Mistake {
        title: "bytes read as numbers",
        version: "CL1.2",
        program: "kernel void k(global uchar *o) { ((int *)o)[1] = 3; }\n",
        fixed: Some("kernel void k(global uchar *o) { ((global int *)o)[1] = 3; }\n"),
    },
    Mistake {
        title: "a table in a block",
        version: "CL1.2",
        program: "kernel void k(global int *o) {\n  if (o[0]) {\n    constant int t[2] = { 1, 2 };\n    o[0] = t[o[1]];\n  }\n}\n",
        fixed: Some(
            "kernel void k(global int *o) { constant int t[2] = { 1, 2 };\n  if (o[0]) {\n    \n    o[0] = t[o[1]];\n  }\n}\n",
        ),
    },
    Mistake {
        title: "a table in a helper",
        version: "CL1.2",
        program: "int f(int i) {\n  constant int t[2] = { 1, 2 };\n  return t[i];\n}\nkernel void k(global int *o) { o[0] = f(1); }\n",
        fixed: Some(
            "constant int t[2] = { 1, 2 };\nint f(int i) {\n  \n  return t[i];\n}\nkernel void k(global int *o) { o[0] = f(1); }\n",
        ),
    },
    Mistake {
        title: "a table in a helper",
        version: "CL2.0",
        program: "int f(int i) { constant int t[2] = { 1, 2 }; return t[i]; }\nkernel void k(global int *o) { o[0] = f(1); }\n",
        fixed: Some(
            "int f(int i) { static constant int t[2] = { 1, 2 }; return t[i]; }\nkernel void k(global int *o) { o[0] = f(1); }\n",
        ),
    },
    Mistake {
        title: "a parameter in local",
        version: "CL2.0",
        program: "kernel void k(global int *o, int *local t) { t[0] = 1; o[0] = t[0]; }\n",
        fixed: Some("kernel void k(global int *o, local int *t) { t[0] = 1; o[0] = t[0]; }\n"),
    },
    Mistake {
        title: "a named generic pointer",
        version: "CL1.2",
        program: "void f(generic int *p) { *p = 1; }\nkernel void k(global int *o) { f(o); }\n",
        fixed: Some("void f(global int *p) { *p = 1; }\nkernel void k(global int *o) { f(o); }\n"),
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

#[test]
fn typical_mistakes_have_fixes_that_compile() {
    for Mistake { title, version, program, fixed } in &MISTAKES {
        let folder = folder(&[("k.cl", program)]);
        let path = folder.path().join("k.cl");
        let before = run(folder.path(), &["--std", version, "k.cl"], "");
        assert_eq!(before.status, 1, "{title}");
        assert_ne!(clang_takes(&path, version), Some(true), "{title}");
        let after = run(folder.path(), &["--std", version, "--fix", "k.cl"], "");
        let text = fs::read_to_string(&path).expect("there");
        assert_eq!(text, fixed.unwrap_or(program), "{title}: {}", after.output);
        assert_eq!(after.status == 0, fixed.is_some(), "{title}: {}", after.output);
        assert_ne!(clang_takes(&path, version), Some(fixed.is_none()), "{title}:\n{text}");
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
