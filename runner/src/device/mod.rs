//! Devices: what they say of themselves, what they can therefore be asked, and how each kind is driven.

pub mod builder;
pub mod checker;
mod command;
pub mod environment;
pub mod facts;
pub mod files;
pub mod install;
pub mod library;
mod loaded;
mod opencl;
mod options;
pub mod own;
pub mod support;
pub mod text;

pub use builder::{
    BuildAnswer, BuildRequest, BuildStatus, Builder, InProcess, OpenError, RunRequest,
};
pub use command::{CommandDevice, FILE_PLACEHOLDER};
pub use facts::{Capabilities, DeviceFacts, DialectSupport, NamedVersion};
pub use loaded::Loaded;
pub use opencl::OpenclDevice;
pub use options::build_options;
