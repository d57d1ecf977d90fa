//! Findings as one JSON document, `"format": 1`.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;

use super::FileReport;

/// Version of the document's shape.
pub const FORMAT: u32 = 1;

/// The findings in each file.
#[derive(Serialize, JsonSchema)]
struct Document<'reports> {
    /// Version of the document's shape.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// Version of the program.
    checker: &'static str,
    /// Reports on the files, in the order of the command line.
    files: &'reports [FileReport],
}

/// Returns the document for `files`.
pub fn render(files: &[FileReport]) -> String {
    let document = Document { format: FORMAT, checker: env!("CARGO_PKG_VERSION"), files };
    // Strings and numbers in structures always serialize.
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

/// Returns the JSON Schema of the document.
pub fn schema() -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Document<'_>>().to_value();
    schema["$id"] = format!("urn:opencl-address-spaces:checker:{FORMAT}").into();
    schema["title"] = format!("checker, format {FORMAT}").into();
    format!("{schema:#}\n")
}
