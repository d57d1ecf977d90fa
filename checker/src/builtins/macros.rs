//! Constants that the language defines as macros, besides those of the version, the features and the extensions.

use super::gate::Gate;
use crate::dialect::{Dialect, Feature, Version};

const V2_0: Gate = Gate::since(Version::V2_0);
const IMAGES: Gate = Gate::ALWAYS.with(Feature::Images);
const FP64: Gate = Gate::ALWAYS.with(Feature::Fp64);
const ENQUEUE: Gate = V2_0.with(Feature::DeviceEnqueue);

/// The macros of one clause, what has them, and their replacement texts.
struct Group {
    gate: Gate,
    macros: &'static [(&'static str, &'static str)],
}

const GROUPS: &[Group] = &[
    // [floating-point-macros-and-pragmas]
    Group {
        gate: Gate::ALWAYS,
        macros: &[
            ("FLT_DIG", "6"),
            ("FLT_MANT_DIG", "24"),
            ("FLT_MAX_10_EXP", "+38"),
            ("FLT_MAX_EXP", "+128"),
            ("FLT_MIN_10_EXP", "-37"),
            ("FLT_MIN_EXP", "-125"),
            ("FLT_RADIX", "2"),
            ("FLT_MAX", "0x1.fffffep127f"),
            ("FLT_MIN", "0x1.0p-126f"),
            ("FLT_EPSILON", "0x1.0p-23f"),
            ("FP_ILOGB0", "(-2147483647 - 1)"),
            ("FP_ILOGBNAN", "2147483647"),
            ("MAXFLOAT", "0x1.fffffep127f"),
            ("HUGE_VALF", "(1.0f / 0.0f)"),
            ("INFINITY", "(1.0f / 0.0f)"),
            ("NAN", "(0.0f / 0.0f)"),
            ("M_E_F", "2.71828182845904523536028747135266250f"),
            ("M_LOG2E_F", "1.44269504088896340735992468100189214f"),
            ("M_LOG10E_F", "0.434294481903251827651128918916605082f"),
            ("M_LN2_F", "0.693147180559945309417232121458176568f"),
            ("M_LN10_F", "2.30258509299404568401799145468436421f"),
            ("M_PI_F", "3.14159265358979323846264338327950288f"),
            ("M_PI_2_F", "1.57079632679489661923132169163975144f"),
            ("M_PI_4_F", "0.785398163397448309615660845819875721f"),
            ("M_1_PI_F", "0.318309886183790671537767526745028724f"),
            ("M_2_PI_F", "0.636619772367581343075535053490057448f"),
            ("M_2_SQRTPI_F", "1.12837916709551257389615890312154517f"),
            ("M_SQRT2_F", "1.41421356237309504880168872420969808f"),
            ("M_SQRT1_2_F", "0.707106781186547524400844362104849039f"),
        ],
    },
    Group {
        gate: FP64,
        macros: &[
            ("DBL_DIG", "15"),
            ("DBL_MANT_DIG", "53"),
            ("DBL_MAX_10_EXP", "+308"),
            ("DBL_MAX_EXP", "+1024"),
            ("DBL_MIN_10_EXP", "-307"),
            ("DBL_MIN_EXP", "-1021"),
            ("DBL_MAX", "0x1.fffffffffffffp1023"),
            ("DBL_MIN", "0x1.0p-1022"),
            ("DBL_EPSILON", "0x1.0p-52"),
            ("HUGE_VAL", "(1.0 / 0.0)"),
            ("M_E", "2.71828182845904523536028747135266250"),
            ("M_LOG2E", "1.44269504088896340735992468100189214"),
            ("M_LOG10E", "0.434294481903251827651128918916605082"),
            ("M_LN2", "0.693147180559945309417232121458176568"),
            ("M_LN10", "2.30258509299404568401799145468436421"),
            ("M_PI", "3.14159265358979323846264338327950288"),
            ("M_PI_2", "1.57079632679489661923132169163975144"),
            ("M_PI_4", "0.785398163397448309615660845819875721"),
            ("M_1_PI", "0.318309886183790671537767526745028724"),
            ("M_2_PI", "0.636619772367581343075535053490057448"),
            ("M_2_SQRTPI", "1.12837916709551257389615890312154517"),
            ("M_SQRT2", "1.41421356237309504880168872420969808"),
            ("M_SQRT1_2", "0.707106781186547524400844362104849039"),
        ],
    },
    // [integer-macros]
    Group {
        gate: Gate::ALWAYS,
        macros: &[
            ("CHAR_BIT", "8"),
            ("CHAR_MAX", "SCHAR_MAX"),
            ("CHAR_MIN", "SCHAR_MIN"),
            ("INT_MAX", "2147483647"),
            ("INT_MIN", "(-2147483647 - 1)"),
            ("LONG_MAX", "0x7fffffffffffffffL"),
            ("LONG_MIN", "(-0x7fffffffffffffffL - 1)"),
            ("SCHAR_MAX", "127"),
            ("SCHAR_MIN", "(-127 - 1)"),
            ("SHRT_MAX", "32767"),
            ("SHRT_MIN", "(-32767 - 1)"),
            ("UCHAR_MAX", "255"),
            ("USHRT_MAX", "65535"),
            ("UINT_MAX", "0xffffffff"),
            ("ULONG_MAX", "0xffffffffffffffffUL"),
        ],
    },
    // [synchronization-functions]; the image flag is used with every kind of barrier once images can be written
    Group {
        gate: Gate::ALWAYS,
        macros: &[
            ("CLK_LOCAL_MEM_FENCE", "0x01"),
            ("CLK_GLOBAL_MEM_FENCE", "0x02"),
            ("NULL", "((void*)0)"),
        ],
    },
    Group { gate: V2_0, macros: &[("CLK_IMAGE_MEM_FENCE", "0x04")] },
    // [samplers]
    Group {
        gate: IMAGES,
        macros: &[
            ("CLK_NORMALIZED_COORDS_FALSE", "0x00"),
            ("CLK_NORMALIZED_COORDS_TRUE", "0x01"),
            ("CLK_ADDRESS_NONE", "0x00"),
            ("CLK_ADDRESS_CLAMP_TO_EDGE", "0x02"),
            ("CLK_ADDRESS_CLAMP", "0x04"),
            ("CLK_ADDRESS_REPEAT", "0x06"),
            ("CLK_ADDRESS_MIRRORED_REPEAT", "0x08"),
            ("CLK_FILTER_NEAREST", "0x10"),
            ("CLK_FILTER_LINEAR", "0x20"),
        ],
    },
    // [built-in-image-query-functions]
    Group {
        gate: IMAGES,
        macros: &[
            ("CLK_SNORM_INT8", "0x10D0"),
            ("CLK_SNORM_INT16", "0x10D1"),
            ("CLK_UNORM_INT8", "0x10D2"),
            ("CLK_UNORM_INT16", "0x10D3"),
            ("CLK_UNORM_SHORT_565", "0x10D4"),
            ("CLK_UNORM_SHORT_555", "0x10D5"),
            ("CLK_UNORM_INT_101010", "0x10D6"),
            ("CLK_SIGNED_INT8", "0x10D7"),
            ("CLK_SIGNED_INT16", "0x10D8"),
            ("CLK_SIGNED_INT32", "0x10D9"),
            ("CLK_UNSIGNED_INT8", "0x10DA"),
            ("CLK_UNSIGNED_INT16", "0x10DB"),
            ("CLK_UNSIGNED_INT32", "0x10DC"),
            ("CLK_HALF_FLOAT", "0x10DD"),
            ("CLK_FLOAT", "0x10DE"),
            ("CLK_UNORM_INT24", "0x10DF"),
            ("CLK_R", "0x10B0"),
            ("CLK_A", "0x10B1"),
            ("CLK_RG", "0x10B2"),
            ("CLK_RA", "0x10B3"),
            ("CLK_RGB", "0x10B4"),
            ("CLK_RGBA", "0x10B5"),
            ("CLK_BGRA", "0x10B6"),
            ("CLK_ARGB", "0x10B7"),
            ("CLK_INTENSITY", "0x10B8"),
            ("CLK_LUMINANCE", "0x10B9"),
            ("CLK_DEPTH", "0x10BD"),
            ("CLK_DEPTH_STENCIL", "0x10BE"),
        ],
    },
    Group {
        gate: Gate::since(Version::V1_1).with(Feature::Images),
        macros: &[("CLK_Rx", "0x10BA"), ("CLK_RGx", "0x10BB"), ("CLK_RGBx", "0x10BC")],
    },
    Group {
        gate: V2_0.with(Feature::Images),
        macros: &[
            ("CLK_sRGB", "0x10BF"),
            ("CLK_sRGBx", "0x10C0"),
            ("CLK_sRGBA", "0x10C1"),
            ("CLK_sBGRA", "0x10C2"),
            ("CLK_ABGR", "0x10C3"),
        ],
    },
    Group {
        gate: Gate::since(Version::V3_0).with(Feature::Images),
        macros: &[
            ("CLK_UNORM_INT_101010_2", "0x10E0"),
            ("CLK_UNSIGNED_INT10X6_EXT", "0x10E1"),
            ("CLK_UNSIGNED_INT12X4_EXT", "0x10E2"),
            ("CLK_UNSIGNED_INT14X2_EXT", "0x10E3"),
            ("CLK_UNORM_10X6_EXT", "0x10E4"),
            ("CLK_UNORM_12X4_EXT", "0x10E5"),
            ("CLK_UNORM_14X2_EXT", "0x10E6"),
            ("CLK_UNORM_INT10X6_EXT", "0x10E4"),
            ("CLK_UNORM_INT12X4_EXT", "0x10E5"),
            ("CLK_UNORM_INT14X2_EXT", "0x10E6"),
            ("CLK_UNORM_INT_2_101010_EXT", "0x10E7"),
        ],
    },
    // [atomic-functions]
    Group {
        gate: V2_0,
        macros: &[
            ("ATOMIC_VAR_INIT(value)", "__atomic_var_init(value)"),
            ("ATOMIC_FLAG_INIT", "__atomic_flag_init"),
        ],
    },
    // [pipe-functions]
    Group {
        gate: V2_0.with(Feature::Pipes),
        macros: &[("CLK_NULL_RESERVE_ID", "((reserve_id_t)0)")],
    },
    // [enqueuing-kernels]
    Group {
        gate: ENQUEUE,
        macros: &[
            ("CLK_NULL_EVENT", "((clk_event_t)0)"),
            ("CLK_NULL_QUEUE", "((queue_t)0)"),
            ("CLK_ENQUEUE_FLAGS_NO_WAIT", "0x0"),
            ("CLK_ENQUEUE_FLAGS_WAIT_KERNEL", "0x1"),
            ("CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP", "0x2"),
            ("CLK_PROFILING_COMMAND_EXEC_TIME", "0x1"),
            ("CLK_SUCCESS", "0"),
            ("CLK_ENQUEUE_FAILURE", "-101"),
            ("CLK_INVALID_QUEUE", "-102"),
            ("CLK_INVALID_NDRANGE", "-160"),
            ("CLK_INVALID_EVENT_WAIT_LIST", "-57"),
            ("CLK_DEVICE_QUEUE_FULL", "-161"),
            ("CLK_INVALID_ARG_SIZE", "-51"),
            ("CLK_EVENT_ALLOCATION_FAILURE", "-100"),
            ("CLK_OUT_OF_RESOURCES", "-5"),
            ("CL_COMPLETE", "0x0"),
            ("CL_RUNNING", "0x1"),
            ("CL_SUBMITTED", "0x2"),
            ("CL_QUEUED", "0x3"),
        ],
    },
];

/// Macros of half precision [floating-point-macros-and-pragmas].
const HALF: &[(&str, &str)] = &[
    ("HALF_DIG", "3"),
    ("HALF_MANT_DIG", "11"),
    ("HALF_MAX_10_EXP", "+4"),
    ("HALF_MAX_EXP", "+16"),
    ("HALF_MIN_10_EXP", "-4"),
    ("HALF_MIN_EXP", "-13"),
    ("HALF_RADIX", "2"),
    ("HALF_MAX", "0x1.ffcp15h"),
    ("HALF_MIN", "0x1.0p-14h"),
    ("HALF_EPSILON", "0x1.0p-10h"),
    ("M_E_H", "2.71828182845904523536028747135266250h"),
    ("M_LOG2E_H", "1.44269504088896340735992468100189214h"),
    ("M_LOG10E_H", "0.434294481903251827651128918916605082h"),
    ("M_LN2_H", "0.693147180559945309417232121458176568h"),
    ("M_LN10_H", "2.30258509299404568401799145468436421h"),
    ("M_PI_H", "3.14159265358979323846264338327950288h"),
    ("M_PI_2_H", "1.57079632679489661923132169163975144h"),
    ("M_PI_4_H", "0.785398163397448309615660845819875721h"),
    ("M_1_PI_H", "0.318309886183790671537767526745028724h"),
    ("M_2_PI_H", "0.636619772367581343075535053490057448h"),
    ("M_2_SQRTPI_H", "1.12837916709551257389615890312154517h"),
    ("M_SQRT2_H", "1.41421356237309504880168872420969808h"),
    ("M_SQRT1_2_H", "0.707106781186547524400844362104849039h"),
];

/// Returns the constants that `dialect` defines as macros: name and replacement text, as in a `#define` directive, the
/// name followed by its parameters where it has any.
pub fn macros(dialect: Dialect) -> impl Iterator<Item = (&'static str, &'static str)> {
    let groups = GROUPS.iter().filter(move |group| group.gate.admits(dialect));
    let half = if dialect.fp16 { HALF } else { &[] };
    groups.flat_map(|group| group.macros).chain(half).copied()
}
