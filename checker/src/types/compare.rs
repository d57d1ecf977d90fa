//! Whether two types agree, and whether only address spaces keep them apart.

use super::{Length, QualifiedType, Qualifiers, SignatureId, Type, TypeId, Types};
use crate::space::Space;

/// The agreement of two types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// Types that are equal except for qualifiers other than spaces.
    Same,
    /// Types that differ only in address spaces.
    SpacesDiffer,
    /// Types that differ as C types.
    Different,
}

impl Agreement {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Different, _) | (_, Self::Different) => Self::Different,
            (Self::SpacesDiffer, _) | (_, Self::SpacesDiffer) => Self::SpacesDiffer,
            (Self::Same, Self::Same) => Self::Same,
        }
    }
}

/// Number of levels compared before two types count as the same: block types that share parts can have very many.
const PATIENCE: u32 = 10_000;

impl Types {
    /// Compares two types with their outermost spaces. The depth of types bounds the recursion.
    pub(crate) fn agreement(&self, one: QualifiedType, other: QualifiedType) -> Agreement {
        self.compare(one, other, &mut { PATIENCE })
    }

    /// Compares two types without their outermost qualifiers.
    pub(crate) fn unqualified_agreement(&self, one: TypeId, other: TypeId) -> Agreement {
        self.compare_unqualified(one, other, &mut { PATIENCE })
    }

    /// Whether two types that are the same have the same `const`, `volatile` and `restrict` at every level (C99 6.7.3).
    pub(crate) fn qualified_alike(&self, one: QualifiedType, other: QualifiedType) -> bool {
        self.compare_qualifiers(one, other, &mut { PATIENCE })
    }

    /// Whether the parameters of two signatures that are the same are qualified alike. Their own qualifiers play no
    /// part (C99 6.7.5.3).
    pub(crate) fn parameters_qualified_alike(&self, one: SignatureId, other: SignatureId) -> bool {
        self.compare_parameters(one, other, &mut { PATIENCE })
    }

    /// Compares results and parameters.
    pub(crate) fn signature_agreement(&self, one: SignatureId, other: SignatureId) -> Agreement {
        self.compare_signatures(one, other, &mut { PATIENCE })
    }

    fn compare(&self, one: QualifiedType, other: QualifiedType, patience: &mut u32) -> Agreement {
        let (a, b) = (self.innermost(one).quals.space, self.innermost(other).quals.space);
        let spaces = if same_space(a, b) { Agreement::Same } else { Agreement::SpacesDiffer };
        spaces.and(self.compare_unqualified(one.id, other.id, patience))
    }

    fn compare_unqualified(&self, one: TypeId, other: TypeId, patience: &mut u32) -> Agreement {
        if one == other || *patience == 0 {
            return Agreement::Same;
        }
        *patience -= 1;
        match (self.get(one), self.get(other)) {
            (Type::Error, _) | (_, Type::Error) => Agreement::Same,
            (Type::Pointer(a), Type::Pointer(b)) | (Type::Pipe(a), Type::Pipe(b)) => {
                self.compare(a, b, patience)
            }
            (
                Type::Array { element: a, length: a_length },
                Type::Array { element: b, length: b_length },
            ) => {
                let lengths = match (a_length, b_length) {
                    (Length::Known(a), Length::Known(b)) if a != b => Agreement::Different,
                    _ => Agreement::Same,
                };
                lengths.and(self.compare(a, b, patience))
            }
            (Type::Function(a), Type::Function(b)) | (Type::Block(a), Type::Block(b)) => {
                self.compare_signatures(a, b, patience)
            }
            (a, b) if a == b => Agreement::Same,
            _ => Agreement::Different,
        }
    }

    fn compare_signatures(
        &self,
        one: SignatureId,
        other: SignatureId,
        patience: &mut u32,
    ) -> Agreement {
        let (one, other) = (self.signature(one), self.signature(other));
        if one.count != other.count || one.variadic != other.variadic {
            return Agreement::Different;
        }
        let result = self.compare_unqualified(one.result.id, other.result.id, patience);
        let parameters = self.parameters(&one).iter().zip(self.parameters(&other));
        parameters.fold(result, |so_far, (a, b)| {
            so_far.and(self.compare_unqualified(a.ty.id, b.ty.id, patience))
        })
    }

    fn compare_qualifiers(
        &self,
        one: QualifiedType,
        other: QualifiedType,
        patience: &mut u32,
    ) -> bool {
        let (a, b) = (self.innermost(one).quals, self.innermost(other).quals);
        Qualifiers { space: None, ..a } == Qualifiers { space: None, ..b }
            && self.compare_qualifiers_below(one.id, other.id, patience)
    }

    fn compare_qualifiers_below(&self, one: TypeId, other: TypeId, patience: &mut u32) -> bool {
        if one == other || *patience == 0 {
            return true;
        }
        *patience -= 1;
        match (self.get(one), self.get(other)) {
            (Type::Pointer(a), Type::Pointer(b)) | (Type::Pipe(a), Type::Pipe(b)) => {
                self.compare_qualifiers(a, b, patience)
            }
            (Type::Array { element: a, .. }, Type::Array { element: b, .. }) => {
                self.compare_qualifiers_below(a.id, b.id, patience)
            }
            (Type::Function(a), Type::Function(b)) | (Type::Block(a), Type::Block(b)) => {
                self.compare_parameters(a, b, patience)
            }
            _ => true,
        }
    }

    fn compare_parameters(&self, one: SignatureId, other: SignatureId, patience: &mut u32) -> bool {
        let (one, other) = (self.signature(one), self.signature(other));
        let mut parameters = self.parameters(&one).iter().zip(self.parameters(&other));
        self.compare_qualifiers_below(one.result.id, other.result.id, patience)
            && parameters.all(|(a, b)| self.compare_qualifiers_below(a.ty.id, b.ty.id, patience))
    }

    /// Whether the types two pointers point to have the same spaces at every pointer below.
    pub(crate) fn nested_spaces_agree(&self, one: QualifiedType, other: QualifiedType) -> bool {
        let (mut one, mut other) = (one, other);
        loop {
            match (self.of(one), self.of(other)) {
                (Type::Pointer(a), Type::Pointer(b)) => {
                    if !same_space(self.space(a), self.space(b)) {
                        return false;
                    }
                    (one, other) = (a, b);
                }
                (Type::Array { element: a, .. }, Type::Array { element: b, .. }) => {
                    (one, other) = (a, b);
                }
                _ => return true,
            }
        }
    }
}

fn same_space(one: Option<Space>, other: Option<Space>) -> bool {
    one == other || one.is_some_and(Space::is_unknown) || other.is_some_and(Space::is_unknown)
}
