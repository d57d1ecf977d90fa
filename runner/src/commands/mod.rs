//! Commands of the program, one module for each.

pub mod adequacy;
pub mod adequacy_probes;
pub mod audit;
pub mod blame;
pub mod choose_quick;
pub mod clauses;
pub mod compare;
mod contents;
pub mod convert;
pub mod coverage;
pub mod devices;
pub mod docs;
pub mod explain;
pub mod export;
pub mod gather;
pub mod handover;
pub mod history;
pub mod judge;
pub mod list;
pub mod lower;
mod mutants;
pub mod new;
pub mod package;
pub mod part;
pub mod reduce;
pub mod report;
pub mod requirements;
pub mod run;
mod run_with;
pub mod show;
pub mod since;
pub mod submit;

use generator::{suite::SuiteError, templates::TemplateError};
use results::{folder::FolderError, store::StoreError};
use thiserror::Error;

use crate::{
    cli::exit,
    device::{files::DeviceFileError, install::InstallError},
    engine::EngineError,
    findings::judged_run::StoredError,
    run::{error::RunError, select::SelectError},
};

#[derive(Debug, Error)]
pub enum CommandError {
    /// The suite is wrong.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The suite cannot be read.
    #[error(transparent)]
    Overlay(#[from] crate::overlay::OverlayError),
    /// A copy of a document cannot be read.
    #[error(transparent)]
    Copy(#[from] crate::specification::CopyError),
    /// A template is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A page cannot be made.
    #[error(transparent)]
    Page(#[from] reports::manual::PageError),
    /// The selection is wrong or empty.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Options that do not go together.
    #[error("{0}")]
    Usage(String),
    /// A name that is none.
    #[error("{0}")]
    Selection(String),
    /// The device is not known.
    #[error(transparent)]
    Device(#[from] DeviceFileError),
    /// The device could not be installed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The device could not be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A program cannot be reduced.
    #[error(transparent)]
    Reduce(#[from] crate::reduce::builds::ReduceError),
    /// The results cannot be kept.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Shards cannot be joined.
    #[error(transparent)]
    Merge(#[from] results::merge::MergeError),
    /// A run cannot be kept.
    #[error(transparent)]
    History(#[from] history::HistoryError),
    /// A package cannot be written, or does not match its manifest.
    #[error(transparent)]
    Package(#[from] package::PackageError),
    /// The store of past runs cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A report cannot be written.
    #[error(transparent)]
    Report(#[from] report::ReportError),
    /// A submission cannot be used.
    #[error(transparent)]
    Submission(#[from] crate::submit::folder::SubmissionError),
    /// A scheduler failed.
    #[error(transparent)]
    Scheduler(#[from] crate::submit::scheduler::SchedulerError),
    /// A run could not be made.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Stored runs cannot be judged.
    #[error(transparent)]
    Stored(#[from] StoredError),
    /// A cluster file is wrong.
    #[error(transparent)]
    Cluster(#[from] crate::submit::cluster::ClusterError),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
}

impl CommandError {
    /// Returns the exit status of the program after this error.
    pub fn status(&self) -> u8 {
        match self {
            Self::Select(SelectError::Stored(_) | SelectError::Changed(_))
            | Self::Run(RunError::Select(SelectError::Stored(_) | SelectError::Changed(_))) => {
                exit::COULD_NOT_RUN
            }
            Self::Select(_) | Self::Selection(_) | Self::Run(RunError::Select(_)) => {
                exit::NOTHING_SELECTED
            }
            _ => exit::COULD_NOT_RUN,
        }
    }
}
