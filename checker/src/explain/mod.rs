//! What `--explain` says of a rule: the requirement, its clause, a program that breaks it and a valid twin.

mod examples;

use std::fmt::Write as _;

use crate::{dialect::Dialect, rule::Rule};

/// Two programs that differ in one thing.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// How both are read.
    pub dialect: Dialect,
    /// Breaks the rule, and no other.
    pub broken: &'static str,
    /// Breaks none.
    pub valid: &'static str,
}

/// The example of `rule`.
pub const fn example(rule: Rule) -> Example {
    examples::of(rule)
}

/// The text for `rule`, several lines.
pub fn explain(rule: Rule) -> String {
    let info = rule.info();
    let example = example(rule);
    let dialect = example.dialect;
    let mut text = String::new();
    write!(
        text,
        "{}: {}\n\nclause: {}\n\nbroken in {dialect}:\n{}\nfine in {dialect}:\n{}",
        info.id,
        info.summary,
        info.url(),
        indented(example.broken),
        indented(example.valid),
    )
    .expect("a string takes everything");
    text
}

fn indented(program: &str) -> String {
    program.lines().fold(String::new(), |mut text, line| {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
        text
    })
}
