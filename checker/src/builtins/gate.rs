//! The versions and optional features that a part of the language needs.

use std::fmt;

use crate::dialect::{Dialect, Feature, Version};

/// The versions and features that have a function, type or constant; displayed as a phrase after `requires`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The first version that has it.
    pub since: Version,
    features: u32,
    half: bool,
}

impl Gate {
    /// Everything has it.
    pub const ALWAYS: Self = Self::since(Version::V1_0);

    /// Returns the gate of everything that each version from `since` on has.
    pub const fn since(since: Version) -> Self {
        Self { since, features: 0, half: false }
    }

    /// Returns the same gate, but from 3.0 on only with `feature`.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Self { features: self.features | 1 << feature as u8, ..self }
    }

    /// Returns the same gate, but only with `cl_khr_fp16`, in every version.
    #[must_use]
    pub const fn with_half(self) -> Self {
        Self { half: true, ..self }
    }

    /// Whether `dialect` has it. Optional features are checked from 3.0 on: 2.0 has them all, and before 2.0
    /// the same things come from extensions.
    pub fn admits(self, dialect: Dialect) -> bool {
        dialect.version >= self.since
            && (!self.half || dialect.fp16)
            && (self.features == 0
                || dialect.version < Version::V3_0
                || self.features().all(|feature| dialect.has(feature)))
    }

    /// Returns the features needed from 3.0 on.
    pub fn features(self) -> impl Iterator<Item = Feature> {
        Feature::ALL
            .iter()
            .copied()
            .filter(move |&feature| self.features & (1 << feature as u8) != 0)
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let optional = self.features != 0;
        out.write_str(match (self.since, optional) {
            (Version::V1_0, false) => "any version of OpenCL C",
            (Version::V1_1, false) => "OpenCL C 1.1 or newer",
            (Version::V1_2, false) => "OpenCL C 1.2 or newer",
            (Version::V2_0, false) => "OpenCL C 2.0 or newer",
            (Version::V3_0, false) => "OpenCL C 3.0 or newer",
            (Version::V3_1, false) => "OpenCL C 3.1 or newer",
            (Version::V1_0, true) => "OpenCL C before 3.0, or 3.0 or newer with ",
            (Version::V1_1, true) => "OpenCL C 1.1 to 2.0, or 3.0 or newer with ",
            (Version::V1_2, true) => "OpenCL C 1.2 to 2.0, or 3.0 or newer with ",
            (Version::V2_0, true) => "OpenCL C 2.0, or 3.0 or newer with ",
            (Version::V3_0, true) => "OpenCL C 3.0 or newer with ",
            (Version::V3_1, true) => "OpenCL C 3.1 or newer with ",
        })?;
        for (at, feature) in self.features().enumerate() {
            if at > 0 {
                out.write_str(" and ")?;
            }
            out.write_str(feature.name())?;
        }
        if self.half {
            out.write_str(", and cl_khr_fp16")?;
        }
        Ok(())
    }
}
