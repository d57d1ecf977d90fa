//! Fixed files: written in place, or shown as a difference.

use std::{
    fs,
    io::{self, IsTerminal as _, Write},
    path::Path,
};

use crate::render::escape;
use similar::TextDiff;
use tempfile::NamedTempFile;

/// Replaces the text of the file at `path` at once: a reader sees the old text or the new one. A link stays a link;
/// permissions stay as they are.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path)?;
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text)?;
    file.as_file().set_permissions(fs::metadata(&target)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Prints the changes of the file `name` as a patch. Control characters are escaped on a terminal.
pub(super) fn show_difference(name: &str, before: &[u8], after: &[u8]) -> io::Result<()> {
    let name = escape::line(name);
    let [old, new] = ["a", "b"].map(|side| match name.strip_prefix('/') {
        Some(_) => name.clone(),
        None => format!("{side}/{name}"),
    });
    let difference = TextDiff::from_lines(before, after);
    let mut written = Vec::new();
    difference.unified_diff().header(&old, &new).to_writer(&mut written)?;
    let mut output = io::stdout().lock();
    if output.is_terminal() {
        output.write_all(escape::DisplayText::new(&written).text.as_bytes())?;
    } else {
        output.write_all(&written)?;
    }
    output.flush()
}
