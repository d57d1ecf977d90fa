//! The vocabulary in which a call is described to the table and its result described back. Of the arithmetic types
//! the table knows only [`Scalar::distinct`].

use std::fmt;

pub use crate::scalar::Scalar;

/// The address space that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is the address space of that name")]
#[repr(u8)]
pub enum Space {
    Global,
    Local,
    Private,
    Constant,
    Generic,
}

impl Space {
    /// Every space.
    pub const ALL: [Self; 5] =
        [Self::Global, Self::Local, Self::Private, Self::Constant, Self::Generic];

    /// Returns the space's name in the language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Global => "global",
            Self::Local => "local",
            Self::Constant => "constant",
            Self::Generic => "generic",
        }
    }
}

/// A set of address spaces; displayed as an English list (`global, local or private`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SpaceSet(u8);

impl SpaceSet {
    /// No space.
    pub const EMPTY: Self = Self(0);

    /// Returns the set of `spaces`.
    pub const fn of(spaces: &[Space]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < spaces.len() {
            bits |= 1 << spaces[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Whether `space` is in the set.
    pub const fn contains(self, space: Space) -> bool {
        self.0 & (1 << space as u8) != 0
    }

    /// Returns the spaces in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the spaces in the set.
    pub fn iter(self) -> impl Iterator<Item = Space> {
        Space::ALL.into_iter().filter(move |&space| self.contains(space))
    }
}

impl fmt::Display for SpaceSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.iter().count();
        for (at, space) in self.iter().enumerate() {
            if at > 0 {
                out.write_str(if at + 1 == count { " or " } else { ", " })?;
            }
            out.write_str(space.name())?;
        }
        Ok(())
    }
}

macro_rules! images {
    ($($variant:ident $short:literal $name:literal $coordinates:literal)*) => {
        /// An image type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each variant is the type beside it")]
        #[repr(u8)]
        pub enum ImageKind { $($variant),* }

        impl ImageKind {
            /// Every image type.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the type's name in the language.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Returns the abbreviation used in the table of built-in functions.
            pub(super) const fn short(self) -> &'static str {
                match self { $(Self::$variant => $short),* }
            }

            /// Returns the number of components of a coordinate.
            pub(super) const fn coordinates(self) -> u8 {
                match self { $(Self::$variant => $coordinates),* }
            }
        }

        impl ImageKind {
            /// Returns the number of components of a derivative, which has no layer.
            pub(super) const fn derivatives(self) -> u8 {
                match self {
                    Self::Image1d | Self::Image1dBuffer | Self::Image1dArray => 1,
                    Self::Image3d => 4,
                    _ => 2,
                }
            }
        }
    };
}

images! {
    Image1d "1d" "image1d_t" 1
    Image1dBuffer "1db" "image1d_buffer_t" 1
    Image1dArray "1da" "image1d_array_t" 2
    Image2d "2d" "image2d_t" 2
    Image2dArray "2da" "image2d_array_t" 4
    Image2dDepth "2dd" "image2d_depth_t" 2
    Image2dArrayDepth "2dad" "image2d_array_depth_t" 4
    Image2dMsaa "2dm" "image2d_msaa_t" 2
    Image2dArrayMsaa "2dam" "image2d_array_msaa_t" 4
    Image2dMsaaDepth "2dmd" "image2d_msaa_depth_t" 2
    Image2dArrayMsaaDepth "2damd" "image2d_array_msaa_depth_t" 4
    Image3d "3d" "image3d_t" 4
}

/// The access qualifier of an image or a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is the qualifier of that name")]
#[repr(u8)]
pub enum Access {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// The target of a pointer argument, as far as the table distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pointee {
    /// An arithmetic type, or a vector of as many components (1 for a scalar).
    Value(Scalar, u8),
    /// Pointee of a `void *`.
    Void,
    /// An atomic type and the type it is the atomic form of.
    Atomic(Scalar),
    /// Pointee of type `atomic_flag`.
    AtomicFlag,
    /// `event_t`.
    Event,
    /// `clk_event_t`.
    ClkEvent,
    /// Anything else: a structure, a union, another pointer.
    Other,
    /// An unknown type; agrees with everything.
    Unknown,
}

/// The type of one argument, arrays and functions already decayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// An unknown type (an earlier error, an extension's type); agrees with everything.
    Unknown,
    /// An arithmetic or enumeration type.
    Scalar(Scalar),
    /// A vector of 2, 3, 4, 8 or 16 components.
    Vector(Scalar, u8),
    /// An integer constant expression of value 0 and this type: agrees with every pointer and opaque type too.
    Zero(Scalar),
    /// Such an expression cast to `void *`.
    Null,
    /// Pointer to a type in an address space.
    Pointer {
        /// The type pointed to.
        pointee: Pointee,
        /// The space pointed into.
        space: Space,
        /// Whether what it points to is `const`.
        constant: bool,
    },
    /// Image of one kind with an access qualifier.
    Image(ImageKind, Access),
    /// A pipe, whatever its packets.
    Pipe(Access),
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
    /// A block, whatever its parameters.
    Block,
    /// Any other type, a structure for example.
    Other,
}

/// The type of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// An unknown type.
    Unknown,
    /// No value.
    Void,
    /// An arithmetic type.
    Scalar(Scalar),
    /// A vector type, such as `float4`, by its element type and length.
    Vector(Scalar, u8),
    /// A pointer into `space` to the pointee of the argument of that index, with its other qualifiers kept.
    SamePointer {
        /// Index of the argument, from 0.
        argument: u8,
        /// The space pointed into.
        space: Space,
    },
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
}
