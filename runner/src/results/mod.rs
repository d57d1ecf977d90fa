//! What is kept of runs: their folders, parts of them joined, past runs in one file.

pub mod clock;
pub mod folder;
pub mod history;
pub mod interrupted;
pub mod merge;
pub mod shard;
pub mod sorted_lines;
pub mod stored;
