//! The scheduler: jobs in, one record for each out, whatever the driver does.

mod alone;
mod in_process;
mod patience;
mod process;
mod program;
mod queue;
mod run;
mod running;
mod scheduler;
mod self_check;
mod shared;
mod sharing;
mod sizes;
pub mod types;
mod worker_slot;

pub use run::{platforms, run};
pub use types::{
    Attempt, Cancel, Config, DeviceReport, EngineError, Event, ExpectedVerdict, Job, Record,
    WorkerCommand, default_workers,
};
