//! The folder of a run on more than one machine: the plan, a results folder for each task, the jobs handed over.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use results::{
    folder::{FolderError, ResultsReader, holds_run},
    line::{End, Header, Line},
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::plan::{FORMAT, Plan};

const PLAN_FILE: &str = "plan.json";
const JOBS_FILE: &str = "jobs.jsonl";

#[derive(Debug, Error)]
pub enum SubmissionError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// There is no plan.
    #[error(
        "{folder} contains no submission; begin one with `address-spaces submit --results {folder}`"
    )]
    Nothing { folder: String },
    /// There is a plan already.
    #[error(
        "{folder} already contains a submission; submit its missing tasks with `address-spaces \
         submit --on slurm --resume {folder}`, or name another folder"
    )]
    Occupied { folder: String },
    /// The plan of a folder is a different one.
    #[error("{folder} contains another plan: name another folder")]
    AnotherPlan { folder: String },
    /// A file is none of this program's.
    #[error("{path}: {message}")]
    Malformed {
        /// The file.
        path: String,
        /// Description of the mistake.
        message: String,
    },
    /// A number that is not a task.
    #[error("there is no task {task}: the plan of {folder} has tasks 0 to {last}")]
    NoTask {
        /// The number.
        task: usize,
        folder: String,
        /// The last task.
        last: usize,
    },
    /// The suite is not the one that was cut.
    #[error(
        "the plan of {folder} was made with the suite {planned}, and this program has {here}: use \
         the program that submitted it"
    )]
    AnotherSuite {
        folder: String,
        /// Hash of the suite that was cut.
        planned: String,
        /// Hash of this program's suite.
        here: String,
    },
    /// The results of a task cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Tasks that were handed over as one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SubmittedJob {
    /// Name of the scheduler.
    pub on: String,
    /// The job, as the scheduler names it.
    pub job: String,
    /// Numbers of its tasks; none for the job that gathers.
    pub tasks: Vec<usize>,
}

/// Progress of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// The task has no results.
    NotBegun,
    /// The task has some results.
    Begun {
        /// Cases that have a result.
        done: usize,
        /// Cases it is to run.
        of: usize,
    },
    /// The task has all results.
    Ended(Box<(Header, End)>),
}

#[derive(Clone, Debug)]
pub struct SubmissionFolder {
    path: PathBuf,
    plan: Plan,
}

impl SubmissionFolder {
    /// Creates a submission that is not written yet.
    pub fn planned(path: &Path, plan: Plan) -> Self {
        Self { path: path.to_owned(), plan }
    }

    /// Writes the plan into the folder, which must hold none.
    pub fn write(&self) -> Result<(), SubmissionError> {
        let file = self.path.join(PLAN_FILE);
        let io = |source| SubmissionError::Io { path: file.display().to_string(), source };
        std::fs::create_dir_all(self.logs()).map_err(io)?;
        // Whole or not at all, and only once: another task may be doing the same.
        let mut written = tempfile::NamedTempFile::new_in(&self.path).map_err(io)?;
        written.write_all(&to_json(&self.plan)).map_err(io)?;
        match written.persist_noclobber(&file) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(SubmissionError::Occupied { folder: self.path.display().to_string() })
            }
            Err(error) => Err(io(error.error)),
        }
    }

    /// Opens the submission of a folder.
    pub fn open(path: &Path) -> Result<Self, SubmissionError> {
        match read_plan(&path.join(PLAN_FILE)) {
            Ok(plan) => Ok(Self { path: path.to_owned(), plan }),
            Err(SubmissionError::Io { source, .. })
                if source.kind() == std::io::ErrorKind::NotFound =>
            {
                Err(SubmissionError::Nothing { folder: path.display().to_string() })
            }
            Err(error) => Err(error),
        }
    }

    /// Opens the submission of a folder for a plan from elsewhere. The submission is created if there is none, and an
    /// error if it has another plan.
    pub fn open_for(path: &Path, plan_file: &Path) -> Result<Self, SubmissionError> {
        let wanted = Self::planned(path, read_plan(plan_file)?);
        match wanted.write() {
            Err(SubmissionError::Occupied { .. }) if Self::open(path)?.plan == wanted.plan => {
                Ok(wanted)
            }
            Err(SubmissionError::Occupied { .. }) => {
                Err(SubmissionError::AnotherPlan { folder: path.display().to_string() })
            }
            other => other.map(|()| wanted),
        }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the plan of the submission.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the folder of the results of a task.
    pub fn part(&self, task: usize) -> PathBuf {
        self.path.join("parts").join(task.to_string())
    }

    /// Returns the folder of the joined results, which has a folder for each device.
    pub fn merged(&self) -> PathBuf {
        self.path.join("merged")
    }

    /// Returns the folder of the output of jobs.
    pub fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    /// Rejects a suite that differs from the planned one.
    pub fn check_suite(&self, suite: &str) -> Result<(), SubmissionError> {
        if self.plan.suite == suite {
            return Ok(());
        }
        Err(SubmissionError::AnotherSuite {
            folder: self.path.display().to_string(),
            planned: self.plan.suite.clone(),
            here: suite.to_owned(),
        })
    }

    /// Rejects a number that is not a task.
    pub fn check_task(&self, task: usize) -> Result<(), SubmissionError> {
        if task < self.plan.tasks.len() {
            return Ok(());
        }
        Err(SubmissionError::NoTask {
            task,
            folder: self.path.display().to_string(),
            last: self.plan.tasks.len().saturating_sub(1),
        })
    }

    /// Returns the progress of a task.
    pub fn progress(&self, task: usize) -> Result<Progress, SubmissionError> {
        let part = self.part(task);
        if !holds_run(&part) {
            return Ok(Progress::NotBegun);
        }
        let mut reader = ResultsReader::open(&part)?;
        let mut done = 0;
        while let Some((line, _)) = reader.next_line()? {
            match line {
                Line::End(end) => {
                    return Ok(Progress::Ended(Box::new((reader.header().clone(), end))));
                }
                Line::Case(_) => done += 1,
                Line::Header(_) | Line::Unreproduced(_) | Line::Interaction(_) => {}
            }
        }
        Ok(Progress::Begun { done, of: reader.header().cases })
    }

    /// Returns the tasks that do not have all their results, by number.
    pub fn unfinished_tasks(&self) -> Result<Vec<(usize, Progress)>, SubmissionError> {
        let mut lacking = Vec::new();
        for task in 0..self.plan.tasks.len() {
            match self.progress(task)? {
                Progress::Ended(_) => {}
                progress => lacking.push((task, progress)),
            }
        }
        Ok(lacking)
    }

    /// Records a job that was handed to the scheduler.
    pub fn note(&self, handed: &SubmittedJob) -> Result<(), SubmissionError> {
        let path = self.path.join(JOBS_FILE);
        let io = |source| SubmissionError::Io { path: path.display().to_string(), source };
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(&path).map_err(io)?;
        file.write_all(&to_json(handed)).map_err(io)
    }

    /// Returns every job that was handed to the scheduler, in order.
    pub fn handed(&self) -> Result<Vec<SubmittedJob>, SubmissionError> {
        let path = self.path.join(JOBS_FILE);
        let shown = path.display().to_string();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(SubmissionError::Io { path: shown, source }),
        };
        let malformed = |error: serde_json::Error| SubmissionError::Malformed {
            path: shown.clone(),
            message: error.to_string(),
        };
        text.lines().map(|line| serde_json::from_str(line).map_err(malformed)).collect()
    }
}

fn read_plan(path: &Path) -> Result<Plan, SubmissionError> {
    let shown = path.display().to_string();
    let malformed = |message| SubmissionError::Malformed { path: shown.clone(), message };
    let text = std::fs::read_to_string(path)
        .map_err(|source| SubmissionError::Io { path: shown.clone(), source })?;
    let plan: Plan =
        serde_json::from_str(&text).map_err(|error| malformed(format!("not a plan: {error}")))?;
    if plan.format == FORMAT {
        Ok(plan)
    } else {
        Err(malformed(format!("format {}, this program reads format {FORMAT}", plan.format)))
    }
}

fn to_json(value: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec(value).expect("plans contain only what JSON can represent");
    text.push(b'\n');
    text
}
