//! Names in random programs.

/// A name, unique in its program; names of file scope are spelled with the case's prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// What it names: `v` a variable, `f` a function, ...
    pub(super) letter: char,
    /// Its number.
    pub(super) index: u16,
    /// It is visible to the whole file, and beyond.
    pub(super) is_file_scope: bool,
}
