//! What a run is to do, resolved once from what was typed: nothing below asks for an option again.

use std::{path::PathBuf, time::Duration};

use expectations::{device::DeviceFile, dialect::Dialect};
use generator::random::{Kinds, Settings};
use libtest_mimic::Arguments;
use results::{folder::holds_run, shard::Shard};

use crate::engine::Depth;

/// A run.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// On what.
    pub devices: Devices,
    /// What is built.
    pub programs: Programs,
    /// Random programs again and again, where a time is named.
    pub rounds: Option<Rounds>,
    /// Which of it.
    pub filter: CaseFilter,
    /// How it is built.
    pub builds: Builds,
    /// How far; as far as is usual on the device where nobody says.
    pub depth: Option<Depth>,
    /// Where results are kept.
    pub keep: Keep,
    /// The device's packages are installed first.
    pub install: bool,
    /// The baseline is rewritten to what was found.
    pub bless: bool,
    /// Where the outcome of every case is written as JUnit XML.
    pub junit: Option<PathBuf>,
    /// How it is shown: flags of Rust's test harness, but for those of the filter.
    pub harness: Arguments,
}

impl RunPlan {
    /// How far the cases are taken on a device: as far as it can take them, where one is named.
    pub fn depth_on(&self, device: &DeviceFile) -> Depth {
        let usual = || match self.filter.scope {
            _ if self.names_a_case() => Depth::All,
            Scope::Quick => Depth::Run,
            Scope::Suite => Depth::usual(&device.kind),
        };
        self.depth.unwrap_or_else(usual)
    }

    /// Whether a part of the cases of each rule is taken further than the others, on some device: the cases of a list
    /// are such a part.
    pub fn has_covering_part(&self) -> bool {
        match self.depth {
            _ if self.filter.scope == Scope::Quick => false,
            None => !self.names_a_case(),
            Some(depth) => matches!(depth, Depth::Run | Depth::Covering),
        }
    }

    fn names_a_case(&self) -> bool {
        self.filter.exact && self.filter.text.is_some()
    }
}

/// The devices of a run, by name.
#[derive(Clone, Debug)]
pub enum Devices {
    /// Every one that is here.
    All,
    /// These, each once.
    Named(Vec<String>),
    /// One, judged by the baseline of this file in place of its own.
    Judged {
        /// Its name.
        name: String,
        /// The file.
        baseline: PathBuf,
    },
    /// One, whose baseline is written to this file, which is not there yet.
    New {
        /// Its name.
        name: String,
        /// The file.
        baseline: PathBuf,
    },
}

impl Devices {
    /// The file of the baseline, where it is not the device's own.
    pub fn baseline(&self) -> Option<&PathBuf> {
        match self {
            Self::Judged { baseline, .. } | Self::New { baseline, .. } => Some(baseline),
            Self::All | Self::Named(_) => None,
        }
    }
}

/// What is built.
#[derive(Clone, Debug)]
pub enum Programs {
    /// The suite.
    Suite,
    /// Random programs.
    Random(RandomPrograms),
}

/// Which random programs.
#[derive(Clone, Debug)]
pub struct RandomPrograms {
    /// How many.
    pub count: u64,
    /// Seed of the first.
    pub seed: u64,
    /// What they are made of.
    pub settings: Settings,
    /// Which of them.
    pub kinds: Kinds,
    /// The same as typed, where it is not the usual: option and value.
    pub typed: Vec<(&'static str, String)>,
}

/// A run of one round after another.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// For so long.
    pub time: Duration,
    /// What was found, each kind once, is kept here.
    pub folder: PathBuf,
}

/// What cases are selected from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The suite.
    #[default]
    Suite,
    /// The list of the few cases that keep most of it.
    Quick,
}

/// Which cases: those that agree with all of this.
#[derive(Clone, Debug, Default)]
pub struct CaseFilter {
    /// From these.
    pub scope: Scope,
    /// Of these dialects; of any where there is none.
    pub dialects: Vec<Dialect>,
    /// Of these rules, families or patterns; of any where there is none.
    pub rules: Vec<String>,
    /// Of this part.
    pub shard: Option<Shard>,
    /// With this text in the id.
    pub text: Option<String>,
    /// Without any of these in the id.
    pub skip: Vec<String>,
    /// The texts are whole ids.
    pub exact: bool,
}

/// How cases are built.
#[derive(Clone, Debug)]
pub struct Builds {
    /// Each in a program of its own.
    pub isolate: bool,
    /// How long a build may take.
    pub timeout: Duration,
    /// MiB a worker may use.
    pub memory: u64,
    /// How often a case without a verdict is tried again.
    pub retries: u32,
    /// How many workers, at least one.
    pub workers: usize,
}

/// Where results of a run are kept.
#[derive(Clone, Debug)]
pub enum Keep {
    /// Nowhere.
    Nothing,
    /// In a new file of this folder.
    New(PathBuf),
    /// In the file that this folder has.
    GoOn(PathBuf),
}

impl Keep {
    /// The folder.
    pub fn folder(&self) -> Option<&PathBuf> {
        match self {
            Self::Nothing => None,
            Self::New(folder) | Self::GoOn(folder) => Some(folder),
        }
    }

    /// Where those of one device of several are kept.
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
