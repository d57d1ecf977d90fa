//! Texts and their preprocessing tokens.

use super::*;

fn check(source: &str, expected: &[(PpKind, &str)]) {
    let mut interner = Interner::default();
    let mut lexer = Lexer::new(Span::new(0, source.len() as u32));
    let mut found = Vec::new();
    loop {
        let token = lexer.next(source.as_bytes(), &mut interner);
        if token.kind == PpKind::End {
            break;
        }
        let text = match token.kind {
            PpKind::Punct(punct) => punct.text(),
            _ => interner.text(token.symbol),
        };
        found.push((token.kind, text.to_owned()));
    }
    let found: Vec<_> = found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
    assert_eq!(found, expected, "{source:?}");
}

#[test]
fn tokens() {
    use PpKind::{Character, Identifier, Number, Punct as P, Stray, String};
    use Punct as Q;
    check("a1 _b", &[(Identifier, "a1"), (Identifier, "_b")]);
    check("1.0e+5f.5 0x1p-3", &[(Number, "1.0e+5f.5"), (Number, "0x1p-3")]);
    check(".5 . 5", &[(Number, ".5"), (P(Q::Dot), "."), (Number, "5")]);
    check(
        "\"a\\\"b\" 'c' L'd'",
        &[(String, "\"a\\\"b\""), (Character, "'c'"), (Character, "L'd'")],
    );
    check(
        "a>>=b--->c",
        &[
            (Identifier, "a"),
            (P(Q::ShrEq), ">>="),
            (Identifier, "b"),
            (P(Q::MinusMinus), "--"),
            (P(Q::Arrow), "->"),
            (Identifier, "c"),
        ],
    );
    check(
        "<: %:%: ..",
        &[(P(Q::LBracket), "["), (P(Q::HashHash), "##"), (P(Q::Dot), "."), (P(Q::Dot), ".")],
    );
    check("x/* c */y // z\nw", &[(Identifier, "x"), (Identifier, "y"), (Identifier, "w")]);
    check(
        "in\\\nt 1\\ \n2 +\\\n= \"a\\\nb\"",
        &[(Identifier, "int"), (Number, "12"), (P(Q::PlusEq), "+="), (String, "\"ab\"")],
    );
    check("/\\\n/ gone\n/\\\n* gone *\\\n/ here", &[(Identifier, "here")]);
    check("don't\nx", &[(Identifier, "don"), (Stray, "'t"), (Identifier, "x")]);
    check("`", &[(Stray, "`")]);
    check("\"abc\\", &[(Stray, "\"abc\\")]);
}
