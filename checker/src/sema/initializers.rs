//! Initializers: the part of the object that each value initializes (C99 6.7.8).

use crate::{
    fix::Mend,
    parse::syntax::{Attributes, Storage},
    rule::Rule,
    sema::{
        analyser::Analyser,
        objects::Variable,
        operand::{Constness, Operand, Trait},
        placement::VariableDeclaration,
        report::Finding,
        scopes::ObjectId,
    },
    space::Space,
    span::Span,
    symbol::Symbol,
    types::{Length, QualifiedType, Record, Scalar, Type},
};

/// Number of aggregates within each other that a position is followed into.
const DEPTH_LIMIT: usize = 200;

/// The values of one initializer, and the demands on them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values {
    /// The variable to initialize.
    variable: Option<ObjectId>,
    /// Reason why the values must be constant, if they must.
    constant_for: Option<&'static str>,
    /// Whether a value that is not constant was reported.
    reported: bool,
    pub(super) all_constant: bool,
    /// Place of `ATOMIC_VAR_INIT` or `ATOMIC_FLAG_INIT`.
    pub(super) atomic_macro: Option<Span>,
    /// Constness of the whole; of a single integer, its value.
    pub(super) constness: Constness,
    /// Number of elements that an array without a size gets.
    pub(super) length: Option<u64>,
    /// Place of the whole.
    pub(super) span: Span,
}

/// A value that an initializer gives to a part of an object.
#[derive(Clone, Copy, Debug)]
struct PartValue {
    ty: QualifiedType,
    /// Offset of the part in the object, where it is known.
    offset: Option<u64>,
    value: Operand,
}

impl Values {
    /// Returns the initializer of a variable, or of a compound literal, without values.
    pub(super) fn new(variable: Option<ObjectId>, constant_for: Option<&'static str>) -> Self {
        Self {
            variable,
            constant_for,
            reported: false,
            all_constant: true,
            atomic_macro: None,
            constness: Constness::Variable,
            length: None,
            span: Span::default(),
        }
    }
}

/// An aggregate that is being initialized, and the index of its next part.
#[derive(Clone, Copy, Debug)]
struct Frame {
    ty: QualifiedType,
    next: u64,
}

/// A position within the object that a braced list initializes.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// The whole object and the aggregates within it, innermost last.
    frames: Vec<Frame>,
    /// Whether the object has parts; another one takes a single value in braces.
    is_composite: bool,
    /// Number of elements that an array without a size gets.
    pub(super) length: u64,
    /// Offset of this object in the variable that is initialized, where it is known.
    base: Option<u64>,
}

impl Parts {
    /// Returns to the whole object.
    pub(super) fn leave_parts(&mut self) {
        self.frames.truncate(1);
    }

    /// Whether the position is deeper than positions are followed.
    pub(super) fn is_beyond_limit(&self) -> bool {
        self.frames.len() > DEPTH_LIMIT
    }

    /// Moves to an element of the innermost aggregate.
    pub(super) fn stand_at_element(&mut self, index: &Operand) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = index.integer().and_then(|index| u64::try_from(index).ok()).unwrap_or(0);
        }
    }
}

impl Analyser<'_> {
    /// Initializes a whole object by one value.
    pub(super) fn initialize_whole(
        &mut self,
        ty: QualifiedType,
        value: Operand,
        values: &mut Values,
    ) {
        values.length = self.known_length(value.ty);
        values.constness = self.initialize_one(PartValue { ty, offset: Some(0), value }, values);
        values.span = value.span;
    }

    /// Ends the braced list that initializes a whole object.
    pub(super) fn finish_values(parts: &Parts, span: Span, values: &mut Values) {
        values.length = Some(parts.length);
        values.constness =
            if values.all_constant { Constness::Arithmetic } else { Constness::Variable };
        values.span = span;
    }

    /// Returns the position before the first part of an object.
    pub(super) fn first_part(&self, ty: QualifiedType) -> Parts {
        let is_composite =
            self.is_aggregate(ty) || matches!(self.arena.types.of(ty), Type::Vector { .. });
        Parts { frames: vec![Frame { ty, next: 0 }], is_composite, length: 0, base: Some(0) }
    }

    /// Returns the position before the first part of the part at a position.
    pub(super) fn first_inner_part(&self, parts: &Parts, part: QualifiedType) -> Parts {
        Parts { base: self.offset_of_part(parts), ..self.first_part(part) }
    }

    /// Returns the offset of the part at the position in the variable, where it is known.
    fn offset_of_part(&self, parts: &Parts) -> Option<u64> {
        if !parts.is_composite {
            return parts.base;
        }
        let offset_in = |frame: &Frame| self.arena.types.offset_of(frame.ty.id, frame.next);
        let within = parts.frames.iter().map(offset_in).sum::<Option<u64>>()?;
        parts.base?.checked_add(within)
    }

    /// Returns the type of the part to initialize next.
    pub(super) fn next_part(&self, parts: &Parts) -> Option<QualifiedType> {
        if parts.is_composite { self.part_of(&parts.frames) } else { Some(parts.frames[0].ty) }
    }

    /// Initializes `part`, or the first scalar within it.
    pub(super) fn initialize_within(
        &mut self,
        part: QualifiedType,
        value: Operand,
        parts: &mut Parts,
        values: &mut Values,
    ) {
        let mut part = part;
        let frames = &mut parts.frames;
        while self.is_aggregate(part) && !self.fills(part, &value) && frames.len() < DEPTH_LIMIT {
            frames.push(Frame { ty: part, next: 0 });
            match self.part_of(frames) {
                Some(first) => part = first,
                None => break,
            }
        }
        if self.is_braced_string(frames, part, &value) {
            self.arena.inventory.drop_string(value.span);
            if let [_] = frames[..]
                && let Some(length) = self.known_length(value.ty)
            {
                parts.length = parts.length.max(length);
            }
            return;
        }
        let offset = self.offset_of_part(parts);
        self.initialize_one(PartValue { ty: part, offset, value }, values);
    }

    /// Returns the number of elements of an array, where it is known.
    fn known_length(&self, ty: QualifiedType) -> Option<u64> {
        match self.arena.types.of(ty) {
            Type::Array { length: Length::Known(length), .. } => Some(length),
            _ => None,
        }
    }

    /// Whether `value` is a string in braces, which initializes the whole array of characters (C99 6.7.8).
    fn is_braced_string(&self, frames: &[Frame], part: QualifiedType, value: &Operand) -> bool {
        let Some(Frame { ty, next: 0 }) = frames.last() else { return false };
        value.trait_ == Trait::StringLiteral
            && matches!(self.arena.types.of(*ty), Type::Array { .. })
            && matches!(self.arena.types.of(part), Type::Scalar(Scalar::Char | Scalar::UChar))
    }

    /// Moves past the part that was initialized.
    pub(super) fn pass_part(&self, parts: &mut Parts) {
        if parts.is_composite {
            parts.length = parts.length.max(parts.frames[0].next.saturating_add(1));
            self.advance_frames(&mut parts.frames);
        }
    }

    /// Moves into the part at the position.
    pub(super) fn enter_part(&self, parts: &mut Parts) {
        let ty = self.part_of(&parts.frames).unwrap_or(QualifiedType::ERROR);
        parts.frames.push(Frame { ty, next: 0 });
    }

    /// Initializes one object by one value; returns the constness of the value.
    fn initialize_one(&mut self, part: PartValue, values: &mut Values) -> Constness {
        let PartValue { ty, offset, value } = part;
        let is_copied_string = value.trait_ == Trait::StringLiteral
            && matches!(self.arena.types.of(ty), Type::Array { .. });
        let constness = if is_copied_string {
            self.arena.inventory.drop_string(value.span);
            Constness::Arithmetic
        } else {
            let variable = values.variable.filter(|id| self.object(*id).ty.id == ty.id);
            self.convert_initializer(value, ty, variable).constness
        };
        if let (Some(id), Some(offset)) = (values.variable, offset) {
            self.list_number(id, ty, offset, &Operand { constness, ..value });
        }
        if value.trait_ == Trait::AtomicMacro {
            values.atomic_macro = Some(value.span);
        }
        if matches!(constness, Constness::Variable | Constness::Folded(_)) {
            values.all_constant = false;
            if let Some(reason) = values.constant_for
                && !values.reported
            {
                values.reported = true;
                self.report_not_constant(value, reason);
            }
        }
        constness
    }

    /// Whether `value` initializes the whole of the aggregate `ty`.
    fn fills(&self, ty: QualifiedType, value: &Operand) -> bool {
        match (self.arena.types.of(ty), self.arena.types.of(value.ty)) {
            (_, Type::Error) => true,
            (Type::Record(one), Type::Record(other)) => one == other,
            (Type::Array { element, .. }, _) if value.trait_ == Trait::StringLiteral => {
                matches!(self.arena.types.of(element), Type::Scalar(_))
            }
            _ => false,
        }
    }

    pub(super) fn is_aggregate(&self, ty: QualifiedType) -> bool {
        matches!(self.arena.types.of(ty), Type::Array { .. } | Type::Record(_))
    }

    /// Returns the part at the position of the innermost frame.
    fn part_of(&self, frames: &[Frame]) -> Option<QualifiedType> {
        let frame = frames.last()?;
        match self.arena.types.of(frame.ty) {
            Type::Array { element, length } => match length {
                Length::Known(length) if frame.next >= length => None,
                _ => Some(element),
            },
            Type::Record(id) => {
                let record = self.arena.types.record(id);
                self.arena.types.member(&record, frame.next).map(|member| member.ty)
            }
            // A short vector may give several components of a long one, so they are not counted.
            _ => Some(QualifiedType::ERROR),
        }
    }

    /// Moves to the next part.
    fn advance_frames(&self, frames: &mut Vec<Frame>) {
        loop {
            let count = frames.len();
            let Some(frame) = frames.last_mut() else { return };
            frame.next = frame.next.saturating_add(1);
            if self.is_union(frame.ty) {
                frame.next = u64::MAX;
            }
            if count == 1 || self.part_of(frames).is_some() {
                return;
            }
            frames.pop();
        }
    }

    fn is_union(&self, ty: QualifiedType) -> bool {
        match self.arena.types.of(ty) {
            Type::Record(id) => self.arena.types.record(id).is_union,
            _ => false,
        }
    }

    /// Moves to the member `name`, which may be inside anonymous members.
    pub(super) fn stand_at_member(&self, parts: &mut Parts, name: Symbol) {
        let frames = &mut parts.frames;
        while let Some(frame) = frames.last_mut()
            && let Type::Record(id) = self.arena.types.of(frame.ty)
        {
            let record = self.arena.types.record(id);
            let Some(index) = self.member_index(&record, name, 0) else {
                frame.next = u64::MAX;
                return;
            };
            frame.next = index;
            let Some(member) = self.arena.types.member(&record, index) else { return };
            if member.name.is_some() || frames.len() > 200 {
                return;
            }
            frames.push(Frame { ty: member.ty, next: 0 });
        }
    }

    /// Returns the index of the member that is `name`, or that is anonymous and contains it.
    pub(super) fn member_index(&self, record: &Record, name: Symbol, depth: u32) -> Option<u64> {
        self.arena.types.named_member(record, name).or_else(|| {
            let mut members = self.arena.types.members(record).iter();
            let index = members.position(|member| {
                member.name.is_none() && depth < 64 && self.contains_member(member.ty, name, depth)
            })?;
            Some(index as u64)
        })
    }

    fn contains_member(&self, ty: QualifiedType, name: Symbol, depth: u32) -> bool {
        match self.arena.types.of(ty) {
            Type::Record(id) => {
                let record = self.arena.types.record(id);
                self.member_index(&record, name, depth + 1).is_some()
            }
            _ => false,
        }
    }

    /// Judges `endian`, which is for pointers to global and constant memory.
    pub(crate) fn endian_attribute(&mut self, attributes: &Attributes, ty: QualifiedType) {
        let Some(span) = attributes.endian else { return };
        let pointee = self.arena.types.pointee(ty);
        let space = pointee.and_then(|pointee| self.arena.types.space(pointee));
        if !matches!(space, Some(Space::Global | Space::Constant)) {
            self.disputed(
                None,
                span,
                "`endian` is used with something other than a pointer to global or constant",
                "the pages on attributes limit it to such pointers; the unified specification does not \
                 mention it, and unknown attributes are ignored",
            );
        }
    }

    /// Judges the initialization of a variable, or its absence.
    pub(crate) fn judge_values(
        &mut self,
        declared: &VariableDeclaration,
        variable: &Variable,
        values: Option<&Values>,
    ) {
        match values {
            Some(values) => self.judge_initializer(declared, variable, values),
            None => self.judge_missing_initializer(declared, variable),
        }
    }

    fn judge_initializer(
        &mut self,
        declared: &VariableDeclaration,
        variable: &Variable,
        values: &Values,
    ) {
        let space = self.arena.types.space(variable.ty);
        if variable.is_sound {
            if space == Some(Space::Local) {
                self.report(
                    Finding::new(
                        Rule::InitializerLocal,
                        values.span,
                        "a variable in `local` cannot have an initializer",
                    )
                    .help(
                        "let one work-item assign to it, and wait with \
                         `barrier(CLK_LOCAL_MEM_FENCE)`",
                    )
                    .mend(self.assigned_once(declared, values)),
                );
            } else if let (Some(_), Some((Storage::Extern, _))) = (self.body, declared.storage) {
                self.broken(
                    Rule::InitializerExternInFunction,
                    values.span,
                    "an extern declaration inside a function cannot have an initializer",
                );
            } else if let Some(span) = values.atomic_macro {
                self.judge_atomic_macro(span, space);
            }
        }
        let ty = self.completed(variable.ty, values.length);
        let quals = self.arena.types.quals(ty);
        let is_integer = match self.arena.types.of(ty) {
            Type::Scalar(scalar) => !scalar.is_float(),
            _ => false,
        };
        let value = match values.constness {
            Constness::Integer(value) | Constness::Folded(value)
                if is_integer && (quals.is_const || quals.space == Some(Space::Constant)) =>
            {
                Some(value)
            }
            _ => None,
        };
        if let Some(id) = variable.object {
            let object = self.object_mut(id);
            object.ty = ty;
            object.value = value;
        }
    }

    /// Returns the change that lets one work-item assign the initializer to a local variable, before a barrier. Every
    /// work-item must reach it, and the value must be the same for all.
    fn assigned_once(&self, declared: &VariableDeclaration, values: &Values) -> Option<Mend> {
        self.body.filter(|body| body.is_kernel && !body.is_block && !body.has_jump)?;
        let is_whole =
            matches!(self.arena.types.of(declared.ty), Type::Scalar(_) | Type::Vector { .. });
        let is_same = values.constness != Constness::Variable;
        let (start, name) = (declared.start, declared.span);
        (is_whole && is_same).then_some(Mend::AssignOnce { start, name })
    }

    fn judge_atomic_macro(&mut self, span: Span, space: Option<Space>) {
        let message = "this macro initializes program-scope objects in `global` only";
        if space == Some(Space::Constant) {
            self.broken(Rule::InitializerAtomicMacro, span, message);
        } else if self.body.is_some() || space != Some(Space::Global) {
            self.disputed(
                Rule::InitializerAtomicMacro,
                span,
                message,
                "[atomic-functions] limits the macro to such objects, and requires no diagnostic \
                 elsewhere",
            );
        }
    }

    fn judge_missing_initializer(&mut self, declared: &VariableDeclaration, variable: &Variable) {
        let is_extern = matches!(declared.storage, Some((Storage::Extern, _)));
        if let Type::Block(_) = self.arena.types.of(variable.ty) {
            self.broken(
                Rule::BlockInitializer,
                declared.span,
                "a block variable must be initialized where it is declared",
            );
            return;
        }
        if variable.is_sound
            && self.body.is_some()
            && !is_extern
            && self.arena.types.space(variable.ty) == Some(Space::Constant)
        {
            self.report_missing_constant(declared.span);
        }
    }

    fn report_missing_constant(&mut self, span: Span) {
        self.report(
            Finding::new(
                Rule::InitializerConstantMissing,
                span,
                "a variable in `constant` must be initialized where it is declared",
            )
            .help(
                "write its value behind the name, `= 1` or `= { 1, 2 }`; values that the host sets are passed to \
                 the kernel, as `constant int *`",
            ),
        );
    }

    /// Reports a value that must be constant and is not.
    pub(crate) fn report_not_constant(&mut self, value: Operand, reason: &str) {
        if self.arena.types.of(value.ty) == Type::Error {
            return;
        }
        let labels = self.origins([&value]);
        self.report(
            Finding::new(
                Rule::InitializerNotConstant,
                value.span,
                format!("{reason} is initialized by constant expressions only"),
            )
            .labels(labels),
        );
    }

    /// Judges everything that needs the whole program.
    pub(crate) fn finish(&mut self) {
        self.withdraw_changes_for_others();
        self.judge_recursion();
        for index in 0..self.arena.incomplete.len() {
            let object = *self.object(self.arena.incomplete[index]);
            if self.is_incomplete(object.ty) {
                self.report_incomplete(object.ty, object.span);
            }
        }
        for index in 0..self.arena.objects.len() {
            let object = self.arena.objects[index];
            if object.wants_initializer && !object.is_initialized {
                self.report_missing_constant(object.span);
            }
        }
    }
}
