//! The parts of a program that the grammar hands to the actions.

use crate::{
    fix::Places,
    span::Span,
    symbol::Symbol,
    types::{Access, LayoutAttributes, Length, Parameter, QualifiedType, Qualifiers},
};

/// The attributes of one declaration that change what it declares.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes {
    pub(crate) overloadable: bool,
    /// Whether `address_space(n)` is among them.
    pub(crate) vendor_space: bool,
    /// Number of elements in `ext_vector_type(n)`; 0 if `n` is not a plain number.
    pub(crate) vector_width: Option<u32>,
    /// Place of `endian(...)`.
    pub(crate) endian: Option<Span>,
    /// Attributes that change sizes and alignments.
    pub(crate) layout: LayoutAttributes,
}

/// A storage-class specifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Typedef,
    Extern,
    Static,
}

/// The construct that a declarator belongs to; decides what a trailing address space can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclaratorContext {
    /// A declarator with a name follows.
    Declaration,
    /// A declarator with or without a name follows.
    Parameter,
    /// A declarator without a name may follow.
    TypeName,
}

/// The type specifiers and qualifiers of one declaration, before they make a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeSpecifiers {
    /// The type that the type words name.
    pub(crate) base: QualifiedType,
    pub(crate) quals: Qualifiers,
    /// Place of the last qualifier or typedef name that names an address space.
    pub(crate) space_span: Span,
    pub(crate) access: Option<Access>,
    pub(crate) is_pipe: bool,
    /// Place of `restrict`.
    pub(crate) restrict: Option<Span>,
    pub(crate) attributes: Attributes,
}

/// Declaration specifiers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Specifiers {
    pub(crate) ty: QualifiedType,
    pub(crate) span: Span,
    pub(crate) storage: Option<(Storage, Span)>,
    pub(crate) kernel: Option<Span>,
    /// Place of the last qualifier or typedef name that gave `ty` its space.
    pub(crate) space_span: Span,
    /// Place for a further qualifier of `ty`: after storage classes and `kernel`.
    pub(crate) qualifier_place: u32,
    pub(crate) attributes: Attributes,
    /// Whether they declare or name a struct, union or enum.
    pub(crate) has_tag: bool,
}

impl Specifiers {
    /// Returns the type that the declarators after them start from.
    pub(crate) fn base(&self) -> Base {
        Base { ty: self.ty, space_span: self.space_span, place: self.qualifier_place }
    }
}

/// The type that a declarator starts from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    pub(crate) ty: QualifiedType,
    /// Place of the word that gave it its space.
    pub(crate) space_span: Span,
    /// Place for a further qualifier.
    pub(crate) place: u32,
}

/// One level of a declarator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    Pointer {
        quals: Qualifiers,
        span: Span,
        space_span: Span,
    },
    Block {
        quals: Qualifiers,
        span: Span,
    },
    Array {
        length: Length,
        brackets: Brackets,
        span: Span,
    },
    /// A parameter list: `count` parameters from `first` on.
    Function {
        first: u32,
        count: u32,
        variadic: bool,
    },
}

/// The words within the brackets of an array, its length excepted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Brackets {
    pub(crate) quals: Qualifiers,
    /// Place of the first qualifier or `static`.
    pub(crate) first: Option<Span>,
    /// Place of the address space.
    pub(crate) space: Option<Span>,
}

/// A declarator as written, before it is applied to a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenDeclarator<'p> {
    pub(crate) name: Option<Symbol>,
    /// Place of the name, or of the whole declarator if it has none.
    pub(crate) span: Span,
    /// Levels, from the name outward.
    pub(crate) levels: &'p [Level],
    /// Parameters that [`Level::Function`] counts from.
    pub(crate) parameters: &'p [Parameter],
    pub(crate) context: DeclaratorContext,
}

/// A declarator applied to the type before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Option<Symbol>,
    /// Place of the name, or of the whole declarator if it has none.
    pub(crate) span: Span,
    pub(crate) ty: QualifiedType,
    /// Place of the word that put the declared object into its space.
    pub(crate) space_span: Span,
    /// Qualifiers inside the brackets of an array parameter.
    pub(crate) array_quals: Qualifiers,
    /// Places of its spaces.
    pub(crate) places: Places,
    /// Whether its outermost level is a parameter list.
    pub(crate) is_function: bool,
}

/// A type name, as in a cast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeName {
    pub(crate) ty: QualifiedType,
    /// Place of the word that gave it its space.
    pub(crate) space_span: Span,
    pub(crate) places: Places,
}
