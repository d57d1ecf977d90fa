//! Names of rules.

use std::{borrow::Cow, fmt, ops::Deref};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::renamed;

/// The name of a rule, `family/name`.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct RuleName(String);

impl RuleName {
    /// Changes a former name into the current one; returns whether it was a former name.
    pub fn make_current(&mut self) -> bool {
        let Cow::Owned(current) = renamed::current(&self.0) else { return false };
        self.0 = current;
        true
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for RuleName {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl From<String> for RuleName {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl Deref for RuleName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
