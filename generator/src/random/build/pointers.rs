//! Expressions whose value is a pointer.

use expectations::space::AddressSpace;

use super::{Builder, Place};
use crate::random::{
    settings::Feature,
    tree::Expression,
    types::{CHAR, INT, Kind, Pointee, Ty, Types},
};

/// How well a pointer's type fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::random) enum Fit {
    /// It converts to what is wanted.
    Converts,
    /// It points into the very space, and is no null pointer constant.
    Same,
}

impl Fit {
    pub(super) fn takes(self, wanted: Pointee, space: AddressSpace) -> bool {
        match self {
            Self::Converts => wanted.space.encloses(space),
            Self::Same => wanted.space == space,
        }
    }

    /// Whether a pointer to `given` does.
    pub(super) fn takes_pointer(self, types: &Types, wanted: Pointee, given: Pointee) -> bool {
        given.to == wanted.to
            && self.takes(wanted, given.space)
            && if types.is_array(given.to) {
                // Qualifiers are those of the elements: they do not convert with the array.
                (given.is_const, given.is_volatile) == (wanted.is_const, wanted.is_volatile)
            } else {
                given.is_const <= wanted.is_const && given.is_volatile <= wanted.is_volatile
            }
    }
}

impl Builder<'_> {
    /// A value for an object of type `ty`, in a place where it is converted to it.
    pub(in crate::random) fn converted(&mut self, ty: Ty, fuel: u32) -> Expression {
        match self.types.kind(ty) {
            Kind::Pointer(pointee) => {
                if let Some(fork) = self.edge_fault(pointee) {
                    return fork;
                }
                self.pointer(pointee, Fit::Converts, fuel)
            }
            _ => self.value(ty, fuel),
        }
    }

    /// A pointer to `wanted`.
    pub(in crate::random) fn pointer(
        &mut self,
        wanted: Pointee,
        fit: Fit,
        fuel: u32,
    ) -> Expression {
        let kinds = if fuel == 0 { 5 } else { 12 };
        let made = match self.choices.below(kinds) {
            0 => (fit == Fit::Converts)
                .then(|| Expression::Word(if self.choices.one_in(2) { "NULL" } else { "0" })),
            1 | 2 => self.read_pointer(wanted, fit),
            3 => self.address(wanted, fit),
            4 => self.decayed_array(wanted, fit),
            5 => {
                let base = self.pointer(wanted, Fit::Same, fuel - 1);
                let offset = Expression::Number(1 + self.choices.below(3), "");
                Some(Expression::Binary(
                    self.choices.pick(&[" + ", " - "]),
                    Box::new([base, offset]),
                ))
            }
            6 => {
                let condition = self.condition(fuel - 1);
                let left = self.pointer(wanted, Fit::Same, fuel - 1);
                let right = self.pointer(wanted, Fit::Same, fuel - 1);
                Some(Expression::Conditional(Box::new([condition, left, right])))
            }
            7 => Some(self.cast_pointer(wanted, fuel)),
            8 => self.call_for_pointer(wanted, fit, fuel),
            9 => self.literal(wanted, fit, fuel),
            11 if self.has(Feature::Builtins) => self.named_pointer(wanted, fuel - 1),
            _ => {
                let first = self.value(INT, fuel - 1);
                let second = self.pointer(wanted, Fit::Same, fuel - 1);
                Some(Expression::Binary(", ", Box::new([first, second])))
            }
        };
        made.or_else(|| self.read_pointer(wanted, fit))
            .or_else(|| self.address(wanted, fit))
            .unwrap_or_else(|| match fit {
                Fit::Converts => Expression::Word("0"),
                Fit::Same => self.null_of(wanted),
            })
    }

    /// A null pointer with the type, and the space, of `wanted`.
    pub(in crate::random) fn null_of(&mut self, wanted: Pointee) -> Expression {
        let ty = self.types.pointer(wanted);
        Expression::Cast(ty, Box::new(Expression::Word("0")))
    }

    fn read_pointer(&mut self, wanted: Pointee, fit: Fit) -> Option<Expression> {
        let place = self.place_where(|types, spot| {
            matches!(types.kind(spot.ty), Kind::Pointer(given) if fit.takes_pointer(types, wanted, given))
        });
        place.map(|(expression, _)| expression)
    }

    fn address(&mut self, wanted: Pointee, fit: Fit) -> Option<Expression> {
        let place = self
            .place_where(|types, spot| fit.takes_pointer(types, wanted, spot.pointed_to(spot.ty)));
        place.map(|(expression, _)| Expression::Prefix("&", Box::new(expression)))
    }

    fn decayed_array(&mut self, wanted: Pointee, fit: Fit) -> Option<Expression> {
        let place = self.place_where(|types, spot| {
            matches!(types.kind(spot.ty), Kind::Array(element, _)
                if fit.takes_pointer(types, wanted, spot.pointed_to(element)))
        });
        place.map(|(expression, _)| expression)
    }

    fn cast_pointer(&mut self, wanted: Pointee, fuel: u32) -> Expression {
        let overlapping: Vec<AddressSpace> = AddressSpace::ALL
            .into_iter()
            .filter(|space| space.overlaps(wanted.space))
            .filter(|&space| self.dialect.generic || space != AddressSpace::Generic)
            .collect();
        let space = self.choices.pick(&overlapping);
        let to = if self.choices.one_in(3) { self.value_type() } else { wanted.to };
        let inner = self.pointer(Pointee { to, space, ..wanted }, Fit::Same, fuel - 1);
        let ty = self.types.pointer(wanted);
        Expression::Cast(ty, Box::new(inner))
    }

    fn call_for_pointer(&mut self, wanted: Pointee, fit: Fit, fuel: u32) -> Option<Expression> {
        let index = self.callee_where(|types, result| {
            types.pointee(result).is_some_and(|given| fit.takes_pointer(types, wanted, given))
        })?;
        Some(self.call(index, fuel - 1))
    }

    /// A string literal or the address of a compound literal.
    fn literal(&mut self, wanted: Pointee, fit: Fit, fuel: u32) -> Option<Expression> {
        if wanted.to == CHAR {
            let fits = wanted.is_const && fit.takes(wanted, AddressSpace::Constant);
            let has = self.has(Feature::StringLiterals);
            return (has && fits).then_some(Expression::Word("\"abc\""));
        }
        let has = self.has(Feature::CompoundLiterals) && self.types.is_initialized(wanted.to);
        let given = Pointee::new(wanted.to, AddressSpace::Private);
        let fits = fit.takes_pointer(&self.types, wanted, given);
        if !has || self.place == Place::Program || !fits {
            return None;
        }
        if self.choices.one_in(2) {
            let array = self.types.array(wanted.to, 2);
            let elements = self.elements(array, fuel - 1);
            return Some(Expression::CompoundLiteral(array, elements));
        }
        let elements = self.elements(wanted.to, fuel - 1);
        let literal = Expression::CompoundLiteral(wanted.to, elements);
        Some(Expression::Prefix("&", Box::new(literal)))
    }
}
