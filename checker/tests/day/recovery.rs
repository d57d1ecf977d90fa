//! Programs with mistakes of syntax among broken rules: the findings in spite of them, and no false ones.
//!
//! `checker/tests/recovery.cl` has programs after lines `//# TITLE`; a line ends with `//! FINDING` for each of its
//! findings, a rule's id or `syntax`.

use std::{fs, path::Path};

use checker::{Checker, Dialect, Rule, Version, diagnostic::Severity};
use proptest::prelude::*;

/// Returns the marks of the program: line numbers and findings.
fn expected(program: &str) -> Vec<(u32, String)> {
    let lines = (1..).zip(program.lines());
    let marks = lines.flat_map(|(number, line)| {
        line.split("//! ").skip(1).map(move |mark| (number, mark.trim().to_owned()))
    });
    let mut marks: Vec<_> = marks.collect();
    marks.sort();
    marks
}

fn found(program: &str) -> Vec<(u32, String)> {
    let mut checker = Checker::new(Dialect::new(Version::V1_2));
    let report = checker.check("k.cl", program);
    let troubles = report.diagnostics.iter().filter(|said| said.severity != Severity::Note);
    let mut found: Vec<_> = troubles
        .map(|said| {
            let what = match said.severity {
                Severity::Warning => format!("warning: {}", said.message),
                _ => said.rule.map_or("syntax", Rule::id).to_owned(),
            };
            (report.sources.position(said.span.start).line, what)
        })
        .collect();
    found.sort();
    found
}

fn programs() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recovery.cl");
    let text = fs::read_to_string(path).expect("the file of programs is there");
    let parts = text.split("//# ").skip(1);
    parts
        .map(|part| part.split_once('\n').expect("a title has a line"))
        .map(|(title, program)| (title.to_owned(), program.trim_end().to_owned()))
        .collect()
}

#[test]
fn what_is_wrong_is_found_and_nothing_else() {
    let programs = programs();
    assert!(programs.len() > 15, "{}", programs.len());
    let wrong: Vec<String> = programs
        .iter()
        .filter(|(_, program)| found(program) != expected(program))
        .map(|(title, program)| {
            format!("{title}\n  expected {:?}\n  found    {:?}", expected(program), found(program))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns a function with three broken rules, one on each line except the first and the last.
fn function(number: usize) -> String {
    format!(
        "kernel void k{number}(global int *g, local int *l, constant int *c) {{\n  \
         g = l;\n  l = g;\n  *c = 1;\n}}\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A missing semicolon adds one finding, and hides only those on that line and the next.
    #[test]
    fn a_semicolon_left_out_hides_nothing_far_away(count in 1..4_usize, at in any::<prop::sample::Index>()) {
        let program: String = (0..count).map(function).collect();
        let semicolons: Vec<usize> = program.match_indices(';').map(|(at, _)| at).collect();
        let at = semicolons[at.index(semicolons.len())];
        let line = 1 + program[..at].matches('\n').count() as u32;
        let mut damaged = program.clone();
        damaged.remove(at);
        let far = |found: Vec<(u32, String)>| -> Vec<(u32, String)> {
            found.into_iter().filter(|(other, _)| !(line..=line + 1).contains(other)).collect()
        };
        prop_assert_eq!(far(found(&damaged)), far(found(&program)));
        let syntax = found(&damaged).into_iter().filter(|(_, what)| what == "syntax").count();
        // `g = l *c = 1` is not a mistake of syntax.
        prop_assert!(syntax <= 1);
    }
}
