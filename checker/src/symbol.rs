//! Interned identifiers.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::keyword::Keyword;

/// An interned spelling; equal symbols are equal texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The empty text, in every interner.
    pub const EMPTY: Self = Self(0);

    /// Returns the keyword that the symbol spells in some dialect.
    pub const fn keyword(self) -> Option<Keyword> {
        // `self.0` of the empty text wraps around and is out of bounds too.
        let index = self.0.wrapping_sub(1) as usize;
        if index < Keyword::SPELLINGS.len() { Some(Keyword::SPELLINGS[index].1) } else { None }
    }
}

/// A text: its range in the arena, its hash, and its slot.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    end: u32,
    hash: u32,
    slot: u32,
}

/// Gives each text a number: the empty text is 0, then come [`Keyword::SPELLINGS`] in order.
/// Everything interned after [`Interner::seal`] is forgotten by [`Interner::reset`],
/// so that memory does not grow from program to program.
#[derive(Clone, Debug)]
pub struct Interner {
    /// Every text, end to end.
    arena: String,
    entries: Vec<Entry>,
    /// Open addressing with linear probing: the hash above the number of the entry plus one; 0 is free. A power of
    /// two long.
    slots: Vec<u64>,
    sealed: usize,
}

impl Default for Interner {
    fn default() -> Self {
        let mut interner =
            Self { arena: String::new(), entries: Vec::new(), slots: vec![0; 1024], sealed: 0 };
        interner.intern("");
        for (text, _) in Keyword::SPELLINGS {
            interner.intern(text);
        }
        interner.seal();
        interner
    }
}

impl Interner {
    /// Returns the symbol of `text`.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let hash = hash(text.as_bytes());
        match self.find(text.as_bytes(), hash) {
            Ok(symbol) => symbol,
            Err(slot) => self.add(text, hash, slot),
        }
    }

    /// Returns the symbol of a text known to be ASCII or already checked; `None` when it is not UTF-8.
    pub fn intern_bytes(&mut self, text: &[u8]) -> Option<Symbol> {
        let hash = hash(text);
        match self.find(text, hash) {
            Ok(symbol) => Some(symbol),
            Err(slot) => Some(self.add(str::from_utf8(text).ok()?, hash, slot)),
        }
    }

    /// Returns the symbol of `text` if it was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(text.as_bytes(), hash(text.as_bytes())).ok()
    }

    /// Returns the text of `symbol`.
    pub fn text(&self, symbol: Symbol) -> &str {
        let entry = self.entries[symbol.0 as usize];
        &self.arena[entry.start as usize..entry.end as usize]
    }

    /// Returns the number of symbols. Every symbol is less than this.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no symbols: never, because the empty text is always there.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Keeps everything interned so far for good.
    pub fn seal(&mut self) {
        self.sealed = self.entries.len();
    }

    /// Forgets everything that was interned after [`Interner::seal`].
    pub fn reset(&mut self) {
        // Undoing insertions in reverse order restores the probe sequences exactly.
        for entry in self.entries.drain(self.sealed..).rev() {
            self.slots[entry.slot as usize] = 0;
        }
        self.arena.truncate(self.entries.last().map_or(0, |entry| entry.end as usize));
    }

    /// Returns the symbol, or the free slot where it belongs.
    fn find(&self, text: &[u8], hash: u32) -> Result<Symbol, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let filled = self.slots[slot];
            if filled == 0 {
                return Err(slot);
            }
            // The hash in the slot spares looking at most texts that differ.
            if (filled >> 32) as u32 == hash {
                let number = filled as u32 - 1;
                let entry = self.entries[number as usize];
                if &self.arena.as_bytes()[entry.start as usize..entry.end as usize] == text {
                    return Ok(Symbol(number));
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    fn add(&mut self, text: &str, hash: u32, slot: usize) -> Symbol {
        let symbol = Symbol(self.entries.len() as u32);
        let start = self.arena.len() as u32;
        self.arena.push_str(text);
        let end = self.arena.len() as u32;
        self.entries.push(Entry { start, end, hash, slot: slot as u32 });
        self.slots[slot] = slot_of(hash, symbol.0);
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        symbol
    }

    fn grow(&mut self) {
        let capacity = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(capacity, 0);
        for (number, entry) in self.entries.iter_mut().enumerate() {
            let mut slot = entry.hash as usize & (capacity - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (capacity - 1);
            }
            self.slots[slot] = slot_of(entry.hash, number as u32);
            entry.slot = slot as u32;
        }
    }
}

fn slot_of(hash: u32, number: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(number + 1)
}

fn hash(text: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_come_first() {
        let interner = Interner::default();
        for &(text, keyword) in Keyword::SPELLINGS {
            assert_eq!(interner.get(text).and_then(Symbol::keyword), Some(keyword), "{text}");
        }
        assert_eq!(Symbol::EMPTY.keyword(), None);
        assert_eq!(interner.text(Symbol::EMPTY), "");
    }

    #[test]
    fn reset_forgets_what_came_after_seal() {
        let mut interner = Interner::default();
        let kept = interner.intern("kept");
        interner.seal();
        for round in 0..3 {
            let before = interner.len();
            for number in 0..5000 {
                let text = format!("x{round}_{number}");
                let symbol = interner.intern(&text);
                assert_eq!(interner.intern(&text), symbol);
                assert_eq!(interner.text(symbol), text);
                assert_eq!(symbol.keyword(), None);
            }
            interner.reset();
            assert_eq!(interner.len(), before);
            assert_eq!(interner.get("x0_1"), None);
            assert_eq!(interner.get("kept"), Some(kept));
        }
    }
}
