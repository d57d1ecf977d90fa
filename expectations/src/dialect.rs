//! The languages a case can be written in: a version and the features that change verdicts.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A version of a language: of `OpenCL` C or of SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// 1.0; no build option selects it, command-line compilers and the checker read it.
    V1_0,
    V1_1,
    /// 1.2
    V1_2,
    /// 1.3, of SPIR-V only.
    V1_3,
    /// 1.4, of SPIR-V only.
    V1_4,
    /// 2.0
    V2_0,
    /// 3.0
    V3_0,
    /// 3.1
    V3_1,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 8] = [
        Self::V1_0,
        Self::V1_1,
        Self::V1_2,
        Self::V1_3,
        Self::V1_4,
        Self::V2_0,
        Self::V3_0,
        Self::V3_1,
    ];

    /// Returns the name of the version, such as `1.2`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V1_1 => "1.1",
            Self::V1_2 => "1.2",
            Self::V1_3 => "1.3",
            Self::V1_4 => "1.4",
            Self::V2_0 => "2.0",
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
        }
    }

    /// Returns the number as in `__OPENCL_C_VERSION__`: 120 for 1.2.
    pub const fn number(self) -> u32 {
        match self {
            Self::V1_0 => 100,
            Self::V1_1 => 110,
            Self::V1_2 => 120,
            Self::V1_3 => 130,
            Self::V1_4 => 140,
            Self::V2_0 => 200,
            Self::V3_0 => 300,
            Self::V3_1 => 310,
        }
    }

    /// Returns the version of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }
}

/// The language that a version is of.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Language {
    #[default]
    #[serde(rename = "opencl-c")]
    OpenclC,
    /// C++ for `OpenCL`
    #[serde(rename = "cxx-for-opencl")]
    CxxForOpencl,
    /// SPIR-V, written by hand as text for its assembler.
    #[serde(rename = "spir-v")]
    Spirv,
}

impl Language {
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenclC => "OpenCL C",
            Self::CxxForOpencl => "C++ for OpenCL",
            Self::Spirv => "SPIR-V",
        }
    }

    /// Returns the name of the language behind the fence of a block in Markdown.
    pub const fn fence(self) -> &'static str {
        match self {
            Self::OpenclC | Self::CxxForOpencl => "c",
            Self::Spirv => "text",
        }
    }

    /// Returns the characters that begin a comment up to the end of its line.
    pub const fn comment(self) -> &'static str {
        match self {
            Self::OpenclC | Self::CxxForOpencl => "//",
            Self::Spirv => ";",
        }
    }

    /// Whether programs may stand behind one another in one program. A module has one header, and its parts have a fixed
    /// order.
    pub const fn joins_programs(self) -> bool {
        match self {
            Self::OpenclC | Self::CxxForOpencl => true,
            Self::Spirv => false,
        }
    }
}

/// A version of a language with the two optional features that change verdicts of address-space rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dialect {
    pub language: Language,
    /// The version of `OpenCL` C or of SPIR-V. For C++ for `OpenCL` it is that of the `OpenCL` C that it builds on: 2.0
    /// for 1.0 and 3.0 for 2021.
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
    /// The dialects of `OpenCL` C, in the order of reports.
    pub const OPENCL_C: [Self; 12] = [
        Self::plain(Version::V1_0, false),
        Self::plain(Version::V1_1, false),
        Self::plain(Version::V1_2, false),
        Self::plain(Version::V2_0, true),
        Self::plain(Version::V3_0, false),
        Self::only_generic(Version::V3_0),
        Self::only_globals(Version::V3_0),
        Self::plain(Version::V3_0, true),
        Self::plain(Version::V3_1, false),
        Self::only_generic(Version::V3_1),
        Self::only_globals(Version::V3_1),
        Self::plain(Version::V3_1, true),
    ];

    /// The dialects of C++ for `OpenCL`, in the order of reports: 1.0 has both features, as the `OpenCL` C 2.0 it
    /// builds on.
    pub const CXX: [Self; 5] = [
        Self::plain(Version::V2_0, true).in_cxx(),
        Self::plain(Version::V3_0, false).in_cxx(),
        Self::only_generic(Version::V3_0).in_cxx(),
        Self::only_globals(Version::V3_0).in_cxx(),
        Self::plain(Version::V3_0, true).in_cxx(),
    ];

    /// The dialects of SPIR-V, in the order of reports: the versions that `OpenCL` 3.1 requires. What is optional in them
    /// is a requirement of the case, for a module declares it.
    pub const SPIRV: [Self; 5] = [
        Self::plain(Version::V1_0, false).in_spirv(),
        Self::plain(Version::V1_1, false).in_spirv(),
        Self::plain(Version::V1_2, false).in_spirv(),
        Self::plain(Version::V1_3, false).in_spirv(),
        Self::plain(Version::V1_4, false).in_spirv(),
    ];

    /// Every dialect, in the order of reports.
    pub const ALL: [Self; 22] = {
        let (of_c, of_cxx) = (Self::OPENCL_C.len(), Self::CXX.len());
        let mut all = [Self::OPENCL_C[0]; 22];
        let mut at = 0;
        while at < all.len() {
            all[at] = if at < of_c {
                Self::OPENCL_C[at]
            } else if at < of_c + of_cxx {
                Self::CXX[at - of_c]
            } else {
                Self::SPIRV[at - of_c - of_cxx]
            };
            at += 1;
        }
        all
    };

    /// The versions with optional features, each with none of them: its name is that of the version.
    pub const PLAIN: [Self; 3] = [
        Self::plain(Version::V3_0, false),
        Self::plain(Version::V3_1, false),
        Self::plain(Version::V3_0, false).in_cxx(),
    ];

    const fn plain(version: Version, features: bool) -> Self {
        let language = Language::OpenclC;
        Self { language, version, generic: features, program_scope_globals: features }
    }

    const fn only_generic(version: Version) -> Self {
        Self { generic: true, ..Self::plain(version, false) }
    }

    const fn only_globals(version: Version) -> Self {
        Self { program_scope_globals: true, ..Self::plain(version, false) }
    }

    const fn in_cxx(self) -> Self {
        Self { language: Language::CxxForOpencl, ..self }
    }

    const fn in_spirv(self) -> Self {
        Self { language: Language::Spirv, ..self }
    }

    /// Returns the short name that case ids use: `cl12`, `cl30-generic`, `spirv14`.
    pub const fn name(self) -> &'static str {
        match self.language {
            Language::OpenclC => self.name_in_c(),
            Language::CxxForOpencl => self.name_in_cxx(),
            Language::Spirv => match self.version {
                Version::V1_0 => "spirv10",
                Version::V1_1 => "spirv11",
                Version::V1_2 => "spirv12",
                Version::V1_3 => "spirv13",
                _ => "spirv14",
            },
        }
    }

    const fn name_in_cxx(self) -> &'static str {
        match (self.version, self.generic, self.program_scope_globals) {
            (Version::V3_0 | Version::V3_1, false, false) => "clcpp2021",
            (Version::V3_0 | Version::V3_1, true, false) => "clcpp2021-generic",
            (Version::V3_0 | Version::V3_1, false, true) => "clcpp2021-globals",
            (Version::V3_0 | Version::V3_1, true, true) => "clcpp2021-generic-globals",
            _ => "clcpp10",
        }
    }

    const fn name_in_c(self) -> &'static str {
        match (self.version, self.generic, self.program_scope_globals) {
            (Version::V1_0, ..) => "cl10",
            (Version::V1_1, ..) => "cl11",
            (Version::V1_2 | Version::V1_3 | Version::V1_4, ..) => "cl12",
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

    /// Returns the dialect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Returns the dialect that a text means: its name, a version of OpenCL C (`1.2`, `CL1.2`) or one of C++ for OpenCL
    /// (`CLC++2021`), as `-cl-std` takes it, or one of SPIR-V as its assembler takes it (`spv1.4`). A version by itself
    /// is the dialect without optional features.
    pub fn from_written(text: &str) -> Option<Self> {
        let written = text.trim_start_matches("-cl-std=");
        let is_meant = |dialect: &Self| {
            let is_of_c = dialect.language == Language::OpenclC;
            dialect.std_name().eq_ignore_ascii_case(written)
                || is_of_c && dialect.version.name() == written
        };
        // Of each version, the one without optional features stands first.
        Self::from_name(&text.to_ascii_lowercase()).or_else(|| Self::ALL.into_iter().find(is_meant))
    }

    /// Returns the feature macros that this dialect defines; none before 3.0.
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

    /// Returns the name of the version: `1.2`, or `1.0` or `2021` of C++ for `OpenCL`.
    pub const fn version_name(self) -> &'static str {
        match (self.language, self.version) {
            (Language::OpenclC | Language::Spirv, version) => version.name(),
            (Language::CxxForOpencl, Version::V3_0 | Version::V3_1) => "2021",
            (Language::CxxForOpencl, _) => "1.0",
        }
    }

    /// Returns language and version as people write them: `OpenCL C 1.2`.
    pub fn language_and_version(self) -> String {
        format!("{} {}", self.language.name(), self.version_name())
    }

    /// Returns the version as build options name it: `CL1.2`, `CLC++2021`, `spv1.4`.
    pub fn std_name(self) -> String {
        let prefix = match self.language {
            Language::OpenclC => "CL",
            Language::CxxForOpencl => "CLC++",
            Language::Spirv => "spv",
        };
        format!("{prefix}{}", self.version_name())
    }

    /// Returns the build option that selects the version: `-cl-std=CL1.2`.
    pub fn std_option(self) -> String {
        format!("-cl-std={}", self.std_name())
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Writes the dialect as its name.
impl Serialize for Dialect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl de::Visitor<'_> for Name {
            type Value = Dialect;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a dialect")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Dialect, E> {
                let unknown = || E::invalid_value(de::Unexpected::Str(name), &self);
                Dialect::from_name(name).ok_or_else(unknown)
            }
        }
        deserializer.deserialize_str(Name)
    }
}

impl JsonSchema for Dialect {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dialect".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A dialect.",
            "type": "string",
            "enum": Self::ALL.map(Self::name),
        })
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

    #[test]
    fn a_version_is_the_dialect_without_optional_features() {
        for (text, name) in [
            ("cl30-generic", "cl30-generic"),
            ("CL12", "cl12"),
            ("1.2", "cl12"),
            ("CL2.0", "cl20"),
            ("-cl-std=CL3.0", "cl30"),
            ("3.1", "cl31"),
            ("clc++2021", "clcpp2021"),
            ("CLC++1.0", "clcpp10"),
            ("SPV1.3", "spirv13"),
        ] {
            assert_eq!(Dialect::from_written(text).map(Dialect::name), Some(name), "{text}");
        }
        assert_eq!(Dialect::from_written("1.3"), None);
    }

    #[test]
    fn options_name_language_and_version() {
        for (name, option, written) in [
            ("cl12", "-cl-std=CL1.2", "OpenCL C 1.2"),
            ("clcpp10", "-cl-std=CLC++1.0", "C++ for OpenCL 1.0"),
            ("clcpp2021-generic", "-cl-std=CLC++2021", "C++ for OpenCL 2021"),
            ("spirv14", "-cl-std=spv1.4", "SPIR-V 1.4"),
        ] {
            let dialect = Dialect::from_name(name).unwrap();
            assert_eq!(dialect.std_option(), option);
            assert_eq!(dialect.language_and_version(), written);
        }
    }
}
