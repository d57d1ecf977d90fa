//! The scheduler: jobs in, one record for each out, whatever the driver does.

pub mod types;

pub use types::{
    Attempt, Cancel, Config, DeviceReport, EngineError, Event, Hope, Job, Record, WorkerCommand,
    default_workers,
};
