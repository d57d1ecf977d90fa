//! The knowledge about an expression.

use crate::{
    sema::scopes::ObjectId,
    span::Span,
    types::{QualifiedType, TypeId},
};

/// The kind of thing that an expression designates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    /// A value, without a place.
    Value,
    /// A variable, by its name.
    Variable,
    /// Another object, in the space its type names.
    Lvalue,
    /// Components of a vector object.
    VectorComponent,
    /// A bit-field, which has no address.
    BitField,
}

/// The degree to which an expression is constant (C99 6.6, `[initialization]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constness {
    Variable,
    /// An integer constant expression.
    Integer(i64),
    /// An integer that an implementation can compute, but no constant expression.
    Folded(i64),
    /// A floating literal, with its value as an integer.
    Floating(i64),
    /// Another arithmetic constant.
    Arithmetic,
    /// The address of an object of static storage duration, or an lvalue that has such an address.
    Address,
    /// An address that an integer was cast to, or an lvalue there; its contents are unknown.
    IntegerAddress,
}

impl Constness {
    /// Returns the constness of an address, or an lvalue, that is made from another.
    pub(crate) fn of_address(self) -> Self {
        match self {
            Self::Address | Self::IntegerAddress => self,
            _ => Self::Variable,
        }
    }
}

/// A further property of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trait {
    Nothing,
    /// `(void *)0`.
    NullPointer,
    StringLiteral,
    /// `?:` on pointers to two spaces that only one of two readings of the text joins.
    DisputedJoin,
    VectorLiteral,
    /// A variable captured by the block literal around.
    Captured,
    /// `ATOMIC_VAR_INIT` or `ATOMIC_FLAG_INIT`.
    AtomicMacro,
}

/// An expression: 40 bytes, copied freely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) ty: QualifiedType,
    pub(crate) span: Span,
    pub(crate) category: Category,
    pub(crate) constness: Constness,
    pub(crate) trait_: Trait,
    /// The variable that it names or comes from.
    pub(crate) origin: Option<ObjectId>,
}

impl Operand {
    pub(crate) fn value(ty: QualifiedType, span: Span) -> Self {
        Self {
            ty,
            span,
            category: Category::Value,
            constness: Constness::Variable,
            trait_: Trait::Nothing,
            origin: None,
        }
    }

    pub(crate) fn constant(ty: TypeId, constness: Constness, span: Span) -> Self {
        Self { constness, ..Self::value(ty.plain(), span) }
    }

    /// Returns an expression that is unknown or already reported; no rule says anything about it.
    pub(crate) fn error(span: Span) -> Self {
        Self { constness: Constness::Arithmetic, ..Self::value(QualifiedType::ERROR, span) }
    }

    pub(crate) fn lvalue(ty: QualifiedType, span: Span) -> Self {
        Self { category: Category::Lvalue, ..Self::value(ty, span) }
    }

    pub(crate) fn at(self, span: Span) -> Self {
        Self { span, ..self }
    }

    pub(crate) fn is_error(&self) -> bool {
        self.ty.is_error()
    }

    pub(crate) fn is_lvalue(&self) -> bool {
        self.category != Category::Value
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        match self.constness {
            Constness::Integer(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn is_constant(&self) -> bool {
        !matches!(self.constness, Constness::Variable | Constness::Folded(_))
    }
}
