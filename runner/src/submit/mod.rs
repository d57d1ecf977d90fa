//! A run on more than one machine: cut into tasks, handed to a scheduler that exists, gathered.

pub mod cluster;
pub mod folder;
mod kubernetes;
pub mod on;
pub mod plan;
pub mod scheduler;
mod slurm;
