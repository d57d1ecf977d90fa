//! Structures, unions and enumerations.

use crate::{
    parse::syntax::{Attributes, Declarator, Specifiers},
    sema::{analyser::Analyser, operand::Operand, scopes::Binding},
    span::Span,
    symbol::Symbol,
    types::{Member, Type, TypeId},
};

impl Analyser<'_> {
    /// Returns the type that `tag` names. Declares it here if it is new.
    pub(super) fn record_tagged(
        &mut self,
        tag: Option<Symbol>,
        is_union: bool,
        has_semicolon: bool,
    ) -> TypeId {
        let Some(tag) = tag else { return TypeId::ERROR };
        let known =
            if has_semicolon { self.arena.tags.get_here(tag) } else { self.arena.tags.get(tag) };
        if let Some(id) = known {
            return id;
        }
        let id = self.arena.types.add_record(Some(tag), is_union);
        self.arena.tags.declare(tag, id);
        id
    }

    /// Returns the type that a list of members completes.
    pub(super) fn new_record(&mut self, tag: Option<Symbol>, is_union: bool) -> TypeId {
        if let Some(tag) = tag {
            if let Some(id) = self.arena.tags.get_here(tag)
                && let Type::Record(record) = self.arena.types.get(id)
                && !self.arena.types.record(record).complete
            {
                return id;
            }
            let id = self.arena.types.add_record(Some(tag), is_union);
            self.arena.tags.declare(tag, id);
            return id;
        }
        self.arena.types.add_record(None, is_union)
    }

    /// Returns the member that specifiers without a declarator declare.
    pub(super) fn member_without_name(&mut self, specifiers: &Specifiers) -> Option<Member> {
        // Only the members of a record without a tag become members of the record around it.
        let Type::Record(id) = self.arena.types.of(specifiers.ty) else { return None };
        if !specifiers.has_tag || self.arena.types.record(id).tag.is_some() {
            return None;
        }
        let ty = self.member_type(specifiers.ty, specifiers.space_span, specifiers.span);
        Some(Member { name: None, ty, is_bit_field: false })
    }

    /// Judges a member; returns it where it has a name.
    pub(super) fn named_member(
        &mut self,
        declarator: &Declarator,
        span: Span,
        attributes: &Attributes,
        is_bit_field: bool,
    ) -> Option<Member> {
        let mut ty = self.member_type(declarator.ty, declarator.space_span, span);
        if let Some(width) = attributes.vector_width {
            ty = self.widened(ty, width);
        }
        declarator.name.map(|name| Member { name: Some(name), ty, is_bit_field })
    }

    /// Declares an enumeration constant; returns the value of the next one.
    pub(super) fn declare_enumerator(
        &mut self,
        name: Option<Symbol>,
        value: Option<Operand>,
        next: i64,
    ) -> i64 {
        let value = value.and_then(|value| value.integer()).unwrap_or(next);
        if let Some(name) = name {
            self.arena.names.declare(name, Binding::Enumerator(value));
        }
        value.wrapping_add(1)
    }

    /// Declares the tag of an enumeration, which is `int`.
    pub(super) fn declare_enumeration_tag(&mut self, tag: Option<Symbol>) {
        if let Some(tag) = tag
            && self.arena.tags.get_here(tag).is_none()
        {
            self.arena.tags.declare(tag, TypeId::INT);
        }
    }
}
