//! The numbers of address spaces in modules, by target.

use std::sync::LazyLock;

use checker::space::Space;
use serde::Deserialize;
use thiserror::Error;

use crate::{module::Module, spirv::storage_class};

/// A target: how modules for it number the address spaces.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Name of the target.
    pub name: String,
    /// Beginnings of its triples.
    triples: Vec<String>,
    /// Document that defines it.
    pub source: String,
    private: Number,
    global: Number,
    constant: Number,
    local: Number,
    generic: Number,
    variables: Number,
    /// Spaces whose null pointer has other bits than zero.
    #[serde(default)]
    nonzero_null: Vec<Space>,
}

/// The number of an address space, or the name of a storage class.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Number {
    Number(u32),
    StorageClass(String),
}

/// A module for a target that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the address spaces of `{triple}` are not known: add it to lowering/src/targets.toml")]
pub struct UnknownTarget {
    /// Triple of the module.
    pub triple: String,
}

#[derive(Deserialize)]
struct File {
    target: Vec<Target>,
}

/// Every target.
pub static TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("targets.toml")).expect("the table is tested");
    file.target
});

impl Target {
    /// Returns the target of a module.
    pub fn of(module: &Module) -> Result<&'static Self, UnknownTarget> {
        let triple = format!("{}-", module.triple);
        let fits = |target: &&Self| {
            if module.spirv_version.is_some() {
                target.triples.is_empty()
            } else {
                target.triples.iter().any(|head| triple.starts_with(head.as_str()))
            }
        };
        TARGETS.iter().find(fits).ok_or_else(|| UnknownTarget { triple: module.triple.clone() })
    }

    /// Returns the number of a space; `None` for one that the text does not name.
    pub fn number(&self, space: Space) -> Option<u32> {
        Some(match space {
            Space::Private => self.private.get(),
            Space::Global => self.global.get(),
            Space::Constant => self.constant.get(),
            Space::Local => self.local.get(),
            Space::Generic => self.generic.get(),
            Space::Vendor | Space::Unstated => return None,
        })
    }

    /// Returns the number of the space that has the variables of functions.
    pub fn variables(&self) -> u32 {
        self.variables.get()
    }

    /// Returns the number of the space that mangled names give a number; `None` if there is none.
    ///
    /// The names in SPIR-V are those of the LLVM IR that it was made from, which is for `spir64`.
    pub fn number_in_names(&self, number: u32) -> Option<u32> {
        if !self.triples.is_empty() {
            return Some(number);
        }
        let spir = TARGETS.iter().find(|target| target.name == "spir64")?;
        self.number(spir.space_of(number)?)
    }

    /// Whether the null pointer of a space has other bits than zero.
    pub fn is_null_nonzero(&self, number: u32) -> bool {
        self.nonzero_null.iter().any(|space| self.number(*space) == Some(number))
    }

    /// Returns the space that has a number: generic where private has the same.
    fn space_of(&self, number: u32) -> Option<Space> {
        let named = [Space::Global, Space::Local, Space::Constant, Space::Generic, Space::Private];
        named.into_iter().find(|space| self.number(*space) == Some(number))
    }

    /// Returns the name of the space that has a number, for messages.
    pub fn name_of(&self, number: u32) -> String {
        let space = self.space_of(number);
        match (space, self.triples.is_empty()) {
            (Some(space), false) => format!("{} ({number})", space.name()),
            (Some(space), true) => space.name().to_owned(),
            (None, _) => format!("address space {number}"),
        }
    }
}

impl Number {
    fn get(&self) -> u32 {
        match self {
            Self::Number(number) => *number,
            Self::StorageClass(name) => storage_class(name).expect("the table is tested"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_the_table_is_one() {
        for target in TARGETS.iter() {
            assert!(!target.source.is_empty());
            for space in
                [Space::Private, Space::Global, Space::Constant, Space::Local, Space::Generic]
            {
                assert!(target.number(space).is_some(), "{}", target.name);
            }
            target.variables();
        }
    }
}
