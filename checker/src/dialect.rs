//! The language a program is read as: version and optional features.

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

            /// The feature macro's name.
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

/// Version, features (meaningful for 3.0 and newer; [`Dialect::has`] answers for every version) and extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// The version.
    pub version: Version,
    features: u32,
    /// `cl_khr_fp16`: half is an arithmetic type.
    pub fp16: bool,
}

impl Dialect {
    /// `version` with every optional feature.
    pub const fn new(version: Version) -> Self {
        Self { version, features: u32::MAX, fp16: true }
    }

    /// The same without any optional feature or extension.
    #[must_use]
    pub const fn without_features(self) -> Self {
        Self { features: 0, fp16: false, ..self }
    }

    /// The same with `feature`.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Self { features: self.features | 1 << feature as u8, ..self }
    }

    /// The same without `feature`.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self { features: self.features & !(1 << feature as u8), ..self }
    }

    /// Whether the language has `feature`: a part of 2.0, optional in 3.0, absent before 2.0
    /// (images, fp64 and int64 excepted, which older versions have in their own way).
    pub const fn has(self, feature: Feature) -> bool {
        match self.version {
            Version::V3_0 => self.features & (1 << feature as u8) != 0,
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
}
