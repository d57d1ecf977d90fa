//! The names of the built-in types that are identifiers rather than keywords.

use super::{Access, ImageKind, Opaque, Scalar, TypeId, VECTOR_WIDTHS};
use crate::{
    dialect::{Dialect, Feature, Version},
    symbol::{Interner, Symbol},
};

pub(super) const IMAGE_KINDS: [ImageKind; 12] = [
    ImageKind::D1,
    ImageKind::D1Buffer,
    ImageKind::D1Array,
    ImageKind::D2,
    ImageKind::D2Array,
    ImageKind::D2Depth,
    ImageKind::D2ArrayDepth,
    ImageKind::D2Msaa,
    ImageKind::D2ArrayMsaa,
    ImageKind::D2MsaaDepth,
    ImageKind::D2ArrayMsaaDepth,
    ImageKind::D3,
];

pub(super) const OPAQUES: [Opaque; 7] = [
    Opaque::Sampler,
    Opaque::Event,
    Opaque::ClkEvent,
    Opaque::ReserveId,
    Opaque::Queue,
    Opaque::NdRange,
    Opaque::AtomicFlag,
];

/// A built-in type and the dialects that have its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeName {
    pub(crate) id: TypeId,
    since: Version,
    feature: Option<Feature>,
}

impl TypeName {
    pub(crate) fn exists_in(self, dialect: Dialect) -> bool {
        dialect.version >= self.since && self.feature.is_none_or(|feature| dialect.has(feature))
    }
}

/// Built-in type names by symbol, made once per interner.
#[derive(Debug, Default)]
pub(crate) struct PredefinedNames {
    by_symbol: Vec<Option<TypeName>>,
}

const VECTOR_ELEMENTS: [(&str, Scalar); 11] = [
    ("char", Scalar::Char),
    ("uchar", Scalar::UChar),
    ("short", Scalar::Short),
    ("ushort", Scalar::UShort),
    ("int", Scalar::Int),
    ("uint", Scalar::UInt),
    ("long", Scalar::Long),
    ("ulong", Scalar::ULong),
    ("half", Scalar::Half),
    ("float", Scalar::Float),
    ("double", Scalar::Double),
];

const SCALARS: [(&str, Scalar); 12] = [
    ("uchar", Scalar::UChar),
    ("ushort", Scalar::UShort),
    ("uint", Scalar::UInt),
    ("ulong", Scalar::ULong),
    ("size_t", Scalar::Size),
    ("ptrdiff_t", Scalar::PtrDiff),
    ("intptr_t", Scalar::IntPtr),
    ("uintptr_t", Scalar::UIntPtr),
    ("cl_mem_fence_flags", Scalar::UInt),
    ("clk_profiling_info", Scalar::Int),
    ("kernel_enqueue_flags_t", Scalar::Int),
    ("wchar_t", Scalar::Int),
];

const ATOMICS: [(&str, Scalar); 11] = [
    ("atomic_int", Scalar::Int),
    ("atomic_uint", Scalar::UInt),
    ("atomic_long", Scalar::Long),
    ("atomic_ulong", Scalar::ULong),
    ("atomic_float", Scalar::Float),
    ("atomic_double", Scalar::Double),
    ("atomic_half", Scalar::Half),
    ("atomic_intptr_t", Scalar::IntPtr),
    ("atomic_uintptr_t", Scalar::UIntPtr),
    ("atomic_size_t", Scalar::Size),
    ("atomic_ptrdiff_t", Scalar::PtrDiff),
];

const IMAGES: [(&str, ImageKind, Version); 12] = [
    ("image1d_t", ImageKind::D1, Version::V1_2),
    ("image1d_buffer_t", ImageKind::D1Buffer, Version::V1_2),
    ("image1d_array_t", ImageKind::D1Array, Version::V1_2),
    ("image2d_t", ImageKind::D2, Version::V1_0),
    ("image2d_array_t", ImageKind::D2Array, Version::V1_2),
    ("image2d_depth_t", ImageKind::D2Depth, Version::V1_2),
    ("image2d_array_depth_t", ImageKind::D2ArrayDepth, Version::V1_2),
    ("image2d_msaa_t", ImageKind::D2Msaa, Version::V1_2),
    ("image2d_array_msaa_t", ImageKind::D2ArrayMsaa, Version::V1_2),
    ("image2d_msaa_depth_t", ImageKind::D2MsaaDepth, Version::V1_2),
    ("image2d_array_msaa_depth_t", ImageKind::D2ArrayMsaaDepth, Version::V1_2),
    ("image3d_t", ImageKind::D3, Version::V1_0),
];

impl PredefinedNames {
    /// Interns every name.
    pub(crate) fn new(interner: &mut Interner) -> Self {
        let mut names = Self::default();
        let mut add = |name: &str, id, since, feature| {
            let symbol = interner.intern(name).0 as usize;
            if names.by_symbol.len() <= symbol {
                names.by_symbol.resize(symbol + 1, None);
            }
            names.by_symbol[symbol] = Some(TypeName { id, since, feature });
        };
        for (name, scalar) in SCALARS {
            add(name, TypeId::scalar(scalar), Version::V1_0, None);
        }
        for (name, scalar) in VECTOR_ELEMENTS {
            for (index, width) in VECTOR_WIDTHS.into_iter().enumerate() {
                let id = TypeId(super::FIRST_VECTOR + scalar as u32 * 5 + index as u32);
                add(&format!("{name}{width}"), id, Version::V1_0, None);
            }
        }
        for (name, scalar) in ATOMICS {
            add(name, TypeId::atomic(scalar), Version::V2_0, None);
        }
        for name in ["memory_order", "memory_scope"] {
            add(name, TypeId::INT, Version::V2_0, None);
        }
        for (name, kind, since) in IMAGES {
            add(name, TypeId::image(kind, Access::Read), since, None);
        }
        for (name, opaque, since, feature) in [
            ("sampler_t", Opaque::Sampler, Version::V1_0, None),
            ("event_t", Opaque::Event, Version::V1_0, None),
            ("clk_event_t", Opaque::ClkEvent, Version::V2_0, Some(Feature::DeviceEnqueue)),
            ("queue_t", Opaque::Queue, Version::V2_0, Some(Feature::DeviceEnqueue)),
            ("ndrange_t", Opaque::NdRange, Version::V2_0, Some(Feature::DeviceEnqueue)),
            ("reserve_id_t", Opaque::ReserveId, Version::V2_0, Some(Feature::Pipes)),
            ("atomic_flag", Opaque::AtomicFlag, Version::V2_0, None),
        ] {
            add(name, TypeId::opaque(opaque), since, feature);
        }
        names
    }

    pub(crate) fn get(&self, symbol: Symbol) -> Option<TypeName> {
        self.by_symbol.get(symbol.0 as usize).copied().flatten()
    }
}
