//! `#pragma OPENCL`: extensions and contraction.

use crate::{
    nearest::nearest,
    sema::{analyser::Analyser, calls::VENDORS},
    span::Span,
};

/// The extensions of the language that Khronos has named, and those of no vendor.
const EXTENSIONS: &[&str] = &[
    "all",
    "cl_clang_bitfields",
    "cl_clang_function_pointers",
    "cl_clang_non_portable_kernel_param_types",
    "cl_clang_storage_class_specifiers",
    "cl_clang_variadic_functions",
    "cl_ext_atomic_counters_32",
    "cl_ext_atomic_counters_64",
    "cl_ext_cxx_for_opencl",
    "cl_ext_device_fission",
    "cl_ext_float_atomics",
    "cl_ext_image_raw10_raw12",
    "cl_ext_image_requirements_info",
    "cl_ext_image_unorm_int_2_101010",
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_d3d10_sharing",
    "cl_khr_d3d11_sharing",
    "cl_khr_depth_images",
    "cl_khr_device_enqueue_local_arg_types",
    "cl_khr_dx9_media_sharing",
    "cl_khr_egl_event",
    "cl_khr_egl_image",
    "cl_khr_expect_assume",
    "cl_khr_extended_async_copies",
    "cl_khr_extended_bit_ops",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_gl_depth_images",
    "cl_khr_gl_event",
    "cl_khr_gl_msaa_sharing",
    "cl_khr_gl_sharing",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_icd",
    "cl_khr_image2d_from_buffer",
    "cl_khr_initialize_memory",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_priority_hints",
    "cl_khr_select_fprounding_mode",
    "cl_khr_spir",
    "cl_khr_srgb_image_writes",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_named_barrier",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroups",
    "cl_khr_terminate_context",
    "cl_khr_throttle_hints",
    "cl_khr_work_group_uniform_arithmetic",
];

/// The words after the name of an extension; clang has the last two.
const BEHAVIORS: [&str; 4] = ["enable", "disable", "begin", "end"];

impl Analyser<'_> {
    /// Obeys the words after `#pragma`. Those that are not of `OpenCL` are for implementations.
    pub(super) fn read_pragma(&mut self, text: &str, span: Span) {
        let words = text.split(|c: char| c.is_whitespace() || c == ':');
        let mut words = words.filter(|word| !word.is_empty());
        if words.next() != Some("OPENCL") {
            return;
        }
        match (words.next(), words.next(), words.next()) {
            (Some("EXTENSION"), Some(name), Some(behavior)) => {
                self.judge_extension(name, behavior, span);
                self.set_extension(name, matches!(behavior, "enable" | "require"));
            }
            (Some("EXTENSION"), ..) => {
                self.warn(span, "this pragma needs the name of an extension and `: enable`");
            }
            (Some("FP_CONTRACT"), Some("ON" | "OFF" | "DEFAULT"), None)
            | (Some("SELECT_ROUNDING_MODE"), ..) => {}
            (Some("FP_CONTRACT"), ..) => {
                self.warn(span, "`FP_CONTRACT` takes `ON`, `OFF` or `DEFAULT`");
            }
            _ => self.warn(span, "`#pragma OPENCL` is followed by `EXTENSION` or `FP_CONTRACT`"),
        }
    }

    fn judge_extension(&mut self, name: &str, behavior: &str, span: Span) {
        let vendor = name.strip_prefix("cl_").and_then(|rest| rest.split('_').next());
        let is_of_vendor =
            vendor.is_some_and(|vendor| vendor != "khr" && VENDORS.contains(&vendor));
        if !EXTENSIONS.contains(&name) && !is_of_vendor {
            let meant = nearest(name, EXTENSIONS.iter().copied());
            let meant = meant.map_or(String::new(), |meant| format!(": did you mean `{meant}`?"));
            self.warn(span, format!("no extension `{name}` is known{meant}"));
        }
        // Older programs have `require`, which GLSL knows.
        if !BEHAVIORS.contains(&behavior) && behavior != "require" {
            self.warn(
                span,
                format!("an extension is switched by `enable` or `disable`, not by `{behavior}`"),
            );
        }
    }

    fn set_extension(&mut self, name: &str, is_enabled: bool) {
        if matches!(name, "cl_khr_fp16" | "all") {
            self.extensions.half_arithmetic = is_enabled && self.dialect.fp16;
        }
        if matches!(name, "cl_khr_byte_addressable_store" | "all") {
            self.extensions.byte_stores = is_enabled || self.dialect.byte_addressable_store();
        }
    }
}
