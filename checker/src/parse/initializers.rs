//! Initializers: each value meets the part of the object it initializes, as C99 6.7.8 says.

use crate::{
    sema::{
        analyser::{Analyser, Parsed},
        objects::Variable,
        operand::{Constness, Operand, Trait},
        scopes::ObjectId,
    },
    span::Span,
    symbol::Symbol,
    token::{Punct, TokenKind},
    types::{Length, Qualified, Record, Type},
};

/// What an initializer turned out to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Initialized {
    /// Whether every value is constant; of a single integer, its value.
    pub(crate) constness: Constness,
    /// How many elements an array without a size gets.
    pub(crate) length: Option<u64>,
    pub(crate) span: Span,
    /// Where `ATOMIC_VAR_INIT` or `ATOMIC_FLAG_INIT` was used.
    pub(crate) atomic_macro: Option<Span>,
}

/// What is asked of every value of the initializer being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// The variable they are for.
    variable: Option<ObjectId>,
    /// Why the values must be constant, if they must.
    pub(crate) constant_for: Option<&'static str>,
    /// A value that is not was reported.
    pub(crate) reported: bool,
    pub(crate) all_constant: bool,
    pub(crate) atomic_macro: Option<Span>,
}

impl Demand {
    fn new(variable: &Variable) -> Self {
        Self { variable: variable.object, ..Self::of_literal(variable.constant_for) }
    }

    fn of_literal(constant_for: Option<&'static str>) -> Self {
        Self {
            variable: None,
            constant_for,
            reported: false,
            all_constant: true,
            atomic_macro: None,
        }
    }
}

/// An aggregate being filled and the next part of it.
#[derive(Clone, Copy, Debug)]
struct Frame {
    ty: Qualified,
    next: u64,
}

impl Analyser<'_> {
    /// What follows the `=` of a variable's declaration.
    pub(crate) fn variable_initializer(&mut self, variable: &Variable) -> Parsed<Initialized> {
        self.initializer(variable.ty, &mut Demand::new(variable))
    }

    /// A value or a braced list for an object of type `ty`.
    fn initializer(&mut self, ty: Qualified, demand: &mut Demand) -> Parsed<Initialized> {
        let start = self.current.span;
        if self.is(Punct::LBrace) {
            let length = self.braced(ty, demand)?;
            let constness =
                if demand.all_constant { Constness::Arithmetic } else { Constness::Variable };
            let span = start.to(self.previous);
            let atomic_macro = demand.atomic_macro;
            return Ok(Initialized { constness, length, span, atomic_macro });
        }
        let value = self.assignment()?;
        let length = match self.arena.types.of(value.ty) {
            Type::Array { length: Length::Known(length), .. } => Some(length),
            _ => None,
        };
        let constness = self.initialize(ty, value, demand);
        Ok(Initialized { constness, length, span: value.span, atomic_macro: demand.atomic_macro })
    }

    /// One value for one object.
    fn initialize(&mut self, ty: Qualified, value: Operand, demand: &mut Demand) -> Constness {
        let is_copied_string = value.trait_ == Trait::StringLiteral
            && matches!(self.arena.types.of(ty), Type::Array { .. });
        let constness = if is_copied_string {
            Constness::Arithmetic
        } else {
            let variable = demand.variable.filter(|id| self.object(*id).ty.id == ty.id);
            self.convert_initializer(value, ty, variable).constness
        };
        if value.trait_ == Trait::AtomicMacro {
            demand.atomic_macro = Some(value.span);
        }
        if matches!(constness, Constness::Variable | Constness::Folded(_)) {
            demand.all_constant = false;
            if let Some(reason) = demand.constant_for
                && !demand.reported
            {
                demand.reported = true;
                self.not_constant(value, reason);
            }
        }
        constness
    }

    /// `{ ... }` for an object of type `ty`; how many elements an array got.
    fn braced(&mut self, ty: Qualified, demand: &mut Demand) -> Parsed<Option<u64>> {
        self.enter()?;
        self.bump();
        let mut frames = vec![Frame { ty, next: 0 }];
        let is_aggregate = self.is_aggregate(ty) || self.is_vector(ty);
        let mut length = 0;
        while !self.is(Punct::RBrace) {
            if self.is(Punct::Dot) || self.is(Punct::LBracket) || self.is_old_designator() {
                frames.truncate(1);
                self.designators(&mut frames)?;
            }
            let part = if is_aggregate { self.part(&frames) } else { Some(ty) };
            self.part_initializer(part, &mut frames, demand)?;
            if is_aggregate {
                length = length.max(frames[0].next.saturating_add(1));
                self.advance(&mut frames);
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RBrace, "after an initializer")?;
        self.leave();
        Ok(Some(length))
    }

    /// The value for `part`, or for the first scalar within it.
    fn part_initializer(
        &mut self,
        part: Option<Qualified>,
        frames: &mut Vec<Frame>,
        demand: &mut Demand,
    ) -> Parsed<()> {
        let Some(mut part) = part else {
            let extra = self.current.span;
            self.warn(extra, "more values than the object has parts");
            self.initializer(Qualified::ERROR, demand)?;
            return Ok(());
        };
        if self.is(Punct::LBrace) {
            self.braced(part, demand)?;
            return Ok(());
        }
        let value = self.assignment()?;
        while self.is_aggregate(part) && !self.fills(part, &value) && frames.len() < 200 {
            frames.push(Frame { ty: part, next: 0 });
            match self.part(frames) {
                Some(first) => part = first,
                None => break,
            }
        }
        self.initialize(part, value, demand);
        Ok(())
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

    fn is_aggregate(&self, ty: Qualified) -> bool {
        matches!(self.arena.types.of(ty), Type::Array { .. } | Type::Record(_))
    }

    fn is_vector(&self, ty: Qualified) -> bool {
        matches!(self.arena.types.of(ty), Type::Vector { .. })
    }

    /// The part the innermost frame stands at.
    fn part(&self, frames: &[Frame]) -> Option<Qualified> {
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
    fn advance(&self, frames: &mut Vec<Frame>) {
        loop {
            let count = frames.len();
            let Some(frame) = frames.last_mut() else { return };
            frame.next = frame.next.saturating_add(1);
            if self.is_union(frame.ty) {
                frame.next = u64::MAX;
            }
            if count == 1 || self.part(frames).is_some() {
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

    /// GNU's `member: value`.
    fn is_old_designator(&self) -> bool {
        self.current.kind == TokenKind::Identifier && self.peek(1) == TokenKind::Punct(Punct::Colon)
    }

    fn designators(&mut self, frames: &mut Vec<Frame>) -> Parsed<()> {
        if self.is_old_designator() {
            let name = self.bump().symbol;
            self.bump();
            self.designate_member(frames, name);
            return Ok(());
        }
        let mut is_first = true;
        loop {
            if !self.is(Punct::Dot) && !self.is(Punct::LBracket) {
                break;
            }
            if !is_first {
                let ty = self.part(frames).unwrap_or(Qualified::ERROR);
                frames.push(Frame { ty, next: 0 });
            }
            is_first = false;
            if self.eat(Punct::Dot) {
                if let Some(name) = self.name("a member's name")? {
                    self.designate_member(frames, name);
                }
            } else {
                self.designate_element(frames)?;
            }
            if frames.len() > 200 {
                return self.unexpected("fewer designators");
            }
        }
        self.expect(Punct::Eq, "after a designator")?;
        Ok(())
    }

    fn designate_element(&mut self, frames: &mut [Frame]) -> Parsed<()> {
        self.bump();
        let mut index = self.conditional()?;
        if self.eat(Punct::Ellipsis) {
            index = self.conditional()?;
        }
        self.expect(Punct::RBracket, "after a designator")?;
        if let Some(frame) = frames.last_mut() {
            frame.next = index.integer().and_then(|index| u64::try_from(index).ok()).unwrap_or(0);
        }
        Ok(())
    }

    /// Stand at the member `name`, which may be inside anonymous members.
    fn designate_member(&mut self, frames: &mut Vec<Frame>, name: Symbol) {
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
    pub(crate) fn member_index(&self, record: &Record, name: Symbol, depth: u32) -> Option<u64> {
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

    /// `(type){ ... }`, with what follows it.
    pub(crate) fn compound_literal(
        &mut self,
        ty: Qualified,
        open: Span,
        space_span: Span,
    ) -> Parsed<Operand> {
        let in_function = self.body.is_some();
        let ty = self.compound_literal_type(ty, space_span);
        let constant_for = (!in_function).then_some("an object of static storage duration");
        let mut demand = Demand::of_literal(constant_for);
        let length = self.braced(ty, &mut demand)?;
        let ty = self.completed(ty, length);
        let constness = if in_function {
            match (self.is_aggregate(ty), demand.all_constant) {
                (false, true) => Constness::Arithmetic,
                _ => Constness::Variable,
            }
        } else {
            Constness::Address
        };
        let literal = Operand::lvalue(ty, open.to(self.previous));
        self.postfix_operators(Operand { constness, ..literal })
    }
}
