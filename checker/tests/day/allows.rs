//! Comments that allow what breaks a rule.

use checker::{Checker, Dialect, Rule, Verdict, Version, diagnostic::Severity, explain};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::Value;

use crate::{folder, run};

/// Checks the diagnostics of a program and those that it allows, a line each.
#[expect(clippy::needless_pass_by_value, reason = "the macro makes values")]
#[track_caller]
fn check(program: &str, expected: Expect) {
    expected.assert_eq(&said(program));
}

fn said(program: &str) -> String {
    let mut checker = Checker::new(Dialect::new(Version::V1_2));
    let report = checker.check("k.cl", program);
    let lines = report.diagnostics.iter().map(|said| {
        let line = report.sources.physical_line(said.span.start);
        let rule = said.rule.map_or("-", Rule::id);
        match &said.suppression {
            Some(suppression) => format!("{line}: {rule} allowed: {}\n", suppression.reason),
            None => {
                let help = said.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
                let message = if said.rule.is_some() {
                    String::new()
                } else {
                    format!(" {}{help}", said.message)
                };
                format!("{line}: {:?} {rule}{message}\n", said.severity)
            }
        }
    });
    lines.collect::<String>() + &format!("{:?}\n", report.verdict)
}

#[test]
fn on_its_line_or_on_the_next_with_code() {
    check(
        "local int a; // checker: allow(declaration/program-scope-space) the loader moves it\n",
        expect![[r#"
            1: declaration/program-scope-space allowed: the loader moves it
            Accepted
        "#]],
    );
    check(
        "// checker: allow(declaration/program-scope-space) the loader moves it\nlocal int a;\nlocal int b;\n",
        expect![[r#"
            2: declaration/program-scope-space allowed: the loader moves it
            3: Error declaration/program-scope-space
            Broken
        "#]],
    );
    check(
        "\
/* checker: allow(declaration/program-scope-space): the loader moves it */ local int a;
/*
 * checker: allow(declaration/program-scope-space)
 *          the loader moves it
 */

// Another comment.
local int b;
local /* checker: allow(declaration/program-scope-space) the loader moves it */ int c;
local int d; /* checker: allow(declaration/program-scope-space) of this line alone
*/ local int e;
",
        expect![[r#"
            1: declaration/program-scope-space allowed: the loader moves it
            8: declaration/program-scope-space allowed: the loader moves it
            9: declaration/program-scope-space allowed: the loader moves it
            10: declaration/program-scope-space allowed: of this line alone
            11: Error declaration/program-scope-space
            Broken
        "#]],
    );
    check(
        "\
// checker: allow(declaration/program-scope-space) one
// checker: allow(conversion/implicit) other
local int *a = \"\"; local int b;
",
        expect![[r#"
            3: Error declaration/global-unsupported
            3: conversion/implicit allowed: other
            3: declaration/program-scope-space allowed: one
            Broken
        "#]],
    );
    check(
        "// checker: \\\n allow(declaration/program-scope-space) \\\n spliced\nlocal int a;\n",
        expect![[r#"
            4: declaration/program-scope-space allowed: spliced
            Accepted
        "#]],
    );
    check(
        "/\\\n/ checker: allow(declaration/program-scope-space) spliced\nlocal int a;\n",
        expect![[r#"
            3: declaration/program-scope-space allowed: spliced
            Accepted
        "#]],
    );
    check(
        "// checker: allow(declaration/program-scope-space, conversion/implicit) both\r\nlocal int *a = \"\"; local int b;\r\n",
        expect![[r#"
            2: Error declaration/global-unsupported
            2: conversion/implicit allowed: both
            2: declaration/program-scope-space allowed: both
            Broken
        "#]],
    );
}

#[test]
fn what_is_no_such_comment() {
    check(
        "constant char *s = \"// checker: allow(declaration/program-scope-space) no\";\nlocal int a;\n",
        expect![[r#"
            1: Error declaration/global-unsupported
            2: Error declaration/program-scope-space
            Broken
        "#]],
    );
    check(
        "// this checker: allow(declaration/program-scope-space) no\nlocal int a;\n",
        expect![[r#"
            2: Error declaration/program-scope-space
            Broken
        "#]],
    );
    check(
        "// checker: board (black)\n// checker: see allow\nint f(void);\n",
        expect![[r#"
            Accepted
        "#]],
    );
    check(
        "#if 0\n// checker: allow(no/rule)\n#endif\nint f(void);\n",
        expect![[r#"
        Accepted
    "#]],
    );
    check(
        "int f(void); // checker: allow",
        expect![[r#"
        1: Warning - this does not say which rule it allows; write `checker: allow(RULE) REASON`
        Accepted
    "#]],
    );
    check(
        "int f(void); /* checker: allow(a/b) never closed",
        expect![[r#"
        1: Fatal - this comment is never closed
        1: Warning - there is no rule `a/b` to allow; `address-spaces-check --list-rules` lists the rules
        NotUnderstood
    "#]],
    );
}

#[test]
fn what_says_nothing_is_told() {
    check(
        "local int a; // checker: allow(declaration/program-scope-space)\n",
        expect![[r#"
        1: Error declaration/program-scope-space
        1: Warning - this allows nothing, because it gives no reason; write `checker: allow(RULE) REASON`
        Broken
    "#]],
    );
    check(
        "local int a; // checker: allow(declaration/program-scope-spce) slip\n",
        expect![[r#"
        1: Error declaration/program-scope-space
        1: Warning - there is no rule `declaration/program-scope-spce` to allow; did you mean `declaration/program-scope-space`?
        Broken
    "#]],
    );
    check(
        "local int a; // checker: allow(everything) and all\n",
        expect![[r#"
        1: Error declaration/program-scope-space
        1: Warning - there is no rule `everything` to allow; `address-spaces-check --list-rules` lists the rules
        Broken
    "#]],
    );
    check(
        "local int a; // checker: alow(declaration/program-scope-space) slip\n",
        expect![[r#"
        1: Error declaration/program-scope-space
        1: Warning - a comment cannot `alow` anything, only allow a rule; write `checker: allow(RULE) REASON`
        Broken
    "#]],
    );
    check(
        "local int a; // checker: allow() nothing\n",
        expect![[r#"
        1: Error declaration/program-scope-space
        1: Warning - this does not say which rule it allows; write `checker: allow(RULE) REASON`
        Broken
    "#]],
    );
    check(
        "local int a; // checker: allow(declaration/program-scope-space why\n",
        expect![[r#"
        1: Error declaration/program-scope-space
        1: Warning - this list of rules is never closed; write `checker: allow(RULE) REASON`
        Broken
    "#]],
    );
    check(
        "int f(void); // checker: allow(declaration/program-scope-space) long gone\n",
        expect![[r#"
            1: Warning - nothing breaks `declaration/program-scope-space` where this allows it; remove the comment
            Accepted
        "#]],
    );
    check(
        "local int a; // checker: allow(conversion/implicit) another rule\n",
        expect![[r#"
        1: Error declaration/program-scope-space
        1: Warning - nothing breaks `conversion/implicit` where this allows it; remove the comment
        Broken
    "#]],
    );
    check(
        "// checker: allow(conversion/implicit) nothing follows\n",
        expect![[r#"
        1: Warning - nothing breaks `conversion/implicit` where this allows it; remove the comment
        Accepted
    "#]],
    );
    check(
        "// checker: allow(conversion/implicit) not read\nkernel void k(\n",
        expect![[r#"
        3: Fatal - expected a declaration, found the end of the program
        NotUnderstood
    "#]],
    );
}

#[test]
fn of_the_file_a_finding_is_in() {
    let folder = folder(&[
        (
            "h.h",
            "local int a; // checker: allow(declaration/program-scope-space) generated\n// checker: allow(conversion/implicit) for others\n",
        ),
        (
            "k.cl",
            "#include \"h.h\"\n#define LOCAL local\nLOCAL int b; // checker: allow(declaration/program-scope-space) of a macro\n",
        ),
    ]);
    let outcome = run(folder.path(), &["--std", "CL1.2", "k.cl"], "");
    assert_eq!((outcome.status, outcome.output.as_str()), (0, ""));
    let without = run(folder.path(), &["--without", "declaration/program-scope-space", "k.cl"], "");
    assert_eq!((without.status, without.output.as_str()), (0, ""));
}

#[test]
fn formats_have_them() {
    let folder = folder(&[(
        "k.cl",
        "local int a; // checker: allow(declaration/program-scope-space) the loader\nlocal int b;\n",
    )]);
    let json: Value =
        serde_json::from_str(&run(folder.path(), &["--format", "json", "k.cl"], "").output)
            .expect("JSON");
    let file = &json["files"][0];
    assert_eq!(file["diagnostics"].as_array().expect("an array").len(), 1);
    assert_eq!(file["suppressed"][0]["reason"], "the loader");
    assert_eq!(file["suppressed"][0]["finding"]["rule"], "declaration/program-scope-space");
    let sarif: Value =
        serde_json::from_str(&run(folder.path(), &["--format", "sarif", "k.cl"], "").output)
            .expect("JSON");
    let suppressions: Vec<_> = sarif["runs"][0]["results"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|result| &result["suppressions"])
        .collect();
    expect![[r#"
        [
            Array [],
            Array [
                Object {
                    "justification": String("the loader"),
                    "kind": String("inSource"),
                    "location": Object {
                        "physicalLocation": Object {
                            "artifactLocation": Object {
                                "uri": String("k.cl"),
                            },
                            "region": Object {
                                "endColumn": Number(75),
                                "endLine": Number(1),
                                "startColumn": Number(14),
                                "startLine": Number(1),
                            },
                        },
                    },
                },
            ],
        ]
    "#]]
    .assert_eq(&format!("{suppressions:#?}\n"));
    for format in ["text", "concise", "github"] {
        let output = run(folder.path(), &["--format", format, "k.cl"], "").output;
        assert!(!output.contains("k.cl:1") && !output.contains("line=1"), "{output}");
    }
}

#[test]
fn hostile_comments_take_no_longer_than_others() {
    let begin = std::time::Instant::now();
    for one in [
        "// checker: allow(a/b) c\n",
        "/* checker: allow(conversion/implicit) c */",
        "// checker: allow(\n",
        "#if 0\n#endif // checker: allow(x) y\n",
    ] {
        said(&one.repeat(100_000));
    }
    let list = "conversion/implicit,no/rule,".repeat(50_000);
    said(&format!("// checker: allow({list}) all\n"));
    assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
}

/// Returns the rules that a program breaks, by line.
fn broken(program: &str) -> Vec<(u32, &'static str)> {
    let mut checker = Checker::new(Dialect::new(Version::V3_0));
    let report = checker.check("k.cl", program);
    let counted = report
        .diagnostics
        .iter()
        .filter(|said| said.severity == Severity::Error && said.suppression.is_none());
    counted
        .filter_map(|said| Some((report.sources.physical_line(said.span.start), said.rule?.id())))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A comment hides the findings of its rule on its line, and no others.
    #[test]
    fn nothing_else_is_hidden(
        rules in prop::collection::vec(prop::sample::select(Rule::ALL), 1..4),
        allowed in prop::sample::select(Rule::ALL),
        line in any::<prop::sample::Index>(),
    ) {
        let programs: Vec<&str> = rules.iter().map(|rule| explain::example(*rule).broken).collect();
        let lines: Vec<String> = programs.join("\n").lines().map(str::to_owned).collect();
        let before = broken(&lines.join("\n"));
        let at = line.index(lines.len());
        let mut with = lines.clone();
        // Behind a splice a comment would be part of the next line.
        prop_assume!(!with[at].contains(['#', '\\']));
        with[at] = format!("{} // checker: allow({}) for a test", with[at], allowed.id());
        let left = broken(&with.join("\n"));
        let expected: Vec<_> = before.into_iter().filter(|(line, rule)| (*line as usize, *rule) != (at + 1, allowed.id())).collect();
        prop_assert_eq!(left, expected);
    }

    #[test]
    fn whatever_a_comment_says(text in "[ -~\n]{0,60}") {
        let block = text.replace("*/", "");
        said(&format!("// checker: allow({text}\nlocal int a; /* checker: {block} */"));
        said(&format!("// checker: {text}"));
    }
}

#[test]
fn an_allowed_program_is_accepted() {
    let mut checker = Checker::new(Dialect::new(Version::V1_2));
    let program = "local int a; // checker: allow(declaration/program-scope-space) the loader";
    assert_eq!(checker.check("k.cl", program).verdict, Verdict::Accepted);
}
