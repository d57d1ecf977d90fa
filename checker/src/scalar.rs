//! The arithmetic types.

/// An arithmetic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is the type of that name")]
#[repr(u8)]
pub enum Scalar {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
    /// `size_t`
    Size,
    /// `ptrdiff_t`
    PtrDiff,
    /// `intptr_t`
    IntPtr,
    /// `uintptr_t`
    UIntPtr,
}

impl Scalar {
    /// Every arithmetic type, in the order of conversion rank, except for the last four.
    pub const ALL: [Self; 16] = [
        Self::Bool,
        Self::Char,
        Self::UChar,
        Self::Short,
        Self::UShort,
        Self::Int,
        Self::UInt,
        Self::Long,
        Self::ULong,
        Self::Half,
        Self::Float,
        Self::Double,
        Self::Size,
        Self::PtrDiff,
        Self::IntPtr,
        Self::UIntPtr,
    ];

    /// Returns the types that are not another name for one of the others, in the order of conversion rank.
    pub fn distinct() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|scalar| scalar.underlying() == *scalar)
    }

    /// Returns the type that `size_t` and its like name on a 64-bit device, and any other type itself.
    #[must_use]
    pub const fn underlying(self) -> Self {
        match self {
            Self::Size | Self::UIntPtr => Self::ULong,
            Self::PtrDiff | Self::IntPtr => Self::Long,
            other => other,
        }
    }

    /// Returns the type's name in the language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::UChar => "uchar",
            Self::Short => "short",
            Self::UShort => "ushort",
            Self::Int => "int",
            Self::UInt => "uint",
            Self::Long => "long",
            Self::ULong => "ulong",
            Self::Half => "half",
            Self::Float => "float",
            Self::Double => "double",
            Self::Size => "size_t",
            Self::PtrDiff => "ptrdiff_t",
            Self::IntPtr => "intptr_t",
            Self::UIntPtr => "uintptr_t",
        }
    }

    /// Returns the size in bytes on a 64-bit device.
    pub const fn size(self) -> u64 {
        match self.underlying() {
            Self::Bool | Self::Char | Self::UChar => 1,
            Self::Short | Self::UShort | Self::Half => 2,
            Self::Int | Self::UInt | Self::Float => 4,
            _ => 8,
        }
    }

    /// Whether the type is `half`, `float` or `double`.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Half | Self::Float | Self::Double)
    }

    /// Returns the unsigned integer of the same size; `bool` stays.
    #[must_use]
    pub const fn unsigned(self) -> Self {
        match (self, self.size()) {
            (Self::Bool, _) => Self::Bool,
            (_, 1) => Self::UChar,
            (_, 2) => Self::UShort,
            (_, 4) => Self::UInt,
            _ => Self::ULong,
        }
    }

    /// Returns the signed integer of the same size; `bool` stays.
    #[must_use]
    pub const fn signed(self) -> Self {
        match self {
            Self::Bool => Self::Bool,
            other => other.comparison(),
        }
    }

    /// Returns the signed integer of the same size, the result of a vector comparison.
    #[must_use]
    pub const fn comparison(self) -> Self {
        match self.size() {
            1 => Self::Char,
            2 => Self::Short,
            4 => Self::Int,
            _ => Self::Long,
        }
    }

    /// Returns the integer of twice the size and the same signedness, for `upsample`.
    #[must_use]
    pub const fn wider(self) -> Self {
        match self {
            Self::Char => Self::Short,
            Self::UChar => Self::UShort,
            Self::Short => Self::Int,
            Self::UShort => Self::UInt,
            Self::Int => Self::Long,
            Self::UInt => Self::ULong,
            other => other,
        }
    }

    /// Whether a host cannot pass such a value to a kernel.
    pub const fn is_unportable(self) -> bool {
        matches!(self, Self::Bool | Self::Size | Self::PtrDiff | Self::IntPtr | Self::UIntPtr)
    }
}
