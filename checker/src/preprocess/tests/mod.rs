//! Small programs and their tokens after preprocessing.

mod random;

use std::{collections::BTreeMap, fmt::Write as _, io, path::Path};

use super::*;
use crate::dialect::Version;

/// Files that exist only here.
#[derive(Debug, Default)]
struct Files(BTreeMap<&'static str, &'static str>);

impl Loader for Files {
    fn load(&self, path: &Path) -> io::Result<Vec<u8>> {
        let text = path.to_str().and_then(|path| self.0.get(path));
        text.map(|text| text.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// A preprocessor with everything it needs, and its messages on the last program.
struct Setup {
    interner: Interner,
    preprocessor: Preprocessor,
    files: Files,
    sources: SourceMap,
    output: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Setup {
    fn new(dialect: Dialect) -> Self {
        let mut interner = Interner::default();
        Self {
            preprocessor: Preprocessor::new(dialect, &mut interner),
            interner,
            files: Files::default(),
            sources: SourceMap::default(),
            output: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    fn run(&mut self, source: &[u8]) {
        self.interner.reset();
        self.sources.clear();
        self.diagnostics.clear();
        let main = self.sources.add("dir/main.cl", source, None).expect("small");
        self.preprocessor.preprocess(
            main,
            &mut self.sources,
            &mut self.interner,
            &self.files,
            &mut self.output,
            &mut self.diagnostics,
        );
        assert_eq!(self.output.last().map(|token| token.kind), Some(TokenKind::End));
    }

    /// Returns the tokens as text, each after one space.
    fn text(&self) -> String {
        let mut text = String::new();
        for token in &self.output {
            let spelling = match token.kind {
                TokenKind::End => break,
                TokenKind::Punct(punct) => punct.text(),
                _ => self.interner.text(token.symbol),
            };
            let pragma = token.kind == TokenKind::Pragma;
            let space = if text.is_empty() { "" } else { " " };
            if pragma {
                write!(text, "{space}[pragma {spelling}]").expect("a string takes everything");
            } else {
                write!(text, "{space}{spelling}").expect("a string takes everything");
            }
        }
        text
    }
}

/// Returns the program's tokens in 3.0 with every feature, as text, and the diagnostics.
fn preprocess(source: &str) -> (String, Vec<Diagnostic>) {
    let mut setup = Setup::new(Dialect::new(Version::V3_0));
    setup.run(source.as_bytes());
    (setup.text(), setup.diagnostics)
}

#[track_caller]
fn check(source: &str, expected: &str) {
    let (text, diagnostics) = preprocess(source);
    assert_eq!(text, expected, "{source}\n{diagnostics:#?}");
    assert!(diagnostics.is_empty(), "{source}\n{diagnostics:#?}");
}

#[track_caller]
fn check_fatal(source: &str, expected: &str) {
    let (_, diagnostics) = preprocess(source);
    let fatal: Vec<_> =
        diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Fatal).collect();
    assert_eq!(fatal.len(), 1, "{source}\n{diagnostics:#?}");
    assert_eq!(fatal[0].message, expected, "{source}");
}

#[test]
fn object_like() {
    check("#define A 1 + 2\nA A", "1 + 2 1 + 2");
    check("#define A B\n#define B A\nA B", "A B");
    check("#define A\nx A y", "x y");
    check("#define A 1\n#undef A\nA", "A");
    check("#define A (x)\nA", "( x )");
}

#[test]
fn function_like() {
    check("#define F(x) [x]\nF(1) F (2) F\n(\n3)\nF", "[ 1 ] [ 2 ] [ 3 ] F");
    check("#define F() z\nF() F( )", "z z");
    check("#define F(x, y) y x\nF((1, 2), 3) F(,)", "3 ( 1 , 2 )");
    check("#define F(x) x x\nF(F(1))", "1 1 1 1");
    check("#define f(a) a + f(a)\nf(f(1))", "1 + f ( 1 ) + f ( 1 + f ( 1 ) )");
    check_fatal("#define F(x) x\nF(1, 2)", "macro `F` takes 1 argument, not 2");
    check_fatal("#define F(x) x\nF(1", "this call of macro `F` is never closed");
}

#[test]
fn the_standards_rescanning_example() {
    let source = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
        #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
        #define r(x,y) x ## y\n#define str(x) # x\n\
        f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
        p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };\n";
    check(
        source,
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
         f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; \
         int i [ ] = { 1 , 23 , 4 , 5 , } ; char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;",
    );
}

#[test]
fn conditions() {
    check("#if 1\na\n#else\nb\n#endif", "a");
    check("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne", "b e");
    check("#ifdef X\na\n#elifndef X\nb\n#endif", "b");
    check("#if defined X || defined(__OPENCL_VERSION__)\na\n#endif", "a");
    check("#if 0\n#if 1\n#else\n#endif\n'\n\"/*\"\n#endif\na", "a");
    check_fatal("#if 1\n", "this condition lacks its `#endif`");
    check_fatal("#endif", "`#endif` without `#if`");
    check_fatal("#else", "`#else` without `#if`");
    check_fatal("#if 1\n#else\n#else\n#endif", "`#else` after `#else`");
}

#[test]
fn variadic() {
    check("#define F(x, ...) x [__VA_ARGS__]\nF(1, 2, 3) F(1) F(1,)", "1 [ 2 , 3 ] 1 [ ] 1 [ ]");
    check("#define F(...) (__VA_ARGS__)\nF() F(1) F(1, (2, 3))", "( ) ( 1 ) ( 1 , ( 2 , 3 ) )");
    check("#define F(f, ...) p(f, ## __VA_ARGS__)\nF(1) F(1, 2, 3)", "p ( 1 ) p ( 1 , 2 , 3 )");
    check(
        "#define F(f, rest...) p(f, ##rest) #rest\nF(1) F(1, 2 , 3)",
        "p ( 1 ) \"\" p ( 1 , 2 , 3 ) \"2 , 3\"",
    );
    check("#define S(...) #__VA_ARGS__\nS(a,b, c)", "\"a,b, c\"");
    check("#define A(...) B(__VA_ARGS__, 3, 2, 1)\n#define B(a, b, c, n, ...) n\nA(x, y)", "2");
}

#[test]
fn stringize() {
    check("#define S(x) #x\nS( a  +\nb )", "\"a + b\"");
    check("#define S(x) #x\nS(\"a\\n\" '\"')", r#""\"a\\n\" '\"'""#);
    check("#define S(x) #x\n#define X(x) S(x)\n#define V 12\nS(V) X(V)", "\"V\" \"12\"");
    check("#define S(x) #x\nS(<: %:)", "\"<: %:\"");
    check_fatal("#define S(x) #y", "`#` is not followed by a parameter");
    check("#define O #y\nx O", "x # y");
}

#[test]
fn paste() {
    check("#define P(x, y) x ## y\nP(a, 1) P(<, <=) P(., 5) P(1e, 3)", "a1 <<= .5 1e3");
    check("#define P(x, y) x##y\n#define AB done\nP(A, B)", "done");
    check("#define P(x, y, z) x##y##z\nP(a,,c) P(,,) P(,b,) P(1 a, b 2, 3)", "ac b 1 ab 23");
    check(
        "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
        #define join(c, d) in_between(c hash_hash d)\njoin(x, y)",
        "\"x ## y\"",
    );
    check("#define L L ## \"x\"\nL", "L\"x\"");
    check("#define T(n) float##n\n#define U(n) T(n)\n#define N 4\nU(N) T(N)", "float4 floatN");
    check_fatal("#define P(x, y) x ## y\nP(+, a)", "`##` makes `+a`, which is not a token");
    check_fatal("#define P(x) x ##\n", "the operand of this operator is missing");
    check_fatal("#define P(x) ## x\n", "`##` cannot begin a replacement list");
}

#[test]
fn names_of_a_macro_stay_painted() {
    check("#define foo foo a bar\n#define bar foo 12\nfoo", "foo a foo 12");
    check("#define f(x) x f\nf(1)(2)(3)", "1 f ( 2 ) ( 3 )");
    check(
        "#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)",
        "42",
    );
    check("#define AA BB\n#define BB AA\n#define C(x) x\nC(AA) C(C(AA))", "AA AA");
    check("#define EMPTY\n#define LP (\n#define F(x) <x>\nF EMPTY (1) F LP 1)", "F ( 1 ) F ( 1 )");
}

#[test]
fn arithmetic() {
    let holds = |condition: &str| check(&format!("#if {condition}\nyes\n#endif"), "yes");
    for condition in [
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "-1 < 0",
        "-1 > 0u",
        "~0 == -1",
        "!0 && !!5",
        "1 ? 2 : 0",
        "0 ? 0 : 3",
        "1 << 62 > 0",
        "-8 >> 1 == -4",
        "7 % 4 == 3",
        "0x10 == 16 && 010 == 8 && 0b11 == 3",
        "1 || 1 / 0",
        "!(0 && 1 / 0)",
        "'a' == 97",
        "'\\n' == 10 && '\\x41' == 65 && '\\101' == 65",
        "'ab' == 24930",
        "'\\xff' < 0",
        "0xffffffffffffffff == -1",
        "18446744073709551615u > 0",
        "undefined == 0",
        "true && !false",
        "1 ? 1 : 1 / 0",
        "(2 || 3) != 2",
        "9223372036854775807 + 1 < 0",
        "(-9223372036854775807 - 1) / -1 < 0",
        "5 ^ 1 == 5",
        "6 & 3 | 8",
        "__OPENCL_C_VERSION__ >= CL_VERSION_2_0",
        "INT_MAX_UNDEFINED < 1",
        "1ull && 1LLU && 1Lu",
    ] {
        holds(condition);
    }
    for (condition, message) in [
        ("1 / 0", "`/` divides by zero"),
        ("1 % 0", "`%` divides by zero"),
        ("", "the condition lacks an operand"),
        ("1 +", "the condition lacks an operand"),
        ("(1", "the condition lacks a `)`"),
        ("1 1", "`1` is not expected after the condition"),
        ("1.0", "`1.0` is not an integer constant"),
        ("99999999999999999999", "`99999999999999999999` is not an integer constant"),
        ("x = 1", "`=` is not expected after the condition"),
        ("defined", "`defined` takes the name of a macro"),
        ("defined(X", "`defined` takes the name of a macro"),
        ("\"s\"", "`\"s\"` is not allowed in a condition"),
    ] {
        check_fatal(&format!("#if {condition}\n#endif"), message);
    }
}

#[test]
fn defined_and_has() {
    check("#define D defined(X)\n#define X\n#if D && defined X\na\n#endif", "a");
    check("#define F(x) (x > 1)\n#if F(2) && !F(1)\na\n#endif", "a");
    check(
        "#ifdef __has_attribute\n#if __has_attribute(__overloadable__) && !__has_attribute(frob)\na\n#endif\n#endif",
        "a",
    );
    check(
        "#if __has_builtin(__builtin_frob) || __has_feature(x) || __has_extension(x)\na\n#endif\nb",
        "b",
    );
    check(
        "#if defined(__has_include) && !__has_include(<no/such.h>) && !__has_include(\"x\")\na\n#endif",
        "a",
    );
}

#[test]
fn skipped_groups_are_not_judged() {
    check("#if 0\n#bogus\n#if bogus(\n#elif\n#endif\n@`\"\n#else\na\n#endif", "a");
    check("#if 1\na\n#elif 1 / 0\n#elif garbage(\n#endif", "a");
    check("#ifdef A\nx /*\n*/ #endif\n#endif // x\n/*\n*/ #if 1 /*\n*/\nb\n#endif", "b");
    check("#if 0\n\"/*\"\n'/*'\n#endif\na", "a");
    check("#if 0\n// /*\n#else\n\\\n# /**/ define X 1\n#endif\nX", "1");
    check("#if 0\na\\\n#endif\n#endif\nb", "b");
}

#[test]
fn line_numbers() {
    check("__LINE__\n__LINE__ __FILE__", "1 2 \"dir/main.cl\"");
    check("#line 40\n__LINE__\n#line 7 \"a\\\\b\"\n__LINE__ __FILE__", "40 7 \"a\\\\b\"");
    check("# 12 \"x.cl\" 2\n__LINE__ __FILE__\n__LINE__", "12 \"x.cl\" 13");
    check("#define N 5 \"n\"\n#line N\n__LINE__ __FILE__", "5 \"n\"");
    check("#define L __LINE__\nL\n\n L", "2 4");
    check("__COUNTER__ __COUNTER__", "0 1");
    check_fatal("#line x", "`#line` takes a line number");
    check_fatal("#line 3 x", "`#line` takes a file name in quotes");
}

#[test]
fn pragmas() {
    check(
        "#pragma  OPENCL EXTENSION  cl_khr_fp64 : enable \nx",
        "[pragma OPENCL EXTENSION  cl_khr_fp64 : enable] x",
    );
    check("#pragma OPENCL \\\n EXTENSION\nx", "[pragma OPENCL EXTENSION] x");
    check("_Pragma(\"unroll 4\") for", "[pragma unroll 4] for");
    check("#define U _Pragma(\"unroll\") for\nU", "[pragma unroll] for");
    check("#define DO(x) _Pragma(#x)\nDO(a \"b\")", "[pragma a \"b\"]");
    check("#define W(x) x\nW(_Pragma(\"p\") y)", "[pragma p] y");
    check("#pragma once\nx", "x");
    check_fatal("_Pragma(1)", "`_Pragma` takes one string literal");
}

#[test]
fn errors() {
    check_fatal("#error don't", "#error don't");
    check_fatal("#frob", "`#frob` is not a directive");
    check_fatal("#+", "`#` is not followed by the name of a directive");
    check_fatal("#define", "the name of a macro is missing here");
    check_fatal("#define 1", "the name of a macro is missing here");
    check_fatal("#define defined", "`defined` cannot be the name of a macro");
    check_fatal("#define F(x, x) x", "there are two parameters `x`");
    check_fatal("#define F(x", "the list of parameters lacks its `)`");
    check_fatal("#define F(..., x) x", "the list of parameters lacks its `)`");
    check_fatal("#include \"no.h\"", "`no.h` is not found");
    check_fatal("#include no", "`#include` takes a header name in quotes or angle brackets");
    check_fatal("#include <no", "this header name is never closed");
    check_fatal("/* x", "this comment is never closed");
    check_fatal("\"x", "this string is never closed");
    check_fatal("'x", "this character constant is never closed");
    check_fatal("a ` b", "``` begins no token of the language");
    check_fatal("\u{1}", "`\\u{1}` begins no token of the language");
    check("#\n # \nx", "x");
}

#[test]
fn redefinition_is_a_warning() {
    let (text, diagnostics) = preprocess("#define A 1\n#define A  1\n#define A 2\nA");
    assert_eq!(text, "2");
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].severity, Severity::Warning);
    assert_eq!(diagnostics[0].message, "macro `A` is defined again, and differently");
    assert_eq!(diagnostics[0].labels.len(), 1);
    check("#define __OPENCL_VERSION__ 7\n__OPENCL_VERSION__", "7");
    let (_, diagnostics) = preprocess("#warning look  out");
    assert_eq!(diagnostics[0].message, "#warning look out");
}

#[test]
fn directives_inside_arguments() {
    check("#define F(x) [x]\nF(\n#ifdef X\n1\n#else\n2\n#endif\n)", "[ 2 ]");
    check("#define F(x) [x]\nF(\n#define Y 3\nY)", "[ 3 ]");
}

#[test]
fn includes() {
    let mut setup = Setup::new(Dialect::new(Version::V3_0));
    setup.preprocessor.add_include_dir("inc".into());
    setup.files.0.extend([
        ("dir/a.h", "#include \"b.h\"\nA __FILE__ __INCLUDE_LEVEL__"),
        ("dir/b.h", "#pragma once\nB __LINE__"),
        ("inc/b.h", "wrong"),
        ("inc/c.h", "C"),
        ("inc/endless.h", "#include \"endless.h\"\n"),
        ("inc/open.h", "#if 1\n"),
        ("inc/half.h", "#endif\n"),
        ("inc/name.h", "last F"),
    ]);
    setup.run(b"#include \"a.h\"\n#include \"b.h\"\n#include <c.h>\n__LINE__ __FILE__\n#define H <c.h>\n#include H\nx");
    assert_eq!(setup.text(), "B 2 A \"dir/a.h\" 1 C 4 \"dir/main.cl\" C x");
    assert_eq!(setup.diagnostics, []);
    let last = setup.output[setup.output.len() - 2];
    assert_eq!(setup.sources.position(last.span.start).line, 7);

    for (source, message) in [
        ("#include \"endless.h\"", "files include one another more than 200 deep"),
        ("#include <open.h>\n#endif", "this condition lacks its `#endif`"),
        ("#if 1\n#include <half.h>\n", "`#endif` without `#if`"),
    ] {
        setup.run(source.as_bytes());
        assert_eq!(setup.diagnostics.len(), 1, "{source}");
        assert_eq!(setup.diagnostics[0].message, message, "{source}");
    }
    setup.run(
        b"#if __has_include(<c.h>) && __has_include(\"a.h\") && !__has_include(<a.h>)\nyes\n#endif",
    );
    assert_eq!(setup.text(), "yes");
    // The name of a function-like macro at the end of a file stands alone.
    setup.run(b"#define F(x) [x]\n#include <name.h>\n(1)");
    assert_eq!(setup.text(), "last F ( 1 )");
}

#[test]
fn what_a_program_defines_does_not_outlive_it() {
    let mut setup = Setup::new(Dialect::new(Version::V3_0));
    let said = setup
        .preprocessor
        .add_definitions("#define D 5\n#undef __ENDIAN_LITTLE__\n", &mut setup.interner);
    assert_eq!(said, []);
    let symbols = setup.interner.len();
    for _ in 0..3 {
        setup.run(b"#ifdef A\nleft over\n#endif\n#define A D A\n#undef true\n#define false f\nA true false");
        assert_eq!(setup.text(), "5 A true f");
        setup.run(b"A true false D __ENDIAN_LITTLE__");
        assert_eq!(setup.text(), "A 1 0 5 __ENDIAN_LITTLE__");
        setup.run(b"#define B(x) x\nB(kernel_exec(1, int) B(");
        assert_eq!(setup.diagnostics.len(), 1);
        setup.interner.reset();
        assert_eq!(setup.interner.len(), symbols);
    }
}

#[test]
fn spans_are_in_the_file_at_the_outermost_call() {
    let mut setup = Setup::new(Dialect::new(Version::V3_0));
    let source = "#define G(x) x + 1\n#define F(x) G(x) * 2\nF(value)";
    setup.run(source.as_bytes());
    let spans: Vec<_> = setup
        .output
        .iter()
        .map(|token| &source[token.span.start as usize..token.span.end as usize])
        .collect();
    assert_eq!(spans, ["value", "F", "F", "F", "F", ""]);
}

#[test]
fn macros_of_the_dialects() {
    let defined = |dialect, name: &str| {
        let mut setup = Setup::new(dialect);
        setup.run(name.as_bytes());
        let text = setup.text();
        if text == name { "-".to_owned() } else { text }
    };
    let rows = [
        ("__OPENCL_VERSION__", ["310"; 6]),
        ("__OPENCL_C_VERSION__", ["-", "-", "120", "200", "300", "310"]),
        ("CL_VERSION_1_0", ["-", "100", "100", "100", "100", "100"]),
        ("CL_VERSION_1_1", ["-", "110", "110", "110", "110", "110"]),
        ("CL_VERSION_1_2", ["-", "-", "120", "120", "120", "120"]),
        ("CL_VERSION_2_0", ["-", "-", "-", "200", "200", "200"]),
        ("CL_VERSION_3_0", ["-", "-", "-", "-", "300", "300"]),
        ("CL_VERSION_3_1", ["-", "-", "-", "-", "-", "310"]),
        ("__opencl_c_generic_address_space", ["-", "-", "-", "-", "1", "1"]),
        ("__IMAGE_SUPPORT__", ["1"; 6]),
        ("__ROUNDING_MODE__", ["rte", "-", "-", "-", "-", "-"]),
        ("cl_khr_fp64", ["1"; 6]),
        ("__FAST_RELAXED_MATH__", ["-"; 6]),
    ];
    let versions =
        [Version::V1_0, Version::V1_1, Version::V1_2, Version::V2_0, Version::V3_0, Version::V3_1];
    for (name, expected) in rows {
        let found = versions.map(|version| defined(Dialect::new(version), name));
        assert_eq!(found, expected, "{name}");
    }
    let bare = Dialect::new(Version::V3_0).without_features();
    for name in
        ["__opencl_c_images", "__IMAGE_SUPPORT__", "cl_khr_fp64", "cl_khr_fp16", "cl_khr_subgroups"]
    {
        assert_eq!(defined(bare, name), "-", "{name}");
    }
}

#[test]
fn keywords_depend_on_the_dialect() {
    let kind = |dialect, text: &str| {
        let mut setup = Setup::new(dialect);
        setup.run(text.as_bytes());
        setup.output[0].kind
    };
    let bare = Dialect::new(Version::V3_0).without_features();
    assert_eq!(kind(bare, "pipe"), TokenKind::Identifier);
    assert_eq!(kind(Dialect::new(Version::V1_2), "pipe"), TokenKind::Identifier);
    assert_eq!(kind(Dialect::new(Version::V2_0), "pipe"), TokenKind::Keyword(Keyword::Pipe));
    assert_eq!(kind(bare, "generic"), TokenKind::Keyword(Keyword::Generic));
    assert_eq!(kind(bare, "typeof"), TokenKind::Keyword(Keyword::Typeof));
    assert_eq!(kind(bare, "half"), TokenKind::Keyword(Keyword::Half));
    assert_eq!(kind(bare, "1.0f"), TokenKind::Float);
    assert_eq!(kind(bare, "0x1p3"), TokenKind::Float);
    assert_eq!(kind(bare, "0xe"), TokenKind::Integer);
    assert_eq!(kind(bare, "1e3"), TokenKind::Float);
}

#[test]
fn text_that_is_not_utf_8() {
    let mut setup = Setup::new(Dialect::new(Version::V1_2));
    setup.run(b"// \xff\n\"a\xffb\" /* \xfe */ 'x'");
    assert_eq!(setup.text(), "\"a\\377b\" 'x'");
    assert_eq!(setup.diagnostics, []);
    setup.run(b"int \xff;");
    assert_eq!(setup.diagnostics.len(), 1);
    setup.run("\u{feff}int größe;".as_bytes());
    assert_eq!(setup.text(), "int größe ;");
}

#[test]
fn bombs_are_defused() {
    let mut doubling = String::from("#define A0 x x\n");
    for level in 1..64 {
        writeln!(doubling, "#define A{level} A{0} A{0}", level - 1)
            .expect("a string takes everything");
    }
    let calls = |count: usize| format!("{}1{}", "F(".repeat(count), ")".repeat(count));
    let mut chain = String::new();
    for level in 0..100_000 {
        writeln!(chain, "#define C{level} C{}", level + 1).expect("a string takes everything");
    }
    for (source, message) in [
        (format!("{doubling}A63"), "takes more than 4194304 tokens"),
        (format!("#define F(x) (x)\n{}", calls(100_000)), "takes more than 4194304 tokens"),
        (format!("#define F(x) (x)\n{}", calls(2000)), "nested more than 256 deep"),
        (
            format!(
                "#define F(x) x##x\n#define G(x) F(x)\n{}a{}",
                "G(".repeat(200),
                ")".repeat(200)
            ),
            "which is not a token",
        ),
        (format!("{chain}C0"), "through more than 65536 macros"),
        (
            format!(
                "#define S(x) #x\n#define T(x) S(x)\n{}\"\"{}",
                "T(".repeat(200),
                ")".repeat(200)
            ),
            "more than a million characters",
        ),
        (
            format!("#if {}1{}\n#endif", "(".repeat(100_000), ")".repeat(100_000)),
            "nested more than 256 deep",
        ),
        (format!("#if {}1\n#endif", "!".repeat(100_000)), "nested more than 256 deep"),
    ] {
        let (_, diagnostics) = preprocess(&source);
        assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
        assert!(
            diagnostics[0].message.contains(message),
            "{:?} lacks {message:?}",
            diagnostics[0].message
        );
    }
    let deep = format!("{}x{}", "#if 1\n".repeat(100_000), "\n#endif".repeat(100_000));
    check(&deep, "x");
    let skipped =
        format!("#if 0\n{}x{}\n#endif", "#if 1\n".repeat(100_000), "\n#endif".repeat(100_000));
    check(&skipped, "");
}
