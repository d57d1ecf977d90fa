//! Optional parts of the language that a case may require, besides its dialect's two features.

use serde::{Deserialize, Serialize};

use crate::dialect::{Dialect, GENERIC_FEATURE, Language, PROGRAM_SCOPE_GLOBALS_FEATURE, Version};

/// An optional part of the language: what it is called where, and what it brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Requirement {
    /// Image types and functions.
    Images,
    /// Images both read and written.
    ReadWriteImages,
    /// `double`.
    Fp64,
    /// Arithmetic on `half`.
    Fp16,
    Pipes,
    /// Blocks given to `enqueue_kernel`.
    DeviceEnqueue,
    /// Sub-groups.
    Subgroups,
    /// Reductions, scans, broadcasts and votes of a work-group.
    WorkGroupFunctions,
    /// Atomics with sequentially consistent order and device scope, as the short names of C11 atomics need.
    SeqCstAtomics,
    /// Atomics whose scope is all devices that share memory.
    AllDevicesScope,
    /// Atomics on 64-bit integers, their minima, maxima and bitwise operations aside.
    Int64BaseAtomics,
    /// Minima, maxima and bitwise operations on 64-bit integers; with the base, what the atomic types of 64 bits need.
    Int64ExtendedAtomics,
    /// Stores to objects smaller than 32 bits; optional in 1.0 only.
    ByteAddressableStore,
    /// The generic address space, for a module of SPIR-V; other languages have it in their dialects.
    GenericAddressSpace,
    /// Variables of a module in global memory; other languages have them in their dialects.
    ProgramScopeGlobals,
}

/// One row of the table of requirements.
#[derive(Clone, Copy, Debug)]
pub struct RequirementFacts {
    pub requirement: Requirement,
    /// Name in rule files and reports.
    pub name: &'static str,
    /// The `OpenCL` C 3.0 feature macros ([table-optional-lang-features]).
    pub features: &'static [&'static str],
    /// The extension that provides it before it became a feature, if one does.
    pub extension: Option<&'static str>,
    /// The first version whose core has the extension's part of the language.
    pub promoted: Option<Version>,
    /// The first version that knows it.
    pub since: Version,
    /// In 3.0 it implies the generic address space.
    pub implies_generic: bool,
    /// In 3.0 it implies program-scope global variables.
    pub implies_program_scope_globals: bool,
}

const fn row(
    requirement: Requirement,
    name: &'static str,
    features: &'static [&'static str],
    extension: Option<&'static str>,
    since: Version,
) -> RequirementFacts {
    RequirementFacts {
        requirement,
        name,
        features,
        extension,
        promoted: None,
        since,
        implies_generic: false,
        implies_program_scope_globals: false,
    }
}

/// The table of requirements.
pub const REQUIREMENTS: [RequirementFacts; 15] = [
    row(Requirement::Images, "images", &["__opencl_c_images"], None, Version::V1_0),
    row(
        Requirement::ReadWriteImages,
        "read-write-images",
        &["__opencl_c_read_write_images"],
        None,
        Version::V2_0,
    ),
    RequirementFacts {
        promoted: Some(Version::V1_2),
        ..row(Requirement::Fp64, "fp64", &["__opencl_c_fp64"], Some("cl_khr_fp64"), Version::V1_0)
    },
    row(Requirement::Fp16, "fp16", &[], Some("cl_khr_fp16"), Version::V1_0),
    RequirementFacts {
        implies_generic: true,
        ..row(Requirement::Pipes, "pipes", &["__opencl_c_pipes"], None, Version::V2_0)
    },
    RequirementFacts {
        implies_generic: true,
        implies_program_scope_globals: true,
        ..row(
            Requirement::DeviceEnqueue,
            "device-enqueue",
            &["__opencl_c_device_enqueue"],
            None,
            Version::V2_0,
        )
    },
    RequirementFacts {
        promoted: Some(Version::V3_0),
        ..row(
            Requirement::Subgroups,
            "subgroups",
            &["__opencl_c_subgroups"],
            Some("cl_khr_subgroups"),
            Version::V2_0,
        )
    },
    row(
        Requirement::WorkGroupFunctions,
        "work-group-functions",
        &["__opencl_c_work_group_collective_functions"],
        None,
        Version::V2_0,
    ),
    row(
        Requirement::SeqCstAtomics,
        "seq-cst-atomics",
        &[
            "__opencl_c_atomic_order_acq_rel",
            "__opencl_c_atomic_order_seq_cst",
            "__opencl_c_atomic_scope_device",
        ],
        None,
        Version::V2_0,
    ),
    row(
        Requirement::AllDevicesScope,
        "all-devices-scope",
        &["__opencl_c_atomic_scope_all_devices"],
        None,
        Version::V2_0,
    ),
    row(
        Requirement::Int64BaseAtomics,
        "int64-base-atomics",
        &[],
        Some("cl_khr_int64_base_atomics"),
        Version::V1_0,
    ),
    row(
        Requirement::Int64ExtendedAtomics,
        "int64-extended-atomics",
        &[],
        Some("cl_khr_int64_extended_atomics"),
        Version::V1_0,
    ),
    RequirementFacts {
        promoted: Some(Version::V1_1),
        ..row(
            Requirement::ByteAddressableStore,
            "byte-addressable-store",
            &[],
            Some("cl_khr_byte_addressable_store"),
            Version::V1_0,
        )
    },
    row(
        Requirement::GenericAddressSpace,
        "generic-address-space",
        &[GENERIC_FEATURE],
        None,
        Version::V1_0,
    ),
    row(
        Requirement::ProgramScopeGlobals,
        "program-scope-globals",
        &[PROGRAM_SCOPE_GLOBALS_FEATURE],
        None,
        Version::V1_0,
    ),
];

impl Requirement {
    /// Returns the row of the requirement in the table.
    pub fn facts(self) -> &'static RequirementFacts {
        &REQUIREMENTS[self as usize]
    }

    /// Returns the extension that a program of this version has to enable first: all are disabled until a `#pragma
    /// OPENCL EXTENSION` says otherwise ([preprocessor-directives-for-optional-extensions]).
    pub fn extension_to_enable(self, version: Version) -> Option<&'static str> {
        let facts = self.facts();
        facts.extension.filter(|_| facts.promoted.is_none_or(|promoted| version < promoted))
    }

    /// Whether `dialect` can have it at all. Versions of SPIR-V say nothing about it: a module may need whatever a device
    /// has.
    pub fn possible_in(self, dialect: Dialect) -> bool {
        if dialect.language == Language::Spirv {
            return true;
        }
        let facts = self.facts();
        let implied = (!facts.implies_generic || dialect.generic)
            && (!facts.implies_program_scope_globals || dialect.program_scope_globals);
        dialect.version >= facts.since && implied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enum() {
        for (index, row) in REQUIREMENTS.iter().enumerate() {
            assert_eq!(row.requirement as usize, index, "{}", row.name);
        }
    }

    #[test]
    fn extensions_are_enabled_until_their_promotion() {
        let enabled = |version| Requirement::Fp64.extension_to_enable(version);
        assert_eq!(enabled(Version::V1_1), Some("cl_khr_fp64"));
        assert_eq!(enabled(Version::V1_2), None);
        assert_eq!(Requirement::Fp16.extension_to_enable(Version::V3_0), Some("cl_khr_fp16"));
        assert_eq!(Requirement::Images.extension_to_enable(Version::V1_0), None);
    }

    #[test]
    fn pipes_need_the_generic_space() {
        let possible = |name| Requirement::Pipes.possible_in(Dialect::from_name(name).unwrap());
        assert!(
            !possible("cl12") && possible("cl20") && !possible("cl30") && possible("cl30-generic")
        );
        assert!(possible("spirv10"));
    }
}
