//! Fixes: which are offered, what they do to a file, and what they never do.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use checker::{
    Checker, Dialect, Rule, Verdict, Version, diagnostic::Severity, explain, mending::Mender,
};
use expect_test::expect;
use proptest::prelude::*;
use serde_json::Value;

use crate::{folder, run};

/// Checks that fixing everything in `before` gives `after`.
#[track_caller]
fn check(version: Version, before: &str, after: &str) {
    let mut checker = Checker::new(Dialect::new(version));
    let mut mender = Mender::new(&checker);
    let result = mender.mend(&mut checker, "k.cl", before.as_bytes());
    let text = String::from_utf8(result.text).expect("UTF-8");
    assert_eq!(text, after);
    assert_eq!(result.fixed == 0, before == after);
}

#[track_caller]
fn check_untouched(version: Version, program: &str) {
    check(version, program, program);
}

#[test]
fn what_is_not_written_is_written() {
    let v1_2 = Version::V1_2;
    check(
        v1_2,
        "void f(float *row) {} kernel void k(local float *l) { f(l); f(l); }",
        "void f(local float *row) {} kernel void k(local float *l) { f(l); f(l); }",
    );
    check(v1_2, "kernel void k(const int in[]) {}", "kernel void k(global const int in[]) {}");
    check(
        v1_2,
        "static int *f(global int *p) { return p; }",
        "static global int *f(global int *p) { return p; }",
    );
    check(
        v1_2,
        "void f(constant int *p) { const int *q; q = p; }",
        "void f(constant int *p) { constant const int *q; q = p; }",
    );
    check(
        v1_2,
        "void f(global int *global *p) { global int **r = p; }",
        "void f(global int *global *p) { global int *global *r = p; }",
    );
    check(
        v1_2,
        "void g(global int *p); void f(int *q) { g(q); }",
        "void g(global int *p); void f(global int *q) { g(q); }",
    );
    check(
        v1_2,
        "void f(global float *p) { *(float2 *)p = 1; }",
        "void f(global float *p) { *(global float2 *)p = 1; }",
    );
    check(v1_2, "const float table[] = { 1 };", "constant const float table[] = { 1 };");
    check(v1_2, "static int a = 1;", "static constant int a = 1;");
    check(v1_2, "constant int a; int *p = 0;", "constant int a; int *constant p = 0;");
    check(v1_2, "global int a = 1;", "constant int a = 1;");
    check(v1_2, "private int a = 1;", "constant int a = 1;");
    check(Version::V2_0, "private int a = 1;", "constant int a = 1;");
    check(
        Version::V2_0,
        "void f(void) { constant int a = 1; { constant int b = 1; } }",
        "void f(void) { static constant int a = 1; { static constant int b = 1; } }",
    );
}

#[test]
fn what_is_written_is_followed_to_where_it_leads() {
    let v1_2 = Version::V1_2;
    check(
        v1_2,
        "void f(int *p) { int *q = p; } kernel void k(global int *g) { f(g); }",
        "void f(global int *p) { global int *q = p; } kernel void k(global int *g) { f(g); }",
    );
    check(
        v1_2,
        "void a(int *p) { *p = 1; } void b(int *p) { a(p); } kernel void k(global int *o) { b(o); }",
        "void a(global int *p) { *p = 1; } void b(global int *p) { a(p); } kernel void k(global int *o) { b(o); }",
    );
    check(
        v1_2,
        "void a(int *p); kernel void k(local int *o) { a(o); } void a(int *p) { *p = 1; }",
        "void a(local int *p); kernel void k(local int *o) { a(o); } void a(local int *p) { *p = 1; }",
    );
    check(
        v1_2,
        "void f(void *p) { *(int *)p = 1; } kernel void k(global int *o) { f(o); }",
        "void f(global void *p) { *(global int *)p = 1; } kernel void k(global int *o) { f(o); }",
    );
    check(
        v1_2,
        "void f(generic int *p) { *p = 1; } kernel void k(global int *o) { f(o); }",
        "void f(global int *p) { *p = 1; } kernel void k(global int *o) { f(o); }",
    );
}

#[test]
fn what_cannot_be_there_is_taken_away() {
    let v1_2 = Version::V1_2;
    check(v1_2, "struct s { global int a, b; };", "struct s { int a, b; };");
    check(v1_2, "__global  int f(void) { return 1; }", "int f(void) { return 1; }");
    check(v1_2, "global int *global f(void);", "global int *f(void);");
    check(v1_2, "void f(local int a) {}", "void f(int a) {}");
    check(v1_2, "void f(int *local p) {}", "void f(local int *p) {}");
    check(v1_2, "void f(global int *local p) {}", "void f(global int *p) {}");
    check(v1_2, "void f(void) { auto int a; register int b; }", "void f(void) { int a; int b; }");
    check(v1_2, "static kernel void k(void) {}", "kernel void k(void) {}");
    check(v1_2, "void f(void) { int a[const 4]; }", "void f(void) { int a[4]; }");
    check(v1_2, "int restrict f(void);", "int f(void);");
    check(v1_2, "void f(void) { int a = (global int){1}; }", "void f(void) { int a = (int){1}; }");
    check(v1_2, "void f(generic int *p) {}", "void f(int *p) {}");
    check(Version::V1_0, "static void f(void) {}", "void f(void) {}");
}

#[test]
fn what_nobody_can_know_is_left() {
    for program in [
        // Which of the two was meant?
        "void f(int *p) {} kernel void k(global int *g, local int *l) { f(g); f(l); }",
        "void f(local int *p, global int *g) { p = g; }",
        "global local int *p;",
        // It would break what follows.
        "int count = 1; kernel void k(void) { count = 2; }",
        // A declaration in the head of `for` cannot be static.
        "void f(void) { for (constant int a = 1;;) {} }",
        // Memory of a work-group belongs to that group only.
        "local int a;",
        // It is not understood.
        "struct s { global int a; }; kernel void k(",
    ] {
        check_untouched(Version::V1_2, program);
    }
    check_untouched(Version::V2_0, "void f(void) { for (constant int a = 1;;) {} }");
}

#[test]
fn macros_and_generated_text_are_left() {
    for program in [
        "#define PARAMETERS int n, int *p\nkernel void k(PARAMETERS) {}\n",
        "#define MEMBER(type, name) type name;\nstruct s { MEMBER(global int, a) };\n",
        "#define SPACE global\nSPACE int f(void);\n",
        "#define TO_PRIVATE(p) ((int *)(p))\nvoid f(global int *p) { *TO_PRIVATE(p) = 1; }\n",
        "#line 7 \"generator.py\"\nstruct s { global int a; };\n",
    ] {
        check_untouched(Version::V1_2, program);
    }
    check(
        Version::V1_2,
        "#define REAL float\nkernel void k(REAL *p) {}\n",
        "#define REAL float\nkernel void k(global REAL *p) {}\n",
    );
    // A whole call moves with its declaration, unless the macro may mean something else there.
    check(
        Version::V1_2,
        "#define N 4\nkernel void k(global int *o) { { local int t[N]; t[0] = *o; } }\n",
        "#define N 4\nkernel void k(global int *o) { local int t[N]; { t[0] = *o; } }\n",
    );
    check_untouched(
        Version::V1_2,
        "#define N 4\nkernel void k(global int *o) {\n#undef N\n#define N 8\n { local int t[N]; t[0] = *o; } }\n",
    );
}

#[test]
fn included_files_are_left() {
    let header = "struct s { global int a; };\n";
    let folder = folder(&[
        ("s.h", header),
        (
            "k.cl",
            "#include \"s.h\"\nkernel void k(global struct s *p) { local int x; }\nstruct t { local int b; };\n",
        ),
    ]);
    let outcome =
        run(folder.path(), &["--std", "CL1.2", "--fix", "--format", "concise", "k.cl"], "");
    expect![[r#"
        k.cl: 1 finding fixed
        checked 1 file as CL1.2: 0 accepted, 1 with broken rules
        s.h:1:12: error: a member cannot be in `global` [member/qualified]
    "#]]
    .assert_eq(&format!("{}{}", outcome.errors, outcome.output));
    assert_eq!(fs::read_to_string(folder.path().join("s.h")).expect("there"), header);
}

#[test]
fn files_are_as_before_but_for_the_fix() {
    let before = b"\xef\xbb\xbf// \xff caf\xe9\r\nstruct s {\r\n\tglobal int a;\r\n};\r\n\r\n";
    let after = b"\xef\xbb\xbf// \xff caf\xe9\r\nstruct s {\r\n\tint a;\r\n};\r\n\r\n";
    let folder = folder(&[("real/k.cl", "")]);
    let real = folder.path().join("real/k.cl");
    let link = folder.path().join("link.cl");
    fs::write(&real, before).expect("written");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("ours");
    symlink("real/k.cl", &link).expect("a link");
    let outcome = run(folder.path(), &["--fix", "link.cl"], "");
    assert_eq!(outcome.status, 0, "{}", outcome.output);
    let told = outcome.errors.lines().next();
    assert_eq!(told, Some("link.cl: 1 finding fixed"));
    assert_eq!(fs::read(&real).expect("there"), after);
    assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(fs::read_dir(folder.path().join("real")).expect("there").count(), 1);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let folder = folder(&[]);
    let outcome = run(folder.path(), &["--fix", "-"], "struct s { global int a; };");
    assert_eq!(outcome.status, 2);
    expect![[r#"
        address-spaces-check: standard input cannot be fixed in place: `--diff -` prints what would change
    "#]]
    .assert_eq(&outcome.errors);
}

#[test]
fn differences() {
    let program = "int a;\nstruct s {\n  global int b;\n};\nint c;\n";
    let folder = folder(&[("we\u{1b}ird.cl", program), ("fine.cl", "kernel void k(void) {}")]);
    let outcome = run(
        folder.path(),
        &["--diff", "we\u{1b}ird.cl", "fine.cl", "-"],
        "struct s { local int b; };",
    );
    expect![[r#"
        --- a/we\u{1b}ird.cl
        +++ b/we\u{1b}ird.cl
        @@ -1,5 +1,5 @@
         int a;
         struct s {
        -  global int b;
        +  int b;
         };
         int c;
        --- a/<stdin>
        +++ b/<stdin>
        @@ -1 +1 @@
        -struct s { local int b; };
        \ No newline at end of file
        +struct s { int b; };
        \ No newline at end of file
    "#]]
    .assert_eq(&outcome.output);
    expect![[r#"
        we\u{1b}ird.cl: 1 finding can be fixed
        <stdin>: 1 finding can be fixed
    "#]]
    .assert_eq(&outcome.errors);
    assert_eq!(outcome.status, 1);
    assert_eq!(fs::read_to_string(folder.path().join("we\u{1b}ird.cl")).expect("there"), program);
    let both = run(folder.path(), &["--diff", "--format", "json", "fine.cl"], "");
    assert_eq!(both.status, 2);
}

#[test]
fn formats_have_them() {
    let folder = folder(&[("k.cl", "kernel void k(/* é */ int *global p) {}")]);
    let document = |format: &str| -> Value {
        let outcome = run(folder.path(), &["--std", "CL1.2", "--format", format, "k.cl"], "");
        serde_json::from_str(&outcome.output).expect("JSON")
    };
    let json = &document("json")["files"][0]["diagnostics"][0]["fix"];
    expect![[r#"
        {
          "edits": [
            {
              "location": {
                "column": 23,
                "end_column": 23,
                "end_line": 1,
                "file": "k.cl",
                "line": 1
              },
              "text": "global "
            },
            {
              "location": {
                "column": 28,
                "end_column": 35,
                "end_line": 1,
                "file": "k.cl",
                "line": 1
              },
              "text": ""
            }
          ],
          "title": "write `global` before the `*`, to qualify what is pointed to"
        }
    "#]]
    .assert_eq(&format!("{json:#}\n"));
    let sarif = &document("sarif")["runs"][0]["results"][0]["fixes"];
    expect![[r#"
        [
          {
            "artifactChanges": [
              {
                "artifactLocation": {
                  "uri": "k.cl"
                },
                "replacements": [
                  {
                    "deletedRegion": {
                      "endColumn": 23,
                      "endLine": 1,
                      "startColumn": 23,
                      "startLine": 1
                    },
                    "insertedContent": {
                      "text": "global "
                    }
                  },
                  {
                    "deletedRegion": {
                      "endColumn": 35,
                      "endLine": 1,
                      "startColumn": 28,
                      "startLine": 1
                    },
                    "insertedContent": {
                      "text": ""
                    }
                  }
                ]
              }
            ],
            "description": {
              "text": "Write `global` before the `*`, to qualify what is pointed to."
            }
          }
        ]
    "#]]
    .assert_eq(&format!("{sarif:#}\n"));
}

/// Returns programs made of pieces that break a rule each.
fn program() -> impl Strategy<Value = String> {
    let broken: Vec<_> = Rule::ALL.iter().map(|&rule| explain::example(rule).broken).collect();
    let some = prop::collection::vec(prop::sample::select(broken), 1..4);
    some.prop_map(|programs| programs.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A fixed program has fewer findings, no new one, and nothing more to fix.
    #[test]
    fn fixing_ends(source in program(), version in prop::sample::select(vec![Version::V1_0, Version::V1_2, Version::V3_0])) {
        let mut checker = Checker::new(Dialect::new(version));
        let mut mender = Mender::new(&checker);
        let said = |checker: &mut Checker, text: &[u8]| -> Vec<String> {
            let report = checker.check("k.cl", text);
            let errors = report.diagnostics.iter().filter(|said| said.severity >= Severity::Error);
            errors.map(|said| said.message.clone()).collect()
        };
        let before = said(&mut checker, source.as_bytes());
        let result = mender.mend(&mut checker, "k.cl", source.as_bytes());
        let after = said(&mut checker, &result.text);
        prop_assert_eq!(before.len() - after.len(), result.fixed);
        prop_assert!(after.iter().all(|message| before.contains(message)));
        let again = mender.mend(&mut checker, "k.cl", &result.text);
        prop_assert_eq!(again.fixed, 0);
        prop_assert_eq!(again.text, result.text);
    }

    #[test]
    fn whatever_it_is_given_it_ends(source in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut checker = Checker::new(Dialect::new(Version::V1_2));
        let result = Mender::new(&checker).mend(&mut checker, "k.cl", &source);
        if checker.last_report().verdict == Verdict::NotUnderstood {
            prop_assert_eq!(result.text, source);
        }
    }
}
