//! The macros that tell a program its dialect: version, features, extensions, device.
//!
//! Constants of the library ([`crate::builtins::macros`]) are defined beside these.

use std::fmt::Write as _;

use crate::builtins;
use crate::dialect::{Dialect, Feature, Version};

/// An extension macro: its name, the versions that have it, the feature it needs.
struct Extension {
    name: &'static str,
    since: Version,
    needs: Option<Feature>,
}

const fn extension(name: &'static str, since: Version, needs: Option<Feature>) -> Extension {
    Extension { name, since, needs }
}

/// The extensions that devices commonly have. `cl_khr_fp16` and `cl_khr_byte_addressable_store` are a matter of the
/// dialect.
const EXTENSIONS: &[Extension] = &[
    extension("cl_khr_global_int32_base_atomics", Version::V1_0, None),
    extension("cl_khr_global_int32_extended_atomics", Version::V1_0, None),
    extension("cl_khr_local_int32_base_atomics", Version::V1_0, None),
    extension("cl_khr_local_int32_extended_atomics", Version::V1_0, None),
    extension("cl_khr_int64_base_atomics", Version::V1_0, Some(Feature::Int64)),
    extension("cl_khr_int64_extended_atomics", Version::V1_0, Some(Feature::Int64)),
    extension("cl_khr_fp64", Version::V1_0, Some(Feature::Fp64)),
    extension("cl_khr_3d_image_writes", Version::V1_0, Some(Feature::Images)),
    extension("cl_khr_gl_sharing", Version::V1_0, None),
    extension("cl_khr_depth_images", Version::V1_2, Some(Feature::Images)),
    extension("cl_khr_gl_depth_images", Version::V1_2, Some(Feature::Images)),
    extension("cl_khr_gl_msaa_sharing", Version::V1_2, Some(Feature::Images)),
    extension("cl_khr_image2d_from_buffer", Version::V1_2, Some(Feature::Images)),
    extension("cl_khr_mipmap_image", Version::V2_0, Some(Feature::Images)),
    extension("cl_khr_mipmap_image_writes", Version::V2_0, Some(Feature::Images)),
    extension("cl_khr_srgb_image_writes", Version::V2_0, Some(Feature::Images)),
    extension("cl_khr_subgroups", Version::V2_0, Some(Feature::Subgroups)),
    extension("cl_khr_extended_bit_ops", Version::V3_0, None),
    extension("cl_khr_subgroup_ballot", Version::V3_0, Some(Feature::Subgroups)),
    extension("cl_khr_subgroup_clustered_reduce", Version::V3_0, Some(Feature::Subgroups)),
    extension("cl_khr_subgroup_extended_types", Version::V3_0, Some(Feature::Subgroups)),
    extension("cl_khr_subgroup_non_uniform_arithmetic", Version::V3_0, Some(Feature::Subgroups)),
    extension("cl_khr_subgroup_non_uniform_vote", Version::V3_0, Some(Feature::Subgroups)),
    extension("cl_khr_subgroup_rotate", Version::V3_0, Some(Feature::Subgroups)),
    extension("cl_khr_subgroup_shuffle", Version::V3_0, Some(Feature::Subgroups)),
    extension("cl_khr_subgroup_shuffle_relative", Version::V3_0, Some(Feature::Subgroups)),
];

/// `CL_VERSION_*`: name, value and the first version that has it.
const VERSIONS: &[(&str, &str, Version)] = &[
    ("CL_VERSION_1_0", "100", Version::V1_1),
    ("CL_VERSION_1_1", "110", Version::V1_1),
    ("CL_VERSION_1_2", "120", Version::V1_2),
    ("CL_VERSION_2_0", "200", Version::V2_0),
    ("CL_VERSION_3_0", "300", Version::V3_0),
    ("CL_VERSION_3_1", "310", Version::V3_1),
];

/// The macros of every dialect.
const ALWAYS: &[(&str, &str)] = &[
    ("__STDC__", "1"),
    ("__STDC_VERSION__", "199901L"),
    // A reproducible build has no date.
    ("__DATE__", "\"Jan  1 1970\""),
    ("__TIME__", "\"00:00:00\""),
    // The device is newer than any program; `-D` and `-U` change it.
    ("__OPENCL_VERSION__", "310"),
    ("__ENDIAN_LITTLE__", "1"),
    (
        "__kernel_exec(X, typen)",
        "__kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))",
    ),
    ("kernel_exec(X, typen)", "__kernel_exec(X, typen)"),
    ("true", "1"),
    ("false", "0"),
];

/// Returns the lines that define the predefined macros of `dialect` [preprocessor-directives-and-macros].
pub(super) fn definitions(dialect: Dialect) -> String {
    let mut lines = String::new();
    let mut define = |name: &str, value: &str| {
        writeln!(lines, "#define {name} {value}").expect("a string takes everything");
    };
    for (name, value) in ALWAYS {
        define(name, value);
    }
    match dialect.version {
        Version::V1_0 => define("__ROUNDING_MODE__", "rte"),
        Version::V1_1 => {}
        Version::V1_2 => define("__OPENCL_C_VERSION__", "120"),
        Version::V2_0 => define("__OPENCL_C_VERSION__", "200"),
        Version::V3_0 => define("__OPENCL_C_VERSION__", "300"),
        Version::V3_1 => define("__OPENCL_C_VERSION__", "310"),
    }
    for &(name, value, since) in VERSIONS {
        if dialect.version >= since {
            define(name, value);
        }
    }
    if dialect.has(Feature::Images) {
        define("__IMAGE_SUPPORT__", "1");
    }
    // Feature macros before 3.0 are allowed but not required, and promise nothing [features].
    if dialect.version >= Version::V3_0 {
        for &feature in Feature::ALL.iter().filter(|&&feature| dialect.has(feature)) {
            define(feature.name(), "1");
        }
    }
    for extension in EXTENSIONS {
        let supported = extension.needs.is_none_or(|feature| dialect.has(feature));
        if supported && dialect.version >= extension.since {
            define(extension.name, "1");
        }
    }
    if dialect.fp16 {
        define("cl_khr_fp16", "1");
    }
    if dialect.byte_addressable_store() {
        define("cl_khr_byte_addressable_store", "1");
    }
    for (name, value) in builtins::macros(dialect) {
        define(name, value);
    }
    lines
}
