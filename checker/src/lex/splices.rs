//! Lines joined by a backslash before the newline.

use super::{SPACE, is};

/// Returns the byte at `at`, after any splices, and the offset after it; 0 and `end` at the end.
pub(super) fn peek_spliced(text: &[u8], at: u32, end: u32) -> (u8, u32) {
    let mut at = at;
    while at < end {
        match text[at as usize] {
            b'\\' => match splice(text, at, end) {
                Some(after) => at = after,
                None => return (b'\\', at + 1),
            },
            byte => return (byte, at + 1),
        }
    }
    (0, end)
}

/// Returns the offset after a line splice at `at`. Blanks may stand between the backslash and the newline.
pub(super) fn splice(text: &[u8], at: u32, end: u32) -> Option<u32> {
    let mut after = at + 1;
    while after < end {
        match text[after as usize] {
            b'\n' => return Some(after + 1),
            byte if is(byte, SPACE) => after += 1,
            _ => return None,
        }
    }
    None
}

pub(crate) fn without_splices(bytes: &[u8]) -> Vec<u8> {
    let end = bytes.len() as u32;
    let mut clean = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < end {
        let byte = bytes[at as usize];
        match splice(bytes, at, end) {
            Some(after) if byte == b'\\' => at = after,
            _ => {
                clean.push(byte);
                at += 1;
            }
        }
    }
    clean
}
