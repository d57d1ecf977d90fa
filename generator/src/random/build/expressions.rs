//! Expressions whose value is a number, a vector or a structure.

use expectations::space::AddressSpace;

use super::{Builder, Callee, pointers::Fit};
use crate::random::{
    settings::Feature,
    tree::{Expression, Name},
    types::{CHAR, INT, Kind, Pointee, Ty, Types, UINT},
};

impl Builder<'_> {
    /// A value of type `ty`, or one that converts to it.
    pub(in crate::random) fn value(&mut self, ty: Ty, fuel: u32) -> Expression {
        match self.types.kind(ty) {
            Kind::Void
            | Kind::Array(..)
            | Kind::Integer(_)
            | Kind::Floating(_)
            | Kind::Atomic(..) => self.number_value(ty, fuel),
            Kind::Enumeration(_) => self.enumeration_value(ty, fuel),
            Kind::Opaque(_) => self.read(ty).unwrap_or_else(|| self.number(ty)),
            Kind::Vector(..) => self.vector_value(ty, fuel),
            Kind::Record(_) => self.record_value(ty, fuel),
            Kind::Pointer(pointee) => self.pointer(pointee, Fit::Converts, fuel),
        }
    }

    /// Something to decide on.
    pub(in crate::random) fn condition(&mut self, fuel: u32) -> Expression {
        if fuel > 0 && self.choices.one_in(3) {
            return self.comparison(fuel - 1);
        }
        self.value(INT, fuel)
    }

    pub(super) fn number(&mut self, ty: Ty) -> Expression {
        let value = self.choices.below(16);
        let suffix = match self.types.kind(ty) {
            Kind::Floating(_) => ".0f",
            _ if ty == UINT => "u",
            _ => "",
        };
        Expression::Number(value, suffix)
    }

    fn number_value(&mut self, ty: Ty, fuel: u32) -> Expression {
        let kinds = if fuel == 0 { 4 } else { 15 };
        match self.choices.below(kinds) {
            0 => self.number(ty),
            1..=3 => self.read(ty).unwrap_or_else(|| self.number(ty)),
            4 | 5 => {
                let operator = self.operator(ty);
                let left = self.value(ty, fuel - 1);
                let right = self.value(ty, fuel - 1);
                Expression::Binary(operator, Box::new([left, right]))
            }
            6 => {
                let condition = self.condition(fuel - 1);
                let left = self.value(ty, fuel - 1);
                let right = self.value(ty, fuel - 1);
                Expression::Conditional(Box::new([condition, left, right]))
            }
            7 => {
                let from = self.choices.pick(&crate::random::types::SCALARS);
                let inner = self.value(from, fuel - 1);
                Expression::Cast(ty, Box::new(inner))
            }
            8 => match self.callee_where(|_, result| result == ty) {
                Some(index) => self.call(index, fuel - 1),
                None => self.comparison(fuel - 1),
            },
            9 if self.has(Feature::Builtins) => {
                self.pointer_builtin(ty, fuel - 1).unwrap_or_else(|| self.number(ty))
            }
            13 if self.has(Feature::Atomics) => {
                self.atomic_value(ty, fuel - 1).unwrap_or_else(|| self.number(ty))
            }
            14 => self.enumerator().unwrap_or_else(|| self.number(ty)),
            10 => self.plain_builtin(ty, fuel - 1),
            11 => self.component(ty).unwrap_or_else(|| self.number(ty)),
            _ => {
                let operator = if self.is_integer(ty) { "~" } else { "-" };
                let operand = self.value(ty, fuel - 1);
                Expression::Prefix(self.choices.pick(&["-", operator]), Box::new(operand))
            }
        }
    }

    fn enumeration_value(&mut self, ty: Ty, fuel: u32) -> Expression {
        let made = match self.choices.below(3) {
            0 => None,
            1 => self.read(ty),
            _ if fuel == 0 => self.enumerator(),
            _ => {
                let number = self.value(INT, fuel - 1);
                Some(Expression::Cast(ty, Box::new(number)))
            }
        };
        made.unwrap_or_else(|| self.number(ty))
    }

    /// A constant of an enumeration.
    pub(super) fn enumerator(&mut self) -> Option<Expression> {
        let count = self.types.enumerations().len() as u32;
        if count == 0 {
            return None;
        }
        let index = self.choices.below(count) as usize;
        let constants = self.types.enumerations()[index].constants.len() as u32;
        let constant = self.choices.below(constants) as usize;
        Some(Expression::Name(self.types.enumerations()[index].constants[constant].0))
    }

    pub(super) fn is_integer(&self, ty: Ty) -> bool {
        matches!(self.types.kind(ty), Kind::Integer(_))
    }

    fn operator(&mut self, ty: Ty) -> &'static str {
        if self.is_integer(ty) {
            self.choices.pick(&[" + ", " - ", " * ", " & ", " | ", " ^ "])
        } else {
            self.choices.pick(&[" + ", " - ", " * "])
        }
    }

    fn read(&mut self, ty: Ty) -> Option<Expression> {
        // Integers smaller than int are numbers too.
        let also = if ty == INT { CHAR } else { ty };
        let place = self.place_where(|_, spot| spot.ty == ty || spot.ty == also);
        place.map(|(expression, _)| expression)
    }

    fn vector_value(&mut self, ty: Ty, fuel: u32) -> Expression {
        let Kind::Vector(_, element, length) = self.types.kind(ty) else { return self.number(ty) };
        let kinds = if fuel == 0 { 3 } else { 7 };
        let made = match self.choices.below(kinds) {
            0 => None,
            1 | 2 => self.read(ty),
            3 => {
                let is_integer = self.is_integer(element);
                let operator =
                    self.choices.pick(&[" + ", " * ", if is_integer { " & " } else { " - " }]);
                let left = self.value(ty, fuel - 1);
                let right = self.value(ty, fuel - 1);
                Some(Expression::Binary(operator, Box::new([left, right])))
            }
            4 if self.has(Feature::Builtins) => self.pointer_builtin(ty, fuel - 1),
            5 if self.has(Feature::Images) => self.image_value(ty, fuel - 1),
            _ => {
                let count = if self.choices.one_in(2) { u32::from(length) } else { 1 };
                let components = (0..count).map(|_| self.value(element, fuel - 1)).collect();
                Some(Expression::VectorLiteral(ty, components))
            }
        };
        made.unwrap_or_else(|| {
            let number = self.number(element);
            Expression::VectorLiteral(ty, vec![number])
        })
    }

    fn record_value(&mut self, ty: Ty, fuel: u32) -> Expression {
        let fuel = fuel.saturating_sub(1);
        let made = match self.choices.below(3) {
            0 | 1 => self.read(ty),
            _ => {
                let index = self.callee_where(|_, result| result == ty);
                index.map(|index| self.call(index, fuel))
            }
        };
        made.unwrap_or_else(|| {
            if self.has(Feature::CompoundLiterals) {
                let elements = self.elements(ty, fuel);
                return Expression::CompoundLiteral(ty, elements);
            }
            let null = self.null_of(Pointee::new(ty, AddressSpace::Global));
            Expression::Prefix("*", Box::new(null))
        })
    }

    /// A comparison of two pointers, or of a pointer with null; an integer.
    fn comparison(&mut self, fuel: u32) -> Expression {
        let left = self.any_pointee();
        let first = self.pointer(left, Fit::Same, fuel);
        let operator = self.choices.pick(&[" == ", " != ", " < ", " - ", " && ", " || "]);
        let null = matches!(operator, " == " | " != ") && self.choices.one_in(2);
        let second = if null {
            Expression::Word(self.choices.pick(&["0", "NULL"]))
        } else if operator == " && " || operator == " || " {
            let other = self.any_pointee();
            self.pointer(other, Fit::Same, fuel)
        } else {
            let mixes = operator != " - " && self.dialect.generic && left.space.facts().in_generic;
            let space = if mixes && left.space != AddressSpace::Generic && self.choices.one_in(3) {
                AddressSpace::Generic
            } else {
                left.space
            };
            self.pointer(Pointee { space, ..left }, Fit::Same, fuel)
        };
        let compared = Expression::Binary(operator, Box::new([first, second]));
        Expression::Cast(INT, Box::new(compared))
    }

    /// A function of the program with such a result, that can be called here: by its place among those known.
    pub(super) fn callee_where(&mut self, wanted: impl Fn(&Types, Ty) -> bool) -> Option<usize> {
        let types = &self.types;
        let fitting = |callee: &Callee| {
            let is_there = |ty: &Ty| {
                // Images and samplers are only passed on.
                !matches!(types.kind(*ty), Kind::Opaque(_))
                    || self.variables.iter().any(|known| !known.is_hidden && known.ty == *ty)
            };
            wanted(types, callee.result) && callee.parameters.iter().all(is_there)
        };
        let count = self.callees.iter().filter(|callee| fitting(callee)).count() as u32;
        if count == 0 {
            return None;
        }
        let mut indices = (0..self.callees.len()).filter(|&index| fitting(&self.callees[index]));
        let skipped = self.choices.below(count) as usize;
        indices.nth(skipped)
    }

    /// A call of a function of the program, by its place among those that can be called.
    pub(super) fn call(&mut self, index: usize, fuel: u32) -> Expression {
        let name = self.callees[index].name;
        let count = self.callees[index].parameters.len();
        let arguments = (0..count)
            .map(|position| {
                let ty = self.callees[index].parameters[position];
                self.converted(ty, fuel)
            })
            .collect();
        Expression::Call(name, arguments)
    }

    /// A component of a vector.
    fn component(&mut self, ty: Ty) -> Option<Expression> {
        let (vector, _) = self.place_where(
            |types, spot| matches!(types.kind(spot.ty), Kind::Vector(_, element, _) if element == ty),
        )?;
        let index = self.choices.below(2) as u16;
        let component = Name { letter: 's', index, is_file_scope: false };
        Some(Expression::Member(Box::new(vector), ".", component))
    }
}
