//! On any input, the checker ends, does not panic, and its findings can be written in every format.

use std::time::{Duration, Instant};

use checker::{
    Checker, Dialect, Rule, Verdict, Version, explain,
    render::{FileReport, FindingDetails, json, sarif, text},
};
use proptest::prelude::*;

/// Checks in two far-apart dialects and render everything.
fn survive(source: &[u8]) {
    for dialect in [Dialect::new(Version::V3_0), Dialect::new(Version::V1_0).without_features()] {
        let mut checker = Checker::new(dialect);
        checker.check("case.cl", source);
        let report = checker.last_report();
        for diagnostic in report.diagnostics {
            let message = &diagnostic.message;
            assert!(diagnostic.span.start <= diagnostic.span.end, "{message}");
            assert!(!message.is_empty() && !message.ends_with('.'), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
        let file = FileReport::new("case.cl", dialect, report, FindingDetails::default());
        text::render(&file, Some(report));
        let files = [file];
        json::render(&files);
        sarif::render(&files);
        // A second look at the same program finds the same.
        let first = format!("{:?}", report.diagnostics);
        checker.check("case.cl", source);
        assert_eq!(format!("{:?}", checker.last_report().diagnostics), first);
    }
}

/// Returns a real program, to be damaged.
fn program() -> impl Strategy<Value = String> {
    let examples = Rule::ALL.iter().map(|&rule| explain::example(rule));
    let programs: Vec<_> = examples.flat_map(|example| [example.broken, example.valid]).collect();
    let some = prop::collection::vec(prop::sample::select(programs), 1..4);
    some.prop_map(|programs| programs.join("\n"))
}

/// Returns pieces of the language in any order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "kernel",
        "void",
        "global",
        "local",
        "constant",
        "private",
        "generic",
        "int",
        "float4",
        "struct",
        "union",
        "enum",
        "typedef",
        "static",
        "extern",
        "const",
        "restrict",
        "image2d_t",
        "read_only",
        "sampler_t",
        "event_t",
        "pipe",
        "queue_t",
        "half",
        "bool",
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "return",
        "goto",
        "break",
        "sizeof",
        "__attribute__",
        "((packed))",
        "_Alignas",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "*",
        "&",
        "^",
        "=",
        "==",
        "+",
        "-",
        "?",
        ":",
        ".",
        "->",
        "...",
        "x",
        "y",
        "f",
        "T",
        "1",
        "0x1",
        "1.0f",
        "\"s\"",
        "'c'",
        "++",
        "~",
        "!",
        "<",
        ">>=",
        "\n#define x y\n",
        "\n#if 1\n",
        "\n#endif\n",
        "\n#pragma unroll\n",
        "as_int",
        "vload4",
        "enqueue_kernel",
        "typeof",
        "_Generic",
        "@",
        "#",
        "_Static_assert",
        "inline",
        "main",
        "s0",
        "xyzw",
    ]);
    prop::collection::vec(pieces, 0..80).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes(source in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&source);
    }

    #[test]
    fn pieces(source in soup()) {
        survive(source.as_bytes());
    }

    #[test]
    fn damaged_programs(
        source in program(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), soup()), 1..4),
    ) {
        let mut source = source.into_bytes();
        for (from, length, insert) in cuts {
            let from = from.index(source.len() + 1);
            let length = length.index(9).min(source.len() - from);
            let insert: Vec<u8> = insert.bytes().take(30).collect();
            source.splice(from..from + length, insert);
        }
        survive(&source);
    }
}

#[test]
fn deep_nesting_is_a_diagnostic() {
    let deep = |open: &str, middle: &str, close: &str, count: usize| {
        format!("{}{middle}{}", open.repeat(count), close.repeat(count))
    };
    let in_function = |body: String| format!("void f(int x) {{ {body} }}");
    let programs = [
        in_function(format!("x = {};", deep("(", "x", ")", 100_000))),
        in_function(deep("{", "", "}", 100_000)),
        in_function(deep("if (x) ", ";", "", 100_000)),
        in_function(deep("do ", ";", " while (x);", 100_000)),
        in_function(deep("void (^b)(void) = ^{ ", "", " };", 10_000)),
        in_function(format!("x = {};", deep("-", "x", "", 100_000))),
        in_function(format!("x = {};", deep("x ? ", "x", " : x", 100_000))),
        in_function(format!("x = {};", deep("f[", "x", "]", 100_000))),
        in_function(format!("int y[] = {};", deep("{", "1", "}", 100_000))),
        in_function(format!("x = {};", deep("x = ", "x", "", 100_000))),
        in_function(format!("x = {};", deep("sizeof ", "x", "", 100_000))),
        format!("int {};", deep("(", "x", ")", 100_000)),
        format!("int {} x;", "*".repeat(100_000)),
        format!("int x{};", "[1]".repeat(100_000)),
        format!("int f{};", deep("(int ", "", ")", 100_000)),
        deep("struct { ", "int x;", "} y;", 100_000),
        format!("typeof{} x;", deep("(typeof(", "int", "))", 50_000)),
        format!("{} int x;", deep("__attribute__((a(", "", ")))", 50_000)),
        "(".repeat(1_000_000),
        "{".repeat(1_000_000),
        "[".repeat(1_000_000),
        "int x = (".repeat(100_000),
        "void f() {".repeat(100_000),
    ];
    // Less stack than the main thread has anywhere.
    let worker = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
        for program in &programs {
            let begin = Instant::now();
            let mut checker = Checker::new(Dialect::new(Version::V3_0));
            checker.check("deep.cl", program);
            let start: String = program.chars().take(40).collect();
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "{start} took {:?}",
                begin.elapsed()
            );
        }
    });
    worker.expect("a thread").join().expect("no panic");
}

#[test]
fn ten_megabytes_take_seconds() {
    let statement =
        "  out[get_global_id(0)] = in[get_global_id(0)] * 2.0f + vload4(0, in).x; // scaled\n";
    let body = statement.repeat((10 << 20) / statement.len());
    let program =
        format!("kernel void k(global float *out, global const float *in) {{\n{body}}}\n");
    let begin = Instant::now();
    let mut checker = Checker::new(Dialect::new(Version::V3_0));
    let report = checker.check("large.cl", &program);
    assert_eq!(report.verdict, Verdict::Accepted, "{:?}", report.diagnostics.first());
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn many_undeclared_names_take_no_longer_than_many_names() {
    let names: Vec<String> = (0..20_000).map(|n| format!("  undeclared_{n} = 1;\n")).collect();
    let names = names.concat();
    let begin = Instant::now();
    let mut checker = Checker::new(Dialect::new(Version::V3_0));
    let report = checker.check("names.cl", format!("void f(void) {{\n{names}}}\n"));
    assert_eq!(report.diagnostics.len(), 20_000);
    let file = FileReport::new(
        "names.cl",
        checker.dialect(),
        checker.last_report(),
        FindingDetails::default(),
    );
    text::render(&file, Some(checker.last_report()));
    json::render(&[file]);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn a_checker_may_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Checker>();
}
