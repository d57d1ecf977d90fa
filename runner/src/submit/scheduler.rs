//! Interface of a scheduler: it renders texts, takes jobs and reports their state.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use generator::templates::delimiters;
use rust_embed::RustEmbed;
use tera::{Context, Tera};
use thiserror::Error;

use super::{cluster::Cluster, folder::SubmissionFolder};

/// Tasks to be handed over.
pub struct Submission<'s> {
    /// The plan and where its results go.
    pub folder: &'s SubmissionFolder,
    /// The tasks that are wanted, by number; of each device together.
    pub devices: Vec<(String, Vec<usize>)>,
    /// Settings of the cluster.
    pub cluster: &'s Cluster,
    /// This program on the nodes.
    pub runner: PathBuf,
}

/// Returns a path for scripts; a path that would need quoting is an error.
pub(super) fn script_path(path: &Path) -> Result<String, SchedulerError> {
    let text = path.display().to_string();
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '/');
    if text.chars().all(harmless) { Ok(text) } else { Err(SchedulerError::Path { path: text }) }
}

/// Place of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the queue.
    Waiting,
    /// On a node.
    Running,
}

#[derive(Debug, Error)]
pub enum SchedulerError {
    /// A program of the scheduler cannot be started.
    #[error("`{program}` cannot be started ({source}): is this a machine of the cluster?")]
    Missing {
        program: String,
        /// Error of the system.
        source: std::io::Error,
    },
    #[error("`{program}` rejected: {said}")]
    Rejected {
        program: String,
        /// Message of the scheduler.
        said: String,
    },
    /// The path would have to be quoted in places where it cannot be.
    #[error(
        "{path} goes into job scripts, whose paths may have only letters, digits and . _ - + /: \
         name another folder"
    )]
    Path { path: String },
    /// This scheduler takes manifests only.
    #[error(
        "this program does not submit jobs to Kubernetes: `address-spaces submit --on kubernetes \
         --dry-run ...` prints a manifest for `kubectl create -f -`"
    )]
    ManifestOnly,
    /// A template is wrong.
    #[error("the template {name} cannot be rendered: {message}")]
    Template {
        /// The template.
        name: String,
        /// Description of the mistake.
        message: String,
    },
}

/// A kind of scheduler.
pub trait Scheduler {
    /// Returns the texts for the scheduler as one, which `--dry-run` prints.
    fn text(&self, submission: &Submission<'_>) -> Result<String, SchedulerError>;

    /// Rejects settings with which nothing can be submitted.
    fn check(&self) -> Result<(), SchedulerError>;

    /// Submits the tasks and returns each job with the numbers of its tasks.
    fn submit(
        &self,
        submission: &Submission<'_>,
    ) -> Result<Vec<(String, Vec<usize>)>, SchedulerError>;

    /// Submits the job that gathers the results when these jobs have ended, and returns its name.
    fn submit_gathering(
        &self,
        submission: &Submission<'_>,
        after: &[String],
    ) -> Result<String, SchedulerError>;

    /// Returns the tasks of these jobs that have not ended; a job without tasks has task 0.
    fn places(&self, jobs: &[String]) -> Result<BTreeMap<(String, usize), Place>, SchedulerError>;

    /// Returns how a task ended, in the scheduler's words, where it still knows.
    fn fate(&self, job: &str, task: usize) -> Option<String>;
}

#[derive(RustEmbed)]
#[folder = "../templates/cluster"]
struct Templates;

/// Renders a template of `templates/cluster/`.
pub(super) fn render(name: &str, context: &Context) -> Result<String, SchedulerError> {
    let failed = |message: String| SchedulerError::Template { name: name.to_owned(), message };
    let file = Templates::get(name).ok_or_else(|| failed("it is not there".to_owned()))?;
    let text = String::from_utf8_lossy(&file.data).into_owned();
    let mut tera = Tera::new();
    let added = tera
        .set_delimiters(delimiters())
        .and_then(|()| tera.add_raw_templates([(name.to_owned(), text)]));
    added.and_then(|()| tera.render(name, context)).map_err(|error| failed(error.to_string()))
}
