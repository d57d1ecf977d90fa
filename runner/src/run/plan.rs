//! Plan of a run, resolved once from the command line: no other module reads options.

use std::{path::PathBuf, time::Duration};

use expectations::{device::DeviceFile, dialect::Dialect};
use generator::random::{Kinds, Settings};
use libtest_mimic::Arguments;
use reports::summary::Detail;
use results::{folder::holds_run, shard::Shard};

use crate::engine::{Depth, Laws, can_run, default_workers};

/// Option that names the kind of random programs.
pub const RANDOM_KIND: &str = "--random-kind";

/// A run as the command line asks for it; by default the suite on every device, and nothing is kept.
#[derive(Clone, Debug, Default)]
pub struct RunPlan {
    /// On what.
    pub devices: Devices,
    /// Name of the compiler whose modules the devices are given; `None` if they are given sources.
    pub through: Option<String>,
    /// Programs to build.
    pub programs: Programs,
    /// Random programs again and again, where a time is named.
    pub rounds: Option<Rounds>,
    /// Filter of the cases.
    pub filter: CaseFilter,
    /// Folder of an earlier run, whose failed cases come before all others.
    pub failed_first: Option<PathBuf>,
    /// Settings of the builds.
    pub builds: Builds,
    /// Depth to which cases are taken; `None` stands for the default of the device.
    pub depth: Option<Depth>,
    /// Storage of the results.
    pub keep: Keep,
    /// The device's packages are installed first.
    pub install: bool,
    /// The baseline is rewritten to what was found.
    pub bless: bool,
    /// Path to which the outcome of every case is written as JUnit XML.
    pub junit: Option<PathBuf>,
    /// Options of Rust's test harness for the output, except for those of the filter.
    pub harness: Arguments,
    /// Detail of the summary.
    pub detail: Detail,
}

impl RunPlan {
    /// Returns the depth to which the cases are taken on a device. A single named case, and cases that failed, are
    /// taken as far as possible.
    pub fn depth_on(&self, device: &DeviceFile) -> Depth {
        let usual = || match self.filter.scope {
            _ if self.names_cases() => Depth::All,
            Scope::Quick => Depth::Run,
            Scope::Suite => match Depth::usual(&device.kind) {
                // Random programs have no combinations of values.
                Depth::OneDialect if matches!(self.programs, Programs::Random(_)) => Depth::Code,
                usual => usual,
            },
        };
        self.depth.unwrap_or_else(usual)
    }

    /// Returns the plan as it is on these devices. If none of them executes programs, random programs whose kind was not
    /// named are those that are only built.
    #[must_use]
    pub fn on(&self, devices: &[DeviceFile]) -> Self {
        let mut plan = self.clone();
        if let Programs::Random(random) = &mut plan.programs
            && random.kinds.is_none()
            && !devices.iter().any(|device| can_run(&device.kind))
        {
            random.kinds = Some(Kinds::Build);
            random.typed.push((RANDOM_KIND, Kinds::Build.name().to_owned()));
        }
        plan
    }

    /// Whether a part of the cases of each rule is taken further than the others, on some device: the cases of a list
    /// are such a part.
    pub fn has_covering_part(&self) -> bool {
        match self.depth {
            _ if self.filter.scope == Scope::Quick => false,
            None => !self.names_cases(),
            Some(depth) => {
                matches!(depth, Depth::OneDialect | Depth::Run | Depth::Covering)
            }
        }
    }

    fn names_cases(&self) -> bool {
        self.filter.exact && self.filter.text.is_some() || self.filter.failed_in.is_some()
    }
}

/// The devices of a run, by name.
#[derive(Clone, Debug, Default)]
pub enum Devices {
    /// Every one that is here.
    #[default]
    All,
    /// These, each once.
    Named(Vec<String>),
    /// One, judged by the baseline of this file in place of its own.
    Judged {
        name: String,
        /// The file.
        baseline: PathBuf,
    },
    /// One, whose baseline is written to this file, which is not there yet.
    New {
        name: String,
        /// The file.
        baseline: PathBuf,
    },
}

impl Devices {
    /// Returns the file of the baseline, where it is not the device's own.
    pub fn baseline(&self) -> Option<&PathBuf> {
        match self {
            Self::Judged { baseline, .. } | Self::New { baseline, .. } => Some(baseline),
            Self::All | Self::Named(_) => None,
        }
    }
}

/// Programs that a run builds.
#[derive(Clone, Debug, Default)]
pub enum Programs {
    #[default]
    Suite,
    /// Random programs.
    Random(RandomPrograms),
}

/// Selection of random programs.
#[derive(Clone, Debug)]
pub struct RandomPrograms {
    /// Number of programs.
    pub count: RandomCount,
    /// Seed of the first.
    pub seed: u64,
    /// Size and features of the programs.
    pub settings: Settings,
    /// Kinds of programs, if they were named.
    pub kinds: Option<Kinds>,
    /// The same as typed, where it is not the usual: option and value.
    pub typed: Vec<(&'static str, String)>,
}

/// Number of random programs.
#[derive(Clone, Copy, Debug)]
pub enum RandomCount {
    /// Numbers of programs; the filter leaves some of them.
    Numbers(u64),
    /// Programs that match the filter, before a shard is taken of them.
    Matching(u64),
}

/// A run of one round after another.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// For so long.
    pub time: Duration,
    /// Folder for the findings, one of each cluster.
    pub folder: PathBuf,
}

/// Set that cases are selected from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    #[default]
    Suite,
    /// The list of the few cases that cover most of the suite.
    Quick,
}

/// Filter of cases: a case has to meet all conditions.
#[derive(Clone, Debug, Default)]
pub struct CaseFilter {
    /// From these.
    pub scope: Scope,
    /// Selected dialects; all if there is none.
    pub dialects: Vec<Dialect>,
    /// Selected rules, families or patterns; all if there is none.
    pub rules: Vec<String>,
    /// Selected part of the cases.
    pub shard: Option<Shard>,
    /// With this text in the id.
    pub text: Option<String>,
    /// Without any of these in the id.
    pub skip: Vec<String>,
    /// The texts are whole ids.
    pub exact: bool,
    /// Only those that failed in the runs of this folder.
    pub failed_in: Option<PathBuf>,
    /// Only those of which something changed since this revision of the suite's checkout.
    pub changed_since: Option<String>,
}

/// Settings of the builds.
#[derive(Clone, Debug)]
pub struct Builds {
    /// Each in a program of its own.
    pub isolate: bool,
    /// Longest time for a build.
    pub timeout: Duration,
    /// MiB a worker may use.
    pub memory: u64,
    /// Number of further tries of a case without a verdict.
    pub retries: u32,
    /// Number of workers, at least one.
    pub workers: usize,
    /// Comparison of emitted modules with the text.
    pub laws: Laws,
}

impl Default for Builds {
    fn default() -> Self {
        Self {
            isolate: false,
            timeout: Duration::from_secs(30),
            memory: 8192,
            retries: 1,
            workers: default_workers(),
            laws: Laws::default(),
        }
    }
}

/// Storage of the results of a run.
#[derive(Clone, Debug, Default)]
pub enum Keep {
    /// Nowhere.
    #[default]
    Nothing,
    /// In a new file of this folder.
    New(PathBuf),
    /// In the file that this folder has.
    GoOn(PathBuf),
}

impl Keep {
    pub fn folder(&self) -> Option<&PathBuf> {
        match self {
            Self::Nothing => None,
            Self::New(folder) | Self::GoOn(folder) => Some(folder),
        }
    }

    /// Returns the storage of one device of several.
    #[must_use]
    pub fn below(&self, device: &DeviceFile) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::New(folder) => Self::New(folder.join(device.folder_name())),
            Self::GoOn(folder) => {
                let folder = folder.join(device.folder_name());
                // A run that was stopped has not begun with every device.
                if holds_run(&folder) { Self::GoOn(folder) } else { Self::New(folder) }
            }
        }
    }
}
