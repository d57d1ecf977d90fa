//! Every place that a finding names is in one file and on whole characters, for any text.

#![expect(clippy::expect_used, reason = "what fails in a helper fails its test")]

use std::{collections::BTreeMap, io, path::Path};

use checker::{
    Checker, Dialect, Report, Rule, Version, explain, preprocess::Loader, source::FileId,
    span::Span,
};
use proptest::prelude::*;

/// Files in memory.
#[derive(Debug)]
struct Files(BTreeMap<&'static str, &'static str>);

impl Loader for Files {
    fn load(&self, path: &Path) -> io::Result<Vec<u8>> {
        let text = self.0.get(path.to_string_lossy().as_ref());
        text.map(|text| text.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn files() -> Files {
    Files(BTreeMap::from([
        ("a.h", "#define IN_A(x) (x = \u{e9}t\u{e9})\r\nglobal int *of_a = missing_in_a;\r\n"),
        ("b.h", "local int *b(void) { /* \u{4e16} */ return 1.0f; }"),
        ("c.h", "#include \"b.h\"\n#include \"a.h\"\nint open = ("),
    ]))
}

fn check(source: &[u8]) {
    for dialect in [Dialect::new(Version::V3_0), Dialect::new(Version::V1_2).without_features()] {
        let checker = Checker::new(dialect).files(files()).include_dir("");
        judge_places(checker.define("COMMAND(x)=(x)+missing").expect("a macro"), source);
    }
}

fn judge_places(mut checker: Checker, source: &[u8]) {
    let report = checker.check("main.cl", source);
    for said in report.diagnostics {
        let labels = said.labels.iter().map(|label| label.span);
        for span in std::iter::once(said.span).chain(labels) {
            judge_place(&report, span, &said.message);
        }
    }
}

fn judge_place(report: &Report<'_>, Span { start, end }: Span, message: &str) {
    let sources = report.sources;
    assert!(start <= end, "{message}: {start}..{end}");
    let file = sources.file_at(start).expect("a file");
    let range = sources.range(file);
    assert!(end <= range.end, "{message}: {start}..{end} leaves {range:?}");
    let text = sources.slice(range);
    if let Ok(text) = str::from_utf8(text) {
        for at in [start, end] {
            let at = (at - range.start) as usize;
            assert!(text.is_char_boundary(at), "{message}: {at} splits a character of {text:?}");
        }
    }
    let (first, last) = (sources.position(start), sources.position(end));
    assert!(first.line >= 1 && first.column >= 1, "{message}: {first:?}");
    assert_eq!(first.file, last.file, "{message}");
    // The column is that of the bytes before it on its line.
    let line = &text[..(start - range.start) as usize];
    let before = line.iter().rev().take_while(|byte| **byte != b'\n').count();
    let has_mark = before == line.len() && line.starts_with("\u{feff}".as_bytes());
    let before = if has_mark { before - 3 } else { before };
    assert_eq!(first.column as usize, before + 1, "{message}");
    let lines = line.split(|byte| *byte == b'\n').count();
    assert_eq!(sources.physical_line(start) as usize, lines, "{message}");
    if file != FileId(0) {
        assert!(sources.included_at(file).is_some(), "{message}");
    }
}

/// Returns programs that break rules, valid ones, and text that makes places hard to find.
fn source() -> impl Strategy<Value = Vec<u8>> {
    let examples = Rule::ALL.iter().map(|&rule| explain::example(rule));
    let programs: Vec<&str> =
        examples.flat_map(|example| [example.broken, example.valid]).collect();
    let hard = prop::sample::select(vec![
        "\r\n",
        "\r",
        "\t",
        "\u{b}",
        "\\\n",
        "\\\r\n",
        "??/\n",
        "??=define T ??(1??)\n",
        "%:define D <: 2 :>\n",
        "\u{e9}",
        "\u{4e16}\u{754c}",
        "\u{1f600}",
        "\u{feff}",
        "\"\u{e9}\"",
        "'\u{e9}'",
        "/* \u{e9}",
        "// \u{e9}\\\n",
        "\u{0}",
        "\n#define M(x) (x = missing_\u{e9}) \n",
        "\n#define N M(y) \\\n + \u{e9}\n",
        "\n#define P(a, b) a ## b # b\n",
        "M(M(N))",
        "P(\u{e9}, +)",
        "IN_A(IN_A(x))",
        "COMMAND(\u{e9})",
        "missing",
        "&missing;",
        "\n#include \"a.h\"\n",
        "\n#include \"b.h\"\n",
        "\n#include <c.h>\n",
        "\n#include <\u{e9}>\n",
        "\n#line 7 \"\u{e9}.cl\"\n",
        "\n#line 4294967295\n",
        "\n#if \u{e9} + (\n",
        "\n#endif\n",
        "\n#error \u{e9}\n",
        "\n#pragma OPENCL \u{e9}\n",
        "__LINE__ __FILE__",
        "local int *p = (global int *)q;",
    ]);
    let piece = prop_oneof![
        9 => prop::sample::select(programs).prop_map(|text| text.as_bytes().to_vec()),
        3 => hard.prop_map(|text| text.as_bytes().to_vec()),
        1 => "\\PC{0,4}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn of_any_text(source in source()) {
        check(&source);
    }

    #[test]
    fn of_text_with_line_ends_of_other_systems(source in source()) {
        let lines: Vec<&[u8]> = source.split(|byte| *byte == b'\n').collect();
        check(&lines.join(&b"\r\n"[..]));
    }

    #[test]
    fn of_damaged_text(
        source in source(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..5), 1..6),
    ) {
        let mut source = source;
        for (from, length) in cuts {
            let from = from.index(source.len() + 1);
            source.drain(from..(from + length).min(source.len()));
        }
        check(&source);
    }
}
