//! Devices: their capabilities, the cases that they can therefore run, and the way each kind is driven.

pub mod checker;
pub mod environment;
pub mod facts;
pub mod files;
mod in_process;
pub mod install;
pub mod library;
pub mod lineage;
mod options;
pub mod own;
mod packages;
pub mod places;
pub mod releases;
pub mod roots;
pub mod support;
mod through;

pub use facts::{DeviceFacts, DialectSupport};
pub use in_process::InProcess;
pub use options::{
    asked_code, build_options, code_for_module, feature_option, making, module_output, with_options,
};
pub use worker::{
    BuildAnswer, BuildRequest, BuildStatus, Builder, Capabilities, Code, FILE_PLACEHOLDER, Form,
    LoadedFiles, Making, Module, ModulesByDefines, NamedVersion, OpenError, Output, RunRequest,
    text,
};
