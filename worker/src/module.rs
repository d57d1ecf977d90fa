//! Modules of SPIR-V that a driver is given in place of a program's source.

use std::{collections::BTreeMap, fmt};

use expectations::device::Step;
use serde::{Deserialize, Serialize};

/// A module of SPIR-V.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Module(#[serde(with = "hex::serde")] pub Vec<u8>);

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({} bytes)", self.0.len())
    }
}

/// Form in which a driver is given a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The source itself.
    #[default]
    Source,
    /// The module that a compiler makes of it. The runner makes it before it asks the driver.
    Made(Making),
    /// A module that is there already.
    Module(Module),
}

/// The commands of a compiler that makes a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Making {
    /// Program and arguments of the front end.
    pub options: Vec<String>,
    /// Steps behind it. Without a module, only the front end judges the program, and the driver is not tried.
    pub by: Vec<Step>,
    /// File that has the module; `{scratch}` is replaced.
    pub file: String,
}

/// Modules of a case by the options that define something; what a probe builds once more is one of them.
pub type ModulesByDefines = BTreeMap<String, Module>;
