//! The scheduler: jobs in, one record for each out, whatever the driver does.

mod alone;
mod bisection;
mod complaint;
mod emitting;
mod guard;
mod in_process;
mod journal;
mod known_good;
mod laws;
mod linker_log;
mod making;
mod processor_time;
mod producer;
mod program;
mod queue;
mod replay;
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

pub use emitting::{Emission, EmissionBatch, emit};
pub use journal::{BUILDING, END};
pub use laws::ComparedProgram;
pub use making::make_module;
pub use processor_time::processor_time;
pub use program::as_one_program;
pub use queue::can_run;
pub use replay::{Replayer, replaying};
pub use run::{platforms, run};
pub use self_check::{bad, good};
pub use sharing::batch_key;
pub use types::{
    AcceptedBatches, Attempt, Cancel, Company, Config, Depth, DeviceReport, EngineError, Event,
    ExpectedVerdict, FirstLook, Job, Laws, LearnedFacts, Placement, Record, RunWith, SampleSize,
    SecondLooks, Symptom, Until, WorkerCommand, computes_wrong_values, default_workers,
};
