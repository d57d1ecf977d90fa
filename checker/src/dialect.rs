//! The language a program is read as: version and optional features.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// A version of `OpenCL` C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// `OpenCL` C 1.0.
    V1_0,
    /// `OpenCL` C 1.1.
    V1_1,
    /// `OpenCL` C 1.2.
    V1_2,
    /// `OpenCL` C 2.0.
    V2_0,
    /// `OpenCL` C 3.0.
    V3_0,
    /// `OpenCL` C 3.1.
    V3_1,
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::V1_0 => "1.0",
            Self::V1_1 => "1.1",
            Self::V1_2 => "1.2",
            Self::V2_0 => "2.0",
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
        })
    }
}

/// A value of `-cl-std` that names no version that the checker reads.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum VersionError {
    /// A version of C++ for `OpenCL`.
    #[error("C++ for OpenCL is not covered: the checker reads OpenCL C")]
    CxxForOpencl,
    /// Not a version of any language that is known here.
    #[error("the versions are CL1.0, CL1.1, CL1.2, CL2.0, CL3.0 and CL3.1")]
    Unknown,
}

impl FromStr for Version {
    type Err = VersionError;

    /// Reads `CL1.2`, the form of the build option `-cl-std`; `cl1.2` and `1.2` too.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        let number = text.strip_prefix("CL").or_else(|| text.strip_prefix("cl")).unwrap_or(text);
        match number {
            "1.0" | "10" => Ok(Self::V1_0),
            "1.1" | "11" => Ok(Self::V1_1),
            "1.2" | "12" => Ok(Self::V1_2),
            "2.0" | "20" => Ok(Self::V2_0),
            "3.0" | "30" => Ok(Self::V3_0),
            "3.1" | "31" => Ok(Self::V3_1),
            _ if number.to_lowercase().starts_with("c++") => Err(VersionError::CxxForOpencl),
            _ => Err(VersionError::Unknown),
        }
    }
}

macro_rules! features {
    ($($variant:ident $name:literal)*) => {
        /// An optional feature of `OpenCL` C 3.0, named as its macro.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "each variant is the macro beside it")]
        pub enum Feature { $($variant),* }

        impl Feature {
            /// Every feature.
            pub const ALL: &'static [Feature] = &[$(Feature::$variant),*];

            /// Returns the feature macro's name.
            pub const fn name(self) -> &'static str {
                match self { $(Feature::$variant => $name),* }
            }
        }
    };
}

features! {
    Images "__opencl_c_images"
    ThreeDImageWrites "__opencl_c_3d_image_writes"
    AtomicOrderAcqRel "__opencl_c_atomic_order_acq_rel"
    AtomicOrderSeqCst "__opencl_c_atomic_order_seq_cst"
    AtomicScopeDevice "__opencl_c_atomic_scope_device"
    AtomicScopeAllDevices "__opencl_c_atomic_scope_all_devices"
    DeviceEnqueue "__opencl_c_device_enqueue"
    GenericAddressSpace "__opencl_c_generic_address_space"
    Fp64 "__opencl_c_fp64"
    Int64 "__opencl_c_int64"
    Pipes "__opencl_c_pipes"
    ProgramScopeGlobalVariables "__opencl_c_program_scope_global_variables"
    ReadWriteImages "__opencl_c_read_write_images"
    Subgroups "__opencl_c_subgroups"
    WorkGroupCollectiveFunctions "__opencl_c_work_group_collective_functions"
}

impl Feature {
    /// Returns the features that a language with this one must have too [features].
    pub const fn needs(self) -> &'static [Feature] {
        match self {
            Self::ThreeDImageWrites | Self::ReadWriteImages => &[Self::Images],
            Self::Pipes => &[Self::GenericAddressSpace],
            Self::DeviceEnqueue => &[Self::GenericAddressSpace, Self::ProgramScopeGlobalVariables],
            _ => &[],
        }
    }

    /// Returns the feature of that name, with or without `__opencl_c_`.
    pub fn from_name(name: &str) -> Option<Self> {
        let matches = |feature: &Self| {
            feature.name() == name || feature.name().strip_prefix("__opencl_c_") == Some(name)
        };
        Self::ALL.iter().copied().find(matches)
    }
}

/// Version, features (meaningful for 3.0 and newer; [`Dialect::has`] answers for every version) and extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// Version of the language.
    pub version: Version,
    features: u32,
    /// `cl_khr_fp16`: half is an arithmetic type.
    pub fp16: bool,
    /// `cl_khr_byte_addressable_store`: `OpenCL` C 1.0 may store objects smaller than 32 bits.
    pub byte_store: bool,
}

impl Dialect {
    /// Returns the dialect of `version` with every optional feature.
    pub const fn new(version: Version) -> Self {
        Self { version, features: u32::MAX, fp16: true, byte_store: true }
    }

    /// Returns the same dialect without any optional feature or extension.
    #[must_use]
    pub const fn without_features(self) -> Self {
        Self { features: 0, fp16: false, byte_store: false, ..self }
    }

    /// Returns the same dialect with `cl_khr_fp16`.
    #[must_use]
    pub const fn with_fp16(self) -> Self {
        Self { fp16: true, ..self }
    }

    /// Returns the same dialect without `cl_khr_fp16`.
    #[must_use]
    pub const fn without_fp16(self) -> Self {
        Self { fp16: false, ..self }
    }

    /// Returns the same dialect with `feature`.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Self { features: self.features | 1 << feature as u8, ..self }
    }

    /// Returns the same dialect without `feature`.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self { features: self.features & !(1 << feature as u8), ..self }
    }

    /// Returns the same dialect with `feature` and the features that it needs.
    #[must_use]
    pub fn with_needs_of(self, feature: Feature) -> Self {
        feature.needs().iter().fold(self.with(feature), |dialect, &needed| dialect.with(needed))
    }

    /// Returns the same dialect without `feature` and the features that need it.
    #[must_use]
    pub fn without_dependents_of(self, feature: Feature) -> Self {
        let dependents = Feature::ALL.iter().filter(|other| other.needs().contains(&feature));
        dependents.fold(self.without(feature), |dialect, &dependent| dialect.without(dependent))
    }

    /// Whether the language has `feature`: a part of 2.0, optional from 3.0 on, absent before 2.0
    /// (images, fp64 and int64 excepted, which older versions have in their own way).
    pub const fn has(self, feature: Feature) -> bool {
        match self.version {
            Version::V3_0 | Version::V3_1 => self.features & (1 << feature as u8) != 0,
            Version::V2_0 => true,
            Version::V1_0 | Version::V1_1 | Version::V1_2 => {
                matches!(feature, Feature::Images | Feature::Fp64 | Feature::Int64)
            }
        }
    }

    /// Whether unqualified pointers point to the generic address space.
    pub const fn generic_space(self) -> bool {
        self.has(Feature::GenericAddressSpace)
    }

    /// Whether variables of static storage duration may be in global.
    pub const fn program_scope_globals(self) -> bool {
        self.has(Feature::ProgramScopeGlobalVariables)
    }

    /// Whether objects smaller than 32 bits may be stored through pointers.
    pub const fn byte_addressable_store(self) -> bool {
        self.byte_store || !matches!(self.version, Version::V1_0)
    }
}

impl fmt::Display for Dialect {
    /// Writes `CL3.0` and the features that are absent or present.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.version;
        if version < Version::V3_0 {
            let half = (!self.fp16).then_some("cl_khr_fp16");
            let bytes = (!self.byte_addressable_store()).then_some("cl_khr_byte_addressable_store");
            let lacks: Vec<_> = half.into_iter().chain(bytes).collect();
            let without = if lacks.is_empty() { "" } else { " without " };
            return write!(formatter, "CL{version}{without}{}", lacks.join(" and "));
        }
        let (has, lacks): (Vec<_>, Vec<_>) =
            Feature::ALL.iter().copied().partition(|&feature| self.has(feature));
        let mut has: Vec<_> = has.into_iter().map(Feature::name).collect();
        let mut lacks: Vec<_> = lacks.into_iter().map(Feature::name).collect();
        if self.fp16 {
            has.push("cl_khr_fp16");
        } else {
            lacks.push("cl_khr_fp16");
        }
        if lacks.is_empty() {
            write!(formatter, "CL{version}")
        } else if has.is_empty() {
            write!(formatter, "CL{version} without features")
        } else if lacks.len() <= has.len() {
            write!(formatter, "CL{version} without {}", lacks.join(", "))
        } else {
            write!(formatter, "CL{version} with {} only", has.join(", "))
        }
    }
}
