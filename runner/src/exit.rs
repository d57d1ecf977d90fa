//! Exit statuses of the program.

/// Everything was as expected.
pub const EXPECTED: u8 = 0;
/// Some finding is not explained.
pub const UNEXPECTED: u8 = 1;
/// The run could not be done.
pub const COULD_NOT_RUN: u8 = 2;
/// The selection is empty.
pub const NOTHING_SELECTED: u8 = 3;
