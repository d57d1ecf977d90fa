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

/// Warning about a pragma of `OPENCL` that no text has.
const UNKNOWN_KIND: &str = "`#pragma OPENCL` is followed by `EXTENSION` or `FP_CONTRACT`";

/// A word of a pragma.
#[derive(Clone, Copy)]
struct Word<'p> {
    text: &'p str,
    span: Span,
}

impl<'p> Word<'p> {
    /// Returns `word` of the pragma `text` at `whole`, with its place if the text stands there as it is.
    fn new(word: &'p str, text: &'p str, whole: Span) -> Self {
        if (whole.end - whole.start) as usize != text.len() {
            return Self { text: word, span: whole };
        }
        let start = whole.start + (word.as_ptr() as usize - text.as_ptr() as usize) as u32;
        Self { text: word, span: Span::new(start, start + word.len() as u32) }
    }
}

impl Analyser<'_> {
    /// Obeys the words after `#pragma`. Those that are not of `OpenCL` are for implementations.
    pub(super) fn read_pragma(&mut self, text: &str, span: Span) {
        let words = text.split(|c: char| c.is_whitespace() || c == ':');
        let mut words =
            words.filter(|word| !word.is_empty()).map(|word| Word::new(word, text, span));
        let Some(first) = words.next().filter(|word| word.text == "OPENCL") else { return };
        let Some(kind) = words.next() else {
            return self.warn(first.span, UNKNOWN_KIND);
        };
        let (value, further) = (words.next(), words.next());
        match kind.text {
            "EXTENSION" => match (value, further) {
                (Some(name), Some(behavior)) => {
                    self.judge_extension(name, behavior);
                    self.set_extension(name.text, matches!(behavior.text, "enable" | "require"));
                }
                (name, _) => {
                    let last = name.map_or(kind.span, |name| name.span);
                    self.warn(last, "this pragma needs the name of an extension and `: enable`");
                }
            },
            "FP_CONTRACT" => self.judge_contraction(value.unwrap_or(kind), further),
            "SELECT_ROUNDING_MODE" => {}
            _ => self.warn(kind.span, UNKNOWN_KIND),
        }
    }

    /// Judges the words behind `FP_CONTRACT`.
    fn judge_contraction(&mut self, value: Word<'_>, further: Option<Word<'_>>) {
        let is_known = matches!(value.text, "ON" | "OFF" | "DEFAULT");
        let wrong = if is_known { further } else { Some(value) };
        if let Some(wrong) = wrong {
            self.warn(wrong.span, "`FP_CONTRACT` takes `ON`, `OFF` or `DEFAULT`");
        }
    }

    fn judge_extension(&mut self, name: Word<'_>, behavior: Word<'_>) {
        let (Word { text: name, span }, Word { text: behavior, span: behavior_span }) =
            (name, behavior);
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
                behavior_span,
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
