//! Structures, unions and enumerations.

use rustc_hash::FxHashSet;

use crate::{
    parse::syntax::{Attributes, Declarator, Specifiers},
    rule::Rule,
    sema::{analyser::Analyser, operand::Operand, scopes::Binding},
    span::Span,
    symbol::Symbol,
    types::{LayoutAttributes, Member, QualifiedType, Type, TypeId},
};

impl Analyser<'_> {
    /// Returns the type that `tag` names. Declares it here if it is new.
    pub(super) fn record_tagged(
        &mut self,
        tag: Option<Symbol>,
        is_union: bool,
        has_semicolon: bool,
        span: Span,
    ) -> TypeId {
        let Some(tag) = tag else { return TypeId::ERROR };
        let known =
            if has_semicolon { self.arena.tags.get_here(tag) } else { self.arena.tags.get(tag) };
        if let Some(id) = known {
            self.judge_tag(tag, id, is_union, span);
            return id;
        }
        let id = self.arena.types.add_record(Some(tag), is_union);
        self.arena.tags.declare(tag, id);
        id
    }

    /// Judges a further use of a tag in one scope: it keeps naming a structure, a union or an enumeration (C99
    /// 6.7.2.3).
    fn judge_tag(&mut self, tag: Symbol, known: TypeId, is_union: bool, span: Span) {
        let is_same = match self.arena.types.get(known) {
            Type::Record(record) => self.arena.types.record(record).is_union == is_union,
            other => other == Type::Error,
        };
        if !is_same {
            self.report_other_tag(tag, span);
        }
    }

    /// Returns the type that a list of members completes.
    pub(super) fn new_record(&mut self, tag: Option<Symbol>, is_union: bool, span: Span) -> TypeId {
        if let Some(tag) = tag {
            if let Some(id) = self.arena.tags.get_here(tag) {
                self.judge_tag(tag, id, is_union, span);
                if let Type::Record(record) = self.arena.types.get(id) {
                    if !self.arena.types.record(record).complete {
                        return id;
                    }
                    let message = format!("`{}` already has members", self.interner.text(tag));
                    self.mistake(Rule::CDefinedTwice, span, message);
                }
            }
            let id = self.arena.types.add_record(Some(tag), is_union);
            self.arena.tags.declare(tag, id);
            return id;
        }
        self.arena.types.add_record(None, is_union)
    }

    /// Completes a type whose members were read.
    pub(super) fn close_record(
        &mut self,
        id: TypeId,
        members: &[Member],
        layout: LayoutAttributes,
    ) {
        let Type::Record(record) = self.arena.types.get(id) else { return };
        self.arena.types.complete_record(record, members, layout);
        let record = self.arena.types.record(record);
        if members.iter().any(|member| member.name.is_none()) {
            return self.judge_nested_members(members);
        }
        for (index, member) in members.iter().enumerate() {
            let Some(name) = member.name else { continue };
            let first = self.arena.types.named_member(&record, name);
            if first.is_some_and(|first| first < index as u64) {
                self.member_twice(name, member.span);
            }
        }
    }

    /// Judges the names of members where some are within a member that has no name.
    fn judge_nested_members(&mut self, members: &[Member]) {
        let mut names = FxHashSet::default();
        let mut open: Vec<Member> = members.iter().rev().copied().collect();
        while let Some(member) = open.pop() {
            match (member.name, self.arena.types.of(member.ty)) {
                (Some(name), _) if !names.insert(name) => self.member_twice(name, member.span),
                (None, Type::Record(id)) => {
                    let record = self.arena.types.record(id);
                    open.extend(self.arena.types.members(&record).iter().rev());
                }
                _ => {}
            }
        }
    }

    fn member_twice(&mut self, name: Symbol, span: Span) {
        let message = format!("there is already a member `{}`", self.interner.text(name));
        self.mistake(Rule::CDeclaredTwice, span, message);
    }

    /// Whether no object can have this type: `void`, or a structure, a union or elements whose members are not known.
    pub(super) fn is_incomplete(&self, ty: QualifiedType) -> bool {
        match self.arena.types.of(self.arena.types.innermost(ty)) {
            Type::Void => true,
            Type::Record(id) => !self.arena.types.record(id).complete,
            _ => false,
        }
    }

    /// Whether the type is a structure or union whose members are not known.
    pub(super) fn is_incomplete_record(&self, ty: QualifiedType) -> bool {
        self.is_incomplete(ty) && matches!(self.arena.types.of(ty), Type::Record(_))
    }

    pub(super) fn report_incomplete(&mut self, ty: QualifiedType, span: Span) {
        let message = format!("`{}` is incomplete: no object can have this type", self.spelled(ty));
        self.mistake(Rule::CIncompleteType, span, message);
    }

    /// Returns the member that specifiers without a declarator declare.
    pub(super) fn member_without_name(&mut self, specifiers: &Specifiers) -> Option<Member> {
        // Only the members of a record without a tag become members of the record around it.
        let Type::Record(id) = self.arena.types.of(specifiers.ty) else { return None };
        if !specifiers.has_tag || self.arena.types.record(id).tag.is_some() {
            return None;
        }
        let ty = self.member_type(specifiers.ty, specifiers.space_span, specifiers.span);
        Some(Member {
            name: None,
            ty,
            span: specifiers.span,
            is_bit_field: false,
            has_layout: false,
        })
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
        if self.is_incomplete(ty) {
            self.report_incomplete(ty, span);
        }
        let has_layout = !attributes.layout.is_empty();
        declarator.name.map(|name| Member { name: Some(name), ty, span, is_bit_field, has_layout })
    }

    /// Declares an enumeration constant; returns the value of the next one.
    pub(super) fn declare_enumerator(
        &mut self,
        name: Option<Symbol>,
        span: Span,
        value: Option<Operand>,
        next: i64,
    ) -> i64 {
        let value = value.and_then(|value| value.integer()).unwrap_or(next);
        if let Some(name) = name {
            if !matches!(self.arena.names.get_here(name), None | Some(Binding::Unknown)) {
                let message =
                    format!("`{}` was declared before in this scope", self.interner.text(name));
                self.mistake(Rule::CDeclaredTwice, span, message);
            }
            self.arena.names.declare(name, Binding::Enumerator(value));
        }
        value.wrapping_add(1)
    }

    /// Declares the tag of an enumeration, which is `int`.
    pub(super) fn declare_enumeration_tag(&mut self, tag: Option<Symbol>, span: Span) {
        let Some(tag) = tag else { return };
        match self.arena.tags.get_here(tag) {
            None => self.arena.tags.declare(tag, TypeId::INT),
            Some(known) if matches!(self.arena.types.get(known), Type::Record(_)) => {
                self.report_other_tag(tag, span);
            }
            Some(_) => {}
        }
    }

    fn report_other_tag(&mut self, tag: Symbol, span: Span) {
        let message = format!("`{}` is the tag of another kind of type", self.interner.text(tag));
        self.mistake(Rule::COtherType, span, message);
    }
}
