//! The command line: what can be typed, and what it means.

pub mod cluster;
pub mod completing;
pub mod dev;
pub mod help;
pub mod results;
pub mod run;
pub mod typed;
pub mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::{Shell, engine::ArgValueCompleter};

use self::{
    cluster::{PartArgs, SUBMIT_EXAMPLES, SubmitArgs},
    dev::DevCommand,
    results::{CompareFormat, ConvertFormat, HandoverArgs, HistoryCommand, PackageCommand},
    run::{RandomRunArgs, RunArgs, SelectArgs, TextArgs},
    values::DialectName,
};
pub use crate::exit;
use crate::{PROGRAM, specification::SpecificationArgs};

/// The device of a run that names none: the checker of this program.
pub const CHECKER: &str = "checker";

/// Stands for every device that is here.
const ALL: &str = "all";

const RUN_EXAMPLES: &str = "Examples:
  address-spaces --device pocl --install      install PoCL, run everything on it
  address-spaces --icd ./libMyDriver.so       your own driver, without a device file
  address-spaces --device pocl --dialect 1.2 --rule conversion
                                              one dialect, one family of rules
  address-spaces --device pocl --results out  keep the results in out/results.jsonl
  address-spaces --device all --results out   every installed device, and a matrix

Exit status: 0 as expected, 1 unexpected findings, 2 could not run,
             3 nothing selected.";

/// Conformance of OpenCL C implementations on address-space qualifiers.
#[derive(Debug, Parser)]
#[command(name = PROGRAM, version, subcommand_required = true)]
pub struct Cli {
    /// The command; without one, the program is called with that of a run.
    #[command(subcommand)]
    pub command: Command,
    /// Folder with further rules, templates and device files, laid out like the repository.
    ///
    /// Each file is added, or replaces the one inside the program.
    #[arg(
        long,
        value_name = "DIR",
        env = "OPENCL_C_OVERLAY",
        global = true,
        help_heading = "Files of the suite"
    )]
    pub overlay: Option<PathBuf>,
    /// Folder with further device files.
    ///
    /// The folder `opencl-c-address-spaces/devices` in the user's configuration is read too.
    #[arg(
        long,
        value_name = "DIR",
        env = "OPENCL_C_DEVICES",
        global = true,
        help_heading = "Files of the suite"
    )]
    pub devices: Option<PathBuf>,
}

/// Commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the suite, or random programs, on devices.
    ///
    /// Generates the cases of every rule, builds them on a device, judges each outcome against the specification and
    /// reports what deviates. FILTER selects cases whose id contains it. The word `run` may be left out.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RunArgs>),
    /// Print the ids of cases.
    List {
        /// The cases.
        #[command(flatten)]
        select: SelectArgs,
        /// Texts of ids.
        #[command(flatten)]
        texts: TextArgs,
        /// Random programs in place of the suite.
        #[command(flatten)]
        random: RandomRunArgs,
    },
    /// List the devices: here, or to be installed.
    ///
    /// Devices that are named are described in full.
    Devices {
        /// Devices to describe in full: versions, features, dialects, and skipped cases.
        #[arg(value_name = "NAME", add = ArgValueCompleter::new(completing::devices), conflicts_with = "names")]
        described: Vec<String>,
        /// Only the names of devices that have a file and are on this machine or can be installed
        #[arg(long)]
        names: bool,
    },
    /// Print a case: kernel, expectation, clauses, control.
    Show {
        /// Id of a case, as `list` prints it; a rule lists its cases, and a family its rules.
        #[arg(add = ArgValueCompleter::new(completing::cases))]
        case: Option<String>,
        /// Copies of the documents that it cites.
        #[command(flatten)]
        specification: SpecificationArgs,
    },
    /// Check kernels: which address-space rules they break.
    ///
    /// Each file is preprocessed and judged by the language's text for one version and set of optional features. No
    /// device is needed. The program `address-spaces-check` does the same.
    Check(Box<checker::cli::Arguments>),
    /// Explain a rule or a baseline entry.
    ///
    /// Prints statement, clauses, axes and verdicts per dialect of a rule.
    Explain {
        /// Id of a rule, `family/name`; a family lists its rules.
        ///
        /// `FILE:LINE` stands for a baseline entry, as messages name it.
        #[arg(add = ArgValueCompleter::new(completing::rules))]
        rule: Option<String>,
        /// Copies of the documents that it cites.
        #[command(flatten)]
        specification: SpecificationArgs,
    },
    /// Find the component at fault, by experiments.
    ///
    /// The front end is tried alone, then each step after it alone, then the device. Exit status: 0 the device is
    /// right, 1 it deviates, 2 the cause is unknown.
    Blame {
        /// Id of the case, as `list` prints it.
        #[arg(add = ArgValueCompleter::new(completing::cases))]
        case: String,
        /// Device to build on.
        #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completing::devices))]
        device: String,
        /// Compiler whose SPIR-V the driver gets in place of the source.
        #[arg(long, value_name = "COMPILER", add = ArgValueCompleter::new(completing::devices))]
        through: Option<String>,
    },
    /// Find the versions of a driver that get a program wrong.
    ///
    /// Both ends and two versions between them are tested, then the middle between versions that differ. Exit status: 0
    /// the newest version is right, 1 it is wrong, 2 no version could be tested.
    #[command(after_help = SINCE_EXAMPLES)]
    Since(SinceArgs),
    /// Shorten a program that a device gets wrong.
    ///
    /// The result goes to standard output.
    Reduce(ReduceArgs),
    /// Write a report as pages for a browser.
    Report {
        /// Results: folders of runs, or folders of such folders.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Copies of the documents that rules cite.
        #[command(flatten)]
        specification: SpecificationArgs,
        /// Accept incomplete results too.
        ///
        /// These are a run that was stopped, damaged lines, and cases with more than one result.
        #[arg(long)]
        partial: bool,
        /// Folder of the report; an older report in it is replaced.
        #[arg(long, value_name = "DIR", default_value = "site")]
        into: PathBuf,
        /// File of past runs that `address-spaces history add` writes, for trends and changes of cases.
        #[arg(long, value_name = "FILE")]
        history: Option<PathBuf>,
        /// Baseline entries to judge by, in place of those of each device's own file.
        #[arg(long, value_name = "FILE")]
        baseline: Option<PathBuf>,
    },
    /// Compare runs: regressions, fixes and other changes.
    ///
    /// Changes are listed by cause and by case. With more than two runs, causes are followed through all of them, and
    /// cases are compared between the first and the last. Exit status: 0 no regression, 1 some regression, 2 the runs
    /// cannot be compared.
    Compare {
        /// Results of the runs, the oldest first.
        ///
        /// Each is a folder of one run, or a folder with a folder for each device.
        #[arg(required = true, num_args = 2.., value_names = ["OLD", "NEW"])]
        runs: Vec<PathBuf>,
        /// Accept incomplete results too.
        ///
        /// These are a run that was stopped, damaged lines, and cases with more than one result.
        #[arg(long)]
        partial: bool,
        /// Format of the comparison.
        #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
        format: CompareFormat,
        /// Print every change, not only the first of each rule.
        #[arg(long)]
        all: bool,
        /// Folder for a report on the runs with a page on the changes; an older one is replaced.
        #[arg(long, value_name = "DIR")]
        html: Option<PathBuf>,
    },
    /// Judge stored runs again, without their devices.
    Judge {
        /// Folders of runs.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Accept incomplete results too.
        ///
        /// These are a run that was stopped, damaged lines, and cases with more than one result.
        #[arg(long)]
        partial: bool,
        /// Baseline entries to judge by, in place of the device's own file.
        #[arg(long, value_name = "FILE")]
        baseline: Option<PathBuf>,
        /// Print the baseline entries that explain deviations, too.
        #[arg(long, short)]
        verbose: bool,
    },
    /// Print results as JUnit XML, TAP, SARIF or Markdown.
    ///
    /// The exit status shows whether the results could be converted; it does not depend on the findings.
    Convert {
        /// Folder that `--results` wrote, of one device or of several.
        #[arg(value_name = "DIR")]
        results: PathBuf,
        /// Accept incomplete results too.
        ///
        /// These are a run that was stopped, damaged lines, and cases with more than one result.
        #[arg(long)]
        partial: bool,
        /// Format of the output.
        #[arg(long, value_enum)]
        to: ConvertFormat,
        /// Baseline entries to judge by, in place of the device's own file.
        #[arg(long, value_name = "FILE")]
        baseline: Option<PathBuf>,
        /// File for the output, instead of standard output.
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Keep past runs, and show what changed.
    History {
        /// Subcommand on past runs.
        #[command(subcommand)]
        command: HistoryCommand,
    },
    /// Write a folder for each finding, for driver developers.
    ///
    /// The folder needs no part of the suite and holds the program, its control, the expected and the observed result,
    /// the clause, a host program in C and the commands.
    Handover(HandoverArgs),
    /// Pack results with their baseline, or check a package.
    ///
    /// The folder holds the results, the files that judge them, and a manifest with versions and hashes.
    Package {
        /// Subcommand on packages.
        #[command(subcommand)]
        command: PackageCommand,
    },
    /// Join the results of the shards of a run.
    Merge {
        /// Folders of the shards.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Folder to create.
        #[arg(long, value_name = "DIR")]
        into: PathBuf,
    },
    /// Cut a run into tasks for a scheduler.
    ///
    /// The options of a run apply to every task; `--test-threads` is the number of workers of one. Every node must
    /// reach the folder of the results.
    #[command(after_help = SUBMIT_EXAMPLES)]
    Submit(Box<SubmitArgs>),
    /// Join and judge the results of a submission.
    Gather {
        /// Folder of the submission.
        folder: PathBuf,
    },
    /// Execute one task of a submission; jobs call this.
    #[command(hide = true)]
    Part(PartArgs),
    /// Print a completion script for a shell.
    ///
    /// The shell then completes devices, rules, families, dialects, causes and ids of cases.
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// Shell that the script is for.
        shell: Shell,
    },
    /// Develop the suite: new rules and devices, measurements.
    Dev {
        /// Command for developers of the suite.
        #[command(subcommand)]
        command: DevCommand,
    },
    /// Build cases for a scheduler (internal).
    #[command(hide = true)]
    Worker {
        /// Arguments of the worker.
        #[arg(allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

const COMPLETIONS: &str = "Examples:
  source <(address-spaces completions bash)      in ~/.bashrc
  source <(address-spaces completions zsh)       in ~/.zshrc, behind compinit
  address-spaces completions fish | source       in ~/.config/fish/config.fish

The script calls `address-spaces` each time, so a new version needs no new script.";

const SINCE_EXAMPLES: &str = "Examples:
  address-spaces since CASE --device intel-cpu --install    releases on PyPI
  address-spaces since CASE --device clang-19               clang-13 to clang-23, those here
  address-spaces since kernel.cl --device pocl --dialect 3.0";

/// Options of the search for versions.
#[derive(Debug, Args)]
pub struct SinceArgs {
    /// Id of a case or of a random program, cause, or file of a program.
    ///
    /// The program of a file should be accepted, or rejected if one of its lines ends in `// <- error`.
    #[arg(value_name = "CASE|CAUSE|FILE", add = ArgValueCompleter::new(completing::cases))]
    pub program: String,
    /// Device whose versions are tested.
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completing::devices))]
    pub device: String,
    /// Install each version to test that is not here.
    #[arg(long)]
    pub install: bool,
    /// Dialect that the program of a file is written in [default: cl12].
    #[arg(long, value_name = "DIALECT", add = ArgValueCompleter::new(completing::dialects))]
    pub dialect: Option<DialectName>,
}

/// Options of a reduction.
#[derive(Debug, Args)]
pub struct ReduceArgs {
    /// File of the program, or the id of a random one, `random/...`.
    ///
    /// A random program is reduced as the tree it was generated from. If it is executed, every reduced program is
    /// defined too and is printed with the values that it must compute.
    #[arg(value_name = "FILE|ID")]
    pub file: PathBuf,
    /// Device that judges the program wrongly.
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completing::devices))]
    pub device: String,
    /// Compiler whose SPIR-V the driver gets in place of the source.
    ///
    /// The part that is wrong stays the same too: the compiler, or the driver.
    #[arg(long, value_name = "COMPILER", add = ArgValueCompleter::new(completing::devices))]
    pub through: Option<String>,
    /// Another device, whose answer must stay the same too.
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completing::devices))]
    pub against: Option<String>,
    /// Control of the program, which differs in one place and which every device accepts.
    ///
    /// Both are reduced together and printed as one program, which is the control where `CONTROL` is defined.
    #[arg(long, value_name = "FILE")]
    pub control: Option<PathBuf>,
    /// File that records the programs tried; the same command continues from it (with an id).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["against", "control"])]
    pub progress: Option<PathBuf>,
    /// Dialect that the program of a file is written in [default: cl12].
    #[arg(long, value_name = "DIALECT", add = ArgValueCompleter::new(completing::dialects))]
    pub dialect: Option<DialectName>,
}
