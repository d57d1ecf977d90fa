//! The address spaces and how they nest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;

/// An address space of `OpenCL` C: four named, disjoint ones and the generic one pointers may point to.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// Memory of one work-item.
    Private,
    /// Memory objects and program-scope variables.
    Global,
    /// Memory shared by a work-group.
    Local,
    /// Read-only memory.
    Constant,
    /// Any of private, global and local; only pointers point there.
    Generic,
    /// A vendor's `__attribute__((address_space(n)))`: no rule of the text applies.
    Vendor,
    /// The space of an object of static storage duration, if the text states none.
    Unstated,
}

impl Space {
    /// Returns the name used in messages; the generic space has none in the language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Global => "global",
            Self::Local => "local",
            Self::Constant => "constant",
            Self::Generic => "generic",
            Self::Vendor => "a vendor's address space",
            Self::Unstated => "a space the text does not state",
        }
    }

    /// Whether a pointer into `self` may point to every object of `inner`: the nesting of spaces in
    /// `[addr-spaces-conversions]`.
    pub fn encloses(self, inner: Self) -> bool {
        self == inner
            || self.is_unknown()
            || inner == Self::Vendor
            || (inner == Self::Unstated && self != Self::Local)
            || (self == Self::Generic && inner != Self::Constant)
    }

    /// Whether the text has no rules for the space.
    pub(crate) fn is_unknown(self) -> bool {
        matches!(self, Self::Vendor | Self::Unstated)
    }

    /// Whether the space is one of the four that a program can name.
    pub(crate) fn is_named(self) -> bool {
        matches!(self, Self::Private | Self::Global | Self::Local | Self::Constant)
    }

    /// Whether the two spaces have objects in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.encloses(other) || other.encloses(self)
    }

    /// Returns the space that an unqualified pointer points into in `dialect` (`[addr-spaces-inference]`).
    pub fn default_pointee(dialect: Dialect) -> Self {
        if dialect.generic_space() { Self::Generic } else { Self::Private }
    }
}

#[cfg(test)]
mod tests {
    use super::Space;

    #[test]
    fn named_spaces_are_disjoint_and_generic_encloses_all_but_constant() {
        let named = [Space::Private, Space::Global, Space::Local, Space::Constant];
        for one in named {
            for other in named {
                assert_eq!(one.overlaps(other), one == other);
            }
            assert_eq!(Space::Generic.encloses(one), one != Space::Constant);
            assert!(!one.encloses(Space::Generic));
        }
    }
}
