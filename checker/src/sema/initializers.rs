//! Initializers: each value meets the part of the object it initializes, as C99 6.7.8 says.

use crate::{
    sema::{
        analyser::Analyser,
        operand::{Constness, Operand, Trait},
        scopes::ObjectId,
    },
    span::Span,
    symbol::Symbol,
    types::{Length, Qualified, Record, Type},
};

/// Number of aggregates within each other that a position is followed into.
const DEPTH_LIMIT: usize = 200;

/// The values of one initializer, and what is asked of them.
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
    ty: Qualified,
    next: u64,
}

/// A position within the object that a braced list initializes.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// The whole object and the aggregates within it, innermost last.
    frames: Vec<Frame>,
    /// Whether the object has parts; another one takes a single value in braces.
    has_parts: bool,
    /// Number of elements that an array without a size gets.
    pub(super) length: u64,
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
    pub(super) fn initialize_whole(&mut self, ty: Qualified, value: Operand, values: &mut Values) {
        values.length = match self.arena.types.of(value.ty) {
            Type::Array { length: Length::Known(length), .. } => Some(length),
            _ => None,
        };
        values.constness = self.initialize_one(ty, value, values);
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
    pub(super) fn first_part(&self, ty: Qualified) -> Parts {
        let has_parts =
            self.is_aggregate(ty) || matches!(self.arena.types.of(ty), Type::Vector { .. });
        Parts { frames: vec![Frame { ty, next: 0 }], has_parts, length: 0 }
    }

    /// Returns the type of the part to initialize next.
    pub(super) fn next_part(&self, parts: &Parts) -> Option<Qualified> {
        if parts.has_parts { self.part_of(&parts.frames) } else { Some(parts.frames[0].ty) }
    }

    /// Initializes `part`, or the first scalar within it.
    pub(super) fn initialize_within(
        &mut self,
        part: Qualified,
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
        self.initialize_one(part, value, values);
    }

    /// Moves behind the part that was initialized.
    pub(super) fn pass_part(&self, parts: &mut Parts) {
        if parts.has_parts {
            parts.length = parts.length.max(parts.frames[0].next.saturating_add(1));
            self.advance_frames(&mut parts.frames);
        }
    }

    /// Moves into the part at the position.
    pub(super) fn enter_part(&self, parts: &mut Parts) {
        let ty = self.part_of(&parts.frames).unwrap_or(Qualified::ERROR);
        parts.frames.push(Frame { ty, next: 0 });
    }

    /// Initializes one object by one value; returns the constness of the value.
    fn initialize_one(&mut self, ty: Qualified, value: Operand, values: &mut Values) -> Constness {
        let is_copied_string = value.trait_ == Trait::StringLiteral
            && matches!(self.arena.types.of(ty), Type::Array { .. });
        let constness = if is_copied_string {
            Constness::Arithmetic
        } else {
            let variable = values.variable.filter(|id| self.object(*id).ty.id == ty.id);
            self.convert_initializer(value, ty, variable).constness
        };
        if value.trait_ == Trait::AtomicMacro {
            values.atomic_macro = Some(value.span);
        }
        if matches!(constness, Constness::Variable | Constness::Folded(_)) {
            values.all_constant = false;
            if let Some(reason) = values.constant_for
                && !values.reported
            {
                values.reported = true;
                self.not_constant(value, reason);
            }
        }
        constness
    }

    /// Whether `value` initializes the whole of the aggregate `ty`.
    fn fills(&self, ty: Qualified, value: &Operand) -> bool {
        match (self.arena.types.of(ty), self.arena.types.of(value.ty)) {
            (_, Type::Error) => true,
            (Type::Record(one), Type::Record(other)) => one == other,
            (Type::Array { element, .. }, _) if value.trait_ == Trait::StringLiteral => {
                matches!(self.arena.types.of(element), Type::Scalar(_))
            }
            _ => false,
        }
    }

    pub(super) fn is_aggregate(&self, ty: Qualified) -> bool {
        matches!(self.arena.types.of(ty), Type::Array { .. } | Type::Record(_))
    }

    /// The part the innermost frame stands at.
    fn part_of(&self, frames: &[Frame]) -> Option<Qualified> {
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
            _ => Some(Qualified::ERROR),
        }
    }

    /// Go to the part after the one just initialized.
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

    fn is_union(&self, ty: Qualified) -> bool {
        match self.arena.types.of(ty) {
            Type::Record(id) => self.arena.types.record(id).is_union,
            _ => false,
        }
    }

    /// Stand at the member `name`, which may be inside anonymous members.
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

    /// The index of the member that is `name` or, being anonymous, contains it.
    pub(super) fn member_index(&self, record: &Record, name: Symbol, depth: u32) -> Option<u64> {
        self.arena.types.named_member(record, name).or_else(|| {
            let mut members = self.arena.types.members(record).iter();
            let index = members.position(|member| {
                member.name.is_none() && depth < 64 && self.contains_member(member.ty, name, depth)
            })?;
            Some(index as u64)
        })
    }

    fn contains_member(&self, ty: Qualified, name: Symbol, depth: u32) -> bool {
        match self.arena.types.of(ty) {
            Type::Record(id) => {
                let record = self.arena.types.record(id);
                self.member_index(&record, name, depth + 1).is_some()
            }
            _ => false,
        }
    }
}
