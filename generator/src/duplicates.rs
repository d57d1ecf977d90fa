//! Cases that test the same: points of a rule and dialect with one kernel and one probe.

use std::hash::Hasher as _;

use expectations::{case_id::CaseId, load::FileError, located::Part};
use rustc_hash::FxHasher;

use crate::{
    suite::{Case, Suite},
    templates::{Kernel, TemplateError},
};

/// Returns errors for cases that repeat another case of their rule and dialect: they would be counted without testing
/// anything new.
pub fn reject_duplicates<'c>(
    suite: &Suite,
    cases: impl IntoIterator<Item = (&'c str, &'c Kernel)>,
) -> Result<(), TemplateError> {
    let mut keyed: Vec<(u64, &str)> =
        cases.into_iter().map(|(id, kernel)| (key(id, kernel), id)).collect();
    // Stable: of several the first is the one that the others repeat.
    keyed.sort_by_key(|(key, _)| *key);
    let mut alike: Vec<Vec<&str>> = keyed
        .chunk_by(|(one, _), (other, _)| one == other)
        .filter(|chunk| chunk.len() > 1)
        .map(|chunk| chunk.iter().map(|(_, id)| *id).collect())
        .collect();
    alike.sort_unstable();
    let mut errors = Vec::new();
    for ids in alike {
        let cases = ids.iter().filter_map(|id| suite.case(id).ok());
        let mut known: Vec<(Case, String)> = Vec::new();
        for case in cases {
            let text = suite.text_for_comparison(&case)?;
            let text = words(&text).collect::<Vec<_>>().join(" ");
            match known.iter().find(|(_, other)| *other == text) {
                Some((other, _)) => errors.push(error(suite, other, &case)),
                None => known.push((case, text)),
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(TemplateError::Laws(errors)) }
}

/// Returns a key that is equal for kernels of one rule and dialect which differ only in the prefix of their names.
fn key(id: &str, kernel: &Kernel) -> u64 {
    let mut hasher = FxHasher::default();
    let id = CaseId::new(id);
    for part in [id.rule(), id.dialect()] {
        hasher.write(part.as_bytes());
        hasher.write_u8(0);
    }
    for part in kernel.source.split(id.prefix().as_str()).flat_map(words) {
        hasher.write(part.as_bytes());
        hasher.write_u8(0);
    }
    hasher.finish()
}

/// Returns the words and line ends of a text, without the white space that no compiler sees.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
        .flat_map(|line| line.split_ascii_whitespace().chain(line.ends_with('\n').then_some("\n")))
}

fn error(suite: &Suite, first: &Case, second: &Case) -> FileError {
    let rule = suite.rule(first);
    let differing: Vec<(&str, &str)> = rule
        .axes
        .iter()
        .zip(first.point.iter().zip(&second.point))
        .filter(|(_, (first, second))| first != second)
        .map(|((axis, values), (_, second))| (axis.as_str(), values[usize::from(*second)].as_str()))
        .collect();
    let axis = differing.first().map_or("", |(axis, _)| *axis);
    let conditions: Vec<String> =
        differing.iter().map(|(axis, value)| format!("{axis} == {value}")).collect();
    let message = format!(
        "{} gives the same program as {}: let the template show the difference, or add `{}`, with \
         the other conditions that hold for both, to `exclude`",
        second.id,
        first.id,
        conditions.join(" and ")
    );
    suite.error_at(rule, Part::Axis(axis), message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::SuiteFiles;

    const RULE: &str = r#"statement = "a"
one-sided = "b"

[axes]
form = ["left", "right"]
space = ["global", "local"]

[[expect]]
verdict = "accept"

[source]
covers = []
clauses = ["C99#6.6"]
"#;

    /// Returns the error about the cases of a rule with this template.
    fn rejected(template: &str) -> Option<String> {
        let mut files = SuiteFiles::empty();
        for (path, text) in
            [("expectations/rules/a/one.toml", RULE), ("templates/kernels/a/one.cl.tera", template)]
        {
            files.add(path, path, text.to_owned());
        }
        let suite = Suite::from_files(files).unwrap();
        let cases = suite.cases(&[0], &[expectations::dialect::Dialect::ALL[0]]);
        let kernels: Vec<Kernel> = cases.iter().map(|case| suite.render(case).unwrap()).collect();
        let cases = cases.iter().map(|case| case.id.as_str()).zip(&kernels);
        reject_duplicates(&suite, cases).err().map(|error| error.to_string())
    }

    #[test]
    fn a_case_that_repeats_another_is_rejected_with_place_and_remedy() {
        let kernel = "kernel void [< p >]k([< space_q >]int *o) { o[0] = 1; }\n";
        assert_eq!(rejected(&format!("typedef int [< p >]t[< form >];\n{kernel}")), None);
        // More space makes no other program.
        for hidden in [
            "[% if form == \"left\" %][% endif %]",
            "typedef int[% if form == \"left\" %]   [% endif %] [< p >]t;\n",
        ] {
            let said = |n: &str| {
                format!(
                    "expectations/rules/a/one.toml:5:1: a/one/cl10/form=right,space={n} gives the \
                     same program as a/one/cl10/form=left,space={n}: let the template show the \
                     difference, or add `form == right`, with the other conditions that hold for \
                     both, to `exclude`"
                )
            };
            let expected = [said("global"), said("local")].join("\n");
            assert_eq!(rejected(&format!("{hidden}{kernel}")), Some(expected), "{hidden}");
        }
    }
}
