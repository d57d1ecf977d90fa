//! The program as its users meet it: output, formats and exit status.

#![expect(clippy::needless_raw_string_hashes, reason = "updating the snapshots writes them")]

mod sarif;

use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use expect_test::{Expect, expect};

/// The result of running the program.
struct Outcome {
    status: i32,
    output: String,
    errors: String,
}

/// Runs the program with `arguments` and `input` on its standard input, in a folder of its own.
fn run_bytes(arguments: &[&str], input: &[u8]) -> Outcome {
    let mut child = Command::new(env!("CARGO_BIN_EXE_address-spaces-check"))
        .args(arguments)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may stop reading early.
    let _ = child.stdin.take().expect("it is piped").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    Outcome {
        status: output.status.code().expect("no signal"),
        output: String::from_utf8(output.stdout).expect("UTF-8"),
        errors: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn run(arguments: &[&str], input: &str) -> Outcome {
    run_bytes(arguments, input.as_bytes())
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text).expect("written");
    path
}

/// Returns the text for one program on standard input, and its exit status.
#[expect(clippy::needless_pass_by_value, reason = "the macro makes values")]
fn check(arguments: &[&str], input: &str, status: i32, expected: Expect) {
    let mut all = arguments.to_vec();
    all.push("-");
    let outcome = run(&all, input);
    expected.assert_eq(&outcome.output);
    assert_eq!(outcome.status, status, "{}", outcome.errors);
}

const BROKEN: &str = "kernel void k(global int *p) { local int *q = p; }";

#[test]
fn a_broken_rule() {
    check(
        &["--std", "CL1.2"],
        BROKEN,
        1,
        expect![[r#"
            error[conversion/implicit]: a pointer to `global` cannot initialize a pointer to `local` (`local int *`)
             --> <stdin>:1:47
              |
            1 | kernel void k(global int *p) { local int *q = p; }
              |                           -                   ^
              |                           |
              |                           `p` points to `global` here
              |
              = rule: a pointer converts implicitly only to a pointer whose address space encloses its own [addr-spaces-conversions]
            help: write `global` in place of `local`
              |
            1 - kernel void k(global int *p) { local int *q = p; }
            1 + kernel void k(global int *p) { global int *q = p; }
              |

        "#]],
    );
    check(&["--std", "CL1.2", "--without", "conversion/implicit"], BROKEN, 0, expect![[""]]);
}

#[test]
fn a_closing_line_says_in_which_version_a_program_is_right() {
    let right = "kernel void k(global int *p) { *p = 1; }";
    let check = |arguments: &[&str], program: &str, expected: &str| {
        let outcome = run(arguments, program);
        assert_eq!((outcome.status, outcome.output.as_str()), (0, ""), "{arguments:?}");
        assert_eq!(outcome.errors, expected, "{arguments:?}");
    };
    check(&["--std", "CL1.2", "-"], right, "1 file is right as OpenCL C 1.2\n");
    check(
        &["--features", "none", "--std", "CL3.0", "-"],
        right,
        "1 file is right as CL3.0 without features\n",
    );
    check(
        &["-"],
        right,
        "1 file is right as OpenCL C 3.0; no --std was given\n\
         right as 1.2, 2.0 and 3.0 without optional features too\n",
    );
    check(
        &["-"],
        "void f(int *p) {}\nkernel void k(global int *p) { f(p); }",
        "1 file is right as OpenCL C 3.0; no --std was given\n\
         right as 2.0 too\n\
         wrong as 1.2: <stdin>:2:34: a pointer to `global` cannot be passed as a pointer to `private` (`private int *`)\n\
         wrong as 3.0 without optional features: <stdin>:2:34: a pointer to `global` cannot be passed as a pointer to `private` (`private int *`)\n",
    );
}

/// Input that is not a program gets an error with its remedy.
#[test]
fn input_that_is_no_program() {
    let utf16 = file("utf16.cl", "");
    fs::write(&utf16, b"\xff\xfek\0").expect("written");
    for (arguments, expected) in [
        (&["nowhere.cl"][..], "the file cannot be read: there is no such file"),
        (&["utf16.cl"], "it is written in UTF-16: convert it by `iconv -f UTF-16 -t UTF-8`"),
        (&[], "no file is named: name files, folders, or `-` for standard input"),
    ] {
        let outcome = run(arguments, "");
        let said = format!("{}{}", outcome.output, outcome.errors);
        assert_eq!(outcome.status, 2, "{said}");
        assert!(said.contains(expected), "{said}");
    }
    let marked = "\u{feff}kernel void k(global int *p) { local int *q = p; }";
    let outcome = run(&["--std", "CL1.2", "--format", "concise", "-"], marked);
    assert!(outcome.output.starts_with("<stdin>:1:47: error"), "{}", outcome.output);
    let outcome = run(&["--std", "CL1.2", "-"], marked);
    assert!(outcome.output.contains("--> <stdin>:1:47\n"), "{}", outcome.output);
    assert!(!outcome.output.contains('\u{feff}'), "{}", outcome.output);
}

/// `--deny warnings` makes errors of warnings; pragmas that no implementation understands are such.
#[test]
fn warnings_can_be_denied() {
    for (program, expected) in [
        ("#pragma OPENCL EXTENSION cl_khr_fp61 : enable", "did you mean `cl_khr_fp16`?"),
        (
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enabled",
            "by `enable` or `disable`, not by `enabled`",
        ),
        ("#pragma OPENCL EXTENSION cl_khr_fp16", "needs the name of an extension and `: enable`"),
        ("#pragma OPENCL FP_CONTRACT YES", "`FP_CONTRACT` takes `ON`, `OFF` or `DEFAULT`"),
        ("#pragma OPENCL SPEED", "`EXTENSION` or `FP_CONTRACT`"),
        ("void f(void) { __vendor(1); }", "`__vendor` is not declared"),
    ] {
        let warned = run(&["--format", "concise", "-"], program);
        assert_eq!(warned.status, 0, "{program}");
        assert!(warned.output.contains("warning: "), "{program}: {}", warned.output);
        assert!(warned.output.contains(expected), "{program}: {}", warned.output);
        let denied = run(&["--deny", "warnings", "--format", "concise", "-"], program);
        assert_eq!(denied.status, 1, "{program}");
        assert!(denied.output.contains("error: "), "{program}: {}", denied.output);
    }
    for (program, place) in [
        ("#pragma OPENCL  EXTENSION cl_khr_fp61 : enable", "1:27"),
        ("#pragma OPENCL EXTENSION cl_khr_fp16: enabled // on", "1:39"),
        ("#pragma OPENCL FP_CONTRACT YES", "1:28"),
        ("#pragma OPENCL SPEED", "1:16"),
        ("#pragma OPENCL EXTENSION \\\n cl_khr_fp61 : enable", "1:1"),
        ("_Pragma(\"OPENCL SPEED\")", "1:1"),
    ] {
        let warned = run(&["--format", "concise", "-"], program);
        let expected = format!("<stdin>:{place}: warning: ");
        assert!(warned.output.starts_with(&expected), "{program}: {}", warned.output);
    }
    for program in [
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
        "#pragma OPENCL EXTENSION cl_amd_printf : enable",
        "#pragma OPENCL EXTENSION all : disable",
        "#pragma OPENCL FP_CONTRACT OFF",
        "#pragma unroll 4",
    ] {
        let outcome = run(&["--deny", "warnings", "--std", "CL1.2", "-"], program);
        assert_eq!((outcome.status, outcome.output.as_str()), (0, ""), "{program}");
    }
}

#[test]
fn dialects_in_which_it_would_be_fine() {
    let program = "void f(int *p) { global int *g = 0; p = g; }";
    check(
        &["--std", "CL1.2"],
        program,
        1,
        expect![[r#"
            error[conversion/implicit]: a pointer to `global` cannot be assigned to a pointer to `private` (`private int *`)
             --> <stdin>:1:41
              |
            1 | void f(int *p) { global int *g = 0; p = g; }
              |                              -          ^
              |                              |
              |                              `g` points to `global` here
              |
              = rule: a pointer converts implicitly only to a pointer whose address space encloses its own [addr-spaces-conversions]
              = note: the variable points to `private`, because nothing is written
              = fine in: CL2.0, CL3.0 with __opencl_c_generic_address_space
            help: write `global int *p`
              |
            1 | void f(global int *p) { global int *g = 0; p = g; }
              |        ++++++

        "#]],
    );
    check(
        &["--features", "none"],
        "global int g;",
        1,
        expect![[r#"
            error[declaration/global-unsupported]: variables cannot be in `global` in this dialect
             --> <stdin>:1:1
              |
            1 | global int g;
              | ^^^^^^
              |
              = rule: without program-scope global variables, every program-scope, static or extern variable must be qualified by constant [usage-for-declaration-scopes-and-variable-types]
              = fine in: CL2.0, CL3.0 with __opencl_c_program_scope_global_variables
              = help: a variable that is never written can be in `constant`, with an initializer; one that is written goes into a buffer, which the kernels take as `global int *`

        "#]],
    );
}

#[test]
fn what_is_not_understood() {
    check(
        &[],
        "kernel void k(",
        2,
        expect![[r#"
        error: expected a declaration, found the end of the program
         --> <stdin>:1:15
          |
        1 | kernel void k(
          |               ^

    "#]],
    );
    check(
        &[],
        "#include <no.h>\n",
        2,
        expect![[r#"
        error: `no.h` is not found
         --> <stdin>:1:10
          |
        1 | #include <no.h>
          |          ^^^^^^
          |
          = help: name the folder it is in with `-I`

    "#]],
    );
    check(
        &[],
        "#define A(x) x\nint a = A(1;\n",
        2,
        expect![[r#"
            error: this call of macro `A` is never closed
             --> <stdin>:2:9
              |
            1 | #define A(x) x
              |         - macro `A` is defined here
            2 | int a = A(1;
              |         ^

        "#]],
    );
    let outcome = run(&["no/such/file.cl"], "");
    assert_eq!(outcome.status, 2);
    assert!(outcome.output.contains("cannot be read"), "{}", outcome.output);
}

#[test]
fn names_without_a_declaration() {
    check(
        &["--std", "CL1.2"],
        "kernel void k(global int *count) {\n  local int *p = &coutn;\n  p = &coutn;\n  p = count;\n}\n",
        2,
        expect![[r#"
            error: `coutn` is not declared
             --> <stdin>:2:19
              |
            2 |   local int *p = &coutn;
              |                   ^^^^^
              |
              = help: did you mean `count`?

            error[conversion/implicit]: a pointer to `global` cannot be assigned to a pointer to `local` (`local int *`)
             --> <stdin>:4:7
              |
            1 | kernel void k(global int *count) {
              |                           ----- `count` points to `global` here
            ...
            4 |   p = count;
              |       ^^^^^
              |
              = rule: a pointer converts implicitly only to a pointer whose address space encloses its own [addr-spaces-conversions]

        "#]],
    );
    let used = |expression: &str| {
        format!("kernel void k(global int *g) {{ int a = 0; (void)({expression}); }}\n")
    };
    for expression in [
        "v",
        "&v",
        "*v",
        "v[0]",
        "a[v]",
        "v.x",
        "v->x",
        "v = 1",
        "v++",
        "(int)v",
        "sizeof v",
        "sizeof(v)",
        "sizeof(int[v])",
        "a ? v : 1",
        "(int2)(1, v)",
        "(int[]){ v }",
        "f(v)",
        "min(v, 1)",
        "(v)",
        "v, a",
        "(typeof(v))1",
    ] {
        let outcome = run(&["-"], &used(expression));
        assert_eq!(outcome.status, 2, "{expression}: {}", outcome.output);
        assert!(outcome.output.contains("`v` is not declared"), "{expression}: {}", outcome.output);
    }
    // A function may be a vendor's.
    for expression in ["arm_v(a)", "arm_v()", "__f(a)->v", "arm_v(a)[0].x"] {
        let outcome = run(&["-"], &used(expression));
        assert_eq!(outcome.status, 0, "{expression}: {}", outcome.output);
    }
    let label = "kernel void k() { int a; goto v; v: a = 1; switch (a) { case 1: ; } }";
    assert_eq!(run(&["-"], label).status, 0);
}

#[test]
fn macros_and_included_files() {
    file(
        "inc/deep.h",
        "#define TO_LOCAL(p) \\\n  local int *r = p\n#line 70 \"gen.h\"\nlocal int bad;\n",
    );
    check(
        &["--std", "CL1.2", "-I", "inc", "-D", "P=p", "-UQ"],
        "#include <deep.h>\nkernel void k(global int *p) {\n  TO_LOCAL(P);\n}",
        1,
        expect![[r#"
            error[declaration/program-scope-space]: a variable at program scope cannot be in `local`
              --> gen.h:70:1
               |
            70 | local int bad;
               | ^^^^^
               |
               = note: included from <stdin>:1
               = rule: a program-scope variable must be in global or constant, never in local or private [usage-for-declaration-scopes-and-variable-types]

            error[conversion/implicit]: a pointer to `global` cannot initialize a pointer to `local` (`local int *`)
             --> <stdin>:3:12
              |
            2 | kernel void k(global int *p) {
              |                           - `p` points to `global` here
            3 |   TO_LOCAL(P);
              |            ^
              |
              = rule: a pointer converts implicitly only to a pointer whose address space encloses its own [addr-spaces-conversions]

        "#]],
    );
}

#[test]
fn hostile_text_is_shown_harmless() {
    let name = "we\u{1b}[31mird\u{202e}.cl";
    file(
        name,
        "/* \u{1b}]0;title\u{7} \u{202e} */ local int x; // \u{9b}0m\r\n#line 3 \"\u{1b}[2J\"\nlocal int y;",
    );
    let outcome = run(&["--color", "never", name], "");
    assert_eq!(outcome.status, 1);
    let steers = |character: char| {
        character.is_control() && character != '\n'
            || ('\u{202a}'..='\u{202e}').contains(&character)
    };
    assert!(!outcome.output.contains(steers), "{:?}", outcome.output);
    let outcome = run_bytes(&["-"], b"// \xff\xfe\nlocal int x; /* \xc3 */");
    assert_eq!(outcome.status, 1);
    let outcome = run_bytes(&["-"], b"\"\xff\x1b[31m\" \x1b");
    assert_eq!(outcome.status, 2);
    assert!(!outcome.output.contains('\u{1b}'), "{:?}", outcome.output);
}

#[test]
fn the_worst_file_decides() {
    let good = file("status/good.cl", "kernel void k(void) {}");
    let broken = file("status/broken.cl", "local int x;");
    let unclear = file("status/unclear.cl", "kernel kernel (");
    let status = |files: &[&PathBuf]| {
        let files: Vec<_> = files.iter().map(|file| file.to_str().expect("UTF-8")).collect();
        let outcome = run(&files, "");
        (outcome.status, outcome.errors)
    };
    assert_eq!(
        status(&[&good, &good]),
        (
            0,
            "1 file is right as OpenCL C 3.0; no --std was given\n\
             right as 1.2, 2.0 and 3.0 without optional features too\n"
                .to_owned()
        )
    );
    assert_eq!(status(&[&good, &broken]).0, 1);
    let old = file("status/old.cl", "kernel void k(global int *generic) { *generic = 1; }\n");
    for files in [&[&old][..], &[&good, &old]] {
        let (worst, summary) = status(files);
        assert_ne!(worst, 0);
        assert!(summary.ends_with("`--std CL1.2`\nright as 1.2\n"), "{summary}");
    }
    let none = PathBuf::from("status/none.cl");
    assert!(status(&[&old, &none]).1.ends_with("`--std CL1.2`\n"));
    let (worst, summary) = status(&[&unclear, &broken, &good]);
    assert_eq!(worst, 2);
    assert_eq!(
        summary,
        "checked 3 files as CL3.0: 1 accepted, 1 with broken rules, 1 not understood\n\
         judged as OpenCL C 3.0, all features; for another version name it: `--std CL1.2`\n"
    );
}

#[test]
fn json() {
    let outcome = run(&["--std", "CL1.2", "--format", "json", "-"], BROKEN);
    assert_eq!(outcome.status, 1);
    expect![[r#"
        {
          "format": 1,
          "checker": "0.1.0",
          "files": [
            {
              "file": "<stdin>",
              "dialect": "CL1.2",
              "verdict": "broken",
              "left_out": 0,
              "diagnostics": [
                {
                  "severity": "error",
                  "rule": "conversion/implicit",
                  "message": "a pointer to `global` cannot initialize a pointer to `local` (`local int *`)",
                  "requirement": "a pointer converts implicitly only to a pointer whose address space encloses its own",
                  "clause": "https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_C.html#addr-spaces-conversions",
                  "location": {
                    "file": "<stdin>",
                    "line": 1,
                    "column": 47,
                    "end_line": 1,
                    "end_column": 48
                  },
                  "labels": [
                    {
                      "location": {
                        "file": "<stdin>",
                        "line": 1,
                        "column": 27,
                        "end_line": 1,
                        "end_column": 28
                      },
                      "message": "`p` points to `global` here"
                    }
                  ],
                  "help": null,
                  "note": null,
                  "fine_in": [],
                  "fix": {
                    "title": "write `global` in place of `local`",
                    "edits": [
                      {
                        "location": {
                          "file": "<stdin>",
                          "line": 1,
                          "column": 32,
                          "end_line": 1,
                          "end_column": 37
                        },
                        "text": "global"
                      }
                    ]
                  }
                }
              ],
              "suppressed": []
            }
          ]
        }
    "#]].assert_eq(&outcome.output);
}

#[test]
fn colours() {
    let coloured = run(&["--color", "always", "-"], "local int x;").output;
    assert!(coloured.contains("\u{1b}["), "{coloured}");
    let plain = run(&["-"], "local int x;").output;
    assert!(!plain.contains('\u{1b}'), "{plain}");
}

#[test]
fn explanations_and_lists() {
    expect![[r#"
        constant/write: nothing in the constant space can be written, including string literals

        clause: https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_C.html#constant-or-constant

        broken in CL3.0:
            kernel void k(constant int *p) { *p = 1; }

        fine in CL3.0:
            kernel void k(global int *p) { *p = 1; }
    "#]].assert_eq(&run(&["--explain", "constant/write"], "").output);
    let rules = run(&["--list-rules"], "").output;
    assert_eq!(rules.lines().count(), checker::Rule::ALL.len());
    let unknown = run(&["--explain", "conversion/implict"], "");
    assert_eq!(unknown.status, 2);
    assert!(unknown.errors.contains("conversion/implicit"), "{}", unknown.errors);
    for shell in ["bash", "zsh", "fish"] {
        assert!(run(&["--completions", shell], "").output.contains("explain"), "{shell}");
    }
}

#[test]
fn wrong_command_lines() {
    for arguments in [
        &[][..],
        &["--std", "CL9.9", "-"],
        &["--features", "+frob", "-"],
        &["-D", "1=2", "-"],
        &["-D", "A=1\n#define B", "-"],
        &["-U", "+", "-"],
        &["--without", "no/rule", "-"],
    ] {
        let outcome = run(arguments, "");
        assert_eq!(outcome.status, 2, "{arguments:?}");
        assert!(!outcome.errors.is_empty(), "{arguments:?}");
    }
}

#[test]
fn build_options_are_understood() {
    let program =
        "#if __OPENCL_C_VERSION__ != 120 || !defined(__FAST_RELAXED_MATH__)\n#error\n#endif";
    let outcome = run(&["-cl-std=CL1.2", "-cl-fast-relaxed-math", "-cl-mad-enable", "-"], program);
    assert_eq!(outcome.status, 0, "{}", outcome.output);
}

#[test]
fn files_without_an_end_are_not_read() {
    let pipe = file("endless/unused", "").with_file_name("pipe");
    let _ = fs::remove_file(&pipe);
    let made = Command::new("mkfifo").arg(&pipe).status().expect("a system with FIFOs");
    assert!(made.success());
    for name in ["/dev/zero", "endless/pipe", "endless"] {
        let outcome = run(&["-"], &format!("#include \"{name}\"\n"));
        assert_eq!(outcome.status, 2, "{name}");
        assert!(outcome.output.contains("not a regular file"), "{name}: {}", outcome.output);
    }
}

/// Returns programs whose macros double, or multiply by ten, the one before.
fn explosive_macros() -> Vec<String> {
    let chain = |first: &str, count: u32, next: &dyn Fn(u32) -> String| {
        let rest: Vec<String> = (1..count).map(|n| format!("#define {}\n", next(n))).collect();
        format!("#define {first}\n{}", rest.concat())
    };
    let words = "x ".repeat(5_000);
    vec![
        chain("M0 x", 60, &|n| format!("M{n} M{0} M{0}", n - 1)) + "int y[] = { M59 };",
        chain(&format!("M0 {words}"), 60, &|n| format!("M{n} M{0} M{0}", n - 1)) + "M59",
        chain("M0(a) a a", 60, &|n| format!("M{n}(a) M{0}(a) M{0}(a)", n - 1)) + "M59(x)",
        chain("M0(a) a a", 60, &|n| format!("M{n}(a) M{0}(M{0}(a))", n - 1)) + "M59(x)",
        chain("M0(a) #a", 60, &|n| format!("M{n}(a) M{0}(a a) M{0}(a b)", n - 1)) + "M59(x)",
        format!("#define S(a) #a\n#define M0 S({words}__COUNTER__)\n")
            + &chain("M1 M0", 60, &|n| format!("M{} M{n} M{n}", n + 1))
            + "M60",
    ]
}

#[test]
fn macros_cannot_take_much_memory() {
    for program in explosive_macros() {
        let begins: String = program.chars().take(60).collect();
        let limited = "ulimit -v 524288; exec \"$0\" -";
        let mut child = Command::new("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_address-spaces-check")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        child.stdin.take().expect("it is piped").write_all(program.as_bytes()).expect("it reads");
        let outcome = child.wait_with_output().expect("it ends");
        let output = String::from_utf8_lossy(&outcome.stdout);
        assert_eq!(outcome.status.code(), Some(2), "{begins}: {output}");
        assert!(output.contains("--max-tokens"), "{begins}: {output}");
    }
}

#[test]
fn limits_can_be_raised() {
    let program = "#define A x x x x\n#define B A A A A\nint y[] = { B };";
    let outcome = run(&["--max-tokens", "12", "-"], program);
    assert_eq!(outcome.status, 2);
    assert!(outcome.output.contains("--max-tokens"), "{}", outcome.output);
    assert!(outcome.output.contains("macro `A`"), "{}", outcome.output);
}
