//! The source file of a family: programs and what they are executed with as data, and a test for each rule.

use std::{collections::BTreeMap, fmt::Write as _};

use expectations::{
    dialect::Version,
    probe::{
        Limits,
        element::{Scalar, Value},
        one_launch::{LaunchArgument, OneLaunch},
    },
    rule::Rule,
};

use super::needs;
use crate::{
    commands::export::values::{value, values},
    findings::judging::PreparedCase,
};

/// Compilers limit how long a string literal is.
const LONGEST_LITERAL: usize = 8000;
/// Characters of a line.
const WIDTH: usize = 80;

/// The test of a rule.
pub(super) struct Test<'c> {
    rule: &'c Rule,
    pub(super) cases: Vec<&'c PreparedCase<'c>>,
}

impl<'c> Test<'c> {
    /// Creates a test without cases.
    pub(super) fn new(rule: &'c Rule) -> Self {
        Self { rule, cases: Vec::new() }
    }

    /// Returns the name of the test in the CTS.
    fn name(&self) -> String {
        self.rule.id.replace(['/', '-'], "_")
    }

    /// Returns the macro that defines the test. The harness leaves the test out on devices older than all of its cases
    /// need.
    fn head(&self) -> String {
        let name = self.name();
        match self.cases.iter().map(|case| case.dialect.version).min() {
            Some(least) if least > Version::V1_2 => {
                format!(
                    "REGISTER_TEST_VERSION({name}, Version({}))",
                    least.name().replace('.', ", ")
                )
            }
            _ => format!("REGISTER_TEST({name})"),
        }
    }

    fn text(&self) -> String {
        let name = self.name();
        let mut data = Data::default();
        let mut rows = String::new();
        for (number, case) in self.cases.iter().enumerate() {
            let launches = data.launches(number, case);
            let _ = writeln!(rows, "    {},", row(case, launches));
        }
        let statement = comment(&format!("{}: {}", self.rule.id, self.rule.statement));
        format!(
            "{statement}namespace {name} {{\n{}\nconst Case cases[] = {{\n{rows}}};\n}}\n\n{}\n{{\n    return run_cases(device, context, queue, {name}::cases);\n}}\n",
            data.text,
            self.head()
        )
    }
}

/// Returns the file of these tests.
pub(super) fn text(family: &str, tests: &[Test<'_>]) -> String {
    let mut out = format!(
        "// Written by `address-spaces dev export --layout cts`: the valid programs of the family {family}.\n#include \"address_spaces.h\"\n"
    );
    for test in tests {
        let _ = write!(out, "\n{}", test.text());
    }
    out
}

/// Returns a case as an initializer; `launches` are the name of its launches and their number.
fn row(case: &PreparedCase<'_>, launches: Option<(String, usize)>) -> String {
    let mut options = vec![case.dialect.std_option()];
    let of_probe = case.run_with.probe().filter(|_| launches.is_some());
    options.extend(of_probe.and_then(|probe| probe.options_anywhere()).unwrap_or_default());
    let flags: Vec<String> = case.requirements.iter().map(|needed| needs::flag(*needed)).collect();
    let needs = if flags.is_empty() { "NEEDS_NOTHING".to_owned() } else { flags.join(" | ") };
    let (launches, count) = launches.unwrap_or_else(|| ("nullptr".to_owned(), 0));
    let of_3_0 = case.dialect.version >= Version::V3_0;
    format!(
        "{{ \"{}\",\n      {}, {}, {}, {}, {needs},\n      {},\n      {launches}, {count} }}",
        case.id,
        quoted(&options.join(" ")),
        case.dialect.version.number(),
        of_3_0 && case.dialect.generic,
        of_3_0 && case.dialect.program_scope_globals,
        raw(&case.kernel.source),
    )
}

/// Arrays that the cases of a test refer to.
#[derive(Default)]
struct Data {
    text: String,
    /// Names of arrays, by their type and values.
    known: BTreeMap<String, String>,
}

impl Data {
    /// Returns the name and the number of the launches of a case; `None` if its probe does more than launch and
    /// compare.
    fn launches(&mut self, number: usize, case: &PreparedCase<'_>) -> Option<(String, usize)> {
        let probe = case.run_with.probe()?;
        probe.options_anywhere()?;
        let launches = probe.launches(&Limits::new()).ok().flatten()?;
        let has_empty = |launch: &OneLaunch| {
            let is_empty = |passed: &LaunchArgument| matches!(passed, LaunchArgument::Buffer { before, .. } if before.is_empty());
            launch.arguments.iter().any(is_empty)
        };
        if launches.is_empty() || launches.iter().any(has_empty) {
            return None;
        }
        let mut rows = String::new();
        for launch in &launches {
            let arguments: Vec<String> =
                launch.arguments.iter().map(|passed| self.argument(passed)).collect();
            let name = match arguments.len() {
                0 => "nullptr".to_owned(),
                _ => self.array("Argument", &arguments),
            };
            let three = |sizes: &[usize]| {
                let sizes = (0..3).map(|place| sizes.get(place).copied().unwrap_or(1).to_string());
                sizes.collect::<Vec<_>>().join(", ")
            };
            let _ = writeln!(
                rows,
                "    {{ \"{}\", {}, {{ {} }}, {{ {} }}, {name}, {} }},",
                launch.kernel,
                launch.shape.items.len(),
                three(&launch.shape.items),
                three(&launch.shape.group),
                arguments.len(),
            );
        }
        let name = format!("launches_{number}");
        let _ = write!(self.text, "const Launch {name}[] = {{\n{rows}}};\n");
        Some((name, launches.len()))
    }

    fn argument(&mut self, passed: &LaunchArgument) -> String {
        match passed {
            LaunchArgument::Buffer { layout, before, after } => {
                let (scalar, held) = values(layout, before);
                let held = self.values(scalar, &held);
                let (left_type, left) = values(layout, after);
                let left = self.values(left_type, &left);
                let size = before.len();
                let element = scalar.size().min(left_type.size());
                format!("{{ Argument::Buffer, {size}, {element}, {held}, {left} }}")
            }
            LaunchArgument::Null => "{ Argument::NullBuffer, 0, 0, nullptr, nullptr }".to_owned(),
            LaunchArgument::Local(bytes) => {
                format!("{{ Argument::Local, {bytes}, 0, nullptr, nullptr }}")
            }
            LaunchArgument::Scalar(scalar, bytes) => {
                let (scalar, value) = value(*scalar, bytes);
                let name = self.values(scalar, &[value]);
                let size = scalar.size();
                format!("{{ Argument::Value, {size}, {size}, {name}, nullptr }}")
            }
        }
    }

    fn values(&mut self, scalar: Scalar, values: &[Value]) -> String {
        let literals: Vec<String> = values.iter().map(|value| literal(*value)).collect();
        self.array(&format!("cl_{}", scalar.name()), &lines(&literals))
    }

    /// Returns the name of an array, which is written only once.
    fn array(&mut self, of: &str, lines: &[String]) -> String {
        let mut text = format!("const {of} NAME[] = {{\n");
        for line in lines {
            let _ = writeln!(text, "    {line},");
        }
        text.push_str("};\n");
        if let Some(name) = self.known.get(&text) {
            return name.clone();
        }
        let name = format!("data_{}", self.known.len());
        self.text.push_str(&text.replacen("NAME", &name, 1));
        self.known.insert(text, name.clone());
        name
    }
}

/// Returns a value as a literal of C++ that fits its type.
fn literal(value: Value) -> String {
    match value {
        Value::Integer(value) if value == i128::from(i64::MIN) => {
            "(-0x7fffffffffffffff - 1)".to_owned()
        }
        Value::Integer(value) if value > i128::from(i64::MAX) => format!("{value}u"),
        Value::Integer(_) | Value::Floating(_) => value.to_string(),
    }
}

/// Returns a short text as a literal.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns a program as raw literals that no compiler finds too long.
fn raw(source: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for line in source.split_inclusive('\n') {
        match parts.last_mut() {
            Some(part) if part.len() + line.len() <= LONGEST_LITERAL => part.push_str(line),
            _ => parts.push(line.to_owned()),
        }
    }
    let literals = parts.iter().map(|part| format!("R\"CLC({part})CLC\""));
    literals.collect::<Vec<_>>().join("\n      ")
}

/// Returns the elements of an array in lines that are filled up to their width.
fn lines(elements: &[String]) -> Vec<String> {
    filled(elements.iter().map(String::as_str), ", ", WIDTH - "    ,".len())
}

/// Returns prose as lines of a comment.
fn comment(text: &str) -> String {
    let lines = filled(text.split_whitespace(), " ", WIDTH - "// ".len());
    format!("// {}\n", lines.join("\n// "))
}

/// Returns the parts in lines of this width, with a separator between those of a line.
fn filled<'p>(parts: impl Iterator<Item = &'p str>, between: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.len() + between.len() + part.len() <= width => {
                line.push_str(between);
                line.push_str(part);
            }
            _ => lines.push(part.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use generator::suite::Suite;

    use super::*;

    #[test]
    fn values_are_literals_of_their_types() {
        for (value, expected) in [
            (Value::Integer(-3), "-3"),
            (Value::Integer(i128::from(u64::MAX)), "18446744073709551615u"),
            (Value::Integer(i128::from(i64::MIN)), "(-0x7fffffffffffffff - 1)"),
            (Value::Floating(2.0), "2.0"),
        ] {
            assert_eq!(literal(value), expected);
        }
    }

    #[test]
    fn programs_are_raw_literals_of_bounded_length() {
        let line = format!("{}\n", "x".repeat(4999));
        assert_eq!(raw(&line.repeat(2)).matches("R\"CLC(").count(), 2);
        assert_eq!(raw("int \"a\\\";\n"), "R\"CLC(int \"a\\\";\n)CLC\"");
    }

    #[test]
    fn prose_is_broken_at_words() {
        let text = comment(&"word ".repeat(20));
        assert!(
            text.lines().all(|line| line.len() <= WIDTH && line.starts_with("// word")),
            "{text}"
        );
        assert_eq!(text.matches("word").count(), 20);
    }

    #[test]
    fn every_rule_has_a_test_of_its_own_name() {
        let suite = Suite::embedded().unwrap();
        let names: BTreeSet<String> =
            suite.rules().iter().map(|rule| Test::new(rule).name()).collect();
        assert_eq!(names.len(), suite.rules().len());
    }
}
