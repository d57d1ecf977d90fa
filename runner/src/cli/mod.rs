//! The command line: what can be typed, and what it means.

pub mod completing;
pub mod help;

use std::{
    collections::BTreeSet,
    path::{self, Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use clap_complete::{Shell, engine::ArgValueCompleter};
use expectations::{dialect::Dialect, predicate::suggestion};
use generator::random::{FEATURES, Feature, Kinds, Mix, Settings, Share, Size};
use libtest_mimic::Arguments;

pub use crate::exit;
use results::shard::Shard;

use crate::{
    PROGRAM,
    device::files::BY_ICD,
    engine::{Depth, default_workers},
    run::{
        plan::{
            Builds, CaseFilter, Devices, Keep, Programs, RandomPrograms, Rounds, RunPlan, Scope,
        },
        quick,
        random::ROUND,
    },
    specification::{CopyOf, SpecificationArgs},
    submit::on::On,
};

/// In MiB: more has no number in bytes.
const MOST_MEMORY: u64 = u64::MAX >> 20;

/// Stands for every device that is here.
const ALL: &str = "all";

/// Words that read like commands, and what does what they ask for.
const NO_COMMANDS: [(&str, &str); 7] = [
    ("run", "a run needs none, `address-spaces --device NAME`"),
    ("test", "a run needs none, `address-spaces --device NAME`"),
    (
        "check",
        "`address-spaces-check FILE` reads a program, `address-spaces --device NAME` runs the suite",
    ),
    (
        "list",
        "`address-spaces --list` prints the cases, `address-spaces devices` the devices, `address-spaces explain` the rules",
    ),
    ("cases", "`address-spaces --list` prints them"),
    ("rules", "`address-spaces explain` lists them"),
    ("version", "`address-spaces --version` prints it"),
];

const EXAMPLES: &str = "Examples:
  address-spaces                              everything on the embedded checker
  address-spaces --device pocl --install      install PoCL, run everything on it
  address-spaces --device pocl --dialect cl12 --rule conversion
                                              one dialect, one family of rules
  address-spaces --device pocl --results out  keep it all in out/results.jsonl
  address-spaces --device all --results out   every device here, and a matrix
  address-spaces --list                       print every case
  address-spaces show 'conversion/implicit/cl12/...'
                                              a case: kernel, clauses, control
  address-spaces devices                      what this machine has

Exit status: 0 as expected, 1 unexpected findings, 2 could not run,
             3 nothing selected.";

/// Conformance of OpenCL C implementations on address-space qualifiers.
///
/// Generates the cases of every rule, builds them on a device, judges each outcome against the specification
/// and reports what deviates. FILTER selects cases whose id contains it.
#[derive(Debug, Parser)]
#[command(name = PROGRAM, version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub struct Cli {
    /// Command to execute instead of a run.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Folder with further rules, templates and device files, laid out like the repository.
    ///
    /// Each file is added, or replaces the one inside the program.
    #[arg(long, value_name = "DIR", env = "OPENCL_C_OVERLAY", global = true)]
    pub overlay: Option<PathBuf>,
    /// Folder with further device files.
    ///
    /// The folder `opencl-c-address-spaces/devices` in the user's configuration is read too.
    #[arg(long, value_name = "DIR", env = "OPENCL_C_DEVICES", global = true)]
    pub devices: Option<PathBuf>,
    /// Options of a run, where there is no command.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Options of a run.
#[derive(Clone, Debug, Args)]
// The harness has a template of its own, which leaves out what the command does and is called.
#[command(
    help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}{after-help}"
)]
pub struct RunArgs {
    /// Device to run on (repeatable); `all` stands for every device on this machine.
    ///
    /// A device is one that `address-spaces devices` lists, `NAME@sid` for the one of a release of Debian, `NAME@DIR`
    /// for the one in a folder, the path of a device file, or `platform:NAME` for any OpenCL platform.
    #[arg(long, value_name = "NAME", default_value = "checker", add = ArgValueCompleter::new(completing::devices))]
    pub device: Vec<String>,
    /// Driver to run on without a device file (repeatable): an ICD file, or the library itself.
    #[arg(long, value_name = "FILE", conflicts_with = "device")]
    pub icd: Vec<PathBuf>,
    /// The cases.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Number of random programs, which replace the suite.
    ///
    /// Some are valid, some have an edit that breaks a rule, and some have an edit that breaks none.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), group = "programs")]
    pub random: Option<u64>,
    /// Time for random programs (90s, 10m, 2h); each kind of deviation is reported once.
    #[arg(long, value_name = "TIME", value_parser = span_of_time, conflicts_with_all = ["random", "resume", "junit", "bless", "list"], group = "programs")]
    pub random_for: Option<Duration>,
    /// Seed of the first random program.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Kind of random programs: `run`, `build`, or `both`.
    ///
    /// Devices execute the programs of the kind `run`, whose answers are known, and only build the others.
    #[arg(long, value_name = "KIND", default_value = "both", value_parser = Kinds::from_name, requires = "programs")]
    pub random_kind: Kinds,
    /// Size and features of random programs.
    #[command(flatten)]
    pub made_of: RandomArgs,
    /// Build every case alone: slow, and the reference for shared builds.
    #[arg(long)]
    pub isolate: bool,
    /// Depth to which cases are taken: `build`, `code`, `run`, `covering` or `all`.
    ///
    /// `build` stops behind the front end. `code` generates code of every case to accept and executes none. `run`
    /// executes a part of the cases with a probe, which covers every rule, dialect and value of an axis, and generates
    /// code of the others that are known to deviate. `covering` also generates code of such a part of the cases without
    /// a probe. `all` executes and generates code of every case. The default is `covering`; it is `all` for compilers
    /// that have steps to generate code, and for a case that `--exact` names.
    #[arg(long, value_name = "DEPTH", value_parser = depths())]
    pub depth: Option<Depth>,
    /// Longest time of a single build in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub timeout: Duration,
    /// Memory of a worker in MiB; shared memory and temporary files may each take as much.
    #[arg(long, value_name = "MIB", default_value_t = 8192, value_parser = clap::value_parser!(u64).range(1..=MOST_MEMORY))]
    pub memory: u64,
    /// Number of further tries of a case that gave no verdict.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub retries: u32,
    /// Folder for the results, which must not hold a run yet.
    ///
    /// Results are written to results.jsonl; those of several devices to DEVICE/results.jsonl.
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub results: Option<PathBuf>,
    /// Folder of a run to resume: only the missing cases are run.
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,
    /// File for the outcome of every case as JUnit XML, for a CI system.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Baseline entries to judge by, in place of the device's own file.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Rewrite the baseline to the findings of this run.
    ///
    /// `--baseline` names another file to rewrite or to create. New entries are marked `unreviewed`.
    #[arg(long)]
    pub bless: bool,
    /// Install the device's packages first, and print the commands.
    ///
    /// Packages come from apt-get and pip, and mmdebstrap makes a root folder for those of another release of Debian.
    /// They go to `target/devices` in a checkout of the suite and to the user's cache folder elsewhere; root folders go
    /// to `OPENCL_C_ROOTS` if it is set.
    #[arg(long)]
    pub install: bool,
    /// Flags of Rust's test harness.
    #[command(flatten)]
    pub libtest: Arguments,
}

/// Options that select cases.
#[derive(Clone, Debug, Default, Args)]
pub struct SelectArgs {
    /// Only cases of this dialect (repeatable): cl10 cl11 cl12 cl20 cl30 cl30-generic ...
    #[arg(long, value_name = "DIALECT", add = ArgValueCompleter::new(completing::dialects))]
    pub dialect: Vec<DialectName>,
    /// Only cases of this rule, family or pattern with `*` (repeatable).
    #[arg(long, value_name = "RULE", add = ArgValueCompleter::new(completing::rules))]
    pub rule: Vec<String>,
    /// Only the few cases that keep most of the suite, for use after each build of a driver.
    ///
    /// They keep every rule on both sides, every mutant of `adequacy` and every baseline entry. The default depth is
    /// `run`.
    #[arg(long)]
    pub quick: bool,
    /// The K-th of N parts of the selection, chosen by a hash of the case id.
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
}

/// Options for the size and features of random programs; unusual values are part of their ids.
#[derive(Clone, Debug, Default, Args)]
pub struct RandomArgs {
    /// Size of random programs: small, medium or large.
    #[arg(long, value_name = "SIZE", default_value = "medium", value_parser = Size::from_name, requires = "programs")]
    pub random_size: Size,
    /// Features that every random program has, where its dialect has them: atomics,shadowing, or all.
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', requires = "programs", long_help = features_help())]
    pub random_more: Vec<FeatureName>,
    /// Features that no random program has: blocks,images, or all others.
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', requires = "programs")]
    pub random_without: Vec<FeatureName>,
}

fn features_help() -> String {
    let names = FEATURES.map(|row| row.name).join(", ");
    format!(
        "Features that every random program has, where its dialect does, with commas between: {names}, or all"
    )
}

impl RunArgs {
    /// Returns the plan of the requested run; an error says which options exclude each other.
    pub fn plan(&self) -> Result<RunPlan, String> {
        if let Some(word) = &self.libtest.filter
            && !self.libtest.exact
            && let Some((_, instead)) = NO_COMMANDS.iter().find(|(name, _)| name == word)
        {
            return Err(format!(
                "`{word}` is no command: {instead}. As a filter of cases, write more of their ids"
            ));
        }
        let workers = self.libtest.test_threads.unwrap_or_else(default_workers);
        let mut typed = self.made_of.describe();
        if self.random_kind != Kinds::default() {
            typed.push(("--random-kind", self.random_kind.name().to_owned()));
        }
        let random = |count| {
            let settings = self.made_of.settings()?;
            Ok::<_, String>(Programs::Random(RandomPrograms {
                count,
                seed: self.seed,
                settings,
                kinds: self.random_kind,
                typed: typed.clone(),
            }))
        };
        let (programs, rounds, keep) = match (self.random, self.random_for) {
            (_, Some(time)) => {
                let folder = self.results.clone().ok_or("`--random-for` keeps a corpus of what it found: name its folder by `--results DIR`")?;
                (random(ROUND)?, Some(Rounds { time, folder }), Keep::Nothing)
            }
            (Some(count), None) => (random(count)?, None, self.keep()),
            (None, None) => (Programs::Suite, None, self.keep()),
        };
        Ok(RunPlan {
            devices: self.devices()?,
            programs,
            rounds,
            filter: self.select.filter(&self.libtest),
            builds: Builds {
                isolate: self.isolate,
                timeout: self.timeout,
                memory: self.memory,
                retries: self.retries,
                workers: workers.max(1),
            },
            depth: self.depth,
            keep,
            install: self.install,
            bless: self.bless,
            junit: self.junit.clone(),
            harness: Arguments {
                filter: None,
                skip: Vec::new(),
                exact: false,
                ..self.libtest.clone()
            },
        })
    }

    fn keep(&self) -> Keep {
        match (&self.results, &self.resume) {
            (Some(folder), _) => Keep::New(folder.clone()),
            (None, Some(folder)) => Keep::GoOn(folder.clone()),
            (None, None) => Keep::Nothing,
        }
    }

    fn devices(&self) -> Result<Devices, String> {
        let mut seen = BTreeSet::new();
        let mut names = match self.icd.as_slice() {
            [] => self.device.clone(),
            drivers => drivers.iter().map(|file| icd_name(file)).collect::<Result<_, _>>()?,
        };
        names.retain(|name| seen.insert(name.clone()));
        match (names.as_slice(), &self.baseline) {
            ([all], None) if all == ALL => Ok(Devices::All),
            ([name], Some(baseline)) if name != ALL && self.bless && !baseline.exists() => {
                Ok(Devices::New { name: name.clone(), baseline: baseline.clone() })
            }
            ([name], Some(baseline)) if name != ALL => {
                Ok(Devices::Judged { name: name.clone(), baseline: baseline.clone() })
            }
            (several, _) if several.len() > 1 && seen.contains(ALL) => {
                Err("`--device all` is every device: name no other".to_owned())
            }
            (_, Some(_)) => {
                Err("`--baseline` takes the place of one device's file: name one device".to_owned())
            }
            (_, None) => Ok(Devices::Named(names)),
        }
    }
}

/// Returns the name of the device that consists of this driver only.
fn icd_name(file: &Path) -> Result<String, String> {
    let shown = file.display();
    let file = path::absolute(file).ok().filter(|file| file.is_file());
    let file = file.ok_or_else(|| {
        format!("there is no file {shown}: `--icd` wants an ICD file or a driver's library")
    })?;
    let text = file.to_str().ok_or_else(|| format!("the path {shown} is not UTF-8"))?;
    Ok(format!("{BY_ICD}{text}"))
}

impl SelectArgs {
    /// Returns the filter that these options and the filter of the test harness describe.
    pub fn filter(&self, harness: &Arguments) -> CaseFilter {
        let is_named = |dialect: &Dialect| self.dialect.iter().any(|name| name.0 == *dialect);
        CaseFilter {
            scope: if self.quick { Scope::Quick } else { Scope::Suite },
            dialects: Dialect::ALL.into_iter().filter(is_named).collect(),
            // A shell completes a family with its slash.
            rules: self.rule.iter().map(|rule| rule.trim_end_matches('/').to_owned()).collect(),
            shard: self.shard,
            text: harness.filter.clone(),
            skip: harness.skip.clone(),
            exact: harness.exact,
        }
    }
}

impl RandomArgs {
    /// Returns the settings of the programs.
    pub fn settings(&self) -> Result<Settings, String> {
        let Self { random_size: size, random_more: more, random_without: without } = self;
        let mut mix = Mix::default();
        let lists = [(more, Share::More), (without, Share::Without)];
        // What is named counts more than `all`.
        for (names, share) in lists {
            if names.contains(&FeatureName::All) {
                mix = FEATURES.iter().fold(mix, |mix, row| mix.with(row.feature, share));
            }
        }
        for (names, share) in lists {
            for name in names {
                if let FeatureName::One(feature) = *name {
                    mix = mix.with(feature, share);
                }
            }
        }
        match more.iter().find(|name| without.contains(name)) {
            Some(both) => Err(format!(
                "`{}` stands in `--random-more` and in `--random-without`: take it out of one",
                both.name()
            )),
            None => Ok(Settings { size: *size, mix, ..Settings::default() }),
        }
    }

    /// Returns each unusual option with its value, as typed.
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        let list = |names: &[FeatureName]| {
            names.iter().map(|name| name.name()).collect::<Vec<_>>().join(",")
        };
        let size = Some(self.random_size).filter(|&size| size != Size::default());
        [
            ("--random-size", size.map(|size| size.name().to_owned()).unwrap_or_default()),
            ("--random-more", list(&self.random_more)),
            ("--random-without", list(&self.random_without)),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect()
    }
}

/// A feature of random programs, or all that are not named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureName {
    /// Every one that is not named.
    All,
    /// One feature by its name.
    One(Feature),
}

impl FeatureName {
    fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::One(feature) => feature.name(),
        }
    }
}

impl FromStr for FeatureName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" { Ok(Self::All) } else { Feature::from_name(text).map(Self::One) }
    }
}

/// Everything but a run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the devices: those on this machine, and those that can be installed.
    ///
    /// Devices that are named are described in full.
    Devices {
        /// Devices to describe in full: versions, features, dialects, and skipped cases.
        #[arg(value_name = "NAME", add = ArgValueCompleter::new(completing::devices), conflicts_with = "names")]
        described: Vec<String>,
        /// Only the names of devices with a file that are on this machine or that `--install` brings
        #[arg(long)]
        names: bool,
    },
    /// Print a case: kernel, options, expectation, clauses and control.
    Show {
        /// Id of a case, as `--list` prints it; a rule lists its cases, and a family its rules.
        #[arg(add = ArgValueCompleter::new(completing::cases))]
        case: Option<String>,
        /// Copies of the documents it rests on.
        #[command(flatten)]
        specification: SpecificationArgs,
    },
    /// Find the component at fault for a deviation, by experiments.
    ///
    /// The front end is tried alone, then each step behind it alone, then the device. Exit status: 0 the device is
    /// right, 1 it deviates, 2 the cause is unknown.
    Blame {
        /// Id of the case, as `--list` prints it.
        #[arg(add = ArgValueCompleter::new(completing::cases))]
        case: String,
        /// Device to build on.
        #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completing::devices))]
        device: String,
    },
    /// Explain a rule: statement, clauses, axes and verdicts per dialect; or a baseline entry.
    Explain {
        /// Id of a rule, `family/name`; a family lists its rules.
        ///
        /// `FILE:LINE` stands for a baseline entry, as messages name it.
        #[arg(add = ArgValueCompleter::new(completing::rules))]
        rule: Option<String>,
        /// Copies of the documents it rests on.
        #[command(flatten)]
        specification: SpecificationArgs,
    },
    /// Compare verdicts of shared builds with those of one build per case.
    ///
    /// Builds the selected cases both ways, or compares two stored runs, and prints each case whose verdicts differ.
    /// Exit status: 0 no verdict differs, 1 some differ.
    Audit {
        /// Compare the runs in these two results folders, and build nothing.
        #[arg(long, num_args = 2, value_names = ["DIR", "DIR"])]
        stored: Vec<PathBuf>,
        /// The selection and the device.
        #[command(flatten)]
        run: Box<RunArgs>,
    },
    /// Check that cited sentences are still in the specification.
    ///
    /// Prints each sentence with the rules that cite it, then the sentences on address spaces that no rule cites. Exit
    /// status: 0 all sentences are as cited, 1 some anchor or hash is wrong.
    Clauses {
        /// Copy of the specification (`OpenCL_C.txt`), or DOCUMENT=FILE for another cited document.
        #[arg(required = true, value_name = "[DOCUMENT=]FILE")]
        copies: Vec<CopyOf>,
        /// Only print every sentence of this section with its hash, for citing it in a rule.
        #[arg(long, value_name = "ANCHOR")]
        section: Option<String>,
    },
    /// Write the skeleton of a rule: its file and its template.
    ///
    /// A run of the rule reports the parts that have to be filled in.
    NewRule {
        /// Name of the rule, FAMILY/NAME.
        rule: String,
        /// Folder for the files, laid out like the repository.
        #[arg(long, value_name = "DIR", default_value = ".")]
        into: PathBuf,
    },
    /// Write the skeleton of a device's file.
    ///
    /// A run on the device reports the parts that have to be filled in.
    NewDevice {
        /// Name of the device.
        name: String,
        /// Folder for the file, laid out like the repository.
        #[arg(long, value_name = "DIR", default_value = ".")]
        into: PathBuf,
    },
    /// Measure which mistakes of an implementation the cases notice.
    ///
    /// The mistakes are mutants of the checker. With `--device` and a device that executes kernels, they are kernels
    /// that probes must find wrong.
    Adequacy {
        /// The cases and the device.
        #[command(flatten)]
        run: Box<RunArgs>,
    },
    /// Measure the combinations of axis values that the cases cover.
    ///
    /// With `--random`, measures the rules that random programs reach.
    Coverage {
        /// Number of random programs.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), group = "programs")]
        random: Option<u64>,
        /// Seed of the first random program.
        #[arg(long, value_name = "S", default_value_t = 1, requires = "random")]
        seed: u64,
        /// Size and features of random programs.
        #[command(flatten)]
        made_of: RandomArgs,
    },
    /// Choose the cases of `--quick` again.
    ///
    /// Listed cases stay while they keep something that no other case does.
    ChooseQuick {
        /// File with the list.
        #[arg(default_value = quick::PATH)]
        file: PathBuf,
    },
    /// Write the generated pages of the manual.
    Docs {
        /// Folder of the manual.
        #[arg(default_value = "docs")]
        folder: PathBuf,
    },
    /// Write the suite as plain files for other test runners.
    Export {
        /// Folder to create.
        folder: PathBuf,
        /// Layout of the exported files.
        #[arg(long, value_enum, default_value_t = ExportFormat::Plain)]
        layout: ExportFormat,
        /// Results of a device, for piglit.
        ///
        /// Cases that the device was not tried on are left out, and those that it is known to fail are listed as
        /// expected failures.
        #[arg(long, value_name = "RESULTS")]
        known: Option<PathBuf>,
        /// The cases.
        #[command(flatten)]
        select: SelectArgs,
    },
    /// Write a report as static pages that any browser opens.
    Report {
        /// Results: folders of runs, or folders of such folders.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Copies of the documents that rules rest on.
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
    /// Keep past runs in one file, and show the changes with each driver.
    History {
        /// Subcommand on past runs.
        #[command(subcommand)]
        command: HistoryCommand,
    },
    /// Compare two runs, or several of one device: regressions, fixes and other changes.
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
    /// Compare stored runs with the baseline entries again, without their devices.
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
    },
    /// Print results in a format that other tools read: JUnit XML, TAP, SARIF or Markdown.
    ///
    /// The exit status says whether the results could be converted; it does not depend on the findings.
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
    /// Write a folder for each finding that a driver developer can use without this program.
    ///
    /// Each folder holds the program, its control, the expected and the observed result, the clause, a host program in
    /// C and the commands.
    Handover(HandoverArgs),
    /// Write results as a folder that one command checks elsewhere, or check one.
    ///
    /// The folder holds the results, the files that judge them, and a manifest with versions and hashes.
    Package {
        /// Subcommand on packages.
        #[command(subcommand)]
        command: PackageCommand,
    },
    /// Join the results of the shards of one run.
    Merge {
        /// Folders of the shards.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Folder to create.
        #[arg(long, value_name = "DIR")]
        into: PathBuf,
    },
    /// Cut a run into tasks and hand them to a scheduler.
    ///
    /// The options of a run hold for every task; `--test-threads` is the workers of one. Every node must see the
    /// folder of the results.
    #[command(after_help = SUBMIT_EXAMPLES)]
    Submit(Box<SubmitArgs>),
    /// Execute one task of a submission; jobs call this.
    Part(PartArgs),
    /// Join and judge the results of a submission's tasks, or name the missing ones.
    Gather {
        /// Folder of the submission.
        folder: PathBuf,
    },
    /// Shorten a program while the device gives the same answer.
    ///
    /// The result goes to standard output.
    Reduce {
        /// File of the program, or the id of a random one, `random/...`.
        ///
        /// A random program is reduced as the tree it was generated from. If it is executed, every reduced program is
        /// defined too and is printed with the values that it must compute.
        #[arg(value_name = "FILE|ID")]
        file: PathBuf,
        /// Device that judges the program wrongly.
        #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completing::devices))]
        device: String,
        /// Another device, whose answer has to stay the same too.
        #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completing::devices))]
        against: Option<String>,
        /// Control of the program, which differs in one place and which every device accepts.
        ///
        /// Both are reduced together and printed as one program, which is the control where `CONTROL` is defined.
        #[arg(long, value_name = "FILE")]
        control: Option<PathBuf>,
        /// File that records the programs tried; the same command continues from it (with an id).
        #[arg(long, value_name = "FILE", conflicts_with_all = ["against", "control"])]
        progress: Option<PathBuf>,
        /// Dialect that the program is written in.
        #[arg(long, value_name = "DIALECT", default_value = "cl12", add = ArgValueCompleter::new(completing::dialects))]
        dialect: DialectName,
    },
    /// Print the script for completion in a shell.
    ///
    /// The shell then completes devices, rules, families, dialects, causes and ids of cases.
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// Shell that the script is for.
        shell: Shell,
    },
    /// Build cases for a scheduler (internal).
    #[command(hide = true)]
    Worker {
        /// Arguments of the worker.
        #[arg(allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

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
        /// File of past runs; it is created where there is none.
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
    /// The exit status says whether the package could be written; it does not depend on the findings.
    Write {
        /// Folder that `--results` wrote, of one device.
        #[arg(value_name = "DIR")]
        results: PathBuf,
        /// Folder to create.
        #[arg(long, value_name = "PACKAGE")]
        into: PathBuf,
        /// Baseline to pack and judge by, in place of the one that the results hold.
        #[arg(long, value_name = "FILE")]
        baseline: Option<PathBuf>,
    },
    /// Check that a package is what was packed, and judge its results again.
    ///
    /// Exit status: 0 as expected, 1 unexpected findings, 2 the package was changed or cannot be checked.
    Check {
        /// Folder of the package.
        #[arg(value_name = "PACKAGE")]
        folder: PathBuf,
    },
}

const COMPLETIONS: &str = "Examples:
  source <(address-spaces completions bash)      in ~/.bashrc
  source <(address-spaces completions zsh)       in ~/.zshrc, behind compinit
  address-spaces completions fish | source       in ~/.config/fish/config.fish

The script asks the program that is found as `address-spaces` each time: a new version needs no new script.";

const SUBMIT_EXAMPLES: &str = "Examples:
  address-spaces submit --on slurm --device pocl --tasks 8 --results out --wait
                                                an array job of 8 tasks, progress, the run's exit status
  address-spaces submit --on slurm --device pocl --tasks 8 --results new --times out/merged
                                                the same, balanced by the times of the last run
  address-spaces submit --on slurm --resume out
                                                only the tasks that were lost or cancelled
  address-spaces submit --on kubernetes --device pocl --tasks 8 --results /results/out --dry-run | kubectl create -f -";

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
    /// Options of the run.
    #[command(flatten)]
    pub run: RunArgs,
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
    /// Copies of the documents that rules rest on.
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

/// Layout of exported files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// `FAMILY/RULE/DIALECT/POINT.cl` and a manifest, `manifest.jsonl`.
    Plain,
    /// Programs for piglit's `cl-program-tester`, their profile and the manifest, without disputed cases.
    Piglit,
    /// Tests for clang's own `-verify`, executed by LLVM's lit, without disputed cases.
    ///
    /// Each rule has a file. Cases that a version of clang is known to judge wrongly are in files of their own, as
    /// XFAIL.
    Lit,
    /// A test of Khronos' OpenCL-CTS, a folder for its `test_conformance`, with valid cases only.
    ///
    /// Cases are built and, if their probe is a single launch, executed and compared.
    Cts,
}

/// A dialect by its name.
#[derive(Clone, Copy, Debug)]
pub struct DialectName(pub Dialect);

impl FromStr for DialectName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Dialect::ALL.map(Dialect::name);
        Dialect::from_name(name)
            .map(Self)
            .ok_or_else(|| format!("no such dialect{}", suggestion(name, &known)))
    }
}

fn depths() -> impl TypedValueParser<Value = Depth> {
    let depth = |name: String| Depth::ALL.into_iter().find(|depth| depth.name() == name);
    PossibleValuesParser::new(Depth::ALL.map(Depth::name))
        .try_map(move |name| depth(name).ok_or("no such depth"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a number of seconds between 0 and 86400".to_owned()),
    }
}

fn span_of_time(text: &str) -> Result<Duration, String> {
    let unit = |factor: u64, digits: &str| digits.parse::<u64>().ok()?.checked_mul(factor);
    let length = match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((digits, "s")) => unit(1, digits),
        Some((digits, "m")) => unit(60, digits),
        Some((digits, "h")) => unit(3600, digits),
        _ => None,
    };
    match length {
        Some(seconds @ 1..=604_800) => Ok(Duration::from_secs(seconds)),
        _ => Err("a time is a number and its unit, for example 90s, 10m or 2h".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use generator::random::RandomCase;

    use super::*;

    #[test]
    fn random_programs_are_made_of_what_is_asked_for() {
        let id = |options: &[&str]| {
            let typed = [PROGRAM, "--random", "1"].iter().chain(options);
            let cli = Cli::try_parse_from(typed).map_err(|error| error.to_string())?;
            let settings = cli.run.made_of.settings()?;
            let case =
                RandomCase::numbers(1, 7, settings, Kinds::Both).next().map(|case| case.id());
            Ok::<_, String>(case.unwrap_or_default())
        };
        assert_eq!(id(&[]).unwrap(), "random/valid/cl10/seed=7");
        assert_eq!(
            id(&["--random-size", "large", "--random-without", "images,blocks"]).unwrap(),
            "random/valid/cl10/seed=7,size=large,without=images+blocks"
        );
        let only = id(&["--random-more", "atomics", "--random-without", "all"]).unwrap();
        assert!(only.contains(",more=atomics,without=structures+"), "{only}");
        assert!(!only.ends_with("+atomics") && !only.contains("+atomics+"), "{only}");
        for (options, said) in [
            (["--random-more", "shadow"], "did you mean `shadowing`?"),
            (["--random-size", "larg"], "did you mean `large`?"),
        ] {
            let error = id(&options).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
        let error = id(&["--random-more", "loops", "--random-without", "loops"]).unwrap_err();
        assert!(error.contains("take it out of one"), "{error}");
        let alone = Cli::try_parse_from(["runner", "--random-size", "large"]);
        assert!(alone.unwrap_err().to_string().contains("--random"));
    }

    /// Checks that every command has a help text with its usage; the harness's own help knows no commands.
    #[test]
    fn every_command_says_what_it_does_and_how_it_is_typed() {
        let mut cli = Cli::command();
        cli.build();
        for command in cli.get_subcommands_mut() {
            let name = command.get_name().to_owned();
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let help = command.render_help().to_string();
            let first = about.split_whitespace().next().unwrap_or_default().to_owned();
            assert!(!first.is_empty() && help.starts_with(&first), "{name}: {help}");
            assert!(help.contains(&format!("Usage: {PROGRAM} {name}")), "{name}: {help}");
        }
    }
}
