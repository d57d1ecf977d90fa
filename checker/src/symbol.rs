//! Interned identifiers.

use rustc_hash::FxHashMap;

/// An interned spelling; equal symbols are equal texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// Gives each text a number. Everything interned after [`Interner::seal`] is forgotten by [`Interner::reset`],
/// so that memory does not grow from program to program.
#[derive(Debug, Default)]
pub struct Interner {
    by_text: FxHashMap<Box<str>, Symbol>,
    texts: Vec<Box<str>>,
    sealed: usize,
}

impl Interner {
    /// The symbol of `text`.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.by_text.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.into());
        self.by_text.insert(text.into(), symbol);
        symbol
    }

    /// The text of `symbol`.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }

    /// Keep everything interned so far for good.
    pub fn seal(&mut self) {
        self.sealed = self.texts.len();
    }

    /// Forget what came after [`Interner::seal`].
    pub fn reset(&mut self) {
        for text in self.texts.drain(self.sealed..) {
            self.by_text.remove(&text);
        }
    }
}
