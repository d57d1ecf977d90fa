//! Reads and writes of objects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::space::Space;

/// Accesses of one kind to objects of one address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Access {
    /// Whether objects are read or written.
    pub kind: AccessKind,
    /// Address space of the expression that designates the object: generic where a pointer to generic is followed.
    pub space: Space,
}

/// Effect of an access on the object.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// The object's value is used.
    Read,
    /// The object gets a value.
    Write,
}
