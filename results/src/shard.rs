//! Parts of a run.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

/// One of several parts of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, from 1.
    pub index: u64,
    /// Number of parts, at least 1.
    pub count: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if 1 <= index && index <= count => Ok(Self { index, count }),
            _ => Err("a shard is K/N with 1 <= K <= N, for example 2/8".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Shard {
    /// Whether a case belongs to the shard: a hash of its id decides, so that a new case moves no other.
    pub fn has(self, id: &str) -> bool {
        let digest = Sha256::digest(id.as_bytes());
        let number =
            digest.iter().take(8).fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
        number % self.count == self.index - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_checked() {
        assert_eq!("2/8".parse(), Ok(Shard { index: 2, count: 8 }));
        for bad in ["0/8", "9/8", "1", "a/b", "1/0", ""] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    fn every_id_is_in_exactly_one_shard() {
        for n in 0..200 {
            let id = format!("a/b/cl12/n={n}");
            let parts = (1..=7).filter(|&index| Shard { index, count: 7 }.has(&id)).count();
            assert_eq!(parts, 1, "{id}");
        }
    }
}
