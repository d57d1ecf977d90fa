//! The interface between the grammar and the rules: the grammar calls an action at each construct that it reads.
//!
//! C declares names before it uses them, so a program is judged while it is read and there is no tree. The grammar
//! knows tokens and asks for meanings here; `sema` implements the actions and knows no tokens.

use std::fmt::Debug;

use crate::{
    parse::syntax::{Attributes, Base, Declarator, Specifiers, TypeSpecifiers, WrittenDeclarator},
    space::Space,
    span::Span,
    symbol::Symbol,
    token::{Punct, TokenKind},
    types::{LayoutAttributes, Length, Member, Parameter, QualifiedType, Qualifiers, TypeId},
};

/// The meaning of the constructs that the grammar reads.
pub(crate) trait Actions {
    /// An expression.
    type Operand: Copy + Debug;
    /// A declared variable whose initializer may follow.
    type Variable;
    /// The values of one initializer.
    type Values;
    /// A position within the object that a braced list initializes.
    type Parts;
    /// A block literal whose body is read.
    type Block;
    /// The open scopes and the body at one point of a program.
    type Mark;

    // Reading.

    /// Reports that the program cannot be read at `span`.
    fn not_understood(&mut self, span: Span, message: String);
    /// Reports a mistake in plain C.
    fn warn(&mut self, span: Span, message: &'static str);
    /// Notes that a part of the program was skipped: a name without a declaration may be declared there.
    fn skip_part(&mut self);
    /// Returns the scopes and the body that are open here.
    fn mark(&self) -> Self::Mark;
    /// Closes the scopes and the body that were opened since `mark`.
    fn close_to(&mut self, mark: &Self::Mark);
    /// Obeys the words after `#pragma`.
    fn pragma(&mut self, text: &str, span: Span);

    // Names and scopes.

    /// Returns the type that `name` names here.
    fn named_type(&self, name: Symbol) -> Option<QualifiedType>;
    /// Whether `name` names a type of the language in some dialect.
    fn is_predefined_type(&self, name: Symbol) -> bool;
    /// Whether the program declared `name` here.
    fn is_declared(&self, name: Symbol) -> bool;
    /// Whether a function's body is open.
    fn is_in_body(&self) -> bool;
    /// Reports that the name of a space is used as an ordinary name.
    fn reserved_name(&mut self, space: Space, span: Span);
    /// Reports that `generic` is used as a name, before OpenCL C 2.0.
    fn generic_as_name(&mut self, span: Span);
    fn enter_scope(&mut self);
    fn leave_scope(&mut self);
    /// Enters the scope of a compound statement or a `for`.
    fn enter_nested_scope(&mut self);
    fn leave_nested_scope(&mut self);

    // Types.

    /// Adds a space to the qualifiers of one level of a type.
    fn qualify(&mut self, quals: &mut Qualifiers, space: Space, span: Span);
    /// Whether `ty` has an address space.
    fn has_space(&self, ty: QualifiedType) -> bool;
    /// Returns the type that declaration specifiers name.
    fn specified_type(&mut self, specifiers: &TypeSpecifiers) -> QualifiedType;
    /// Returns the type of `typeof (operand)`.
    fn typeof_operand(&mut self, operand: Self::Operand) -> QualifiedType;
    /// Returns the length of an array whose brackets hold `size`.
    fn array_length(&mut self, size: Self::Operand) -> Length;
    /// Applies a declarator to the type before it.
    fn declarator(&mut self, base: Base, written: &WrittenDeclarator<'_>) -> Declarator;
    /// Whether some type is nested more deeply than types are followed.
    fn is_type_too_deep(&self) -> bool;
    /// Whether `ty` is a vector.
    fn is_vector(&self, ty: QualifiedType) -> bool;

    // Structures, unions and enumerations.

    /// Returns the type of `struct tag`. A `;` after the tag declares a new type.
    fn tagged_type(
        &mut self,
        tag: Option<Symbol>,
        is_union: bool,
        has_semicolon: bool,
        span: Span,
    ) -> TypeId;
    /// Returns the type whose members follow.
    fn begin_record(&mut self, tag: Option<Symbol>, is_union: bool, span: Span) -> TypeId;
    fn complete_record(&mut self, record: TypeId, members: &[Member], layout: LayoutAttributes);
    /// Judges a member.
    fn member(
        &mut self,
        declarator: &Declarator,
        span: Span,
        attributes: &Attributes,
        is_bit_field: bool,
    ) -> Option<Member>;
    /// Returns the member that specifiers without a declarator declare.
    fn anonymous_member(&mut self, specifiers: &Specifiers) -> Option<Member>;
    /// Declares an enumeration constant; returns the value of the next one.
    fn enumerator(
        &mut self,
        name: Option<Symbol>,
        span: Span,
        value: Option<Self::Operand>,
        next: i64,
    ) -> i64;
    fn declare_enumeration(&mut self, tag: Option<Symbol>, span: Span);

    // Declarations.

    /// Reports `auto` or `register`.
    fn unsupported_storage_class(&mut self, span: Span);
    /// Judges specifiers without a declarator.
    fn empty_declaration(&mut self, specifiers: &Specifiers);
    /// Declares a typedef name, a function or a variable; returns a variable, which may have an initializer.
    fn declare(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        has_initializer: bool,
    ) -> Option<Self::Variable>;
    /// Judges the values of a variable, or that it has none.
    fn finish_variable(&mut self, variable: &Self::Variable, values: Option<&Self::Values>);
    /// Judges and declares a parameter.
    fn declare_parameter(&mut self, declarator: &Declarator, attributes: &Attributes) -> Parameter;
    /// Reports the `...` of a parameter list.
    fn variadic(&mut self, span: Span);
    /// Declares a function and opens its body. Returns `false` where the declarator declares no function.
    fn begin_function(&mut self, specifiers: &Specifiers, declarator: &Declarator) -> bool;
    /// Notes the place after the brace that opens the body of a function.
    fn open_body(&mut self, place: u32);
    fn end_function(&mut self);
    fn static_assertion(&mut self, condition: &Self::Operand);

    // Initializers.

    /// Returns the type to initialize, and an initializer without values.
    fn begin_initializer(&mut self, variable: &Self::Variable) -> (QualifiedType, Self::Values);
    /// Initializes a whole object by one value.
    fn single_value(&mut self, ty: QualifiedType, value: Self::Operand, values: &mut Self::Values);
    /// Ends the braced list that initializes a whole object.
    fn finish_list(&mut self, parts: &Self::Parts, span: Span, values: &mut Self::Values);
    /// Returns the position before the first part of an object.
    fn begin_parts(&self, ty: QualifiedType) -> Self::Parts;
    /// Returns the position before the first part of the part at a position.
    fn begin_inner_parts(&self, parts: &Self::Parts, part: QualifiedType) -> Self::Parts;
    /// Returns the type of the part to initialize next.
    fn part(&self, parts: &Self::Parts) -> Option<QualifiedType>;
    /// Initializes `part`, or the first scalar within it.
    fn initialize_part(
        &mut self,
        part: QualifiedType,
        value: Self::Operand,
        parts: &mut Self::Parts,
        values: &mut Self::Values,
    );
    /// Moves past the part that was initialized.
    fn advance(&self, parts: &mut Self::Parts);
    /// Returns to the whole object, for a designation.
    fn begin_designation(&self, parts: &mut Self::Parts);
    /// Moves into the part that a designator names, for a further designator.
    fn enter_designated(&self, parts: &mut Self::Parts);
    /// Whether designators nest too deeply to be followed.
    fn is_too_deep(&self, parts: &Self::Parts) -> bool;
    fn designate_member(&self, parts: &mut Self::Parts, name: Symbol);
    fn designate_element(&self, parts: &mut Self::Parts, index: &Self::Operand);

    // Statements.

    /// Notes that the declaration at `start` is in the head of a `for`.
    fn begin_for_declaration(&mut self, start: u32);
    /// Judges the condition of `if` or of a loop. Returns whether it holds, where it is a constant.
    fn condition(&mut self, condition: Self::Operand) -> Option<bool>;
    fn begin_loop(&mut self);
    fn begin_switch(&mut self, condition: Self::Operand);
    /// Ends the innermost loop or `switch`.
    fn end_target(&mut self);
    /// Judges a `case` label. GNU C has a range, which ends in `last`.
    fn case(&mut self, keyword: Span, first: Self::Operand, last: Option<Self::Operand>);
    fn default_label(&mut self, keyword: Span);
    /// Judges a label that `goto` can name.
    fn label(&mut self, name: Symbol, span: Span);
    fn goto(&mut self, name: Symbol, span: Span);
    fn break_statement(&mut self, keyword: Span);
    fn continue_statement(&mut self, keyword: Span);
    /// Judges `return`; `keyword` is its place.
    fn return_value(&mut self, keyword: Span, value: Option<Self::Operand>);

    // Expressions.

    /// Notes that the operand or statement which follows is not evaluated.
    fn begin_unevaluated(&mut self);
    /// Notes the end of an operand that is not evaluated.
    fn end_unevaluated(&mut self);

    /// Returns the place of an expression.
    fn span_of(operand: &Self::Operand) -> Span;
    /// Returns the type of an expression.
    fn type_of(operand: &Self::Operand) -> QualifiedType;
    /// Returns the same expression at another place: parentheses.
    fn at(operand: Self::Operand, span: Span) -> Self::Operand;
    /// Returns an expression about which nothing is known.
    fn unknown_value(span: Span) -> Self::Operand;
    /// Returns a number or a character.
    fn literal(&mut self, kind: TokenKind, text: Symbol, span: Span) -> Self::Operand;
    /// Returns the string that `pieces` make together.
    fn string_literal(&mut self, pieces: &[Symbol], span: Span) -> Self::Operand;
    /// Returns the meaning of a name that is not called.
    fn name(&mut self, name: Symbol, span: Span) -> Self::Operand;
    /// Whether a call of `name` is one of a function or of a name without a declaration.
    fn is_function_name(&self, name: Symbol) -> bool;
    /// Calls a function by its name.
    fn call_name(
        &mut self,
        name: Symbol,
        name_span: Span,
        arguments: &mut [Self::Operand],
        span: Span,
    ) -> Self::Operand;
    /// Calls a value.
    fn call(
        &mut self,
        callee: Self::Operand,
        arguments: &[Self::Operand],
        span: Span,
    ) -> Self::Operand;
    fn element(&mut self, base: Self::Operand, index: Self::Operand, span: Span) -> Self::Operand;
    fn select(&mut self, object: &Self::Operand, name: Symbol, at: Span) -> Self::Operand;
    fn dereference(&mut self, operand: Self::Operand, span: Span) -> Self::Operand;
    fn address_of(&mut self, operand: Self::Operand, span: Span) -> Self::Operand;
    /// Judges `++` and `--`.
    fn step(&mut self, operand: &Self::Operand, span: Span) -> Self::Operand;
    /// Judges `+`, `-`, `~` and `!`.
    fn sign(&mut self, operator: Punct, operand: Self::Operand, span: Span) -> Self::Operand;
    /// Judges a cast. `pointee_place` is the place for the space of the object pointed to, where none is written.
    fn cast(
        &mut self,
        ty: QualifiedType,
        operand: Self::Operand,
        span: Span,
        pointee_place: Option<u32>,
    ) -> Self::Operand;
    /// Judges `sizeof` and the like for a type.
    fn size_query(&mut self, is_sizeof: bool, ty: TypeId, span: Span) -> Self::Operand;
    /// Judges a binary operator.
    fn combine(
        &mut self,
        left: Self::Operand,
        operator: Punct,
        operator_span: Span,
        right: Self::Operand,
    ) -> Self::Operand;
    fn assign(&mut self, left: &Self::Operand, right: Self::Operand) -> Self::Operand;
    fn assign_compound(
        &mut self,
        left: &Self::Operand,
        operator: Punct,
        right: Self::Operand,
    ) -> Self::Operand;
    /// Judges `condition ? left : right`.
    fn join(
        &mut self,
        condition: Self::Operand,
        left: Self::Operand,
        right: Self::Operand,
    ) -> Self::Operand;
    fn comma(&mut self, left: &Self::Operand, right: Self::Operand) -> Self::Operand;
    /// Uses the value of an expression: objects are read, arrays become pointers.
    fn use_value(&mut self, operand: Self::Operand) -> Self::Operand;
    /// Drops the value of an expression: an object is read all the same.
    fn discard_value(&mut self, operand: &Self::Operand);
    /// Returns the value of a statement expression.
    fn statement_value(&mut self, last: Option<Self::Operand>, span: Span) -> Self::Operand;
    fn vector_literal(
        &mut self,
        ty: QualifiedType,
        components: &[Self::Operand],
        span: Span,
    ) -> Self::Operand;
    /// Returns the type of the object that a compound literal makes, and an initializer without values.
    fn begin_compound_literal(
        &mut self,
        ty: QualifiedType,
        space_span: Span,
    ) -> (QualifiedType, Self::Values);
    fn end_compound_literal(
        &mut self,
        ty: QualifiedType,
        parts: &Self::Parts,
        values: &Self::Values,
        span: Span,
    ) -> Self::Operand;
    /// Opens the body of a block literal. `declared` is the type that was written for it.
    fn begin_block(
        &mut self,
        declared: QualifiedType,
        has_result: bool,
        caret: Span,
    ) -> Self::Block;
    fn end_block(&mut self, block: &Self::Block, span: Span) -> Self::Operand;
}
