//! Types as declaration specifiers name them, and the qualifiers beside them.

use crate::{
    parse::syntax::TypeSpecifiers,
    rule::Rule,
    sema::{analyser::Analyser, scopes::Binding},
    space::Space,
    span::Span,
    symbol::Symbol,
    types::{QualifiedType, Qualifiers, Type, TypeId},
};

impl Analyser<'_> {
    /// Returns the type that declaration specifiers name.
    pub(super) fn type_specified(&mut self, specifiers: &TypeSpecifiers) -> QualifiedType {
        let mut quals = specifiers.quals;
        let mut ty = specifiers.base;
        if let Some(access) = specifiers.access
            && let Type::Image { kind, .. } = self.arena.types.of(ty)
        {
            ty.id = TypeId::image(kind, access);
        }
        if specifiers.is_pipe {
            ty = self.arena.types.pipe(ty).plain();
        }
        if let Some(width) = specifiers.attributes.vector_width {
            ty = self.widened(ty, width);
        }
        if let Some(span) = specifiers.restrict
            && !matches!(self.arena.types.of(ty), Type::Pointer(_) | Type::Error)
        {
            self.superfluous(Rule::QualifierRestrict, span, "`restrict` qualifies pointers only");
            quals.is_restrict = false;
        }
        if specifiers.attributes.vendor_space {
            quals.space = Some(Space::Vendor);
        }
        self.with_qualifiers(ty, quals, specifiers.space_span)
    }

    /// Adds qualifiers to a type. They must not contradict those that a typedef gave it.
    fn with_qualifiers(
        &mut self,
        ty: QualifiedType,
        quals: Qualifiers,
        span: Span,
    ) -> QualifiedType {
        if quals == Qualifiers::default() {
            return ty;
        }
        let mut own = self.arena.types.quals(ty);
        if let Some(space) = quals.space {
            self.qualify_again(&mut own, space, span);
        }
        self.arena.types.requalified(ty, |_| own.union(quals))
    }

    /// Returns the type that `symbol` names here.
    pub(super) fn type_named(&self, symbol: Symbol) -> Option<QualifiedType> {
        match self.arena.names.get(symbol) {
            Some(Binding::Typedef(ty)) => Some(ty),
            Some(_) => None,
            None => {
                let name = self.arena.predefined.get(symbol)?;
                name.exists_in(self.dialect).then(|| name.id.plain())
            }
        }
    }

    /// Returns the vector type that `ext_vector_type` makes of `ty`.
    pub(super) fn widened(&mut self, ty: QualifiedType, width: u32) -> QualifiedType {
        match self.arena.types.of(ty) {
            Type::Scalar(element) if (1..=64).contains(&width) => {
                QualifiedType { id: self.arena.types.vector(element, width), ..ty }
            }
            _ => QualifiedType { id: TypeId::ERROR, ..ty },
        }
    }

    /// Adds a space to the qualifiers of one level.
    pub(super) fn add_space(&mut self, quals: &mut Qualifiers, space: Space, span: Span) {
        if space == Space::Generic {
            if !self.dialect.generic_space() {
                self.superfluous(
                    Rule::QualifierGenericSpelled,
                    span,
                    "`generic` is reserved and not a qualifier",
                );
                // The meaning is unknown, so further rules must not judge the type.
                quals.space = quals.space.or(Some(Space::Vendor));
                return;
            }
            self.disputed(
                Rule::QualifierGenericSpelled,
                span,
                "`generic` is written as a qualifier",
                "[address-space-qualifiers] reserves the name for future use; the pages of OpenCL \
                 2.0 list it among the qualifiers",
            );
        }
        self.qualify_again(quals, space, span);
        quals.space = quals.space.or(Some(space));
    }

    fn qualify_again(&mut self, quals: &mut Qualifiers, space: Space, span: Span) {
        match quals.space {
            Some(other) if other == space => self.disputed(
                Rule::QualifierConflicting,
                span,
                format!("`{}` is written twice for one level of a type", space.name()),
                "[address-space-qualifiers] allows no multiple address spaces; C99 6.7.3 lets a \
                 qualifier be repeated",
            ),
            Some(other) => self.broken(
                Rule::QualifierConflicting,
                span,
                format!("this type is already in `{}`", other.name()),
            ),
            None => {}
        }
    }
}
