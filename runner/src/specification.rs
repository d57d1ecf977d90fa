//! Copies of the documents that rules cite, as the command line names them.

use std::{fmt::Write as _, path::PathBuf, str::FromStr};

use clap::Args;
use expectations::{
    copies::{CitedSection, Copies},
    document,
    predicate::suggestion,
};
use results::text::{one_line, plural};
use thiserror::Error;

/// A copy that cannot be read.
#[derive(Debug, Error)]
#[error("cannot read the copy of {document}, {}: {source}", .file.display())]
pub struct CopyError {
    document: &'static str,
    file: PathBuf,
    source: std::io::Error,
}

/// The document a file is taken for where none is named.
const USUAL: &str = "OpenCL_C";

/// Options that name copies of documents.
#[derive(Clone, Debug, Default, Args)]
pub struct SpecificationArgs {
    /// Copy of the specification (`OpenCL_C.txt`), or DOCUMENT=FILE for another one (repeatable).
    ///
    /// With a copy, the cited sentences are printed and not only their sections.
    #[arg(
        long = "spec",
        value_name = "[DOCUMENT=]FILE",
        env = "OPENCL_C_SPEC",
        value_delimiter = ','
    )]
    pub copies: Vec<CopyOf>,
}

impl SpecificationArgs {
    /// Reads the copies.
    pub fn read(&self) -> Result<Copies, CopyError> {
        read(&self.copies)
    }
}

/// A copy of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyOf {
    /// Document that the file is a copy of.
    pub document: &'static str,
    /// Path of the copy.
    pub file: PathBuf,
}

impl FromStr for CopyOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = match text.split_once('=') {
            // A path may hold the sign too.
            Some((name, file)) if !name.contains(['/', '.']) => (name, file),
            _ => (USUAL, text),
        };
        match document::find(name) {
            Some(document) => Ok(Self { document: document.id, file: PathBuf::from(file) }),
            None => {
                let known = document::DOCUMENTS.map(|document| document.id);
                let hint = suggestion(name, &known);
                Err(format!("`{name}` is not a document that rules cite{hint}"))
            }
        }
    }
}

/// Reads copies of documents.
pub fn read(files: &[CopyOf]) -> Result<Copies, CopyError> {
    let mut copies = Copies::default();
    for CopyOf { document, file } in files {
        let bytes = std::fs::read(file).map_err(|source| CopyError {
            document,
            file: file.clone(),
            source,
        })?;
        copies.add(document, &String::from_utf8_lossy(&bytes));
    }
    Ok(copies)
}

/// Writes `document [anchor]` with its link; then the sentences, or their number where there is no copy.
pub fn clause(out: &mut String, label: &str, cited: &CitedSection) {
    let CitedSection { document, anchor, link, sentences } = cited;
    let _ = write!(out, "{label}{document} [{anchor}]");
    let unread = sentences.iter().filter(|sentence| sentence.text.is_none()).count();
    if unread > 0 {
        let _ = write!(out, ", {}", plural(unread, "sentence"));
    }
    if let Some(link) = link {
        let _ = write!(out, " {link}");
    }
    out.push('\n');
    for text in sentences.iter().filter_map(|sentence| sentence.text.as_deref()) {
        let _ =
            writeln!(out, "{:width$}\"{}\"", "", one_line(text, usize::MAX), width = label.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_of_the_document_that_is_named() {
        for (text, document, file) in [
            ("OpenCL_C.txt", "OpenCL_C", "OpenCL_C.txt"),
            ("C99=n1256.txt", "C99", "n1256.txt"),
            ("./a=b.txt", "OpenCL_C", "./a=b.txt"),
        ] {
            let copy: CopyOf = text.parse().unwrap();
            assert_eq!((copy.document, copy.file), (document, PathBuf::from(file)));
        }
        let error = "OpenCL=x.txt".parse::<CopyOf>().unwrap_err();
        assert_eq!(error, "`OpenCL` is not a document that rules cite; did you mean `OpenCL_C`?");
    }
}
