//! Findings as one JSON document, `"format": 1`.

use serde::Serialize;

use super::FileReport;

/// Version of the document's shape.
pub const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Document<'reports> {
    format: u32,
    checker: &'static str,
    files: &'reports [FileReport],
}

/// The document for these files.
pub fn render(files: &[FileReport]) -> String {
    let document = Document { format: FORMAT, checker: env!("CARGO_PKG_VERSION"), files };
    // Strings and numbers in structures always serialize.
    serde_json::to_string_pretty(&document).unwrap_or_default()
}
