//! The explanation of a rule: the requirement, its clause, a program that breaks it and a valid counterpart.

mod examples;

use std::fmt::Write as _;

use crate::{dialect::Dialect, rule::Rule};

/// Two programs that differ in one thing.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The dialect of both programs.
    pub dialect: Dialect,
    /// A program that breaks the rule and no other.
    pub broken: &'static str,
    /// A program that breaks no rule.
    pub valid: &'static str,
}

/// Returns the example of `rule`.
pub const fn example(rule: Rule) -> Example {
    examples::of(rule)
}

/// Returns the text for `rule`, several lines.
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
