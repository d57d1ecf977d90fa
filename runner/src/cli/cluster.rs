//! Commands for a run on several machines.

use std::path::PathBuf;

use clap::Args;

use super::run::{TestedArgs, keep};
use crate::{run::plan::RunPlan, submit::on::On};

/// Examples of submissions.
pub(super) const SUBMIT_EXAMPLES: &str = "Examples:
  address-spaces submit --on slurm --device pocl --tasks 8 --results out --wait
                                                an array job of 8 tasks, progress, the run's exit status
  address-spaces submit --on slurm --device pocl --tasks 8 --results new --times out/merged
                                                the same, balanced by the times of the last run
  address-spaces submit --on slurm --resume out
                                                only the tasks that were lost or cancelled
  address-spaces submit --on kubernetes --device pocl --tasks 8 --results /results/out --dry-run | kubectl create -f -";

/// Options that a submission keeps: one that is resumed has them already.
const OF_THE_RUN: [&str; 26] = [
    "tasks",
    "times",
    "results",
    "device",
    "icd",
    "through",
    "baseline",
    "dialect",
    "rule",
    "quick",
    "failed_in",
    "changed_since",
    "shard",
    "filter",
    "skip",
    "exact",
    "depth",
    "isolate",
    "no_laws",
    "timeout",
    "memory",
    "retries",
    "test_threads",
    "random",
    "seed",
    "random_kind",
];

/// Options of a submission.
#[derive(Debug, Args)]
pub struct SubmitArgs {
    /// Scheduler that receives the tasks.
    #[arg(long, value_enum)]
    pub on: On,
    /// Number of tasks of the run, for all devices together.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub tasks: usize,
    /// Print the texts for the scheduler without submitting them.
    #[arg(long, conflicts_with = "wait")]
    pub dry_run: bool,
    /// Wait until every task has ended, then join and judge the results.
    #[arg(long)]
    pub wait: bool,
    /// Settings of the cluster: partitions, generic resources, images.
    #[arg(long, value_name = "FILE")]
    pub cluster: Option<PathBuf>,
    /// Results of an earlier run, whose times balance the tasks.
    #[arg(long, value_name = "DIR")]
    pub times: Option<PathBuf>,
    /// Folder for the results, which every node must reach and which must not contain a run yet.
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub results: Option<PathBuf>,
    /// Folder of a submission: only its missing tasks are submitted, with its options.
    #[arg(long, value_name = "DIR", conflicts_with_all = OF_THE_RUN)]
    pub resume: Option<PathBuf>,
    /// Devices and programs.
    #[command(flatten)]
    pub tested: TestedArgs,
}

impl SubmitArgs {
    /// Returns the plan of the run; an error names the options that exclude each other.
    pub fn plan(&self) -> Result<RunPlan, String> {
        let keep = keep(self.results.as_ref(), self.resume.as_ref());
        Ok(RunPlan { keep, ..self.tested.plan()? })
    }
}

/// Options of one task.
#[derive(Debug, Args)]
pub struct PartArgs {
    /// Folder of the submission.
    pub folder: PathBuf,
    /// Number of the task.
    #[arg(long, value_name = "N", env = "JOB_COMPLETION_INDEX")]
    pub task: usize,
    /// Number of the job's first task, which is added to the number.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first: usize,
    /// File of the plan, if the folder may not have it yet.
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
}
