//! Random texts: the preprocessor never panics, and leaves nothing behind for the next program.

use proptest::prelude::*;

use super::*;

/// Returns pieces that preprocessors trip over.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "#",
        "##",
        "#define ",
        "#undef ",
        "#if ",
        "#ifdef ",
        "#elif ",
        "#else",
        "#endif",
        "#include ",
        "#line ",
        "#pragma ",
        "\n",
        "\\\n",
        " ",
        "A",
        "B",
        "F",
        "(",
        ")",
        ",",
        "...",
        "__VA_ARGS__",
        "defined",
        "1",
        "0x",
        "'",
        "\"",
        "/*",
        "*/",
        "//",
        "\\",
        "_Pragma",
        "__LINE__",
        "__FILE__",
        "__COUNTER__",
        "__has_include",
        "<",
        ">",
        "%:",
        "+",
        "==",
        "?",
        ":",
        "F(",
        "#define F(A, B) A ## B #A\n",
        "#define A B A\n",
        "#define B(x) x A\n",
        "#define G(...) F(__VA_ARGS__)\n",
        "G(",
        "\u{e9}",
    ]);
    prop::collection::vec(pieces, 0..120).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_never_panic(source in prop::collection::vec(any::<u8>(), 0..300)) {
        Setup::new(Dialect::new(Version::V3_0)).run(&source);
    }

    #[test]
    fn soup_never_panics_and_leaves_nothing(source in soup()) {
        let mut setup = Setup::new(Dialect::new(Version::V3_0));
        setup.run(source.as_bytes());
        let first = (setup.text(), setup.diagnostics.clone());
        for token in &setup.output {
            prop_assert!(token.span.start <= token.span.end);
            prop_assert!(token.span.end as usize <= setup.sources.bytes().len());
        }
        setup.run(b"A B F G true kernel_exec");
        prop_assert_eq!(setup.text(), "A B F G 1 kernel_exec");
        setup.run(source.as_bytes());
        prop_assert_eq!((setup.text(), setup.diagnostics.clone()), first);
    }
}
