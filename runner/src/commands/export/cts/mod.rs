//! `address-spaces dev export --layout cts`: valid programs as a test of Khronos' OpenCL-CTS, which has no tests of
//! invalid ones: a folder for `test_conformance/`, with a source file for each family of rules and a test for each
//! rule.

mod family;
mod needs;

use std::{collections::BTreeMap, path::Path};

use expectations::{
    dialect::Version,
    rule::{Expectation, Rule},
};

use super::files;
use crate::{commands::CommandError, findings::judging::PreparedCase};

/// Files that are the same in every export, with placeholders that are replaced.
const FILES: [(&str, &str); 4] = [
    ("CMakeLists.txt", include_str!("../../../../../templates/cts/CMakeLists.txt")),
    ("main.cpp", include_str!("../../../../../templates/cts/main.cpp")),
    ("address_spaces.h", include_str!("../../../../../templates/cts/address_spaces.h")),
    ("address_spaces.cpp", include_str!("../../../../../templates/cts/address_spaces.cpp")),
];

/// Whether the case can be one of the CTS: it is valid, and a build option selects its version.
pub(super) fn has(case: &PreparedCase<'_>) -> bool {
    *case.expectation == Expectation::Accept && case.dialect.version > Version::V1_0
}

/// Writes the cases, in the order of their rules; the caller passes only cases that the CTS can have.
pub(super) fn write(
    folder: &Path,
    cases: &[(&Rule, &PreparedCase<'_>)],
) -> Result<(), CommandError> {
    let mut families: BTreeMap<&str, BTreeMap<&str, family::Test<'_>>> = BTreeMap::new();
    for (rule, case) in cases {
        let family = rule.id.split('/').next().unwrap_or_default();
        let tests = families.entry(family).or_default();
        let test = tests.entry(&rule.id).or_insert_with(|| family::Test::new(rule));
        test.cases.push(case);
    }
    let sources: Vec<String> = families.keys().map(|family| source(family)).collect();
    let sources = sources.join("\n    ");
    for (name, text) in FILES {
        let text = text
            .replace("@SOURCES@", &sources)
            .replace("@NEEDS@", &needs::flags())
            .replace("@TABLE@", &needs::table());
        files::write(&folder.join(name), &text)?;
    }
    for (family, tests) in families {
        let tests: Vec<family::Test<'_>> = tests.into_values().collect();
        files::write(&folder.join(source(family)), &family::text(family, &tests))?;
    }
    Ok(())
}

/// Returns the name of a family's source file.
fn source(family: &str) -> String {
    format!("test_{}.cpp", family.replace('-', "_"))
}
