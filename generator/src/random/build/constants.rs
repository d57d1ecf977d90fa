//! Constant expressions: what initializes objects of static storage duration.

use expectations::space::AddressSpace;

use super::{Builder, Scope, pointers::Fit};
use crate::random::{
    settings::Feature,
    tree::{Designator, Element, Expression},
    types::{CHAR, Kind, Pointee, Ty},
};

impl Builder<'_> {
    /// A constant initializer of `ty`.
    pub(in crate::random) fn constant_initializer(&mut self, ty: Ty) -> Expression {
        match self.types.kind(ty) {
            Kind::Void
            | Kind::Integer(_)
            | Kind::Floating(_)
            | Kind::Enumeration(_)
            | Kind::Atomic(..)
            | Kind::Opaque(_) => self.constant_number(ty),
            Kind::Vector(_, element, length) => {
                let count = if self.choices.one_in(2) { u32::from(length) } else { 1 };
                let components = (0..count).map(|_| self.constant_number(element)).collect();
                Expression::VectorLiteral(ty, components)
            }
            Kind::Pointer(pointee) => self.constant_pointer(pointee),
            Kind::Array(element, length) => {
                let count = 1 + self.choices.below(u32::from(length));
                let is_designated = self.choices.one_in(4);
                let elements = (0..count).map(|index| Element {
                    designator: if is_designated {
                        Designator::Index(index as u8)
                    } else {
                        Designator::None
                    },
                    value: self.constant_initializer(element),
                });
                Expression::List(elements.collect())
            }
            Kind::Record(index) => {
                let record = self.types.record_of(index);
                let most = if record.is_union { 1 } else { record.members.len() as u32 };
                let count = 1 + self.choices.below(most);
                let is_designated = self.choices.one_in(4);
                let elements = (0..count as usize).map(|position| {
                    let member = self.types.record_of(index).members[position];
                    Element {
                        designator: if is_designated {
                            Designator::Member(member.name)
                        } else {
                            Designator::None
                        },
                        value: self.constant_initializer(member.ty),
                    }
                });
                Expression::List(elements.collect())
            }
        }
    }

    fn constant_number(&mut self, ty: Ty) -> Expression {
        let number = self.number(ty);
        match self.choices.below(7) {
            0..=2 => number,
            3 => {
                let other = self.number(ty);
                Expression::Binary(
                    self.choices.pick(&[" + ", " * ", " - "]),
                    Box::new([number, other]),
                )
            }
            4 => Expression::Prefix("-", Box::new(number)),
            5 => self.enumerator().unwrap_or(number),
            _ => {
                let of = self.value_type();
                Expression::SizeOf(of)
            }
        }
    }

    /// A null pointer, or the address of an object that is there before the program runs.
    fn constant_pointer(&mut self, wanted: Pointee) -> Expression {
        if wanted.to == CHAR && wanted.is_const && wanted.space == AddressSpace::Constant {
            let has = self.has(Feature::StringLiterals);
            return Expression::Word(if has { "\"abc\"" } else { "0" });
        }
        if self.choices.below(2) == 0 {
            return Expression::Word(if self.choices.one_in(2) { "NULL" } else { "0" });
        }
        // Elements and members of an object are as constant as the object; what a pointer points to is not.
        let types = &self.types;
        let found = self.variables.iter().rev().find_map(|variable| {
            if variable.declared_in != Scope::Program || variable.is_hidden {
                return None;
            }
            let fits = |to| {
                let given = Pointee {
                    to,
                    space: variable.space,
                    is_const: variable.is_const,
                    is_volatile: variable.is_volatile,
                };
                Fit::Converts.takes_pointer(types, wanted, given)
            };
            let name = Expression::Name(variable.name);
            match types.kind(variable.ty) {
                _ if fits(variable.ty) => Some(Expression::Prefix("&", Box::new(name))),
                Kind::Array(element, _) if fits(element) => Some(name),
                _ => None,
            }
        });
        found.unwrap_or(Expression::Word("0"))
    }
}
