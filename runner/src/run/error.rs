//! Errors of a run.

use generator::{suite::SuiteError, templates::TemplateError};
use reports::manual::PageError;
use results::folder::FolderError;
use thiserror::Error;

use super::select::SelectError;
use crate::{
    device::{files::DeviceFileError, install::InstallError},
    engine::EngineError,
    findings::bless::BlessError,
    overlay::OverlayError,
};

/// Error that prevents a run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The suite is wrong.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The suite cannot be read.
    #[error(transparent)]
    Overlay(#[from] OverlayError),
    /// A template is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The selection is wrong or empty.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Options that do not go together.
    #[error("{0}")]
    Usage(String),
    /// The device is not known.
    #[error(transparent)]
    Device(#[from] DeviceFileError),
    /// The device could not be installed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The device's packages are not here.
    #[error("{device} is not installed: {remedy}")]
    NotInstalled {
        device: String,
        /// Advice to the user.
        remedy: String,
    },
    /// The device could not be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A program cannot be reduced.
    #[error(transparent)]
    Reduce(#[from] crate::reduce::builds::ReduceError),
    /// The results cannot be kept.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The baseline cannot be rewritten.
    #[error(transparent)]
    Bless(#[from] BlessError),
    /// The host program of a finding cannot be written.
    #[error(transparent)]
    Page(#[from] PageError),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
}
