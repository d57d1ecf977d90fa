//! Built-in types that are not keywords, and enumeration constants.

use super::{
    gate::Gate,
    shape::{ImageKind, Scalar},
};
use crate::dialect::{Feature, Version};

/// The meaning of a built-in type name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedType {
    /// Another name of an arithmetic type.
    Scalar(Scalar),
    /// A vector type, such as `float4`, by its element type and length.
    Vector(Scalar, u8),
    /// Image of one of the kinds, such as `image2d_t`.
    Image(ImageKind),
    /// `sampler_t`.
    Sampler,
    /// `event_t`.
    Event,
    /// `clk_event_t`.
    ClkEvent,
    /// `queue_t`.
    Queue,
    /// `ndrange_t`.
    NdRange,
    /// `reserve_id_t`.
    ReserveId,
    /// `cl_mem_fence_flags`, an unsigned bit-field.
    FenceFlags,
    /// `memory_order`, an enumeration.
    MemoryOrder,
    /// `memory_scope`, an enumeration.
    MemoryScope,
    /// `kernel_enqueue_flags_t`, an enumeration.
    EnqueueFlags,
    /// `clk_profiling_info`, an enumeration.
    ProfilingInfo,
    /// The atomic form of an arithmetic type.
    Atomic(Scalar),
    /// `atomic_flag`, which is not the atomic form of an arithmetic type.
    AtomicFlag,
}

const V1_1: Gate = Gate::since(Version::V1_1);
const V1_2: Gate = Gate::since(Version::V1_2);
const V2_0: Gate = Gate::since(Version::V2_0);
const IMAGES: Gate = Gate::ALWAYS.with(Feature::Images);
const IMAGES_1_2: Gate = V1_2.with(Feature::Images);
const ENQUEUE: Gate = V2_0.with(Feature::DeviceEnqueue);

macro_rules! types {
    (vectors: $($scalar:ident $base:literal)*; others: $($name:literal $kind:expr, $gate:expr;)*) => {
        const TYPES: &[(&str, NamedType, Gate)] = &[
            $(
                (concat!($base, "2"), NamedType::Vector(Scalar::$scalar, 2), Gate::ALWAYS),
                (concat!($base, "3"), NamedType::Vector(Scalar::$scalar, 3), V1_1),
                (concat!($base, "4"), NamedType::Vector(Scalar::$scalar, 4), Gate::ALWAYS),
                (concat!($base, "8"), NamedType::Vector(Scalar::$scalar, 8), Gate::ALWAYS),
                (concat!($base, "16"), NamedType::Vector(Scalar::$scalar, 16), Gate::ALWAYS),
            )*
            $(($name, $kind, $gate),)*
        ];
    };
}

types! {
    vectors:
        Char "char" UChar "uchar" Short "short" UShort "ushort" Int "int" UInt "uint" Long "long" ULong "ulong"
        Half "half" Float "float" Double "double";
    others:
        "uchar" NamedType::Scalar(Scalar::UChar), Gate::ALWAYS;
        "ushort" NamedType::Scalar(Scalar::UShort), Gate::ALWAYS;
        "uint" NamedType::Scalar(Scalar::UInt), Gate::ALWAYS;
        "ulong" NamedType::Scalar(Scalar::ULong), Gate::ALWAYS;
        "size_t" NamedType::Scalar(Scalar::ULong), Gate::ALWAYS;
        "ptrdiff_t" NamedType::Scalar(Scalar::Long), Gate::ALWAYS;
        "intptr_t" NamedType::Scalar(Scalar::Long), Gate::ALWAYS;
        "uintptr_t" NamedType::Scalar(Scalar::ULong), Gate::ALWAYS;
        "image2d_t" NamedType::Image(ImageKind::Image2d), IMAGES;
        "image3d_t" NamedType::Image(ImageKind::Image3d), IMAGES;
        "image2d_array_t" NamedType::Image(ImageKind::Image2dArray), IMAGES_1_2;
        "image1d_t" NamedType::Image(ImageKind::Image1d), IMAGES_1_2;
        "image1d_buffer_t" NamedType::Image(ImageKind::Image1dBuffer), IMAGES_1_2;
        "image1d_array_t" NamedType::Image(ImageKind::Image1dArray), IMAGES_1_2;
        "image2d_depth_t" NamedType::Image(ImageKind::Image2dDepth), IMAGES;
        "image2d_array_depth_t" NamedType::Image(ImageKind::Image2dArrayDepth), IMAGES;
        "image2d_msaa_t" NamedType::Image(ImageKind::Image2dMsaa), IMAGES;
        "image2d_array_msaa_t" NamedType::Image(ImageKind::Image2dArrayMsaa), IMAGES;
        "image2d_msaa_depth_t" NamedType::Image(ImageKind::Image2dMsaaDepth), IMAGES;
        "image2d_array_msaa_depth_t" NamedType::Image(ImageKind::Image2dArrayMsaaDepth), IMAGES;
        "sampler_t" NamedType::Sampler, IMAGES;
        "event_t" NamedType::Event, Gate::ALWAYS;
        "clk_event_t" NamedType::ClkEvent, ENQUEUE;
        "queue_t" NamedType::Queue, ENQUEUE;
        "ndrange_t" NamedType::NdRange, ENQUEUE;
        "kernel_enqueue_flags_t" NamedType::EnqueueFlags, ENQUEUE;
        "clk_profiling_info" NamedType::ProfilingInfo, ENQUEUE;
        "reserve_id_t" NamedType::ReserveId, V2_0.with(Feature::Pipes);
        "cl_mem_fence_flags" NamedType::FenceFlags, Gate::ALWAYS;
        "memory_order" NamedType::MemoryOrder, V2_0;
        "memory_scope" NamedType::MemoryScope, V2_0;
        "atomic_int" NamedType::Atomic(Scalar::Int), V2_0;
        "atomic_uint" NamedType::Atomic(Scalar::UInt), V2_0;
        "atomic_long" NamedType::Atomic(Scalar::Long), V2_0;
        "atomic_ulong" NamedType::Atomic(Scalar::ULong), V2_0;
        "atomic_half" NamedType::Atomic(Scalar::Half), V2_0;
        "atomic_float" NamedType::Atomic(Scalar::Float), V2_0;
        "atomic_double" NamedType::Atomic(Scalar::Double), V2_0;
        "atomic_intptr_t" NamedType::Atomic(Scalar::Long), V2_0;
        "atomic_uintptr_t" NamedType::Atomic(Scalar::ULong), V2_0;
        "atomic_size_t" NamedType::Atomic(Scalar::ULong), V2_0;
        "atomic_ptrdiff_t" NamedType::Atomic(Scalar::Long), V2_0;
        "atomic_flag" NamedType::AtomicFlag, V2_0;
}

/// Returns every built-in type name that is not a keyword, with its meaning and the dialects that have it
/// [built-in-scalar-data-types, built-in-vector-data-types, other-built-in-data-types,
/// atomic-integer-and-floating-point-types].
pub fn types() -> impl Iterator<Item = (&'static str, NamedType, Gate)> {
    TYPES.iter().copied()
}

/// An enumeration constant that is not a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Name of the constant.
    pub name: &'static str,
    /// The enumeration that the constant belongs to.
    pub of: NamedType,
    /// Value of the constant.
    pub value: i32,
    /// The dialects that have the constant.
    pub gate: Gate,
}

/// Returns every such constant [order-and-consistency, memory-scope].
pub fn constants() -> impl Iterator<Item = Constant> {
    const SEQ_CST: Gate = V2_0.with(Feature::AtomicOrderSeqCst);
    const SUB_GROUP: Gate = V2_0.with(Feature::Subgroups);
    const DEVICE: Gate = V2_0.with(Feature::AtomicScopeDevice);
    const ALL_DEVICES: Gate = V2_0.with(Feature::AtomicScopeAllDevices);
    const ALL_DEVICES_3_0: Gate = Gate::since(Version::V3_0).with(Feature::AtomicScopeAllDevices);
    let orders = [
        ("memory_order_relaxed", 0, V2_0),
        ("memory_order_acquire", 2, V2_0),
        ("memory_order_release", 3, V2_0),
        ("memory_order_acq_rel", 4, V2_0),
        ("memory_order_seq_cst", 5, SEQ_CST),
    ];
    let scopes = [
        ("memory_scope_work_item", 0, V2_0),
        ("memory_scope_work_group", 1, V2_0),
        ("memory_scope_device", 2, DEVICE),
        ("memory_scope_all_svm_devices", 3, ALL_DEVICES),
        ("memory_scope_all_devices", 3, ALL_DEVICES_3_0),
        ("memory_scope_sub_group", 4, SUB_GROUP),
    ];
    let of = |of| move |(name, value, gate)| Constant { name, of, value, gate };
    let orders = orders.into_iter().map(of(NamedType::MemoryOrder));
    orders.chain(scopes.into_iter().map(of(NamedType::MemoryScope)))
}
