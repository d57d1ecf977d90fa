//! What is known of an expression.

use crate::{
    sema::scopes::ObjectId,
    span::Span,
    types::{Qualified, TypeId},
};

/// What an expression designates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    /// A value, without a place.
    Value,
    /// A variable, by its name.
    Variable,
    /// Another object, in the space its type names.
    Lvalue,
    /// Some components of a vector object.
    VectorComponent,
    /// A bit-field.
    BitField,
}

/// Whether an expression is constant, as C99 6.6 and `[initialization]` ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constness {
    Variable,
    /// An integer constant expression.
    Integer(i64),
    /// An integer an implementation can work out, but no constant expression.
    Folded(i64),
    /// A floating literal, with what a cast to an integer makes of it.
    Floating(i64),
    /// Another arithmetic constant.
    Arithmetic,
    /// The address of an object of static storage duration, or an lvalue that has such an address.
    Address,
    /// An address that an integer was cast to, or an lvalue there: of what it holds nothing is known.
    IntegerAddress,
}

impl Constness {
    /// Of an address, or an lvalue, that is made from another.
    pub(crate) fn of_address(self) -> Self {
        match self {
            Self::Address | Self::IntegerAddress => self,
            _ => Self::Variable,
        }
    }
}

/// What else matters of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trait {
    Nothing,
    /// `(void *)0`.
    NullPointer,
    StringLiteral,
    /// `?:` on pointers to two spaces that only one of two readings of the text joins.
    DisputedJoin,
    /// A variable captured by the block literal around.
    Captured,
    /// `ATOMIC_VAR_INIT` or `ATOMIC_FLAG_INIT`.
    AtomicMacro,
}

/// An expression: 40 bytes, copied freely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) ty: Qualified,
    pub(crate) span: Span,
    pub(crate) category: Category,
    pub(crate) constness: Constness,
    pub(crate) trait_: Trait,
    /// The variable it names or came from.
    pub(crate) origin: Option<ObjectId>,
}

impl Operand {
    pub(crate) fn value(ty: Qualified, span: Span) -> Self {
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

    /// Something unknown or already reported; nothing more is said of it.
    pub(crate) fn error(span: Span) -> Self {
        Self { constness: Constness::Arithmetic, ..Self::value(Qualified::ERROR, span) }
    }

    pub(crate) fn lvalue(ty: Qualified, span: Span) -> Self {
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
