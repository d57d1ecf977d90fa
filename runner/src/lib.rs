//! Runs cases on devices: drivers in worker processes, many cases in one build, and what came of it as events.

pub mod baseline;
pub mod bless;
pub mod builds;
pub mod cli;
pub mod clock;
pub mod clusters;
pub mod commands;
pub mod device;
pub mod device_files;
pub mod engine;
pub mod history_store;
pub mod install;
pub mod judging;
pub mod machine;
pub mod reduce;
pub mod results_folder;
pub mod select;
pub mod shrink;
pub mod sorted_lines;
pub mod submit;
pub mod worker;
