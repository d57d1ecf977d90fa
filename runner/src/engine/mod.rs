//! The scheduler: jobs in, one record for each out, whatever the driver does.

mod alone;
mod bisection;
mod complaint;
mod guard;
mod in_process;
mod journal;
mod linker_log;
mod processor_time;
mod program;
mod queue;
mod run;
mod running;
mod sample;
mod scheduler;
mod self_check;
mod shared;
mod sharing;
mod side;
mod sizes;
pub mod types;
mod worker_slot;

pub use journal::{BUILDING, END};
pub use processor_time::processor_time;
pub use queue::can_run;
pub use run::{platforms, run};
pub use sharing::batch_key;
pub use types::{
    AcceptedBatches, Attempt, Cancel, Config, Depth, DeviceReport, EngineError, Event,
    ExpectedVerdict, FirstLook, Job, Learned, Placement, Record, RunWith, SampleSize, SecondLooks,
    Until, WorkerCommand, computes_wrong_values, default_workers,
};
