//! Generates cases from rules and templates. The same files always give the same ids and bytes.

mod blocks;
pub mod covering_part;
pub mod duplicates;
mod file_scope_names;
pub mod files;
pub mod no_such_case;
pub mod points;
pub mod random;
mod selections;
pub mod suite;
pub mod templates;
pub mod types;
