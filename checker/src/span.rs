//! Places in a program: two byte offsets into the concatenation of every file that the preprocessor read.

/// A half-open range of byte offsets into a [`crate::source::SourceMap`]; copyable, 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the range from `start` up to, not including, `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Returns the smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}
