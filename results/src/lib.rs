//! Runs of the suite as they are kept: the lines of a results file, the folder it lies in, parts joined, past runs.
//! Everything that judges, counts or shows a run starts from [`run::Run`].

pub mod cases;
pub mod clock;
pub mod cluster;
pub mod folder;
pub mod hash;
pub mod history;
pub mod line;
mod load;
pub mod merge;
pub mod package;
pub mod reader;
pub mod run;
pub mod schema;
pub mod shard;
pub mod shared_check;
mod sorted_lines;
pub mod store;
pub mod text;
pub mod worker_time;
