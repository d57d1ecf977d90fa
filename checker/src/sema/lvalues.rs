//! Objects in expressions: names, members, elements, `*` and `&`.

use crate::{
    access::AccessKind,
    builtins,
    dialect::Version,
    nearest::nearest,
    rule::Rule,
    sema::{
        analyser::Analyser,
        constants::{character, floating, integer, string_length},
        initializers::{Parts, Values},
        inventory::ObjectOrigin,
        operand::{Category, Constness, Operand, Trait},
        report::Finding,
        scopes::{Binding, Duration, ObjectId},
    },
    space::Space,
    span::Span,
    symbol::Symbol,
    token::TokenKind,
    types::{Length, Opaque, QualifiedType, Qualifiers, RecordId, Scalar, Type, TypeId},
};

/// Names that the text mentions without declaring them for every dialect, each with the readings.
const LEFT_OPEN: [(&str, &str); 2] = [
    (
        "CLK_IMAGE_MEM_FENCE",
        "[table-other-builtin-types] lists the flag without a version; the documents of 1.x do not have it",
    ),
    (
        "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE",
        "the pages on global variables declare an array of that size; no section declares the name for programs",
    ),
];

impl Analyser<'_> {
    /// Returns the value of a number or a character.
    pub(crate) fn literal_value(&mut self, kind: TokenKind, symbol: Symbol, span: Span) -> Operand {
        let text = self.interner.text(symbol);
        match kind {
            TokenKind::Integer => {
                let (scalar, value) = integer(text);
                let constness = value.map_or(Constness::Arithmetic, Constness::Integer);
                Operand::constant(TypeId::scalar(scalar), constness, span)
            }
            TokenKind::Float => {
                let (scalar, truncated) = floating(text);
                let constness = truncated.map_or(Constness::Arithmetic, Constness::Floating);
                let literal = Operand::constant(TypeId::scalar(scalar), constness, span);
                self.without_half(literal)
            }
            _ => {
                let value = character(text);
                Operand::constant(TypeId::INT, Constness::Integer(value), span)
            }
        }
    }

    /// Judges an identifier that is not called.
    pub(crate) fn named(&mut self, name: Symbol, span: Span) -> Operand {
        match self.arena.names.get(name) {
            Some(Binding::Object(id)) => self.variable(id, span),
            Some(Binding::Function(id)) => {
                let signature = self.function(id).signature;
                let ty = self.arena.types.function(signature);
                Operand::constant(ty, Constness::Address, span)
            }
            Some(Binding::Enumerator(value)) => {
                Operand::constant(TypeId::INT, Constness::Integer(value), span)
            }
            Some(Binding::Typedef(_)) => {
                if !self.has_skipped {
                    let message = format!(
                        "`{}` is a type, and a value is expected",
                        self.interner.text(name)
                    );
                    self.report_unread(span, message, None);
                }
                Operand::error(span)
            }
            Some(Binding::Unknown) => Operand::error(span),
            None => self.predefined_name(name, span),
        }
    }

    fn variable(&mut self, id: ObjectId, span: Span) -> Operand {
        self.mention_object(id, span);
        let object = *self.object(id);
        self.arena.inventory.use_object(id);
        self.arena.sites.note_use(id, span);
        let level = self.body.map_or(0, |body| body.level);
        let mut operand = Operand {
            category: Category::Variable,
            origin: Some(id),
            ..Operand::lvalue(object.ty, span)
        };
        if object.duration == Duration::Program {
            operand.constness = Constness::Address;
        }
        if object.duration == Duration::Automatic && object.level < level {
            operand.trait_ = Trait::Captured;
        }
        operand
    }

    fn predefined_name(&mut self, name: Symbol, span: Span) -> Operand {
        if let Some((value, gate)) = self.arena.constants.get(name) {
            if !gate.admits(self.dialect) {
                let text = self.interner.text(name);
                let message = format!("`{text}` does not exist in this dialect");
                self.report(
                    Finding::new(Rule::BuiltinUnavailable, span, message)
                        .note(format!("it requires {gate}")),
                );
            }
            return Operand::constant(TypeId::INT, Constness::Integer(value), span);
        }
        match self.interner.text(name) {
            "__func__" => {
                if self.dialect.version < Version::V1_2 {
                    self.broken(
                        Rule::BuiltinUnavailable,
                        span,
                        "predefined identifiers need OpenCL C 1.2",
                    );
                    return Operand::error(span);
                }
                // C99 6.4.2.2 makes it a static array of const char.
                let mut element = TypeId::CHAR.plain();
                element.quals.is_const = true;
                element.quals.space = Some(Space::Unstated);
                let ty = self.arena.types.array(element, Length::Opaque).plain();
                Operand { constness: Constness::Address, ..Operand::lvalue(ty, span) }
            }
            "__FUNCTION__" | "__PRETTY_FUNCTION__" => Operand::error(span),
            "__atomic_flag_init" | "ATOMIC_FLAG_INIT" => Operand {
                trait_: Trait::AtomicMacro,
                ..Operand::constant(TypeId::INT, Constness::Arithmetic, span)
            },
            text => {
                if builtins::find(text).is_none() {
                    self.undeclared(name, span);
                }
                Operand::error(span)
            }
        }
    }

    /// Reports a name without a declaration that is not called: it cannot be a vendor's function. Further uses of the
    /// name are not reported.
    fn undeclared(&mut self, name: Symbol, span: Span) {
        let text = self.interner.text(name);
        if let Some((_, readings)) = LEFT_OPEN.iter().find(|(known, _)| *known == text) {
            let message = format!("it is disputed whether `{text}` is declared in this dialect");
            self.disputed(None, span, message, readings);
        } else if !self.has_skipped {
            let help = self.suggested_name(text).map(|meant| format!("did you mean `{meant}`?"));
            self.report_unread(span, format!("`{text}` is not declared"), help);
        }
        self.arena.names.declare(name, Binding::Unknown);
    }

    /// Returns the declared name that is most like `text`. The search looks at every name, so only the first few names
    /// get it.
    fn suggested_name(&mut self, text: &str) -> Option<&str> {
        self.suggestions_left = self.suggestions_left.checked_sub(1)?;
        let declared = self.arena.names.visible().map(|symbol| self.interner.text(symbol));
        let constants = builtins::constants().map(|constant| constant.name);
        nearest(text, declared.chain(constants))
    }

    /// Returns the function, of the program or built in, that is most like `text`.
    pub(super) fn suggested_function(&mut self, text: &str) -> Option<&str> {
        self.suggestions_left = self.suggestions_left.checked_sub(1)?;
        let interner = self.interner;
        let declared = self.arena.names.visible().map(|symbol| interner.text(symbol));
        nearest(text, declared).or_else(|| nearest(text, builtins::names()))
    }

    /// Returns the value of an operand: objects are read, arrays become pointers to their first element.
    pub(crate) fn rvalue(&mut self, operand: Operand) -> Operand {
        match self.arena.types.of(operand.ty) {
            Type::Array { element, .. } => {
                let element = self.arena.types.in_space_if_none(element, Space::Private);
                let ty = self.arena.types.pointer(element).plain();
                Operand { ty, category: Category::Value, ..operand }
            }
            Type::Function(_) => {
                self.broken(
                    Rule::TypeFunctionPointer,
                    operand.span,
                    "a function can be called, but there are no pointers to functions",
                );
                Operand::error(operand.span)
            }
            _ if operand.is_lvalue() => {
                self.list_access(&operand, AccessKind::Read);
                let value = self.read(operand);
                self.without_half(value)
            }
            _ => operand,
        }
    }

    fn read(&self, operand: Operand) -> Operand {
        let quals = operand.ty.quals;
        let is_constant = quals.is_const || quals.space == Some(Space::Constant);
        let value = match operand.origin {
            Some(id) if operand.category == Category::Variable => self.object(id).value,
            _ => None,
        };
        let constness = match (operand.constness, value) {
            (Constness::Address, Some(value)) if is_constant => Constness::Integer(value),
            (Constness::Address, None) if is_constant => Constness::Arithmetic,
            (_, Some(value)) if is_constant => Constness::Folded(value),
            _ => Constness::Variable,
        };
        let trait_ =
            if operand.trait_ == Trait::Captured { Trait::Nothing } else { operand.trait_ };
        Operand {
            ty: operand.ty.id.plain(),
            category: Category::Value,
            constness,
            trait_,
            ..operand
        }
    }

    /// Judges `*operand`.
    pub(crate) fn dereference(&mut self, operand: Operand, span: Span) -> Operand {
        let pointer = self.rvalue(operand);
        match self.arena.types.of(pointer.ty) {
            Type::Pointer(target) => {
                let constness = pointer.constness.of_address();
                let is_pointer = matches!(self.arena.types.of(target), Type::Pointer(_));
                let origin = if is_pointer { None } else { pointer.origin };
                Operand { constness, origin, ..Operand::lvalue(target, span) }
            }
            Type::Image { .. } => {
                self.image_accessed(span);
                Operand::error(span)
            }
            Type::Block(_) => {
                self.broken(
                    Rule::TypeBlockPointer,
                    span,
                    "a block is not a pointer and cannot be dereferenced",
                );
                Operand::error(span)
            }
            Type::Pipe(_) => {
                self.broken(
                    Rule::TypePipeUse,
                    span,
                    "the packets of a pipe are reached through built-in functions only",
                );
                Operand::error(span)
            }
            Type::Error => Operand::error(span),
            _ => {
                self.mistake(Rule::CIndirection, span, "only a pointer can be dereferenced");
                Operand::error(span)
            }
        }
    }

    fn image_accessed(&mut self, span: Span) {
        self.broken(
            Rule::TypeImageAccess,
            span,
            "the elements of an image are reached through built-in functions only",
        );
    }

    /// Judges `&operand`.
    pub(crate) fn address_of(&mut self, operand: Operand, span: Span) -> Operand {
        if operand.category == Category::VectorComponent {
            self.report(
                Finding::new(
                    Rule::ExpressionVectorComponentAddress,
                    span,
                    "the address of a vector component cannot be taken",
                )
                .help("cast a pointer to the vector to a pointer to its component type"),
            );
            return Operand::error(span);
        }
        let (rule, message) = match self.arena.types.of(operand.ty) {
            Type::Error => return Operand::error(span),
            Type::Function(_) => (Rule::TypeFunctionPointer, "there are no pointers to functions"),
            Type::Block(_) => (Rule::TypeBlockPointer, "there are no pointers to blocks"),
            Type::Image { .. } => (Rule::TypeImageUse, "there are no pointers to images"),
            Type::Pipe(_) => (Rule::TypePipeUse, "there are no pointers to pipes"),
            Type::Opaque(Opaque::Sampler) => {
                (Rule::TypeSamplerUse, "there are no pointers to samplers")
            }
            _ => return self.object_address(operand, span),
        };
        self.broken(rule, span, message);
        Operand::error(span)
    }

    fn object_address(&mut self, operand: Operand, span: Span) -> Operand {
        match operand.category {
            Category::Variable | Category::Lvalue => {}
            _ if operand.trait_ == Trait::VectorLiteral => {}
            _ => {
                self.mistake(Rule::CAddress, span, "only an object has an address");
                return Operand::error(span);
            }
        }
        let mut pointee = operand.ty;
        if operand.trait_ == Trait::Captured {
            pointee = self
                .arena
                .types
                .requalified(pointee, |quals| Qualifiers { is_const: true, ..quals });
        }
        let ty = self.arena.types.pointer(pointee).plain();
        let origin = operand.origin;
        let constness = operand.constness;
        Operand { constness, origin, ..Operand::value(ty, span) }
    }

    /// Judges `base[index]`.
    pub(crate) fn index(&mut self, base: Operand, index: Operand, span: Span) -> Operand {
        let index = self.rvalue(index);
        if let Type::Vector { element, .. } = self.arena.types.of(base.ty) {
            if !self.is_subscript(&index) {
                return Operand::error(span);
            }
            return Self::component(&base, TypeId::scalar(element), span);
        }
        let base = self.rvalue(base);
        let (base, index) = match self.arena.types.of(index.ty) {
            Type::Pointer(_) => (index, base),
            _ => (base, index),
        };
        match self.arena.types.of(base.ty) {
            Type::Pointer(_) if !self.is_subscript(&index) => return Operand::error(span),
            Type::Scalar(_) | Type::Record(_) | Type::Void => {
                let message = format!("`{}` has no elements", self.spelled(base.ty));
                self.mistake(Rule::CSubscript, span, message);
                return Operand::error(span);
            }
            _ => {}
        }
        let element = self.dereference(base, span);
        if index.is_constant() {
            element
        } else {
            Operand { constness: Constness::Variable, ..element }
        }
    }

    /// Judges the type of a subscript. Returns `false` if it reported an error.
    fn is_subscript(&mut self, index: &Operand) -> bool {
        let is_integer = match self.arena.types.of(index.ty) {
            Type::Scalar(scalar) => !scalar.is_float(),
            Type::Vector { .. } | Type::Pointer(_) | Type::Record(_) | Type::Void => false,
            _ => true,
        };
        if !is_integer {
            let message =
                format!("a subscript must be an integer, not `{}`", self.spelled(index.ty));
            self.mistake(Rule::CSubscript, index.span, message);
        }
        is_integer
    }

    fn component(vector: &Operand, id: TypeId, span: Span) -> Operand {
        let ty = QualifiedType { id, quals: vector.ty.quals };
        let category = if vector.is_lvalue() { Category::VectorComponent } else { Category::Value };
        let constness = match (vector.is_lvalue(), vector.constness) {
            (false, Constness::Arithmetic) => Constness::Arithmetic,
            (true, constness) => constness.of_address(),
            _ => Constness::Variable,
        };
        Operand { ty, category, constness, span, trait_: vector.trait_, origin: vector.origin }
    }

    /// Judges `object.name`.
    pub(crate) fn select_member(&mut self, object: &Operand, name: Symbol, at: Span) -> Operand {
        let span = object.span.to(at);
        match self.arena.types.of(object.ty) {
            Type::Error => Operand::error(span),
            Type::Record(record) => self.record_member(object, record, name, at),
            Type::Vector { element, width } => match components(self.interner.text(name), width) {
                Some(_) if has_duplicates(self.interner.text(name)) => {
                    let count = components(self.interner.text(name), width).unwrap_or(1);
                    let id = self.arena.types.vector(element, count);
                    // No object: a component would be written twice.
                    let value = Operand { category: Category::Value, ..*object };
                    let chosen = Self::component(&value, id, span);
                    Operand { ty: id.plain(), ..chosen }
                }
                Some(1) => Self::component(object, TypeId::scalar(element), span),
                Some(count) => {
                    let id = self.arena.types.vector(element, count);
                    Self::component(object, id, span)
                }
                None => {
                    let text = self.interner.text(name);
                    let vector = self.spelled(object.ty.id.plain());
                    let message = format!("`{text}` names no components of `{vector}`");
                    self.mistake(Rule::CVectorComponents, at, message);
                    Operand::error(span)
                }
            },
            Type::Image { .. } => {
                self.image_accessed(span);
                Operand::error(span)
            }
            // The text does not say whether this is a structure.
            Type::Opaque(Opaque::NdRange) => {
                self.warn(at, "the specification names no members of `ndrange_t`");
                Operand::error(span)
            }
            _ => {
                let text = self.interner.text(name);
                let ty = self.spelled(object.ty.id.plain());
                let message = format!("there is no member `{text}` in a `{ty}`");
                self.mistake(Rule::CMember, at, message);
                Operand::error(span)
            }
        }
    }

    fn record_member(
        &mut self,
        object: &Operand,
        record: RecordId,
        name: Symbol,
        at: Span,
    ) -> Operand {
        let span = object.span.to(at);
        let mut record = self.arena.types.record(record);
        if !record.complete {
            let message = format!(
                "`{}` is incomplete: it has no members",
                self.spelled(object.ty.id.plain())
            );
            self.mistake(Rule::CIncompleteType, span, message);
            return Operand::error(span);
        }
        let quals = object.ty.quals;
        for _ in 0..64 {
            let index = self.member_index(&record, name, 0);
            let Some(member) = index.and_then(|index| self.arena.types.member(&record, index))
            else {
                break;
            };
            if member.name.is_none()
                && let Type::Record(inner) = self.arena.types.of(member.ty)
            {
                record = self.arena.types.record(inner);
                continue;
            }
            let space = quals.space.unwrap_or(Space::Private);
            let ty = self.arena.types.requalified(member.ty, |own| Qualifiers {
                is_const: own.is_const || quals.is_const,
                is_volatile: own.is_volatile || quals.is_volatile,
                is_restrict: own.is_restrict,
                space: Some(space),
            });
            let category = match object.category {
                Category::Value => Category::Value,
                _ if member.is_bit_field => Category::BitField,
                _ => Category::Lvalue,
            };
            let ty =
                if category == Category::Value && !self.is_array(ty) { ty.id.plain() } else { ty };
            let is_pointer = matches!(self.arena.types.of(ty), Type::Pointer(_));
            let origin = if is_pointer { None } else { object.origin };
            let constness = object.constness.of_address();
            return Operand { ty, span, category, constness, trait_: object.trait_, origin };
        }
        let text = self.interner.text(name);
        let ty = self.spelled(object.ty.id.plain());
        let message = format!("there is no member `{text}` in a `{ty}`");
        self.mistake(Rule::CMember, at, message);
        Operand::error(span)
    }

    fn is_array(&self, ty: QualifiedType) -> bool {
        matches!(self.arena.types.of(ty), Type::Array { .. })
    }

    /// Returns the type of a string literal: `[addr-spaces-inference]` puts it into constant.
    pub(crate) fn string_type(&mut self, length: Length) -> QualifiedType {
        let mut element = TypeId::CHAR.plain();
        element.quals.space = Some(Space::Constant);
        self.arena.types.array(element, length).plain()
    }

    /// Returns the string that `pieces` make together.
    pub(super) fn string_value(&mut self, pieces: &[Symbol], span: Span) -> Operand {
        let lengths = pieces.iter().map(|&piece| string_length(self.interner.text(piece)));
        let ty = self.string_type(Length::Known(1 + lengths.sum::<u64>()));
        self.list_literal(ObjectOrigin::StringLiteral, ty, span);
        Operand {
            trait_: Trait::StringLiteral,
            constness: Constness::Address,
            ..Operand::lvalue(ty, span)
        }
    }

    /// Returns a vector literal of components whose values were used.
    pub(super) fn vector_value(
        &mut self,
        ty: QualifiedType,
        components: &[Operand],
        span: Span,
    ) -> Operand {
        let is_variable = |component: &Operand| component.constness == Constness::Variable;
        let constness = if components.iter().any(is_variable) {
            Constness::Variable
        } else {
            Constness::Arithmetic
        };
        self.judge_components(ty, components, span);
        let trait_ = Trait::VectorLiteral;
        self.without_half(Operand { constness, trait_, ..Operand::value(ty.id.plain(), span) })
    }

    /// Judges the components of a vector literal: as many as the vector has, or one scalar.
    fn judge_components(&mut self, ty: QualifiedType, components: &[Operand], span: Span) {
        let Type::Vector { width, .. } = self.arena.types.of(ty) else { return };
        let mut count = 0;
        for component in components {
            count += match self.arena.types.of(component.ty) {
                Type::Scalar(_) => 1,
                Type::Vector { width, .. } => width,
                Type::Pointer(_) | Type::Record(_) | Type::Void => {
                    let message =
                        format!("`{}` is not a component of a vector", self.spelled(component.ty));
                    return self.mistake(Rule::CVectorLiteral, component.span, message);
                }
                _ => return,
            };
        }
        let is_scalar = components.len() == 1 && count == 1;
        if count != width && !is_scalar {
            let message =
                format!("`{}` has {width} components, and these are {count}", self.spelled(ty));
            self.mistake(Rule::CVectorLiteral, span, message);
        }
    }

    /// Returns the type of the object that a compound literal makes, and its initializer without values.
    pub(super) fn open_compound_literal(
        &mut self,
        ty: QualifiedType,
        space_span: Span,
    ) -> (QualifiedType, Values) {
        let ty = self.compound_literal_type(ty, space_span);
        let is_static = self.body.is_none();
        let constant_for = is_static.then_some("an object of static storage duration");
        (ty, Values::new(None, constant_for))
    }

    pub(super) fn compound_literal(
        &mut self,
        ty: QualifiedType,
        parts: &Parts,
        values: &Values,
        span: Span,
    ) -> Operand {
        let ty = self.completed(ty, Some(parts.length));
        self.list_literal(ObjectOrigin::CompoundLiteral, ty, span);
        let constness = if self.body.is_none() {
            Constness::Address
        } else if !self.is_aggregate(ty) && values.all_constant {
            Constness::Arithmetic
        } else {
            Constness::Variable
        };
        Operand { constness, ..Operand::lvalue(ty, span) }
    }

    /// Returns the type of the object that a compound literal makes.
    pub(crate) fn compound_literal_type(
        &mut self,
        ty: QualifiedType,
        space_span: Span,
    ) -> QualifiedType {
        let space = self.arena.types.space(ty);
        if self.body.is_none() {
            // A literal outside functions has static storage duration.
            return self.arena.types.in_space_if_none(ty, Space::Unstated);
        }
        if space == Some(Space::Private) {
            self.disputed(
                Rule::QualifierCompoundLiteral,
                space_span,
                "a compound literal is qualified by `private`",
                "Embedded C, taken over by [address-space-qualifiers], allows no qualified literal inside a \
                 function; [addr-spaces-inference] puts the literal into private in any case",
            );
        } else if let Some(space) = space
            && !space.is_unknown()
        {
            self.superfluous(
                Rule::QualifierCompoundLiteral,
                space_span,
                format!(
                    "a compound literal inside a function cannot be qualified by `{}`",
                    space.name()
                ),
            );
        }
        self.arena.types.in_space_if_none(ty, Space::Private)
    }

    /// Returns `ty`, where an array without a size gets the `length` of its initializer.
    pub(crate) fn completed(&mut self, ty: QualifiedType, length: Option<u64>) -> QualifiedType {
        match (self.arena.types.of(ty), length) {
            (Type::Array { element, length: Length::Unsized }, Some(length)) => {
                self.arena.types.array(element, Length::Known(length)).plain()
            }
            _ => ty,
        }
    }

    /// Returns `operand`. Reports a half value that the dialect cannot compute with.
    pub(crate) fn without_half(&mut self, operand: Operand) -> Operand {
        if self.extensions.half_arithmetic || !self.is_half(operand.ty) {
            return operand;
        }
        self.report_half(operand.span);
        Operand::error(operand.span)
    }

    pub(crate) fn report_half(&mut self, span: Span) {
        self.report(
            Finding::new(
                Rule::TypeHalf,
                span,
                "half is a storage format here: only pointers to it can be declared",
            )
            .help("use `vload_half` and `vstore_half`, or enable cl_khr_fp16 where it exists"),
        );
    }

    pub(crate) fn is_half(&self, ty: QualifiedType) -> bool {
        matches!(
            self.arena.types.of(ty),
            Type::Scalar(Scalar::Half) | Type::Vector { element: Scalar::Half, .. }
        )
    }
}

/// Returns the number of components that `name` selects from a vector of `width`.
fn components(name: &str, width: u32) -> Option<u32> {
    let half = width.next_power_of_two() / 2;
    match name {
        "hi" | "lo" | "even" | "odd" => return Some(half.max(1)),
        _ => {}
    }
    let count = name.len() as u32;
    let is_supported = |count| matches!(count, 1..=4 | 8 | 16);
    if let Some(digits) = name.strip_prefix(['s', 'S'])
        && !digits.is_empty()
    {
        if !is_supported(count - 1) {
            return None;
        }
        return digits
            .chars()
            .all(|digit| digit.to_digit(16).is_some_and(|index| index < width))
            .then_some(count - 1);
    }
    let selects = |letters: &str| {
        name.chars().all(|letter| letters.find(letter).is_some_and(|at| (at as u32) < width))
    };
    (is_supported(count) && (selects("xyzw") || selects("rgba"))).then_some(count)
}

/// Whether the name of some components, which are there, names one of them twice.
fn has_duplicates(name: &str) -> bool {
    if matches!(name, "hi" | "lo" | "even" | "odd") {
        return false;
    }
    let names = name.strip_prefix(['s', 'S']).unwrap_or(name).as_bytes();
    let twice = |(at, name): (usize, &u8)| {
        names[..at].iter().any(|earlier| earlier.eq_ignore_ascii_case(name))
    };
    names.iter().enumerate().any(twice)
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_counted() {
        assert_eq!(components("xy", 4), Some(2));
        assert_eq!(components("rgba", 4), Some(4));
        assert_eq!(components("z", 2), None);
        assert_eq!(components("sF", 16), Some(1));
        assert_eq!(components("s0123", 4), Some(4));
        assert_eq!(components("s8", 8), None);
        assert_eq!(components("hi", 3), Some(2));
        assert_eq!(components("odd", 2), Some(1));
    }
}
