//! The process that loads a driver: its requests, its supervision, and its connection where it runs elsewhere.

mod builder;
mod cancel;
mod capabilities;
mod child;
mod comgr;
mod command;
mod far;
mod fault;
mod fork;
mod link;
mod loaded;
mod local;
mod module;
mod opencl;
mod output;
mod patience;
mod primed;
mod process;
pub mod processes;
mod processor_time;
mod protocol;
mod reserve;
mod root;
mod scratch;
mod seat;
mod serve;
mod stack_dump;
mod supervise;
mod target;
pub mod text;
mod usage;
mod zygote;

pub use builder::{
    BuildAnswer, BuildRequest, BuildStatus, Builder, Code, OpenError, Output, RunRequest,
};
pub use cancel::Cancel;
pub use capabilities::{Capabilities, NamedVersion};
pub use command::{FILE_PLACEHOLDER, QUERY_PLACEHOLDER};
pub use loaded::LoadedFiles;
pub use local::WorkerStart;
pub use module::{Form, Making, Module, ModulesByDefines};
pub use process::{BuildEnd, Death, Launch, StartEnd, WorkerCommand};
pub use protocol::{Setup, ZygoteSetup};
pub use reserve::Reserve;
pub use seat::Seat;
pub use serve::{main, serve};
pub use supervise::{become_worker, supervise};
pub use target::{CapabilityQuery, Target};
pub use usage::{Excess, Resource};
