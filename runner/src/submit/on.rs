//! The schedulers there are.

use clap::ValueEnum;

use super::{kubernetes::Kubernetes, scheduler::Scheduler, slurm::Slurm};

/// The schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum On {
    /// Array jobs of Slurm, and one that gathers.
    Slurm,
    /// Indexed Jobs of Kubernetes, as a manifest.
    Kubernetes,
}

impl On {
    pub fn scheduler(self) -> Box<dyn Scheduler> {
        match self {
            Self::Slurm => Box::new(Slurm),
            Self::Kubernetes => Box::new(Kubernetes),
        }
    }
}
