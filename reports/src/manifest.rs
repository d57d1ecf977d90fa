//! The manifest of an export: a line of JSON for each case.

use schemars::JsonSchema;
use serde::Serialize;

use crate::schema;

/// Version of the manifest's format.
pub const FORMAT: u32 = 1;

/// One line of the manifest: a case, and all that is needed to judge an implementation by it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Entry<'c> {
    /// Version of the manifest's format.
    #[schemars(extend("const" = FORMAT))]
    pub format: u32,
    /// The case.
    pub id: &'c str,
    /// The rule it is a case of.
    pub rule: &'c str,
    /// Where the requirement stands, `document [anchor]`.
    pub clauses: Vec<String>,
    /// The program, relative to the manifest.
    pub file: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// What the program is executed with and what must be seen then, relative to the manifest; of cases that are executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<String>,
    /// The dialect.
    pub dialect: &'static str,
    /// Build options.
    pub options: String,
    /// Features and extensions without which the case says nothing.
    pub needs: Vec<&'static str>,
    /// Feature macros of `OpenCL` C 3.0 that the dialect and these needs come to.
    pub features: Vec<&'static str>,
    /// What a conforming implementation does. Where the text is disputed, nothing is to be judged.
    #[schemars(extend("enum" = ["accept", "reject", "disputed"]))]
    pub expectation: &'static str,
    /// The rule broken, of programs to reject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaks: Option<&'c str>,
    /// Lines of the file, from 1, that an error of a program to reject belongs on.
    pub guilty_lines: Vec<u32>,
    /// The control, a case of this manifest: a rejection proves nothing unless that one is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<&'c str>,
}

/// The schema of one line of the manifest.
pub fn schema() -> String {
    schema::of::<Entry<'_>>("manifest", FORMAT, "One line of manifest.jsonl: a case.")
}
