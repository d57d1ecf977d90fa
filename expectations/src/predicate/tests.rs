use super::*;

fn axes() -> Axes {
    let axis = |name: &str, values: &[&str]| {
        (name.to_owned(), values.iter().map(|v| (*v).to_owned()).collect())
    };
    [
        axis("form", &["assign", "cast"]),
        axis("from", &["global", "constant", "unqualified"]),
        axis("to", &["constant", "unqualified", "local"]),
    ]
    .into()
}

/// form=cast,from=constant,to=unqualified
const CHOICE: [u16; 3] = [1, 1, 1];

#[test]
fn every_name_that_is_as_near_is_suggested() {
    for (name, known, expected) in [
        ("cl13", &["cl10", "cl12", "cl20", "cl31"][..], "; did you mean `cl10`, `cl12` or `cl31`?"),
        ("globl", &["constant", "global", "local"], "; did you mean `global`?"),
        ("x", &["a", "b", "c", "d", "e"], "; the choices are `a`, `b`, `c`, `d`, `e`"),
        ("image", &["form", "from"], "; the choices are `form`, `from`"),
        ("form", &[], "; there are no choices"),
    ] {
        assert_eq!(suggestion(name, known), expected, "{name}");
    }
}

#[test]
fn conditions_hold_as_written() {
    for (text, cl12, cl20) in [
        ("form == cast", true, true),
        ("form != cast", false, false),
        ("form in [assign, cast]", true, true),
        ("from not in [global]", true, true),
        ("from == to", false, false),
        ("from != to and form == cast", true, true),
        ("not (from == constant or generic)", false, false),
        ("generic", false, true),
        ("cxx", false, false),
        ("version >= 2.0", false, true),
        ("version < 2.0 or to == local", true, false),
        ("encloses(to, global)", false, true),
        ("overlaps(to, private)", true, true),
        ("encloses(to, from)", false, false),
    ] {
        let predicate = parse(text, &axes()).unwrap();
        let cl12_dialect = Dialect::from_name("cl12").unwrap();
        let cl20_dialect = Dialect::from_name("cl20").unwrap();
        assert_eq!(predicate.holds(&CHOICE, cl12_dialect), cl12, "{text} in cl12");
        assert_eq!(predicate.holds(&CHOICE, cl20_dialect), cl20, "{text} in cl20");
        let clcpp10_dialect = Dialect::from_name("clcpp10").unwrap();
        let in_cxx = cl20 || text == "cxx";
        assert_eq!(predicate.holds(&CHOICE, clcpp10_dialect), in_cxx, "{text} in clcpp10");
    }
}

#[test]
fn errors_say_where_and_what_was_meant() {
    for (text, offset, message) in [
        ("form == casst", 8, "`casst` is not a value of the axis `form`; did you mean `cast`?"),
        ("frm == cast", 0, "`frm` is not an axis of this rule; did you mean `form` or `from`?"),
        (
            "form == cast form == cast",
            13,
            "`form` was not expected here; join conditions with `and` or `or`",
        ),
        (
            "version >= 1.5",
            11,
            "`1.5` is not a version of OpenCL C or SPIR-V; the choices are `1.0`, `1.1`, `1.2`, `1.3`, `1.4`, `2.0`, `3.0`, `3.1`",
        ),
        (
            "overlaps(from, globl)",
            15,
            "`globl` is neither an axis nor an address space; did you mean `global`?",
        ),
        ("form == cast and", 16, "a condition is missing here"),
        ("form ; cast", 5, "`;` has no meaning in a condition"),
        ("(form == cast", 13, "`)` is missing here"),
    ] {
        let error = parse(text, &axes()).unwrap_err();
        assert_eq!((error.offset, error.message.as_str()), (offset, message), "{text}");
    }
}

#[test]
fn deep_nesting_is_rejected() {
    let error = parse(&"(".repeat(100_000), &axes()).unwrap_err();
    assert_eq!(error.message, "a condition nests at most 64 deep");
}
