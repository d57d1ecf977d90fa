//! The actions that the grammar calls, each done by the file that its construct belongs to.
//!
//! An action that has the name of a method of [`Analyser`] is that method.

use crate::{
    access::AccessKind,
    parse::{
        actions::Actions,
        syntax::{Attributes, Base, Declarator, Specifiers, TypeSpecifiers, WrittenDeclarator},
    },
    rule::Rule,
    sema::{
        analyser::{Analyser, Body},
        declarations::{OpenBlock, OpenVariable},
        initializers::{Parts, Values},
        jumps::FlowPosition,
        operand::{Constness, Operand},
        scopes::Binding,
    },
    space::Space,
    span::Span,
    symbol::Symbol,
    token::{Punct, TokenKind},
    types::{LayoutAttributes, Length, Member, Parameter, QualifiedType, Qualifiers, Type, TypeId},
};

/// The open scopes and the body at one point of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    names: u32,
    tags: u32,
    body: Option<Body>,
    flow: FlowPosition,
}

impl Actions for Analyser<'_> {
    type Operand = Operand;
    type Variable = OpenVariable;
    type Values = Values;
    type Parts = Parts;
    type Block = OpenBlock;
    type Mark = Mark;

    fn not_understood(&mut self, span: Span, message: String) {
        self.report_unread(span, message, None);
    }

    fn warn(&mut self, span: Span, message: &'static str) {
        self.warn(span, message);
    }

    fn skip_part(&mut self) {
        self.has_skipped = true;
    }

    fn mark(&self) -> Mark {
        Mark {
            names: self.arena.names.depth(),
            tags: self.arena.tags.depth(),
            body: self.body,
            flow: self.arena.flow.position(),
        }
    }

    fn close_to(&mut self, mark: &Mark) {
        while self.arena.names.depth() > mark.names {
            self.arena.names.leave();
        }
        while self.arena.tags.depth() > mark.tags {
            self.arena.tags.leave();
        }
        self.body = mark.body;
        self.arena.flow.return_to(mark.flow);
    }

    fn pragma(&mut self, text: &str, span: Span) {
        self.read_pragma(text, span);
    }

    #[inline]
    fn named_type(&self, name: Symbol) -> Option<QualifiedType> {
        self.type_named(name)
    }

    fn is_predefined_type(&self, name: Symbol) -> bool {
        self.arena.predefined.get(name).is_some()
    }

    #[inline]
    fn is_declared(&self, name: Symbol) -> bool {
        self.arena.names.get(name).is_some()
    }

    #[inline]
    fn is_in_body(&self) -> bool {
        self.body.is_some()
    }

    fn reserved_name(&mut self, space: Space, span: Span) {
        if !self.reserved_name_seen {
            self.reserved_name_seen = true;
            let word = space.name();
            self.broken(
                Rule::QualifierReservedName,
                span,
                format!("`{word}` is reserved for an address space and cannot name anything else"),
            );
        }
    }

    fn generic_as_name(&mut self, span: Span) {
        self.disputed(
            Rule::QualifierReservedName,
            span,
            "`generic` is used as a name",
            "[address-space-qualifiers] reserves it without naming a version; before OpenCL C 2.0 there was \
             no generic address space to reserve it for",
        );
    }

    fn enter_scope(&mut self) {
        self.open_scope();
    }

    fn leave_scope(&mut self) {
        self.close_scope();
    }

    fn enter_nested_scope(&mut self) {
        self.open_scope();
        if let Some(body) = &mut self.body {
            body.nesting += 1;
        }
    }

    fn leave_nested_scope(&mut self) {
        self.close_scope();
        if let Some(body) = &mut self.body {
            body.nesting -= 1;
        }
    }

    fn qualify(&mut self, quals: &mut Qualifiers, space: Space, span: Span) {
        self.add_space(quals, space, span);
    }

    #[inline]
    fn has_space(&self, ty: QualifiedType) -> bool {
        self.arena.types.space(ty).is_some()
    }

    fn specified_type(&mut self, specifiers: &TypeSpecifiers) -> QualifiedType {
        self.type_specified(specifiers)
    }

    fn typeof_operand(&mut self, operand: Operand) -> QualifiedType {
        // The space of an expression is inferred, not written.
        self.without_space(operand.ty)
    }

    fn array_length(&mut self, size: Operand) -> Length {
        self.array_length(size)
    }

    fn declarator(&mut self, base: Base, written: &WrittenDeclarator<'_>) -> Declarator {
        self.apply_declarator(base, written)
    }

    #[inline]
    fn is_type_too_deep(&self) -> bool {
        self.arena.types.overflowed()
    }

    #[inline]
    fn is_vector(&self, ty: QualifiedType) -> bool {
        matches!(self.arena.types.of(ty), Type::Vector { .. })
    }

    fn tagged_type(
        &mut self,
        tag: Option<Symbol>,
        is_union: bool,
        has_semicolon: bool,
        span: Span,
    ) -> TypeId {
        self.record_tagged(tag, is_union, has_semicolon, span)
    }

    fn begin_record(&mut self, tag: Option<Symbol>, is_union: bool, span: Span) -> TypeId {
        self.new_record(tag, is_union, span)
    }

    fn complete_record(&mut self, record: TypeId, members: &[Member], layout: LayoutAttributes) {
        self.close_record(record, members, layout);
    }

    fn member(
        &mut self,
        declarator: &Declarator,
        span: Span,
        attributes: &Attributes,
        is_bit_field: bool,
    ) -> Option<Member> {
        self.named_member(declarator, span, attributes, is_bit_field)
    }

    fn anonymous_member(&mut self, specifiers: &Specifiers) -> Option<Member> {
        self.member_without_name(specifiers)
    }

    fn enumerator(
        &mut self,
        name: Option<Symbol>,
        span: Span,
        value: Option<Operand>,
        next: i64,
    ) -> i64 {
        self.declare_enumerator(name, span, value, next)
    }

    fn declare_enumeration(&mut self, tag: Option<Symbol>, span: Span) {
        self.declare_enumeration_tag(tag, span);
    }

    fn unsupported_storage_class(&mut self, span: Span) {
        self.superfluous(
            Rule::DeclarationAutoRegister,
            span,
            "`auto` and `register` are not supported",
        );
    }

    fn empty_declaration(&mut self, specifiers: &Specifiers) {
        if let Some(space) = self.written_space(specifiers.ty) {
            self.without_effect(space, specifiers.space_span);
        }
    }

    fn declare(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        has_initializer: bool,
    ) -> Option<OpenVariable> {
        self.declare_one(specifiers, declarator, has_initializer)
    }

    fn finish_variable(&mut self, variable: &OpenVariable, values: Option<&Values>) {
        self.close_variable(variable, values);
    }

    fn declare_parameter(&mut self, declarator: &Declarator, attributes: &Attributes) -> Parameter {
        self.parameter(declarator, attributes)
    }

    fn variadic(&mut self, span: Span) {
        self.broken(
            Rule::ParameterVariadic,
            span,
            "functions with a variable number of arguments are not supported",
        );
    }

    fn begin_function(&mut self, specifiers: &Specifiers, declarator: &Declarator) -> bool {
        self.open_function(specifiers, declarator)
    }

    fn open_body(&mut self, place: u32) {
        if let Some(body) = &mut self.body {
            body.start = Some(place);
        }
        if let Some(function) = self.body.and_then(|body| body.function) {
            self.arena.sites.bodies.push((function, place));
        }
    }

    fn end_function(&mut self) {
        self.close_function();
    }

    fn static_assertion(&mut self, condition: &Operand) {
        if condition.integer() == Some(0) {
            self.warn(condition.span, "this static assertion fails");
        }
    }

    fn begin_initializer(&mut self, variable: &OpenVariable) -> (QualifiedType, Values) {
        Self::initializer_of(variable)
    }

    fn single_value(&mut self, ty: QualifiedType, value: Operand, values: &mut Values) {
        self.initialize_whole(ty, value, values);
    }

    fn finish_list(&mut self, parts: &Parts, span: Span, values: &mut Values) {
        Self::finish_values(parts, span, values);
    }

    fn begin_parts(&self, ty: QualifiedType) -> Parts {
        self.first_part(ty)
    }

    fn begin_inner_parts(&self, parts: &Parts, part: QualifiedType) -> Parts {
        self.first_inner_part(parts, part)
    }

    fn part(&self, parts: &Parts) -> Option<QualifiedType> {
        self.next_part(parts)
    }

    fn initialize_part(
        &mut self,
        part: QualifiedType,
        value: Operand,
        parts: &mut Parts,
        values: &mut Values,
    ) {
        self.initialize_within(part, value, parts, values);
    }

    fn advance(&self, parts: &mut Parts) {
        self.pass_part(parts);
    }

    fn begin_designation(&self, parts: &mut Parts) {
        parts.leave_parts();
    }

    fn enter_designated(&self, parts: &mut Parts) {
        self.enter_part(parts);
    }

    fn is_too_deep(&self, parts: &Parts) -> bool {
        parts.is_beyond_limit()
    }

    fn designate_member(&self, parts: &mut Parts, name: Symbol) {
        self.stand_at_member(parts, name);
    }

    fn designate_element(&self, parts: &mut Parts, index: &Operand) {
        parts.stand_at_element(index);
    }

    fn begin_for_declaration(&mut self, start: u32) {
        if let Some(body) = &mut self.body {
            body.for_declaration = Some(start);
        }
    }

    fn condition(&mut self, condition: Operand) -> Option<bool> {
        let condition = self.rvalue(condition);
        self.judge_condition(&condition);
        condition.integer().map(|value| value != 0)
    }

    fn begin_loop(&mut self) {
        self.open_loop();
    }

    fn begin_switch(&mut self, condition: Operand) {
        let condition = self.rvalue(condition);
        self.open_switch(&condition);
    }

    fn end_target(&mut self) {
        self.close_target();
    }

    fn case(&mut self, keyword: Span, first: Operand, last: Option<Operand>) {
        self.judge_case(keyword, first, last);
    }

    fn default_label(&mut self, keyword: Span) {
        self.judge_default(keyword);
    }

    fn label(&mut self, name: Symbol, span: Span) {
        self.judge_label(name, span);
    }

    fn goto(&mut self, name: Symbol, span: Span) {
        self.note_goto(name, span);
    }

    fn break_statement(&mut self, keyword: Span) {
        self.judge_break(keyword);
    }

    fn continue_statement(&mut self, keyword: Span) {
        self.judge_continue(keyword);
    }

    fn return_value(&mut self, keyword: Span, value: Option<Operand>) {
        self.judge_return(keyword, value);
    }

    fn begin_unevaluated(&mut self) {
        self.arena.inventory.begin_unevaluated();
    }

    fn end_unevaluated(&mut self) {
        self.arena.inventory.end_unevaluated();
    }

    #[inline]
    fn span_of(operand: &Operand) -> Span {
        operand.span
    }

    #[inline]
    fn type_of(operand: &Operand) -> QualifiedType {
        operand.ty
    }

    #[inline]
    fn at(operand: Operand, span: Span) -> Operand {
        operand.at(span)
    }

    #[inline]
    fn unknown_value(span: Span) -> Operand {
        Operand::error(span)
    }

    #[inline]
    fn literal(&mut self, kind: TokenKind, text: Symbol, span: Span) -> Operand {
        self.literal_value(kind, text, span)
    }

    fn string_literal(&mut self, pieces: &[Symbol], span: Span) -> Operand {
        self.string_value(pieces, span)
    }

    #[inline]
    fn name(&mut self, name: Symbol, span: Span) -> Operand {
        self.named(name, span)
    }

    #[inline]
    fn is_function_name(&self, name: Symbol) -> bool {
        matches!(self.arena.names.get(name), None | Some(Binding::Function(_)))
    }

    #[inline]
    fn call_name(
        &mut self,
        name: Symbol,
        name_span: Span,
        arguments: &mut [Operand],
        span: Span,
    ) -> Operand {
        match self.arena.names.get(name) {
            Some(Binding::Function(id)) => self.call_function(id, name, name_span, arguments, span),
            _ => self.call_by_name(name, name_span, arguments, span),
        }
    }

    fn call(&mut self, callee: Operand, arguments: &[Operand], span: Span) -> Operand {
        self.call_value(callee, arguments, span)
    }

    fn element(&mut self, base: Operand, index: Operand, span: Span) -> Operand {
        self.index(base, index, span)
    }

    fn select(&mut self, object: &Operand, name: Symbol, at: Span) -> Operand {
        self.select_member(object, name, at)
    }

    fn dereference(&mut self, operand: Operand, span: Span) -> Operand {
        self.dereference(operand, span)
    }

    fn address_of(&mut self, operand: Operand, span: Span) -> Operand {
        self.address_of(operand, span)
    }

    fn step(&mut self, operand: &Operand, span: Span) -> Operand {
        self.step(operand, span)
    }

    fn sign(&mut self, operator: Punct, operand: Operand, span: Span) -> Operand {
        self.sign(operator, operand, span)
    }

    fn cast(
        &mut self,
        ty: QualifiedType,
        operand: Operand,
        span: Span,
        pointee_place: Option<u32>,
    ) -> Operand {
        self.cast(ty, operand, span, pointee_place)
    }

    fn size_query(&mut self, is_sizeof: bool, ty: TypeId, span: Span) -> Operand {
        self.size_value(is_sizeof, ty, span)
    }

    #[inline]
    fn combine(
        &mut self,
        left: Operand,
        operator: Punct,
        operator_span: Span,
        right: Operand,
    ) -> Operand {
        self.combine(left, operator, operator_span, right)
    }

    fn assign(&mut self, left: &Operand, right: Operand) -> Operand {
        self.assign(left, right)
    }

    fn assign_compound(&mut self, left: &Operand, operator: Punct, right: Operand) -> Operand {
        self.assign_compound(left, operator, right)
    }

    fn join(&mut self, condition: Operand, left: Operand, right: Operand) -> Operand {
        self.join(condition, left, right)
    }

    fn comma(&mut self, left: &Operand, right: Operand) -> Operand {
        self.comma(left, right)
    }

    #[inline]
    fn use_value(&mut self, operand: Operand) -> Operand {
        self.rvalue(operand)
    }

    fn discard_value(&mut self, operand: &Operand) {
        self.list_access(operand, AccessKind::Read);
    }

    fn statement_value(&mut self, last: Option<Operand>, span: Span) -> Operand {
        // A statement expression is never constant.
        let value = last.map_or(Operand::value(QualifiedType::VOID, span), |last| {
            let value = self.rvalue(last);
            Operand { constness: Constness::Variable, ..value }
        });
        value.at(span)
    }

    fn vector_literal(&mut self, ty: QualifiedType, components: &[Operand], span: Span) -> Operand {
        self.vector_value(ty, components, span)
    }

    fn begin_compound_literal(
        &mut self,
        ty: QualifiedType,
        space_span: Span,
    ) -> (QualifiedType, Values) {
        self.open_compound_literal(ty, space_span)
    }

    fn end_compound_literal(
        &mut self,
        ty: QualifiedType,
        parts: &Parts,
        values: &Values,
        span: Span,
    ) -> Operand {
        self.compound_literal(ty, parts, values, span)
    }

    fn begin_block(&mut self, declared: QualifiedType, has_result: bool, caret: Span) -> OpenBlock {
        self.judge_block_support(caret);
        self.open_block(declared, has_result)
    }

    fn end_block(&mut self, block: &OpenBlock, span: Span) -> Operand {
        self.close_block(block, span)
    }
}
