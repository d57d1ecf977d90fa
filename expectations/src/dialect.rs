//! The languages a case can be written in: a version and the features that change verdicts.

use std::fmt;

/// A version of `OpenCL` C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// 1.0; no build option selects it, command-line compilers and the checker read it.
    V1_0,
    /// 1.1
    V1_1,
    /// 1.2
    V1_2,
    /// 2.0
    V2_0,
    /// 3.0
    V3_0,
    /// 3.1
    V3_1,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 6] =
        [Self::V1_0, Self::V1_1, Self::V1_2, Self::V2_0, Self::V3_0, Self::V3_1];

    /// `1.2`
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V1_1 => "1.1",
            Self::V1_2 => "1.2",
            Self::V2_0 => "2.0",
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
        }
    }

    /// As in `__OPENCL_C_VERSION__`: 120 for 1.2.
    pub const fn number(self) -> u32 {
        match self {
            Self::V1_0 => 100,
            Self::V1_1 => 110,
            Self::V1_2 => 120,
            Self::V2_0 => 200,
            Self::V3_0 => 300,
            Self::V3_1 => 310,
        }
    }

    /// The version of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }
}

/// A version with the two optional features that change verdicts of address-space rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dialect {
    /// The version.
    pub version: Version,
    /// The generic address space exists (`__opencl_c_generic_address_space` from 3.0 on).
    pub generic: bool,
    /// Program-scope variables may be in global (`__opencl_c_program_scope_global_variables` from 3.0 on).
    pub program_scope_globals: bool,
}

/// The macro of the generic address space feature.
pub const GENERIC_FEATURE: &str = "__opencl_c_generic_address_space";
/// The macro of the program-scope global variables feature.
pub const PROGRAM_SCOPE_GLOBALS_FEATURE: &str = "__opencl_c_program_scope_global_variables";

impl Dialect {
    /// Every dialect, in the order of reports.
    pub const ALL: [Self; 12] = [
        Self::plain(Version::V1_0, false),
        Self::plain(Version::V1_1, false),
        Self::plain(Version::V1_2, false),
        Self::plain(Version::V2_0, true),
        Self::plain(Version::V3_0, false),
        Self { version: Version::V3_0, generic: true, program_scope_globals: false },
        Self { version: Version::V3_0, generic: false, program_scope_globals: true },
        Self::plain(Version::V3_0, true),
        Self::plain(Version::V3_1, false),
        Self { version: Version::V3_1, generic: true, program_scope_globals: false },
        Self { version: Version::V3_1, generic: false, program_scope_globals: true },
        Self::plain(Version::V3_1, true),
    ];

    /// The versions with optional features, each with none of them: its name is that of the version.
    pub const PLAIN: [Self; 2] =
        [Self::plain(Version::V3_0, false), Self::plain(Version::V3_1, false)];

    const fn plain(version: Version, features: bool) -> Self {
        Self { version, generic: features, program_scope_globals: features }
    }

    /// Short name used in case ids: `cl12`, `cl30-generic`.
    pub const fn name(self) -> &'static str {
        match (self.version, self.generic, self.program_scope_globals) {
            (Version::V1_0, ..) => "cl10",
            (Version::V1_1, ..) => "cl11",
            (Version::V1_2, ..) => "cl12",
            (Version::V2_0, ..) => "cl20",
            (Version::V3_0, false, false) => "cl30",
            (Version::V3_0, true, false) => "cl30-generic",
            (Version::V3_0, false, true) => "cl30-globals",
            (Version::V3_0, true, true) => "cl30-generic-globals",
            (Version::V3_1, false, false) => "cl31",
            (Version::V3_1, true, false) => "cl31-generic",
            (Version::V3_1, false, true) => "cl31-globals",
            (Version::V3_1, true, true) => "cl31-generic-globals",
        }
    }

    /// The dialect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The feature macros this dialect has defined; empty before 3.0.
    pub fn features(self) -> Vec<&'static str> {
        if self.version < Version::V3_0 {
            return Vec::new();
        }
        let switches = [
            (self.generic, GENERIC_FEATURE),
            (self.program_scope_globals, PROGRAM_SCOPE_GLOBALS_FEATURE),
        ];
        switches.into_iter().filter_map(|(on, name)| on.then_some(name)).collect()
    }

    /// The build option, `-cl-std=CL1.2`.
    pub fn std_option(self) -> String {
        format!("-cl-std=CL{}", self.version.name())
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found_again() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::from_name(dialect.name()), Some(dialect));
        }
    }
}
