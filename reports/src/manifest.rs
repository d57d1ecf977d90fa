//! The manifest of an export: a line of JSON for each case.

use expectations::{dialect::Dialect, rule_name::RuleName, verdict::Verdict};
use results::schema;
use schemars::JsonSchema;
use serde::Serialize;

/// Version of the manifest's format.
pub const FORMAT: u32 = 1;

/// One line of the manifest: a case, with all that is needed to judge an implementation by it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Entry<'c> {
    /// Version of the manifest's format.
    #[schemars(extend("const" = FORMAT))]
    pub format: u32,
    /// Id of the case.
    pub id: &'c str,
    /// Rule of the case.
    pub rule: &'c str,
    /// Clauses of the requirement, `document [anchor]`.
    pub clauses: Vec<String>,
    /// Path of the program, relative to the manifest.
    pub file: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// Path of the probe, relative to the manifest: arguments of the program and expected values. Only executed cases
    /// have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<String>,
    /// Dialect of the case.
    pub dialect: Dialect,
    /// Build options.
    pub options: String,
    /// Features and extensions that the case needs.
    pub needs: Vec<&'static str>,
    /// Feature macros of `OpenCL` C 3.0 that the dialect and these needs define.
    pub features: Vec<&'static str>,
    /// Verdict of a conforming implementation. Disputed cases are not judged.
    pub expectation: Verdict,
    /// Rule that the program breaks, for programs that should be rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaks: Option<&'c RuleName>,
    /// Lines of the file, from 1, on which the error of an invalid program belongs.
    pub guilty_lines: Vec<u32>,
    /// Control, a case of this manifest: a rejection proves nothing unless the control is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<&'c str>,
}

/// Returns the schema of one line of the manifest.
pub fn schema() -> String {
    schema::of::<Entry<'_>>("manifest", FORMAT, "One line of manifest.jsonl: a case.")
}
