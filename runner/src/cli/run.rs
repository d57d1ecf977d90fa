//! Options of a run, in the parts that other commands share, and the plan that they describe.

use std::{
    collections::BTreeSet,
    path::{self, Path, PathBuf},
    time::Duration,
};

use clap::{Args, builder::RangedU64ValueParser};
use clap_complete::engine::ArgValueCompleter;
use expectations::dialect::Dialect;
use generator::random::{FEATURES, Kinds, Mix, Settings, Share, Size};
use libtest_mimic::{Arguments, ColorSetting, FormatSetting};
use reports::summary::Detail;
use results::shard::Shard;

use super::{
    ALL, CHECKER, completing,
    values::{DialectName, FeatureName, Seconds, depths, span_of_time},
};
use crate::{
    device::files::BY_ICD,
    engine::{Depth, Laws, default_workers},
    run::{
        plan::{
            Builds, CaseFilter, Devices, Keep, Programs, RANDOM_KIND, RandomCount, RandomPrograms,
            Rounds, RunPlan, Scope,
        },
        rounds::ROUND,
    },
};

/// In MiB: more has no number in bytes.
const MOST_MEMORY: u64 = u64::MAX >> 20;

/// Begins the name of a device whose name may have commas.
const PLATFORM: &str = "platform:";

/// Options of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Devices and programs.
    #[command(flatten)]
    pub tested: TestedArgs,
    /// Install the device's packages first, and print the commands.
    ///
    /// Packages come from apt-get and pip, and mmdebstrap makes a root folder for those of another release of Debian.
    /// They go to `target/devices` in a checkout of the suite and to the user's cache folder elsewhere; root folders go
    /// to `OPENCL_C_ROOTS` if it is set.
    #[arg(long, help_heading = "Device")]
    pub install: bool,
    /// Rewrite the baseline to the findings of this run.
    ///
    /// `--baseline` names another file to rewrite or to create. New entries are marked `unreviewed`.
    #[arg(long, help_heading = "Device")]
    pub bless: bool,
    /// Run and report the cases that failed in the run of this folder before all others.
    ///
    /// Their findings go to standard error as soon as they are confirmed. The results are those of a run without this
    /// option.
    #[arg(
        long, value_name = "DIR", conflicts_with_all = ["programs", "failed_in"], help_heading = "Selection"
    )]
    pub failed_first: Option<PathBuf>,
    /// Folder for the results, which must not contain a run yet.
    ///
    /// Results are written to results.jsonl; those of several devices to DEVICE/results.jsonl.
    #[arg(long, value_name = "DIR", conflicts_with = "resume", help_heading = "Results")]
    pub results: Option<PathBuf>,
    /// Folder of a run to resume: only the missing cases are run.
    #[arg(long, value_name = "DIR", help_heading = "Results")]
    pub resume: Option<PathBuf>,
    /// File for the outcome of every case as JUnit XML, for a CI system.
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub junit: Option<PathBuf>,
    /// Time for random programs (90s, 10m, 2h); each kind of deviation is reported once.
    #[arg(
        long, value_name = "TIME", value_parser = span_of_time, group = "programs",
        conflicts_with_all = ["random", "quick", "changed_since", "resume", "junit", "bless", "format", "quiet", "logfile"],
        help_heading = "Random programs"
    )]
    pub random_for: Option<Duration>,
    /// Form of the output.
    #[command(flatten, next_help_heading = "Output")]
    pub output: OutputArgs,
}

/// Options for the devices and the programs of a run, or of each task of a submission.
#[derive(Clone, Debug, Args)]
pub struct TestedArgs {
    /// Devices to run on.
    #[command(flatten, next_help_heading = "Device")]
    pub device: DeviceArgs,
    /// Baseline entries to judge by, in place of the device's own file.
    #[arg(long, value_name = "FILE", help_heading = "Device")]
    pub baseline: Option<PathBuf>,
    /// Compiler that translates each program to SPIR-V, which the driver gets in place of the source.
    ///
    /// The compiler is a device that emits SPIR-V: `llvm-spirv` or `clang-spirv64`. Only valid cases become modules;
    /// the others are judged by the compiler's front end. A failure is the compiler's up to the phase `make-module` and
    /// the driver's from `take-module` on.
    #[arg(long, value_name = "COMPILER", help_heading = "Device", add = ArgValueCompleter::new(completing::devices))]
    pub through: Option<String>,
    /// The cases.
    #[command(flatten, next_help_heading = "Selection")]
    pub select: SelectArgs,
    /// Texts of ids.
    #[command(flatten, next_help_heading = "Selection")]
    pub texts: TextArgs,
    /// Depth to which cases are taken.
    #[command(flatten, next_help_heading = "Building and executing")]
    pub depth: DepthArgs,
    /// Build every case alone: slow, and the reference for shared builds.
    #[arg(long, help_heading = "Building and executing")]
    pub isolate: bool,
    /// Do not compare emitted modules with the text, on devices that emit modules.
    #[arg(long, help_heading = "Building and executing")]
    pub no_laws: bool,
    /// Settings of the builds.
    #[command(flatten, next_help_heading = "Building and executing")]
    pub builds: BuildArgs,
    /// Random programs in place of the suite.
    #[command(flatten, next_help_heading = "Random programs")]
    pub random: RandomRunArgs,
}

/// Options that name devices.
#[derive(Clone, Debug, Args)]
pub struct DeviceArgs {
    /// Device to run on (repeatable, or with commas); `all` stands for every device on this machine.
    ///
    /// A device is one that `address-spaces devices` lists, `NAME@sid` for the one of a release of Debian, `NAME@DIR`
    /// for the one in a folder, the path of a device file, or `platform:NAME` for any OpenCL platform.
    #[arg(long, value_name = "NAME", default_value = CHECKER, add = ArgValueCompleter::new(completing::devices))]
    pub device: Vec<String>,
    /// Driver to run on without a device file (repeatable): an ICD file, or the library itself.
    #[arg(long, value_name = "FILE", conflicts_with = "device")]
    pub icd: Vec<PathBuf>,
}

/// Options that select cases.
#[derive(Clone, Debug, Default, Args)]
pub struct SelectArgs {
    /// Only cases of this dialect (repeatable): cl12 (or 1.2), cl20, cl30, cl30-generic ...
    #[arg(long, value_name = "DIALECT", add = ArgValueCompleter::new(completing::dialects))]
    pub dialect: Vec<DialectName>,
    /// Only cases of this rule, family or pattern with `*` (repeatable).
    #[arg(long, value_name = "RULE", add = ArgValueCompleter::new(completing::rules))]
    pub rule: Vec<String>,
    /// Only the few cases that cover most of the suite, for use after each build of a driver.
    ///
    /// They cover both sides of every rule, every mutant of `dev adequacy` and every baseline entry. The default depth
    /// is `run`.
    #[arg(long)]
    pub quick: bool,
    /// Only the cases that failed in the run of this folder, for use after a repair.
    ///
    /// A case failed if no baseline entry explains its finding; random programs are not included. The default depth
    /// is `all`.
    #[arg(long, value_name = "DIR", conflicts_with = "quick")]
    pub failed_in: Option<PathBuf>,
    /// Only the cases that changed since this git revision of the suite's checkout.
    ///
    /// A case changed if its rule, a template of the rule, or an entry of the device that matches the case did; if code
    /// that makes every case changed, all of them did. The checkout is the current folder, or that of `--overlay`.
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// The K-th of N parts of the selection, chosen by a hash of the case id.
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
}

/// Options that select cases by the text of their ids.
#[derive(Clone, Debug, Default, Args)]
pub struct TextArgs {
    /// Only cases whose id contains this.
    #[arg(value_name = "FILTER", add = ArgValueCompleter::new(completing::cases))]
    pub filter: Option<String>,
    /// No cases whose id contains this (repeatable).
    #[arg(long, value_name = "TEXT", add = ArgValueCompleter::new(completing::cases))]
    pub skip: Vec<String>,
    /// Take FILTER and the texts of `--skip` as whole ids, not as parts of them.
    #[arg(long)]
    pub exact: bool,
}

/// Option for the depth of a run.
#[derive(Clone, Debug, Default, Args)]
pub struct DepthArgs {
    /// Depth to which cases are taken: `build`, `one-dialect`, `code`, `run`, `covering` or `all`.
    ///
    /// `build` stops after the front end. `code` generates code for every valid case and executes none. `one-dialect`
    /// generates code for each combination of values of a rule, in one dialect of a language with the generic address
    /// space and in one without. `run` executes a part of the cases with a probe, which covers every rule, dialect and
    /// value of an axis, and generates code for the others that are known to deviate. `covering` also generates code
    /// for such a part of the cases without a probe. `all` executes and generates code for every case. The default is
    /// `covering`; it is `all` for a case that `--exact` names, and `one-dialect` for compilers that emit modules
    /// without further steps.
    #[arg(long, value_name = "DEPTH", value_parser = depths())]
    pub depth: Option<Depth>,
}

/// Options of builds.
#[derive(Clone, Debug, Args)]
pub struct BuildArgs {
    /// Longest time of a single build in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = Seconds(Builds::default().timeout))]
    pub timeout: Seconds,
    /// Memory of a worker in MiB; shared memory and temporary files may each take as much.
    #[arg(long, value_name = "MIB", default_value_t = Builds::default().memory, value_parser = clap::value_parser!(u64).range(1..=MOST_MEMORY))]
    pub memory: u64,
    /// Number of retries of a case that gave no verdict.
    #[arg(long, value_name = "N", default_value_t = Builds::default().retries)]
    pub retries: u32,
    /// Workers: processes that build at the same time [default: one for each core].
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub test_threads: Option<usize>,
}

/// Options for random programs that a run or a list consists of.
#[derive(Clone, Debug, Args)]
pub struct RandomRunArgs {
    /// Number of random programs, which replace the suite.
    ///
    /// Some are valid, some have an edit that breaks a rule, and some have an edit that breaks none.
    #[arg(
        long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), group = "programs",
        conflicts_with_all = ["quick", "failed_in", "changed_since"]
    )]
    pub random: Option<u64>,
    /// Seed of the first random program.
    #[arg(long, value_name = "S", default_value_t = 1, requires = "programs")]
    pub seed: u64,
    /// Kind of random programs: `run`, `build`, or `both`.
    ///
    /// Devices execute the programs of the kind `run`, whose answers are known, and only build the others.
    /// If no device of the run executes programs, all are of the kind `build`. [default: both]
    #[arg(long, value_name = "KIND", value_parser = Kinds::from_name, requires = "programs")]
    pub random_kind: Option<Kinds>,
    /// Size and features of random programs.
    #[command(flatten)]
    pub made_of: RandomArgs,
}

/// Options for the size and features of random programs; unusual values are part of their ids.
#[derive(Clone, Debug, Default, Args)]
pub struct RandomArgs {
    /// Size of random programs: small, medium, large or huge (a few hundred lines).
    #[arg(long, value_name = "SIZE", default_value = "medium", value_parser = Size::from_name, requires = "programs")]
    pub random_size: Size,
    /// Features that every random program has, if its dialect has them: atomics,shadowing, or all.
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', requires = "programs", long_help = features_help())]
    pub random_more: Vec<FeatureName>,
    /// Features that no random program has: blocks,images, or all others.
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', requires = "programs")]
    pub random_without: Vec<FeatureName>,
}

/// Options for the output of a run.
#[derive(Clone, Debug, Default, Args)]
pub struct OutputArgs {
    /// Print each case in a format of Rust's test harness: pretty, terse or json.
    ///
    /// The summary goes to standard error.
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    pub format: Option<FormatSetting>,
    /// Short for `--format terse`.
    #[arg(long, short, conflicts_with = "format")]
    pub quiet: bool,
    /// Print the baseline entries that explain deviations, too.
    #[arg(long, short)]
    pub verbose: bool,
    /// Use of colours: on a terminal (auto), always or never.
    #[arg(long, value_name = "WHEN", value_enum, hide_possible_values = true)]
    pub color: Option<ColorSetting>,
    /// File for a line for each case, as `--format pretty` prints it.
    #[arg(long, value_name = "FILE")]
    pub logfile: Option<String>,
}

fn features_help() -> String {
    let names = FEATURES.map(|row| row.name).join(", ");
    format!(
        "Features that every random program has, if its dialect has them, separated by commas: \
         {names}, or all"
    )
}

impl RunArgs {
    /// Returns the plan of the run; an error names the options that exclude each other.
    pub fn plan(&self) -> Result<RunPlan, String> {
        let tested = self.tested.plan()?;
        let (programs, rounds, keep) = match (self.random_for, &self.results) {
            (Some(time), Some(folder)) => {
                let rounds = Rounds { time, folder: folder.clone() };
                let programs = self.tested.random.programs(RandomCount::Numbers(ROUND))?;
                (programs, Some(rounds), Keep::Nothing)
            }
            (Some(_), None) => {
                return Err("`--random-for` keeps what it finds in a folder: name it with \
                     `--results DIR`"
                    .to_owned());
            }
            (None, results) => {
                (tested.programs, None, keep(results.as_ref(), self.resume.as_ref()))
            }
        };
        let devices = match tested.devices {
            Devices::Judged { name, baseline } if self.bless && !baseline.exists() => {
                Devices::New { name, baseline }
            }
            devices => devices,
        };
        let test_threads = self.tested.builds.test_threads;
        Ok(RunPlan {
            devices,
            programs,
            rounds,
            keep,
            failed_first: self.failed_first.clone(),
            install: self.install,
            bless: self.bless,
            junit: self.junit.clone(),
            harness: Arguments { test_threads, ..self.output.harness() },
            detail: Detail::of(self.output.verbose),
            ..tested
        })
    }
}

impl TestedArgs {
    /// Returns the plan of a run with these options, which keeps nothing; an error names those that exclude each other.
    pub fn plan(&self) -> Result<RunPlan, String> {
        let filter = filter(&self.select, &self.texts)?;
        let (programs, depth) = (self.random.counted()?, self.depth.depth);
        let laws = match programs {
            Programs::Suite if !self.no_laws => Laws::Compared,
            // Random programs have objects in code that is never reached, which compilers leave out.
            Programs::Suite | Programs::Random(_) => Laws::Skipped,
        };
        let builds = Builds { isolate: self.isolate, laws, ..self.builds.builds() };
        let devices = match &self.baseline {
            Some(baseline) => self.device.judged_by(baseline)?,
            None => self.device.devices()?,
        };
        let (plan, through) = (RunPlan::default(), self.through.clone());
        Ok(RunPlan { devices, through, programs, filter, builds, depth, ..plan })
    }
}

/// Returns the storage of results in a new folder, or in one that is resumed.
pub fn keep(results: Option<&PathBuf>, resume: Option<&PathBuf>) -> Keep {
    match (results, resume) {
        (Some(folder), _) => Keep::New(folder.clone()),
        (None, Some(folder)) => Keep::GoOn(folder.clone()),
        (None, None) => Keep::Nothing,
    }
}

impl DeviceArgs {
    /// Returns the devices, each once.
    pub fn devices(&self) -> Result<Devices, String> {
        let mut seen = BTreeSet::new();
        let mut names = match self.icd.as_slice() {
            [] => self.device.iter().flat_map(|names| separated(names)).collect(),
            drivers => drivers.iter().map(|file| icd_name(file)).collect::<Result<Vec<_>, _>>()?,
        };
        names.retain(|name| seen.insert(name.clone()));
        match names.as_slice() {
            [all] if all == ALL => Ok(Devices::All),
            _ if seen.contains(ALL) => {
                Err("`--device all` means every device: do not name another".to_owned())
            }
            _ => Ok(Devices::Named(names)),
        }
    }

    /// Returns the device, which is judged by a baseline in place of its own.
    pub fn judged_by(&self, baseline: &Path) -> Result<Devices, String> {
        match self.devices()? {
            Devices::Named(names) if names.len() == 1 => {
                Ok(Devices::Judged { name: names.concat(), baseline: baseline.to_owned() })
            }
            _ => {
                Err("`--baseline` replaces the baseline of one device: name one device".to_owned())
            }
        }
    }
}

/// Returns the devices of a list with commas; a platform's name and a path may have commas of their own.
fn separated(names: &str) -> Vec<String> {
    if names.contains(PLATFORM) || Path::new(names).exists() {
        return vec![names.to_owned()];
    }
    names.split(',').map(str::to_owned).collect()
}

/// Returns the name of the device that consists of this driver only.
fn icd_name(file: &Path) -> Result<String, String> {
    let shown = file.display();
    let file = path::absolute(file).ok().filter(|file| file.is_file());
    let file = file.ok_or_else(|| {
        format!("there is no file {shown}: `--icd` takes an ICD file or a driver's library")
    })?;
    let text = file.to_str().ok_or_else(|| format!("the path {shown} is not UTF-8"))?;
    Ok(format!("{BY_ICD}{text}"))
}

/// Returns the filter that both parts describe.
pub fn filter(select: &SelectArgs, texts: &TextArgs) -> Result<CaseFilter, String> {
    if texts.exact && texts.filter.is_none() && texts.skip.is_empty() {
        return Err("`--exact` needs the id of a case: write it after the options".to_owned());
    }
    let TextArgs { filter, skip, exact } = texts.clone();
    Ok(CaseFilter { text: filter, skip, exact, ..select.filter() })
}

impl SelectArgs {
    /// Returns the filter that these options describe.
    pub fn filter(&self) -> CaseFilter {
        let is_named = |dialect: &Dialect| self.dialect.iter().any(|name| name.0 == *dialect);
        CaseFilter {
            scope: if self.quick { Scope::Quick } else { Scope::Suite },
            dialects: Dialect::ALL.into_iter().filter(is_named).collect(),
            // A shell completes a family with its slash.
            rules: self.rule.iter().map(|rule| rule.trim_end_matches('/').to_owned()).collect(),
            shard: self.shard,
            failed_in: self.failed_in.clone(),
            changed_since: self.changed_since.clone(),
            ..CaseFilter::default()
        }
    }
}

impl BuildArgs {
    /// Returns the settings of shared builds.
    pub fn builds(&self) -> Builds {
        Builds {
            isolate: false,
            timeout: self.timeout.0,
            memory: self.memory,
            retries: self.retries,
            workers: self.test_threads.unwrap_or_else(default_workers).max(1),
            laws: Laws::default(),
        }
    }
}

impl OutputArgs {
    /// Returns the options as Rust's test harness takes them.
    fn harness(&self) -> Arguments {
        let Self { format, quiet, color, logfile, verbose: _ } = self.clone();
        Arguments { format, quiet, color, logfile, ..Arguments::default() }
    }
}

impl RandomRunArgs {
    /// Returns the programs: random ones if a number of them is given.
    pub fn counted(&self) -> Result<Programs, String> {
        match self.random {
            Some(count) => self.programs(RandomCount::Matching(count)),
            None => Ok(Programs::Suite),
        }
    }

    fn programs(&self, count: RandomCount) -> Result<Programs, String> {
        let mut typed = self.made_of.describe();
        if let Some(kinds) = self.random_kind.filter(|&kinds| kinds != Kinds::default()) {
            typed.push((RANDOM_KIND, kinds.name().to_owned()));
        }
        let settings = self.made_of.settings()?;
        let Self { seed, random_kind: kinds, .. } = *self;
        Ok(Programs::Random(RandomPrograms { count, seed, settings, kinds, typed }))
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
                "`{}` is in both `--random-more` and `--random-without`: remove it from one",
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
