//! The table of facts about address spaces, from which expectations are computed.

use crate::dialect::Dialect;

/// An address space of `OpenCL` C ([address-space-qualifiers]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AddressSpace {
    /// Memory objects and, where supported, program-scope variables.
    Global,
    /// Shared by a work-group.
    Local,
    /// Read-only, globally accessible.
    Constant,
    /// One work-item's own.
    Private,
    /// The unnamed space that encloses global, local and private; pointees only.
    Generic,
}

/// Facts about one address space.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The space described.
    pub space: AddressSpace,
    /// Name in axes and, except for `generic`, the plain spelling.
    pub name: &'static str,
    /// Spelling with underscores.
    pub underscored: &'static str,
    /// A pointer into it converts implicitly to a generic pointer ([addr-spaces-conversions]).
    pub in_generic: bool,
    /// A program can write it as a qualifier ([address-space-qualifiers]).
    pub spelled: bool,
    /// Objects in it can be written ([constant-or-constant]).
    pub writable: bool,
}

/// One row per space; nothing else in the workspace states these facts for the suite.
pub const FACTS: [Facts; 5] = [
    Facts {
        space: AddressSpace::Global,
        name: "global",
        underscored: "__global",
        in_generic: true,
        spelled: true,
        writable: true,
    },
    Facts {
        space: AddressSpace::Local,
        name: "local",
        underscored: "__local",
        in_generic: true,
        spelled: true,
        writable: true,
    },
    Facts {
        space: AddressSpace::Constant,
        name: "constant",
        underscored: "__constant",
        in_generic: false,
        spelled: true,
        writable: false,
    },
    Facts {
        space: AddressSpace::Private,
        name: "private",
        underscored: "__private",
        in_generic: true,
        spelled: true,
        writable: true,
    },
    Facts {
        space: AddressSpace::Generic,
        name: "generic",
        underscored: "__generic",
        in_generic: true,
        spelled: false,
        writable: true,
    },
];

/// Name of an absent qualifier on an axis.
pub const UNQUALIFIED: &str = "unqualified";

impl AddressSpace {
    /// Every space.
    pub const ALL: [Self; 5] =
        [Self::Global, Self::Local, Self::Constant, Self::Private, Self::Generic];

    /// Returns the row of the space in the table.
    pub fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// Returns the space of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        FACTS.iter().find(|facts| facts.name == name).map(|facts| facts.space)
    }

    /// Returns the space of a pointee whose declaration is written with `name` in `dialect`. `unqualified` is generic
    /// where that exists, and private elsewhere ([addr-spaces-inference]).
    pub fn of_pointee(name: &str, dialect: Dialect) -> Option<Self> {
        if name == UNQUALIFIED {
            return Some(if dialect.generic { Self::Generic } else { Self::Private });
        }
        Self::from_name(name)
    }

    /// Whether a pointer into `inner` converts implicitly to a pointer into `self`.
    pub fn encloses(self, inner: Self) -> bool {
        self == inner || (self == Self::Generic && inner.facts().in_generic)
    }

    /// Whether some object can be in both: then casts, comparisons and `?:` are allowed.
    pub fn overlaps(self, other: Self) -> bool {
        self.encloses(other) || other.encloses(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl quickcheck::Arbitrary for AddressSpace {
        fn arbitrary(g: &mut quickcheck::Gen) -> Self {
            *g.choose(&Self::ALL).unwrap()
        }
    }

    #[test]
    fn rows_stand_in_the_order_of_the_enum() {
        for space in AddressSpace::ALL {
            assert_eq!(space.facts().space, space);
            assert_eq!(AddressSpace::from_name(space.facts().name), Some(space));
        }
    }

    quickcheck::quickcheck! {
        fn enclosing_is_reflexive(space: AddressSpace) -> bool {
            space.encloses(space)
        }

        fn enclosing_is_antisymmetric(a: AddressSpace, b: AddressSpace) -> bool {
            a == b || !(a.encloses(b) && b.encloses(a))
        }

        fn enclosing_is_transitive(a: AddressSpace, b: AddressSpace, c: AddressSpace) -> bool {
            !(a.encloses(b) && b.encloses(c)) || a.encloses(c)
        }

        fn overlapping_is_symmetric(a: AddressSpace, b: AddressSpace) -> bool {
            a.overlaps(b) == b.overlaps(a)
        }

        fn nothing_but_constant_meets_constant(a: AddressSpace) -> bool {
            a.overlaps(AddressSpace::Constant) == (a == AddressSpace::Constant)
        }
    }

    #[test]
    fn generic_takes_exactly_three() {
        let taken = AddressSpace::ALL
            .iter()
            .filter(|&&s| s != AddressSpace::Generic && AddressSpace::Generic.encloses(s));
        assert_eq!(taken.count(), 3);
    }
}
