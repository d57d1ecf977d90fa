//! A crate without code: its manifest makes cargo build each library with one set of features.
