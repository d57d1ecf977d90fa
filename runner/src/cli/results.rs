//! Commands that read results.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCompleter;

use super::completing;
use crate::specification::SpecificationArgs;

/// Subcommands on past runs.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Add runs, the oldest first.
    Add {
        /// Results: folders of runs, or folders of such folders.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Accept incomplete results too.
        ///
        /// These are a run that was stopped, damaged lines, and cases with more than one result.
        #[arg(long)]
        partial: bool,
        /// File of past runs; it is created if there is none.
        #[arg(long, value_name = "FILE", default_value = "history.sqlite")]
        history: PathBuf,
        /// Baseline entries to judge by, in place of those of each device's own file.
        #[arg(long, value_name = "FILE")]
        baseline: Option<PathBuf>,
    },
    /// Print the runs, or the history of a case.
    Show {
        /// Id of a case.
        #[arg(add = ArgValueCompleter::new(completing::cases))]
        case: Option<String>,
        /// File of past runs.
        #[arg(long, value_name = "FILE", default_value = "history.sqlite")]
        history: PathBuf,
    },
}

/// Subcommands on packages.
#[derive(Debug, Subcommand)]
pub enum PackageCommand {
    /// Write the package of a whole run.
    ///
    /// The exit status shows whether the package could be written; it does not depend on the findings.
    Write {
        /// Folder that `--results` wrote, of one device.
        #[arg(value_name = "DIR")]
        results: PathBuf,
        /// Folder to create.
        #[arg(long, value_name = "PACKAGE")]
        into: PathBuf,
        /// Baseline to pack and judge by, in place of the one in the results.
        #[arg(long, value_name = "FILE")]
        baseline: Option<PathBuf>,
    },
    /// Check that a package is unchanged, and judge its results again.
    ///
    /// Exit status: 0 as expected, 1 unexpected findings, 2 the package was changed or cannot be checked.
    Check {
        /// Folder of the package.
        #[arg(value_name = "PACKAGE")]
        folder: PathBuf,
    },
}

/// Format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// Text for people at a terminal.
    Text,
    /// Page for a release, a pull request or a CI job.
    Markdown,
    /// Versioned JSON for programs.
    Json,
}

/// Options that select the findings to hand over.
#[derive(Debug, Args)]
#[group(id = "which", required = true, multiple = true, args = ["case", "unexpected", "against", "cause", "causes"])]
pub struct HandoverArgs {
    /// Folder that `--results` wrote, of one device or of several.
    #[arg(value_name = "DIR", required_unless_present_any = ["cause", "causes"])]
    pub results: Option<PathBuf>,
    /// Folder to create; each finding or cause gets a folder in it.
    #[arg(long, value_name = "PACKS")]
    pub into: PathBuf,
    /// Case to hand over (repeatable), whatever its finding.
    #[arg(long, value_name = "ID", add = ArgValueCompleter::new(completing::cases))]
    pub case: Vec<String>,
    /// Hand over every unexpected failure.
    #[arg(long)]
    pub unexpected: bool,
    /// Hand over every case that got worse since these results.
    #[arg(long, value_name = "OLD")]
    pub against: Option<PathBuf>,
    /// Cause to hand over (repeatable) as an issue that can be pasted; it needs no results.
    #[arg(long, value_name = "CAUSE", add = ArgValueCompleter::new(completing::causes), conflicts_with_all = ["results", "case", "unexpected", "against", "baseline"])]
    pub cause: Vec<String>,
    /// Hand over every cause that a current version has.
    #[arg(long, conflicts_with_all = ["results", "case", "unexpected", "against", "baseline"])]
    pub causes: bool,
    /// Copies of the documents that rules cite.
    #[command(flatten)]
    pub specification: SpecificationArgs,
    /// Baseline entries to judge by, in place of the device's own file.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
}

/// Formats that other tools read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConvertFormat {
    /// JUnit XML: a test per case, a suite per rule and device.
    Junit,
    /// TAP 13: a line per case; baseline entries are TODO.
    Tap,
    /// SARIF 2.1.0, for tools that show results of static analysis; baseline entries are suppressions.
    Sarif,
    /// A page for a CI job: verdicts, then each unexpected failure.
    Markdown,
}
