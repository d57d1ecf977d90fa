//! Clauses with memory: a hash of the sentence a rule rests on.

use sha2::{Digest, Sha256};

/// Hash of a passage: its words joined by single spaces, so that re-wrapping the text changes nothing;
/// the first 16 hexadecimal digits of SHA-256.
pub fn hash(passage: &str) -> String {
    let words: Vec<&str> = passage.split_whitespace().collect();
    let digest = Sha256::digest(words.join(" ").as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_does_not_matter() {
        assert_eq!(hash("a b\n  c "), hash("a b c"));
        assert_ne!(hash("a b c"), hash("a b d"));
        assert_eq!(hash("").len(), 16);
    }
}
